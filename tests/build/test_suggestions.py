"""What findings say about types that somebody misspelt, or that cannot be saved at all."""

import pytest

from tests.cli.games import MARKS, TABLE, Game

HEAD = f"{MARKS}import arcade, pygame\nfrom typing import Annotated\nfrom savegen import Save\n"


@pytest.fixture
def said(tmp_path):
    """Return what savegen prints about one field, or about the mark of its class."""

    def said(annotation: str, mark: str = "@saveable") -> str:
        game = Game(tmp_path)
        body = f"class Vector: ...\n{mark}\nclass Orc:\n    thing: {annotation}\n"
        game.write("game.py", HEAD + body)
        return game.run("components", "game.py").out

    return said


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("Saved[Vectr]", "Vector"),
        ("Saved[list[vector]]", "Vector"),
        ("Saved[arcad]", "arcade"),
        ("Saved[Lst]", "list"),
        ("Saved[Dict[str, int]]", "dict"),
        ("Saved[Optinal[int]]", "Optional"),
        ("Saved[string]", "str"),
        ("Saved[boolean]", "bool"),
    ],
)
def test_a_misspelt_type_gets_the_one_that_was_meant(said, written, meant):
    assert f"= help: did you mean `{meant}`?" in said(written)


@pytest.mark.parametrize(
    ("written", "help"),
    [
        ("Enemi", "did you mean `Enemy`? import it from `foes`"),
        ("list[Enemy]", "import `Enemy` from `foes`"),
        ("Mod", "did you mean `Mood`? import it from `foes`"),
        ("Stat", "did you mean `Stats`? import it from `foes` or `orcs`"),
        ("Quux", "check that `Quux` is imported and that it is a type"),
    ],
)
def test_a_class_of_another_module_is_suggested_with_its_module(
    tmp_path, written, help
):
    bare = Game(tmp_path)
    plain = "from enum import Enum\nfrom typing import NamedTuple\n"
    plain += "class Stats(NamedTuple):\n    x: int\n"
    mood = "class Mood(Enum):\n    CALM = 1\n"
    fields = "    stats: Saved[Stats]\n    mood: Saved[Mood]\n"
    enemy = f"{MARKS}{plain}{mood}@saveable\nclass Enemy:\n{fields}"
    orc = f"{MARKS}{plain}@saveable\nclass Orc:\n    stats: Saved[Stats]\n"
    bare.write("pyproject.toml", TABLE)
    bare.write("game/foes.py", enemy)
    bare.write("game/orcs.py", orc)
    for field in ("int", written):
        bare.marked(
            "game/world.py", "World", f"thing: Saved[{field}]", "hp: Saved[int]"
        )
        said = bare.run("components", "--all").out
    assert f"= help: {help}\n" in said


def test_a_type_like_no_other_gets_no_suggestion(said):
    found = said("Saved[Quux]")
    assert "SG201" in found and "did you mean" not in found


def test_any_in_small_letters_is_called_what_it_is(said):
    found = said("Saved[dict[str, any]]")
    assert "error[SG204]: `thing` holds `any`, which is a builtin function" in found
    assert "`Any` from typing cannot be saved either" in found


@pytest.mark.parametrize(
    ("type", "thing"),
    [
        ("pygame.Surface", "a picture"),
        ("arcade.Texture", "a picture"),
        ("pygame.mixer.Sound | None", "a sound"),
        ("list[arcade.Sound]", "a sound"),
        ("pygame.font.Font", "a font"),
        ("pygame.sprite.AbstractGroup", "a sprite group of any class"),
    ],
)
def test_pictures_and_sounds_are_called_so(said, type, thing):
    found = said(f"Saved[{type}]")
    assert "error[SG202]" in found and f" holds {thing} (`" in found
    assert "marked `@on_activate`" in found and "Asset()" in found
    assert "codec" not in found and "saveable(of=" not in found


def test_a_misspelt_argument_of_a_mark_gets_the_one_that_was_meant(said):
    found = said("Annotated[int, Save(editr=False)]")
    assert "`Save` has no argument `editr`; did you mean `editor`?" in found
    found = said("Saved[int]", mark='@saveable(transiant=("x",))')
    assert "`saveable` has no argument `transiant`; did you mean `transient`?" in found
    assert "did you mean" not in said("Saved[int]", mark="@saveable(zz=1)")


BODY = f"{MARKS}\n@saveable\nclass Body:\n    hp: Saved[int] = 3\n"
CAMP = "from savegen import part, prefab\n{}\n\n@prefab\nclass Camp:\n    body = {}\n"


@pytest.mark.parametrize(
    ("imports", "part", "help"),
    [
        ("", "part(Body)", "import `Body` from `body`"),
        ("", "part(Bodi).set(hp=3)", "did you mean `Body` from `body`?"),
        ("from body import Body", "part(body)", "did you mean `Body` from `body`?"),
        ("from body import Body", "part(Body).set(hq=3)", "did you mean `hp`?"),
        ("from body import Body", 'part(Body).show(Hp="x")', "did you mean `hp`?"),
        ("", "part(Quux)", ""),
    ],
)
def test_a_part_gets_the_class_or_field_that_was_meant(tmp_path, imports, part, help):
    game = Game(tmp_path)
    game.write("pyproject.toml", TABLE)
    game.write("game/body.py", BODY)
    game.write("game/camp.py", CAMP.format(imports, part))
    assert game.run("components").code == 0
    said = game.run("prefabs").out
    assert "error[SG40" in said
    assert f"= help: {help}\n" in said if help else "did you mean" not in said


@pytest.mark.parametrize("name", ["Boddy", "body", "BODY"])
def test_show_suggests_a_class(tmp_path, name):
    game = Game(tmp_path)
    game.write("pyproject.toml", TABLE)
    game.write("game/body.py", BODY)
    assert "did you mean 'Body'" in game.run("show", name).err


def test_a_misspelt_member_of_prefab_type_gets_the_one_that_was_meant(tmp_path):
    game = Game(tmp_path)
    game.write("game/__init__.py", "")
    game.write("pyproject.toml", TABLE)
    game.write("game/body.py", BODY)
    head = "from game.body import Body\nfrom game._savegen.types import PrefabType"
    game.write("game/camp.py", CAMP.format(head, "part(Body).set(hp=PrefabType.CMAP)"))
    assert game.run("components").code == 0 and game.run("wire").code == 0
    found = game.run("build").out
    assert "CMAP" in found and "(did you mean `PrefabType.CAMP`?)" in found


def test_a_misspelt_former_name_is_reported_with_the_right_one(tmp_path):
    game = Game(tmp_path)
    game.write("pyproject.toml", TABLE)
    game.marked("game/orc.py", "Goblin", "hp: Saved[int]", "mana: Saved[int]")
    assert game.run("components").code == 0
    text = game.read("game/orc.py").replace("class Goblin", "class Elf")
    text = text.replace("@saveable", '@saveable(was="Golbin")')
    game.write("game/orc.py", text.replace("hp:", "life:").replace("mana:", "power:"))
    found = game.run("components", "--all").out
    assert "class `Goblin` was removed and `Elf`, with " in found
    assert 'write `@saveable(was="Goblin")`' in found
    field = 'mp: Annotated[str, Save(was="mena")]'
    head = f"{MARKS}from savegen import Save\nfrom typing import Annotated\n"
    body = f"@saveable\nclass Goblin:\n    hp: Saved[int]\n    {field}\n"
    game.write("game/orc.py", head + body)
    found = game.run("components", "--all").out
    assert 'field `mana` was removed and `mp`, with `was="mena"`, was added' in found
