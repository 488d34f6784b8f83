"""The last moments of a world, kept as what changed between them."""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from collections.abc import Sequence
from itertools import chain
from operator import is_
from typing import Any, NamedTuple, TypeAlias

import msgspec

from savegen.runtime import plain
from savegen.runtime.errors import SaveError
from savegen.runtime.keys import SlotKey
from savegen.runtime.load import LoadReport
from savegen.runtime.manager import SaveLoadManager
from savegen.runtime.objects import GAME_OBJECT
from savegen.runtime.rows import differing
from savegen.runtime.slots import EMPTY, SlotIndices
from savegen.runtime.snapshot import Snapshot, Table
from savegen.runtime.world import Aside

_RECORDS = type(None)  # the class under which the records of a world are kept


class History:
    """Rewinds a world, step by step, and takes it forward again.

    It holds one whole snapshot, and for each step before it what was different: its memory
    grows with what changes, not with the world. A new step after a rewind ends the future
    that was.

    >>> from savegen.runtime import GameObject, SaveLoadManager
    >>> from savegen.runtime.registry import FORMAT, Registry
    >>> manager = SaveLoadManager(Registry(FORMAT, ()))
    >>> ball = manager.add(GameObject())
    >>> history = History(manager)
    >>> for step in range(4):
    ...     ball.transform.rotation = 10.0 * step
    ...     history.record()
    >>> _ = history.rewind(2)
    >>> ball.transform.rotation, len(history), history.steps_ahead
    (10.0, 1, 2)
    >>> _ = history.forward(1)
    >>> ball.transform.rotation
    20.0
    """

    def __init__(self, manager: SaveLoadManager, capacity: int = 600) -> None:
        """Raises `SaveError` if `capacity`, the number of steps back, is not above 0."""
        if capacity < 1:
            raise SaveError("a history needs room for a step")
        self._manager = manager
        self._now: Snapshot | None = None
        self._empties = _Empties((), ())
        self._past: deque[_Step] = deque(maxlen=capacity)
        self._future: list[_Step] = []

    def __len__(self) -> int:
        """Return how many steps it can rewind."""
        return len(self._past)

    @property
    def steps_ahead(self) -> int:
        """How many steps it can go forward."""
        return len(self._future)

    def record(self) -> None:
        """Remember the world as it is now. Raises `SaveError` as `create_snapshot` does."""
        before = self._now
        if before is None:
            self._now = self._manager.create_snapshot()
            self._empties = _Empties.of(self._now.indices)
            return
        after, changed = self._manager.track(before)
        self._past.append(_step_back(before, after, changed, self._empties))
        if after.indices != before.indices:
            self._empties = _Empties.of(after.indices)
        self._now = after
        self._future.clear()

    def rewind(self, steps: int = 1) -> LoadReport:
        """Make the world what it was `steps` records before the last one.

        With 0 steps it becomes what was recorded last. Raises `SaveError` if there are not
        that many, and `SaveApplyError` as `apply_snapshot` does; nothing has changed then.
        """
        return self._go(steps, self._past, self._future)

    def forward(self, steps: int = 1) -> LoadReport:
        """Take back a rewind. Raises what `rewind` raises."""
        return self._go(steps, self._future, self._past)

    def clear(self) -> None:
        """Forget everything."""
        self._now = None
        self._past.clear()
        self._future.clear()

    def _go(self, steps: int, source: Any, target: Any) -> LoadReport:
        if self._now is None:
            raise SaveError("nothing was recorded yet")
        if not 0 <= steps <= len(source):
            raise SaveError(f"the history has {len(source)} steps there, not {steps}")
        state = _State(self._now, self._empties)
        passed = [state.take(step) for step in [*source][len(source) - steps :][::-1]]
        reached = state.snapshot()
        report = self._manager.apply_snapshot(reached)
        for step in passed:
            source.pop()
            target.append(step)
        self._now, self._empties = reached, state.empties
        return report


# -- what a step is made of


class _Cells(NamedTuple):
    """What a table holds of one object."""

    row: list[Any] | None
    data: dict[int, Any] | None
    recording: Any

    @classmethod
    def of(cls, table: Table, place: int) -> _Cells:
        return cls(
            None if table.rows is None else table.row(place),
            None if table.data is None else table.data[place],
            None if table.recordings is None else table.recordings[place],
        )

    def same(self, other: _Cells) -> bool:
        """Compare what is not in rows: those were compared before."""
        if not plain.same(self.data, other.data):
            return False
        return self.recording is None or bool(self.recording.same(other.recording))


