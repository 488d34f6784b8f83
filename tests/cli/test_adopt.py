"""`savegen adopt` and `savegen mark` on the files of a game."""

from __future__ import annotations

import pytest

from tests.cli.games import TABLE, Game
from tests.project import program, repository

WORLD = """\
import pickle
import random


class Agent:
    def __init__(self, world, place):
        self.world = world
        self.place = place
        self.wealth = 1


class World:
    def __init__(self, n: int, seed: int):
        self.rng = random.Random(seed)
        self.agents = []
        self.log = None
        self.on_step = lambda: None
        for i in range(n):
            self.agents.append(Agent(self, (i, 0)))

    def save(self):
        return pickle.dumps(self)


def main():
    world = World(3, 1)
    world.log = note()
    return world


def note():
    import json

    return json.loads("[1, 2]")


if __name__ == "__main__":
    main()
"""


@pytest.fixture
def plain(bare: Game) -> Game:
    """A game without marks."""
    bare.write("pyproject.toml", TABLE)
    bare.write("game/__init__.py", "")
    bare.write("game/world.py", WORLD)
    return bare


def texts(game: Game) -> dict[str, bytes]:
    return {
        str(path.relative_to(game.folder)): path.read_bytes()
        for path in sorted(game.folder.rglob("*"))
        if path.is_file() and ".savegen_cache" not in path.parts
    }


def test_the_proposal_changes_nothing(plain: Game) -> None:
    before = texts(plain)
    done = plain.run("adopt")
    assert done.code == 0
    assert "game/world.py:12: World (pickled in game/world.py:22)" in done.out
    assert "    agents: list[Agent]" in done.out
    assert "on_step (not saved: a function, which cannot be saved)" in done.out
    assert "1. game/world.py:16: World.log: the type is unknown" in done.out
    assert (
        "2 classes, 7 attributes: 5 saved, 1 not saved, 1 open; 1 question"
        in done.out + done.err
    )
    assert texts(plain) == before


def test_the_marked_game_builds_saves_and_loads(plain: Game) -> None:
    assert plain.run("adopt", "--apply").code == 0
    assert plain.run("adopt", "--apply").out.endswith("up to date\n")
    assert plain.run("build").code == 0
    text = """
        from game.world import World
        from game._savegen.registry import REGISTRY
        from savegen.runtime import SaveLoadManager
        manager = SaveLoadManager(REGISTRY)
        world = World(3, 1)
        manager.add(world)
        snapshot = manager.create_snapshot()
        wanted = world.rng.random()
        world.agents[0].wealth = 9
        manager.apply_snapshot(snapshot)
        assert world.rng.random() == wanted
        assert world.agents[0].wealth == 1 and world.agents[0].world is world
    """
    program(text, folder=plain.folder)


def test_running_the_game_answers_questions(plain: Game) -> None:
    done = plain.run("adopt", "--run", "game/world.py")
    assert done.code == 0, done
    assert "    log: list[int]" in done.out
    assert "1 question" not in done.out + done.err


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (" ", "name a script"),
        ("", "name a script"),
        ("nonexistent.py", "nonexistent.py does not exist"),
        ("game/world.py 'y", "No closing quotation"),
    ],
)
def test_a_run_needs_a_script(plain: Game, words: str, problem: str) -> None:
    done = plain.run("adopt", "--run", words)
    assert done.code == 2
    assert "Usage: savegen adopt" in done.err
    assert problem in done.err


@pytest.mark.parametrize(
    ("end", "code", "error"),
    [
        ("1 / 0", 1, " (ZeroDivisionError: division by zero)"),
        ("raise SystemExit(3)", 3, ""),
        ("raise SystemExit('no display')", 1, " (no display)"),
    ],
)
def test_a_run_that_fails_is_reported_with_what_it_saw(
    plain: Game, end: str, code: int, error: str
) -> None:
    plain.write("game/world.py", f"{WORLD}    {end}\n")
    done = plain.run("adopt", "--run", "game/world.py")
    assert done.code == 1
    assert "    log: list[int]" in done.out
    assert done.err.endswith(
        f"game/world.py failed with exit code {code}{error};"
        " before that, 7 attributes were seen\n"
    )


def test_a_run_that_ends_normally_is_no_failure(plain: Game) -> None:
    for end in ("raise SystemExit", "raise SystemExit(0)", "raise KeyboardInterrupt"):
        plain.write("game/world.py", f"{WORLD}    {end}\n")
        assert plain.run("adopt", "--run", "game/world.py").code == 0


def test_a_run_that_keeps_no_object_says_so(plain: Game) -> None:
    note = (
        "savegen saw no object of these classes: it looks when functions return to short.py,"
        " and at its end; keep the game in a variable of the script\n"
    )
    plain.write("short.py", "from game import world\n")
    done = plain.run("adopt", "--run", "short.py")
    assert (done.code, note in done.err) == (0, True)
    plain.write("short.py", "from game import world\nworld.main()\n")
    done = plain.run("adopt", "--run", "short.py")
    assert note not in done.err
    assert "    log: list[int]" in done.out


