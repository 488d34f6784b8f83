"""`savegen saves`: save files of a small game, looked at through the real command."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from savegen.saves.file import read_thumbnail
from tests.cli.games import Game
from tests.project import Said

GAME = """\
from typing import NamedTuple

from savegen import Saved, saveable


class Vec2(NamedTuple):
    x: float
    y: float


@saveable
class Goblin:
    hp: Saved[int] = 7
    position: Saved[Vec2] = Vec2(0.0, 0.0)
    foe: Saved["Goblin | None"] = None


@saveable
class Camp:
    name: Saved[str] = "gate"
    guards: Saved[list[Goblin]]

    def __init__(self) -> None:
        self.guards = [Goblin(), Goblin()]
"""
PLAY = """\
from _savegen.registry import REGISTRY
from game import Camp, Goblin, Vec2
from savegen.runtime import SaveLoadManager
from savegen.saves import SaveSlots

manager = SaveLoadManager(REGISTRY)
slots = SaveSlots("saves", game_version="1.2")
camp = manager.add(Camp())
grub, snag = camp.guards
grub.foe = snag
about = {"title": "At the gate", "playtime": 3725.0, "level": "valley"}
about["thumbnail"] = b"a picture"
slots.save("slot-1", manager, **about)
grub.hp, grub.foe = 3, None
snag.position = Vec2(1.5, 0.0)
camp.guards.append(Goblin())
slots.save("slot-1", manager, **about)
slots.save("other", manager)
"""


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("played")
    game = Game(folder)
    game.write("pyproject.toml", "[tool.savegen]\nsource = '.'\noutput = '_savegen'\n")
    game.write("game.py", GAME)
    for verb in ("wire", "build"):
        assert game.run(verb).code == 0
    game.python(PLAY)
    return folder


@pytest.fixture
def game(played: Path, tmp_path: Path) -> Game:
    """A copy of the game that was played, with its saves."""
    import shutil

    shutil.copytree(played, tmp_path / "game")
    return Game(tmp_path / "game")


def damage(game: Game, path: str) -> None:
    data = bytearray((game.folder / path).read_bytes())
    data[-40] ^= 1
    game.write(path, bytes(data))


def data_of(said: Said) -> Any:
    assert said.code == 0, said.err
    return json.loads(said.out)


# -- list


def test_a_folder_is_listed_as_a_player_would_choose(game: Game) -> None:
    said = game.run("saves", "list", "saves")
    assert said.code == 0
    text = re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d", "2026-01-31 18:05", said.out)
    text = re.sub(r"\d{3} B", "900 B", text)
    assert text.splitlines() == [
        "slot    title        saved             played      version  level   size   saves",
        "other                2026-01-31 18:05              1.2              900 B      1",
        "slot-1  At the gate  2026-01-31 18:05  1 h 02 min  1.2      valley  900 B      2",
    ]


def test_a_list_as_json_has_what_each_save_says_of_itself(game: Game) -> None:
    other, slot = data_of(game.run("saves", "list", "saves", "--format", "json"))
    assert other["slot"] == "other"
    assert slot["generations"] == [2, 1] and slot["generation"] == 2
    assert slot["metadata"]["title"] == "At the gate"
    assert slot["metadata"]["game_version"] == "1.2"
    assert slot["fault"] is None and slot["is_newest"]


def test_a_slot_without_a_save_that_can_be_read_is_marked(game: Game) -> None:
    damage(game, "saves/other/1.sav")
    said = game.run("saves", "list", "saves", "--verify")
    assert said.code == 1
    assert "damaged" in said.out


def test_a_slot_that_cannot_be_listed_is_marked_and_the_others_are_listed(
    game: Game,
) -> None:
    shutil.rmtree(game.folder / "saves" / "other")
    game.write("saves/other", "mine")
    words = "other cannot be listed: it is a file, not a folder"
    for options in ([], ["--verify"]):
        said = game.run("saves", "list", "saves", *options)
        assert said.code == 1
        assert "At the gate" in said.out and "damaged" in said.out
        assert said.err == f"skipped: {words}\n"
    said = game.run("saves", "list", "saves", "--format", "json")
    other, slot = json.loads(said.out)
    assert (other["fault"], other["generations"]) == (words, [])
    assert slot["fault"] is None and slot["generations"] == [2, 1]


def test_an_empty_folder_has_no_save(game: Game) -> None:
    (game.folder / "nothing").mkdir()
    said = game.run("saves", "list", "nothing")
    assert said == Said(0, "", "there is no save in nothing\n")


def test_what_is_not_there_is_a_mistake_of_the_caller(game: Game) -> None:
    for verb in ("list", "show", "verify", "export", "migrate"):
        said = game.run("saves", verb, "nowhere")
        words = "is not a folder" if verb == "list" else "does not exist"
        assert said.code == 2 and words in said.err, verb
        assert "nowhere" in said.err, verb


def test_a_folder_of_slots_is_no_save_and_its_slots_are_named(game: Game) -> None:
    for verb in ("show", "export", "migrate"):
        said = game.run("saves", verb, "saves")
        words = (
            "saves is a folder, but not a slot: name one of its slots, other, slot-1"
        )
        assert said.code == 2 and words in said.err, verb


def test_a_slot_is_no_folder_to_be_listed(game: Game) -> None:
    said = game.run("saves", "list", "saves/slot-1")
    assert said.code == 2
    assert (
        "saves/slot-1 is a slot: list the folder that contains it, or use `savegen saves show`"
        in said.err
    )


# -- show


def test_a_save_is_shown_without_the_game(game: Game) -> None:
    (game.folder / "game.py").unlink()
    said = game.run("saves", "show", "saves/slot-1/1.sav")
    assert said.code == 0
    lines = said.out.splitlines()
    assert lines[0] == "title         At the gate"
    assert "objects       3" in lines
    table = lines[lines.index("") + 1 :]
    assert table == [
        "class   objects  fields",
        "Camp          1  name: str, guards: list[ref]",
        "Goblin        2  hp: int, position: Vec2, foe: ref | None",
    ]


def test_a_title_cannot_pass_for_other_lines(game: Game) -> None:
    game.python(PLAY.replace("At the gate", "x\\nobjects       99"))
    said = game.run("saves", "show", "saves/slot-1")
    assert said.out.startswith("title         x\\nobjects       99\n")


def test_a_slot_stands_for_its_newest_save_that_is_whole(game: Game) -> None:
    newest = data_of(game.run("saves", "show", "saves/slot-1", "--format", "json"))
    assert newest["objects"] == 4
    damage(game, "saves/slot-1/2.sav")
    said = game.run("saves", "show", "saves/slot-1", "--format", "json")
    assert data_of(said)["objects"] == 3
    assert "skipped" in said.err and "2.sav" in said.err


def test_objects_are_called_by_what_leads_to_them(game: Game) -> None:
    said = game.run("saves", "show", "saves/slot-1/1.sav", "Goblin", "--format", "json")
    first, second = data_of(said)
    assert first["object"] == "Goblin Camp #1.guards[0]"
    assert first["foe"] == second["object"] == "Goblin Camp #1.guards[1]"
    assert first["position"] == {"x": 0.0, "y": 0.0}


def test_values_are_printed_as_python_prints_them(game: Game) -> None:
    said = game.run("saves", "show", "saves/slot-1/1.sav", "Goblin")
    row = said.out.splitlines()[2]
    assert "Vec2(x=0.0, y=0.0)" in row and "None" in row
    said = game.run("saves", "show", "saves/slot-1/1.sav", "Camp")
    assert "'gate'" in said.out and "[<Goblin Camp #1.guards[0]>, " in said.out


def test_only_some_objects_are_shown_and_the_rest_is_counted(game: Game) -> None:
    said = game.run("saves", "show", "saves/slot-1", "Goblin", "--limit", "1")
    assert len(said.out.splitlines()) == 2
    assert said.err == "2 more; add --all to show them\n"


def test_a_class_that_a_save_does_not_have_is_told_with_the_nearest(game: Game) -> None:
    said = game.run("saves", "show", "saves/slot-1", "Gobin")
    assert said.code == 2
    assert "did you mean 'Goblin'?" in said.err


# -- verify


def test_whole_saves_are_whole(game: Game) -> None:
    said = game.run("saves", "verify", "saves")
    assert said.out.splitlines() == [
        "ok       saves/other/1.sav",
        "ok       saves/slot-1/1.sav",
        "ok       saves/slot-1/2.sav",
    ]
    assert (said.code, said.err) == (0, "3 saves, none damaged\n")


def test_a_folder_and_a_file_that_cannot_be_read_are_faults_beside_the_others(
    game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refusing(real: Callable[..., Any], name: str) -> Callable[..., Any]:
        def call(path: Any, *arguments: Any, **options: Any) -> Any:
            if str(path).rstrip("/").endswith(name):
                raise PermissionError(13, "Permission denied", path)
            return real(path, *arguments, **options)

        return call

    monkeypatch.setattr(os, "scandir", refusing(os.scandir, "saves/other"))
    monkeypatch.setattr(os, "open", refusing(os.open, "slot-1/1.sav"))
    said = game.run("saves", "verify", "saves")
    assert said.out.splitlines() == [
        "damaged  saves/slot-1/1.sav: it cannot be read: Permission denied",
        "ok       saves/slot-1/2.sav",
        "damaged  saves/other: it cannot be listed: Permission denied",
    ]
    assert (said.code, said.err) == (1, "3 saves, 2 damaged\n")
    said = game.run("saves", "show", "saves")
    assert said.code == 2 and "name one of its slots, slot-1\n" in said.err


def test_a_broken_save_is_named_with_its_fault(game: Game) -> None:
    damage(game, "saves/slot-1/1.sav")
    said = game.run("saves", "verify", "saves/slot-1")
    assert said.code == 1
    assert "damaged  saves/slot-1/1.sav: " in said.out
    assert "ok       saves/slot-1/2.sav" in said.out


def test_the_game_tells_whether_a_save_would_load(game: Game) -> None:
    assert game.run("saves", "verify", "saves", "--game").code == 0
    game.replace("game.py", "hp: Saved[int] = 7", "hp: Saved[str] = 'seven'")
    assert game.run("build").code == 0
    said = game.run("saves", "verify", "saves", "--game")
    assert said.code == 1
    assert "Goblin.hp" in said.out
    assert said.out.startswith("unloadable  saves/")
    assert said.err.endswith(" saves, none damaged, 3 cannot be loaded\n")


WORLD = """\

