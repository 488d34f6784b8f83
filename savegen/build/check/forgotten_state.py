"""The rule for attributes that a class assigns but neither saves nor declares transient."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from savegen.build.check.classes import unsuitable_form
from savegen.build.model import (
    ForgottenAttribute,
    Model,
    SavedClass,
    SavedModule,
    SharedAttribute,
    UnsavedCounter,
    walk,
)
from savegen.findings import Finding, Report, Severity, Span

_MAX_LISTED = 4  # names in the message; the help lists all of them


def forgotten_state(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    """Report an attribute that a class assigns but neither saves nor declares transient."""
    for forgotten in () if unsuitable_form(cls) else cls.forgotten:
        yield forgotten_attribute(forgotten)


def forgotten_in_plain(module: SavedModule) -> Iterator[Finding]:
    """Report an attribute of a plain class in a field that is none of its fields."""
    for record in module.records:
        if record.style != "subclass":
            yield from map(forgotten_attribute, record.forgotten)


def forgotten_in_subclass(model: Model) -> Iterator[Finding]:
    """Report an attribute of a subclass of a builtin or library class that fields can hold."""
    modules = model.modules.values()
    kinds = {field.kind for cls in model.classes for field in cls.fields}
    kinds |= {
        k
        for m in modules
        for r in m.records
        for _, k, _ in r.fields
        if r.style != "subclass"
    }
    held = {part.name for kind in kinds for part in walk(kind)}
    for module in modules:
        for record in module.records:
            if record.style == "subclass":
                ((_, content, _),) = record.fields
                if not held.isdisjoint((record.name, *record.bases, content.name)):
                    yield from map(forgotten_attribute, record.forgotten)


def shared_attributes(cls: SavedClass) -> tuple[SharedAttribute, ...]:
    """Return the class attributes that are forgotten if other code assigns them on an object."""
    return () if unsuitable_form(cls) else cls.shared


def forgotten_attribute(
    forgotten: ForgottenAttribute, assigned_at: Span | None = None
) -> ForgottenState:
    """Return the finding about one attribute, which other code may assign at some place."""
    attributes = (forgotten.attribute,)
    return ForgottenState(
        forgotten.span,
        forgotten.cls,
        attributes,
        attributes if forgotten.in_library else (),
        () if forgotten.is_set or forgotten.in_library else attributes,
        forgotten.transient,
        forgotten.cls_span,
        forgotten.owner,
        (f"{assigned_at.path}:{assigned_at.line}",) if assigned_at else (),
        attributes if forgotten.maybe_property else (),
        forgotten.plain,
    )


def class_state(forgotten: ForgottenAttribute, assigned_at: Span) -> ClassState:
    """Return the finding about an attribute that code assigns to the class itself."""
    return ClassState(
        forgotten.span,
        forgotten.cls,
        forgotten.attribute,
        f"{assigned_at.path}:{assigned_at.line}",
        forgotten.transient,
        forgotten.cls_span,
    )


class ClassState(Finding, frozen=True):
    code = "SG151"
    severity = Severity.WARNING
    MESSAGE = "no save contains `{name}.{attribute}`: {place} assigns it to the class"

    name: str
    attribute: str
    place: str
    transient: tuple[str, ...]
    class_span: Span

    @property
    def places(self) -> tuple[Span, ...]:
        return self.span, self.class_span

    @property
    def help(self) -> str:
        simple = self.name.rpartition(".")[2]
        return (
            f"keep it in a saved object, or save it with the world:"
            f"\n{add_state(simple, self.attribute)};"
            "\nif it refers to an object of this class, assign it in a method marked"
            " `@on_activate`;\nif it need not be saved:"
            f" {mark_with_transient(self.transient, (self.attribute,))}"
        )


def add_state(owner: str, name: str) -> str:
    """Return the call that saves an attribute of a class or a module with the world.

    >>> add_state("ids", "last")
    '`manager.add_state("last", lambda: ids.last, lambda it: setattr(ids, "last", it))`'
    """
    setter = f'lambda it: setattr({owner}, "{name}", it)'
    return f'`manager.add_state("{name}", lambda: {owner}.{name}, {setter})`'


def unsaved_counter(counter: UnsavedCounter) -> UnsavedCounterFinding:
    """Return the finding about a counter that numbers a field, but is in no save."""
    return UnsavedCounterFinding(
        counter.span,
        counter.cls,
        counter.field,
        counter.owner,
        counter.name,
        counter.cls_span,
    )


class UnsavedCounterFinding(Finding, frozen=True):
    code = "SG154"
    severity = Severity.WARNING

    name: str
    field: str
    owner: str
    counter: str
    class_span: Span

    @property
    def places(self) -> tuple[Span, ...]:
        return self.span, self.class_span

    @property
    def message(self) -> str:
        counter = f"the counter `{self.owner}.{self.counter}`"
        if not self.counter.isidentifier() or self.counter == "__init__":
            counter = "a counter"
        return (
            f"`{self.name}.{self.field}` comes from {counter}, which no save contains:"
            " after a load the same numbers come again"
        )

    @property
    def help(self) -> str:
        kept = "keep the counter in a saved object, as `Saved[itertools.count]` or `Saved[int]`"
        if self.counter == "__init__":
            return kept
        return f"{kept},\nor save it with the world:\n{add_state(self.owner.rpartition('.')[2], self.counter)}"


def mark_with_transient(transient: Sequence[str], attributes: Sequence[str]) -> str:
    """Return the mark that declares `attributes` transient in addition to `transient`."""
    names = ", ".join(f'"{name}"' for name in (*transient, *attributes))
    comma = "," * (len(transient) + len(attributes) == 1)
    return f"`@saveable(transient=({names}{comma}))`"


class ForgottenState(Finding, frozen=True):
    code = "SG140"
    severity = Severity.WARNING

    name: str
    attributes: tuple[str, ...]
    in_library: tuple[str, ...]  # those that are properties of a library's base class
    unset: tuple[str, ...]  # those that objects created by a load do not have
    transient: tuple[str, ...]  # the names that the class declares already
    class_span: Span
    owner: str = ""  # the base that has the attribute, if there is only one attribute
    assigned_at: tuple[str, ...] = ()  # the places where other code assigns one
    maybe_property: tuple[str, ...] = ()  # those that a library's function makes
    plain: str = ""  # as in `ForgottenAttribute`

    @property
    def places(self) -> tuple[Span, ...]:
        return self.span, self.class_span

    @property
    def data(self) -> str:
        return msgspec.json.encode(self).decode()

    @property
    def message(self) -> str:
        if len(self.attributes) == 1:
            return self._message_of_one(self.attributes[0])
        listed = _listed(self.attributes)
        return f"`{self.name}` does not save {listed}, so a load does not restore them"

    def _message_of_one(self, attribute: str) -> str:
        subject = f"`{self.name}.{attribute}` is not saved"
        if self.owner:
            subject = f"`{self.name}` does not save `{attribute}` of `{self.owner}`"
        if self.assigned_at:
            subject += f", but {self.assigned_at[0]} assigns it"
            return f"{subject}: a load does not restore it"
        return f"{subject}, so a load does not restore it"

    @property
    def help(self) -> str:
        if self.plain:
            return self._help_for_plain
        mark_of_class = mark_with_transient(self.transient, self.attributes)
        setter = "Annotated[…, Save(setter=True)]"
        if len(self.attributes) == 1:
            mark = f"in `__init__`, `self.{self.attributes[0]}: {setter} = …`"
            mark = mark if self.in_library else "`Saved[…]`"
            return f"mark it {mark}; if it need not be saved:\n{mark_of_class}{self._notes}"
        properties = ", ".join(f"`{name}`" for name in self.in_library)
        setters = f" ({properties}: `{setter}` in `__init__`)" if properties else ""
        places = (
            f"\n(assigned in {', '.join(self.assigned_at)})" if self.assigned_at else ""
        )
        return (
            f"add `Saved[…]` to each attribute that must be saved{setters};"
            " list the others:\n"
            f"{mark_of_class}{places}{self._notes}"
        )

    @property
    def _help_for_plain(self) -> str:
        is_one = len(self.attributes) == 1
        field, it = ("it as a field", "it") if is_one else ("them as fields", "they")
        way_out = "make it a property" if is_one else "make them properties"
        lack = ""
        if self.unset:
            them = "it" if len(self.unset) == 1 else "them"
            lack = f"\n(a load and a rewind make new objects, which lack {them})"
        ways = f"declare {field} of `{self.name}`, or mark `{self.name}` `@saveable`"
        if self.plain == "subclass":
            ways = "keep in a saveable class what must be saved"
        return f"{ways};\nif {it} need not be saved, {way_out}, or add `# savegen: ignore[SG140]`{lack}"

    @property
    def _notes(self) -> str:
        """Return the help for possible properties, and for what created objects do not have."""
        if not self.maybe_property:
            return self._lack
        subject, it = f"{_listed(self.maybe_property)} is a property", "it"
        shows = "it only shows another attribute, which is saved"
        if len(self.maybe_property) > 1:
            subject, it = f"{_listed(self.maybe_property)} are properties", "them"
            shows = "they only show other attributes, which are saved"
        return (
            f"\n(if {subject} that the library makes: mark {it}"
            f" `Annotated[…, Save(setter=True)]`, or,\nif {shows}, list {it} in `transient`)"
            f"{self._lack}"
        )

    @property
    def _lack(self) -> str:
        """What objects created by a load do not have, and what to do about it."""
        if not self.unset:
            return ""
        is_one = len(self.attributes) == 1
        names = "it" if is_one else _listed(self.unset)
        them = "it" if len(self.unset) == 1 else "them"
        return (
            f"\n(a load does not call `__init__`, so its new objects lack {names}: assign {them}"
            "\nin a method marked `@on_activate`, or write a default in the class)"
        )


def _listed(attributes: Sequence[str]) -> str:
    """Return names as text: "`hp`, `mana` and 3 more attributes"."""
    names = [f"`{name}`" for name in attributes]
    last = names.pop()
    if len(attributes) > _MAX_LISTED:
        names = names[: _MAX_LISTED - 1]
        last = f"{len(attributes) - len(names)} more attributes"
    return f"{', '.join(names)} and {last}" if names else last


def decoded(finding: Finding) -> Finding:
    """Return a finding that an earlier build stored, as a `ForgottenState` if it is one."""
    if finding.code != ForgottenState.code or not finding.data:
        return finding
    return msgspec.json.decode(finding.data, type=ForgottenState)


def join(report: Report) -> None:
    """Replace several findings about one class by a single one that lists all attributes."""
    by_class: dict[tuple[Span, str], list[ForgottenState]] = {}
    for finding in report:
        if isinstance(finding, ForgottenState):
            by_class.setdefault((finding.class_span, finding.name), []).append(finding)
    several = [group for group in by_class.values() if len(group) > 1]
    if not several:
        return
    report.drop(finding for group in several for finding in group)
    report.extend(_joined(group) for group in several)


def _joined(group: list[ForgottenState]) -> ForgottenState:
    first = group[0]
    return ForgottenState(
        first.class_span,
        first.name,
        tuple(name for finding in group for name in finding.attributes),
        tuple(name for finding in group for name in finding.in_library),
        tuple(name for finding in group for name in finding.unset),
        first.transient,
        first.class_span,
        assigned_at=tuple(
            f"{place} (`{name}`)"
            for finding in group
            for place, name in zip(finding.assigned_at, finding.attributes)
        ),
        maybe_property=tuple(
            name for finding in group for name in finding.maybe_property
        ),
        plain=first.plain,
    )
