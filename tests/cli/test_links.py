"""`savegen links` as its users meet it: the game is run, and whatever it does is told."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from savegen.build.process import _ends_with_us

from tests.cli.games import TABLE, Game
from tests.cli.prefabricated import PASS_3, another, prefabricated
from tests.project import commit, git

OUT = "game/_savegen"
INFO = f"{OUT}/prefab_info.json"
SOURCES = f"{OUT}/prefab_sources.txt"
MEND = "run `savegen build` to fix this\n"
posix = pytest.mark.skipif(os.name == "nt", reason="needs a POSIX system")


@pytest.fixture
def camp(bare: Game) -> Game:
    """A game with a prefab, after two passes."""
    prefabricated(bare)
    assert bare.run("components").code == bare.run("prefabs").code == 0
    return bare


@pytest.fixture
def linked(camp: Game) -> Game:
    """A game with a prefab, after all of them."""
    assert camp.run("links").code == 0
    return camp


def generate(game: Game) -> None:
    assert game.run("components", "-q").code == game.run("prefabs", "-q").code == 0


def loaded(game: Game, output: str = OUT) -> list[str]:
    """Return the files that the game loaded in pass 3."""
    text = game.read(f"{output}/prefab_sources.txt")
    lines = [line.split(" ") for line in text.splitlines()]
    return [words[1] for words in lines if words[0] == "loaded"]


# What it writes


def test_pass_3_writes_what_prefabs_are_when_built(camp):
    lines = [f"wrote {OUT}/{name}\n" for name in PASS_3]
    assert camp.door("links") == (0, "".join(lines) + "wrote 4 files\n", "")
    info = json.loads(camp.read(INFO))
    assert info["prefabs"]["CAMP"]["defaults"] == {"hp": 5}
    assert loaded(camp) == ["game/__init__.py", "game/camp.py", "game/orc.py"]
    for name in PASS_3:
        text = camp.read(f"{OUT}/{name}")
        assert "DO NOT EDIT. @generated" in "".join(text.splitlines()[:2])
        assert text.endswith("\n")
    assert camp.door("check") == (0, "up to date\n", "")


def test_texts_are_as_they_are_written_and_not_escaped(camp):
    camp.replace("game/camp.py", "Where orcs live.", "Où vivent les orques 🏕.")
    generate(camp)
    assert camp.run("links").code == 0
    assert "Où vivent les orques 🏕" in camp.read(f"{OUT}/level.schema.json")


def test_the_same_game_gives_the_same_bytes_wherever_it_lies(make_game):
    games = [prefabricated(make_game(name)) for name in ("one", "two größer")]
    for game in games:
        assert game.run("build").code == 0
    assert games[0].files() == games[1].files()


def test_a_game_that_rolls_dice_gives_the_same_bytes_each_time(camp):
    init = "self.hp = randrange(10**9); self.own = list(set('abcdefgh'))"
    another(camp, "Elf", init, "from random import randrange")
    field = "hp: Saved[int] = 3"
    camp.replace("game/elf.py", field, f"{field}\n    own: Saved[list[str]]")
    assert camp.run("build").code == 0
    before = camp.files()
    assert camp.run("links", "--no-cache").code == 0
    assert camp.files() == before


# When the game is run, and when it is not


def test_the_game_is_not_run_again_for_nothing(linked):
    linked.write("game/unrelated.py", "x = 1\n")
    before = linked.read(INFO)
    linked.write("pyproject.toml", linked.read("pyproject.toml") + "python = 'nope'\n")
    assert linked.run("links") == (0, "up to date\n", "")
    assert linked.run("links", "--no-cache").code == 2
    assert linked.read(INFO) == before


def test_a_change_of_what_the_game_loads_is_told_without_running_it(linked):
    linked.replace("game/orc.py", "self.hp = hp", "self.hp = hp + 1")
    assert linked.run("components") == (0, "up to date\n", "")
    assert linked.run("prefabs") == (0, "up to date\n", "")
    assert linked.run("check") == (1, f"would change {SOURCES}\n", MEND)
    said = linked.run("check", "-v")
    assert said.err == f"{SOURCES}: game/orc.py has changed\n{MEND}"
    said = linked.run("links")
    assert said.code == 0 and f"wrote {INFO}\n" in said.out
    assert json.loads(linked.read(INFO))["prefabs"]["CAMP"]["defaults"] == {"hp": 6}
    assert linked.run("check") == (0, "up to date\n", "")


def test_a_helper_that_savegen_does_not_look_at_counts_too(camp):
    camp.write("game/tools/helper.py", "STRENGTH = 5\n")
    camp.write(
        "pyproject.toml", camp.read("pyproject.toml") + "exclude = ['game/tools']\n"
    )
    camp.replace(
        "game/camp.py",
        "from savegen",
        "from game.tools.helper import STRENGTH\nfrom savegen",
    )
    camp.replace("game/camp.py", "part(Orc, 5)", "part(Orc, STRENGTH)")
    generate(camp)
    assert camp.run("links").code == 0
    assert camp.run("build").code == 0
    camp.write("game/tools/helper.py", "STRENGTH = 6\n")
    assert camp.run("check") == (1, f"would change {SOURCES}\n", MEND)
    assert camp.run("links").code == 0
    assert json.loads(camp.read(INFO))["prefabs"]["CAMP"]["defaults"] == {"hp": 6}


def test_comments_docstrings_and_layout_change_nothing(linked):
    lines = linked.read("game/orc.py").replace("hp = hp", "hp = (  # of course\n  hp)")
    body = '"""Give it health."""\n        self.hp'
    linked.write("game/orc.py", "# An orc.\n" + lines.replace("self.hp", body))
    assert linked.run("check", "--no-cache") == (0, "up to date\n", "")


@pytest.fixture
def repo(bare: Game) -> Game:
    """A built game in a repository, with a helper for each of two people."""
    prefabricated(bare)
    imports = "".join(f"from game.{name} import {name}\n" for name in ("one", "two"))
    bare.replace("game/camp.py", "from savegen", f"{imports}from savegen")
    bare.replace("game/camp.py", "part(Orc, 5)", "part(Orc, one + two)")
    for name in ("one", "two"):
        bare.write(f"game/{name}.py", f"{name} = 2\n")
    bare.write("pyproject.toml", TABLE)
    git(bare.folder, "init", "-q", "-b", "main")
    assert bare.run("init").code == bare.run("build").code == 0
    commit(bare.folder)
    return bare


def branches(repo: Game, *changes: tuple[str, str]) -> None:
    """Make each change on a branch of its own, with a build, and merge the branches."""
    for number, (path, text) in enumerate(changes):
        git(repo.folder, "checkout", "-q", "-b", f"branch{number}", "main")
        repo.write(path, text)
        assert repo.run("build").code == 0
        commit(repo.folder)
    for number in range(len(changes) - 1):
        git(repo.folder, "merge", "-q", "-m", "merged", f"branch{number}")


def test_branches_that_change_different_files_merge_and_are_up_to_date(repo):
    branches(
        repo,
        ("game/one.py", "one = 2\nhelp = 3\n"),
        ("game/two.py", "two = 2\nhelp = 4\n"),
    )
    assert repo.run("check", "--no-cache") == (0, "up to date\n", "")
    clone = Game(repo.folder.parent / "clone")
    git(repo.folder, "clone", "-q", ".", str(clone.folder))
    assert clone.run("check", "--tracked") == (0, "up to date\n", "")
    clone.write("game/two.py", "two = 9\n")
    assert clone.run("check") == (1, f"would change {SOURCES}\n", MEND)


def test_branches_that_change_one_file_are_told_to_build(repo):
    branches(repo, ("game/one.py", "one = 2\na = 3\n"), ("game/two.py", "two = 3\n"))
    repo.write("game/one.py", "one = 2\na = 4\n")
    lines = repo.read(SOURCES)
    repo.run("build")
    repo.write(SOURCES, lines + repo.read(SOURCES))
    said = repo.run("check", "--no-cache", "-v")
    assert said.out == f"would change {SOURCES}\n"
    assert "a merge has left two lines for game/one.py" in said.err
    assert repo.run("build").code == 0
    assert repo.run("check") == (0, "up to date\n", "")
    assert json.loads(repo.read(INFO))["prefabs"]["CAMP"]["defaults"] == {"hp": 5}


def test_a_cut_list_of_sources_is_out_of_date(linked):
    lines = linked.read(SOURCES).splitlines(keepends=True)
    for text in ("".join(lines[:-1]), "".join(lines)[:-9], lines[0]):
        linked.write(SOURCES, text)
        said = linked.run("check", "--no-cache", "-v")
        assert said.code == 1 and f"{SOURCES}: it cannot be read" in said.err


def test_line_ends_of_another_system_change_nothing(linked):
    for path in ("game/orc.py", "game/camp.py", *(f"{OUT}/{n}" for n in PASS_3)):
        linked.write(path, linked.read(path).replace("\n", "\r\n"))
    assert linked.run("links") == (0, "up to date\n", "")


CONFLICT = '<<<<<<< ours\n  "format": 1,\n=======\n  "format": 1,\n>>>>>>> theirs\n'


def test_what_a_merge_left_in_a_file_is_out_of_date(linked):
    clean = linked.files()
    linked.replace(INFO, '  "format": 1,\n', CONFLICT)
    assert linked.run("check") == (1, f"would change {INFO}\n", MEND)
    said = linked.run("links")
    assert said.code == 0 and f"wrote {INFO}\n" in said.out
    assert linked.files() == clean


@pytest.mark.parametrize("name", PASS_3)
def test_a_change_by_hand_is_told_and_written_over(linked, name):
    clean = linked.files()
    linked.append(f"{OUT}/{name}", "}")
    assert linked.run("check", "--no-cache") == (
        1,
        f"would change {OUT}/{name}\n",
        MEND,
    )
    assert linked.run("links").code == 0
    assert linked.files() == clean


def test_other_values_are_found_without_what_the_cache_knows(linked):
    linked.replace(INFO, '"hp": 5', '"hp": 6')
    said = linked.run("check", "--no-cache", "-v")
    assert said.out == f"would change {INFO}\n" and "it was edited" in said.err


def test_files_that_are_gone_are_missing(linked):
    for name in PASS_3:
        linked.remove(f"{OUT}/{name}")
    said = linked.run("check")
    assert said.err == MEND
    assert sorted(said.out.splitlines()) == [
        f"would write {OUT}/{name}" for name in PASS_3
    ]


def test_it_is_refused_while_other_passes_have_something_to_do(linked):
    linked.append("game/orc.py", "\n    mp: Saved[str] = ''\n")
    before = linked.files()
    said = linked.run("links")
    assert said.code == 1 and said.err == "run `savegen build` instead\n"
    linked.run("components")
    said = linked.run("links")
    assert said.code == 1 and said.err == "run `savegen build` instead\n"
    assert linked.read(INFO).encode() == before[INFO]


# What the game does while it is built


def test_all_that_fails_is_told_and_nothing_is_written(camp):
    another(camp, "Elf", 'raise ValueError("no\\nelf")')
    another(camp, "Imp", "1 / 0")
    generate(camp)
    before = camp.files()
    assert camp.door("links") == (1, FAILED, "")
    assert camp.files() == before
    said = camp.run("links", "--output-format", "json")
    assert [each["line"] for each in json.loads(said.out)] == [12, 12]


FAILED = """\
error[SG411]: `Elfs` cannot be built: ValueError: no elf, in `__init__`
  --> game/elf.py:12:9
   |
