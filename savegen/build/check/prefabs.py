"""Rules for prefabs, their parts and their parameters."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.build.model import (
    Model,
    PrefabPart,
    PrefabClass,
    SavedClass,
    comparison_key,
)
from savegen.build.parameters import Parameter, parameters
from savegen.build.json_forms import JsonForms
from savegen.build.places import position_of, value_form
from savegen.findings import Finding, Severity, similar


def local_prefab(prefab: PrefabClass, model: Model) -> Iterator[Finding]:
    """Report a prefab inside a function, which cannot be imported."""
    # `local_class` reports saveable classes inside functions.
    if prefab.local and not prefab.is_class:
        yield LocalPrefab(prefab.span, prefab.simple_name)


class LocalPrefab(Finding, frozen=True):
    code = "SG408"
    MESSAGE = (
        "prefab `{name}` is inside a function, so levels and saves cannot import it"
    )
    HELP = "move it to module level"

    name: str


def parameter_name_clash(prefab: PrefabClass, model: Model) -> Iterator[Finding]:
    """Report two parameters of a prefab that have the same name in levels."""
    by_name: dict[str, Parameter] = {}
    for second in parameters(prefab, model):
        first = by_name.setdefault(second.name, second)
        if first is second or _is_exposed_name_clash(first, second):
            continue
        if _is_inherited(first, second, prefab, model):
            continue
        span = second.part.span if second.part.own else prefab.span
        part, field = second.part.name, second.field.name
        path = f"{first.part.name}.{first.field.name}"
        yield ParameterNameClash(span, path, part, field, second.name)


def _is_exposed_name_clash(first: Parameter, second: Parameter) -> bool:
    """Return whether `exposed_name_clash` reports both, because they are fields of one class."""
    return first.part is second.part and not second.part.shown


def _is_inherited(
    first: Parameter, second: Parameter, prefab: PrefabClass, model: Model
) -> bool:
    """Return whether a base prefab has the same two parameters."""
    both = {first.part.span, second.part.span}
    return any(
        both <= {part.span for part in base.parts}
        for base in model.prefabs
        if base.name in prefab.bases
    )


class ParameterNameClash(Finding, frozen=True):
    code = "SG402"

    first: str  # `body.size`
    part: str
    field: str
    name: str  # in levels

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


def prefab_name_clash(model: Model) -> Iterator[Finding]:
    """Report two prefabs whose names in levels are equal, apart from case and underscores."""
    by_name: dict[str, PrefabClass] = {}
    for prefab in model.prefabs:
        for name in {
            comparison_key(prefab.simple_name),
            comparison_key(prefab.enum_member),
        }:
            first = by_name.setdefault(name, prefab)
            if first is not prefab:
                other = first.name.replace(":", ".")
                name = prefab.name.replace(":", ".")
                yield PrefabNameClash(prefab.span, name, other)
                break


class PrefabNameClash(Finding, frozen=True):
    code = "SG404"
    MESSAGE = "prefabs `{name}` and `{other}` have the same name in levels"
    HELP = "rename one of them; a different case or underscore is not enough"

    name: str
    other: str


def unmarked_prefab(model: Model) -> Iterator[Finding]:
    """Report a class that declares parts but is neither a prefab nor a base of one."""
    bases = {base for prefab in model.prefabs for base in prefab.ancestors}
    for module in model.modules.values():
        for qualname, span in module.unmarked_prefabs:
            if f"{module.name}:{qualname}" not in bases:
                yield UnmarkedPrefab(span, qualname)


class UnmarkedPrefab(Finding, frozen=True):
    code = "SG406"
    severity = Severity.WARNING
    MESSAGE = "class `{name}` has parts but is not a prefab, so nothing builds it"
    HELP = "mark it with `@prefab`, or let a prefab inherit from it"

    name: str


def unreadable_prefab(prefab: PrefabClass, model: Model) -> Iterator[Finding]:
    """Report a part of a prefab's declaration that savegen cannot read without running it."""
    for fault in prefab.faults:
        cls = (
            _similar_class(fault.unknown_class, model) if fault.unknown_class else None
        )
        module = cls.module if cls and cls.module != prefab.module else ""
        name = cls.simple_name if cls else ""
        is_misspelt = name != fault.unknown_class
        yield UnreadablePrefab(fault.span, fault.reason, name, module, is_misspelt)


