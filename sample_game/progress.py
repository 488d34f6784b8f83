"""The player's progress in the whole game."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from random import Random
from typing import Annotated
from uuid import UUID

from savegen import Save, Saved, saveable

from sample_game._savegen.components.progress import ProgressSaveLoad, RunSaveLoad
from sample_game.enemies import Enemy


@dataclass
class Quest:
    """A quest. A plain dataclass may hold references, too."""

    title: str
    giver: Enemy | None = None
    reward: Decimal = Decimal("5.00")
    steps: list[tuple[str, bool]] = field(default_factory=list)

    def do(self, step: str) -> None:
        self.steps = [(name, done or name == step) for name, done in self.steps]


@saveable
class Progress(ProgressSaveLoad):
    """One playthrough of the game."""

    run: Saved[UUID]
    started: Saved[datetime]
    played: Saved[timedelta] = timedelta()
    # One byte for each room: 1 if the player has visited it.
    explored: Annotated[bytearray, Save(was="fog")]
    secrets: Saved[set[tuple[int, int]]]
    endings: Saved[frozenset[str]] = frozenset()
    hints: Saved[defaultdict[str, list[str]]]
    quests: Saved[list[Quest]]

    def __init__(self, run: UUID, started: datetime, rooms: int) -> None:
        self.run = run
        self.started = started
        self.explored = bytearray(rooms)
        self.secrets = set()
        self.hints = defaultdict(list)
        self.quests = []

    def enter(self, room: int, after: timedelta) -> None:
        """Record that the player has visited a room."""
        self.explored[room] = 1
        self.played += after

    def end(self, ending: str) -> None:
        self.endings |= {ending}


@saveable
class Run(RunSaveLoad):
    """The way through one level. Time that runs back takes it back, too."""

    steps: Saved[int] = 0
    dice: Saved[Random]

    def __init__(self) -> None:
        self.dice = Random(7)
