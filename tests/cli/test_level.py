"""`savegen level new|check|schema`: levels of a small game, through the real command."""

from __future__ import annotations

import json

import pytest
from PIL import Image

from tests.cli.drawn import FRIENDLY, MAP, SPRITES, draw
from tests.cli.games import Game
from tests.project import Said


@pytest.fixture
def game(drawn_game: Game) -> Game:
    return drawn_game


# new


def test_a_new_level_has_every_prefab_and_images_that_fit(game: Game) -> None:
    said = game.run("level", "new", "cave", "--size", "20x10", "--pixels-per-unit", "8")
    paths = [
        "level.lvl",
        *(f"{k}/layer1.png" for k in ("geometry", "sprites", "visuals")),
    ]
    assert said == Said(0, "".join(f"wrote cave/{path}\n" for path in paths), "")
    told = json.loads(game.read("cave/level.lvl"))
    kinds = [entry["$type"] for entry in told["sprites"].values()]
    assert sorted(kinds) == ["CoinSerializer", "OrcSerializer", "WallSerializer"]
    assert told["$schema"] == "../_savegen/level.schema.json"
    sizes = {path: Image.open(game.folder / "cave" / path).size for path in paths[1:]}
    assert [*sizes.values()] == [(20, 10), (160, 80), (160, 80)]
    assert game.run("level", "check", "cave") == Said(
        0, "cave: 1 layer, 0 rectangles, 0 sprites\n", ""
    )


def test_a_new_level_does_not_call_itself_generated(game: Game) -> None:
    game.run("level", "new", "cave")
    assert "@generated" in game.read("_savegen/template.lvl")
    assert "@generated" not in game.read("cave/level.lvl")


def test_a_new_level_replaces_nothing(game: Game) -> None:
    game.write("cave/notes.txt", "mine")
    before = game.files()
    said = game.run("level", "new", "cave")
    assert (said.code, said.out) == (2, "")
    assert "cave already exists" in said.err
    assert game.files() == before


def test_a_new_level_needs_a_name_and_may_have_a_roundabout_one(game: Game) -> None:
    before = game.files()
    said = game.run("level", "new", "")
    assert said == Said(2, "", "error: a level needs a name, such as `levels/cavern`\n")
    assert game.files() == before
    assert game.run("level", "new", "attic/../cave").code == 0
    assert game.run("level", "check", "cave").code == 0
    assert not (game.folder / "attic").exists()


