"""One list as a class-level default would be shared by all objects."""

from collections import Counter, defaultdict, deque
from dataclasses import dataclass, field

from savegen import Saved, saveable

from _savegen.components.game import GoodSaveLoad, PointSaveLoad, ShelfSaveLoad


@dataclass
class Stats:
    hp: int = 0


@dataclass(frozen=True)
class Vec2:
    x: float = 0.0


@saveable
class Shelf(ShelfSaveLoad):
    a_list: Saved[list[int]] = []
    a_full_list: Saved[list[int]] = [1, 2]
    a_comprehension: Saved[list[int]] = [n * n for n in range(3)]
    a_dict: Saved[dict[str, int]] = {}
    a_set: Saved[set[int]] = {1}
    made: Saved[list[int]] = list()
    queue: Saved[deque[int]] = deque(maxlen=3)
    counter: Saved[Counter[str]] = Counter()
    by_name: Saved[defaultdict[str, int]] = defaultdict(int)
    stats: Saved[Stats] = Stats(hp=3)


@saveable
class Good(GoodSaveLoad):
    # Not marked, immutable, or made for each object.
    unmarked = []
    places: Saved[tuple[int, ...]] = ()
    names: Saved[frozenset[str]] = frozenset()
    at: Saved[Vec2] = Vec2(1.0)
    stats: Saved[Stats | None] = None
    later: Saved[list[int]]

    def __init__(self):
        self.later = []


@saveable
@dataclass
class Point(PointSaveLoad):
    trail: Saved[list[int]] = field(default_factory=list)