def test_a_run_that_leaves_no_record_is_an_error(plain: Game) -> None:
    plain.write("game/world.py", f"{WORLD}    import os; os._exit(0)\n")
    done = plain.run("adopt", "--run", "game/world.py")
    assert (done.code, done.err) == (
        2,
        "error: game/world.py ended at once with exit code 0, as `os._exit` does,"
        " so nothing was recorded\n",
    )


def test_a_report_is_written(plain: Game) -> None:
    assert plain.run("adopt", "--report", "report.md").code == 0
    text = (plain.folder / "report.md").read_text()
    assert "- `game/world.py:22`: `self` (`World`)" in text
    assert "| `agents` | saved | `list[Agent]` |" in text
    before = texts(plain)
    (plain.folder / "report.md").unlink()
    assert plain.run("adopt", "--diff", "--report", "report.md").code == 1
    assert texts(plain) == before


@pytest.mark.parametrize("file", ["game", "game/world.py", "none/report.md"])
def test_a_report_that_cannot_be_written_changes_nothing(
    plain: Game, file: str
) -> None:
    before = texts(plain)
    assert plain.run("adopt", "--apply", "--report", file).code == 2
    assert texts(plain) == before


def test_roots_are_classes_or_files(plain: Game) -> None:
    assert "Agent (named)" in plain.run("adopt", "Agent").out
    assert "Agent (named)" in plain.run("adopt", "game/world.py").out
    done = plain.run("adopt", "Nothing")
    assert done.code == 2
    assert "the game has no class or file `Nothing`" in done.err


def test_a_misspelt_root_is_corrected(plain: Game) -> None:
    done = plain.run("adopt", "Wrold")
    assert "no class or file `Wrold`; did you mean `World`?" in done.err


@pytest.mark.parametrize("words", [(), ("World",), (".",)])
def test_a_folder_without_classes_is_not_a_game(
    bare: Game, words: tuple[str, ...]
) -> None:
    bare.write("tests/test_x.py", "def test_x(): pass\n")
    done = bare.run("adopt", *words)
    assert done.code == 2
    assert done.err.startswith("error: there is no class here")
    bare.write("main.py", "class A(:\n")
    done = bare.run("adopt", *words)
    assert done.code == 2
    assert done.err.startswith("error: main.py:1: the file cannot be read: ")


def test_a_marked_game_needs_no_more_marks(plain: Game) -> None:
    assert plain.run("adopt", "--apply").code == 0
    done = plain.run("adopt")
    assert done.out.endswith("all of these marks are in your source\n")
    assert "--apply" not in done.err


def test_a_class_that_defines_how_it_is_pickled_is_saved(plain: Game) -> None:
    hero = "class Hero:\n    def __getstate__(self): return vars(self)\n"
    plain.write("game/hero.py", hero)
    done = plain.run("adopt")
    assert "game/hero.py:1: Hero (defines how it is pickled)\n" in done.out


def test_a_game_that_pickles_nothing_asks_for_a_root(plain: Game) -> None:
    plain.write("game/world.py", WORLD.replace("pickle.dumps(self)", "None"))
    done = plain.run("adopt")
    assert done.code == 2
    assert "the game pickles nothing; name the class or file" in done.err


def test_writing_needs_a_configuration(bare: Game) -> None:
    bare.write("world.py", WORLD)
    assert bare.run("adopt").code == 0
    done = bare.run("adopt", "--apply")
    assert done.code == 2
    assert "found no pyproject.toml with [tool.savegen]" in done.err
    bare.write("pyproject.toml", "[project\n")
    done = bare.run("adopt", "--apply")
    assert done.code == 2
    assert done.err.startswith("error: pyproject.toml:1:9: this is not valid TOML")


def test_uncommitted_changes_are_not_mixed_with_marks(plain: Game) -> None:
    repository(plain.folder)
    plain.write("game/world.py", WORLD + "# more\n")
    before = texts(plain)
    done = plain.run("adopt", "--apply")
    assert done.code == 2
    assert done.err == (
        "error: game/world.py has changes that are not committed; nothing was changed."
        " Commit them first, or run `savegen adopt --apply --allow-dirty`\n"
    )
    assert texts(plain) == before
    assert plain.run("adopt", "--apply", "--allow-dirty").code == 0


