"""Subclasses of saveable classes are found in all files, on a first run and on later ones."""

from __future__ import annotations

import pytest

from savegen.build.lock import parse
from tests.cli.games import TABLE, Game

ITEM = """from savegen import Saved, saveable


@saveable{mark}
class Item:
    weight: Saved[float] = 1.0


@saveable
class Bag:
    item: Saved[Item | None] = None
"""
SWORD = "from game.item import Item\n\n\nclass Sword(Item):\n    pass\n"


@pytest.fixture
def items(bare: Game) -> Game:
    """A game whose base class makes all subclasses saveable, wired and generated."""
    bare.write("pyproject.toml", TABLE)
    bare.write("game/__init__.py", "")
    bare.write("game/item.py", ITEM.format(mark="(subclasses=True)"))
    bare.write("game/sword.py", SWORD)
    assert bare.run("wire").out == "wrote game/item.py\n"
    assert bare.run("components").code == 0
    return bare


def lines(game: Game, word: str) -> list[str]:
    """Return the lines of the lock that begin with a word."""
    lock = parse(game.read("savegen.lock"))
    return [line for line in lock.lines() if line.startswith(f"{word} ")]


def homes(game: Game) -> list[str]:
    return sorted(line.rpartition(":")[2] for line in lines(game, "class"))


def test_wire_leaves_a_subclass_alone(items):
    assert homes(items) == ["Bag", "Item", "Sword"]
    assert items.run("wire").out == "up to date\n"
    assert items.read("game/sword.py") == SWORD


@pytest.mark.parametrize("verb", ["check", "components"])
def test_a_run_without_changes_has_nothing_to_do(items, verb):
    assert items.run(verb) == (0, "up to date\n", "")


def test_a_new_subclass_of_a_subclass_is_found(items):
    items.write("game/axe.py", "import game.sword as s\nclass Axe(s.Sword): ...\n")
    items.run("components")
    assert homes(items) == ["Axe", "Bag", "Item", "Sword"]


def test_a_class_that_becomes_a_subclass_is_found(items):
    items.write("game/axe.py", "class Axe: ...\n")
    items.run("components")
    assert homes(items) == ["Bag", "Item", "Sword"]
    items.write("game/axe.py", "import game.item\nclass Axe(game.item.Item): ...\n")
    items.run("components")
    assert homes(items) == ["Axe", "Bag", "Item", "Sword"]


def test_subclasses_are_found_when_their_base_is_marked_so(items):
    items.write("game/axe.py", "class Tool: ...\n")
    items.write("game/saw.py", "from game.axe import Tool\nclass Saw(Tool): ...\n")
    items.run("components")
    items.write("game/axe.py", ITEM.format(mark="(subclasses=True)"))
    items.replace("game/axe.py", "Item", "Tool")
    items.replace("game/axe.py", "Bag", "Box")
    items.run("components")
    assert homes(items) == ["Bag", "Box", "Item", "Saw", "Sword", "Tool"]


def test_a_renamed_subclass_keeps_its_number(items):
    before = lines(items, "field")
    items.replace(
        "game/sword.py",
        "class Sword",
        'from savegen import saveable\n\n\n@saveable(was="Sword")\nclass Blade',
    )
    said = items.run("components")
    assert (said.code, "warning" in said.out) == (0, False)
    assert homes(items) == ["Bag", "Blade", "Item"]
    assert lines(items, "field") == before


def test_a_subclass_that_moves_keeps_its_number(items):
    before = lines(items, "field")
    items.remove("game/sword.py")
    items.write("game/arms.py", SWORD)
    said = items.run("components")
    assert (said.code, "warning" in said.out) == (0, False)
    assert lines(items, "field") == before


def test_a_subclass_that_vanishes_is_reported(items):
    old = items.folder / "old.lock"
    old.write_text(items.read("savegen.lock"))
    items.write("game/sword.py", "")
    items.run("components")
    assert "`Sword`" in items.run("breaking", "--against", "old.lock").out


def test_show_knows_a_subclass(items):
    assert items.run("show", "Sword").out.startswith("Sword ")


@pytest.fixture
def marked_alone(items: Game) -> Game:
    items.replace("game/item.py", "(subclasses=True)", "")
    return items


def test_a_subclass_without_a_mark_is_reported(marked_alone):
    said = marked_alone.run("components")
    assert said.out.startswith("warning[SG213]: `Sword` is not saveable, but")
    assert said.code == 0


def test_it_is_reported_where_only_its_file_has_changed(marked_alone):
    marked_alone.write("game/sword.py", "")
    marked_alone.run("components")
    marked_alone.write("game/sword.py", SWORD)
    assert "SG213" in marked_alone.run("components").out


def test_it_is_reported_until_it_is_silenced(marked_alone):
    marked_alone.run("components")
    marked_alone.append("game/sword.py", "\n# a comment\n")
    assert "SG213" in marked_alone.run("check").out
    marked_alone.replace(
        "game/sword.py", "(Item):", "(Item):  # savegen: ignore[SG213]"
    )
    assert "SG213" not in marked_alone.run("components").out
