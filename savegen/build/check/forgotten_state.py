"""The rule for attributes that a class assigns but neither saves nor declares transient."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from savegen.build.check.classes import unsuitable_form
from savegen.build.model import SavedClass, SavedModule
from savegen.findings import Finding, Report, Severity, Span

_MAX_LISTED = 4  # names in the message; the help lists all of them


def forgotten_state(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    """Report an attribute that a class assigns but neither saves nor declares transient."""
    for forgotten in () if unsuitable_form(cls) else cls.forgotten:
        attributes = (forgotten.attribute,)
        yield ForgottenState(
            forgotten.span,
            forgotten.owner,
            attributes,
            attributes if forgotten.in_library else (),
            forgotten.transient,
            forgotten.owner_span,
        )


class ForgottenState(Finding, frozen=True):
    code = "SG140"
    severity = Severity.WARNING

    name: str
    attributes: tuple[str, ...]
    in_library: tuple[str, ...]  # those that are properties of a library's base class
    transient: tuple[str, ...]  # the names that the class declares already
    class_span: Span

    @property
    def places(self) -> tuple[Span, ...]:
        return self.span, self.class_span

    @property
    def data(self) -> str:
        return msgspec.json.encode(self).decode()

    @property
    def message(self) -> str:
        if len(self.attributes) == 1:
            attribute = f"{self.name}.{self.attributes[0]}"
            return f"`{attribute}` is not saved, so a load does not restore it"
        names = [f"`{name}`" for name in self.attributes]
        last = names.pop()
        if len(self.attributes) > _MAX_LISTED:
            names = names[: _MAX_LISTED - 1]
            last = f"{len(self.attributes) - len(names)} more attributes"
        listed = f"{', '.join(names)} and {last}"
        return f"`{self.name}` does not save {listed}, so a load does not restore them"

    @property
    def help(self) -> str:
        names = ", ".join(f'"{name}"' for name in (*self.transient, *self.attributes))
        comma = "," * (len(self.transient) + len(self.attributes) == 1)
        declared = f"`@saveable(transient=({names}{comma}))`"
        setter = "Annotated[…, Save(setter=True)]"
        if len(self.attributes) == 1:
            mark = f"in the class, `{self.attributes[0]}: {setter}`"
            mark = mark if self.in_library else "`Saved[…]`"
            return f"mark it {mark}; if it need not be saved:\n{declared}"
        properties = ", ".join(f"`{name}`" for name in self.in_library)
        setters = f" ({properties}: `{setter}` in the class)" if properties else ""
        return (
            f"mark what is state `Saved[…]`{setters}; list what need not be saved:\n"
            f"{declared}"
        )


def restored(finding: Finding) -> Finding:
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
        first.transient,
        first.class_span,
    )