@pytest.mark.parametrize(
    "other",
    [
        "class Broken(:\n",
        "class A: pass\nclass B: x = 1\n",
        "if True:\n    class A:\n        def __init__(self): self.x = 1\n",
        "def f():\n    class A:\n        def __init__(self): self.x = 1\n    return A\n",
        "from game.world import *\nclass Heir(World): pass\n",
        "\tx = 1\n",
        "#coding: nonsense\nclass A: pass\n",
    ],
)
def test_other_files_may_be_anything(plain: Game, other: str) -> None:
    plain.write("game/other.py", other)
    assert plain.run("adopt").code == 0
    done = plain.run("adopt", "--apply", "--allow-dirty")
    assert done.code in (0, 1), done
    assert "Traceback" not in done.err
    assert "world: Saved[" in (plain.folder / "game/world.py").read_text()


def test_a_read_only_file_leaves_all_files_as_they_are(plain: Game) -> None:
    folder = plain.folder / "game"
    before = texts(plain)
    folder.chmod(0o555)
    try:
        done = plain.run("adopt", "--apply")
        if done.code == 0:
            pytest.skip("this user may write everywhere")
        assert done.code == 2
        assert texts(plain) == before
    finally:
        folder.chmod(0o755)


def test_a_mark_that_the_build_refuses_becomes_a_question(plain: Game) -> None:
    plain.write(
        "game/world.py",
        WORLD.replace("world.log = note()", "pass").replace(
            "self.log = None", "self.log = {([1],)}"
        ),
    )
    done = plain.run("adopt", "--apply")
    assert done.code == 0, done
    reason = "the elements of the `set` in `log` are not hashable"
    assert f"World.log: {reason}\n" in done.out, done.out
    assert "a) saved: declare `log: Saved[…]` in the class" in done.out
    assert plain.run("build").code == 0


def place_of(text: str, game: Game, path: str) -> str:
    """The path and the line of a text in a file of a game."""
    return f"{path}:{game.read(path).partition(text)[0].count(chr(10)) + 1}"


def test_a_class_that_cannot_be_marked_does_not_stop_its_file(plain: Game) -> None:
    line = "class Flag: up = 1\n\n\ndef raise_it(flag: Flag):\n    flag.up = 2\n"
    plain.write("game/world.py", WORLD + "\n\n" + line)
    done = plain.run("adopt", "game/world.py", "--apply")
    assert done.code == 0, done
    problem = "Flag: savegen cannot mark it: the class is written on one line"
    assert f"{place_of('class Flag', plain, 'game/world.py')}: {problem}" in done.out
    assert (
        "3 classes, 8 attributes: 5 saved, 1 not saved, 2 open; 2 questions" in done.out
    )
    assert "    agents: Saved[" in plain.read("game/world.py")
    assert plain.read("game/world.py").endswith(line)
    assert plain.run("build").code == 0


@pytest.mark.parametrize("name", ["Saved", "saveable", "Annotated"])
def test_a_game_may_use_the_names_of_marks_for_something_else(
    plain: Game, name: str
) -> None:
    game = f"class {name}:\n    def __init__(self):\n        self.x = 1\n"
    game += "class Other:\n    def __init__(self):\n        self.y: int = 1\n"
    plain.write("game/other.py", game)
    done = plain.run("adopt", ".", "--apply")
    assert done.code == 0, done
    reason = f"the file uses the name `{name}` for something else"
    if name == "saveable":
        assert plain.read("game/other.py") == game
        assert done.out.count(f"savegen cannot mark it: {reason}") == 2
        assert "5 saved, 1 not saved, 3 open; 3 questions" in done.out
    elif name == "Saved":
        place = place_of("class Saved", plain, "game/other.py")
        assert f"{place}: Saved: savegen cannot mark it: {reason}" in done.out
        assert "self.y: Annotated[int, Save()] = 1" in plain.read("game/other.py")
    else:
        place = place_of("class Other", plain, "game/other.py")
        assert f"{place}: Other: savegen cannot mark it: {reason}" in done.out
        assert "x: Saved[int]" in plain.read("game/other.py")
    assert plain.run("build").code == 0


MARKED = """\
from savegen import saveable


@saveable(transient=("skin",))
class Hero:
    hp: int = 3
    skin: bytes = b""

    def __init__(self) -> None:
        self.mp: int = 1
        self.other = 2
"""


def test_mark_wraps_the_annotations_of_marked_classes(plain: Game) -> None:
    plain.write("game/hero.py", MARKED)
    shown = plain.run("mark", "--diff")
    assert shown.code == 1
    assert plain.run("mark").code == 0
    text = (plain.folder / "game/hero.py").read_text()
    assert '    skin: bytes = b""\n' in text
    assert "        self.mp: Annotated[int, Save()] = 1\n" in text
    assert "        self.other = 2\n" in text
    assert plain.run("mark").out == "up to date\n"
    assert (plain.folder / "game/world.py").read_text() == WORLD


def test_questions_after_the_marks_are_written_name_the_new_lines(plain: Game) -> None:
    plain.write(
        "game/world.py", WORLD.replace("self.log = None", "self.log = eval('1')")
    )
    done = plain.run("adopt", "--apply")
    assert f"{place_of('self.log = ', plain, 'game/world.py')}: World.log" in done.out
