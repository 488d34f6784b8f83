"""What is said to be gone is found by the name it has today, and only that."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from savegen.build.lock import Lock, LockError, parse
from savegen.build.lock.file import CLASSES, PREFABS
from savegen.build.lock.retire import retire
from savegen.build.model import Model
from tests.lock.models import facts, model, one_class, prefab_model, saved, settled

TEXT = """\
class Camp 20 game:Camp
class Inner 21 game:Camp.Inner
class Orc 22 hill:Orc
class game.Elf 23 game:Elf
class wood.Elf 24 wood:Elf
retired class Gone 25 game:Gone
field Orc.hp 30 as health: int
absent field Orc.mp 31: int
retired field Orc.rage 32: int
field Camp.size 33: int
field Inner.size 34: int
field game.Elf.hp 35: int
field wood.Elf.hp 36: int
member Camp.Mood.CALM
member Mood.CALM
lost Mood.WILD
"""


def changed(*names: str) -> list[str]:
    """The facts that are other ones after retiring."""
    before = parse(TEXT)
    after = before
    for name in names:
        after = retire(after, name)
    assert set(before.text().splitlines()) >= set(parse(TEXT).text().splitlines())
    return sorted(set(facts(after)) - set(facts(before)))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Orc.health", ["retired field Orc.hp as health: int"]),
        ("hill.Orc.health", ["retired field Orc.hp as health: int"]),
        ("Orc.mp", ["retired field Orc.mp int"]),
        ("Camp.size", ["retired field Camp.size int"]),
        ("Inner.size", ["retired field Inner.size int"]),
        ("Camp.Inner.size", ["retired field Inner.size int"]),
        ("game.Camp.Inner.size", ["retired field Inner.size int"]),
        ("wood.Elf.hp", ["retired field wood.Elf.hp int"]),
        ("Mood.CALM", ["lost Mood.CALM"]),
        ("Camp.Mood.CALM", ["lost Camp.Mood.CALM"]),
        (
            "Inner",
            ["retired class Inner game:Camp.Inner", "retired field Inner.size int"],
        ),
        (
            "game.Elf",
            ["retired class game.Elf game:Elf", "retired field game.Elf.hp int"],
        ),
        (
            "Orc",
            [
                "retired class Orc hill:Orc",
                "retired field Orc.hp as health: int",
                "retired field Orc.mp int",
            ],
        ),
    ],
)
def test_a_name_retires_what_is_called_so_today(name, expected):
    assert changed(name) == expected


@pytest.mark.parametrize(
    "name",
    [
        "Orc.hp",
        "Orc.rage",
        "Gone",
        "Mood.WILD",
        "Mood",
        "hp",
        "",
        ".",
        "hill",
        "Orc.",
        ".hp",
    ],
)
def test_a_name_that_nothing_has_is_refused(name):
    with pytest.raises(LockError) as caught:
        changed(name)
    words = f"savegen.lock has no class, prefab, record, field, part or enum member {name!r}"
    assert str(caught.value) == words


@pytest.mark.parametrize(
    ("name", "names"),
    [("Elf", "game.Elf or wood.Elf"), ("Elf.hp", "game.Elf.hp or wood.Elf.hp")],
)
def test_a_name_that_two_classes_have_is_refused(name, names):
    with pytest.raises(LockError) as caught:
        changed(name)
    expected = f"more than one class is called 'Elf': write {names}"
    assert str(caught.value) == expected


def test_several_are_retired_one_after_the_other():
    assert changed("Camp", "Mood.CALM") == [
        "lost Mood.CALM",
        "retired class Camp game:Camp",
        "retired field Camp.size int",
    ]


def test_the_lock_that_is_given_does_not_change():
    before = parse(TEXT)
    retire(before, "Orc")
    assert before == parse(TEXT)


def test_a_class_is_called_as_shortly_as_is_clear():
    assert parse(TEXT).names(CLASSES) == {
        "Camp": "Camp",
        "Inner": "Inner",
        "Orc": "Orc",
        "game.Elf": "game.Elf",
        "wood.Elf": "wood.Elf",
    }


def test_the_name_in_a_question_is_the_one_that_retires():
    _, lock = settled(
        Lock(), saved("a:Orc", {"x": "int"}), saved("b:Orc", {"x": "int"})
    )
    for birth, name in lock.names(CLASSES).items():
        assert f"retired field {birth}.x int" in facts(retire(lock, f"{name}.x"))


# Prefabs

TEXT_OF_PREFABS = """\
class Coin 20 game:Coin
field Coin.coin 21: int
prefab Coin 22 game:Coin
part Coin.coin 23: Coin
prefab Orc 24 a:Orc
part Orc.arm 25 as hand: Gun
class Orc 26 b:Orc
field Orc.hand 27: int
field Orc.hp 28: int
absent prefab Bat 29 game:Bat
absent prefab Armed 30 game:Armed
"""
COIN = saved("game:Coin", {"coin": "int"})


def retired(name: str, model: Model = Model(())) -> list[str]:
    before = parse(TEXT_OF_PREFABS)
    return sorted(set(facts(retire(before, name, model))) - set(facts(before)))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a.Orc", ["retired part Orc.arm as hand: Gun", "retired prefab Orc a:Orc"]),
        ("a.Orc.hand", ["retired part Orc.arm as hand: Gun"]),
        ("b.Orc.hand", ["retired field Orc.hand int"]),
        ("Orc.hp", ["retired field Orc.hp int"]),
        ("Bat", ["retired prefab Bat game:Bat"]),
        ("Armed", ["retired prefab Armed game:Armed"]),
        ("Coin.coin", ["retired field Coin.coin int", "retired part Coin.coin Coin"]),
    ],
)
def test_prefabs_and_parts_are_retired_by_their_names(name, expected):
    assert retired(name) == expected


def test_a_class_that_was_a_prefab_is_retired_as_both():
    assert retired("Coin") == [
        "retired class Coin game:Coin",
        "retired field Coin.coin int",
        "retired part Coin.coin Coin",
        "retired prefab Coin game:Coin",
    ]


def test_of_a_class_and_a_prefab_only_what_is_gone_is_retired():
    expected = ["retired part Coin.coin Coin", "retired prefab Coin game:Coin"]
    assert retired("Coin", model(COIN)) == expected
    assert retired("Coin.coin", model(COIN)) == expected[:1]


def test_a_prefab_or_a_part_that_is_still_there_is_not_retired():
    coin = prefab_model(one_class("game:Coin"))
    both = Model([replace(m, classes=(COIN,)) for m in coin.modules.values()])
    for name in ("Coin", "Coin.coin"):
        with pytest.raises(LockError) as caught:
            retired(name, both)
        expected = f"{name} is still in the source: remove it there first"
        assert str(caught.value) == expected


@pytest.mark.parametrize("name", ["Orc", "Orc.hand"])
def test_a_class_and_a_prefab_of_one_name_are_told_apart_by_their_modules(name):
    with pytest.raises(LockError) as caught:
        retired(name)
    last = name.removeprefix("Orc")
    names = f"a.Orc{last} or b.Orc{last}"
    expected = f"more than one class or prefab is called 'Orc': write {names}"
    assert str(caught.value) == expected


def test_a_class_and_its_prefab_have_one_name():
    lock = parse(TEXT_OF_PREFABS)
    assert lock.names(CLASSES) == {"Coin": "Coin", "Orc": "b.Orc"}
    assert lock.names(PREFABS) == {
        "Coin": "Coin",
        "Orc": "a.Orc",
        "Bat": "Bat",
        "Armed": "Armed",
    }
