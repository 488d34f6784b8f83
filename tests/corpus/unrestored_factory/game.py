"""A factory that generated code cannot make is not there after a load."""

from __future__ import annotations

from collections import defaultdict
from itertools import count

from savegen import Saved, saveable

from _savegen.components.game import TallySaveLoad


def strange_stock() -> defaultdict[str, int]:
    stock: defaultdict[str, int] = defaultdict(lambda: 1)
    return stock


@saveable
class Tally(TallySaveLoad):
    ids: Saved[defaultdict[str, int]]
    local: Saved[defaultdict[str, int]]
    mine: Saved[defaultdict[str, int]]
    either: Saved[defaultdict[str, int]]
    strange: Saved[defaultdict[str, int]]
    silent: Saved[defaultdict[str, int]]  # savegen: ignore[SG155]
    inner: Saved[defaultdict[str, defaultdict[str, int]] | None]
    fine: Saved[defaultdict[str, int]]
    made: Saved[defaultdict[str, int]]

    def __init__(self, start: int) -> None:
        self.ids = defaultdict(count().__next__)
        self.local = defaultdict(lambda: start)
        self.mine = defaultdict(lambda: self.worth())
        if start:
            self.either = defaultdict(lambda: 1)
        else:
            self.either = defaultdict(lambda: 2)
        self.strange = strange_stock()
        self.silent = defaultdict(lambda: start)
        self.inner = defaultdict(lambda: defaultdict(lambda: start))
        self.fine = defaultdict(int)

        def make() -> int:
            return start

        self.made = defaultdict(make)

    def worth(self) -> int:
        return 1
