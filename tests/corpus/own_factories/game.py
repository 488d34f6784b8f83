"""A `defaultdict` gets the factory of its class again, wherever the class makes it."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from functools import partial

import attrs

from savegen import Saved, saveable

from _savegen.components.game import ShopSaveLoad

BASE = 7


def price() -> int:
    return 3


def roll(sides: int) -> int:
    return sides


def new_stock() -> defaultdict[str, int]:
    """Other code may be in a function that is read, but only one `return`."""
    return defaultdict(lambda: BASE)


class Item:
    @classmethod
    def new(cls) -> int:
        return 1


@dataclass
class Stats:
    hp: int = 1
    bonus: defaultdict[str, int] = field(
        default_factory=lambda: defaultdict(lambda: 5)
    )
    stock: defaultdict[str, int] = field(default_factory=new_stock)
    plain: defaultdict[str, int] = field(default_factory=partial(defaultdict, int))


@attrs.define
class Deal:
    low: defaultdict[str, int] = attrs.field(factory=lambda: defaultdict(lambda: 8))
    high: defaultdict[str, int] = attrs.Factory(lambda: defaultdict(price))


@saveable
class Shop(ShopSaveLoad):
    price: Saved[int] = 3  # a lambda in a method does not mean this one
    stock: Saved[defaultdict[str, int]]
    nothing: Saved[defaultdict[str, int | None]]
    prices: Saved[defaultdict[str, int]]
    rows: Saved[defaultdict[str, defaultdict[str, int]]]
    known: Saved[defaultdict[str, int]]
    made: Saved[defaultdict[str, int] | None]
    lists: Saved[defaultdict[str, list[int]]]
    stats: Saved[defaultdict[str, Stats]]
    rolls: Saved[defaultdict[str, int]]
    items: Saved[defaultdict[str, int]]
    none: Saved[defaultdict[str, int]]
    deal: Saved[Deal]

    def __init__(self) -> None:
        self.stock = defaultdict(lambda: 10)
        self.nothing = defaultdict(lambda: None)
        self.prices = defaultdict(price)
        self.rows = defaultdict(lambda: defaultdict(lambda: 6))
        self.known = defaultdict(int)
        self.made = new_stock()
        self.lists = defaultdict(lambda: [0] * 3)
        self.stats = defaultdict(lambda: Stats(hp=BASE))
        self.rolls = defaultdict(partial(roll, 6))
        self.items = defaultdict(Item.new)
        self.none = defaultdict(None)
        self.deal = Deal()