12 |         raise ValueError("no\\nelf")
   |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^

error[SG411]: `Imps` cannot be built: ZeroDivisionError: division by zero, in `__init__`
  --> game/imp.py:12:9
   |
12 |         1 / 0
   |         ^^^^^

2 errors
"""


def test_a_part_that_sets_what_its_field_may_not_hold_is_told(camp):
    another(camp, "Elf", "pass")
    camp.append(
        "game/elf.py", "\n\n@prefab\nclass Odd:\n    one = part(Elf).set(hp=[])\n"
    )
    generate(camp)
    said = camp.run("links")
    assert said.code == 1
    text = "cannot be built: SaveError: the part 'one' of `Odd` cannot set 'hp': it is"
    assert text in said.out and "class Odd:" in said.out


def test_what_fails_at_one_place_for_many_is_told_once(camp):
    another(camp, "Elf", "1 / 0")
    camp.append("game/elf.py", "\n\n@prefab\nclass Others:\n    one = part(Elf)\n")
    generate(camp)
    said = camp.run("links")
    assert "error[SG411]: `Elfs` and `Others` cannot be built: Zero" in said.out
    assert said.out.endswith("\n1 error\n")


@pytest.mark.parametrize(
    ("top", "words"),
    [
        ("import sys; sys.exit(3)", "`game.elf` cannot be imported: SystemExit: 3"),
        ("import nowhere", "ModuleNotFoundError: No module named 'nowhere'"),
        ("name = input()", "EOFError: EOF when reading a line"),
        ("raise BaseException", "cannot be imported: BaseException"),
    ],
)
def test_a_module_that_cannot_be_imported_is_told_by_its_line(camp, top, words):
    another(camp, "Elf", "pass", top)
    generate(camp)
    said = camp.run("links")
    assert said.code == 1 and words in said.out and "--> game/elf.py:4:1\n" in said.out


def test_a_part_without_its_generated_base_is_told_once_and_the_game_not_run(camp):
    another(camp, "Elf", "open('ran', 'w')")
    camp.replace("game/elf.py", "class Elf(ElfSaveLoad)", "class Elf")
    camp.marked("game/unused.py", "Unused")  # no prefab needs it
    said = camp.run("build", "--no-wire")
    assert said.code == 1 and said.out.count("run `savegen wire`") == 2
    assert "error[SG110]: `Elf`" in said.out and "warning[SG110]: `Unu" in said.out
    assert "1 error, 1 warning\n" in said.out
    assert not (camp.folder / "ran").exists()
    assert camp.run("links").out.count("error[SG110]") == 1
    assert camp.run("wire").code == camp.run("build").code == 0


def test_a_class_that_tells_other_names_is_told(camp):
    another(camp, "Elf", "pass")
    camp.append(
        "game/elf.py", "\n\nElf.get_param_name_mappings = classmethod(lambda c: ())\n"
    )
    generate(camp)
    said = camp.run("links")
    assert (
        said.code == 1
        and "error[SG412]: `Elfs`: `get_param_name_mappings()`" in said.out
    )


def test_a_class_that_needs_arguments_is_told_where_to_write_them(camp):
    camp.replace("game/orc.py", "@saveable", "@saveable(prefab=True)")
    camp.replace("game/orc.py", "hp: int = 3", "hp: int")
    said = camp.run("build")
    assert said.code == 1 and "`Orc` cannot be built: TypeError: " in said.out
    assert "= help: give the argument a default, or pass it in `part(…)`" in said.out


def test_a_part_that_only_the_game_can_see_is_told_with_its_form(camp):
    camp.append("game/camp.py", "\n    one, two = part(Orc), part(Orc)\n")
    said = camp.run("build")
    assert said.code == 1 and "error[SG411]: `Camp` cannot be built" in said.out
    assert "parts that are written in the form `one = part(…)`" in said.out


def test_what_the_game_prints_is_told_to_those_who_ask(camp):
    another(camp, "Elf", 'import os; print("hello"); os.system("echo there")')
    camp.write("game/__init__.py", 'print("from afar", end="")\n')
    generate(camp)
    assert camp.door("links").err == ""
    said = camp.door("links", "--no-cache", "--verbose")
    assert said.code == 0 and "hello\n" in said.err and "there\n" in said.err
    assert "hello" not in said.out


def test_threads_that_the_game_leaves_running_do_not_hold_it_up(camp):
    start = (
        "import threading, time; threading.Thread(target=time.sleep, args=[99]).start()"
    )
    another(camp, "Elf", start)
    generate(camp)
    assert camp.door("links", "--timeout", "60").code == 0


@posix
@pytest.mark.parametrize("init", ["import time; time.sleep(99)", "while True: pass"])
def test_a_game_without_end_is_ended(camp, init):
    another(camp, "Elf", init)
    generate(camp)
    error = (
        "error: the game did not finish within 2 s: it was at"
        " game/elf.py:12, in __init__; allow more time with --timeout\n"
    )
    assert camp.door("links", "--timeout", "2") == (2, "", error)


@posix
@pytest.mark.parametrize(
    ("init", "words"),
    [
        ("import os; os._exit(4)", "(exit code 4) before its prefabs were built\n"),
        ("import ctypes; ctypes.string_at(0)", "built: it was at game/elf.py:12, in"),
        (
            "import os; os.write(2, b'oh\\n'); os.abort()",
            "; its last output:\n  oh\n",
        ),
    ],
)
def test_a_game_that_dies_is_told_with_its_last_words(camp, init, words):
    another(camp, "Elf", init)
    generate(camp)
    before = camp.files()
    said = camp.door("links")
    assert said.code == 2 and words in said.err and "Traceback" not in said.err
    assert camp.files() == before


def test_a_package_that_cannot_be_imported_at_all_is_told(camp):
    camp.write("game/__init__.py", 'raise OSError("no sound")\n')
    said = camp.run("links")
    assert said.code == 2 and said.err.endswith("  OSError: no sound\n")


SLEEPS = "import os, time; open('begun', 'w').close(); time.sleep(99)"


@posix
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_game_ends_with_savegen(camp, number):
    pid = "import os; open('pid', 'w').write(str(os.getpid()))"
    another(camp, "Elf", f"{pid}; {SLEEPS}")
    generate(camp)
    before = camp.files()
    with camp.start("links") as process:
        while not (camp.folder / "begun").exists():
            assert process.poll() is None
            time.sleep(0.02)
        process.send_signal(number)
        process.communicate(timeout=30)
    assert process.returncode == {signal.SIGINT: 130, signal.SIGTERM: 143}[number]
    with pytest.raises(ProcessLookupError):
        os.kill(int(camp.read("pid")), 0)
    after = camp.files()
    assert {path: after[path] for path in before} == before


@posix
def test_a_game_ends_although_ctrl_c_left_the_lock_of_its_process_locked(tmp_path):
    command = [sys.executable, "-c", "import time; time.sleep(99)"]
    game = subprocess.Popen(command, start_new_session=True)
    # An interrupted `wait(seconds)` can leave it locked.
    game._waitpid_lock.acquire()  # type: ignore[attr-defined]
    with _ends_with_us(game):
        pass
    with pytest.raises(ProcessLookupError):
        os.kill(game.pid, 0)
    game.returncode = -signal.SIGKILL  # so that its destructor does not warn


@posix
def test_while_the_game_runs_nobody_else_writes(camp):
    another(camp, "Elf", SLEEPS.replace("99", "13"))
    generate(camp)
    with camp.start("links", "--timeout", "12") as process:
        while not (camp.folder / "begun").exists():
            assert process.poll() is None
            time.sleep(0.02)
        camp.marked("game/new.py", "New")
        said = camp.door("components")
        process.terminate()
    assert said.code == 2 and "savegen links" in said.err


# The Python that runs it


def settings(game: Game, python: str) -> None:
    game.write(
        "pyproject.toml", f'[tool.savegen]\nsource = "game"\npython = "{python}"\n'
    )


@posix
def test_another_python_can_be_named(camp):
    script = f'#!/bin/sh\necho run > ran\nexec {sys.executable} "$@"\n'
    camp.write("env/bin/python", script)
    (camp.folder / "env/bin/python").chmod(0o755)
    settings(camp, "env/bin/python")
    assert camp.run("links", cwd="game").code == 0
    assert camp.read("ran") == "run\n"


@pytest.mark.parametrize(
    ("python", "words"),
    [
        (
            "env/bin/python",
            "`python` in [tool.savegen] names env/bin/python, which does not exist",
        ),
        ("nosuchpython", "or directory; set `python` in [tool.savegen] to the"),
        ("game", "game: Permission denied"),
    ],
)
def test_a_python_that_is_not_there_is_told(camp, python, words):
    settings(camp, python)
    said = camp.run("links")
    assert said.code == 2 and words in said.err
    assert camp.run("components").code == camp.run("prefabs").code == 0


@posix
def test_a_python_that_savegen_does_not_run_on_is_told(camp):
    camp.write("python", "#!/bin/sh\necho 'Unknown option: -P' >&2\nexit 2\n")
    (camp.folder / "python").chmod(0o755)
    settings(camp, "./python")
    said = camp.run("links")
    assert said.code == 2 and "/python is older than Python 3.11: set" in said.err
    assert len(said.err.splitlines()) == 1


def test_a_library_that_is_not_found_may_be_another_pythons(camp):
    another(camp, "Elf", "pass", "import nosuchlibrary")
    generate(camp)
    said = camp.run("links")
    assert (
        said.code == 1 and said.out.count("= help: install the module; if another") == 1
    )


@posix
def test_a_python_without_savegen_is_told(camp):
    script = f'#!/bin/sh\nunset PYTHONPATH\nexec {sys.executable} -S "$@"\n'
    camp.write("python", script)
    (camp.folder / "python").chmod(0o755)
    camp.write("game/__init__.py", "import savegen\n")
    settings(camp, "./python")
    said = camp.run("links")
    assert said.code == 2 and "No module named 'game'" in said.err
    script = script.replace("unset PYTHONPATH", "PYTHONPATH=.")
    camp.write("python", script)
    said = camp.run("links")
    assert said.code == 2 and said.err.endswith(
        "/python has no savegen: install savegen there, or set `python` in"
        " [tool.savegen] to the Python that runs the game\n"
    )


def test_the_game_is_run_quietly_from_its_own_folder(camp, monkeypatch):
    monkeypatch.delenv("SDL_VIDEODRIVER", raising=False)
    monkeypatch.setenv("SDL_AUDIODRIVER", "disk")
    another(camp, "Elf", "import os; self.hp = 1")
    camp.replace(
        "game/elf.py",
        "self.hp = 7",
        "import os; self.hp = [os.environ[n] for n in"
        " ('SDL_VIDEODRIVER', 'SDL_AUDIODRIVER')] == ['dummy', 'disk'] and"
        " os.path.samefile('.', os.path.dirname(os.path.dirname(__file__))) and 8",
    )
    camp.replace("game/elf.py", "import os; self.hp = 1", "pass")
    generate(camp)
    assert camp.run("links", cwd="game").code == 0
    info = json.loads(camp.read(INFO))
    assert info["prefabs"]["ELFS"]["defaults"] == {"elf_hp": 8}


# Games of other shapes


def test_a_source_layout(bare):
    bare.write("pyproject.toml", '[project]\nname = "game"\n[tool.savegen]\n')
    prefabricated(bare, "src/game")
    bare.write("types.py", "raise SystemExit\n")  # beside it, and none of its business
    assert bare.run("build").code == 0
    assert loaded(bare, "src/game/_savegen")[0] == "src/game/__init__.py"
    assert bare.run("check") == (0, "up to date\n", "")


def test_a_project_that_is_itself_the_package(bare):
    (bare.folder / "größe").mkdir()
    game = Game(bare.folder / "größe")
    table = '[tool.savegen]\nsource = "."\npackage = "größe"\n'
    game.write("pyproject.toml", table)
    prefabricated(game, ".", "größe.")
    game.write("random.py", "x = 1\n")  # not the one that others import
    assert game.run("build").code == 0
    info = json.loads(game.read("_savegen/prefab_info.json"))
    assert loaded(game, "_savegen") == ["__init__.py", "camp.py", "orc.py"]
    assert info["prefabs"]["CAMP"]["module"] == "größe.camp"
    assert game.run("check") == (0, "up to date\n", "")


def test_an_output_that_lies_in_no_source(bare):
    bare.write(
        "pyproject.toml",
        '[tool.savegen]\nsource = "src/game"\noutput = "made/_savegen"\n',
    )
    prefabricated(bare, "src/game", "game.")
    for path in ("src/game/orc.py", "src/game/camp.py"):
        bare.write(path, bare.read(path).replace("game._savegen", "made._savegen"))
    assert bare.run("build").code == 0
    assert bare.run("check") == (0, "up to date\n", "")