def _similar_class(name: str, model: Model) -> SavedClass | None:
    """Return the saveable class with the most similar name, or None."""
    classes = {cls.simple_name: cls for cls in model.classes}
    return classes.get(similar(name, classes, 0.75))


class UnreadablePrefab(Finding, frozen=True):
    code = "SG401"
    MESSAGE = "{reason}"

    reason: str
    suggestion: str = ""  # a saveable class with this name or a similar one
    module: str = ""  # the module of that class, if it is another one
    is_misspelt: bool = False

    @property
    def help(self) -> str | None:
        if self.suggestion and self.is_misspelt:
            source = f" from `{self.module}`" if self.module else ""
            return f"did you mean `{self.suggestion}`{source}?"
        if self.suggestion and self.module:
            return f"import `{self.suggestion}` from `{self.module}`"
        if self.reason.endswith("takes only keyword arguments"):
            return "write `@prefab(name=value)`, for example `@prefab(max_count=1)`"
        if self.reason.startswith("the first argument of `part`"):
            return "write `part(Class, …)`, and `.set(field=…)` for its values"
        if self.reason.startswith("a class of a library"):
            return "write a saveable class that inherits from it, and use that class"
        return None


def unwritable_parameter(model: Model) -> Iterator[Finding]:
    """Report a parameter that levels cannot set, because JSON cannot represent its type."""
    json_forms = JsonForms(model)
    findings = (f for p in model.prefabs for f in _unwritable(p, json_forms))
    # One finding per field, even if several prefabs show it.
    yield from {finding.span: finding for finding in findings}.values()


def _unwritable(
    prefab: PrefabClass, json_forms: JsonForms
) -> Iterator[UnwritableParameter]:
    for field in (each.field for each in parameters(prefab, json_forms.model)):
        if fault := json_forms.unsupported_part(field.kind):
            yield UnwritableParameter(field.span, field.name, fault)


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


def bare_component(prefab: PrefabClass, model: Model) -> Iterator[Finding]:
    """Report a component in the body of a prefab that is not written as `part(…)`."""
    for name, span in prefab.bare_components:
        yield BareComponent(span, name)


class BareComponent(Finding, frozen=True):
    code = "SG405"
    MESSAGE = "`{name}` must be written as `part(…)`, not as an object or a class"
    HELP = (
        "write `{name} = part(Class, …)`, with the class of the component and the "
        "arguments for its constructor"
    )

    name: str


def unknown_setting(prefab: PrefabClass, model: Model) -> Iterator[Finding]:
    """Report a part that sets or shows a name that is not a saved field of its class."""
    for part in prefab.parts:
        cls = model.class_named(part.cls)
        if cls and part.own:
            yield from _unknown_settings(part, cls)


def _unknown_settings(part: PrefabPart, cls: SavedClass) -> Iterator[Finding]:
    fields = [field.name for field in cls.fields]
    shown = tuple(field for field, _ in part.shown)
    for method, names in (("set", part.settings), ("show", shown)):
        for name in names:
            if name not in fields:
                suggestion = similar(name, fields)
                yield UnknownSetting(
                    part.span, method, name, cls.simple_name, suggestion
                )


class UnknownSetting(Finding, frozen=True):
    code = "SG403"
    MESSAGE = "`.{method}({name}=…)` does not work: `{cls}` has no saved field `{name}`"

    method: str  # "set" or "show"
    name: str
    cls: str
    suggestion: str  # a similar name of a field, or ""

    @property
    def help(self) -> str | None:
        return f"did you mean `{self.suggestion}`?" if self.suggestion else None


