"""The collector of cycles, paused while nothing can become garbage anyway."""

from __future__ import annotations

import gc
from types import TracebackType


class Paused:
    """Pauses the collector, for the whole process, if it was not paused before.

    Whoever paused it first lets it go on: a second thread may then be collected for early,
    which costs it time. There is no lock that an interrupt could leave behind.

    >>> with Paused():
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
