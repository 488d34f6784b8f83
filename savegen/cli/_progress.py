"""A progress bar on the terminal, removed when the run ends."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator
from types import TracebackType
from typing import TextIO, TypeVar

from savegen.build.render import paint
from savegen.build.source import ProgressReporter

T = TypeVar("T")

PATIENCE = 1.0  # seconds in which a run may end without a bar
_PAUSE = 0.1  # seconds between two updates
_LONGEST = 40  # columns
_CLEAR = "\r\x1b[K"


class Progress:
    """Shows a progress bar after one second, and clears it at the end."""

    def __init__(
        self,
        project: ProgressReporter,
        stream: TextIO,
        width: int,
        colour: bool,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._project = project
        self._stream = stream
        self._width = width
        self._colour = colour
        self._clock = clock
        self._next = 0.0  # the time of the next update
        self._drawn = False
        self._full, self._empty = _letters(stream)

    def __enter__(self) -> None:
        self._next = self._clock() + PATIENCE
        self._project.with_progress = self.with_progress

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        del self._project.with_progress
        if self._drawn:
            self._send(_CLEAR)

    def with_progress(self, what: str, items: Collection[T], /) -> Iterator[T]:
        """Yield the items and update the bar between them."""
        clock = self._clock
        for done, item in enumerate(items):
            if clock() >= self._next:
                self._draw(what, done, len(items))
            yield item

    def _draw(self, what: str, done: int, total: int) -> None:
        self._next = self._clock() + _PAUSE
        self._drawn = True
        words = f"{what} {done:>{len(str(total))}} of {total} "
        room = min(self._width - len(words) - 1, _LONGEST)
        filled = room * done // total
        bar = self._full * filled
        rest = self._empty * (room - filled)
        words = words[: max(self._width - 1, 0)]
        self._send(f"{_CLEAR}{words}{paint(bar, 'help', self._colour)}{rest}")

    def _send(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except OSError:  # the terminal was closed; the next output reports it
            self._next = float("inf")


def _letters(stream: TextIO) -> tuple[str, str]:
    try:
        "━".encode(stream.encoding or "ascii")
    except (UnicodeError, LookupError):
        return "#", "."
    return "━", " "
