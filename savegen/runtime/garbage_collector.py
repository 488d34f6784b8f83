"""Pauses Python's cyclic garbage collector during work that creates no garbage."""

from __future__ import annotations

import gc
from types import TracebackType


class PausedCollector:
    """A context in which the garbage collector is disabled, for the whole process.

    If two threads overlap, the first one enables the collector again when it leaves, which only
    costs the second one time. So no lock is needed, which an interrupt could leave locked.

    >>> with PausedCollector():
    ...     gc.isenabled()
    False
    """

    __slots__ = ("_was_enabled",)

    def __enter__(self) -> None:
        self._was_enabled = gc.isenabled()
        gc.disable()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._was_enabled:
            gc.enable()
