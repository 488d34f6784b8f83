"""`savegen breaking`: what those who have an older version would lose, told from what is committed."""

from __future__ import annotations

import json
import re

import pytest

from tests.cli.games import TABLE
from tests.cli.prefabricated import prefabricated
from tests.project import commit, git, repository

GAME = """\
from enum import Enum
from dataclasses import dataclass

from savegen import Saved, saveable

from game._savegen.components.foes import OrcSaveLoad, WispSaveLoad


class Mood(Enum):
    CALM = 1
    ANGRY = 2


@dataclass
class Box:
    low: int
    high: int


class Creature:
    hp: Saved[int] = 7


@saveable
class Orc(OrcSaveLoad, Creature):
    size: Saved[str] = "3x4"
    mood: Saved[Mood] = Mood.CALM
    box: Saved[Box | None] = None


@saveable
class Wisp(WispSaveLoad):
    light: Saved[float] = 1.0
"""
NOTHING = (0, "no breaking change since v1\n", "")


@pytest.fixture
def shipped(bare):
    """A game whose first version has a tag in git."""
    bare.write("pyproject.toml", TABLE)
    bare.write("game/__init__.py", "")
    bare.write("game/foes.py", GAME)
    return tagged(bare)


@pytest.fixture
def camp(bare):
    """One with a prefab."""
    return tagged(prefabricated(bare))


def tagged(game):
    said = game.run("build")
    assert said.code == 0, said
    repository(game.folder)
    git(game.folder, "tag", "v1")
    return game


def change(game, *pairs, path="game/foes.py"):
    for old, new in pairs:
        game.replace(path, old, new)


def told(game, *options, against="v1"):
    """Return code and message of all that is told, and the exit code."""
    words = ("--against", against, "--output-format", "json", *options)
    said = game.run("breaking", *words)
    found = json.loads(said.out)
    return {(each["code"], each["message"]) for each in found}, said.code


def codes(game, *options, against="v1"):
    found, code = told(game, *options, against=against)
    return sorted(each for each, _ in found), code


# -- an older version is found


def test_nothing_breaks_where_nothing_has_changed(shipped):
    before = shipped.files()
    assert shipped.run("breaking", "--against", "v1") == NOTHING
    assert shipped.door("breaking", "--against", "v1") == NOTHING
    assert shipped.files() == before


def test_the_source_is_compared_whether_or_not_it_was_generated_for(shipped):
    change(shipped, ('    size: Saved[str] = "3x4"\n', ""))
    before = shipped.files()
    assert codes(shipped) == (["SG601"], 1)
    assert shipped.files() == before
    assert shipped.run("components").code == 0
    assert codes(shipped) == (["SG601"], 1)
    commit(shipped.folder)
    assert codes(shipped) == (["SG601"], 1)


@pytest.mark.parametrize("against", ["v1", "HEAD", "master^{commit}", "HEAD~0"])
def test_a_commit_may_be_named_in_any_way_that_git_knows(shipped, against):
    git(shipped.folder, "branch", "-M", "master")
    assert shipped.run("breaking", "--against", against).code == 0


def test_a_lock_file_and_a_releases_folder_do_as_well(shipped):
    assert shipped.run("release", "releases/1.0").code == 0
    shipped.write("old.lock", shipped.read("savegen.lock"))
    change(shipped, ('    size: Saved[str] = "3x4"\n', ""))
    for against in ("releases/1.0", "releases/1.0/savegen.lock", "old.lock"):
        assert codes(shipped, against=against) == (["SG601"], 1)


def test_a_path_is_meant_from_where_the_command_is_called(shipped):
    assert shipped.run("release", "releases/1.0").code == 0
    against = ("--against", "../releases/1.0")
    assert shipped.run("breaking", *against, cwd="game").code == 0
    assert shipped.run("breaking", "--against", "v1", cwd="game").code == 0


def test_a_shallow_clone_is_enough(shipped, tmp_path_factory):
    change(shipped, ('    size: Saved[str] = "3x4"\n', ""))
    shipped.run("components")
    commit(shipped.folder)
    folder = tmp_path_factory.mktemp("clone") / "game"
    git(
        shipped.folder,
        "clone",
        "-q",
        "--depth",
        "1",
        f"file://{shipped.folder}",
        str(folder),
    )
    clone = type(shipped)(folder)
    said = clone.run("breaking", "--against", "v1")
    assert said.code == 2 and "git fetch --depth 1 origin tag NAME" in said.err
    git(clone.folder, "fetch", "-q", "--depth", "1", "origin", "tag", "v1")
    assert codes(clone) == (["SG601"], 1)


