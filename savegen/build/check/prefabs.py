"""Prefabs, their parts and their parameters."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.build.model import Model, Part, Prefab, SavedClass, folded
from savegen.build.parameters import Parameter, parameters
from savegen.build.writable import Writing
from savegen.findings import Finding, Severity, similar


def local_prefab(prefab: Prefab, model: Model) -> Iterator[Finding]:
    """Report a prefab inside a function, which cannot be imported."""
    # A saveable class inside a function is `local_class` already.
    if prefab.local and not prefab.is_class:
        yield LocalPrefab(prefab.span, prefab.simple_name)


class LocalPrefab(Finding, frozen=True):
    code = "SG408"
    MESSAGE = (
        "prefab `{name}` is inside a function, so levels and saves cannot import it"
    )
    HELP = "move it to module level"

    name: str


def parameter_twice(prefab: Prefab, model: Model) -> Iterator[Finding]:
    """Report two parameters of a prefab with one name in levels."""
    seen: dict[str, Parameter] = {}
    for found in parameters(prefab, model):
        first = seen.setdefault(found.name, found)
        if first is found or _is_told(first, found):
            continue
        if _is_inherited(first, found, prefab, model):
            continue
        span = found.part.span if found.part.own else prefab.span
        part, field = found.part.name, found.field.name
        yield ParameterTwice(span, _place(first), part, field, found.name)


def _is_told(first: Parameter, found: Parameter) -> bool:
    """Return whether both are fields of one class, which `exposed_twice` reports."""
    return first.part is found.part and not found.part.shown


def _is_inherited(
    first: Parameter, found: Parameter, prefab: Prefab, model: Model
) -> bool:
    """Return whether a base prefab has the same two parameters."""
    both = {first.part.span, found.part.span}
    return any(
        both <= {part.span for part in base.parts}
        for base in model.prefabs
        if base.name in prefab.bases
    )


def _place(found: Parameter) -> str:
    return f"{found.part.name}.{found.field.name}"


class ParameterTwice(Finding, frozen=True):
    code = "SG402"

    first: str  # `body.size`
    part: str
    field: str
    name: str  # for levels

    @property
    def message(self) -> str:
        second = f"{self.part}.{self.field}"
        return f"`{self.first}` and `{second}` are both called `{self.name}` in levels"

    @property
    def help(self) -> str:
        new = f"{self.part}_{self.field}".replace("__", "_")
        return (
            f'rename one of them: write `part(…).show({self.field}="{new}")`,'
            ' or `Save("…")` on the field'
        )


def prefabs_alike(model: Model) -> Iterator[Finding]:
    """Report two prefabs whose names in levels differ in case and underscores at most."""
    known: dict[str, Prefab] = {}
    for prefab in model.prefabs:
        for name in {folded(prefab.simple_name), folded(prefab.member)}:
            first = known.setdefault(name, prefab)
            if first is not prefab:
                other = first.name.replace(":", ".")
                name = prefab.name.replace(":", ".")
                yield PrefabsAlike(prefab.span, name, other)
                break


class PrefabsAlike(Finding, frozen=True):
    code = "SG404"
    MESSAGE = "prefabs `{name}` and `{other}` have the same name in levels"
    HELP = "rename one of them; a different case or underscore is not enough"

    name: str
    other: str


def unmarked_prefab(model: Model) -> Iterator[Finding]:
    """Report a class that declares parts, but is no prefab and no base of one."""
    bases = {base for prefab in model.prefabs for base in prefab.ancestors}
    for module in model.modules.values():
        for qualname, span in module.loose:
            if f"{module.name}:{qualname}" not in bases:
                yield UnmarkedPrefab(span, qualname)


class UnmarkedPrefab(Finding, frozen=True):
    code = "SG406"
    severity = Severity.WARNING
    MESSAGE = "class `{name}` has parts but is not a prefab, so nothing builds it"
    HELP = "mark it with `@prefab`, or let a prefab inherit from it"

    name: str


def unread_prefab(prefab: Prefab, model: Model) -> Iterator[Finding]:
    """Report a declaration of a prefab that can only be read by running it."""
    for fault in prefab.faults:
        meant = _meant(fault.name, model) if fault.name else None
        module = meant.module if meant and meant.module != prefab.module else ""
        name = meant.simple_name if meant else ""
        is_misspelt = name != fault.name
        yield UnreadPrefab(fault.span, fault.reason, name, module, is_misspelt)


def _meant(name: str, model: Model) -> SavedClass | None:
    """Return the saveable class that somebody may have meant by a name."""
    classes = {each.simple_name: each for each in model.classes}
    return classes.get(similar(name, classes, 0.75))


class UnreadPrefab(Finding, frozen=True):
    code = "SG401"

    reason: str
    meant: str = ""  # a saveable class
    module: str = ""  # where it is, if it is in another module
    is_misspelt: bool = False

    @property
    def message(self) -> str:
        return self.reason

    @property
    def help(self) -> str | None:
        if self.meant and self.is_misspelt:
            home = f" from `{self.module}`" if self.module else ""
            return f"did you mean `{self.meant}`{home}?"
        if self.meant and self.module:
            return f"import `{self.meant}` from `{self.module}`"
        if self.reason.endswith("takes only keyword arguments"):
            return "write `@prefab(name=value)`, for example `@prefab(max_count=1)`"
        if self.reason.startswith("the first argument of `part`"):
            return "write `part(Class, …)`, and `.set(field=…)` for its values"
        return None


def unwritable_parameter(model: Model) -> Iterator[Finding]:
    """Report a parameter of a type that JSON cannot represent: levels cannot set it."""
    writing = Writing(model)
    told = {finding.span: finding for p in model.prefabs for finding in _of(p, writing)}
    yield from told.values()  # one per field, even if several prefabs show it


def _of(prefab: Prefab, writing: Writing) -> Iterator[UnwritableParameter]:
    for found in parameters(prefab, writing.model):
        if fault := writing.fault(found.field.kind):
            yield UnwritableParameter(found.field.span, found.field.name, fault)


class UnwritableParameter(Finding, frozen=True):
    code = "SG407"
    severity = Severity.WARNING
    MESSAGE = "levels cannot set `{name}`: JSON cannot represent {fault}"
    HELP = (
        "hide it from level authors with `Save(editor=False)` on the field, or "
        "`.show({name}=None)` on the part"
    )

    name: str
    fault: str  # what JSON cannot represent


def bare_component(prefab: Prefab, model: Model) -> Iterator[Finding]:
    """Report a component in the body of a prefab, which is not a part."""
    for name, span in prefab.bare:
        yield BareComponent(span, name)


class BareComponent(Finding, frozen=True):
    code = "SG405"
    MESSAGE = "`{name}` must be written as `part(…)`, not as an object or a class"
    HELP = (
        "write `{name} = part(Class, …)`, with the class of the component and the "
        "arguments for its constructor"
    )

    name: str


def unknown_setting(prefab: Prefab, model: Model) -> Iterator[Finding]:
    """Report a part that sets or shows what is no saved field of its class."""
    for part in prefab.parts:
        cls = model.class_named(part.cls)
        if cls and part.own:
            yield from _unknown(part, cls)


def _unknown(part: Part, cls: SavedClass) -> Iterator[Finding]:
    fields = [field.name for field in cls.fields]
    shown = tuple(field for field, _ in part.shown)
    for word, names in (("set", part.settings), ("show", shown)):
        for name in names:
            if name not in fields:
                close = similar(name, fields)
                yield UnknownSetting(part.span, word, name, cls.simple_name, close)


class UnknownSetting(Finding, frozen=True):
    code = "SG403"
    MESSAGE = "`.{word}({name}=…)` does not work: `{cls}` has no saved field `{name}`"

    word: str  # "set" or "show"
    name: str
    cls: str
    close: str

    @property
    def help(self) -> str | None:
        return f"did you mean `{self.close}`?" if self.close else None
