"""Rules for classes: their declaration, place, bases and reserved names."""

from __future__ import annotations

import keyword
from collections.abc import Iterable, Iterator

from savegen.build.lock.faults import FormerNameInUse
from savegen.build.model import (
    Model,
    SavedClass,
    SavedModule,
    annotation_of,
    comparison_key,
    kinds_in,
    obstacle_text,
)
from savegen.findings import Finding, Severity


def asset_in_override(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    """Report an asset field in a class with `override=True`, whose fields must be plain data."""
    for field in cls.fields if cls.has_override else ():
        kinds = () if field.override else kinds_in(field, module)
        if any(kind.kind == "asset" for _, kind, _ in kinds):
            span = field.span if field.own else cls.span
            yield AssetInOverride(span, cls.qualname, field.name)


class AssetInOverride(Finding, frozen=True):
    code = "SG211"
    MESSAGE = "`{name}` is marked `override=True`, so `{field}` cannot be an asset"
    HELP = (
        "mark `{field}` with `SaveOverride()`, and save the id of the asset in "
        "your `save_data`"
    )

    name: str
    field: str


def conflicting_bases(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    """Report a class that inherits two different fields with the same name.

    An object has only one attribute with this name, and a save has one number for it.
    """
    for field, first, second in cls.conflicting_fields:
        yield ConflictingBases(
            cls.span,
            field,
            cls.simple_name,
            first[0].rpartition(":")[2],
            annotation_of(first[1]),
            second[0].rpartition(":")[2],
            annotation_of(second[1]),
        )


class ConflictingBases(Finding, frozen=True):
    code = "SG311"
    MESSAGE = (
        "`{cls}` inherits two fields named `{name}`: `{first}` declares "
        "`{first_kind}`, and `{second}` declares `{second_kind}`"
    )
    HELP = (
        "an object has only one attribute `{name}`: rename one of the two fields, "
        "or give both the same type"
    )

    name: str  # of the field
    cls: str
    first: str  # a base
    first_kind: str  # the type that it declares
    second: str
    second_kind: str


def class_name_clash(model: Model) -> Iterator[Finding]:
    """Report two classes whose generated names are equal, or differ only in case or underscores."""
    yield from _name_clashes((cls.enum_member, cls) for cls in model.classes)
    for module in model.modules.values():
        yield from _name_clashes((cls.mixin, cls) for cls in module.classes)


def _name_clashes(named: Iterable[tuple[str, SavedClass]]) -> Iterator[Finding]:
    by_key: dict[str, SavedClass] = {}
    for name, cls in named:
        first = by_key.setdefault(comparison_key(name), cls)
        if first is not cls:
            yield ClassNameClash(cls.span, cls.qualname, first.name)


class ClassNameClash(Finding, frozen=True):
    code = "SG123"
    HELP = "rename one of the classes"

    name: str
    other: str

    @property
    def message(self) -> str:
        other = self.other.replace(":", ".")
        return f"`{self.name}` and `{other}` would get the same generated name"


def local_class(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    """Report a saveable class that is defined inside a function.

    Each call of the function creates another class, so a load cannot find it.
    """
    if cls.local:
        yield LocalClass(cls.span, cls.simple_name)


class LocalClass(Finding, frozen=True):
    code = "SG118"
    MESSAGE = "`{name}` is defined inside a function, so a load cannot find it"
    HELP = "move the class to the top level of its module"

    name: str


def duplicate_stand_in(model: Model) -> Iterator[Finding]:
    """Report two stand-ins for one class of a library, of which a save could use only one."""
    first: dict[str, SavedClass] = {}
    for cls in model.classes:
        for name in cls.of:
            if first.setdefault(name, cls) is not cls:
                yield DuplicateStandIn(cls.span, cls.qualname, first[name].name, name)


class DuplicateStandIn(Finding, frozen=True):
    code = "SG148"
    HELP = "move the fields into one of the two, and delete the other"

    name: str
    other: str
    library_class: str

    @property
    def message(self) -> str:
        other = self.other.replace(":", ".")
        return (
            f"`{self.name}` and `{other}` are both stand-ins for `{self.library_class}`"
        )


def duplicate_field(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    """Report a field that a class declares and marks twice.

    This can happen when branches are merged. Only one of the marks can take effect.
    """
    for name, span in cls.duplicate_marks:
        yield DuplicateField(span, cls.qualname, name)


class DuplicateField(Finding, frozen=True):
    code = "SG146"
    MESSAGE = "`{name}.{field}` is marked twice"
    HELP = "keep one of the two declarations"

    name: str
    field: str


def contradicting_annotation(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    """Report an annotation of a field that allows other values than its mark."""
    for each in cls.contradictions:
        yield ContradictingAnnotation(
            each.span,
            cls.qualname,
            each.field,
            each.type,
            each.marked_line,
            each.marked_type,
        )


class ContradictingAnnotation(Finding, frozen=True):
    code = "SG153"
    MESSAGE = (
        "`{name}.{field}` is annotated `{type}` here, but line {marked_line} marks it as"
        " `{marked_type}`"
    )
    HELP = "write the same type in both places, or remove one of the two annotations"

    name: str
    field: str
    type: str
    marked_line: int
    marked_type: str


def can_have_mixin(cls: SavedClass) -> bool:
    """Return whether a class can inherit from a generated base, and gets none from a base."""
    is_given = cls.mixin_from_base and cls.mixin_position is None
    return not (cls.local or is_given or unsuitable_form(cls))


def missing_mixin(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    """Report a marked class that does not inherit from its generated base yet."""
    if cls.mixin_position is None and can_have_mixin(cls):
        yield MissingMixin(cls.span, cls.qualname, cls.mixin)


class MissingMixin(Finding, frozen=True):
    code = "SG110"
    severity = Severity.WARNING
    MESSAGE = "`{name}` does not inherit from `{mixin}` yet"
    HELP = "run `savegen wire`"

    name: str
    mixin: str


def mixin_not_first(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    """Report a generated base that is not the first base of its class.

    The methods of another saveable base would hide the generated ones.
    """
    if cls.mixin_position:
        yield MixinNotFirst(cls.span, cls.qualname, cls.mixin)


class MixinNotFirst(Finding, frozen=True):
    code = "SG111"
    MESSAGE = "`{mixin}` must be the first base of `{name}`"
    HELP = "run `savegen wire`"

    name: str
    mixin: str


def override_field(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    """Report a field marked `SaveOverride()` in a class without `override=True`."""
    for field in cls.fields:
        if field.own and field.override and not cls.has_override:
            yield OverrideField(field.span, field.name, cls.qualname)


class OverrideField(Finding, frozen=True):
    code = "SG122"
    MESSAGE = (
        "`{field}` is marked `SaveOverride()`, but `{name}` is not marked "
        "`override=True`"
    )
    HELP = "mark the class `@saveable(override=True)`, or the field `Saved[…]`"

    field: str
    name: str


def override_without_methods(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    """Report a class with `override=True` that lacks `save_data` or `load_data`."""
    own = {name for name, _ in cls.members}
    for method in ("save_data", "load_data") if cls.override else ():
        if method not in own:
            yield OverrideWithoutMethods(cls.span, cls.qualname, method)


class OverrideWithoutMethods(Finding, frozen=True):
    code = "SG112"
    MESSAGE = "`{name}` is marked `override=True` but does not define `{method}`"
    HELP = (
        "define `{method}` and call `self.{method}_(…)` in it, or remove "
        "`override=True`"
    )

    name: str
    method: str


def class_without_objects(model: Model) -> Iterator[Finding]:
    """Report a class of which a load cannot make an object, except a base of others."""
    bases = {base for cls in model.classes for base in cls.ancestors}
    for cls in model.classes:
        is_new = cls.obstacle == "__new__"
        if cls.obstacle and (is_new or cls.name not in bases):
            yield ClassWithoutObjects(cls.span, cls.qualname, cls.obstacle)


class ClassWithoutObjects(Finding, frozen=True):
    code = "SG152"
    severity = Severity.WARNING

    name: str
    method: str

    @property
    def message(self) -> str:
        return f"a load cannot make a `{self.name}`: {obstacle_text(self.method)}"

    @property
    def help(self) -> str:
        if self.method == "__new__":
            return (
                "give each parameter of `__new__` a default, or take them in `__init__`"
            )
        return "define the method, or mark the subclasses that do with `@saveable`"


def unhandled_field(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    """Report a field marked `SaveOverride()` that `save_data` or `load_data` does not handle."""
    fields = {field.name: field for field in cls.fields}
    for name, methods in cls.unhandled if cls.has_override else ():
        field = fields[name]
        span = field.span if field.own else cls.span
        yield UnhandledField(span, cls.qualname, name, field.enum_member, methods)


class UnhandledField(Finding, frozen=True):
    code = "SG132"
    severity = Severity.WARNING

    name: str
    field: str
    member: str  # of the generated enumeration
    methods: tuple[str, ...]

    @property
    def message(self) -> str:
        subject = f"`{self.methods[0]}` of `{self.name}` does not handle"
        if len(self.methods) > 1:
            methods = " nor ".join(f"`{method}`" for method in self.methods)
            subject = f"neither {methods} of `{self.name}` handles"
        return f"{subject} `{self.field}`, so a load does not restore it"

    @property
    def help(self) -> str:
        place = f'data[self.SaveLoadFields["{self.member}"]]'
        lines = {
            "save_data": f"`{place} = self.{self.field}`",
            "load_data": f"`self.{self.field} = {place}`",
        }
        written = "\nand ".join(f"{lines[m]} in `{m}`" for m in self.methods)
        return f"write {written};\nor, if savegen can save its type, mark it `Saved[…]`"


INTERFACE = frozenset(
    "save_type SaveLoadFields SaveLoadMethods save_load_field_names save_data load_data"
    " save_data_ load_data_ get_param_name_mappings subclass_mixins own_mixin".split()
)


def reserved_name(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    """Report a member with a name that savegen generates or that Python reserves."""
    allowed = {"save_data", "load_data"} if cls.override else set()
    places = [(field.name, field.span) for field in cls.fields if field.own]
    for name, span in dict(places + list(cls.members)).items():
        if name in INTERFACE - allowed:
            yield ReservedName(span, cls.qualname, name)
    for name, span in places:
        if name.startswith("__") and name.endswith("__"):
            yield ReservedName(span, cls.qualname, name)


class ReservedName(Finding, frozen=True):
    code = "SG113"

    name: str
    member: str

    @property
    def message(self) -> str:
        if self.member.startswith("__"):
            return f"`{self.name}.{self.member}` has a name that Python reserves"
        return f"`{self.name}.{self.member}` hides the generated `{self.member}`"

    @property
    def help(self) -> str:
        if self.member in ("save_data", "load_data"):
            return "rename it, or mark the class `@saveable(override=True)` to write your own"
        return "rename it"


def slots_conflict(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    """Report a class with two bases that have slots, because Python cannot create such a class."""
    if len(cls.slotted_bases) > 1:
        first, second = (b.rpartition(":")[2] for b in cls.slotted_bases[:2])
        yield SlotsConflict(cls.span, cls.qualname, first, second)


class SlotsConflict(Finding, frozen=True):
    code = "SG117"
    MESSAGE = (
        "Python cannot create `{name}`: its bases `{first}` and `{second}` both "
        "have non-empty `__slots__`"
    )
    HELP = (
        "write `__slots__ = ()` in one of the two bases, and declare its slots in "
        "`{name}`"
    )

    name: str
    first: str
    second: str


def unimportable_module(module: SavedModule) -> Iterator[Finding]:
    """Report a file with saveable classes that generated code cannot import by its name."""
    for part in _parts(module) if module.classes else ():
        if not part.isidentifier() or keyword.iskeyword(part):
            yield UnimportableModule(module.classes[0].span, module.path, part)


def _parts(module: SavedModule) -> list[str]:
    """Return the parts of the dotted name that would import the file."""
    names = module.path.removesuffix(".py").removesuffix("/__init__").split("/")
    dotted = [name for name in names if "." in name and name in module.name]
    return dotted or module.name.split(".")


class UnimportableModule(Finding, frozen=True):
    code = "SG124"
    MESSAGE = "`{path}` cannot be imported: `{part}` is not a valid module name"
    HELP = "rename the file or folder to a Python identifier that is not a keyword"

    path: str
    part: str


def unknown_base(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    """Report a base from outside the project that a load does not know how to initialise."""
    for base in cls.unknown_bases:
        package, _, name = base.name.rpartition(".")
        if base.module:
            yield WrongImportPath(base.span, base.subclass, name, package, base.module)
        elif package == "builtins":
            yield UnsavedBaseContent(base.span, base.subclass, name)
        else:
            yield UnknownBase(base.span, base.subclass, base.name)


class UnknownBase(Finding, frozen=True):
    code = "SG143"
    severity = Severity.WARNING
    MESSAGE = "`{name}` inherits from `{base}`, which a load does not initialise"
    HELP = (
        'write `"{base}" = true` under `[tool.savegen.bases]` to call its\n'
        "`__init__` without arguments, `false` to call nothing, or "
        '`"mygame.bases:prepare"`\nto call your own function with the new object'
    )

    name: str
    base: str


class WrongImportPath(Finding, frozen=True):
    code = "SG150"
    severity = Severity.WARNING
    MESSAGE = (
        "`{name}` inherits from `{module}.{base}`, but that module is called `{meant}` here,"
        " so savegen does not see the base"
    )
    HELP = (
        "import `{base}` from `{meant}`; or, if the game needs `{module}`, check `source` in\n"
        "`[tool.savegen]`, and whether that folder has an `__init__.py`, which makes it a package"
    )

    name: str
    base: str  # simple name
    module: str  # as imported
    meant: str  # the module's name in the project


class UnsavedBaseContent(Finding, frozen=True):
    code = "SG145"
    severity = Severity.WARNING
    MESSAGE = "`{name}` inherits from `{base}`, whose own contents are not saved"
    HELP = "put the contents in a field of type `{base}` instead of inheriting from it"

    name: str
    base: str


_UNSUITABLE_FORMS = {
    "typing.NamedTuple": "a NamedTuple",
    "typing.TypedDict": "a TypedDict",
    "typing.Protocol": "a Protocol",
    "enum.Enum": "an enum",
    "enum.IntEnum": "an enum",
    "enum.StrEnum": "an enum",
    "enum.Flag": "an enum",
    "enum.IntFlag": "an enum",
}


def unsuitable_form(cls: SavedClass) -> str | None:
    """Return the form of a class that cannot be saveable, such as "an enum"; None for others."""
    return next(
        (_UNSUITABLE_FORMS[base] for base in cls.bases if base in _UNSUITABLE_FORMS),
        None,
    )


def unsuitable_class(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    """Report `@saveable` on a NamedTuple, TypedDict, Protocol or enum.

    Such classes are plain values, and Python does not let them inherit from a generated base.
    """
    if form := unsuitable_form(cls):
        yield UnsuitableClass(cls.span, cls.qualname, form)


class UnsuitableClass(Finding, frozen=True):
    code = "SG125"
    MESSAGE = "`{name}` is {form} and cannot be marked `@saveable`"
    HELP = "remove `@saveable`; a field of this type is saved without it"

    name: str
    form: str


def former_name_in_use(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    """Report a former name of a field that is now the name of another field."""
    attributes = {f.exposed: f.attribute for f in cls.fields if f.exposed is not None}
    for field in cls.fields:
        for name in field.former_names:
            if attributes.get(name, field.attribute) != field.attribute:
                yield FormerNameInUse(field.span, field.name, name, "field")