from savegen import Activation, on_activate
from savegen.runtime import SaveLoadManager


def new_world():
    from _savegen.registry import REGISTRY

    manager = SaveLoadManager(REGISTRY)

    def load_level(name: str) -> None:
        with open(f"{name}.txt") as level:
            manager.add(Gate(), placement=level.read(), level=name)

    return manager, load_level


@saveable
class Gate:
    opened: Saved[int] = 0

    @on_activate
    def draw(self, reason: Activation) -> None:
        if self.opened > 1:
            raise RuntimeError("there is no screen")
"""
PLAY_LEVEL = """\
from game import Gate, new_world
from savegen.saves import SaveSlots

manager, load_level = new_world()
load_level("valley")
for opened, slot in enumerate(["closed", "opened", "broken"]):
    next(manager.find(Gate)).opened = opened
    SaveSlots("levels").save(slot, manager, level="valley")
"""


@pytest.fixture
def levels(game: Game) -> Game:
    """The game with a function that makes its world, a level, and three saves made in it."""
    game.append("game.py", WORLD)
    game.append("pyproject.toml", 'world = "game:new_world"\n')
    game.write("valley.txt", "gate")
    for verb in ("wire", "build"):
        assert game.run(verb).code == 0
    game.python(PLAY_LEVEL)
    return game


def test_saves_are_loaded_into_the_world_that_a_function_of_the_game_makes(
    levels: Game,
) -> None:
    said = levels.run("saves", "verify", "levels", "--game")
    assert said.out.splitlines() == [
        "hook     levels/broken/1.sav: `Gate.draw` raised RuntimeError: there is no screen",
        "ok       levels/closed/1.sav",
        "ok       levels/opened/1.sav",
    ]
    assert said.code == 4
    assert said.err.endswith("3 saves, none damaged, 1 with a hook that raised\n")
    levels.remove("valley.txt")
    said = levels.run("saves", "verify", "levels/opened", "saves/other", "--game")
    assert said.code == 1
    assert "unloadable  levels/opened/1.sav: " in said.out
    assert "FileNotFoundError" in said.out
    assert "ok       saves/other/1.sav" in said.out


def test_a_save_that_decodes_but_cannot_be_applied_is_unloadable(game: Game) -> None:
    game.replace(
        "game.py",
        "class Camp(CampSaveLoad):\n",
        "class Camp(CampSaveLoad):\n    def __new__(cls):\n        raise ValueError(cls)\n\n",
    )
    said = game.run("saves", "verify", "saves/other", "--game")
    assert said.code == 1
    assert said.out.startswith("unloadable  saves/other/1.sav: ")


@pytest.mark.parametrize(
    ("world", "words"),
    [
        ("game:old_world", "`game:old_world` cannot be found"),
        ("game:Camp", "`game:Camp` returned a Camp; let it return the manager"),
    ],
)
def test_a_function_that_makes_no_world_is_named(
    game: Game, world: str, words: str
) -> None:
    game.append("pyproject.toml", f'world = "{world}"\n')
    said = game.run("saves", "verify", "saves/other", "--game")
    assert said.code == 1 and words in said.out


# -- diff


def test_two_saves_are_compared_by_meaning(game: Game) -> None:
    said = game.run("saves", "diff", "saves/slot-1/1.sav", "saves/slot-1/2.sav")
    assert said.code == 0
    assert sorted(said.out.splitlines()) == sorted(
        [
            "  Camp #1",
            "      guards[2]: – → <Goblin Camp #1.guards[2]>",
            "  Goblin Camp #1.guards[0]",
            "      hp: 7 → 3",
            "      foe: <Goblin Camp #1.guards[1]> → None",
            "  Goblin Camp #1.guards[1]",
            "      position.x: 0.0 → 1.5",
            "+ Goblin Camp #1.guards[2]",
        ]
    )
    assert said.err == "5 differences\n"


BALL = """\
import pygame

