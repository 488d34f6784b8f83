"""Items that the player can take."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import Enum, IntEnum
from typing import TYPE_CHECKING, Annotated, NotRequired, TypedDict

from savegen import Activation, Save, Saved, on_activate, saveable

from sample_game._savegen.components.items import (
    ChestSaveLoad,
    CoinSaveLoad,
    HeartSaveLoad,
    KeySaveLoad,
)
from sample_game.shapes import Vec2
from sample_game.things import Thing, standing
from sample_game.weapons import MissileType

if TYPE_CHECKING:
    from sample_game.player import Player
    from sample_game.world import World


class Rarity(IntEnum):
    """How rare an item is."""

    COMMON = 1
    RARE = 2
    UNIQUE = 3


class Colour(Enum):
    """The colour of a door and its key."""

    RED = "red"
    GREEN = "green"
    BLUE = "blue"


@dataclass(frozen=True)
class Item:
    """A kind of item. It is frozen, so it is a value and can be a key of a dict."""

    name: str
    weight: float = 1.0
    rarity: Rarity = Rarity.COMMON
    fragile: bool = False

    def __str__(self) -> str:
        return self.name

    @classmethod
    def key(cls, colour: Colour) -> Item:
        """Return the key of the doors of a colour."""
        return cls(f"{colour.value} key", 0.25, Rarity.RARE)


class Loot(TypedDict):
    """What a defeated enemy drops."""

    gold: int
    items: list[Item]
    note: NotRequired[str]


@saveable
class Coin(CoinSaveLoad, Thing):
    """A coin. A level has hundreds of them, so the class has slots and no `__dict__`."""

    __slots__ = ("position", "taken", "worth")
    SIZE = Vec2(0.5, 0.5)

    position: Saved[Vec2]
    worth: Annotated[int, Save("value", ge=1, default=1)]
    taken: Annotated[bool, Save(editor=False)]

    def __init__(self, position: Vec2, worth: int = 1) -> None:
        self.position = position
        self.worth = worth
        self.taken = False

    def touch(self, player: Player, world: World) -> None:
        if not self.taken:
            player.take_coins(self.take())
            world.found(self)
            world.tell("coin", self.position)

    def take(self) -> int:
        """Take the coin and return its worth; 0 if it is already taken."""
        worth = 0 if self.taken else self.worth
        self.taken = True
        return worth


@saveable
class Heart(HeartSaveLoad, Thing):
    """A heart, which heals."""

    SIZE = Vec2(0.625, 0.625)

    position: Saved[Vec2] = Vec2()
    hearts: Annotated[float, Save(ge=0.5, le=5)] = 1.0
    taken: Annotated[bool, Save(editor=False)] = False

    def touch(self, player: Player, world: World) -> None:
        if not self.taken and player.heal(self.hearts):
            self.taken = True
            world.tell("heart", self.position)


@saveable
class Key(KeySaveLoad, Thing):
    """A key. It opens the next door of its colour."""

    SIZE = Vec2(0.5, 0.5)

    position: Saved[Vec2] = Vec2()
    colour: Saved[Colour] = Colour.RED
    taken: Annotated[bool, Save(editor=False)] = False

    def touch(self, player: Player, world: World) -> None:
        if not self.taken:
            self.taken = True
            player.inventory.take(Item.key(self.colour))
            world.found(self)
            world.tell("key", self.position)


@saveable
class Chest(ChestSaveLoad, Thing):
    """A chest that opens for the player who pays its price."""

    SIZE = Vec2(1, 1)

    position: Saved[Vec2]
    contents: Saved[Counter[Item]]
    price: Saved[Decimal] = Decimal("0.00")
    opened: Annotated[datetime | None, Save(editor=False)] = None

    def __init__(self, position: Vec2, *items: Item, price: str = "0.00") -> None:
        self.position = position
        self.contents = Counter(items)
        self.price = Decimal(price)

    @on_activate
    def settle(self, reason: Activation) -> None:
        if reason is Activation.PLACED:
            self.position = standing(self.position, self.SIZE)

    def use(self, player: Player, world: World) -> None:
        if self.opened is not None:
            return
        if player.coins < self.price:
            world.say(f"the chest costs {self.price:f} coins")
            return
        player.coins -= int(self.price)
        for item in self.open(world.now):
            self._hand_over(item, player)
        world.found(self)
        world.tell("chest", self.position)

    def open(self, now: datetime) -> list[Item]:
        """Empty the chest and return its contents."""
        self.opened = self.opened or now
        found = sorted(self.contents.elements(), key=lambda item: item.name)
        self.contents.clear()
        return found

    def _hand_over(self, item: Item, player: Player) -> None:
        kind = item.name.upper()
        if kind in MissileType.__members__:
            player.gun.load([MissileType[kind]] * 5)
        else:
            player.inventory.take(item)