@pytest.mark.parametrize(
    ("against", "reason"),
    [
        (
            "v2",
            "v2 is not a lock file, a folder with a lock file, or a commit of this repository",
        ),
        ("--help", "--help is not a lock file"),
        ("game", "game is not a lock file"),
        ("", "is not a lock file"),
    ],
)
def test_what_is_no_version_is_refused(shipped, against, reason):
    code, out, err = shipped.run("breaking", f"--against={against}")
    assert (code, out) == (2, "") and reason in err


def test_a_commit_without_a_lock_is_refused(shipped):
    git(shipped.folder, "rm", "-q", "--cached", "savegen.lock")
    git(shipped.folder, "commit", "-q", "-m", "no lock")
    said = shipped.run("breaking", "--against", "HEAD")
    assert said == (2, "", "error: HEAD has no savegen.lock\n")


def test_a_lock_that_cannot_be_read_is_told_by_its_name(shipped):
    shipped.write("old.lock", "field Orc\n")
    said = shipped.run("breaking", "--against", "old.lock")
    assert said.code == 2 and "old.lock: line 1 is not a valid entry" in said.err


def test_where_there_is_no_git_a_path_still_does(bare):
    bare.write("pyproject.toml", TABLE)
    bare.marked("game/orc.py", "Orc")
    assert bare.run("components").code == 0
    assert bare.run("breaking", "--against", "savegen.lock").code == 0
    said = bare.run("breaking", "--against", "HEAD")
    assert said.code == 2 and "or a commit of this repository" in said.err


def test_a_source_with_errors_is_told_first(shipped):
    change(shipped, ("hp: Saved[int] = 7", "hp: Saved[list]"))
    said = shipped.run("breaking", "--against", "v1")
    assert said.code == 1 and "SG206" in said.out and "SG602" not in said.out


# -- what breaks


SAVES = {
    "SG601 field `Orc.size` was removed: nothing reads its old values": [
        ('    size: Saved[str] = "3x4"\n', "")
    ],
    "SG602 `Orc.size` changed from `str` to `tuple[int, int]`: old values do not fit": [
        ('size: Saved[str] = "3x4"', "size: Saved[tuple[int, int]] = (3, 4)")
    ],
    "SG602 `Creature.hp` changed from `int` to `str`: old values do not fit": [
        ("hp: Saved[int] = 7", 'hp: Saved[str] = "7"')
    ],
    "SG602 `Box.low` changed from `int` to `str`: old values do not fit": [
        ("low: int", "low: str")
    ],
    "SG601 field `Box.high` was removed: nothing reads its old values": [
        ("    high: int\n", "")
    ],
    "SG604 field `Box.name` is new and has no default for old saves": [
        ("    high: int\n", "    high: int\n    name: str\n")
    ],
    "SG604 field `Orc.name` is new and has no default for old saves": [
        ('= "3x4"\n', '= "3x4"\n    name: Saved[str]\n')
    ],
    "SG605 class `Wisp` was removed: a load preserves its old objects": [
        (GAME[GAME.index("\n\n@saveable\nclass Wisp") :], ""),
        (", WispSaveLoad", ""),
    ],
}


@pytest.mark.parametrize("message", SAVES)
def test_what_old_saves_would_lose_is_told(shipped, message):
    change(shipped, *SAVES[message])
    code, _, words = message.partition(" ")
    assert told(shipped) == ({(code, words)}, 1)
    for level in ("save", "api"):
        assert told(shipped, "--level", level)[1] == 1


