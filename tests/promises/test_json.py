"""JSON is for people: commands export and import it, the game never reads it."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import pytest

from tests.promises.door import (
    SaveCorruptError,
    SaveError,
    SaveSlots,
    decode,
    promised,
    refused,
)
from tests.promises.games import Game, Play, Slot

GAME = """
from datetime import datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from pathlib import PurePosixPath
from uuid import UUID
import numpy as np

@saveable
class Chest:
    left: Saved[timedelta] = timedelta(1, 2, 3)
    at: Saved[time] = time(1, 2, 3)
    price: Saved[Decimal] = Decimal("1.50")
    part: Saved[Fraction] = Fraction(1, 3)
    where: Saved[PurePosixPath] = PurePosixPath("a/b")
    id: Saved[UUID] = UUID(int=7)
    raw: Saved[bytes] = b"abc"
    wave: Saved[complex] = 1 + 2j
    last: Saved[deque[int]]
    count: Saved[Counter[str]]
    dice: Saved[random.Random]
    grid: Saved[np.ndarray]
    place: Saved[GameObject]

    def __init__(self):
        self.last, self.count = deque([1, 2], 5), Counter(a=1)
        self.dice, self.grid = random.Random(1), np.arange(3)
        self.place = GameObject(position=(1.0, 2.0, 3.0))

@saveable
class Hero:
    hp: Saved[int] = 10
    speed: Saved[float] = 1.5
    name: Saved[str] = "Grub"
    friend: Saved[Hero | None] = None
    seen: Saved[datetime] = datetime(2020, 1, 2)
    words: Saved[list[str]]
    by_name: Saved[dict[str, int]]

    def __init__(self):
        self.words, self.by_name = ["a"], {"b": 1}
