"""The last moments of a world, kept as what changed between them."""

from __future__ import annotations

from collections import deque
from typing import Any

from savegen.runtime.deltas import Delta, applied, delta_to
from savegen.runtime.errors import SaveError
from savegen.runtime.manager import SaveLoadManager
from savegen.runtime.reports import LoadReport
from savegen.runtime.snapshot import Snapshot


class History:
    """Rewinds a world, step by step, and takes it forward again.

    It holds one whole snapshot, and for each step before it the cells that were different: its
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
        self._past: deque[Delta] = deque(maxlen=capacity)
        self._future: list[Delta] = []

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
        self._now = self._manager.track(before)
        self._past.append(delta_to(before, self._now))
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
        for delta in [*source][len(source) - steps :][::-1]:
            before, goal = goal, applied(delta, goal)
            passed.append(delta_to(before, goal))
        report = self._manager.apply_snapshot(goal)
        for back in passed:
            source.pop()
            target.append(back)
        self._now = goal
        return report


def _steps(count: int) -> str:
    return f"{count} step{'s' * (count != 1)}"