class _Part(NamedTuple):
    """How one table was: what is new is taken out, what has changed or gone is put back."""

    added: list[int] = []  # places of what was not there, the last one first
    changed: list[tuple[int, _Cells]] = []  # places once that is gone
    # Places in the end, the first one first.
    removed: list[tuple[int, Any, _Cells]] = []


class _Whole(NamedTuple):
    """How one table was, where nothing of it can be told apart."""

    table: Table | None


class _Step(msgspec.Struct, eq=False):
    """How everything was one step away."""

    tables: dict[type, _Part | _Whole]
    empties: _Empties
    states: dict[str, Any]
    tombstones: dict[str, str | None]
    dangling: int
    met: dict[SlotKey, Any]
    aside: Aside | None


class _Empties(msgspec.Struct, eq=False):
    """The empty slots of a world; the others are those that its records name."""

    generations: tuple[tuple[int, int], ...]  # slot, generation
    free: tuple[int, ...]

    @classmethod
    def of(cls, indices: SlotIndices) -> _Empties:
        empty = (slot for slot, place in enumerate(indices.places) if place == EMPTY)
        generations = tuple((slot, indices.generations[slot]) for slot in empty)
        return cls(generations, indices.free)

    def indices(self, records: Sequence[Any]) -> SlotIndices:
        count = len(records) + len(self.generations)
        generations, places = [0] * count, [EMPTY] * count
        for slot, generation in self.generations:
            generations[slot] = generation
        for place, record in enumerate(records):
            generations[record.key.index] = record.key.generation
            places[record.key.index] = place
        return SlotIndices(tuple(generations), tuple(places), self.free)


def _tables(snapshot: Snapshot) -> dict[type, Table]:
    """Return the tables, and one more: the records, which hold nothing beside themselves."""
    return {**snapshot.tables, _RECORDS: Table(GAME_OBJECT, snapshot.records)}


def _step_back(
    before: Snapshot,
    after: Snapshot,
    changed: dict[type, list[int]],
    empties: _Empties,
) -> _Step:
    """Return what makes `after` the snapshot `before`, which has these `empties`."""
    old, new = _tables(before), _tables(after)
    parts: dict[type, _Part | _Whole] = {}
    for cls in {**old, **new}:
        part = _part(old.get(cls), new.get(cls), changed.get(cls))
        if part is not None:
            parts[cls] = part
    if before.tombstones == after.tombstones:
        after.tombstones = before.tombstones  # one is enough for many steps
    return _Step(parts, empties, *_rest(before))


def _part(
    old: Table | None, new: Table | None, changed: list[int] | None
) -> _Part | _Whole | None:
    if old is None or new is None or not _alike(old, new):
        return _Whole(old)
    if len(old.objects) == len(new.objects) and all(map(is_, old.objects, new.objects)):
        places: Any = range(len(old.objects))
        added, removed = [], []
    else:
        places = {id(each): place for place, each in enumerate(old.objects)}
        now = set(map(id, new.objects))
        added = [n for n, o in enumerate(new.objects) if id(o) not in places]
        removed = [n for n, o in enumerate(old.objects) if id(o) not in now]
        if not _in_order(old, new, removed, added):
            return _Whole(old)
        places = {
            n: places[id(o)] for n, o in enumerate(new.objects) if id(o) in places
        }
    if changed is None:
        changed = _changed(old, new, places)
    part = _Part(
        added[::-1],
        [(n - bisect_left(added, n), _Cells.of(old, places[n])) for n in changed],
        [(n, old.objects[n], _Cells.of(old, n)) for n in removed],
    )
    return part if any(part) else None


def _alike(old: Table, new: Table) -> bool:
    """Tell whether two tables have the same columns."""
    columns = ("rows", "data", "recordings")
    return all((getattr(old, c) is None) == (getattr(new, c) is None) for c in columns)


def _in_order(old: Table, new: Table, removed: list[int], added: list[int]) -> bool:
    """Tell whether the objects that are in both tables come in one order."""
    gone, come = set(removed), set(added)
    stayed = (o for n, o in enumerate(old.objects) if n not in gone)
    kept = (o for n, o in enumerate(new.objects) if n not in come)
    return all(map(is_, stayed, kept))