def test_a_level_that_cannot_be_written_whole_is_not_there(
    game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    from savegen import disk

    before, real = game.files(), disk.create

    def full(path: str, *parts: bytes, mode: int | None = None) -> None:
        if "sprites" in path:
            raise OSError(28, "No space left on device", path)
        real(path, *parts, mode=mode)

    monkeypatch.setattr(disk, "create", full)
    for name in ("cave", "deep/down/cave"):
        said = game.run("level", "new", name)
        words = f"{name}/sprites/layer1.png: No space left on device\n"
        assert said.code == 2 and said.err.endswith(words) and ".tmp" not in said.err
    assert game.files() == before
    assert not [*game.folder.glob(".savegen-*")] and not (game.folder / "deep").exists()


def test_the_folders_on_the_way_are_made(game: Game) -> None:
    assert game.run("level", "new", "deep/down/cave/").code == 0
    assert game.run("level", "check", "deep/down/cave/").code == 0
    assert "../../../_savegen/" in game.read("deep/down/cave/level.lvl")


@pytest.mark.parametrize(
    "name",
    [
        *("con", "aux.x", "COM1", "levels/nul", "con/cave", "lpt9.d/cave"),
        *(
            "a:",
            "c:cave",
            "cave.",
            "cave ",
            " cave",
            "cave./deep",
            ".cave",
            "a*",
            "a?b",
        ),
        *("a\\b", 'a"b', "a<b>", "a|b", "a\nb", "a\x7f", "a\udc80", "x" * 201),
    ],
)
def test_a_name_that_some_system_cannot_have_is_refused(game: Game, name: str) -> None:
    before = game.files()
    said = game.run("level", "new", name)
    assert (said.code, said.out) == (2, "") and said.err.count("\n") == 1
    assert "is not a valid folder name on all operating systems" in said.err
    assert game.files() == before and not (game.folder / "levels").exists()


@pytest.mark.parametrize(
    ("name", "other"),
    [("Cave", "cave"), ("LEVELS/cave", "levels"), ("stra\u00dfe", "STRASSE")],
)
def test_a_name_that_is_another_on_some_system_is_refused(
    game: Game, name: str, other: str
) -> None:
    game.write(f"{other}/notes.txt", "mine")
    before = game.files()
    said = game.run("level", "new", name)
    first = name.partition("/")[0]
    assert said == Said(
        2,
        "",
        f"error: {other!r} and {first!r} are the same file name on"
        " Windows or macOS: choose another name\n",
    )
    assert game.files() == before


@pytest.mark.parametrize("name", [".", "..", "/", "cave/..", "game.py", "game.py/cave"])
def test_what_is_there_is_never_a_new_level(game: Game, name: str) -> None:
    before = game.files()
    said = game.run("level", "new", name)
    assert (said.code, said.out) == (2, "") and said.err.count("\n") == 1
    assert game.files() == before


@pytest.mark.parametrize("size", ["32", "0x5", "9999x5", "5x-1", "axb"])
def test_a_size_is_two_sensible_numbers(game: Game, size: str) -> None:
    said = game.run("level", "new", "cave", "--size", size)
    assert said.code == 2 and "32x18" in said.err
    assert not (game.folder / "cave").exists()


def test_without_a_build_there_is_no_template(bare: Game) -> None:
    bare.write("pyproject.toml", "[tool.savegen]\nsource = '.'\noutput = '_savegen'\n")
    said = bare.run("level", "new", "cave")
    assert said.code == 2
    assert "there is no _savegen/template.lvl yet: run `savegen build`" in said.err


# check


def test_a_level_that_is_right_is_told_in_one_line(game: Game) -> None:
    draw(game)
    assert game.run("level", "check", "levels/cave") == Said(
        0, "levels/cave: 1 layer, 4 rectangles, 2 sprites\n", ""
    )


def test_checking_does_not_import_the_game(game: Game) -> None:
    draw(game)
    game.write("game.py", "raise SystemExit('imported')\n")
    assert game.door("level", "check", "levels/cave").code == 0


def test_all_that_is_wrong_is_told_at_once_with_its_place(game: Game) -> None:
    told = json.dumps(FRIENDLY, indent=2).replace('"hp": 5', '"hp": 50')
    draw(game, geometry=["###?", *MAP[1:]], sprites=[*SPRITES[:2], "..?."], told=told)
    said = game.run("level", "check", "levels/cave")
    assert said.code == 1
    assert "--> levels/cave/level.lvl:10:13" in said.out
    assert '10 |       "hp": 50' in said.out  # the line itself
    assert "--> levels/cave/geometry/layer1.png" in said.out
    assert "--> levels/cave/sprites/layer1.png" in said.out
    assert "3 errors" in said.out
    concise = game.run("level", "check", "levels/cave", "--output-format", "concise")
    assert len(concise.out.splitlines()) == 3
    assert (
        "1 pixel, at 3,0" in concise.out and "1 pixel, at 2,2" in concise.out
    )  # the pixels


def test_findings_are_data_for_programs(game: Game) -> None:
    draw(game, geometry=["###?", *MAP[1:]])
    said = game.run("level", "check", "levels/cave", "--output-format", "json")
    (found,) = json.loads(said.out)
    assert found["path"] == "levels/cave/geometry/layer1.png"
    assert found["code"].startswith("SG5") and found["severity"] == "error"


def test_json_has_stdout_for_itself_when_nothing_is_wrong(game: Game) -> None:
    draw(game)
    said = game.run("level", "check", "levels/cave", "--output-format", "json")
    assert json.loads(said.out) == [] and "4 rectangles" in said.err


def test_several_levels_are_checked_and_the_good_ones_counted(game: Game) -> None:
    good, bad = draw(game), draw(game, "levels/pit", geometry=["?###", *MAP[1:]])
    said = game.run("level", "check", good, bad)
    assert said.code == 1
    assert "levels/cave: 1 layer" in said.out and "levels/pit: 1 layer" not in said.out


def test_strict_makes_errors_of_warnings(game: Game) -> None:
    draw(game)
    game.write("levels/cave/readme.txt", "mine")
    assert game.run("level", "check", "levels/cave").code == 0
    assert game.run("level", "check", "levels/cave", "--strict").code == 1


def test_what_is_no_folder_is_a_wrong_use(game: Game) -> None:
    said = game.run("level", "check", "levels/nowhere")
    assert said == Said(2, "", "error: levels/nowhere is not a folder\n")


@pytest.mark.parametrize("command", ["check", "preview", "upgrade"])
def test_a_folder_that_does_not_exist_is_named_before_a_missing_schema(
    game: Game, command: str
) -> None:
    game.remove("_savegen/level.schema.json")
    said = game.run("level", command, "levels/nowhere")
    assert said == Said(2, "", "error: levels/nowhere is not a folder\n")


def test_another_schema_can_be_named(game: Game) -> None:
    draw(game)
    schema = game.read("_savegen/level.schema.json")
    game.remove("_savegen/level.schema.json")
    assert game.run("level", "check", "levels/cave").code == 2
    game.write("other.json", schema)
    assert game.run("level", "check", "levels/cave", "--schema", "other.json").code == 0
    for text in (
        "{}",
        "[]",
        "{",
        '{"$defs": {"any-prefab": {"anyOf": [{}]}}}',
        "1",
        "\xff",
    ):
        game.write("other.json", text.encode("latin-1"))
        said = game.run("level", "check", "levels/cave", "--schema", "other.json")
        error = (
            "error: other.json is not a schema of level.lvl: name the level.schema.json that"
            " `savegen build` wrote\n"
        )
        assert said == Said(2, "", error), text


# check --against


def test_what_moved_came_and_went_is_listed(game: Game) -> None:
    old = draw(game, "old/cave")
    draw(game, sprites=["....", ".c.o", "...."], geometry=["####", "#..#", "#..."])
    said = game.run("level", "check", "levels/cave", "--against", old)
    assert said.code == 0
    lines = [" ".join(line.split()) for line in said.out.splitlines()]
    assert lines[0] == "levels/cave: 1 layer, 3 rectangles, 2 sprites"
    assert "grub OrcSerializer 3.5, 1.5 was at 1.5, 1.5" in lines
    assert "- cave/layer1/2,1 CoinSerializer 2.5, 1.5" in lines
    assert "+ cave/layer1/1,1 CoinSerializer 1.5, 1.5" in lines
    assert lines[-1] == "1 added, 1 moved, 2 removed, 1 resized"
    assert '"$id"' in said.err


def test_a_level_against_itself_differs_in_nothing(game: Game) -> None:
    old = draw(game, "old/pit")  # of another name: the cells are the same
    draw(game)
    said = game.run("level", "check", "levels/cave", "--against", old)
    assert said.out.splitlines()[-1] == "no placement changed"


def test_another_prefab_in_a_cell_is_told(game: Game) -> None:
    old = draw(game, "old/cave")
    draw(game, told=json.loads(json.dumps(FRIENDLY).replace("CoinS", "WallS")))
    said = game.run("level", "check", "levels/cave", "--against", old)
    assert "was CoinSerializer" in said.out


def test_only_one_level_is_compared(game: Game) -> None:
    draw(game)
    said = game.run("level", "check", "levels/cave", "levels/cave", "--against", "old")
    assert said.code == 2 and "--against needs exactly one level" in said.err


# schema


def test_the_schema_is_found_and_printed(game: Game) -> None:
    assert game.run("level", "schema").out == "_savegen/level.schema.json\n"
    assert game.run("level", "schema", cwd="_savegen").out == "level.schema.json\n"
    text = game.run("level", "schema", "--text").out
    assert text == game.read("_savegen/level.schema.json")


# all of them


def test_without_pillow_the_extra_is_named(
    game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    import importlib.util

    real = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "PIL" else real(name)
    )
    for verb in ("check", "pack", "preview", "upgrade", "new"):
        said = game.run("level", verb, "levels/cave")
        hint = 'error: levels need the package pillow: run pip install "savegen[build,levels]"\n'
        assert said == Said(2, "", hint)
