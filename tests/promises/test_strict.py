"""Strict capture: an alarm where a value would not come back as it is, and none elsewhere."""

from __future__ import annotations

from array import array
from typing import Any

from tests.promises.door import promised, refused
from tests.promises.games import Play

GAME = """
from array import array

@dataclass
class Stats:
    tags: list[str] = field(default_factory=list)

class Pair(NamedTuple):
    left: list[int]
    right: int

@saveable
class Board:
    stats: Saved[Stats | None] = None
    rows: Saved[list[list[int]]]
    names: Saved[list[str]]
    seen: Saved[array[int] | None] = None
    pair: Saved[Pair | None] = None

    def __init__(self):
        self.rows, self.names = [], []

@saveable
class Deck:
    cards: Annotated[list[int], Save(setter=True)]
    order: Annotated[dict[str, list[int]], Save(setter=True)]

    def __init__(self):
        self._cards = [1, 2]
        self._order = {"a": [1]}

    @property
    def cards(self):
        return list(self._cards)

    @cards.setter
    def cards(self, cards):
        self._cards = cards

    @property
    def order(self):
        return {name: list(each) for name, each in self._order.items()}

    @order.setter
    def order(self, order):
        self._order = order
"""


def boards(play: Play) -> tuple[Any, list[Any]]:
    manager = play.manager()
    return manager, [manager.add(play.game.Board()) for _ in range(2)]


def strict(manager: Any) -> Any:
    return manager.create_snapshot(strict=True)


def test_a_property_that_returns_a_new_list_each_time_is_no_alarm(play: Play) -> None:
    manager = play.manager()
    for _ in range(20):
        manager.add(play.game.Deck())
    with promised("nothing is shared"):
        strict(manager)


def test_a_mutable_value_in_two_objects_is_an_alarm(play: Play) -> None:
    manager, (one, two) = boards(play)
    one.rows = two.rows = [[1]]
    refused("strict", lambda: strict(manager), "Board.rows", "list")
    two.rows = []
    one.seen = two.seen = array("b", [1])
    refused("strict", lambda: strict(manager), "Board.seen", "array")


def test_a_mutable_value_in_two_fields_is_an_alarm(play: Play) -> None:
    manager, (one, _) = boards(play)
    one.stats = play.game.Stats(["x"])
    one.names = one.stats.tags
    refused("strict", lambda: strict(manager), "Board.stats", "Board.names")


def test_a_mutable_value_twice_in_one_container_is_an_alarm(play: Play) -> None:
    manager, (one, _) = boards(play)
    row = [1]
    one.rows = [row, row]
    refused("strict", lambda: strict(manager), "Board.rows")


def test_a_mutable_value_inside_an_immutable_one_is_an_alarm(play: Play) -> None:
    manager, (one, two) = boards(play)
    one.pair = play.game.Pair([1], 2)
    two.rows = [one.pair.left]
    refused("strict", lambda: strict(manager), "Board.pair", "Board.rows")


def test_equal_values_that_are_not_the_same_are_no_alarm(play: Play) -> None:
    manager, (one, two) = boards(play)
    for board in (one, two):
        board.rows, board.stats = [[1], [1]], play.game.Stats(["x"])
    with promised("nothing is shared"):
        strict(manager)


def test_a_manager_that_checks_makes_each_snapshot_and_save_strict(play: Play) -> None:
    manager = play.manager(check=True)
    board = manager.add(play.game.Board())
    manager.create_snapshot()
    board.rows = ["x"]
    refused("check=True", manager.create_snapshot, "Board.rows", "str")
