"""The objects of a save: which of them the game can make, and which are in its world."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cached_property
from itertools import chain, repeat
from typing import Any, NamedTuple

import msgspec

from savegen.runtime.errors import SaveCorruptError, SaveError, told
from savegen.runtime.keys import SaveLoadKey, SlotKey
from savegen.runtime.objects import GAME_OBJECT, OBJECT, GameObject, blank_objects
from savegen.runtime.registry import ClassEntry, Registry
from savegen.runtime.saves.world.attic import Absent
from savegen.runtime.saves.document import (
    FIRST_FIELD,
    GAME_OBJECTS,
    RECORDS,
    REMOVED,
    SYSTEM,
    Column,
    Document,
    Table,
    known_by,
)
from savegen.runtime.saves.wire.forms import to_plain

COMPONENTS = FIRST_FIELD + [*(GAME_OBJECT.rows or ()).checks].index("components")  # type: ignore[union-attr]


class Group(msgspec.Struct, eq=False):
    """The objects of one table."""

    table: Table
    first: int  # number of an object
    entry: ClassEntry | None  # `None` of a class that the game does not know
    objects: list[Any]

    @property
    def numbers(self) -> range:
        return range(self.first, self.first + self.table.count)


class Records(NamedTuple):
    """The records as they were saved, column by column."""

    objects: list[int]
    indices: list[int]
    generations: list[int]
    prefabs: list[int | None]
    placements: list[str | None]
    levels: list[str | None]


class Members:
    """All objects of a document, by number; those that the game knows are new and blank."""

    def __init__(
        self, document: Document, registry: Registry, prefabs: Collection[Any]
    ) -> None:
        check_tables(document)
        self._document = document
        self._registry = registry
        self._prefabs = prefabs
        self.groups = [*self._grouped()]
        self.objects: list[Any] = [*chain.from_iterable(g.objects for g in self.groups)]
        self.parts = self._parts()
        self.records = self._records()
        # Numbers of what is not in the world: of unknown classes, or part of what is unknown.
        self.absent: set[int] = set()
        self.dropped: set[int] = set()  # of these, what is gone for good
        for group in self.groups:
            if group.entry is None:
                self.absent.update(group.numbers)
                if group.table.number in (REMOVED, *registry.retired):
                    self.dropped.update(group.numbers)
        self._look_for_prefabs()
        self._met: dict[int, SlotKey] = {}

    # -- objects

    def _grouped(self) -> Iterator[Group]:
        first = 0
        for table in self._document.classes:
            entry = self._entry(table.number)
            objects = (
                [Absent() for _ in range(table.count)]
                if entry is None
                else _blank(entry, table.count)
            )
            yield Group(table, first, entry, objects)
            first += table.count

    def _entry(self, number: int) -> ClassEntry | None:
        if number == GAME_OBJECTS:
            return GAME_OBJECT
        return self._registry[number] if number in self._registry else None

    def at(self, number: Any) -> Any:
        """Return the object of a number. Raises `SaveCorruptError` if there is none."""
        if type(number) is not int or not 0 <= number < len(self.objects):
            raise SaveCorruptError(f"the save has no object {number!r}")
        return self.objects[number]

    # -- records

    def _records(self) -> Records:
        table = self._document.table(RECORDS)
        columns = table.all_values()
        objects, indices, generations, prefabs, placements, levels = columns
        for column in (objects, indices, generations, prefabs):
            whole(column)
        numbers = (objects, indices, generations, prefabs)
        found = Records(*numbers, texts(placements), texts(levels))
        self._check_used(found.objects)
        placed = [each for each in found.placements if each is not None]
        if len({*placed}) < len(placed):
            raise SaveCorruptError("two objects are placed at one place")
        return found

    def _check_used(self, numbers: list[int]) -> None:
        if not self.parts and numbers == [*range(len(self.objects))]:
            return  # each of them stands alone in the world
        used = {*numbers}
        parts = (part for each in self.parts.values() for _, part in each)
        if (
            None in used
            or used
            and max(used) >= len(self.objects)
            or min(used, default=0) < 0
        ):
            raise SaveCorruptError("the world has an object that the save has not")
        if len(used) < len(numbers) or not used.isdisjoint(parts):
            raise SaveCorruptError("an object is in the world twice")

    def _parts(self) -> dict[int, list[tuple[int, int]]]:
        """Return the components of each `GameObject`, with their numbers, by its number."""
        found: dict[int, list[tuple[int, int]]] = {}
        for group in self.groups:
            columns = [column.number for column in group.table.columns]
            if group.entry is not GAME_OBJECT or COMPONENTS not in columns:
                continue
            place = columns.index(COMPONENTS)
            if group.table.columns[place].form != ["tuple", ["places", "int", "ref"]]:
                raise SaveCorruptError("the components of objects are none")
            values = group.table.values(place)
            for number, cells in zip(group.numbers, values, strict=True):
                found[number] = [*map(tuple, cells)]
        whole([number for parts in found.values() for number, _ in parts])
        self._check_parts(found)
        return found

    def _check_parts(self, parts: dict[int, list[tuple[int, int]]]) -> None:
        used: set[int] = set()
        for found in parts.values():
            for _, part in found:
                if isinstance(self.at(part), GameObject) or part in used:
                    raise SaveCorruptError("a component is of no object, or of two")
                used.add(part)

    def _look_for_prefabs(self) -> None:
        """Leave out what is built from a prefab that the game does not know."""
        prefabs = self.records.prefabs
        unknown = {each for each in {*prefabs} if each not in self._prefabs} - {None}
        for number, prefab in zip(self.records.objects, prefabs) if unknown else ():
            if prefab in unknown:
                numbers = [number, *(n for _, n in self.parts.get(number, ()))]
                self.absent.update(numbers)
                if prefab in self._registry.retired:
                    self.dropped.update(numbers)

    @cached_property
    def are_themselves(self) -> bool:
        """Whether nothing of today's world, and nothing that is built, stands for an object."""
        return {*self.records.prefabs, *self.records.placements} <= {None}

    # -- keys

    @property
    def met(self) -> dict[SlotKey, Any]:
        """The keys of what is only referred to, as far as anybody has asked for them."""
        return {key: self.objects[number] for number, key in self._met.items()}

    def key_of(self, number: int) -> SaveLoadKey | None:
        """Return the key of an object; `None` if it is not in the game's world."""
        self.at(number)
        if number in self.absent:
            return None
        if number in self._keys:
            return self._keys[number]
        key = self._met.setdefault(number, SlotKey(-len(self._met) - 1, 1))
        return SaveLoadKey(key, 0)

    @property
    def _keys(self) -> dict[int, SaveLoadKey]:
        if self._known is None:
            self._known = {}
            objects, *slots = self.records[:3]
            for number, *slot in zip(objects, *slots, strict=True):
                self._note(number, SlotKey(*slot))
        return self._known

    _known: dict[int, SaveLoadKey] | None = None

    def _note(self, number: int, key: SlotKey) -> None:
        assert self._known is not None
        is_group = isinstance(self.objects[number], GameObject)
        self._known[number] = SaveLoadKey(key, OBJECT if is_group else 0)
        for place, part in self.parts.get(number, ()):
            self._known[part] = SaveLoadKey(key, place)


