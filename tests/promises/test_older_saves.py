"""Saves of an older version: what the game has lost is preserved, what it has changed is converted."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from tests.promises.door import (
    decode,
    load_report,
    mismatches,
    preserved,
    promised,
    save_report,
)
from tests.promises.games import Game, Games, Slot


def save(game: Game, slot: Slot, fill: str) -> None:
    """Save a world that some lines of Python have filled."""
    with game.playing() as play:
        manager = play.manager()
        exec(fill, {**vars(play.game), "manager": manager})
        slot.save(manager)


def load(game: Game, slot: Slot, look: str) -> tuple[Any, Any]:
    """Load, return the value of an expression, and the report."""
    with game.playing() as play:
        manager = play.manager()
        with promised("the save of an older version loads"):
            report = load_report(slot.load(manager))
        return eval(look, {**vars(play.game), "manager": manager}), report


def load_and_save(game: Game, slot: Slot) -> None:
    with game.playing() as play:
        manager = play.manager()
        with promised("the save of an older version loads, and is saved again"):
            slot.load(manager)
            slot.save(manager)


# -- what the game has lost

GOBLIN = """
@saveable
class Goblin:
    {field}

@saveable
class Camp:
    name: Saved[str] = ""
"""


def test_a_class_that_lost_its_last_field_loads_its_old_saves(
    games: Games, slot: Slot
) -> None:
    older = games(GOBLIN.format(field="hp: Saved[int] = 3"))
    newer = games(GOBLIN.format(field="pass"), after=older)
    save(older, slot, "manager.add(Goblin()); manager.add(Camp())")
    count, report = load(newer, slot, "(len(manager), len([*manager.find(Goblin)]))")
    assert count == (2, 1)
    assert any("Goblin" in name for name in preserved(report))


def test_the_last_field_of_a_class_comes_back_with_it(games: Games, slot: Slot) -> None:
    older = games(GOBLIN.format(field="hp: Saved[int] = 3"))
    newer = games(GOBLIN.format(field="pass"), after=older)
    newest = games(GOBLIN.format(field="hp: Saved[int] = 9"), after=newer)
    save(older, slot, "manager.add(Goblin()).hp = 42")
    load_and_save(newer, slot)
    found, _ = load(newest, slot, "[goblin.hp for goblin in manager.find(Goblin)]")
    assert found == [42]


HOLDER = """
@saveable
class Keep:
    name: Saved[str] = ""

@saveable
class Thing:
    name: Saved[str] = ""

@saveable
class Hero:
    hand: Saved[Thing | None] = None
    bag: Saved[list[Thing]]

    def __init__(self):
        self.bag = []
"""
ITEM = """
@saveable
class Item(Thing):
    keep: Saved[Keep | None] = None
    other: Saved[Item | None] = None
