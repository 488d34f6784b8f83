"""One statement gives two attributes the same list."""

from dataclasses import dataclass

from savegen import Saved, saveable

from _savegen.components.game import BagSaveLoad, SackSaveLoad


@dataclass
class Stats:
    hp: int = 3


@saveable(transient=("shown", "seen"))
class Bag(BagSaveLoad):
    items: Saved[list[str]]
    rest: Saved[list[str]]
    third: Saved[list[str]]
    best: Saved[Stats]
    last: Saved[Stats]
    __names: Saved[dict[str, int]]

    # Values that cannot change, and objects that are references, may be shared.
    width: Saved[int]
    height: Saved[int]
    places: Saved[tuple[int, ...]]
    corners: Saved[tuple[int, ...]]
    owner: Saved["Bag | None"]
    friend: Saved["Bag | None"]
    other: Saved[list[str]]

    def __init__(self) -> None:
        self.items = self.rest = self.third = []
        self.shown = self.__names = {}
        self.best = self.last = Stats()
        self.width = self.height = 3
        self.places = self.corners = (0,) * 3
        self.owner = self.friend = self
        others = self.other = []
        self.seen = others

    def clear(self) -> None:
        self.items, self.rest = [], []


@saveable
class Sack(SackSaveLoad, Bag):
    """Its base has the findings."""
