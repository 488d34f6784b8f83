"""Broken and hostile files: a typed error and an unchanged world, or a world that can be saved."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from tests.promises.door import SaveError, decode, encode
from tests.promises.games import Game, Games, Play
from tests.soaking import SOAKING

GAME = """
from datetime import datetime
from decimal import Decimal

class Mood(Enum):
    CALM = 1
    ANGRY = 2

class Vec2(NamedTuple):
    x: float
    y: float

@dataclass
class Stats:
    hp: int
    tags: list[str]
    best: Vec2 | None = None

@saveable
class Item:
    name: Saved[str] = ""
    worth: Saved[int] = 1

@saveable
class Hero:
    hp: Saved[int] = 10
    speed: Saved[float] = 1.5
    name: Saved[str] = "Grub"
    mood: Saved[Mood] = Mood.CALM
    at: Saved[Vec2] = Vec2(1.0, 2.0)
    stats: Saved[Stats]
    hand: Saved[Item | None] = None
    bag: Saved[list[Item]]
    by_name: Saved[dict[str, Item]]
    rare: Saved[set[Item]]
    friend: Saved[Hero | None] = None
    either: Saved[int | str | list[int]] = 1
    numbers: Saved[dict[int, tuple[int, str]]]
    last: Saved[deque[int]]
    seen: Saved[datetime] = datetime(2020, 1, 2)
    price: Saved[Decimal] = Decimal("1.50")
    kind: Saved[type[Item]] = Item
    raw: Saved[bytes] = b"abc"

    def __init__(self, hp=10):
        self.hp = hp
        self.stats = Stats(1, ["a"], Vec2(0.5, 1.0))
        self.bag, self.by_name, self.rare = [Item(), Item()], {"a": Item()}, {Item()}
        self.hand = self.bag[0]
        self.numbers, self.last = {1: (2, "b")}, deque([1, 2], 5)
"""
# The migration of the newer game hands the save to the test.
EDITED = GAME + """
EDIT = []

@migration(to=1)
def edit(save):
    for function in EDIT:
        function(save)
"""


@pytest.fixture
def older(games: Games) -> Game:
    return games(GAME)


@pytest.fixture
def play(games: Games, older: Game) -> Iterator[Play]:
    with games(EDITED, after=older, save_version=1).playing() as play:
        play.game.EDIT.clear()
        yield play
        play.game.EDIT.clear()


@pytest.fixture
def data(older: Game) -> bytes:
    """Return a save that a game of the version before has written."""
    with older.playing() as play:
        manager = play.manager()
        heroes = [manager.add(play.game.Hero(number)) for number in range(3)]
        heroes[0].friend, heroes[1].friend = heroes[1], heroes[0]
        heroes[2].bag = heroes[0].bag
        found: bytes = encode(manager.create_snapshot())
        return found


def load(play: Play, data: bytes) -> tuple[Any, Any]:
    """Load into a world with one hero; return the manager, and the report or the `SaveError`.

    Anything else that is raised comes out, and so does a world that a failed load has changed.
    """
    manager = play.manager()
    manager.add(play.game.Hero(99))
    before = manager.create_snapshot().digest()
    try:
        return manager, manager.apply_snapshot(decode(data, manager))
    except SaveError as error:
        assert manager.create_snapshot().digest() == before, f"changed by {error}"
        return manager, error
    except AssertionError:
        raise
    except Exception as error:
        raise AssertionError(f"a bare {type(error).__name__}: {error}") from error


# -- saves that are whole, and say what no game has saved

LEAVES: list[Any] = [
    *(None, True, False, 0, -1, 1, 7, 2**31, 2**53 + 1, 2**63, 2**70, -(2**70)),
    *(0.5, -0.0, 1e300, float("inf"), float("nan"), "", "x", "a", "CALM", "NONE"),
    *("\ud800", "2020-01-01", "1.5", b"", b"\xc0", [], [1], ["a"], [[1]], {}, {"a": 1}),
    *({"$ref": 0}, {"$ref": 1}, {"$ref": 5}, {"$ref": 99}, {"$ref": -1}, {"$ref": "a"}),
    *({"$is": 0, "value": 1}, {"$is": 2, "value": "x"}, {"$is": 9}, (1, 2), ("a",)),
]


def spoilt(value: Any, dice: random.Random) -> Any:
    """Return a value that is not quite the same: one of its leaves is another."""
    if isinstance(value, list | tuple) and value and dice.random() < 0.6:
        place = dice.randrange(len(value))
        changed = [*value]
        changed[place] = spoilt(changed[place], dice)
        return type(value)(changed)
    if isinstance(value, dict) and value and dice.random() < 0.6:
        name = dice.choice([*value])
        return {**value, name: spoilt(value[name], dice)}
    alike = [leaf for leaf in LEAVES if type(leaf) is type(value)]
    return dice.choice(alike if alike and dice.random() < 0.6 else LEAVES)


def spoil(save: Any, dice: random.Random) -> None:
    """Change a value of a save, or what objects there are."""
    row = dice.choice(save[dice.choice([*save])])
    names = [name for name in row if name != "$id"]
    what = dice.random()
    if what < 0.8 and names:
        name = dice.choice(names)
        row[name] = spoilt(row[name], dice)
    elif what < 0.9 and names:
        del row[dice.choice(names)]
    elif what < 0.95:
        save.add("Item", {"name": spoilt("x", dice)})
    else:
        save.remove(row["$id"])


def faults(play: Play, data: bytes, seeds: range) -> list[str]:
    """Return what goes wrong with saves that are spoilt in many ways."""
    found = []
    for seed in seeds:
        dice = random.Random(seed)
        play.game.EDIT[:] = [lambda save: spoil(save, dice)] * 2
        try:
            fault_of(play, data)
        except AssertionError as error:
            found.append(f"{seed}: {error}")
    return found


def fault_of(play: Play, data: bytes) -> None:
    """Load a save; if that works, it must be possible to save the world and load it again."""
    manager, report = load(play, data)
    if isinstance(report, SaveError):
        return
    play.game.EDIT.clear()
    named = [found.where for found in getattr(report, "mismatches", ())]
    try:
        again = encode(manager.create_snapshot())
        other = play.manager()
        other.apply_snapshot(decode(again, other))
    except Exception as error:
        words = f"it loads, and cannot be saved and loaded again: {error}"
        raise AssertionError(words) from error
    assert other.create_snapshot().digest() == manager.create_snapshot().digest()
    try:
        manager.create_snapshot(strict=True)
    except SaveError as error:
        assert any(where in str(error) for where in named), f"strict: {error}"


@pytest.mark.soak
def test_a_spoilt_save_is_refused_or_can_be_saved_and_loaded_again(
    play: Play, data: bytes
) -> None:
    found = faults(play, data, range(20_000 if SOAKING else 600))
    assert not found, f"{len(found)}:\n" + "\n".join(found[:20])


def test_the_test_above_spoils_saves(play: Play, data: bytes) -> None:
    outcomes = set()
    for seed in range(60):
        dice = random.Random(seed)
        play.game.EDIT[:] = [lambda save: spoil(save, dice)]
        try:
            outcomes.add(isinstance(load(play, data)[1], SaveError))
        except AssertionError:
            pass
    assert outcomes == {True, False}
    play.game.EDIT.clear()
    assert not isinstance(load(play, data)[1], SaveError)
