"""`Table`, the rows of one class, and `SnapshotData`, what a snapshot consists of."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Set
from typing import Any, NamedTuple

import msgspec

from savegen.runtime.generated.entries import ClassEntry
from savegen.runtime.generated.registry import Registry
from savegen.runtime.reports import LostValue
from savegen.runtime.values.folds import ClassOf, Mismatch, Typed, keys_of, mismatch_in
from savegen.runtime.values.basics.keys import in_key_order
from savegen.runtime.values.rows import UNSET, Key, Row
from savegen.runtime.values.stored import StoredType
from savegen.runtime.values.values import Values
from savegen.runtime.world.placements import Placement
from savegen.runtime.world.slots import SlotState
from savegen.runtime.world.world import World


class Recording(NamedTuple):
    """The dirty behaviours of one `Recorder`, and the recorded values by id."""

    dirty: tuple[str, ...]
    values: dict[str, Typed]

    def with_others_of(self, preserved: Recording) -> Recording:
        """Return this recording with the behaviours and values that only another one has."""
        dirty = dict.fromkeys([*self.dirty, *preserved.dirty])
        return Recording((*dirty,), {**preserved.values, **self.values})


class Table(msgspec.Struct, eq=False):
    """The rows of one class, in key order."""

    entry: ClassEntry
    keys: list[Key] = []
    rows: list[Row] = []
    # By position, then cell: values that are not of the type of their field, attributes that are
    # not set, and fields that get their default. The cell in the row is `UNSET`.
    extras: dict[int, dict[str, Typed]] = {}
    # By position; an object that is missing here has no dirty behaviour.
    recordings: dict[int, Recording] = {}

    @property
    def number(self) -> int:
        """The stable number of the class."""
        return self.entry.number

    def lost_value(
        self, key: Key, field: str, reason: str, registry: Registry, path: str = ""
    ) -> LostValue:
        """Return the report of a value that is lost; `field` is its cell or behaviour."""
        stored = self.entry.stored_by_cell.get(field)
        declared = registry.annotation(stored) if stored else ""
        name = self.entry.names_by_cell.get(field, field)
        return LostValue(key, self.entry.display_name, name, reason, declared, path)

    def mismatches(
        self, values: Values, class_of: ClassOf
    ) -> Iterator[tuple[int, str, Mismatch]]:
        """Yield the position, cell and first mismatch of each extra that reports name.

        `values` has the classes of values of the game.
        """
        types = self.entry.stored_by_cell
        for place, cells in self.extras.items():
            for cell, typed in cells.items():
                if found := mismatch_in(types[cell], typed, values, class_of):
                    yield place, cell, found

    def typed_values(self) -> Iterator[tuple[int, Typed]]:
        """Yield the extras and the recorded values, each with the position of its row."""
        for place, cells in self.extras.items():
            for value in cells.values():
                yield place, value
        for place, recording in self.recordings.items():
            for value in recording.values.values():
                yield place, value

    def ordered(
        self, in_order: Callable[[Iterable[Key]], list[Key]] = in_key_order
    ) -> Table:
        """Return the table with its rows in another order, which a function for keys defines."""
        keys = in_order(self.keys)
        if keys == self.keys:
            return self
        place_of = {key: place for place, key in enumerate(self.keys)}
        return self.chosen([*map(place_of.__getitem__, keys)])

    def chosen(self, places: list[int]) -> Table:
        """Return a table of the rows at some positions, in the given order."""
        return Table(
            self.entry,
            [self.keys[n] for n in places],
            [self.rows[n] for n in places],
            _chosen(self.extras, places),
            _chosen(self.recordings, places),
        )


def _chosen(by_place: dict[int, Any], places: list[int]) -> dict[int, Any]:
    if not by_place:
        return {}
    return {new: by_place[old] for new, old in enumerate(places) if old in by_place}


def cells_with(
    keys: Set[Key], entry: ClassEntry, row: Row
) -> Iterator[tuple[str, StoredType, Any]]:
    """Yield the name, the type and the content of each cell of a row that has one of the keys."""
    for cell, stored in entry.reference_fields.items():
        value = getattr(row, cell)
        if value is not UNSET and not keys.isdisjoint(keys_of(stored, value)):
            yield cell, stored, value


class Covers(msgspec.Struct, array_like=True, frozen=True):
    """What a partial snapshot covers; exactly one of the three is not `None`."""

    # The numbers of classes: objects of them, and game objects with a component of them.
    classes: tuple[int, ...] | None = None
    level: str | None = None  # the objects that a level placed
    # The objects in a list, or chosen by a function.
    keys: tuple[Key, ...] | None = None


class SnapshotData(msgspec.Struct, eq=False, kw_only=True):
    """The data of a snapshot."""

    tables: dict[int, Table] = {}  # by class number, ascending
    placements: dict[Key, Placement] = {}
    slots: SlotState = SlotState((), ())
    next_reached: int = 1  # the next reached object gets the negative of it as its key
    generators: dict[int, Any] = {}  # states by key
    states: dict[str, Typed] = {}  # by name
    # Placement ids of destroyed objects, with the names of their levels. A partial snapshot by
    # class has all of them, one by level those of the level.
    tombstones: dict[str, str | None] = {}
    dangling: int = 0  # references to destroyed objects, saved as None
    dangling_cells: Collection[tuple[Key, str]] = ()  # the key and the cell of each
    lost: tuple[LostValue, ...] = ()
    # Fields whose numpy numbers and texts were converted to Python's: `Hero.hp (int64)`.
    numpy: tuple[str, ...] = ()
    # Classes that the build did not see, and the base as which each is saved: `Orc as Enemy`.
    as_base: tuple[str, ...] = ()
    # By class number: why objects that a load makes could not be hashed.
    unhashable: dict[int, str] = {}
    # Data of another version of the game that this version does not know.
    preserved: Any = None
    covers: Covers | None = None  # `None` for a snapshot of a whole world
    # In a partial snapshot that was applied to a world of another lineage: the keys there.
    moved: dict[Key, Key] = {}
    lineage: str = ""  # of the world; see there
    # The world that the keys belong to; `None` for a snapshot that was read from a file.
    world: World | None = None
    # In a step of a `History`: the keys of the objects that a rewind leaves alone.
    unrewound: frozenset[Key] | None = None
    restarts: int = 0  # of the world when it took the snapshot
    report: Any = None  # fields of the `LoadReport` that come from reading a file

    def items(self) -> Iterator[tuple[Table, int, Key, Row]]:
        """Yield the table, position, key and row of each object and component."""
        for table in self.tables.values():
            for place, (key, row) in enumerate(zip(table.keys, table.rows)):
                yield table, place, key, row