"""
FILL = """
hero = manager.add(Hero())
hero.hand = Item()
hero.hand.name = "axe"
hero.hand.keep = Keep()
hero.hand.keep.name = "tower"
hero.hand.other = Item()
hero.hand.other.name = "rope"
hero.bag = [Thing(), hero.hand, hero.hand.other]
lone = manager.add(Item())
lone.name = "lamp"
lone.other = hero.hand
"""


def item_lost(games: Games) -> tuple[Game, Game]:
    older = games(HOLDER + ITEM)
    return older, games(HOLDER, after=older)


def test_merge_says_what_is_preserved_and_not_copied(games: Games, slot: Slot) -> None:
    older, newer = item_lost(games)
    save(older, slot, FILL)
    data = (slot.folder / slot.files[-1]).read_bytes()
    with newer.playing() as play:
        manager = play.manager()
        snapshot = decode(data, manager)
        merged = manager.merge(snapshot)
        assert merged.left_out["Item"] == 3 and "Item (3)" in repr(merged)
        assert merged == dict(merged) and len(manager) > 0
        again = manager.merge(manager.create_snapshot())
        assert again.left_out == {} and repr(again) == repr(dict(again))


def test_a_state_that_is_not_known_keeps_what_it_refers_to(
    games: Games, slot: Slot
) -> None:
    game = games(GOBLIN.format(field="hp: Saved[int] = 1"))
    with game.playing() as play:
        goblin, dice = play.game.Goblin(), Random(5)
        goblin.hp = 7
        manager = play.manager()
        manager.add_state("chief", lambda: [goblin, dice], print)
        slot.save(manager)
    load_and_save(game, slot)
    found: list[Any] = []
    with game.playing() as play:
        manager = play.manager()
        manager.add_state("chief", lambda: found, found.extend)
        with promised("the state loads again"):
            slot.load(manager)
    assert (found[0].hp, found[1].random()) == (7, Random(5).random())


def test_a_save_reports_what_it_writes_back(games: Games, slot: Slot) -> None:
    older, newer = item_lost(games)
    save(older, slot, FILL)
    with newer.playing() as play:
        manager = play.manager()
        slot.load(manager)
        info = slot.save(manager)
    assert preserved(save_report(info))["Item"] == 3


# -- a base that is dropped: what `breaking` says is what a load does

ORC = """
@saveable
class Enemy:
    hp: Saved[int] = 7

@saveable
class Orc{base}:
    name: Saved[str] = ""
"""


def test_breaking_sees_the_fields_of_a_dropped_base(games: Games) -> None:
    older = games(ORC.format(base="(Enemy)"))
    newer = games(ORC.format(base=""), after=older)
    lock = str(older.folder / "savegen.lock")
    code, text = newer.command("breaking", "--against", lock, code=None)
    assert code == 1 and "Orc.hp" in text


def test_the_fields_of_a_dropped_base_come_back_with_it(
    games: Games, slot: Slot
) -> None:
    older = games(ORC.format(base="(Enemy)"))
    newer = games(ORC.format(base=""), after=older)
    newest = games(ORC.format(base="(Enemy)"), after=newer)
    save(older, slot, "manager.add(Orc()).hp = 42")
    load_and_save(newer, slot)
    assert load(newest, slot, "[orc.hp for orc in manager.find(Orc)]")[0] == [42]


# -- types that are widened

WIDE = """
class Point(NamedTuple):
    x: {number}

@dataclass
class Box:
    low: {number}

@saveable
class Orc:
    hp: Saved[{number}] = {one}
    some: Saved[list[{number}]]
    by_name: Saved[dict[str, {number}]]
    pair: Saved[tuple[{number}, str]] = ({one}, "")
    maybe: Saved[{number} | None] = None
    at: Saved[Point]
    box: Saved[Box]

    def __init__(self):
        self.some, self.by_name = [], {{}}
        self.at, self.box = Point({one}), Box({one})
"""
WIDENED = {
    "bare": ("hp", "7", "orc.hp"),
    "in a list": ("some", "[7]", "orc.some[0]"),
    "as a value": ("by_name", "{'a': 7}", "orc.by_name['a']"),
    "in a tuple": ("pair", "(7, 'a')", "orc.pair[0]"),
    "optional": ("maybe", "7", "orc.maybe"),
    "in a NamedTuple": ("at", "Point(7)", "orc.at.x"),
    "in a dataclass": ("box", "Box(7)", "orc.box.low"),
}


@pytest.mark.parametrize(
    ("name", "value", "look"),
    WIDENED.values(),
    ids=[*WIDENED],
)
def test_an_int_that_became_a_float_is_a_float(
    games: Games, slot: Slot, name: str, value: str, look: str
) -> None:
    older = games(WIDE.format(number="int", one="1"))
    newer = games(WIDE.format(number="float", one="1.0"), after=older)
    save(older, slot, f"manager.add(Orc()).{name} = {value}")
    found, report = load(newer, slot, f"[{look} for orc in manager.objects]")
    assert [*map(repr, found)] == ["7.0"]
    assert mismatches(report) == []


def test_an_int_that_is_too_large_for_a_float_is_not_rounded_in_silence(
    games: Games, slot: Slot
) -> None:
    older = games(WIDE.format(number="int", one="1"))
    newer = games(WIDE.format(number="float", one="1.0"), after=older)
    save(older, slot, "manager.add(Orc()).hp = 2**60 + 1")
    with newer.playing() as play:
        manager = play.manager()
        try:
            slot.load(manager)
        except Exception as error:
            assert "hp" in str(error)
            return
        (orc,) = manager.objects
        assert orc.hp == 2**60 + 1


# -- migrations

TWINS = """
import rest

