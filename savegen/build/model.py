"""The project as savegen understands it: frozen, every name bound."""

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


class Homed(msgspec.Struct, frozen=True, array_like=True):
    """Something that a module of the project defines, known by its full name."""

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
    """One saved attribute of a saveable class, its own or inherited."""

    name: str  # as the user writes it
    attribute: str  # as Python stores it: a private name is mangled
    owner: str  # `module:qualname` of the base-most class that marks it
    type: Type
    kind: Kind
    span: Span
    exposed: str | None = None  # what level authors call it; None hides it
    override: bool = False  # saved by the class itself
    setter: bool = False  # a property, set through its setter
    in_property: bool = False  # marked on the method that gets it
    parameter: str = "value"  # what its setter calls the value
    limits: tuple[tuple[str, str], ...] = ()  # ("ge", "0.1")
    was: tuple[str, ...] = ()  # former names, also those that level authors knew
    default: str | None = None  # how a mutable class-level value was written
    always: bool = False  # the class has a value for objects that have none
    in_method: bool = False  # annotated where a method assigns it
    bare_saved: bool = False  # `self.x: Saved[T]`, which pyright rejects
    own: bool = True  # marked in this very class
    member: str = ""  # in the field enumeration
    number: int = 0  # the lock gives it
    doc: str | None = None  # the string below it, for level authors
    has_default: bool = False  # for objects of saves that lack the field
    initial: str = ""  # that default as the registry makes it; "" if the class tells it
    unread_default: str = ""  # what is wrong with the one in its mark


class Record(Homed, frozen=True, array_like=True):
    """A plain class that fields hold, with the kinds of what it holds itself."""

    kind: Kind
    style: str
    frozen: bool
    fields: tuple[tuple[str, Kind, bool], ...]  # name, kind, required
    # What its constructor calls each of them, "" if it takes it not, and whether a new
    # object can do without; nothing if the constructor wants more than that.
    construction: tuple[tuple[str, bool], ...] = ()
    marks: tuple[tuple[Span, tuple[str, ...]], ...] = ()  # place, former names of each
    numbers: tuple[int, ...] = ()  # of each; the lock gives them
    former: tuple[tuple[str, str], ...] = ()  # what a field was called → today's name


class MarkFault(msgspec.Struct, frozen=True, array_like=True):
    """A mark that cannot be read: where, and why."""

    span: Span
    reason: str
    name: str = ""  # the class that it names, if that is found nowhere


class Migration(msgspec.Struct, frozen=True, array_like=True):
    """A function that brings a whole save to a version."""

    function: str  # `module:name`
    to: int
    span: Span
    handles: tuple[str, ...] = ()  # what it says that it brings over: `Purse.gold`


class Converter(msgspec.Struct, frozen=True, array_like=True):
    """A function that turns what older saves hold in a field into what it holds now."""

    function: str  # `module:name`
    cls: str  # `module:qualname`
    field: str
    span: Span


class UnreachableFunction(msgspec.Struct, frozen=True, array_like=True):
    """A migration or a converter that no load could find by its name."""

    word: str
    name: str
    place: str  # where it is instead
    span: Span


class UnsavedMark(msgspec.Struct, frozen=True, array_like=True):
    """A marked field in a class that is neither saveable nor the base of one."""

    qualname: str
    field: str
    span: Span


class BehaviorMark(msgspec.Struct, frozen=True, array_like=True):
    """A method that saves or loads what a behaviour of a Recorder has changed."""

    word: str  # "serializer" or "deserializer"
    method: str  # as Python stores it
    behavior: str  # `Child.Behaviors.GIVE_TOY`; "" if it cannot be read
    span: Span  # of the method's name
    own: bool = True  # written in this very class


class UnknownBase(msgspec.Struct, frozen=True, array_like=True):
    """A base from outside the project that nobody has said how to prepare."""

    name: str
    heir: str  # qualname of the class that inherits from it
    span: Span  # of that class


class PropertyOrigin(msgspec.Struct, frozen=True, array_like=True):
    """A marked field that is a property."""

    field: str
    owner: str  # full name of the class that has the property
    annotation: (
        str  # what lets a load call the setter: `Annotated[int, Save(setter=True)]`
    )


class Forgotten(msgspec.Struct, frozen=True, array_like=True):
    """An attribute that is neither saved nor said to be transient."""

    attribute: str
    owner: str  # qualname of the class that assigns it
    span: Span
    home: Span  # of that class
    transient: tuple[str, ...] = ()  # what that class declares
    in_base: bool = False  # a property of a base from outside keeps it


class Unset(msgspec.Struct, frozen=True, array_like=True):
    """A transient attribute that `__init__` sets, and nothing in an object that a load makes."""

    attribute: str
    owner: str  # qualname of the class that assigns it
    span: Span