from savegen import Saved, saveable


@saveable
class Ball:
    box: Saved[pygame.FRect]
    way: Saved[list[pygame.Vector2]]
    aim: Saved[int | tuple[int, str]] = 0

    def __init__(self, x: float) -> None:
        self.box = pygame.FRect(x, 2.5, 3, 4)
        self.way = [pygame.Vector2(x, 0.25)]
"""
THROW = """\
from _savegen.registry import REGISTRY
from game import Ball
from savegen.runtime import SaveLoadManager
from savegen.saves import SaveSlots

manager = SaveLoadManager(REGISTRY)
ball = manager.add(Ball(1))
ball.aim = (1, "x")
SaveSlots("saves").save("one", manager)
ball.__init__(7)
ball.aim = (2, "x")
SaveSlots("saves").save("two", manager)
"""


def test_fields_with_codecs_are_shown_and_compared_as_python_values(
    tmp_path: Path,
) -> None:
    game = Game(tmp_path)
    game.write("game.py", BALL)
    for verb in ("wire", "build"):
        assert game.run(verb, "game.py").code == 0
    game.python(THROW)
    said = game.run("saves", "show", "saves/one", "Ball")
    for text in ("FRect((1.0, 2.5, 3.0, 4.0))", "[Vector2((1.0, 0.25))]", "(1, 'x')"):
        assert f" {text}" in said.out
    assert sorted(
        game.run("saves", "diff", "saves/one", "saves/two").out.splitlines()
    ) == [
        "      aim[0]: 1 → 2",
        "      box[0]: 1.0 → 7.0",
        "      way[0][0]: 1.0 → 7.0",
        "  Ball #1",
    ]


BAG = """\
from datetime import timedelta
from enum import Enum

