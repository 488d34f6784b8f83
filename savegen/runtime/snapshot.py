"""A world at one moment, as rows of plain data."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from savegen.runtime.errors import SaveError
from savegen.runtime.objects import GAME_OBJECT, GameObjectData
from savegen.runtime.registry import ClassEntry
from savegen.runtime.reports import LostValue as LostValue
from savegen.runtime.rows import Key, Row
from savegen.runtime.slots import SlotState

if TYPE_CHECKING:
    from savegen.runtime.world import World


class Recording(NamedTuple):
    """What one object had recorded: its dirty behaviours, and tagged values by id."""

    dirty: tuple[str, ...]
    values: dict[str, Any]


class Table(msgspec.Struct, eq=False):
    """The rows of one class, in ascending order of keys."""

    entry: ClassEntry
    keys: list[Key] = []
    rows: list[Row] = []
    # By position, then cell: tagged values that do not fit their stored type. The cell in the
    # row is `UNSET`.
    mismatches: dict[int, dict[str, Any]] = {}
    recordings: dict[int, Recording] = (
        {}
    )  # by position; without an entry, nothing is dirty
    # By position, the cells that an older save does not have: they take their default.
    missing: dict[int, frozenset[str]] = {}

    @property
    def number(self) -> int:
        """The number of the class."""
        return self.entry.number

    def chosen(self, places: list[int]) -> Table:
        """Return a table of some positions, in the order given."""
        return Table(
            self.entry,
            [self.keys[n] for n in places],
            [self.rows[n] for n in places],
            _chosen(self.mismatches, places),
            _chosen(self.recordings, places),
            _chosen(self.missing, places),
        )


def _chosen(found: dict[int, Any], places: list[int]) -> dict[int, Any]:
    if not found:
        return {}
    return {new: found[old] for new, old in enumerate(places) if old in found}


Tile = tuple[float, float, float, float]
"""The x, y, width and height of a tile."""


class Placement(msgspec.Struct, array_like=True, gc=False, frozen=True):
    """What a world knows of an object that a prefab or a level made."""

    prefab: int | None = None
    placement: str | None = None
    level: str | None = None
    tile: Tile | None = None  # its rectangle, as the level has placed it


class Change(NamedTuple):
    """One component that differs between two snapshots."""

    what: str  # "added", "removed" or "changed"
    component: Any  # the object, if it is alive; else its key
    fields: tuple[str, ...] = ()  # of a changed component


class Snapshot(msgspec.Struct, eq=False, kw_only=True, repr_omit_defaults=True):
    """What `create_snapshot` returns: nothing that happens later changes it.

    >>> from savegen.runtime import GameObject, SaveLoadManager
    >>> from savegen.runtime.registry import FORMAT, Registry
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
    next_reached: int = 1  # the next reached object gets this key, negated
    generators: dict[int, Any] = {}  # states by key
    states: dict[str, Any] = {}  # tagged, by name
    # Placement ids that were destroyed, with their level.
    tombstones: dict[str, str | None] = {}
    dangling: int = 0  # references to destroyed objects, saved as None
    lost: tuple[LostValue, ...] = ()
    # Fields whose numbers and texts became Python's own: `Hero.hp (int64)`.
    numpy: tuple[str, ...] = ()
    preserved: Any = None  # what the game does not know of an older or newer save
    # Of a partial snapshot: which objects it is about, and the ids destroyed before it.
    covers: Callable[[Any], bool] | None = None
    destroyed: Collection[str] = ()
    # Of a partial snapshot: keys of today, for objects whose own keys were taken.
    moved: dict[Key, Key] = {}
    # The world whose keys these are; `None` for one that was read and not applied yet.
    world: World | None = None
    report: Any = None  # what reading it from bytes found, for the `LoadReport`
    _digest: str | None = None

    def __len__(self) -> int:
        """Return the number of objects, those only reached included."""
        rows = sum(len(table.keys) for table in self.tables.values())
        return rows - self.component_count()

    def __repr__(self) -> str:
        count, classes = len(self), len(self.tables)
        objects = f"{count:,} object{'s' * (count != 1)}"
        return f"<Snapshot of {objects} in {classes} class{'es' * (classes != 1)}>"

    def component_keys(self) -> dict[Key, tuple[Key, int]]:
        """Return the object and number of each component of a `GameObject`, by its key."""
        table = self._game_objects()
        return {
            component: (key, number)
            for key, row in zip(table.keys, table.rows)
            for number, component in _components(row)
        }

    def component_count(self) -> int:
        """Return the number of components of `GameObject`s."""
        return sum(len(_components(row)) for row in self._game_objects().rows)

    def _game_objects(self) -> Table:
        return self.tables.get(int(GAME_OBJECT.save_type)) or Table(GAME_OBJECT)

    def items(self) -> Iterator[tuple[Table, int, Key, Row]]:
        """Yield table, position, key and row of everything in the snapshot."""
        for table in self.tables.values():
            for place, (key, row) in enumerate(zip(table.keys, table.rows)):
                yield table, place, key, row

    def digest(self) -> str:
        """Return a text that two snapshots share if and only if they hold the same.

        It does not depend on the process: types, names, keys, numbers and values are in it,
        floats to the last bit, sets in no order.
        """
        from savegen.runtime.digest import digest

        if self._digest is None:
            self._digest = digest(self)
        return self._digest

    def changes(self, since: Snapshot) -> list[Change]:
        """Return every component that differs from what it was in `since`, exactly.

        Raises `SaveError` if that is a snapshot of another manager.
        """
        from savegen.runtime.changes import changes

        if since.world is not self.world:
            raise SaveError("the two snapshots are of two managers")
        return changes(since, self)

    def placed(self) -> dict[str, bool]:
        """Return the placement ids that levels gave, and whether each object was alive."""
        alive = {
            each.placement: True
            for each in self.placements.values()
            if each.placement is not None
        }
        return {**dict.fromkeys(self.tombstones, False), **alive}


def _components(row: Row) -> list[tuple[int, Key]]:
    assert isinstance(row, GameObjectData)
    return row.components