HARMLESS = {
    "a field that is renamed": [
        ("hp: Saved[int] = 7", 'health: Annotated[int, Save(was="hp")] = 7'),
        ("import Saved", "import Save, Saved"),
        ("from enum", "from typing import Annotated\nfrom enum"),
    ],
    "a field that moves to a subclass": [
        ("    hp: Saved[int] = 7\n", "    pass\n"),
        ('= "3x4"\n', '= "3x4"\n    hp: Saved[int] = 7\n'),
    ],
    "a field of a record that is renamed": [
        ("    high: int\n", '    top: Annotated[int, Save(was="high")]\n'),
        ("import Saved", "import Save, Saved"),
        ("from enum", "from typing import Annotated\nfrom enum"),
    ],
    "a wider kind": [("hp: Saved[int] = 7", "hp: Saved[float | None] = None")],
    "a default that is another": [("hp: Saved[int] = 7", "hp: Saved[int] = 9")],
    "a new field with a default": [('= "3x4"\n', '= "3x4"\n    mp: Saved[int] = 3\n')],
    "a new field of a record with a default": [
        ("    high: int\n", "    high: int\n    mid: int = 0\n")
    ],
    "a new member": [("ANGRY = 2", "ANGRY = 2\n    GLAD = 3")],
    "a new class without defaults": [
        (
            "@saveable\nclass Wisp",
            "@saveable\nclass Elf(ElfSaveLoad):\n    name: Saved[str]\n\n\n@saveable\nclass Wisp",
        ),
        ("import OrcSaveLoad", "import ElfSaveLoad, OrcSaveLoad"),
    ],
    "a converter": [
        ('size: Saved[str] = "3x4"', "size: Saved[tuple[int, int]] = (3, 4)"),
        ("import Saved", "import Saved, converter"),
        (
            "@saveable\nclass Wisp",
            '@converter(Orc, "size")\ndef read(old):\n    return 3, 4\n\n\n@saveable\nclass Wisp',
        ),
    ],
}


@pytest.mark.parametrize("change_of", HARMLESS)
def test_what_old_saves_do_not_mind_is_not_told(shipped, change_of):
    change(shipped, *HARMLESS[change_of])
    assert shipped.run("breaking", "--against", "v1") == NOTHING


VALUES = """\
from dataclasses import dataclass

from savegen import Saved, saveable

from game._savegen.components.foes import HeroSaveLoad


@dataclass
class Effect:
    turns: int


@dataclass
class Poison(Effect):
    damage: int = 1


class Deck(list[int]):
    pass


@saveable
class Hero(HeroSaveLoad):
    effects: Saved[list[Effect]]
    numbers: Saved[list[int]]
    deck: Saved[Deck]
"""
FROST = """
@dataclass
class Frost(Effect):
    cold: int = 0
"""
SUBCLASSES = {
    "a subclass more": ([("\n\nclass Deck", f"{FROST}\n\nclass Deck")], []),
    "a subclass renamed": ([("class Poison", "class Venom")], []),
    "a subclass that goes": (
        [("@dataclass\nclass Poison(Effect):\n    damage: int = 1\n", "")],
        [
            "SG602 `Hero.effects` changed from `list[Effect | Poison]` to `list[Effect]`:"
            " old values do not fit"
        ],
    ),
    "a field of a subclass that goes": (
        [("    damage: int = 1\n", "    pass\n")],
        ["SG601 field `Poison.damage` was removed: nothing reads its old values"],
    ),
    "a field that takes the subclass": (
        [("numbers: Saved[list[int]]", "numbers: Saved[Deck]")],
        [],
    ),
    "other members": ([("class Deck(list[int])", "class Deck(list[float])")], []),
    "members that do not fit": (
        [("class Deck(list[int])", "class Deck(list[str])")],
        [
            "SG602 `Hero.deck` changed from `Deck[list[int]]` to `Deck[list[str]]`:"
            " old values do not fit"
        ],
    ),
    "a subclass of list that goes": (
        [
            ("class Deck(list[int]):\n    pass\n", ""),
            ("Saved[Deck]", "Saved[list[int]]"),
        ],
        ["SG608 no saved field holds a `game.foes.Deck` any more"],
    ),
}


@pytest.mark.parametrize("name", SUBCLASSES)
def test_what_old_saves_have_of_subclasses_is_compared(bare, name):
    bare.write("pyproject.toml", TABLE)
    bare.write("game/__init__.py", "")
    bare.write("game/foes.py", VALUES)
    game = tagged(bare)
    changes, expected = SUBCLASSES[name]
    change(game, *changes)
    found, code = told(game)
    lines = [f"{code} {message}" for code, message in sorted(found)]
    assert len(lines) == len(expected)
    assert all(map(str.startswith, lines, expected)), lines
    assert code == bool(expected)


