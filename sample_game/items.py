"""Items that the player can take."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import IntEnum
from typing import Annotated, NotRequired, TypedDict

from savegen import Save, Saved, saveable

from sample_game._savegen.components.items import ChestSaveLoad, CoinSaveLoad, FlagSaveLoad
from sample_game.shapes import Vec2


class Rarity(IntEnum):
    """How rare an item is."""

    COMMON = 1
    RARE = 2
    UNIQUE = 3


@dataclass(frozen=True)
class Item:
    """A kind of item. It is frozen, so it is a value and can be a key of a dict."""

    name: str
    weight: float = 1.0
    rarity: Rarity = Rarity.COMMON
    fragile: bool = False

    def __str__(self) -> str:
        return self.name


class Loot(TypedDict):
    """What a defeated enemy drops."""

    gold: int
    items: list[Item]
    note: NotRequired[str]


@saveable
class Coin(CoinSaveLoad):
    """A coin. A level has hundreds of them, so the class has slots and no `__dict__`."""

    __slots__ = ("position", "taken", "worth")

    position: Saved[Vec2]
    worth: Annotated[int, Save("value", ge=1, default=1)]
    taken: Annotated[bool, Save(editor=False)]

    def __init__(self, position: Vec2, worth: int = 1) -> None:
        self.position = position
        self.worth = worth
        self.taken = False

    def take(self) -> int:
        """Take the coin and return its worth; 0 if it is already taken."""
        worth = 0 if self.taken else self.worth
        self.taken = True
        return worth


@saveable
class Chest(ChestSaveLoad):
    """A chest that opens for the player who pays its price."""

    position: Saved[Vec2]
    contents: Saved[Counter[Item]]
    price: Saved[Decimal] = Decimal("0.00")
    opened: Annotated[datetime | None, Save(editor=False)] = None

    def __init__(self, position: Vec2, *items: Item, price: str = "0.00") -> None:
        self.position = position
        self.contents = Counter(items)
        self.price = Decimal(price)

    def open(self, now: datetime) -> list[Item]:
        """Empty the chest and return its contents."""
        self.opened = self.opened or now
        found = sorted(self.contents.elements(), key=lambda item: item.name)
        self.contents.clear()
        return found


@saveable
class Flag(FlagSaveLoad):
    """A flag. Who has touched it comes back to it."""

    position: Saved[Vec2] = Vec2()
