"""The player's progress in the whole game, and on the way through one level."""

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

NOON = datetime(2024, 5, 17, 12)  # the story always begins then
ROOMS = 64  # of a level, from left to right
WIDTH = 8.0  # units of a room


@dataclass
class Quest:
    """A quest. A plain dataclass may hold references, too."""

    title: str
    giver: Enemy | None = None
    reward: Decimal = Decimal("5.00")
    steps: list[tuple[str, bool]] = field(default_factory=list)

    def do(self, step: str) -> None:
        self.steps = [(name, done or name == step) for name, done in self.steps]


@saveable(rewind=False)
class Progress(ProgressSaveLoad):
    """What the player has achieved. A rewind leaves it alone, so nothing counts twice."""

    run: Saved[UUID]
    started: Saved[datetime]
    played: Saved[timedelta] = timedelta()
    # One byte for each room: 1 if the player has visited it.
    explored: Annotated[bytearray, Save(was="fog")]
    secrets: Saved[set[tuple[int, int]]]
    endings: Saved[frozenset[str]] = frozenset()
    hints: Saved[defaultdict[str, list[str]]]
    quests: Saved[list[Quest]]
    found: Saved[set[str]]
    """Coins, keys and chests, by the names of their places."""

    def __init__(
        self, run: UUID = UUID(int=0), started: datetime = NOON, rooms: int = ROOMS
    ) -> None:
        self.run = run
        self.started = started
        self.explored = bytearray(rooms)
        self.secrets = set()
        self.hints = defaultdict(list)
        self.quests = []
        self.found = set()

    def enter(self, room: int, after: timedelta) -> None:
        """Record that the player has visited a room, and how long it took at most."""
        if 0 <= room < len(self.explored):
            self.explored[room] = 1
        self.played = max(self.played, after)

    def find(self, placement: str) -> None:
        self.found.add(placement)

    def end(self, ending: str) -> None:
        self.endings |= {ending}

    def hear(self, level: str, hint: str) -> None:
        if hint not in self.hints[level]:
            self.hints[level].append(hint)

    def accept(self, title: str, giver: Enemy | None, reward: Decimal) -> None:
        """Begin a quest of one step, unless it has begun."""
        if all(quest.title != title for quest in self.quests):
            self.quests.append(Quest(title, giver, reward, [(title, False)]))

    def do(self, step: str) -> None:
        for quest in self.quests:
            quest.do(step)


@saveable
class Run(RunSaveLoad):
    """The way through one level. Time that runs back takes it back, too."""

    steps: Saved[int] = 0
    dice: Saved[Random]

    def __init__(self) -> None:
        self.dice = Random(7)

    @property
    def time(self) -> timedelta:
        return timedelta(seconds=self.steps) / 60
