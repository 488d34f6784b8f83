"""A world at one moment: plain data, in which an object stands for itself."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Any, NamedTuple, TypeAlias

import msgspec

from savegen.runtime import plain
from savegen.runtime.digest import digest
from savegen.runtime.errors import SaveError
from savegen.runtime.generators import Renewed, is_generator
from savegen.runtime.keys import SaveLoadKey, SlotKey
from savegen.runtime.objects import (
    OBJECT,
    GameObject,
    SlotMapReference,
    components_in,
    retired_in,
)
from savegen.runtime.recorder import Recording
from savegen.runtime.registry import ClassEntry
from savegen.runtime.slots import EMPTY, SlotIndices
from savegen.runtime.world import Aside, World

Resolve: TypeAlias = Callable[[Any], Any]


class Lack(NamedTuple):
    """A field that an old save does not have: each object takes its default, or keeps its own."""

    number: int
    places: frozenset[int] | None = None  # of the objects; `None` if it is all of them

    def is_at(self, place: int) -> bool:
        return self.places is None or place in self.places

    def chosen(self, places: list[int]) -> Lack:
        """Return the same for a table of some of the objects."""
        if self.places is None:
            return self
        known = self.places
        return Lack(
            self.number,
            frozenset(new for new, place in enumerate(places) if place in known),
        )


class Table(msgspec.Struct, eq=False):
    """The objects of one class: those of the world first, then those only referred to.

    What they hold is in `rows`, one flat list; or, for a class that saves itself or has
    objects with attributes that are not set, in `data`, one dict an object.
    """

    entry: ClassEntry
    objects: list[Any] = []
    rows: list[Any] | None = None
    data: list[dict[int, Any]] | None = None
    recordings: list[Recording] | None = None
    lacks: dict[int, Lack] = {}  # of a table from an old save, by place in a row
    # Of one from a save: the objects hold it already, no row does.
    is_filled: bool = False

    @property
    def width(self) -> int:
        return len(self.entry.rows.checks) if self.entry.rows else 0

    def row(self, place: int) -> list[Any]:
        assert self.rows is not None
        return self.rows[place * self.width : (place + 1) * self.width]

    def reach(self) -> Iterator[Any]:
        """Yield every object that the table refers to, keys left out."""
        functions = self.entry.rows
        if self.rows is not None and functions and functions.reach:
            yield from functions.reach(self.rows)
        for recording in self.recordings or ():
            yield from recording.reach()

    def relinked(
        self, stand_ins: dict[int, Any], renewed: Renewed | None = None
    ) -> Table:
        """Return the table with others in place of some objects.

        `renewed` gives others in place of random generators.
        """

        if renewed is None:
            resolve: Resolve = _stand_in_of(stand_ins)
        else:
            resolve = _renewing(renewed, _stand_in_of(stand_ins))
        return Table(
            self.entry,
            [stand_ins.get(id(each), each) for each in self.objects],
            self._relinked_rows(stand_ins, resolve, renewed is not None),
            self._renewed_data(renewed),
            self.recordings and [each.relink(resolve) for each in self.recordings],
            self.lacks,
        )

    def _relinked_rows(
        self, stand_ins: dict[int, Any], resolve: Resolve, renews: bool
    ) -> list[Any] | None:
        rows, functions = self.rows, self.entry.rows
        if rows is None or functions is None:
            return rows
        if functions.relink is None or functions.reach is None:
            return rows
        if not (renews and functions.shares_state):
            if stand_ins.keys().isdisjoint(map(id, functions.reach(rows))):
                return rows
        return functions.relink(rows, resolve)

    def _renewed_data(self, renewed: Renewed | None) -> list[dict[int, Any]] | None:
        if renewed is None or self.data is None:
            return self.data
        return [plain.renewed(each, renewed) for each in self.data]


def _stand_in_of(stand_ins: dict[int, Any]) -> Resolve:
    return lambda token: stand_ins.get(id(token), token)


def _renewing(renewed: Renewed, resolve: Resolve) -> Resolve:
    return lambda token: renewed(token) if is_generator(token) else resolve(token)


class Change(NamedTuple):
    """One component that is not what it was."""

    what: str  # "added", "removed" or "changed"
    component: Any
    fields: tuple[str, ...] = ()  # of a changed one, those that differ


class Snapshot:
    """What `create_snapshot` returns: nothing that happens later changes it.

    It is bound to the manager that made it, and keeps the objects in it alive.

    >>> from savegen.runtime import SaveLoadManager
    >>> from savegen.runtime.registry import FORMAT, Registry
    >>> manager = SaveLoadManager(Registry(FORMAT, ()))
    >>> before = manager.create_snapshot()
    >>> camp = manager.add(GameObject())
    >>> after = manager.create_snapshot()
    >>> [change.what for change in after.changes(since=before)]
    ['added']
    >>> len(before), len(after), before.digest() == after.digest()
    (0, 1, False)
    """

    def __init__(
        self,
        world: World,
        records: list[SlotMapReference],
        indices: SlotIndices,
        tables: dict[type, Table],
        states: dict[str, Any],
        tombstones: dict[str, str | None],
        outside: dict[int, tuple[Any, SaveLoadKey]],
        covers: Callable[[SlotMapReference], bool] | None,
        dangling: int,
        met: dict[SlotKey, Any],
        is_closed: bool = False,
        version: int = -1,
        aside: Aside | None = None,
        is_fresh: bool = False,
        destroyed: Collection[str] = (),
    ) -> None:
        self.world = world
        self.version = version  # of the world, if it was looked at
        self.departures = world.departures  # how many had left before
        self.records = records
        self.indices = indices
        self.tables = tables
        self.states = states
        self.tombstones = tombstones
        # Of a partial snapshot: what it refers to and does not hold.
        self.outside = outside
        self.covers = covers
        # Of a partial one: all that was destroyed before, as no filter can tell what that was.
        self.destroyed = destroyed
        self.dangling = dangling  # references to destroyed objects, saved as None
        self.met = met  # what has a key though it was never added
        # Known to refer to nothing beside what was added.
        self.is_closed = is_closed
        self.aside = aside  # what the game does not know of it
        # Read from a file, and not applied yet: its objects are new, and wait for their lives.
        self.is_fresh = is_fresh
        # Of a partial one: the keys that objects were given since, theirs being taken.
        self.moved: dict[SlotKey, SlotKey] = {}
        self._digest: str | None = None
        self._places: dict[int, tuple[Table, int]] | None = None
        self._adopted: set[int] | None = None
        self._by_key: dict[SlotKey, Any] | None = None

    @property
    def is_of_today(self) -> bool:
        """Whether it is known that the very same objects are there, in the same order."""
        return self.version == self.world.version

    def knows_destroyed(self, placement: str) -> bool:
        """Tell whether what is placed so was destroyed then."""
        return placement in self.tombstones or placement in self.destroyed

    def covers_now(self, record: SlotMapReference) -> bool:
        """Tell whether an object of today that is not in the snapshot would have been in it.

        One that was alive then was left out on purpose.
        """
        slot, generation = record.key
        indices = self.indices
        was_alive = (
            slot < len(indices.places)
            and indices.places[slot] != EMPTY
            and indices.generations[slot] == generation
        )
        covers = self.covers is None or self.covers(record)
        return covers and not was_alive

    @property
    def places(self) -> dict[int, tuple[Table, int]]:
        """Where each object of the snapshot is, by `id`: its table, and its place there."""
        if self._places is None:
            self._places = {
                id(each): (table, place)
                for table in self.tables.values()
                for place, each in enumerate(table.objects)
            }
        return self._places

    @property
    def adopted(self) -> set[int]:
        """The `id` of every object that was only referred to."""
        if self._adopted is None:
            added = [record.object for record in self.records]
            parts = (part for thing in added for _, part in self.numbered(thing))
            inside = {*map(id, added), *map(id, parts)}
            self._adopted = self.places.keys() - inside
        return self._adopted

    def at(self, key: SaveLoadKey) -> Any:
        """Return what a key named; `None` if it is not in the snapshot."""
        if self._by_key is None:
            added = {record.key: record.object for record in self.records}
            self._by_key = {**self.met, **added}
        thing = self._by_key.get(key.object)
        is_met = key.object.index < 0
        if is_met or key.component == OBJECT or not isinstance(thing, GameObject):
            return thing
        return dict(self.numbered(thing)).get(key.component)

    def numbered(self, thing: Any) -> tuple[tuple[int, Any], ...]:
        """Return the components that an object had, with their numbers."""
        if not isinstance(thing, GameObject):
            return ()
        table, place = self.places[id(thing)]
        return components_in(table.row(place))

    def retired(self, thing: GameObject) -> tuple[int, ...]:
        """Return the numbers of the components that an object had lost."""
        table, place = self.places[id(thing)]
        return retired_in(table.row(place))

    def __len__(self) -> int:
        """Return how many objects there were, those only referred to included."""
        inner = sum(len(self.numbered(record.object)) for record in self.records)
        return sum(len(table.objects) for table in self.tables.values()) - inner

    def digest(self) -> str:
        """Return a text that two snapshots share if, and only if, they hold the same.

        It does not depend on the process: types, names, keys, numbers and values are in it,
        floats to the last bit, sets in no order.
        """
        if self._digest is None:
            self._digest = digest(self)
        return self._digest

    def changes(self, since: Snapshot) -> list[Change]:
        """Return every component that differs from what it was in `since`, exactly.

        Raises `SaveError` if that is a snapshot of another manager.
        """
        return [*_changes(since, self)]

    def placed(self) -> dict[str, bool]:
        """Return the placement ids that levels gave, and whether each object was alive."""
        alive = {r.placement: True for r in self.records if r.placement is not None}
        return {**dict.fromkeys(self.tombstones, False), **alive}


# -- changes


def _changes(before: Snapshot, after: Snapshot) -> Iterator[Change]:
    if before.world is not after.world:
        raise SaveError("the two snapshots are of two managers")
    stand_ins = successors(before, after)
    keys_before, keys_after = _keys(before, stand_ins), _keys(after, {})
    for cls in {**before.tables, **after.tables}:
        old, new = before.tables.get(cls), after.tables.get(cls)
        if old is not None:
            old = old.relinked(stand_ins)
        places = {id(each): n for n, each in enumerate(old.objects)} if old else {}
        for place, component in enumerate(new.objects if new else ()):
            was = None
            if keys_before.get(id(component)) == keys_after.get(id(component)):
                was = places.pop(id(component), None)
            if was is None or old is None or new is None:
                yield Change("added", component)
            elif fields := differing_fields(old, was, new, place):
                yield Change("changed", component, fields)
        for place in places.values():
            assert old is not None
            yield Change("removed", old.objects[place])


def _keys(snapshot: Snapshot, stand_ins: dict[int, Any]) -> dict[int, SaveLoadKey]:
    """Return the keys of what was added, by the `id` of what stands for it."""
    found: dict[int, SaveLoadKey] = {}
    for record in snapshot.records:
        thing = stand_ins.get(id(record.object), record.object)
        found[id(thing)] = SaveLoadKey(record.key, OBJECT)
        for number, part in snapshot.numbered(record.object):
            part = stand_ins.get(id(part), part)
            found[id(part)] = SaveLoadKey(record.key, number)
    return found


def differing_fields(
    old: Table, was: int, new: Table, place: int, objects: bool = True
) -> tuple[str, ...]:
    """Return the fields of one object that differ in two tables.

    With `objects=False` fields that refer to objects are passed over.
    """
    found: list[str] = []
    if old.rows is not None and new.rows is not None and new.entry.rows:
        cells = zip(new.entry.rows.checks.items(), old.row(was), new.row(place))
        found += [
            name
            for (name, check), left, right in cells
            if left is not right
            and (objects or not check.refers)
            and not check.same(left, right)
        ]
    elif objects or (old.entry.rows is None and new.entry.rows is None):
        found += _differing_data(_data(old, was), _data(new, place), new.entry)
    if objects and old.recordings and new.recordings:
        if not old.recordings[was].same(new.recordings[place]):
            found.append("what it recorded")
    return tuple(found)


def _differing_data(
    left: dict[int, Any], right: dict[int, Any], entry: ClassEntry
) -> Iterator[str]:
    names = {int(n): text for text, n in entry.mixin.save_load_field_names.items()}
    for number in {**left, **right}:
        if number not in left or number not in right:
            yield names.get(number, str(number))
        elif not plain.same(left[number], right[number]):
            yield names.get(number, str(number))


def _data(table: Table, place: int) -> dict[int, Any]:
    """Return what one object holds, by number, whichever way the table has it."""
    if table.data is not None:
        return table.data[place]
    if table.rows is None or not table.entry.rows:
        return {}
    numbers = map(int, table.entry.mixin.save_load_field_names.values())
    return dict(zip(numbers, table.row(place), strict=True))


def successors(before: Snapshot, after: Snapshot) -> dict[int, Any]:
    """Return, by `id`, what stands in `after` for objects that were made anew in between."""
    now = {record.key: record.object for record in after.records}
    stand_ins: dict[int, Any] = {}
    for record in before.records:
        found = now.get(record.key)
        if found is None or (found is record.object and type(found) is not GameObject):
            continue
        met = pairs(record.object, before, found, after)
        stand_ins |= {id(old): new for old, new in met if old is not new}
    return stand_ins


def pairs(
    old: Any, before: Snapshot, new: Any, after: Snapshot
) -> Iterator[tuple[Any, Any]]:
    """Yield an object and its components with those that took their places."""
    yield old, new
    numbered = dict(after.numbered(new))
    for number, component in before.numbered(old):
        if number in numbered:
            yield component, numbered[number]