class SavedClass(Homed, frozen=True, array_like=True):
    """One class marked `@saveable`, with the fields of its whole chain."""

    span: Span
    mixin: str
    fields: tuple[Field, ...] = ()
    bases: tuple[str, ...] = ()  # full names; `?` or `?.Name` for an unknown one
    mixin_place: int | None = None  # where its own mixin stands among the bases
    ancestors: tuple[str, ...] = ()  # every base in the project, nearest first
    saveable_bases: tuple[str, ...] = ()  # the marked ones of these
    override: bool = False
    hook_inherited: bool = False  # a base is an `override` class
    # Its own methods, class-level attributes.
    members: tuple[tuple[str, Span], ...] = ()
    properties: tuple[str, ...] = ()  # names that stand for one, inherited ones too
    read_only: tuple[str, ...] = ()  # those of them that have no setter
    # Of fields that are properties: the class with the property, and a mark that works.
    property_fields: tuple[PropertyOrigin, ...] = ()
    marked_again: tuple[tuple[str, Span], ...] = ()  # fields with a second mark
    # What prepares a new object, the base-most first: classes, whose `__init__` does, and
    # functions as `module:name`.
    prepared: tuple[str, ...] = ()
    unknown_bases: tuple[UnknownBase, ...] = ()
    forgotten: tuple[Forgotten, ...] = ()
    transient: tuple[str, ...] = ()
    idle_transient: tuple[str, ...] = ()  # those of them that are no state at all
    # Attributes that are not saved and that all new objects have alike, as Python stores them:
    # each with the code that makes its value, "" if the class declares a default.
    unsaved: tuple[tuple[str, str], ...] = ()
    unset: tuple[Unset, ...] = ()
    # Fields that two bases declare with different kinds: each base, and its kind.
    differing: tuple[tuple[str, tuple[str, Kind], tuple[str, Kind]], ...] = ()
    slotted_bases: tuple[str, ...] = ()  # bases with slots that are not empty
    hooks: tuple[tuple[str, str], ...] = ()  # mark and method, those of its bases first
    # What a Recorder does, with the methods that save and load it, inherited ones first.
    behaviors: tuple[tuple[str, str, str], ...] = ()
    recorder: bool = False  # it inherits from Recorder, as far as its bases are known
    behavior_marks: tuple[BehaviorMark, ...] = ()
    named_behaviors: tuple[tuple[str, Span], ...] = ()  # in enumerations of its own
    guarded: bool = False  # its own `__setattr__` or frozen: fields are set around it
    local: bool = False  # inside a function
    was: tuple[str, ...] = ()
    faults: tuple[MarkFault, ...] = ()
    member: str = ""  # in `SaveLoadableType`; the lock gives it
    number: int = 0  # the lock gives it
    doc: str | None = None
    # Numbers of fields, its own and inherited ones, that are gone for good; of the lock.
    retired: tuple[int, ...] = ()
    # Numbers of older saves, and the fields that they stand for today; of the lock.
    former: tuple[tuple[int, int], ...] = ()

    @property
    def wraps(self) -> bool:
        """Whether the mixin offers `save_data_` instead of `save_data`."""
        return self.override or self.hook_inherited


class Part(msgspec.Struct, frozen=True, array_like=True):
    """One component of a prefab, its own or inherited."""

    name: str  # the attribute; code names the component by it
    cls: str  # `module:qualname` of the saveable class
    owner: str  # `module:qualname` of the base-most class that declares it
    span: Span
    settings: tuple[str, ...] = ()  # the fields that `.set(…)` names
    # What level authors see under another name, or (None) not at all, by `.show(…)`.
    shown: tuple[tuple[str, str | None], ...] = ()
    was: tuple[str, ...] = ()
    own: bool = True  # declared, or replaced, in this very class
    number: int = 0  # the lock gives it


class Prefab(Homed, frozen=True, array_like=True):
    """One class marked `@prefab`, or `@saveable(prefab=True)`, with all its parts."""

    span: Span
    parts: tuple[Part, ...] = ()  # those of the base-most class first
    doc: str | None = None
    max_count: int | None = None  # how many of it a level may place
    was: tuple[str, ...] = ()
    ancestors: tuple[str, ...] = ()  # every base in the project, nearest first
    bases: tuple[str, ...] = ()  # those of them that are prefabs: it is a variant
    is_class: bool = False  # a saveable class, and itself its only part
    local: bool = False  # inside a function
    faults: tuple[MarkFault, ...] = ()
    # Attributes that hold a component itself instead of a part.
    bare: tuple[tuple[str, Span], ...] = ()
    member: str = ""  # in `PrefabType`
    number: int = 0  # the lock gives it


class SavedModule(msgspec.Struct, frozen=True, array_like=True):
    """The saveable classes of one source file, and the plain classes that they hold."""

    name: str
    path: str
    classes: tuple[SavedClass, ...] = ()
    records: tuple[Record, ...] = ()  # every one that is reached, by name
    enums: tuple[tuple[str, tuple[str, ...]], ...] = ()  # by name, with their members
    refused: bool = False  # some field leads to a type that cannot be saved
    unsaved: tuple[UnsavedMark, ...] = ()
    asked: tuple[str, ...] = ()  # other modules that it depends on, there or not
    prefabs: tuple[Prefab, ...] = ()
    # Classes that declare parts and are no prefabs themselves.
    loose: tuple[tuple[str, Span], ...] = ()  # qualname, where
    migrations: tuple[Migration, ...] = ()
    converters: tuple[Converter, ...] = ()
    unreachable: tuple[UnreachableFunction, ...] = ()
    unread: tuple[MarkFault, ...] = ()  # marks of such functions