def unknown_position(prefab: PrefabClass, model: Model) -> Iterator[Finding]:
    """Report a position that names a part or an attribute that does not exist."""
    if not prefab.position or any(not part.cls for part in prefab.parts):
        return
    position = position_of(prefab, model)
    if position is None:
        first, *others = prefab.position.split(".")
        names = [part.name for part in prefab.parts]
        if others:
            name = similar(first, names)
        else:
            others, name = [first], _part_with(first, prefab, model)
        path = ".".join([name or "part", *others])
        yield UnknownPosition(prefab.span, prefab.simple_name, "part", first, path)
    elif position.cls is not None and position.field is None:
        (name, *inner), cls = position.names, position.cls.simple_name
        # A library may add attributes, and so may a class of which pass 1 sees nothing.
        if prefab.position_names and name not in prefab.position_names:
            close = similar(name, prefab.position_names)
            start = prefab.position.removesuffix(".".join(position.names))
            path = f"{start}{'.'.join([close, *inner])}" if close else ""
            yield UnknownPosition(prefab.span, cls, "attribute", name, path)


def _part_with(name: str, prefab: PrefabClass, model: Model) -> str:
    """Return the name of the first part that has a field with a name, or ""."""
    for part in prefab.parts:
        cls = model.class_named(part.cls)
        if cls and name in [field.name for field in cls.fields]:
            return part.name
    return ""


class UnknownPosition(Finding, frozen=True):
    code = "SG409"
    MESSAGE = "`position=` names `{name}`, but `{owner}` has no {what} `{name}`"

    owner: str  # a prefab or a class
    what: str  # "part" or "attribute"
    name: str
    path: str  # what was probably meant, or ""

    @property
    def help(self) -> str | None:
        if self.path.startswith("part."):
            return f'name a part and its attribute: `position="{self.path}"`'
        return f'did you mean `position="{self.path}"`?' if self.path else None


def unsuitable_position(prefab: PrefabClass, model: Model) -> Iterator[Finding]:
    """Report a position in a field whose type does not consist of two or three numbers."""
    position = position_of(prefab, model)
    if position is None or position.cls is None or len(position.names) > 1:
        return
    field, forms = position.field, JsonForms(model)
    kind = forms.without_subclasses(field.kind) if field else None
    if kind and kind.kind == "subclass":  # of a vector, perhaps
        (kind,) = kind.parts
    if field and kind and value_form(kind, forms.records) is None:
        is_rect = field.kind.name.endswith("Rect")
        owner = position.cls.simple_name
        path = f"{prefab.position}.center" if is_rect else ""
        yield UnsuitablePosition(prefab.span, owner, field.name, path)


class UnsuitablePosition(Finding, frozen=True):
    code = "SG410"
    MESSAGE = (
        "`{owner}.{name}` cannot be the position of a prefab, because it does not consist"
        " of two or three numbers"
    )

    owner: str
    name: str
    path: str  # that of a rectangle's centre, or ""

    @property
    def help(self) -> str:
        if self.path:
            return f'write `position="{self.path}"`, or another point of the rectangle'
        return (
            "name a field such as `tuple[float, float]`, a vector, or a dataclass with `x`"
            " and `y`"
        )


def static_reference(prefab: PrefabClass, model: Model) -> Iterator[Finding]:
    """Report a parameter of a static prefab that refers to an object."""
    if not prefab.static:
        return
    static = {each.name for each in model.prefabs if each.static}
    is_inherited = not static.isdisjoint(prefab.bases)  # the base has the finding
    forms = JsonForms(model)
    for parameter in parameters(prefab, model):
        part, field = parameter.part, parameter.field
        if forms.targets(field.kind) and (part.own or not is_inherited):
            span = part.span if part.own else prefab.span
            yield StaticReference(span, prefab.simple_name, part.name, field.name)


class StaticReference(Finding, frozen=True):
    code = "SG414"
    MESSAGE = "`{part}.{name}` refers to objects, but the prefab `{prefab}` is static"
    HELP = (
        "hide it with `.show({name}=None)`, or remove `static=True`: a static prefab has"
        " no objects, and its parameters are only values"
    )

    prefab: str
    part: str
    name: str