@saveable
class Orc:
    hp: Saved[int] = 1
    other: Saved[rest.Orc | None] = None
"""
OTHER_TWIN = """
@saveable
class Orc:
    mana: Saved[int] = 2
"""
NOTHING = """
@migration(to=1)
def nothing(save):
    pass
"""


def test_a_migration_that_changes_nothing_loses_nothing(
    games: Games, slot: Slot
) -> None:
    older = games(TWINS, rest=OTHER_TWIN)
    newer = games(TWINS + NOTHING, rest=OTHER_TWIN, after=older, save_version=1)
    save(
        older,
        slot,
        "orc = manager.add(Orc()); orc.hp = 5; orc.other = rest.Orc();"
        "orc.other.mana = 6; manager.add(rest.Orc()).mana = 7",
    )
    look = "(sorted(o.mana for o in [*manager.objects] if hasattr(o, 'mana')),"
    look += " [(o.hp, o.other.mana) for o in manager.find(Orc)])"
    assert load(newer, slot, look)[0] == ([7], [(5, 6)])


# -- what the save lacks, because `__init__` assigns it only now

FOUNTAIN = """
import math
import rest

PRICE = 3

class Place:
    DEPTH = 2

@saveable
class Fountain(Place):
    WIDTH = 4
    name: Saved[str] = ""
    {fields}

@saveable
class Pond(Fountain):
    WIDTH = 5
"""
DEFAULTS = {
    "PRICE": 3,
    "-PRICE": -3,
    "-(PRICE * 2.5)": -7.5,
    "rest.TIMER": 90,
    "2 * 30": 60,
    "[0] * 8": [0] * 8,
    "[[0] * PRICE, []]": [[0, 0, 0], []],
    "2 ** 10 - 1": 1023,
    "(-2) ** 2": 4,
    "-2 ** 2": -4,
    "1 << 3 ^ 1": 9,
    "math.pi / 2": 1.5707963267948966,
    "-math.inf": float("-inf"),
    "self.WIDTH * 2": 10,
    "self.DEPTH": 2,
    "Place.DEPTH": 2,
    "Fountain.WIDTH": 4,
}


def test_constants_and_calculations_in_init_are_defaults(
    games: Games, slot: Slot
) -> None:
    older = games(FOUNTAIN.format(fields="pass"), rest="TIMER = 90")
    types = [type(v).__name__.replace("list", "list[Any]") for v in DEFAULTS.values()]
    types = [text.replace("[Any]", "[int | list[int]]") for text in types]
    lines = [f"f{n}: Saved[{text}]" for n, text in enumerate(types)]
    lines += ["def __init__(self) -> None:"]
    lines += [f"    self.f{n} = {code}" for n, code in enumerate(DEFAULTS)]
    source = FOUNTAIN.format(fields="\n    ".join(lines))
    newer = games(source, after=older, rest="TIMER = 90")
    save(older, slot, "manager.add(Pond())")
    names = [f"f{n}" for n in range(len(DEFAULTS))]
    found, _ = load(
        newer, slot, f"[[getattr(p, n) for n in {names}] for p in manager.find(Pond)]"
    )
    assert dict(zip(DEFAULTS, found[0])) == DEFAULTS