"""
HP, SPEED, NAME = 424242, 0.4242, "a name that is nowhere else"


def saved(play: Play, slot: Slot, count: int = 1) -> Any:
    """Save some heroes, the first of whom has values that are found again in the JSON."""
    manager = play.manager()
    heroes = [manager.add(play.game.Hero()) for _ in range(count)]
    heroes[0].hp, heroes[0].speed, heroes[0].name = HP, SPEED, NAME
    heroes[0].friend = heroes[-1]
    slot.save(manager, title="At the gate")
    return manager


def exported(game: Game, slot: Slot, tmp_path: Path) -> Path:
    target = tmp_path / "save.json"
    game.command("saves", "export", str(slot.folder), "-o", str(target))
    return target


def imported(game: Game, source: Path, target: Path) -> tuple[int, str]:
    """Import a file; return the exit code, and what is printed."""
    words = ("saves", "import", str(source), "-o", str(target), "--no-color")
    return game.command(*words, code=None)


def loaded(play: Play, folder: Path) -> Any:
    """Load an imported save; return its heroes by their hp."""
    manager = play.manager()
    with promised("an imported save loads"):
        SaveSlots(folder).load("back", manager)
    return {hero.hp: hero for hero in manager.find(play.game.Hero)}


SIZES = {"small": 1, "over 64 KiB": 2000}


@pytest.mark.parametrize("count", SIZES.values(), ids=[*SIZES])
@pytest.mark.parametrize("indent", [None, 0, 4], ids=str)
def test_an_exported_save_comes_back_however_it_is_indented(
    game: Game,
    play: Play,
    slot: Slot,
    tmp_path: Path,
    count: int,
    indent: int | None,
) -> None:
    saved(play, slot, count)
    source = exported(game, slot, tmp_path)
    text = json.dumps(json.loads(source.read_text("utf-8")), indent=indent)
    source.write_text(text, "utf-8")
    code, said = imported(game, source, tmp_path / "back" / "1.sav")
    assert code == 0, said
    heroes = loaded(play, tmp_path)
    hero = heroes[HP]
    assert (hero.speed, hero.name, hero.words) == (SPEED, NAME, ["a"])
    assert hero.friend is not None and hero.seen == play.game.datetime(2020, 1, 2)
    (info,) = [i for i in SaveSlots(tmp_path).list() if i.slot == "back"]
    assert info.title == "At the gate"


def test_the_game_reads_no_json(
    game: Game, play: Play, slot: Slot, tmp_path: Path
) -> None:
    manager = saved(play, slot)
    data = exported(game, slot, tmp_path).read_bytes()
    refused("decoding JSON", lambda: decode(data, manager))
    with pytest.raises(SaveCorruptError):
        decode(data, manager)
    (slot.folder / "2.sav").write_bytes(data)
    assert slot.load(manager).info.generation == 1


# -- edited by hand

# What is found in the JSON, and the text that is put in its place.
EDITS = {
    "a number that no float can hold": (HP, "1" + "0" * 400),
    "an infinite number": (HP, "1e999"),
    "an int of 70 bits": (HP, str(2**70)),
    "a float for an int": (HP, "7.5"),
    "a text for an int": (HP, '"many"'),
    "null for an int": (HP, "null"),
    "a list for an int": (HP, "[1, 2]"),
    "an object for an int": (HP, '{"a": {"b": null}}'),
    "NaN": (SPEED, "NaN"),
    "a number that no double can hold": (SPEED, "1e400"),
    "a text for a float": (SPEED, '"fast"'),
    "half a pair of surrogates": (NAME, '"\\ud800"'),
    "a zero byte": (NAME, '"\\u0000"'),
    "a number for a text": (NAME, "7"),
    "true for a text": (NAME, "true"),
}
TEXTS = {
    "empty": "",
    "cut off": '{"a": [1, 2',
    "no object": "[]",
    "null": "null",
    "an empty object": "{}",
    "a key twice": '{"a": 1, "a": 2}',
    "deep": "[" * 100_000,
    "deep and whole": "[" * 5000 + "]" * 5000,
    "no UTF-8": "\udcff",
}


@pytest.mark.parametrize(("found", "text"), EDITS.values(), ids=[*EDITS])
def test_an_edited_export_is_refused_or_loads_and_can_be_saved_again(
    game: Game, play: Play, slot: Slot, tmp_path: Path, found: Any, text: str
) -> None:
    saved(play, slot)
    source = exported(game, slot, tmp_path)
    before = source.read_text("utf-8")
    if before.count(json.dumps(found)) != 1:
        raise RuntimeError(f"{found} is not once in {before}")
    source.write_text(before.replace(json.dumps(found), text), "utf-8")
    code, said = imported(game, source, tmp_path / "back" / "1.sav")
    assert code in (0, 1) and "Traceback" not in said, said
    if code == 1:
        assert "error" in said and "save.json" in said
        assert not (tmp_path / "back").exists()
        return
    manager = play.manager()
    with promised("what was imported loads, or is refused by a typed error"):
        try:
            SaveSlots(tmp_path).load("back", manager)
        except SaveError:
            return
    with promised("what has loaded can be saved and loaded again"):
        slot.save(manager)
        slot.load(play.manager())


# What stands for any value of an export, one at a time.
NASTY = ["1" + "0" * 30, "-1", "1e400", '"\\ud800"', "null", "[]", "{}", "true", "0.5"]


def test_any_edited_value_is_refused_or_loads_and_can_be_saved_again(
    game: Game, play: Play, slot: Slot, tmp_path: Path
) -> None:
    manager = saved(play, slot)
    manager.add(play.game.Chest())
    manager.add_state("turn", lambda: {"a": [1, "b"]}, lambda turn: None)
    slot.save(manager, title="At the gate", playtime=61.5, level="cave")
    text = exported(game, slot, tmp_path).read_text("utf-8")
    places = [*re.finditer(r'(?<=[\[ ])(-?\d[\d.e+-]*|"[^"]*"|true|null)(?!":)', text)]
    dice = random.Random(1)
    edits = [(place, nasty) for place in places for nasty in NASTY]
    broken = []
    for number, (place, nasty) in enumerate(dice.sample(edits, min(400, len(edits)))):
        edited = text[: place.start()] + nasty + text[place.end() :]
        fault = fault_of(game, play, edited, tmp_path / str(number))
        if fault:
            line = edited[max(0, place.start() - 40) : place.end() + 10]
            broken.append(f"{nasty[:9]} in {line!r}: {fault}")
    assert not broken, f"{len(broken)}:\n" + "\n".join(broken[:20])


def fault_of(game: Game, play: Play, text: str, folder: Path) -> str:
    """Import an edited export, load it and save it again; return what goes wrong with that."""
    folder.mkdir()
    (folder / "save.json").write_text(text, "utf-8")
    code, said = imported(game, folder / "save.json", folder / "back" / "1.sav")
    if code:
        return "a traceback" if "Traceback" in said else ""
    manager, slot = play.manager(), Slot(folder)
    manager.add_state("turn", lambda: None, lambda turn: None)
    try:
        slot.slots.load("back", manager)
    except SaveError:
        return ""
    except Exception as error:
        return f"the load raised {type(error).__name__}: {error}"
    try:
        slot.save(manager)
        slot.load(manager)
    except Exception as error:
        return f"it loads, then: {type(error).__name__}: {error}"
    return ""


@pytest.mark.parametrize("text", TEXTS.values(), ids=[*TEXTS])
def test_what_no_export_wrote_is_refused_with_a_message(
    game: Game, tmp_path: Path, text: str
) -> None:
    source = tmp_path / "save.json"
    source.write_bytes(text.encode("utf-8", "surrogateescape"))
    code, said = imported(game, source, tmp_path / "back" / "1.sav")
    assert code == 1 and "Traceback" not in said and "save.json" in said
    assert not (tmp_path / "back").exists()


def test_an_import_overwrites_no_save(
    game: Game, play: Play, slot: Slot, tmp_path: Path
) -> None:
    saved(play, slot)
    source = exported(game, slot, tmp_path)
    before = (slot.folder / "1.sav").read_bytes()
    code, said = imported(game, source, slot.folder / "1.sav")
    assert code != 0 and (slot.folder / "1.sav").read_bytes() == before
