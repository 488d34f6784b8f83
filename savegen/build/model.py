"""The model of a project: its marked classes and functions, with all names resolved."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, cached_property

import msgspec
from msgspec.structs import replace

from savegen.build.kinds import ASSET as ASSET
from savegen.build.kinds import FLAGS as FLAGS
from savegen.build.kinds import HASHED as HASHED
from savegen.build.kinds import METHOD as METHOD
from savegen.build.kinds import PREFAB_TYPE as PREFAB_TYPE
from savegen.build.kinds import Kind as Kind
from savegen.build.kinds import Type as Type
from savegen.build.kinds import as_code as as_code
from savegen.build.kinds import natural_factory as natural_factory
from savegen.build.kinds import walk as walk
from savegen.findings import Span

HOOKS = ("before_save", "on_activate", "on_deactivate")


class Definition(msgspec.Struct, frozen=True, array_like=True):
    """A class that a module of the project defines."""

    name: str  # `module:qualname`

    @property
    def module(self) -> str:
        return self.name.partition(":")[0]

    @property
    def qualname(self) -> str:
        return self.name.partition(":")[2]

    @property
    def simple_name(self) -> str:
        return self.qualname.rpartition(".")[2]


class Field(msgspec.Struct, frozen=True, array_like=True):
    """One field of a saveable class, declared in it or inherited."""

    name: str  # as in the source
    attribute: str  # as in `__dict__`, where private names are mangled
    owner: str  # `module:qualname` of the most distant base that marks it
    type: Type
    kind: Kind
    span: Span
    exposed: str | None = None  # name in levels; None if levels cannot set it
    override: bool = False  # marked `SaveOverride()`: the class saves it itself
    setter: bool = False  # a load assigns it through the setter of a property
    limits: tuple[tuple[str, str], ...] = ()  # such as `("ge", "0.1")`
    former_names: tuple[str, ...] = ()  # in the source or in levels
    mutable_default: str | None = None  # short code of a mutable value in a class body
    saved_in_method: bool = False  # declared as `self.x: Saved[T]` in a method
    own: bool = True  # marked in this class, not in a base
    enum_member: str = ""  # name in the generated enumeration of fields
    number: int = 0  # the stable number, from the lock
    doc: str | None = None  # the string below the field, its description in levels
    has_default: bool = False  # a load can set it from a save without the field
    default_code: str = ""  # code of this default; "" if the class defines it
    default_fault: str = ""  # why the default in its mark cannot be used
    lacks_factory: bool = False  # of its `defaultdict`: generated code cannot make it


class Contradiction(msgspec.Struct, frozen=True, array_like=True):
    """An annotation of a marked field that allows other values than the mark."""

    field: str
    span: Span
    type: str
    marked_line: int
    marked_type: str


class ForgottenAttribute(msgspec.Struct, frozen=True, array_like=True):
    """An attribute that is neither saved nor declared transient."""

    attribute: str
    cls: str  # qualname of the saveable or plain class that does not save it
    span: Span
    cls_span: Span
    owner: str = ""  # qualname of the base that assigns it; "" if the class does
    transient: tuple[str, ...] = ()  # the attributes that the class declares transient
    in_library: bool = False  # it is a property of a library's base class
    # A load sets it in the objects that it creates, or their class has a default.
    is_set: bool = False
    maybe_property: bool = False  # a function of a library makes its value in the class
    plain: str = ""  # the style of a class that is not saveable, but that fields hold


RECORDS = (
    "record",
    "value",
    "subclass",
)  # the kinds of which a `PlainRecord` tells more


class PlainRecord(Definition, frozen=True, array_like=True):
    """A plain class that fields contain, with the kinds of its own fields.

    Also a subclass of a builtin or library class, which has the single field `content`.
    """

    kind: Kind
    style: str  # as in `PlainClass`, or "subclass"
    fields: tuple[tuple[str, Kind, bool], ...]  # name, kind, required
    # For each field the parameter of the constructor ("" if it has none), and whether a new
    # object can omit it. Empty if the constructor needs other arguments.
    constructor_arguments: tuple[tuple[str, bool], ...] = ()
    # The position and the former names of each field.
    field_marks: tuple[tuple[Span, tuple[str, ...]], ...] = ()
    numbers: tuple[int, ...] = ()  # the stable number of each field, from the lock
    bases: tuple[str, ...] = ()  # all base classes in the project, nearest first
    forgotten: tuple[ForgottenAttribute, ...] = ()  # attributes that are no fields
    # The same as in `__dict__`, with the literal that a new object has there, as code, or "".
    unsaved: tuple[tuple[str, str], ...] = ()
    # Former name of a field → its name today, from the lock.
    former_fields: tuple[tuple[str, str], ...] = ()


class MarkFault(msgspec.Struct, frozen=True, array_like=True):
    """A mark that is invalid, with the reason."""

    span: Span
    reason: str
    unknown_class: str = ""  # a class name in the mark that is not defined


class Migration(msgspec.Struct, frozen=True, array_like=True):
    """A function marked `@migration`, which changes a whole save to a save version."""

    function: str  # `module:name`
    to: int
    span: Span
    handles: tuple[str, ...] = ()  # the changes that it handles, such as `Purse.gold`


class Converter(msgspec.Struct, frozen=True, array_like=True):
    """A function marked `@converter`, which turns an old value of a field into a new one."""

    function: str  # `module:name`
    cls: str  # `module:qualname`
    field: str
    span: Span


class UnimportableFunction(msgspec.Struct, frozen=True, array_like=True):
    """A migration or converter that a load cannot import by its name."""

    mark: str  # "migration" or "converter"
    name: str
    reason: str  # "is inside a function"
    span: Span


class MarkWithoutEffect(msgspec.Struct, frozen=True, array_like=True):
    """A mark that marks no field, or one in a class that is not, and whose subclasses are not, saveable."""

    qualname: str  # of the class; "" if it marks no field
    field: str  # or the annotation that marks no field
    span: Span
    reason: str = ""  # it marks no field
    help: str = ""


class BehaviorMark(msgspec.Struct, frozen=True, array_like=True):
    """A method that saves or loads one behaviour of a Recorder."""

    role: str  # "serializer" or "deserializer"
    method: str  # as in `__dict__`
    behavior: str  # `Child.Behaviors.GIVE_TOY`; "" if the mark is invalid
    span: Span  # of the method's name
    own: bool = True  # defined in this class, not in a base


class ForeignBase(msgspec.Struct, frozen=True, array_like=True):
    """A base from outside the project that a load does not know how to initialise."""

    name: str
    subclass: str  # qualname of the class that inherits from it
    span: Span  # of that class
    module: str = ""  # the name of the project's module that was probably meant


class MarkedProperty(msgspec.Struct, frozen=True, array_like=True):
    """A marked field that is a property, and whose setter a load does not call."""

    field: str
    owner: str  # full name of the class that has the property
    annotation: str  # the advice: `Annotated[int, Save(setter=True)]`


class SharedAttribute(msgspec.Struct, frozen=True, array_like=True):
    """An attribute with a value in the body of its class, which no method of it assigns.

    It is state if other code assigns it for one object, or a function for the class.
    """

    forgotten: ForgottenAttribute
    family: frozenset[str]  # simple names of the saveable class and its bases
    is_own: bool = True  # no saveable base has it, which would have the finding
    is_class_variable: bool = False  # objects have no value of their own
    rebuilding: frozenset[str] = frozenset()  # methods that a load calls


class UnsavedCounter(msgspec.Struct, frozen=True, array_like=True):
    """A counter on a class or a module that numbers a field, and that no save contains."""

    field: str
    cls: str  # qualname of the saveable class
    owner: str  # the module, or the qualname of the class, that has the counter
    name: str
    span: Span
    cls_span: Span


class UnsetAttribute(msgspec.Struct, frozen=True, array_like=True):
    """A transient attribute that `__init__` sets, and that objects from a load lack."""

    attribute: str
    owner: str  # qualname of the class that assigns it
    span: Span
    is_picture: bool = False  # of a sprite, whose base class declares the attribute


class SubclassWithoutMark(msgspec.Struct, frozen=True, array_like=True):
    """A class that inherits from a saveable class, but is not saveable itself."""

    qualname: str
    span: Span
    ancestors: tuple[str, ...]  # all bases in the project, nearest first
    base: str  # qualname of the nearest saveable base


class LeftOut(msgspec.Struct, frozen=True, array_like=True):
    """A subclass of a plain class that no save can contain, because of one of its fields."""

    qualname: str
    span: Span
    base: str  # qualname of the plain class
    field: str  # `Bomb.on_burst`
    type: str  # of the field


class HookFault(msgspec.Struct, frozen=True, array_like=True):
    """A hook that does not accept what savegen passes to it."""

    name: str  # `Orc.wake`
    mark: str  # for the methods of `override=True`, their name
    fault: str  # "async", "static" or "arguments"
    span: Span  # of the method's name


class SavedClass(Definition, frozen=True, array_like=True):
    """One saveable class, with its own and inherited fields."""

    span: Span
    mixin: str
    fields: tuple[Field, ...] = ()
    bases: tuple[str, ...] = ()  # full names; `?` or `?.Name` for an unknown one
    mixin_position: int | None = None  # of its mixin among its bases
    ancestors: tuple[str, ...] = ()  # all bases in the project, nearest first
    saveable_bases: tuple[str, ...] = ()  # the ancestors that are saveable
    subclasses: bool = (
        False  # marked `subclasses=True`: its mixin gives subclasses theirs
    )
    mixin_from_base: bool = False  # a base is marked `subclasses=True`
    override: bool = False  # marked `override=True`
    inherits_override: bool = False  # a base is marked `override=True`
    rewinds: bool = True  # not marked `rewind=False`
    # Methods and class-level attributes that are defined in this class.
    members: tuple[tuple[str, Span], ...] = ()
    properties: tuple[str, ...] = ()  # names of properties, including inherited ones
    read_only: tuple[str, ...] = ()  # the properties without a setter
    marked_properties: tuple[MarkedProperty, ...] = ()
    duplicate_marks: tuple[tuple[str, Span], ...] = ()  # further marks of one field
    contradictions: tuple[Contradiction, ...] = ()
    # Classes whose `__init__` a load calls for a new object, and functions (`module:name`) that
    # it calls; those of the most distant base come first.
    prepared_by: tuple[str, ...] = ()
    unknown_bases: tuple[ForeignBase, ...] = ()
    # The names of the library's class for which it is a stand-in; the first one is imported.
    of: tuple[str, ...] = ()
    forgotten: tuple[ForgottenAttribute, ...] = ()
    shared: tuple[SharedAttribute, ...] = ()
    counters: tuple[UnsavedCounter, ...] = ()
    transient: tuple[str, ...] = ()  # the names in `transient=`
    unknown_transient: tuple[str, ...] = ()  # those that no attribute has
    # All attributes that need not be saved, including those that methods of a load assign.
    transient_attributes: tuple[str, ...] = ()
    # Attributes that are not saved and have the same value in all new objects, as in
    # `__dict__`: each with the code of its value, or "" if the class declares a default.
    initial_values: tuple[tuple[str, str], ...] = ()
    unset: tuple[UnsetAttribute, ...] = ()
    # Fields that two bases declare with different kinds: name, then each base and its kind.
    conflicting_fields: tuple[tuple[str, tuple[str, Kind], tuple[str, Kind]], ...] = ()
    # Attributes that share a list or the like, and where one statement assigns them.
    shared_containers: tuple[tuple[tuple[str, ...], Span], ...] = ()
    slotted_bases: tuple[str, ...] = ()  # bases with nonempty `__slots__`
    hooks: tuple[tuple[str, str], ...] = ()  # mark and method; inherited ones first
    wrong_hooks: tuple[HookFault, ...] = ()
    # The behaviours of a Recorder with the methods that save and load them, inherited first.
    behaviors: tuple[tuple[str, str, str], ...] = ()
    methods: tuple[str, ...] = ()  # those that a bound method in a field may be
    is_recorder: bool = False  # it inherits from Recorder, or may do so
    behavior_marks: tuple[BehaviorMark, ...] = ()
    # Members of the enumerations in this class that name behaviours.
    named_behaviors: tuple[tuple[str, Span], ...] = ()
    # The fields marked `SaveOverride()` that methods do not handle, with these methods.
    unhandled: tuple[tuple[str, tuple[str, ...]], ...] = ()
    guards_assignment: bool = False  # assigning an attribute may fail, or run code
    local: bool = False  # defined in a function
    # A method because of which a load cannot make an object of exactly this class: it is abstract,
    # or it is `__new__` and needs arguments.
    obstacle: str = ""
    former_names: tuple[str, ...] = ()
    faults: tuple[MarkFault, ...] = ()
    enum_member: str = ""  # name in `SaveLoadableType`, from the lock
    number: int = 0  # the stable number, from the lock
    doc: str | None = None
    # Stable numbers of retired fields, including inherited ones, from the lock.
    retired: tuple[int, ...] = ()
    # Former number of a field → its number today, from the lock.
    former_numbers: tuple[tuple[int, int], ...] = ()

    @property
    def has_override(self) -> bool:
        """Whether the class or a base is marked `override=True`.

        Its mixin has `save_data_` and `load_data_` then, but neither `save_data` nor `load_data`.
        """
        return self.override or self.inherits_override


class PrefabPart(msgspec.Struct, frozen=True, array_like=True):
    """One part of a prefab, declared in it or inherited."""

    name: str  # the attribute that declares it
    cls: str  # `module:qualname` of the saveable class
    owner: str  # `module:qualname` of the most distant base that declares it
    span: Span
    settings: tuple[str, ...] = ()  # the fields in `.set(…)`
    # Fields that `.show(…)` renames for levels, or hides (None).
    shown: tuple[tuple[str, str | None], ...] = ()
    former_names: tuple[str, ...] = ()
    own: bool = True  # declared or replaced in this class, not in a base
    number: int = 0  # the stable number, from the lock


class PrefabClass(Definition, frozen=True, array_like=True):
    """One class marked `@prefab`, or `@saveable(prefab=True)`, with all its parts."""

    span: Span
    parts: tuple[PrefabPart, ...] = ()  # those of the most distant base first
    doc: str | None = None
    max_count: int | None = None  # the most objects of it that a level may place
    position: str = ""  # the attribute that gets the place of an object, as in the mark
    # The attributes that the class of its part has; empty if a library may add others.
    position_names: tuple[str, ...] = ()
    static: bool = False  # levels place no objects of it
    former_names: tuple[str, ...] = ()
    ancestors: tuple[str, ...] = ()  # all bases in the project, nearest first
    bases: tuple[
        str, ...
    ] = ()  # the ancestors that are prefabs: it is a variant of them
    is_class: bool = (
        False  # marked `@saveable(prefab=True)`, with itself as the only part
    )
    local: bool = False  # defined in a function
    faults: tuple[MarkFault, ...] = ()
    # Attributes that hold a component or its class instead of a `part(…)`.
    bare_components: tuple[tuple[str, Span], ...] = ()
    enum_member: str = ""  # name in `PrefabType`
    number: int = 0  # the stable number, from the lock

    @property
    def position_path(self) -> tuple[PrefabPart, tuple[str, ...]] | None:
        """The part of its position, and the names of attributes; `None` if there is no part.

        The last attribute is the position; the others hold objects.
        """
        first, *others = self.position.split(".")
        part = next((part for part in self.parts if part.name == first), None)
        if part is not None and others:
            return part, tuple(others)
        if first and len(self.parts) == 1:
            return self.parts[0], (first, *others)
        return None


def obstacle_text(method: str) -> str:
    """Return why a load cannot make an object, for the `obstacle` of its class."""
    is_new = method == "__new__"
    return "`__new__` needs arguments" if is_new else f"`{method}` is abstract"


class SavedModule(msgspec.Struct, frozen=True, array_like=True):
    """The marked classes and functions of one source file, and the plain classes in fields."""

    name: str
    path: str
    classes: tuple[SavedClass, ...] = ()
    records: tuple[PlainRecord, ...] = ()  # all plain classes in fields, sorted by name
    enums: tuple[tuple[str, tuple[str, ...]], ...] = ()  # name and members
    # Each enumeration, `game:Mood`, and its members, `game:Mood.CALM`, with their places.
    enum_places: tuple[tuple[str, Span], ...] = ()
    has_refused_type: bool = False  # a field contains a type that cannot be saved
    marks_without_effect: tuple[MarkWithoutEffect, ...] = ()
    unmarked_subclasses: tuple[SubclassWithoutMark, ...] = ()
    left_out: tuple[LeftOut, ...] = ()  # subclasses of the plain classes in fields
    # The plain classes and enumerations that no field of this module names, but whose values the
    # game may save with a Recorder or in a state. They are not in the lock.
    undeclared_kinds: tuple[Kind, ...] = ()
    undeclared: tuple[PlainRecord, ...] = ()
    undeclared_enums: tuple[tuple[str, tuple[str, ...]], ...] = ()
    dependencies: tuple[str, ...] = ()  # modules in which names were looked up
    prefabs: tuple[PrefabClass, ...] = ()
    # Classes that declare parts but are not marked `@prefab`.
    unmarked_prefabs: tuple[tuple[str, Span], ...] = ()
    migrations: tuple[Migration, ...] = ()
    converters: tuple[Converter, ...] = ()
    unimportable: tuple[UnimportableFunction, ...] = ()
    function_faults: tuple[MarkFault, ...] = ()  # in marks of migrations and converters
    misplaced_decorators: tuple[MarkFault, ...] = ()
    aliases: tuple[
        str, ...
    ] = ()  # other names of classes in this module, such as former ones


class Model:
    """All modules with marked classes or functions, by name, sorted by path."""

    def __init__(
        self,
        modules: Iterable[SavedModule],
        prefab_types: tuple[tuple[str, int], ...] = (),
        save_version: int = 0,
        retired: tuple[int, ...] = (),
    ) -> None:
        """`save_version` is configured by the project; the other numbers are from the lock."""
        self.modules = {m.name: m for m in sorted(modules, key=lambda m: m.path)}
        self.prefab_types = prefab_types  # the members of `PrefabType`
        self.save_version = save_version
        self.retired = retired  # stable numbers of retired classes and prefabs

    @cached_property
    def _classes(self) -> dict[str, SavedClass]:
        return {cls.name: cls for cls in self.classes}

    @cached_property
    def _converters(self) -> dict[tuple[str, str], Converter]:
        return {(c.cls, c.field): c for c in self.converters}

    def class_named(self, name: str) -> SavedClass | None:
        """Return the saveable class with this `module:qualname`, or None."""
        return self._classes.get(name)

    @property
    def classes(self) -> Iterator[SavedClass]:
        for module in self.modules.values():
            yield from module.classes

    @property
    def prefabs(self) -> Iterator[PrefabClass]:
        for module in self.modules.values():
            yield from module.prefabs

    @property
    def migrations(self) -> list[Migration]:
        """All migrations, sorted by the version to which they change a save."""
        modules = self.modules.values()
        migrations = (migration for m in modules for migration in m.migrations)
        return sorted(migrations, key=lambda migration: (migration.to, migration.span))

    @property
    def converters(self) -> Iterator[Converter]:
        for module in self.modules.values():
            yield from module.converters

    def converted_fields(self, cls: SavedClass) -> Iterator[tuple[Field, Converter]]:
        """Yield the fields of a class that have a converter, each with its converter.

        A converter for the class itself comes before one for a base.
        """
        for field in cls.fields if self._converters else ():
            for name in (cls.name, *cls.ancestors):
                if converter := self._converters.get((name, field.name)):
                    yield field, converter
                    break


_NOWHERE = Span("")


def without_check_data(module: SavedModule) -> SavedModule:
    """Return a module without the data that later stages do not need."""
    classes = tuple(map(_without_check_data, module.classes))
    return replace(
        module,
        dependencies=(),
        classes=classes,
        records=tuple(map(_record_without_check_data, module.records)),
        unimportable=(),
        function_faults=(),
        misplaced_decorators=(),
    )


def _record_without_check_data(record: PlainRecord) -> PlainRecord:
    # Whether it matters that a subclass forgets something depends on the fields of all modules.
    is_needed = record.style == "subclass" or not record.forgotten
    return record if is_needed else replace(record, forgotten=())


def _without_check_data(cls: SavedClass) -> SavedClass:
    return replace(
        cls,
        members=(),
        properties=(),
        read_only=(),
        marked_properties=(),
        duplicate_marks=(),
        contradictions=(),
        unknown_bases=(),
        forgotten=(),
        shared=(),
        counters=(),
        transient=(),
        unknown_transient=(),
        conflicting_fields=(),
        shared_containers=(),
        wrong_hooks=(),
        faults=(),
        behavior_marks=(),
        named_behaviors=(),
        unhandled=(),
    )


def pass_1_inputs(module: SavedModule) -> tuple[object, ...]:
    """Return the parts of a module on which the results of pass 1 depend.

    Positions and stable numbers are not among them, nor what only `check_module` needs.
    """
    unset = {(each.owner, each.attribute) for c in module.classes for each in c.unset}
    return (
        module.path,
        [_inputs_of_class(cls) for cls in module.classes],
        [_inputs_of_record(record) for record in module.records],
        module.enums,
        [_inputs_of_record(record) for record in module.undeclared],
        module.undeclared_enums,
        module.has_refused_type,
        [replace(each, span=_NOWHERE) for each in module.unmarked_subclasses],
        [replace(each, span=_NOWHERE) for each in module.left_out],
        [replace(each, span=_NOWHERE) for each in module.migrations],
        [replace(each, span=_NOWHERE) for each in module.converters],
        sorted(unset),
        bool(module.prefabs),
        sorted({part.cls for prefab in module.prefabs for part in prefab.parts}),
        [name for name, _ in module.unmarked_prefabs],
    )


def _inputs_of_class(cls: SavedClass) -> SavedClass:
    fields = tuple(replace(f, span=_NOWHERE, number=0, doc=None) for f in cls.fields)
    return replace(
        _without_check_data(cls),
        span=_NOWHERE,
        fields=fields,
        unset=(),
        number=0,
        enum_member="",
        doc=None,
        retired=(),
        former_numbers=(),
    )


def _inputs_of_record(record: PlainRecord) -> PlainRecord:
    marks = tuple((_NOWHERE, names) for _, names in record.field_marks)
    return replace(
        record,
        constructor_arguments=(),
        field_marks=marks,
        forgotten=tuple(
            replace(each, span=_NOWHERE, cls_span=_NOWHERE)
            for each in _record_without_check_data(record).forgotten
        ),
        numbers=(),
        former_fields=(),
    )


def shared_inputs(model: Model) -> tuple[object, ...]:
    """Return all on which the numbers and registry entries of other modules depend."""
    modules = model.modules.values()
    records = {record.name: record for module in modules for record in module.records}
    return (
        [(cls.name, cls.ancestors, cls.former_names) for cls in model.classes],
        [_inputs_of_record(record) for _, record in sorted(records.items())],
        sorted({each for module in modules for each in module.enums}),
        [(each.cls, each.field, each.function) for each in model.converters],
    )


@cache
def annotation_of(kind: Kind) -> str:
    """Return a kind as an annotation, with the simple names of its classes.

    >>> annotation_of(Kind("container", "list", (Kind("scalar", "builtins.int"),)))
    'list[int]'
    """
    parts = [annotation_of(part) for part in kind.parts]
    if kind.kind == "union" or not kind.name:
        return " | ".join(parts)
    if kind.kind == "class_":
        names = (n.rpartition(":")[2] for n in kind.name.split(" | "))
        return f"type[{' | '.join(names)}]"
    name = kind.name.rpartition(":")[2].rpartition(".")[2]
    if kind.kind == "asset":
        return f"Asset[{name}]"
    if kind.kind == "subclass":
        return name
    if kind.name == "fixed_tuple":
        return f"tuple[{', '.join(parts) or '()'}]"
    if kind.name == "tuple":
        return f"tuple[{parts[0]}, ...]"
    if kind.name == "ndarray" and kind.values:
        return f"ndarray[{kind.values[0]}]"
    if kind.name == "Literal":
        return f"Literal[{', '.join(kind.values)}]"
    return f"{name}[{', '.join(parts)}]" if parts else name


def all_records(model: Model) -> dict[str, PlainRecord]:
    """Return all plain classes by name, those that no field names included."""
    modules = model.modules.values()
    records = {record.name: record for m in modules for record in m.undeclared}
    return records | {record.name: record for m in modules for record in m.records}


def all_enums(model: Model) -> dict[str, tuple[str, ...]]:
    """Return the members of all enumerations by name."""
    modules = model.modules.values()
    enums = {name: members for m in modules for name, members in m.undeclared_enums}
    return enums | {name: members for m in modules for name, members in m.enums}


def reached_kinds(kind: Kind, records: Mapping[str, PlainRecord]) -> Iterator[Kind]:
    """Yield the kinds inside a kind and of the fields of plain classes, then the kind itself."""
    waiting, seen = [kind], {kind}
    outer_first: list[Kind] = []
    while waiting:
        current = waiting.pop()
        outer_first.append(current)
        parts = () if current.kind in ("reference", "refused") else current.parts
        if current.kind in ("value", "record") and current.name in records:
            fields = records[current.name].fields
            parts = (*parts, *(inner for _, inner, _ in fields))
        for part in parts:
            if part not in seen:
                seen.add(part)
                waiting.append(part)
    yield from reversed(outer_first)


def kinds_in(field: Field, module: SavedModule) -> Iterator[tuple[str, Kind, Span]]:
    """Yield every kind inside a field, with its path and the place where it is declared.

    Those in plain classes are included. The path of the field `callback` of a plain class
    `Stats` is `Stats.callback`.
    """
    records = {record.name: record for record in module.records}
    visited: set[str] = set()
    waiting = [(field.name, field.kind, field.span)]
    while waiting:
        path, outer, span = waiting.pop()
        for kind in walk(outer):
            yield path, kind, span
            record = records.get(kind.name)
            if record and kind.kind in ("record", "value") and kind.name not in visited:
                visited.add(kind.name)
                for (name, part, _), (place, _) in zip(
                    record.fields, record.field_marks
                ):
                    waiting.append((f"{record.simple_name}.{name}", part, place))


def comparison_key(name: str) -> str:
    """Return a name without upper case, to find names that differ only in case.

    >>> comparison_key("Orc"), comparison_key("ORC")
    ('orc', 'orc')
    """
    return unicodedata.normalize("NFKC", name).casefold()


def single_part_name(class_name: str) -> str:
    """Return the name of the only part of a class marked `@saveable(prefab=True)`.

    >>> single_part_name("Cave.GoldCoin")
    'gold_coin'
    """
    return upper_snake(class_name.rpartition(".")[2]).lower()


def upper_snake(name: str) -> str:
    """Return the name of a class in UPPER_SNAKE case.

    >>> upper_snake("CameraArea"), upper_snake("HUDText"), upper_snake("_Goblin2")
    ('CAMERA_AREA', 'HUD_TEXT', 'GOBLIN2')
    """
    letters: list[str] = []
    for index, letter in enumerate(name):
        if index and letter.isupper():
            if not name[index - 1].isupper() or name[index + 1 : index + 2].islower():
                letters.append("_")
        letters.append(letter)
    snake = "".join(letters).upper().strip("_")
    while "__" in snake:
        snake = snake.replace("__", "_")
    return snake if snake.isidentifier() else f"N{snake}"