class Model:
    """All modules that hold something marked, by name, sorted by path."""

    def __init__(
        self,
        modules: Iterable[SavedModule],
        prefab_types: tuple[tuple[str, int], ...] = (),
        save_version: int = 0,
        retired: tuple[int, ...] = (),
    ) -> None:
        """`save_version` is what the project says; all else but the modules is of the lock."""
        self.modules = {m.name: m for m in sorted(modules, key=lambda m: m.path)}
        self.prefab_types = prefab_types  # the members of `PrefabType`
        self.save_version = save_version
        self.retired = retired  # classes and prefabs that are gone for good
        self._classes: dict[str, SavedClass] = {}  # by name, once one is asked for

    def class_named(self, name: str) -> SavedClass | None:
        """Return a saveable class by its `module:qualname`."""
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
        """The migrations by the version that they lead to."""
        found = (each for m in self.modules.values() for each in m.migrations)
        return sorted(found, key=lambda each: (each.to, each.span))

    @property
    def converters(self) -> Iterator[Converter]:
        for module in self.modules.values():
            yield from module.converters

    def converted(self, cls: SavedClass) -> Iterator[tuple[Field, Converter]]:
        """Yield each field of a class that has a converter: the nearest class's counts."""
        known = {(each.cls, each.field): each for each in self.converters}
        for field in cls.fields if known else ():
            for name in (cls.name, *cls.ancestors):
                if found := known.get((name, field.name)):
                    yield field, found
                    break


_NOWHERE = Span("")


def checked(module: SavedModule) -> SavedModule:
    """Return a module without what only the rules of one module ask for."""
    classes = tuple(_checked(cls) for cls in module.classes)
    return replace(module, classes=classes, unreachable=(), unread=())


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
        idle_transient=(),
        differing=(),
        faults=(),
        behavior_marks=(),
        named_behaviors=(),
    )


def essence(module: SavedModule) -> SavedModule:
    """Return what pass 1 makes of a module: places, numbers and prefabs left out."""
    return replace(
        module,
        classes=tuple(_essence(cls) for cls in module.classes),
        records=tuple(
            replace(
                record, construction=(), marks=_marks(record), numbers=(), former=()
            )
            for record in module.records
        ),
        unsaved=(),
        asked=(),
        prefabs=(),
        loose=(),
        migrations=tuple(replace(each, span=_NOWHERE) for each in module.migrations),
        converters=tuple(replace(each, span=_NOWHERE) for each in module.converters),
        unreachable=(),
        unread=(),
    )


def _marks(record: Record) -> tuple[tuple[Span, tuple[str, ...]], ...]:
    return tuple((_NOWHERE, was) for _, was in record.marks)


def _essence(cls: SavedClass) -> SavedClass:
    fields = tuple(replace(f, span=_NOWHERE, number=0, doc=None) for f in cls.fields)
    bare = replace(_checked(cls), span=_NOWHERE, fields=fields, unset=())
    return replace(bare, number=0, member="", doc=None, retired=(), former=())


def renumbered(module: SavedModule, like: SavedModule) -> SavedModule:
    """Return a module with the numbers of another one that has the same essence."""
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
    """Return a kind as its type is written, every class by its simple name.

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
    """Yield every kind that a field leads to, with its path: through plain classes too.

    The one walk for rules: it does not forget the reference in a list in a record.
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
    """Return what two names share that nobody should have to tell apart.

    >>> folded("Orc") == folded("ORC"), folded("Orc") == folded("Orca")
    (True, False)
    """
    return unicodedata.normalize("NFKC", name).casefold()


def part_name(class_name: str) -> str:
    """Return what the only part of a class that is a prefab by itself is called.

    >>> part_name("Cave.GoldCoin")
    'gold_coin'
    """
    return upper_snake(class_name.rpartition(".")[2]).lower()


def upper_snake(name: str) -> str:
    """Return the name of a class as a constant.

    >>> upper_snake("CameraArea"), upper_snake("HUDText"), upper_snake("_Goblin2")
    ('CAMERA_AREA', 'HUD_TEXT', 'GOBLIN2')
    """
    letters: list[str] = []
    for place, letter in enumerate(name):
        after = name[place + 1 : place + 2]
        before = name[place - 1 : place]
        if letter.isupper() and before and (not before.isupper() or after.islower()):
            letters.append("_")
        letters.append(letter)
    snake = "".join(letters).upper().strip("_")
    while "__" in snake:
        snake = snake.replace("__", "_")
    return snake if snake.isidentifier() else f"N{snake}"
