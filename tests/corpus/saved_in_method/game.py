"""`Saved[...]` in a method is read, but pyright rejects it there."""

from __future__ import annotations

from typing import Annotated

from savegen import Save, Saved, saveable

from _savegen.components.game import ClockSaveLoad


@saveable
class Clock(ClockSaveLoad):
    hour: Saved[int] = 0

    def __init__(self) -> None:
        self.minute: Saved[int] = 0  # pyright: ignore
        self.second: Annotated[int, Save()] = 0
        self.day: Annotated[int, Save("date")] = 0
        self.ticks: int = 0
