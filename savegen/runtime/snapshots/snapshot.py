"""`Snapshot`, the state of a world as rows of plain data, and the types of its parts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from savegen.runtime.errors import SaveError, wrong_argument
from savegen.runtime.world.objects import GAME_OBJECT
from savegen.runtime.generated.entries import ClassEntry
from savegen.runtime.values.keys import in_key_order
from savegen.runtime.generated.registry import Registry
from savegen.runtime.reports import LostValue as LostValue
from savegen.runtime.values.rows import Key, Row
from savegen.runtime.world.slots import SlotState

if TYPE_CHECKING:
    from savegen.runtime.world.world import World


class Recording(NamedTuple):
    """The dirty behaviours of one `Recorder`, and the recorded values by id, as tagged values."""

    dirty: tuple[str, ...]
    values: dict[str, Any]

    def with_others_of(self, preserved: Recording) -> Recording:
        """Return this recording with the behaviours and values that only another one has."""
        dirty = dict.fromkeys([*self.dirty, *preserved.dirty])
        return Recording((*dirty,), {**preserved.values, **self.values})


class Table(msgspec.Struct, eq=False):
    """The rows of one class, in key order."""

    entry: ClassEntry
    keys: list[Key] = []
    rows: list[Row] = []
    # By position, then cell: tagged values that do not fit their stored type. The cell in the
    # row is `UNSET`.
    mismatches: dict[int, dict[str, Any]] = {}
    # By position; an object that is missing here has no dirty behaviour.
    recordings: dict[int, Recording] = {}
    # By position: the cells that an older save lacks. Their fields get the default.
    missing: dict[int, frozenset[str]] = {}

    @property
    def number(self) -> int:
        """The stable number of the class."""
        return self.entry.number

    def lost_value(
        self, key: Key, field: str, reason: str, registry: Registry
    ) -> LostValue:
        """Return the report of a value that is lost; `field` is its cell or behaviour."""
        stored = self.entry.stored_by_cell.get(field)
        declared = registry.annotation(stored) if stored else ""
        return LostValue(key, self.entry.display_name, field, reason, declared)

    def tagged_values(self) -> Iterator[tuple[int, Any]]:
        """Yield the mismatches and the recorded values, each with the position of its row."""
        for place, cells in self.mismatches.items():
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
            _chosen(self.mismatches, places),
            _chosen(self.recordings, places),
            _chosen(self.missing, places),
        )


def _chosen(by_place: dict[int, Any], places: list[int]) -> dict[int, Any]:
    if not by_place:
        return {}
    return {new: by_place[old] for new, old in enumerate(places) if old in by_place}


Tile = tuple[float, float, float, float]
"""The x, y, width and height of a rectangle in a level."""


class Placement(msgspec.Struct, array_like=True, gc=False, frozen=True):
    """The prefab, placement id, level and tile of an object that a prefab or a level created."""

    prefab: int | None = None
    placement: str | None = None  # the placement id
    level: str | None = None
    tile: Tile | None = None  # the rectangle in the level that it was placed for


class Covers(msgspec.Struct, array_like=True, frozen=True):
    """What a partial snapshot covers; exactly one of the three is not `None`."""

    # The numbers of classes: objects of them, and game objects with a component of them.
    classes: tuple[int, ...] | None = None
    level: str | None = None  # the objects that a level placed
    keys: tuple[Key, ...] | None = (
        None  # the objects in a list, or chosen by a function
    )


class Change(NamedTuple):
    """One component that differs between two snapshots."""

    what: str  # "added", "removed" or "changed"
    component: Any  # the component, or its key if it is not in the world any more
    fields: tuple[str, ...] = ()  # names of the fields that changed


class Snapshot(msgspec.Struct, eq=False, kw_only=True, repr_omit_defaults=True):
    """The state of a world, as `create_snapshot` returns it. Later changes do not affect it.

    >>> from savegen.runtime import GameObject, SaveLoadManager
    >>> from savegen.runtime.generated.registry import FORMAT, Registry
    >>> manager = SaveLoadManager(Registry(FORMAT, ()))
    >>> before = manager.create_snapshot()
    >>> camp = manager.add(GameObject())
    >>> after = manager.create_snapshot()
    >>> [change.what for change in after.changes(since=before)]
    ['added']
    >>> after, before.digest() == after.digest()
    (<Snapshot of 1 object in 1 class>, False)
    """

    tables: dict[int, Table] = {}  # by class number, ascending
    placements: dict[Key, Placement] = {}
    slots: SlotState = SlotState((), ())
    next_reached: int = 1  # the next reached object gets the negative of it as its key
    generators: dict[int, Any] = {}  # states by key
    states: dict[str, Any] = {}  # tagged, by name
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
    _digest: str | None = None

    def __len__(self) -> int:
        """Return the number of objects, both added and reached."""
        rows = sum(len(table.keys) for table in self.tables.values())
        return rows - self.component_count()

    def __repr__(self) -> str:
        count, classes = len(self), len(self.tables)
        objects = f"{count:,} object{'s' * (count != 1)}"
        return f"<Snapshot of {objects} in {classes} class{'es' * (classes != 1)}>"

    def component_keys(self) -> dict[Key, tuple[Key, int]]:
        """Return, by the key of each component, the key of its `GameObject` and its number."""
        table = self._game_objects()
        return {
            component: (key, number)
            for key, row in zip(table.keys, table.rows)
            for number, component in row.components
        }

    def component_count(self) -> int:
        """Return the number of all components of game objects."""
        components = attrgetter("components")
        return sum(map(len, map(components, self._game_objects().rows)))

    def _game_objects(self) -> Table:
        return self.tables.get(int(GAME_OBJECT.save_type)) or Table(GAME_OBJECT)

    def items(self) -> Iterator[tuple[Table, int, Key, Row]]:
        """Yield the table, position, key and row of each object and component."""
        for table in self.tables.values():
            for place, (key, row) in enumerate(zip(table.keys, table.rows)):
                yield table, place, key, row

    def digest(self) -> str:
        """Return a string that is equal for two snapshots only if their content is the same.

        It is the same in every process and on every machine. It depends on types, names, keys,
        numbers and values, with floats compared exactly and sets without order.
        """
        from savegen.runtime.snapshots.digest import digest

        if self._digest is None:
            self._digest = digest(self)
        return self._digest

    def changes(self, since: Snapshot) -> list[Change]:
        """Return all components that differ between an earlier snapshot and this one.

        Raises `SaveError` if `since` is a snapshot of another manager.
        """
        from savegen.runtime.snapshots.changes import changes

        check_snapshot("since", since)
        if since.world is not self.world:
            raise SaveError(
                "the two snapshots are of different managers and cannot be compared; pass two"
                " snapshots that the same manager took"
            )
        return changes(since, self)

    def placed(self) -> dict[str, bool]:
        """Return all placement ids, each with whether its object was in the world."""
        alive = {
            record.placement: True
            for record in self.placements.values()
            if record.placement is not None
        }
        return {**dict.fromkeys(self.tombstones, False), **alive}


def check_snapshot(name: str, value: object) -> None:
    """Raise `SaveError` if an argument is not a snapshot."""
    if isinstance(value, Snapshot):
        return
    wanted = "a `Snapshot`"
    if isinstance(value, bytes | bytearray | memoryview):
        wanted += ", which `decode` of `savegen.saves` returns for the bytes of a save"
    raise wrong_argument(name, wanted, value)
