"""Rewinding a world: `History` records its recent states, and brings it back to one of them."""

from __future__ import annotations

from collections import deque
from itertools import islice
from typing import Any, Protocol, runtime_checkable

from savegen.runtime.snapshots.history.deltas import DeltaWalk, delta_between
from savegen.runtime.errors import SaveError, check_argument
from savegen.runtime.snapshots.history.packed_deltas import (
    PackedDelta,
    packed,
    unpacked,
)
from savegen.runtime.reports import LoadReport
from savegen.runtime.snapshots.snapshot import Snapshot
from savegen.runtime.world.world import World


@runtime_checkable
class Rewindable(Protocol):
    """What a history needs of a `SaveLoadManager`."""

    @property
    def _world(self) -> World: ...

    def _step(self, base: Snapshot | None) -> Snapshot:
        """Return a snapshot of the world that shares unchanged rows with the last step."""

    def apply_snapshot(
        self, snapshot: Snapshot, *, changed_only: bool = False
    ) -> LoadReport:
        """Bring the world to the state of a snapshot."""


class History:
    """The recent states of a world, to rewind it and to go forward again.

    A history contains one full snapshot, and for each earlier step only the cells that differ.
    So its memory depends on the number of changes, not on the size of the world. If you record a
    step after a rewind, the steps ahead are discarded.

    >>> from savegen.runtime import GameObject, SaveLoadManager
    >>> from savegen.runtime.generated.registry import FORMAT, Registry
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

    def __init__(self, manager: Rewindable, capacity: int = 600) -> None:
        """Keep at most `capacity` earlier steps. Raises `SaveError` if `capacity` is below 1."""
        check_argument("manager", manager, Rewindable, "a `SaveLoadManager`")
        check_argument("capacity", capacity, int, "an int")
        if capacity < 1:
            raise SaveError(
                f"the capacity of a history must be at least 1, not {capacity}"
            )
        self._manager = manager
        self._now: Snapshot | None = None
        # Each delta turns a step into the one before it, or after it in `_future`.
        self._past: deque[PackedDelta] = deque(maxlen=capacity)
        self._future: list[PackedDelta] = []

    def __len__(self) -> int:
        """Return by how many steps you can rewind."""
        return len(self._past)

    def __repr__(self) -> str:
        back, ahead = len(self._past), len(self._future)
        return f"<History: {_steps(back)} back, {_steps(ahead)} ahead>"

    @property
    def steps_ahead(self) -> int:
        """The number of steps by which you can go forward."""
        return len(self._future)

    def record(self) -> None:
        """Record the state of the world as a new step.

        Raises `SaveError` in the same cases as `create_snapshot`.
        """
        before, now = self._now, self._manager._step(self._now)
        if before is not None:
            self._past.append(packed(delta_between(now, before)))
            self._future.clear()
        self._now = now

    def rewind(self, steps: int = 1) -> LoadReport:
        """Bring the world to the state that was recorded `steps` steps ago.

        With 0 steps, the world returns to the step that was last recorded or reached. Raises
        `SaveError` if there are fewer steps, and `SaveApplyError` in the same cases as
        `apply_snapshot`. After an error, the world is unchanged.
        """
        return self._move(steps, self._past, self._future)

    def forward(self, steps: int = 1) -> LoadReport:
        """Undo a rewind by `steps` steps. Raises the same errors as `rewind`."""
        return self._move(steps, self._future, self._past)

    def clear(self) -> None:
        """Discard all recorded steps; the world is unchanged."""
        self._now = None
        self._past.clear()
        self._future.clear()

    def _move(self, steps: int, source: Any, target: Any) -> LoadReport:
        if self._now is None:
            raise SaveError("the history is empty: call `record` first")
        check_argument("steps", steps, int, "an int")
        if not 0 <= steps <= len(source):
            raise SaveError(f"`steps` must be from 0 to {len(source)}, not {steps}")
        walk = DeltaWalk(self._now)
        deltas = map(unpacked, islice(reversed(source), steps))
        back = [packed(walk.apply(delta)) for delta in deltas]
        snapshot = walk.snapshot()
        # A step is restored exactly, even if levels were unloaded since then.
        snapshot.restarts = self._manager._world.restarts
        report = self._manager.apply_snapshot(snapshot, changed_only=True)
        for delta in back:
            source.pop()
            target.append(delta)
        self._now = snapshot
        return report


def _steps(count: int) -> str:
    return f"{count} step{'s' * (count != 1)}"