from savegen import Saved, saveable


class Mood(Enum):
    ANGRY = 1


@saveable
class Bag:
    words: Saved[dict[str, str]]
    counts: Saved[dict[str, int]]
    moods: Saved[dict[Mood, int]]
    rest: Saved[timedelta]

    def __init__(self) -> None:
        self.words = {"$ref": "x"}
        self.counts = {"$ref": 0}
        self.moods = {Mood.ANGRY: 2}
        self.rest = timedelta(days=1)
"""
FILL = """\
from datetime import timedelta

from _savegen.registry import REGISTRY
from game import Bag
from savegen.runtime import SaveLoadManager
from savegen.saves import SaveSlots

manager = SaveLoadManager(REGISTRY)
bag = manager.add(Bag())
SaveSlots("saves").save("one", manager)
bag.words = {"$bytes": "x"}
bag.counts = {"$ref": 9}
bag.rest = timedelta(days=2)
SaveSlots("saves").save("two", manager)
"""


def test_a_dict_of_the_game_is_never_read_as_a_form_of_savegen(tmp_path: Path) -> None:
    game = Game(tmp_path)
    game.write("game.py", BAG)
    for verb in ("wire", "build"):
        assert game.run(verb, "game.py").code == 0
    game.python(FILL)
    said = game.run("saves", "show", "saves/one", "Bag")
    for text in (
        "{'$ref': 'x'}",
        "{'$ref': 0}",
        "{Mood.ANGRY: 2}",
        "datetime.timedelta(days=1)",
    ):
        assert f" {text}" in said.out
    assert " {'$bytes': 'x'}" in game.run("saves", "show", "saves/two", "Bag").out
    assert game.run("saves", "verify", "saves").code == 0
    assert sorted(
        game.run("saves", "diff", "saves/one", "saves/two").out.splitlines()
    ) == [
        "      counts.$ref: 0 → 9",
        "      rest: datetime.timedelta(days=1) → datetime.timedelta(days=2)",
        "      words.$bytes: – → 'x'",
        "      words.$ref: 'x' → –",
        "  Bag #1",
    ]


def test_a_save_does_not_differ_from_itself(game: Game) -> None:
    same = game.run("saves", "diff", "saves/other", "saves/slot-1", "--exit-code")
    assert same == Said(0, "no difference\n", "")
    differs = ("saves", "diff", "saves/slot-1/1.sav", "saves/other", "--exit-code")
    assert game.run(*differs).code == 1


# -- export and migrate


def test_an_exported_save_can_be_imported(game: Game) -> None:
    assert game.run("saves", "export", "saves/slot-1", "-o", "save.json").code == 0
    said = game.run("saves", "import", "save.json", "-o", "saves/copy/1.sav")
    assert said == Said(0, "wrote saves/copy/1.sav\n", "")
    copy, original = (
        (game.folder / f"saves/{name}.sav").read_bytes()
        for name in ("copy/1", "slot-1/2")
    )
    assert copy == original and read_thumbnail(copy) == b"a picture"
    again = game.run("saves", "export", "saves/slot-1", "-o", "save.json")
    assert again.code == 2 and "already exists" in again.err
    again = game.run("saves", "import", "save.json", "-o", "saves/copy/1.sav")
    assert again.code == 2 and "already exists" in again.err


def test_a_value_can_be_changed_by_hand(game: Game) -> None:
    assert game.run("saves", "export", "saves/other", "-o", "save.json").code == 0
    game.replace("save.json", '"gate"', '"wall"')
    assert game.run("saves", "import", "save.json", "-o", "new.sav").code == 0
    said = game.run("saves", "diff", "saves/other", "new.sav")
    assert "      name: 'gate' → 'wall'" in said.out.splitlines()
    game.replace("save.json", '"wall"', "7")
    said = game.run("saves", "import", "save.json", "-o", "newer.sav")
    assert said.code == 1 and "does not fit its type `str`" in said.err
    assert not (game.folder / "newer.sav").exists()


def test_json_that_no_export_wrote_is_refused(game: Game) -> None:
    game.write("wrong.json", '{"title": 1}')
    said = game.run("saves", "import", "wrong.json", "-o", "new.sav")
    assert said.code == 1 and "the JSON is not a save" in said.err
    said = game.run("saves", "import", "nowhere.json", "-o", "new.sav")
    assert said.code == 2 and "nowhere.json" in said.err


def test_a_damaged_journal_is_a_fault_of_its_save(game: Game) -> None:
    game.python(AUTOSAVE)
    assert game.run("saves", "verify", "saves/auto").code == 0
    journal = bytearray((game.folder / "saves/auto/1.journal").read_bytes())
    journal[40] ^= 1
    game.write("saves/auto/1.journal", bytes(journal))
    said = game.run("saves", "verify", "saves/auto")
    assert said.code == 1 and "1.journal: it is damaged" in said.out


AUTOSAVE = """\
from _savegen.registry import REGISTRY
from game import Camp, Goblin
from savegen.runtime import SaveLoadManager
from savegen.saves import Autosave, SaveSlots

