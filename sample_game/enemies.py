"""The enemies of the player."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum
from typing import Annotated, Literal
from weakref import ref

from pygame.sprite import Sprite

from savegen import Save, Saved, saveable

from sample_game._savegen.components.enemies import (
    BatSaveLoad,
    EnemySaveLoad,
    GoblinChiefSaveLoad,
    GoblinSaveLoad,
)
from sample_game.items import Loot
from sample_game.player import Player
from sample_game.shapes import Box, Facing, Vec2

Order = Literal["guard", "fetch", "flee"]


@saveable
@dataclass(eq=False)
class Enemy(EnemySaveLoad, Sprite):
    """The base class of enemies. Subclasses inherit its fields and their numbers."""

    class Mood(Enum):
        """What an enemy does at the moment."""

        ASLEEP = "asleep"
        GUARD = "guard"
        HUNT = "hunt"

    position: Saved[Vec2]
    hp: Annotated[int, Save("health", ge=1, le=99)] = 3
    facing: Saved[Facing] = Facing.LEFT
    mood: Annotated[Mood, Save(editor=False)] = Mood.GUARD
    prey: Annotated[Player | None, Save(editor=False)] = None

    def __post_init__(self) -> None:
        Sprite.__init__(self)

    @property
    def speed(self) -> float:
        return 2.0

    def notice(self, player: Player) -> None:
        """Start to hunt the player."""
        self.prey = player
        self.mood = self.Mood.HUNT

    def update(self, seconds: float) -> None:
        """Run after the target."""
        if self.mood is self.Mood.HUNT and self.prey is not None:
            goal = self.prey.position
            self.facing = Facing.LEFT if goal.x < self.position.x else Facing.RIGHT
            self.position = self.position.towards(goal, self.speed * seconds)

    def hit(self, by: Player, damage: int = 1) -> None:
        """Lose some health, and remember the attacker."""
        self.hp -= damage
        self.notice(by)
        if self.hp <= 0:
            by.stats.kills[type(self).__name__] += 1


@saveable
@dataclass(eq=False)
class Bat(BatSaveLoad, Enemy):
    """A bat that flies rounds. It refers to the player weakly, without keeping the player alive."""

    cave: Saved[Box] = Box(Vec2(), Vec2(20, 8))  # the bat stays inside
    rounds: Saved[deque[Vec2]] = field(default_factory=deque)
    echo: Annotated[ref[Player] | None, Save(editor=False)] = None

    def notice(self, player: Player) -> None:
        self.echo = ref(player)

    def update(self, seconds: float) -> None:
        """Fly to the next point of the path, or to the source of the echo."""
        player = self.echo() if self.echo else None
        if player is not None:
            self.rounds.appendleft(self.cave.nearest(player.position))
            self.echo = None
        elif self.rounds:
            self.position = self.position.towards(self.rounds[0], 5 * seconds)
            if self.position == self.rounds[0]:
                self.rounds.rotate(-1)


@saveable
@dataclass(eq=False)
class Goblin(GoblinSaveLoad, Enemy):
    """A goblin that guards a post, drops loot, and remembers who hit it."""

    name: Saved[str] = "a goblin"
    post: Saved[tuple[Vec2, Facing]] = (Vec2(), Facing.LEFT)
    loot: Saved[Loot] = field(default_factory=lambda: Loot(gold=1, items=[]))
    grudges: Annotated[set[str], Save(editor=False)] = field(default_factory=set)
    chief: Annotated[GoblinChief | None, Save(editor=False)] = None

    @property
    def speed(self) -> float:
        return 3.0 if self.grudges else 2.0

    def hit(self, by: Player, damage: int = 1) -> None:
        super().hit(by, damage)
        self.grudges.add(by.name)

    def return_to_post(self) -> None:
        self.position, self.facing = self.post
        self.mood = self.Mood.GUARD


@saveable
class GoblinChief(GoblinChiefSaveLoad, Goblin):
    """A goblin that commands others. A subclass of a dataclass need not be a dataclass itself."""

    bounty: Saved[Decimal] = Decimal("10.00")
    band: Annotated[list[Goblin], Save(editor=False)]
    orders: Annotated[dict[Goblin, Order], Save(editor=False)]

    def __init__(self, position: Vec2, *band: Goblin) -> None:
        super().__init__(position, hp=9, name="the chief")
        self.band = []
        self.orders = {}
        for goblin in band:
            self.recruit(goblin)

    def recruit(self, goblin: Goblin) -> None:
        goblin.chief = self
        self.band.append(goblin)
        self.orders[goblin] = "guard"

    def hit(self, by: Player, damage: int = 1) -> None:
        """Send the whole band after the attacker."""
        super().hit(by, damage)
        self.bounty *= 2
        for goblin in self.band:
            self.orders[goblin] = "fetch"
            goblin.notice(by)
