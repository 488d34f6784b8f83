"""Delays Ctrl-C during work that must not stop half-way."""

from __future__ import annotations

import signal
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any


class DelayedInterrupt:
    """A context in which Ctrl-C waits: `KeyboardInterrupt` is raised at its end.

    The handler of the program is called then, so an event loop cancels its task as usual. In
    another thread than the main one, which receives no signals, it does nothing.

    >>> try:
    ...     with DelayedInterrupt():
    ...         signal.raise_signal(signal.SIGINT)
    ...         print("done")
    ... except KeyboardInterrupt:
    ...     print("interrupted")
    done
    interrupted
    """

    __slots__ = ("_handler", "_received")

    def __init__(self) -> None:
        self._received: list[tuple[int, FrameType | None]] = []
        self._handler: Callable[[int, FrameType | None], Any] | None = None

    def __enter__(self) -> None:
        handler = signal.getsignal(signal.SIGINT)
        if not callable(handler):  # the system's own: it kills the process, or ignores
            return
        try:
            signal.signal(signal.SIGINT, self._receive)
            self._handler = handler
        except ValueError:  # in another thread
            pass

    def _receive(self, number: int, frame: FrameType | None) -> None:
        self._received.append((number, frame))

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._handler is None:
            return
        signal.signal(signal.SIGINT, self._handler)
        if self._received:
            self._handler(*self._received[0])
