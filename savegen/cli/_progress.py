"""A progress bar on the terminal, which disappears when the run ends."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator
from types import TracebackType
from typing import TextIO, TypeVar

from savegen.build.render import paint
from savegen.build.source import ProgressReporter

T = TypeVar("T")

PATIENCE = 1.0  # seconds before the bar appears
_INTERVAL = 0.1  # seconds between two updates
_MAX_COLUMNS = 40
_CLEAR_LINE = "\r\x1b[K"


class Progress:
    """A context in which iterating over a project's items shows a bar after one second."""

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
        self._next_update = 0.0
        self._is_drawn = False
        self._full, self._empty = _characters(stream)

    def __enter__(self) -> None:
        self._next_update = self._clock() + PATIENCE
        self._project.with_progress = self.with_progress

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        del self._project.with_progress
        if self._is_drawn:
            self._write(_CLEAR_LINE)

    def with_progress(self, action: str, items: Collection[T], /) -> Iterator[T]:
        """Yield the items and update the bar between them."""
        clock = self._clock
        for done, item in enumerate(items):
            if clock() >= self._next_update:
                self._draw(action, done, len(items))
            yield item

    def _draw(self, action: str, done: int, total: int) -> None:
        self._next_update = self._clock() + _INTERVAL
        self._is_drawn = True
        label = f"{action} {done:>{len(str(total))}} of {total} "
        columns = min(self._width - len(label) - 1, _MAX_COLUMNS)
        filled = columns * done // total
        bar = paint(self._full * filled, "help", self._colour)
        remainder = self._empty * (columns - filled)
        label = label[: max(self._width - 1, 0)]
        self._write(f"{_CLEAR_LINE}{label}{bar}{remainder}")

    def _write(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except OSError:  # the terminal was closed; the next output reports it
            self._next_update = float("inf")


def _characters(stream: TextIO) -> tuple[str, str]:
    try:
        "━".encode(stream.encoding or "ascii")
    except (UnicodeError, LookupError):
        return "#", "."
    return "━", " "