def _changed(old: Table, new: Table, places: Any) -> list[int]:
    """Return the places of objects that hold something else; `places` are those of before."""
    found: set[int] = set()
    if old.rows is not None and new.rows is not None and old.entry.rows is not None:
        before, after = old.rows, new.rows
        if len(places) != len(new.objects) or not isinstance(places, range):
            before = [*chain.from_iterable(old.row(places[n]) for n in places)]
            after = [*chain.from_iterable(map(new.row, places))]
        kept = [*places]
        found.update(kept[n] for n in differing(old.entry.rows.checks, after, before))
    if old.data is not None or old.recordings is not None:
        found.update(
            n for n in places if not _Cells.of(old, places[n]).same(_Cells.of(new, n))
        )
    return sorted(found)


_Rest: TypeAlias = tuple[
    dict[str, Any], dict[str, str | None], int, dict[SlotKey, Any], Aside | None
]


def _rest(snapshot: Snapshot) -> _Rest:
    """Return what a step holds whole: there is little of it."""
    told = (snapshot.states, snapshot.tombstones, snapshot.dangling)
    return (*told, snapshot.met, snapshot.aside)


# -- taking steps


class _State:
    """A copy of a snapshot that steps are taken from."""

    def __init__(self, snapshot: Snapshot, empties: _Empties) -> None:
        self._snapshot = snapshot
        self._tables = _tables(snapshot)
        self._copied: set[type] = set()
        self.empties = empties
        self._rest = _rest(snapshot)

    def take(self, step: _Step) -> _Step:
        """Take a step; return the one that leads back."""
        parts = {cls: self._exchange(cls, part) for cls, part in step.tables.items()}
        back = _Step(parts, self.empties, *self._rest)
        self.empties = step.empties
        told = (step.states, step.tombstones, step.dangling)
        self._rest = (*told, step.met, step.aside)
        return back

    def snapshot(self) -> Snapshot:
        tables = dict(self._tables)
        records = tables.pop(_RECORDS).objects
        states, tombstones, dangling, met, aside = self._rest
        return Snapshot(
            self._snapshot.world,
            records,
            self.empties.indices(records),
            tables,
            states,
            tombstones,
            outside={},
            covers=None,
            dangling=dangling,
            met=met,
            aside=aside,
        )

    def _exchange(self, cls: type, part: _Part | _Whole) -> _Part | _Whole:
        if isinstance(part, _Whole):
            back = _Whole(self._tables.pop(cls, None))
            if part.table is not None:
                self._tables[cls] = part.table
            self._copied.discard(cls)
            return back
        table = self._copy(cls)
        removed = [_taken_out(table, place) for place in part.added]
        changed = [
            (place, _put_in(table, place, cells)) for place, cells in part.changed
        ]
        for place, each, cells in part.removed:
            _put_back(table, place, each, cells)
        added = [place for place, _, _ in part.removed]
        return _Part(added[::-1], changed, removed[::-1])

    def _copy(self, cls: type) -> Table:
        """Return a table that no snapshot has."""
        if cls not in self._copied:
            old = self._tables[cls]
            columns = (old.rows, old.data, old.recordings)
            copies: list[Any] = [
                None if column is None else [*column] for column in columns
            ]
            rows, data, recordings = copies
            self._tables[cls] = Table(
                old.entry, [*old.objects], rows, data, recordings, old.lacks
            )
            self._copied.add(cls)
        return self._tables[cls]


def _taken_out(table: Table, place: int) -> tuple[int, Any, _Cells]:
    cells = _Cells.of(table, place)
    each = table.objects.pop(place)
    if table.rows is not None:
        del table.rows[place * table.width : (place + 1) * table.width]
    if table.data is not None:
        del table.data[place]
    if table.recordings is not None:
        del table.recordings[place]
    return place, each, cells


def _put_in(table: Table, place: int, cells: _Cells) -> _Cells:
    before = _Cells.of(table, place)
    if table.rows is not None and cells.row is not None:
        table.rows[place * table.width : (place + 1) * table.width] = cells.row
    if table.data is not None and cells.data is not None:
        table.data[place] = cells.data
    if table.recordings is not None:
        table.recordings[place] = cells.recording
    return before


def _put_back(table: Table, place: int, each: Any, cells: _Cells) -> None:
    table.objects.insert(place, each)
    if table.rows is not None and cells.row is not None:
        start = place * table.width
        table.rows[start:start] = cells.row
    if table.data is not None and cells.data is not None:
        table.data.insert(place, cells.data)
    if table.recordings is not None:
        table.recordings.insert(place, cells.recording)
