"""What a run saw decides, but no further than the game may go."""

from __future__ import annotations

from savegen.build.adopt.observed import Observed
from savegen.build.adopt.proposal import Proposal, propose
from savegen.build.resolve.settings import Settings
from tests.adopt.reading import program, verdicts

MONSTERS = """
import enum
from typing import NamedTuple, Protocol

class Named(Protocol): ...
class Entity: ...
class Monster(Entity): ...
class Rat(Monster, Named): ...
class Ogre(Monster): ...

class Flying: ...
class Bat(Flying, Entity): ...
class Kite(Flying): ...

class Tool: ...
class Shown: ...
class Lamp(Shown, Tool): ...
class Rope(Tool): ...

class Colour(enum.Enum):
    RED = 1
class Place(NamedTuple):
    x: int

class World:
    def __init__(self):
        self.x = eval("1")
"""


def seen(*names: str, holder: str = "") -> str:
    """The verdict on an attribute whose values a run saw."""
    shapes: list[tuple[str, list[object]]] = [(name, []) for name in names]
    observed: Observed = {
        "game.World": {"x": [(holder, [shapes])] if holder else shapes}
    }
    found = propose(program(game=MONSTERS), Settings(), ["World"], observed)
    return verdicts(found, "World")["x"]


def test_a_class_that_a_run_saw_stands_for_its_relatives() -> None:
    assert seen("game.Rat") == "Entity"
    assert seen("game.Rat", "None") == "Entity | None"
    assert seen("game.Rat", "game.Ogre") == "Entity"
    assert seen("game.Rat", holder="list") == "list[Entity]"
    assert seen("game.World") == "World"
    assert seen("game.Rat", "game.World") == "Entity | World"


def test_a_class_with_several_bases_stands_for_the_one_with_all_relatives() -> None:
    assert seen("game.Lamp") == "Tool"
    assert seen("game.Bat") == "asked"  # a kite is no entity, and a rat does not fly


def test_values_are_saved_by_their_own_class() -> None:
    assert seen("game.Colour") == "Colour"
    assert seen("game.Place", "None") == "Place | None"


VAGUE = """
from collections import namedtuple
from typing import Any, NamedTuple, Optional

Point = namedtuple("Point", "x y")
Spot = NamedTuple("Spot", [("x", int)])

class World:
    where: Optional[Point] = None
    _speed: Any = None
    note: list = eval("[]")

    def __init__(self):
        self.here = Point(1, 2)
        self.spot = Spot(1)

    def go(self):
        self.where = Point(1, 2)
        self._speed = 3
        self.note = eval("[]")
"""


def vague(**types: str) -> Proposal:
    observed: Observed = {
        "game.World": {name: [(type_, [])] for name, type_ in types.items()}
    }
    return propose(program(game=VAGUE), Settings(), ["World"], observed)


def test_what_a_run_saw_is_suggested_for_a_vague_annotation() -> None:
    found = vague(_speed="int", where="game.Point", note="str")
    texts = {q.subject: (q.problem, q.choices[0]) for q in found.questions}
    assert texts["World._speed"] == (
        "savegen cannot save `Any`, or does not know it",
        "saved: annotate `_speed: Saved[int | None]`",
    )
    assert texts["World.note"] == (
        "`list` does not say what it contains",
        "saved: annotate `note: Saved[str]`",
    )


def test_a_named_tuple_without_types_is_to_be_written_as_a_class() -> None:
    reason = "; write it as a class of typing.NamedTuple, with the types of its fields"
    texts = {q.problem: q.subject for q in vague().questions}
    assert texts[f"a call makes `Point`{reason}"] == "World.where, here"
    assert texts[f"a call makes `Spot`{reason}"] == "World.spot"


def test_what_the_source_adds_to_a_container_counts_beside_what_a_run_saw() -> None:
    text = """
    class World:
        def __init__(self):
            self.x = []

        def add(self):
            self.x.append(eval("1"))
            self.x.append("a")
    """
    observed: Observed = {"game.World": {"x": [("list", [[("int", [])]])]}}
    found = propose(program(game=text), Settings(), ["World"], observed)
    assert verdicts(found, "World") == {"x": "list[int | str]"}
