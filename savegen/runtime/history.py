"""The last moments of a world, kept as what changed between them."""

from __future__ import annotations

from collections import deque
from typing import Any

import msgspec
from msgspec.structs import replace

from savegen.runtime.errors import SaveError
from savegen.runtime.manager import SaveLoadManager
from savegen.runtime.packing import differ
from savegen.runtime.reports import LoadReport
from savegen.runtime.rows import Key, Row
from savegen.runtime.snapshot import Snapshot, Table


class History:
    """Rewinds a world, step by step, and takes it forward again.

    It holds one whole snapshot, and for each step before it the rows that were different: its
    memory grows with what changes, not with the world. A new step after a rewind ends the
    future that was.

    >>> from savegen.runtime import GameObject, SaveLoadManager
    >>> from savegen.runtime.registry import FORMAT, Registry
    >>> manager = SaveLoadManager(Registry(FORMAT, ()))
    >>> ball = manager.add(GameObject())
    >>> history = History(manager)
    >>> for step in range(4):
    ...     ball.transform.rotation = 10.0 * step
    ...     history.record()
    >>> _ = history.rewind(2)
    >>> ball.transform.rotation, history
    (10.0, <History: 1 step back, 2 steps ahead>)
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
        self._past: deque[_Step] = deque(maxlen=capacity)
        self._future: list[_Step] = []

    def __len__(self) -> int:
        """Return how many steps it can rewind."""
        return len(self._past)

    def __repr__(self) -> str:
        back, ahead = len(self._past), len(self._future)
        return f"<History: {_steps(back)} back, {_steps(ahead)} ahead>"

    @property
    def steps_ahead(self) -> int:
        """How many steps it can go forward."""
        return len(self._future)

    def record(self) -> None:
        """Remember the world as it is now. Raises `SaveError` as `create_snapshot` does."""
        before = self._now
        if before is None:
            self._now = self._manager.create_snapshot()
            return
        after, changed = self._manager.track(before)
        self._past.append(_step_back(before, after, changed))
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
        goal, passed = self._now, []
        for step in [*source][len(source) - steps :][::-1]:
            goal, back = _taken(goal, step)
            passed.append(back)
        report = self._manager.apply_snapshot(goal)
        for step in passed:
            source.pop()
            target.append(step)
        self._now = goal
        return report


def _steps(count: int) -> str:
    return f"{count} step{'s' * (count != 1)}"


class _Delta(msgspec.Struct, eq=False, array_like=True):
    """How the table of one class was, as far as it differs."""

    keys: list[Key]  # of rows that were different, or not there
    rows: list[Row | None]  # what they were; `None` where there was none
    # Whole, since they are rare: by position in the table as it was.
    mismatches: dict[int, dict[str, Any]]
    recordings: dict[int, Any]


class _Step(msgspec.Struct, eq=False):
    """How everything was one step away: what differs of tables, and the rest whole."""

    tables: dict[int, _Delta | Table | None]  # a `Table` where the keys were others
    rest: Snapshot  # without tables; what did not change is shared between steps


def _step_back(
    before: Snapshot, after: Snapshot, changed: dict[int, list[int]]
) -> _Step:
    """Return what makes `after` the snapshot `before`."""
    tables: dict[int, _Delta | Table | None] = {}
    for number in {**before.tables, **after.tables}:
        old, new = before.tables.get(number), after.tables.get(number)
        if old is None or new is None:
            tables[number] = old
        elif old is not new:
            delta = _delta(old, new, changed.get(number))
            if delta is not None:
                tables[number] = delta
    return _Step(tables, replace(before, tables={}, _digest=None))


def _delta(old: Table, new: Table, changed: list[int] | None) -> _Delta | None:
    if old.keys == new.keys:
        new.keys = old.keys  # one list is enough for many steps
        if changed is None:
            pairs = enumerate(zip(old.rows, new.rows))
            changed = [n for n, (a, b) in pairs if a is not b]
        keys = [old.keys[n] for n in changed]
        rows: list[Row | None] = [old.rows[n] for n in changed]
    else:
        was, is_now = dict(zip(old.keys, old.rows)), dict(zip(new.keys, new.rows))
        both = {**was, **is_now}
        keys = [k for k in both if differ(was.get(k), is_now.get(k))]
        rows = [was.get(key) for key in keys]
    odd = old.mismatches or new.mismatches or old.recordings or new.recordings
    if not keys and not odd:
        return None
    return _Delta(keys, rows, old.mismatches, old.recordings)


def _taken(now: Snapshot, step: _Step) -> tuple[Snapshot, _Step]:
    """Return the snapshot one step away, and the step that leads back."""
    tables, back = {**now.tables}, dict[int, _Delta | Table | None]()
    for number, delta in step.tables.items():
        table = tables.pop(number, None)
        if isinstance(delta, _Delta) and table is not None:
            tables[number] = _patched(table, delta)
            back[number] = _back(table, delta)
        else:
            back[number] = table
            if isinstance(delta, Table):
                tables[number] = delta
    goal = replace(step.rest, tables=dict(sorted(tables.items())))
    return goal, _Step(back, replace(now, tables={}, _digest=None))


def _patched(table: Table, delta: _Delta) -> Table:
    from savegen.runtime.keys import in_key_order

    rows: dict[Key, Any] = dict(zip(table.keys, table.rows))
    rows.update(zip(delta.keys, delta.rows))
    keys = in_key_order(key for key, row in rows.items() if row is not None)
    return Table(
        table.entry, keys, [rows[k] for k in keys], delta.mismatches, delta.recordings
    )


def _back(table: Table, delta: _Delta) -> _Delta:
    was = dict(zip(table.keys, table.rows))
    rows: list[Row | None] = [was.get(key) for key in delta.keys]
    return _Delta(delta.keys, rows, table.mismatches, table.recordings)