manager = SaveLoadManager(REGISTRY)
camp = manager.add(Camp())
camp.guards = [Goblin() for _ in range(300)]
autosave = Autosave(SaveSlots("saves"), manager)
for name in "abc":
    camp.name = name
    autosave.record()
"""


def test_plain_values_are_what_a_person_reads(game: Game) -> None:
    found = data_of(game.run("saves", "export", "saves/slot-1/1.sav", "--plain"))
    assert found["tables"]["Goblin"][0]["position"] == {"x": 0.0, "y": 0.0}


def test_a_save_is_migrated_beside_the_original(game: Game) -> None:
    before = (game.folder / "saves/slot-1/1.sav").read_bytes()
    game.append("pyproject.toml", "save_version = 1\n")
    game.append(
        "game.py",
        "\n\nfrom savegen import migration\n\n\n@migration(to=1)\n"
        "def double(save):\n    for goblin in save['Goblin']:\n        goblin['hp'] *= 2\n",
    )
    assert game.run("build").code == 0
    said = game.run("saves", "migrate", "saves/slot-1/1.sav", "-o", "new.sav")
    assert (said.code, said.out) == (0, "wrote new.sav, version 0 to 1\n"), said.err
    assert (game.folder / "saves/slot-1/1.sav").read_bytes() == before
    goblins = data_of(
        game.run("saves", "show", "new.sav", "Goblin", "--format", "json")
    )
    assert [goblin["hp"] for goblin in goblins] == [14, 14]
    again = game.run("saves", "migrate", "saves/slot-1/1.sav", "-o", "new.sav")
    assert again.code == 2
    said = game.run("saves", "migrate", "saves/slot-1")
    wrote = "wrote saves/slot-1/2.migrated.sav, version 0 to 1\n"
    assert (said.code, said.out) == (0, wrote), said.err
    damage(game, "saves/slot-1/2.sav")
    said = game.run("saves", "migrate", "saves/slot-1", "-o", "newest.sav")
    assert said.out == "wrote newest.sav, version 0 to 1\n", said.err
    assert "skipped: slot-1/2.sav" in said.err
    said = game.run("saves", "migrate", "saves/slot-1/1.sav", "-o", "new/a/1.sav")
    assert (said.code, said.out) == (0, "wrote new/a/1.sav, version 0 to 1\n"), said.err


def test_a_migrated_save_that_cannot_be_written_is_not_called_unreadable(
    game: Game,
) -> None:
    game.write("full.txt", "a file where a folder should be")
    said = game.run("saves", "migrate", "saves/slot-1/1.sav", "-o", "full.txt/1.sav")
    assert said.code == 1 and "cannot be read" not in said.err
    assert "full.txt/1.sav failed: " in said.err


def test_what_a_migration_raises_is_told(game: Game) -> None:
    game.append("pyproject.toml", "save_version = 1\n")
    game.append(
        "game.py",
        "\n\nfrom savegen import migration\n\n\n@migration(to=1)\n"
        "def fail(save):\n    save['Goblin'][0]['mana'] += 1\n",
    )
    assert game.run("build").code == 0
    said = game.run("saves", "migrate", "saves/slot-1/1.sav")
    assert said.code == 1
    assert "fail" in said.err and "mana" in said.err
    said = game.run("saves", "migrate", "saves/slot-1/1.sav", "-o", "new/1.sav")
    assert said.code == 1
    assert not (game.folder / "new").exists()
    assert not (game.folder / "saves/slot-1/1.migrated.sav").exists()
