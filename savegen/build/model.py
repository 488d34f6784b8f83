"""The model of a project: its marked classes and functions, with all names resolved."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache

import msgspec
from msgspec.structs import replace

from savegen.build.kinds import ASSET as ASSET
from savegen.build.kinds import FLAGS as FLAGS
from savegen.build.kinds import HASHED as HASHED
from savegen.build.kinds import PREFAB_TYPE as PREFAB_TYPE
from savegen.build.kinds import SCALARS as SCALARS
from savegen.build.kinds import Kind as Kind
from savegen.build.kinds import Type as Type
from savegen.build.kinds import spelled as spelled
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
    owner: str  # `module:qualname` of the base-most class that marks it
    type: Type
    kind: Kind
    span: Span
    exposed: str | None = None  # name in levels; None if levels cannot set it
    override: bool = False  # the class saves it itself
    setter: bool = False  # a property that a load sets through its setter
    in_property: bool = False  # marked on the getter of a property
    parameter: str = "value"  # name of the parameter of its setter
    limits: tuple[tuple[str, str], ...] = ()  # ("ge", "0.1")
    was: tuple[str, ...] = ()  # former names, in the source or in levels
    default: str | None = None  # source code of a mutable class-level value
    always: bool = False  # a class attribute is its value if an object has none
    in_method: bool = False  # annotated in a method
    bare_saved: bool = False  # `self.x: Saved[T]`, which pyright rejects
    own: bool = True  # marked in this class, not in a base
    member: str = ""  # name in the field enumeration
    number: int = 0  # the stable number, from the lock
    doc: str | None = (
        None  # the string below it, which becomes its description in levels
    )
    has_default: bool = False  # for objects from saves without the field
    initial: str = (
        ""  # code of that default in the registry; "" if the class defines it
    )
    unread_default: str = ""  # why the default in its mark cannot be used


class Record(Definition, frozen=True, array_like=True):
    """A plain class that fields contain, with the kinds of its own fields."""

    kind: Kind
    style: str
    frozen: bool
    fields: tuple[tuple[str, Kind, bool], ...]  # name, kind, required
    # For each field the parameter of the constructor ("" if it has none), and whether a new
    # object can omit it. Empty if the constructor needs other arguments.
    construction: tuple[tuple[str, bool], ...] = ()
    marks: tuple[
        tuple[Span, tuple[str, ...]], ...
    ] = ()  # position and former names of each field
    numbers: tuple[int, ...] = ()  # the stable number of each field, from the lock
    former: tuple[tuple[str, str], ...] = ()  # former name of a field → its name today


class MarkFault(msgspec.Struct, frozen=True, array_like=True):
    """A mark that is invalid, with the reason."""

    span: Span
    reason: str
    name: str = ""  # the class in the mark, if that does not exist


class Migration(msgspec.Struct, frozen=True, array_like=True):
    """A function marked `@migration`, which changes a whole save to a save version."""

    function: str  # `module:name`
    to: int
    span: Span
    handles: tuple[
        str, ...
    ] = ()  # the changes that it declares to handle: `Purse.gold`


class Converter(msgspec.Struct, frozen=True, array_like=True):
    """A function marked `@converter`, which turns an old value of a field into a new one."""

    function: str  # `module:name`
    cls: str  # `module:qualname`
    field: str
    span: Span


class UnreachableFunction(msgspec.Struct, frozen=True, array_like=True):
    """A migration or converter that a load cannot find by its name."""

    word: str
    name: str
    place: str  # where it is defined
    span: Span


class UnsavedMark(msgspec.Struct, frozen=True, array_like=True):
    """A marked field in a class that is neither saveable nor a base of a saveable class."""

    qualname: str
    field: str
    span: Span


class BehaviorMark(msgspec.Struct, frozen=True, array_like=True):
    """A method that saves or loads one behaviour of a Recorder."""

    word: str  # "serializer" or "deserializer"
    method: str  # as in `__dict__`
    behavior: str  # `Child.Behaviors.GIVE_TOY`; "" if it is invalid
    span: Span  # of the method's name
    own: bool = True  # defined in this class, not in a base


class UnknownBase(msgspec.Struct, frozen=True, array_like=True):
    """A base from outside the project, without a declaration of how to prepare new objects."""

    name: str
    heir: str  # qualname of the class that inherits from it
    span: Span  # of that class


class PropertyOrigin(msgspec.Struct, frozen=True, array_like=True):
    """A marked field that is a property."""

    field: str
    owner: str  # full name of the class that has the property
    annotation: (
        str  # with it a load calls the setter: `Annotated[int, Save(setter=True)]`
    )


class ForgottenAttribute(msgspec.Struct, frozen=True, array_like=True):
    """An attribute that is neither saved nor declared transient."""

    attribute: str
    owner: str  # qualname of the class that assigns it
    span: Span
    home: Span  # of that class
    transient: tuple[str, ...] = ()  # the attributes that this class declares transient
    in_base: bool = False  # a property of a base outside the project stores it


class UnsetAttribute(msgspec.Struct, frozen=True, array_like=True):
    """A transient attribute that `__init__` sets, but that a load cannot set in new objects."""

    attribute: str
    owner: str  # qualname of the class that assigns it
    span: Span


class SavedClass(Definition, frozen=True, array_like=True):
    """One class marked `@saveable`, with its own and inherited fields."""

    span: Span
    mixin: str
    fields: tuple[Field, ...] = ()
    bases: tuple[str, ...] = ()  # full names; `?` or `?.Name` for an unknown one
    mixin_position: int | None = None  # of its mixin among its bases
    ancestors: tuple[str, ...] = ()  # all bases in the project, nearest first
    saveable_bases: tuple[str, ...] = ()  # those marked `@saveable`
    override: bool = False
    hook_inherited: bool = False  # a base is an `override` class
    # Methods and class-level attributes that are defined in this class.
    members: tuple[tuple[str, Span], ...] = ()
    properties: tuple[str, ...] = ()  # names of properties, including inherited ones
    read_only: tuple[str, ...] = ()  # those without a setter
    # For each field that is a property: its class, and a mark that works.
    property_fields: tuple[PropertyOrigin, ...] = ()
    marked_again: tuple[tuple[str, Span], ...] = ()  # fields with a second mark
    # Classes whose `__init__` prepares a new object, and functions as `module:name` that do;
    # those of the base-most class come first.
    prepared: tuple[str, ...] = ()
    unknown_bases: tuple[UnknownBase, ...] = ()
    forgotten: tuple[ForgottenAttribute, ...] = ()
    transient: tuple[str, ...] = ()
    unknown_transient: tuple[str, ...] = ()  # those that are no attributes of the class
    # Attributes that are not saved and have the same value in all new objects, as in
    # `__dict__`: each with the code of its value, or "" if the class declares a default.
    unsaved: tuple[tuple[str, str], ...] = ()
    unset: tuple[UnsetAttribute, ...] = ()
    # Fields that two bases declare with different kinds: name, then each base and its kind.
    differing: tuple[tuple[str, tuple[str, Kind], tuple[str, Kind]], ...] = ()
    slotted_bases: tuple[str, ...] = ()  # bases with nonempty `__slots__`
    hooks: tuple[tuple[str, str], ...] = ()  # mark and method; inherited ones first
    # The behaviours of a Recorder with the methods that save and load them, inherited first.
    behaviors: tuple[tuple[str, str, str], ...] = ()
    recorder: bool = False  # it inherits from Recorder through known bases
    behavior_marks: tuple[BehaviorMark, ...] = ()
    named_behaviors: tuple[
        tuple[str, Span], ...
    ] = ()  # in enumerations that are defined in this class
    guarded: bool = False  # frozen or with `__setattr__`, which a load has to bypass
    local: bool = False  # defined in a function
    was: tuple[str, ...] = ()
    faults: tuple[MarkFault, ...] = ()
    member: str = ""  # name in `SaveLoadableType`, from the lock
    number: int = 0  # the stable number, from the lock
    doc: str | None = None
    # Stable numbers of retired fields, including inherited ones, from the lock.
    retired: tuple[int, ...] = ()
    # Former number of a field → its number today, from the lock.
    former: tuple[tuple[int, int], ...] = ()

    @property
    def wraps(self) -> bool:
        """Whether the mixin has `save_data_` and `load_data_`, without `save_data`."""
        return self.override or self.hook_inherited


class Part(msgspec.Struct, frozen=True, array_like=True):
    """One part of a prefab, declared in it or inherited."""

    name: str  # the attribute that declares it
    cls: str  # `module:qualname` of the saveable class
    owner: str  # `module:qualname` of the base-most class that declares it
    span: Span
    settings: tuple[str, ...] = ()  # the fields in `.set(…)`
    # Fields that `.show(…)` renames for levels, or hides (None).
    shown: tuple[tuple[str, str | None], ...] = ()
    was: tuple[str, ...] = ()
    own: bool = True  # declared or replaced in this class, not in a base
    number: int = 0  # the stable number, from the lock


class Prefab(Definition, frozen=True, array_like=True):
    """One class marked `@prefab`, or `@saveable(prefab=True)`, with all its parts."""

    span: Span
    parts: tuple[Part, ...] = ()  # those of the base-most class first
    doc: str | None = None
    max_count: int | None = None  # the most objects of it that a level may place
    was: tuple[str, ...] = ()
    ancestors: tuple[str, ...] = ()  # all bases in the project, nearest first
    bases: tuple[str, ...] = ()  # those that are prefabs, of which it is a variant
    is_class: bool = False  # a saveable class, which is its only part
    local: bool = False  # defined in a function
    faults: tuple[MarkFault, ...] = ()
    # Attributes with a component in place of a `part(…)`.
    bare_components: tuple[tuple[str, Span], ...] = ()
    member: str = ""  # name in `PrefabType`
    number: int = 0  # the stable number, from the lock


class SavedModule(msgspec.Struct, frozen=True, array_like=True):
    """The marked classes and functions of one source file, and the plain classes in fields."""

    name: str
    path: str
    classes: tuple[SavedClass, ...] = ()
    records: tuple[
        Record, ...
    ] = ()  # all plain classes that fields contain, sorted by name
    enums: tuple[tuple[str, tuple[str, ...]], ...] = ()  # name and members
    refused: bool = False  # a field contains a type that cannot be saved
    unsaved: tuple[UnsavedMark, ...] = ()
    dependencies: tuple[str, ...] = ()  # other modules, which may not exist
    prefabs: tuple[Prefab, ...] = ()
    # Classes that declare parts but are not marked `@prefab`.
    unmarked_prefabs: tuple[tuple[str, Span], ...] = ()
    migrations: tuple[Migration, ...] = ()
    converters: tuple[Converter, ...] = ()
    unreachable: tuple[UnreachableFunction, ...] = ()
    invalid_marks: tuple[MarkFault, ...] = ()  # of migrations and converters


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
        self._classes: dict[str, SavedClass] = {}  # by name, filled on first use

    def class_named(self, name: str) -> SavedClass | None:
        """Return the saveable class with this `module:qualname`, or None."""
        if not self._classes:
            self._classes = {cls.name: cls for cls in self.classes}
        return self._classes.get(name)

    @property
    def classes(self) -> Iterator[SavedClass]:
        for module in self.modules.values():
            yield from module.classes

    @property
    def prefabs(self) -> Iterator[Prefab]:
        for module in self.modules.values():
            yield from module.prefabs

    @property
    def migrations(self) -> list[Migration]:
        """All migrations, sorted by the version to which they change a save."""
        found = (each for m in self.modules.values() for each in m.migrations)
        return sorted(found, key=lambda each: (each.to, each.span))

    @property
    def converters(self) -> Iterator[Converter]:
        for module in self.modules.values():
            yield from module.converters

    def converted(self, cls: SavedClass) -> Iterator[tuple[Field, Converter]]:
        """Yield each field of a class that has a converter; that of the nearest class wins."""
        converters = {(each.cls, each.field): each for each in self.converters}
        for field in cls.fields if converters else ():
            for name in (cls.name, *cls.ancestors):
                if converter := converters.get((name, field.name)):
                    yield field, converter
                    break


_NOWHERE = Span("")


def checked(module: SavedModule) -> SavedModule:
    """Return a module without the data that only the rules for single modules need."""
    classes = tuple(_checked(cls) for cls in module.classes)
    return replace(module, classes=classes, unreachable=(), invalid_marks=())


def _checked(cls: SavedClass) -> SavedClass:
    return replace(
        cls,
        members=(),
        properties=(),
        read_only=(),
        property_fields=(),
        marked_again=(),
        unknown_bases=(),
        forgotten=(),
        transient=(),
        unknown_transient=(),
        differing=(),
        faults=(),
        behavior_marks=(),
        named_behaviors=(),
    )


def mixin_inputs(module: SavedModule) -> SavedModule:
    """Return a module without positions, numbers, prefabs and all else that mixins do not need."""
    return replace(
        module,
        classes=tuple(_mixin_inputs(cls) for cls in module.classes),
        records=tuple(
            replace(
                record, construction=(), marks=_marks(record), numbers=(), former=()
            )
            for record in module.records
        ),
        unsaved=(),
        dependencies=(),
        prefabs=(),
        unmarked_prefabs=(),
        migrations=tuple(replace(each, span=_NOWHERE) for each in module.migrations),
        converters=tuple(replace(each, span=_NOWHERE) for each in module.converters),
        unreachable=(),
        invalid_marks=(),
    )


def _marks(record: Record) -> tuple[tuple[Span, tuple[str, ...]], ...]:
    return tuple((_NOWHERE, was) for _, was in record.marks)


def _mixin_inputs(cls: SavedClass) -> SavedClass:
    fields = tuple(replace(f, span=_NOWHERE, number=0, doc=None) for f in cls.fields)
    bare = replace(_checked(cls), span=_NOWHERE, fields=fields, unset=())
    return replace(bare, number=0, member="", doc=None, retired=(), former=())


def renumbered(module: SavedModule, like: SavedModule) -> SavedModule:
    """Return a module with the numbers of `like`, for which `mixin_inputs` is the same."""
    classes = zip(module.classes, like.classes, strict=True)
    records = zip(module.records, like.records, strict=True)
    return replace(
        module,
        classes=tuple(_renumbered(*pair) for pair in classes),
        records=tuple(
            replace(record, numbers=old.numbers, former=old.former)
            for record, old in records
        ),
    )


def _renumbered(cls: SavedClass, like: SavedClass) -> SavedClass:
    fields = zip(cls.fields, like.fields, strict=True)
    return replace(
        cls,
        number=like.number,
        member=like.member,
        retired=like.retired,
        former=like.former,
        fields=tuple(replace(f, number=old.number) for f, old in fields),
    )


@cache
def describe(kind: Kind) -> str:
    """Return a kind as an annotation, with simple names of classes.

    >>> describe(Kind("container", "list", (Kind("scalar", "builtins.int"),)))
    'list[int]'
    """
    parts = [describe(part) for part in kind.parts]
    if kind.kind == "union" or not kind.name:
        return " | ".join(parts)
    if kind.kind == "class_":
        names = (n.rpartition(":")[2] for n in kind.name.split(" | "))
        return f"type[{' | '.join(names)}]"
    name = kind.name.rpartition(":")[2].rpartition(".")[2]
    if kind.kind == "asset":
        return f"Asset[{name}]"
    if kind.name == "places":
        return f"tuple[{', '.join(parts) or '()'}]"
    if kind.name == "tuple":
        return f"tuple[{parts[0]}, ...]"
    if kind.name == "ndarray" and kind.values:
        return f"ndarray[{kind.values[0]}]"
    if kind.name == "Literal":
        return f"Literal[{', '.join(kind.values)}]"
    return f"{name}[{', '.join(parts)}]" if parts else name


def reached(field: Field, module: SavedModule) -> Iterator[tuple[str, Kind]]:
    """Yield every kind inside a field with its path, including those in plain classes.

    Rules use this function so that none overlooks, say, a reference in a list in a record.
    """
    records = {record.name: record for record in module.records}
    seen: set[str] = set()
    waiting = [(field.name, field.kind)]
    while waiting:
        path, whole = waiting.pop()
        for kind in walk(whole):
            yield path, kind
            record = records.get(kind.name)
            if record and kind.kind in ("record", "value") and kind.name not in seen:
                seen.add(kind.name)
                waiting += [(f"{path}.{name}", part) for name, part, _ in record.fields]


def folded(name: str) -> str:
    """Return a form of a name that is equal for names that look alike, such as `Orc` and `ORC`.

    >>> folded("Orc") == folded("ORC"), folded("Orc") == folded("Orca")
    (True, False)
    """
    return unicodedata.normalize("NFKC", name).casefold()


def part_name(class_name: str) -> str:
    """Return the name of the only part of a class marked `@saveable(prefab=True)`.

    >>> part_name("Cave.GoldCoin")
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
        after = name[index + 1 : index + 2]
        before = name[index - 1 : index]
        if letter.isupper() and before and (not before.isupper() or after.islower()):
            letters.append("_")
        letters.append(letter)
    snake = "".join(letters).upper().strip("_")
    while "__" in snake:
        snake = snake.replace("__", "_")
    return snake if snake.isidentifier() else f"N{snake}"