def check_tables(document: Document) -> None:
    """Raise `SaveCorruptError` if a table that every save has is another one in this."""
    numbers = [table.number for table in document.tables]
    if len({*numbers}) < len(numbers):
        raise SaveCorruptError("there are two tables of one number")
    for table in document.tables:
        own = known_by(SYSTEM.get(table.number, ()))
        if not table.is_of_class and known_by(table.columns) != own:
            raise SaveCorruptError(f"the save has a table {table.number} that none has")


def whole(values: list[Any]) -> list[Any]:
    """Return numbers, or `None`. Raises `SaveCorruptError` for those that no save has."""
    if not {*map(type, values)} <= {int, type(None)}:
        raise SaveCorruptError("a number of the save is none, or far too large")
    return values


def texts(values: list[Any]) -> list[Any]:
    """Return texts, or `None`, as Python has them."""
    if {*map(type, values)} <= {str, type(None)}:
        return values
    return to_plain(["optional", "str"], {}, values, natural=True)


def _blank(entry: ClassEntry, count: int) -> list[Any]:
    """Make objects of a class without running its `__init__`."""
    if entry is GAME_OBJECT:
        return blank_objects(count)
    cls: Any = entry.load_class()
    if entry.prepared:
        return [entry.blank(cls) for _ in range(count)]
    try:
        return [*map(cls.__new__, repeat(cls, count))]
    except Exception as error:
        raise SaveError(
            f"a `{cls.__qualname__}` cannot be made: `__new__` raised {told(error)}"
        ) from error