def test_what_was_retired_is_told_as_lost(shipped):
    change(shipped, ('    size: Saved[str] = "3x4"\n', ""), ("    ANGRY = 2\n", ""))
    for name in ("Orc.size", "Mood.ANGRY"):
        assert shipped.run("lock", "retire", name).code == 0
    found, code = told(shipped)
    assert code == 1 and found == {
        ("SG601", "field `Orc.size` is retired: a load drops its old values"),
        (
            "SG603",
            "enum member `Mood.ANGRY` was removed: saves that contain it cannot be loaded",
        ),
    }


def test_a_loss_that_is_meant_is_a_warning(shipped):
    wisp = GAME[GAME.index("\n\n@saveable\nclass Wisp") :]
    size = '    size: Saved[str] = "3x4"\n'
    change(shipped, (size, ""), (wisp, ""), (", WispSaveLoad", ""))
    assert codes(shipped) == (["SG601", "SG605"], 1)
    said = shipped.run("breaking", "--against", "v1").out
    commands = re.findall("run `savegen (.*?)`", said)
    assert sorted(commands) == ["lock retire Orc.size", "lock retire Wisp"]
    for command in commands:
        assert shipped.run(*command.split()).code == 0
    assert codes(shipped) == (["SG601", "SG605"], 0)
    assert codes(shipped, "--level", "save") == (["SG601", "SG605"], 0)


def test_the_fields_of_a_base_that_is_dropped_are_lost(shipped):
    change(shipped, ("class Orc(OrcSaveLoad, Creature):", "class Orc(OrcSaveLoad):"))
    assert told(shipped) == (
        {("SG601", "field `Orc.hp` was removed: nothing reads its old values")},
        1,
    )


def test_a_former_name_that_is_written_late_loses_nothing(shipped):
    change(shipped, ('size: Saved[str] = "3x4"', "pass"))
    assert shipped.run("build").code == 0
    change(shipped, ("    pass\n", "    width: Saved[float] = 1.0\n"))
    assert shipped.run("build").code == 0
    commit(shipped.folder)
    assert codes(shipped) == (["SG601"], 1)
    change(
        shipped,
        ("width: Saved[float] = 1.0", 'width: Annotated[str, Save(was="size")] = ""'),
        ("import Saved", "import Save, Saved"),
        ("from enum", "from typing import Annotated\nfrom enum"),
    )
    assert codes(shipped) == ([], 0)


def test_what_a_base_loses_is_told_once(bare):
    bare.write("pyproject.toml", TABLE)
    bare.write("game/__init__.py", "")
    line = "\n\n@saveable\nclass {0}({0}SaveLoad{1}):\n    {2}\n"
    names = ", ".join(f"{name}SaveLoad" for name in ("Foe", "Orc", "Elf"))
    text = f"from savegen import Saved, saveable\nfrom game._savegen.components.foes import {names}\n"
    text += line.format("Foe", "", "hp: Saved[int] = 1\n    mp: Saved[int] = 1")
    for name in ("Orc", "Elf"):
        text += line.format(name, ", Foe", "pass")
    bare.write("game/foes.py", text)
    tagged(bare)
    change(bare, ("    mp: Saved[int] = 1\n", ""))
    assert told(bare)[0] == {
        ("SG601", "field `Foe.mp` was removed: nothing reads its old values")
    }


def test_of_two_classes_of_one_name_it_is_told_which(shipped):
    twin = "from savegen import Saved, saveable\n\n\n@saveable\nclass Orc:\n    hp: Saved[int] = 1\n    mp: Saved[int] = 1\n"
    shipped.write("game/hill.py", twin)
    assert shipped.run("wire").code == shipped.run("build").code == 0
    commit(shipped.folder)
    change(shipped, ("    mp: Saved[int] = 1\n", ""), path="game/hill.py")
    assert told(shipped, against="HEAD")[0] == {
        ("SG601", "field `game.hill.Orc.mp` was removed: nothing reads its old values")
    }


def test_what_the_older_version_had_lost_already_is_not_told_again(shipped):
    change(shipped, ('    size: Saved[str] = "3x4"\n', ""))
    assert shipped.run("components").code == 0
    commit(shipped.folder)
    assert codes(shipped, against="HEAD") == ([], 0)


