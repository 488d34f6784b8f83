"""The player, with inventory, abilities and statistics."""

from __future__ import annotations

from collections import Counter, OrderedDict
from dataclasses import dataclass, field
from datetime import timedelta
from enum import Flag, auto
from typing import TYPE_CHECKING, Annotated

from savegen import Save, saveable

from sample_game._savegen.components.player import PlayerSaveLoad
from sample_game.items import Coin, Item
from sample_game.shapes import Facing, Vec2
from sample_game.weapons import Missile, PlayerGun

if TYPE_CHECKING:
    from sample_game.platforms import MovingPlatform


class Ability(Flag):
    """The abilities that the player has learned, in any combination."""

    JUMP = auto()
    DASH = auto()
    CLIMB = auto()
    SWIM = auto()


@dataclass
class Stats:
    """The player's statistics. A plain dataclass is saved with all its fields."""

    kills: Counter[str] = field(default_factory=Counter)
    deaths: list[Vec2] = field(default_factory=list)
    best_times: OrderedDict[str, timedelta] = field(default_factory=OrderedDict)

    def finish(self, level: str, time: timedelta) -> None:
        """Record the time for a level if it is the best so far."""
        self.best_times[level] = min(time, self.best_times.get(level, time))


@dataclass
class Inventory:
    """The items that the player carries."""

    pockets: dict[Item, int] = field(default_factory=dict)
    in_hand: Item | None = None

    def take(self, item: Item) -> None:
        self.pockets[item] = self.pockets.get(item, 0) + 1

    @property
    def weight(self) -> float:
        return sum(item.weight * count for item, count in self.pockets.items())


@saveable(transient=("pale",))
class Player(PlayerSaveLoad):
    """The player. Fields can also be marked where `__init__` assigns them."""

    pale = 0.0  # seconds for which the player is drawn pale after a hit; not saved

    def __init__(self, name: str, gun: PlayerGun, position: Vec2 = Vec2()) -> None:
        self.name: Annotated[str, Save()] = name
        self.gun: Annotated[PlayerGun, Save()] = gun
        self.position: Annotated[Vec2, Save()] = position
        self.velocity: Annotated[Vec2, Save(editor=False)] = Vec2()
        self.facing: Annotated[Facing, Save()] = Facing.RIGHT
        self.hp: Annotated[float, Save("health", ge=0.5, le=10)] = 5
        self.coins: Annotated[int, Save(editor=False)] = 0
        self.abilities: Annotated[Ability, Save()] = Ability.JUMP
        self.inventory: Annotated[Inventory, Save()] = Inventory()
        self.stats: Annotated[Stats, Save(editor=False)] = Stats()
        self.ground: Annotated[MovingPlatform | None, Save(editor=False)] = None
        self.__luck: Annotated[float, Save(editor=False)] = 0.5

    @property
    def lucky(self) -> bool:
        return self.__luck >= 1

    def update(self, seconds: float) -> None:
        """Move, and gain a little luck."""
        self.position += self.velocity * seconds
        self.pale = max(0.0, self.pale - seconds)
        self.__luck += seconds / 100

    def learn(self, ability: Ability) -> None:
        self.abilities |= ability

    def pick_up(self, coin: Coin) -> None:
        self.coins += coin.take()

    def board(self, platform: MovingPlatform) -> None:
        """Step onto a platform, and off the previous one."""
        if self.ground is not None:
            self.ground.leave(self)
        self.ground = platform
        platform.board(self)

    def jump(self) -> None:
        """Jump, if the player stands on something and has the ability."""
        if self.ground is not None and Ability.JUMP in self.abilities:
            self.ground.leave(self)
            self.ground = None
            self.velocity += Vec2(0, -6)

    def fire(self) -> Missile | None:
        """Fire the gun in the direction that the player faces."""
        return self.gun.fire(self.position, Vec2(self.facing.value, 0))

    def hit(self, damage: float = 1) -> None:
        """Lose some health, in steps of a half, or spend luck instead."""
        if self.lucky:
            self.__luck = 0.0
            return
        self.pale = 0.5
        self.hp = max(0, self.hp - damage)
        if self.hp == 0:
            self.stats.deaths.append(self.position)
