"""An attribute in a class body is state if another file assigns it for one object (SG140)."""

from __future__ import annotations

import ast

import pytest

from tests.cli.games import MARKS, TABLE, Game

ORC = f"{MARKS}\n\n@saveable\nclass Orc:\n    hp = 3\n    mp: Saved[int] = 1\n"
HIT = "def hit(orc) -> None:\n    orc.hp -= 1\n"


@pytest.fixture
def game(bare: Game) -> Game:
    bare.write("pyproject.toml", TABLE)
    bare.write("game/__init__.py", "")
    bare.write("game/orc.py", ORC)
    bare.write("game/combat.py", HIT)
    bare.write("game/other.py", "speed = 3\n")
    return bare


def told(game: Game) -> list[str]:
    """Return what is said about the attribute."""
    out = game.run("components", "--output-format", "concise").out
    return [line for line in out.splitlines() if "SG140" in line]


def test_a_later_run_finds_what_a_first_one_would(game):
    assert len(told(game)) == 1 and "game/combat.py:2" in told(game)[0]
    game.write("game/other.py", "speed = 4\n")
    assert len(told(game)) == 1
    game.append("game/orc.py", "# a comment\n")
    assert len(told(game)) == 1
    game.write("game/combat.py", f"\n{HIT}")
    assert "game/combat.py:3" in told(game)[0]
    game.write("game/combat.py", "")
    assert told(game) == []
    game.append("game/other.py", HIT)
    assert "game/other.py:3" in told(game)[0]
    game.replace("game/orc.py", "hp = 3", "hp: Saved[int] = 3")
    assert told(game) == []
    game.replace("game/orc.py", "hp: Saved[int] = 3", "hp = armour = 3")
    game.append("game/combat.py", HIT.replace("hp", "armour"))
    assert "`hp` and `armour`" in told(game)[0]


def test_a_file_without_the_name_is_not_parsed(game, monkeypatch):
    parsed: list[str] = []
    real = ast.parse

    def parse(source: str, *rest: object, **options: object) -> ast.AST:
        parsed.append(source)
        return real(source, *rest, **options)  # type: ignore[call-overload]

    monkeypatch.setattr(ast, "parse", parse)
    told(game)
    assert HIT in parsed and game.read("game/other.py") not in parsed
    parsed.clear()
    game.append("game/orc.py", "# a comment\n")
    told(game)
    assert HIT not in parsed


def test_a_comment_at_the_attribute_silences_the_finding(game):
    game.replace("game/orc.py", "hp = 3\n", "hp = 3  # savegen: ignore[SG140]\n")
    assert told(game) == [] and told(game) == []


@pytest.mark.parametrize(
    "line",
    [
        "orc.hp, _ = 0, 1",
        "for orc.hp in (1, 2): ...",
        "with open('x') as orc.hp: ...",
        "orc.hp: int = 3",
        "things[0].hp = 3",
        "find('orc').hp *= 2",
    ],
)
def test_every_form_of_assignment_counts(game, line):
    game.write("game/combat.py", f"{line}\n")
    assert len(told(game)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "print(orc.hp)\n",
        "x = orc.hp == 3\n",
        "# orc.hp = 3\n",
        "del orc.hp\n",
        "from game.orc import Orc\nOrc.hp = 3\n",
        "from game import other\nother.hp = 3\n",
        "class Elf:\n    def grow(self):\n        self.hp = 3\n",
        "def hit(wall: 'Wall'):\n    wall.hp = 3\n",
        "class Wall:\n    hp = 1\n\n\ndef hit(wall):\n    wall.hp = 3\n",
        "this is no Python: orc.hp = 3\n",
    ],
)
def test_what_changes_no_object_of_the_class_does_not_count(game, text):
    game.write("game/combat.py", text)
    assert told(game) == []


@pytest.mark.parametrize(
    "text",
    [
        "class Wall:\n    hp = 1\n\n\ndef hit(wall, orcs):\n    orcs[0].hp = 3\n",
        "class Wall:\n    hp = 1\n\n\ndef hit(it: 'Orc | Wall'):\n    it.hp = 3\n",
        "class Wall:\n    hp = 1\n\n\ndef hit():\n    it = Orc()\n    it.hp = 3\n",
        f"{MARKS}from game.orc import Orc\n\n\n@saveable\nclass Boss(Orc):\n    level = 1\n"
        "    def fight(self, other: 'Self'):\n        other.hp = 3\n",
    ],
)
def test_the_type_or_the_name_of_an_object_decides_between_classes(game, text):
    game.write("game/combat.py", text)
    assert len(told(game)) == 1


CLOCK = f"""{MARKS}
import props
from props import observe, reify

@saveable
class Clock:
    ticks = props.Number(0)
    speed: float = observe("speed")
    face = observe("face")  # never assigned
    hand = observe("hand")
    lazy = reify(lambda clock: 3)
    mp: Saved[int] = 1

    def __init__(self) -> None:
        self.ticks = 1
        self.speed = 2.0
"""
TURN = """from game.orc import Clock

def turn(clock: Clock) -> None:
    clock.hand = 3
"""


def test_what_a_function_of_a_library_makes_is_state_if_it_is_assigned(game):
    """It is a value or a property, and an object has its own in either case."""
    game.write("game/orc.py", CLOCK)
    game.write("game/combat.py", TURN)
    assert "`hand`, `ticks` and `speed`" in told(game)[0] and len(told(game)) == 1
    out = game.run("components", "--no-cache").out
    assert "if `hand`, `ticks` and `speed` are properties that the library makes" in out
    assert "mark them `Annotated[…, Save(setter=True)]`" in out
    game.write("game/combat.py", "")
    game.write("game/orc.py", CLOCK.replace("self.speed = 2.0", "pass"))
    out = game.run("components", "--no-cache").out
    assert "if `ticks` is a property that the library makes: mark it" in out