def test_a_field_that_comes_back_is_new_to_saves_without_it(shipped):
    change(shipped, ('    size: Saved[str] = "3x4"\n', ""))
    assert shipped.run("components").code == 0
    commit(shipped.folder)
    change(
        shipped,
        (
            "class Orc(OrcSaveLoad, Creature):\n",
            "class Orc(OrcSaveLoad, Creature):\n    size: Saved[str]\n",
        ),
    )
    assert codes(shipped, against="HEAD") == (["SG604"], 1)
    assert codes(shipped) == ([], 0)


# -- levels, and names in code


def test_a_lost_prefab_fails_for_levels_and_not_for_saves_alone(camp):
    camp.write("game/camp.py", "")
    found, code = told(camp)
    assert (code, {each for each, _ in found}) == (1, {"SG611"})
    assert codes(camp, "--level", "save") == (["SG611"], 0)


def test_a_parameter_that_is_called_otherwise_is_told(camp):
    change(
        camp,
        ("hp: Saved[int]", 'hp: Annotated[int, Save("health")]'),
        ("import Saved", "import Save"),
        ("from savegen", "from typing import Annotated\nfrom savegen"),
        path="game/orc.py",
    )
    message = "prefab `Camp` no longer has the parameter `hp`: levels that set it cannot be loaded"
    assert told(camp) == ({("SG614", message)}, 1)


def test_a_prefab_that_has_no_objects_any_more_is_a_warning(camp):
    change(camp, ("@prefab\n", "@prefab(static=True)\n"), path="game/camp.py")
    message = "prefab `Camp` is static now: a load drops its objects from old saves"
    assert told(camp) == ({("SG609", message)}, 0)
    camp.run("build")
    commit(camp.folder)
    assert codes(camp, against="HEAD") == ([], 0)


def test_a_release_keeps_what_levels_could_set(camp):
    said = camp.run("release", "out")
    assert said == (0, "wrote out/savegen.lock\nwrote out/prefab_info.json\n", "")
    assert camp.run("release", "out") == (0, "up to date\n", "")
    change(
        camp,
        ("hp: Saved[int]", 'hp: Annotated[int, Save("health")]'),
        ("import Saved", "import Save"),
        ("from savegen", "from typing import Annotated\nfrom savegen"),
        path="game/orc.py",
    )
    assert codes(camp, against="out") == (["SG614"], 1)
    camp.write("out/prefab_info.json", "{merged")  # then nothing is known of it
    assert codes(camp, against="out") == ([], 0)


def test_a_part_that_is_gone_and_one_of_another_class_are_told(camp):
    camp.replace("game/camp.py", "    orc = part(Orc, 5)\n", "")
    assert "SG612" in codes(camp)[0]


def test_names_in_code_are_a_warning_unless_one_asks(shipped):
    change(
        shipped,
        ("@saveable\nclass Wisp", '@saveable(was="Wisp")\nclass Ghost'),
        ("WispSaveLoad", "GhostSaveLoad"),
    )
    shipped.write(
        "game/foes.py",
        shipped.read("game/foes.py").replace("WispSaveLoad", "GhostSaveLoad"),
    )
    assert told(shipped) == (
        {
            (
                "SG621",
                "class `game.foes.Wisp` is now `game.foes.Ghost`:"
                " code that imports the old name fails",
            ),
            (
                "SG622",
                "`SaveLoadableType.WISP` is now `SaveLoadableType.GHOST`:"
                " code that uses the old name fails",
            ),
        },
        0,
    )
    assert told(shipped, "--level", "api")[1] == 1


# -- how it is told


def test_a_break_stands_at_its_place_with_the_way_out(shipped):
    change(shipped, ('size: Saved[str] = "3x4"', "size: Saved[bytes] = b''"))
    said = shipped.run("breaking", "--against", "v1")
    assert said == (
        1,
        """\
error[SG602]: `Orc.size` changed from `str` to `bytes`: old values do not fit
  --> game/foes.py:26:11
   |
26 |     size: Saved[bytes] = b''
   |           ^^^^^^^^^^^^
   = help: write a function that converts an old value, and mark it `@converter(Orc, "size")`

1 error
""",
        "",
    )


MIGRATION = """

from savegen import migration


@migration(to={})
def calm_down(save): ...
"""


@pytest.mark.parametrize("before, to", [(0, 1), (1, 2), (1, 1)])
def test_a_migration_that_is_given_old_saves_is_named(bare, before, to):
    bare.write("pyproject.toml", f"{TABLE}save_version = {before}\n")
    bare.write("game/__init__.py", "")
    first = MIGRATION.format(1).replace("calm_down", "first") if before else ""
    bare.write("game/foes.py", GAME + first)
    shipped = tagged(bare)
    bare.write("pyproject.toml", f"{TABLE}save_version = {to}\n")
    change(shipped, ("    ANGRY = 2\n", ""))
    assert shipped.run("lock", "retire", "Mood.ANGRY").code == 0
    if to > before:
        shipped.append("game/foes.py", MIGRATION.format(to))
    said = shipped.run("breaking", "--against", "v1")
    words = (
        f"; saves of version {before} go through `game.foes.calm_down`, which may"
        " already handle this"
    )
    assert said.code == 1 and (words in said.out) is (to > before), said.out
    assert "first" not in said.out


HANDLED = """

from savegen import migration


@migration(to={}, handles=["Mood.ANGRY", "Orc.size"])
def calm_down(save): ...
"""


@pytest.mark.parametrize("before, to, is_settled", [(0, 1, True), (1, 1, False)])
def test_a_migration_settles_what_it_says_that_it_handles(bare, before, to, is_settled):
    bare.write("pyproject.toml", f"{TABLE}save_version = {before}\n")
    bare.write("game/__init__.py", "")
    bare.write("game/foes.py", GAME + (HANDLED.format(1) if before else ""))
    shipped = tagged(bare)
    assert shipped.run("release", "releases/1.0").code == 0
    bare.write("pyproject.toml", f"{TABLE}save_version = {to}\n")
    change(
        shipped,
        ("    ANGRY = 2\n", ""),
        ('size: Saved[str] = "3x4"', "size: Saved[int] = 3"),
    )
    assert shipped.run("lock", "retire", "Mood.ANGRY").code == 0
    if to > before:
        shipped.append("game/foes.py", HANDLED.format(to))
    expected = ([], 0) if is_settled else (["SG602", "SG603"], 1)
    for against in ("v1", "releases/1.0"):
        assert codes(shipped, against=against) == expected


BOX = "from dataclasses import dataclass\n\n\n@dataclass\nclass Box:\n    {}\n"


def test_records_of_one_name_in_two_modules_are_kept_apart(bare):
    bare.write("pyproject.toml", TABLE)
    bare.write("game/__init__.py", "")
    bare.write("game/a.py", BOX.format("low: int"))
    bare.write("game/b.py", BOX.format("low: str"))
    bare.write(
        "game/orc.py",
        "from game import a, b\nfrom savegen import Saved, saveable\n\n\n@saveable\nclass Orc:\n"
        "    one: Saved[a.Box]\n    two: Saved[list[b.Box]]\n",
    )
    assert bare.run("wire").code == 0
    tagged(bare)
    assert "game.Orc.two" not in bare.read("savegen.lock")
    assert "list[game.b.Box]" in bare.read("savegen.lock")
    change(bare, ("one: Saved[a.Box]", "one: Saved[b.Box]"), path="game/orc.py")
    assert codes(bare) == (["SG602"], 1)
    change(bare, ("one: Saved[b.Box]", "one: Saved[a.Box]"), path="game/orc.py")
    change(bare, ("low: str", "low: int"), path="game/b.py")
    message = "`game.b.Box.low` changed from `str` to `int`: old values do not fit"
    assert told(bare) == ({("SG602", message)}, 1)


def test_a_class_that_was_always_abstract_is_no_break(bare):
    bare.write("pyproject.toml", TABLE)
    bare.write("game/__init__.py", "")
    bare.write(
        "game/foes.py",
        "from abc import ABC, abstractmethod\nfrom savegen import Saved, saveable\n"
        "\n\n@saveable\nclass Foe(ABC):\n    hp: Saved[int] = 3\n\n    @abstractmethod\n"
        "    def act(self): ...\n\n\n@saveable\nclass Orc(Foe):\n    act = print\n",
    )
    assert bare.run("build").code == 0
    assert bare.lock().count("base-only game.foes.Foe\n") == 1
    bare.write("old.lock", bare.read("savegen.lock"))
    said = bare.run("breaking", "--against", "old.lock")
    assert said.code == 0 and "SG607" not in said.out
    (line,) = re.findall("base-only .*\n", bare.read("old.lock"))
    bare.replace("old.lock", line, "")
    said = bare.run("breaking", "--against", "old.lock")
    assert said.code == 1 and "error[SG607]" in said.out
    # A lock of a version that did not list them: nothing is known.
    bare.write("old.lock", "class game.foes.Foe 752030346 game.foes:Foe\n")
    assert "SG607" not in bare.run("breaking", "--against", "old.lock").out


NAMED = """\
from dataclasses import dataclass
from enum import Enum
from typing import Annotated
from savegen import SaveOverride, Saved, saveable
from savegen.runtime import NO_REFERENCES


class Ammo(Enum):
    FIRE = 1


@dataclass
class Shot:
    kind: Ammo


@saveable
class Belt:
    shots: Saved[list[Shot]]


@saveable(override=True)
class Gun:
    spare: Annotated[list[Ammo], SaveOverride()]

    def save_data(self, references=NO_REFERENCES):
        data = self.save_data_(references)
        data[self.SaveLoadFields["SPARE"]] = self.spare
        return data

    def load_data(self, data, references=NO_REFERENCES):
        self.load_data_(data, references)
        self.spare = data[self.SaveLoadFields["SPARE"]]
"""


def test_a_class_that_only_values_name_is_missed_until_its_former_name_is_back(bare):
    bare.write("pyproject.toml", TABLE)
    bare.write("game/__init__.py", "")
    bare.write("game/foes.py", NAMED)
    assert bare.run("build").code == 0
    bare.write("old.lock", bare.read("savegen.lock"))
    source = bare.read("game/foes.py")
    renamed = source.replace("Ammo", "Missile").replace("Shot", "Bullet")
    bare.write("game/foes.py", renamed)
    found, code = told(bare, against="old.lock")
    assert (code, {each for each, _ in found}) == (1, {"SG608"})
    assert {text.split("`")[1] for _, text in found} == {"Ammo", "game.foes.Shot"}
    former = "\nAmmo = Missile\nShot = Bullet\n"
    bare.write("game/foes.py", renamed + former)
    assert told(bare, against="old.lock") == (set(), 0)
    # Where each field has a type, values of a renamed class are found by it.
    bare.write("old.lock", re.sub(".*anything\n", "", bare.read("old.lock")))
    bare.write("game/foes.py", renamed)
    assert told(bare, against="old.lock") == (set(), 0)


def test_every_fault_is_told_at_once(shipped):
    change(
        shipped,
        ("low: int", "low: str"),
        ("    high: int\n", ""),
        ('size: Saved[str] = "3x4"', "name: Saved[str]\n    size: Saved[int] = 3"),
    )
    assert codes(shipped) == (["SG601", "SG602", "SG602", "SG604"], 1)


def test_a_class_that_a_reference_does_not_allow_any_more_is_told(shipped):
    change(
        shipped,
        ("class Wisp(WispSaveLoad):", "class Wisp(WispSaveLoad, Creature):"),
        ("    box: Saved", "    prey: Saved[Creature | None] = None\n    box: Saved"),
    )
    assert shipped.run("build").code == 0
    commit(shipped.folder)
    change(
        shipped, ("class Wisp(WispSaveLoad, Creature):", "class Wisp(WispSaveLoad):")
    )
    reason = "the reference may be of a class that is not allowed any more"
    assert told(shipped, against="HEAD") == (
        {
            ("SG601", "field `Wisp.hp` was removed: nothing reads its old values"),
            ("SG602", f"`Orc.prey` cannot hold all old values: {reason}"),
        },
        1,
    )


def test_other_programs_are_told_in_their_way(shipped):
    change(shipped, ('    size: Saved[str] = "3x4"\n', ""))
    github = shipped.run("breaking", "--against", "v1", "--output-format", "github")
    assert github.out.startswith("::error file=game/foes.py,") and "SG601" in github.out
    concise = shipped.run("breaking", "--against", "v1", "--output-format", "concise")
    assert concise.out.startswith("game/foes.py:") and "SG601" in concise.out


def test_the_older_version_must_be_named(shipped):
    said = shipped.door("breaking")
    assert said.code == 2 and "--against" in said.err
