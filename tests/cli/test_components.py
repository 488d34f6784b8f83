"""`savegen components` as its users meet it: what it prints, writes, keeps and refuses."""

from __future__ import annotations

import ctypes
import os
import random
import resource
import shutil
import signal
import sys
import time
from pathlib import Path

import pytest

from savegen import disk
from tests.cli.games import TABLE, Game

posix = pytest.mark.skipif(os.name == "nt", reason="needs a POSIX system")

WARNED = """\
warning[SG110]: `Orc` does not inherit from `OrcSaveLoad` yet
 --> game.py:5:7
  |
5 | class Orc:
  |       ^^^
  = help: run `savegen wire`

1 warning
"""
WROTE = """\
wrote _savegen/__init__.py
wrote _savegen/components/__init__.py
wrote _savegen/components/game.py
wrote _savegen/registry.py
wrote _savegen/types.py
wrote savegen.lock
wrote 6 files
"""
SHARED = ["__init__.py", "components/__init__.py", "registry.py", "types.py"]


# Where a game lies


def test_a_bare_file_is_a_game(bare):
    bare.marked("game.py", "Orc")
    assert bare.door("components", "game.py") == (0, WARNED + WROTE, "")
    assert bare.door("components", "game.py") == (0, WARNED + "up to date\n", "")
    assert bare.run("wire", "game.py") == (0, "wrote game.py\n", "")
    assert bare.run("components", "game.py") == (0, "up to date\n", "")


def test_a_project_is_generated_for_as_its_table_says(game):
    assert game.generated() == sorted(
        [*SHARED, "components/orc.py", "components/foes/__init__.py"]
        + ["components/foes/elf.py"]
    )
    assert game.door("components") == (0, "up to date\n", "")
    code = (
        "from game._savegen.registry import REGISTRY as r; print([*r][0].load_class())"
    )
    assert game.python(code) == "<class 'game.foes.elf.Elf'>\n"


def test_a_folder_is_a_bare_game_with_all_that_is_in_it(bare):
    bare.marked("game.py", "Orc")
    bare.marked("camp/tent.py", "Tent")
    assert bare.run("components", ".").code == 0
    made = {path for path in bare.files() if path.startswith("_savegen/components/")}
    assert made >= {"_savegen/components/game.py", "_savegen/components/camp/tent.py"}


def test_several_bare_files_are_one_game(bare):
    bare.marked("one.py", "One")
    bare.marked("two.py", "Two")
    bare.marked("three.py", "Three")
    said = bare.run("components", "one.py", "two.py")
    assert said.code == 0 and "Three" not in said.out
    assert "Two" in bare.read("_savegen/registry.py")


def test_a_source_layout_is_found_by_the_name_of_the_project(bare):
    bare.write("pyproject.toml", '[project]\nname = "my-game"\n[tool.savegen]\n')
    bare.write("src/my_game/__init__.py", "")
    bare.marked("src/my_game/orc.py", "Orc")
    assert bare.run("wire").code == 0
    assert bare.run("components").code == 0
    made = "src/my_game/_savegen/components/orc.py"
    assert "classes of `my_game.orc`" in bare.read(made)
    code = "import sys; sys.path[0] = 'src'; import my_game.orc; print('runs')"
    assert bare.python(code) == "runs\n"


def test_several_sources_keep_their_paths(bare):
    bare.write("pyproject.toml", '[tool.savegen]\nsource = ["game", "tools/edit.py"]\n')
    bare.write("game/__init__.py", "")
    bare.marked("game/orc.py", "Orc")
    bare.marked("tools/edit.py", "Brush")
    assert bare.run("components").code == 0
    made = [path for path in bare.generated() if path not in SHARED]
    assert "components/game/orc.py" in made and "components/tools/edit.py" in made


def test_the_classes_of_a_package_itself_are_saved(bare):
    bare.write("pyproject.toml", TABLE)
    bare.marked("game/__init__.py", "Game")
    bare.marked("game/foes/__init__.py", "Foes")
    bare.run("wire")
    assert bare.run("components").code == 0
    code = (
        "from game._savegen.registry import REGISTRY as r;"
        "print(*(e.load_class() for e in r))"
    )
    expected = "<class 'game.Game'> <class 'game.foes.Foes'>\n"
    assert bare.python(code) == expected


def test_modules_whose_paths_read_alike_have_names_of_their_own_in_the_registry(bare):
    bare.write("pyproject.toml", TABLE)
    names = "a/b_c a_b/c Registry ClassEntry FORMAT components _import_orc orc".split()
    for number, name in enumerate(names):
        bare.marked(f"game/{name}.py", f"C{number}")
        for folder in Path("game", name).parents:
            if folder != Path("."):
                bare.write(f"{folder.as_posix()}/__init__.py", "")
    bare.run("wire")
    assert bare.run("components").code == 0
    code = (
        "from game._savegen.registry import REGISTRY as r;"
        "print(*sorted(e.load_class().__name__ for e in r))"
    )
    assert bare.python(code) == " ".join(f"C{i}" for i in range(8)) + "\n"


def test_paths_are_shown_as_they_are_reached_from_a_sub_folder(game):
    game.append("game/foes/elf.py", "    mp: Saved[str] = ''\n")
    game.append("game/orc.py", "    mp: Saved[object] = ''\n")
    said = game.run("components", cwd="game/foes")
    assert said.code == 1 and " --> ../orc.py:9:9\n" in said.out
    game.replace("game/orc.py", "object", "str")
    said = game.run("components", cwd="game/foes")
    assert said == (
        0,
        "wrote ../_savegen/components/foes/elf.py\n"
        "wrote ../_savegen/components/orc.py\nwrote ../_savegen/registry.py\n"
        "wrote ../../savegen.lock\nwrote 4 files\n",
        "",
    )


def test_another_configuration_can_be_named(game):
    game.write("other.toml", '[tool.savegen]\nsource = "game"\noutput = "game/_made"\n')
    assert game.run("build", "--config", "other.toml").code == 0
    assert (game.folder / "game/_made/components/orc.py").exists()


def test_without_a_game_it_says_how_to_name_one(bare):
    expected = (
        "error: found no pyproject.toml with [tool.savegen] in this folder or above it.\n"
        "Run `savegen init`, or write these lines into pyproject.toml:\n\n"
        '[tool.savegen]\nsource = "mygame"\n'
    )
    assert bare.door("components") == (2, "", expected)


def test_without_configuration_the_packages_are_named(bare):
    for name in ("alpha", "beta"):
        bare.write(f"{name}/__init__.py", "")
    nothing = "error: found no pyproject.toml with [tool.savegen] in this folder or above it.\n"
    two = (
        "Run `savegen init alpha beta`, or write these lines into pyproject.toml.\n"
        "Leave out what does not belong to your game:\n\n"
        '[tool.savegen]\nsource = ["alpha", "beta"]\n'
    )
    choices = "Your game could be any of these: alpha, beta.\n"
    assert bare.run("build") == (2, "", nothing + choices + two)
    bare.write("play.py", "class Player: ...\n")
    said = bare.run("build").err
    assert "any of these: alpha, beta, . (`.` is this whole folder).\n" in said
    assert "`savegen init .`" in said and said.endswith('source = "."\n')


@pytest.mark.parametrize(
    ("text", "table"),
    [
        ("[tool.savgen]\n", "[tool.savgen]"),
        ('[tool.SaveGen]\nsource = "game"\n', "[tool.SaveGen]"),
        ("[tool.save-gen]\n[tool.black]\n", "[tool.save-gen]"),
        ("[savegen]\n", "[savegen]"),
    ],
)
def test_a_misspelt_table_is_pointed_out(bare, text, table):
    bare.write("pyproject.toml", text)
    bare.write("inner/game.py", "")
    meant = f"has {table}: did you mean [tool.savegen]?\n"
    nothing = (
        "error: found no pyproject.toml with [tool.savegen] in this folder or above it"
    )
    assert bare.run("build") == (2, "", f"{nothing}; pyproject.toml {meant}")
    inside = bare.run("build", cwd="inner")
    assert inside == (2, "", f"{nothing}; ../pyproject.toml {meant}")
    named = bare.run("build", "--config", "pyproject.toml")
    there = meant.replace("has", "it has", 1)
    assert named == (2, "", f"error: pyproject.toml has no [tool.savegen]; {there}")


@pytest.mark.parametrize(
    "text",
    [
        "[tool.black]\n",
        "[tool.setuptools_scm]\n",
        "tool = 3\n",
        "[tool\n",
        "savegen = 1\n",
    ],
)
def test_other_tables_are_not_taken_for_a_misspelt_one(bare, text):
    bare.write("pyproject.toml", text)
    said = bare.run("build")
    assert said.code == 2 and "did you mean" not in said.err


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("nowhere.py", "does not exist"),
        ("pyproject.toml", "is not one of the game's sources"),
        ("/", "is not one of the game's sources"),
    ],
)
@pytest.mark.parametrize("command", ["components", "check", "wire"])
def test_a_path_that_names_no_source_is_refused(game, command, path, reason):
    said = game.run(command, "game/orc.py", path)
    assert said == (2, "", f"error: {path} {reason}\n")


def test_a_project_without_marks_says_so(bare):
    bare.write("pyproject.toml", TABLE)
    bare.write("game/orc.py", "class Orc: ...\n")
    said = bare.run("components")
    assert said.code == 0 and said.err == "no class is marked `@saveable`\n"
    assert bare.generated() == SHARED


# What is written


def test_findings_are_told_and_nothing_is_written(game):
    before = game.files()
    game.append("game/orc.py", "    bag: Saved[list] = ()\n")
    game.write("game/broken.py", "from savegen import saveable\nx = = 1\n")
    said = game.door("components")
    assert said.code == 1 and said.err == ""
    places = [line for line in said.out.splitlines() if "-->" in line]
    assert places == [" --> game/broken.py:2:5", " --> game/orc.py:9:10"]
    assert said.out.endswith("\n2 errors\n")
    assert {k: v for k, v in game.files().items() if k in before} == {
        **before,
        "game/orc.py": game.read("game/orc.py").encode(),
    }


def test_only_what_changed_is_written(game):
    game.append("game/orc.py", "    mp: Saved[str] = ''\n")
    said = game.run("components")
    expected = (
        "wrote game/_savegen/components/orc.py\nwrote game/_savegen/registry.py\n"
        "wrote savegen.lock\nwrote 3 files\n"
    )
    assert said == (0, expected, "")


def test_a_changed_comment_changes_nothing(game):
    game.append("game/orc.py", "# a remark\n")
    assert game.run("components") == (0, "up to date\n", "")


def test_the_same_source_gives_the_same_bytes_with_and_without_a_cache(game):
    game.append("game/orc.py", "    mp: Saved[str] = ''\n")
    game.run("components")
    cached = game.files()
    shutil.rmtree(game.folder / "game/_savegen")
    game.remove("savegen.lock")
    assert game.run("components", "--no-cache").code == 0
    assert game.files() == cached


def test_paths_limit_what_is_rewritten_but_not_what_is_known(game):
    for path in ("game/orc.py", "game/foes/elf.py"):
        game.append(path, "    mp: Saved[str] = ''\n")
    said = game.run("components", "game/orc.py")
    expected = (
        "wrote game/_savegen/components/orc.py\nwrote game/_savegen/registry.py\n"
        "wrote savegen.lock\nwrote 3 files\n"
    )
    assert said == (0, expected, "")
    assert "Elf.mp" in game.lock()


def test_what_paths_left_out_is_not_forgotten(game):
    for path in ("game/orc.py", "game/foes/elf.py"):
        game.append(path, "    mp: Saved[str] = ''\n")
    game.run("components", "game/orc.py")
    late = "game/_savegen/components/foes/elf.py"
    assert game.run("check").out == f"would change {late}\n"
    assert game.run("components").out == f"wrote {late}\nwrote 1 file\n"


def test_what_paths_left_out_was_not_edited_by_hand(game):
    game.append("game/foes/elf.py", "    mp: Saved[str] = ''\n")
    game.run("components", "game/orc.py")
    assert game.run("components").err == ""


def test_a_folder_among_paths_stands_for_all_in_it(game):
    for path in ("game/orc.py", "game/foes/elf.py"):
        game.append(path, "    mp: Saved[str] = ''\n")
    said = game.run("components", "foes", cwd="game")
    assert "elf.py" in said.out and "orc.py" not in said.out


def test_paths_leave_out_nothing_that_the_registry_names(game):
    game.append("game/foes/elf.py", "    foe: Saved['Elf | None'] = None\n")
    game.remove("game/_savegen/components/foes/elf.py")
    game.marked("game/new.py", "New")
    assert game.run("components", "game/orc.py").code == 0
    registered = "from game._savegen.registry import REGISTRY; print(len([*REGISTRY]))"
    assert game.python(registered) == "3\n"


def test_the_outputs_can_be_listed_for_a_build_system(game):
    game.marked("game/new.py", "New")  # a warning: it is not wired yet
    before = game.files()
    shutil.rmtree(game.folder / ".savegen_cache")
    said = game.run("components", "--list-outputs")
    listed = [f"game/_savegen/{path}" for path in game.generated()]
    new = "game/_savegen/components/new.py"
    assert said == (
        0,
        "\n".join(sorted([*listed, new, "savegen.lock", ""]))[1:] + "\n",
        "",
    )
    assert game.files() == before
    assert not (game.folder / ".savegen_cache").exists()


def test_a_list_of_outputs_is_refused_where_there_are_errors(game):
    game.append("game/orc.py", "    bag: Saved[list] = ()\n")
    said = game.run("components", "--list-outputs")
    assert said.code == 1 and "_savegen" not in said.out


def test_quiet_says_only_what_is_wrong(game):
    game.append("game/orc.py", "    def f(self):\n        self.x: Saved[int] = 1\n")
    assert "note[SG114]" in game.run("components", "--all").out
    assert game.run("components", "-q") == (0, "", "")
    game.append("game/orc.py", "        self.y: Saved[int] = 1\n")
    assert game.run("components", "-q") == (0, "", "")  # it has written
    game.replace("game/orc.py", "(OrcSaveLoad)", "")
    assert game.run("components", "-q").out.startswith("warning[SG110]")


# What somebody else did to the output


@pytest.mark.parametrize("option", [[], ["--no-cache"]])
def test_a_hand_edited_output_is_replaced_and_kept(game, option):
    path = "game/_savegen/components/orc.py"
    clean = game.read(path)
    game.append(path, "# mine\n")
    said = game.door("components", *option)
    kept = f".savegen_cache/replaced/{path}"
    note = f"{path} was edited by hand; a copy of your edits is in {kept}\n"
    assert said == (0, f"wrote {path}\nwrote 1 file\n", note)
    assert game.read(path) == clean and game.read(kept) == clean + "# mine\n"


def test_where_the_kept_text_lies_is_told_from_the_working_folder(game):
    game.append("game/_savegen/components/orc.py", "# mine\n")
    assert "is in ../.savegen_cache/replaced/" in game.run("components", cwd="game").err


def test_edits_are_known_as_such_after_an_update_of_savegen(game, monkeypatch):
    game.append("game/_savegen/components/orc.py", "# mine\n")
    monkeypatch.setattr("savegen.build.cache.key", lambda config: "another savegen")
    assert "was edited by hand" in game.run("components").err


def test_files_of_a_run_that_stopped_halfway_are_no_edits(game, monkeypatch):
    replace = disk.replace
    renamed: list[str] = []

    def stop(source: str, target: str) -> None:
        if len(renamed) == 3:
            raise OSError(5, "broken")
        replace(source, target)
        renamed.append(Path(target).relative_to(game.folder).as_posix())

    sources = ("game/orc.py", "game/foes/elf.py")
    for source in sources:
        game.append(source, "    mp: Saved[int] = 0\n")
    with monkeypatch.context() as patch:
        patch.setattr(disk, "replace", stop)
        assert game.run("components").code == 2
    elf, orc = (f"game/_savegen/components/{name}.py" for name in ("foes/elf", "orc"))
    assert renamed == ["savegen.lock", elf, orc]
    game.append(orc, "# mine\n")
    for source in sources:
        game.append(source, "    sp: Saved[str] = ''\n")
    said = game.run("components")
    kept = f".savegen_cache/replaced/{orc}"
    assert said.err == f"{orc} was edited by hand; a copy of your edits is in {kept}\n"
    assert f"wrote {elf}\n" in said.out
    game.append(elf, "# mine\n")
    assert f"{elf} was edited by hand" in game.run("components").err


def test_a_lock_that_was_merged_is_no_edit(game):
    game.append("savegen.lock", "class Gone 4711 game.gone:Gone\n")
    game.append("game/orc.py", "    mp: Saved[str] = ''\n")
    said = game.run("components")
    assert said.code == 0 and said.err == ""
    assert "class Gone 4711 game.gone:Gone\n" in game.lock()


def test_the_output_of_a_source_that_is_gone_is_removed(game):
    game.remove("game/orc.py")
    said = game.run("components")
    assert said == (
        0,
        "wrote game/_savegen/registry.py\nwrote game/_savegen/types.py\n"
        "wrote savegen.lock\n"
        "removed game/_savegen/components/orc.py\nwrote 3 files, removed 1 file\n",
        "",
    )
    assert "orc" not in game.read("game/_savegen/registry.py")
    assert "absent class game.orc.Orc" in game.lock()


def test_the_output_of_the_last_mark_of_a_folder_goes_with_the_folder(game):
    game.write("game/foes/elf.py", "class Elf: ...\n")
    assert game.run("components").code == 0
    assert game.generated() == sorted([*SHARED, "components/orc.py"])
    assert not (game.folder / "game/_savegen/components/foes").exists()


def test_files_of_others_in_the_output_are_left_alone(game):
    game.write("game/_savegen/mine.py", "x = 1\n")
    game.write("game/_savegen/components/foes/notes.txt", "hands off\n")
    game.write("game/foes/elf.py", "")
    assert game.run("components").code == 0
    assert game.read("game/_savegen/mine.py") == "x = 1\n"
    assert game.read("game/_savegen/components/foes/notes.txt") == "hands off\n"


def test_a_file_of_others_in_the_place_of_an_output_is_refused(game):
    game.write("game/_savegen/components/orc.py", "x = 1\n")
    before = game.files()
    said = game.run("components")
    assert said == (
        2,
        "",
        "error: game/_savegen/components/orc.py was not written by savegen: it does not"
        " begin with the marker. Move or delete it, or set another output folder in"
        " [tool.savegen]\n",
    )
    assert game.files() == before


# What the disk does not allow


def without_powers() -> None:
    """Make a process of root's obey permissions, as those of others must."""
    if os.geteuid() == 0:
        libc = ctypes.CDLL(None, use_errno=True)
        for capability in (1, 2):  # to override permissions, to read past them
            if libc.prctl(24, capability, 0, 0, 0):  # drop it for what is run next
                raise OSError(ctypes.get_errno(), "prctl")


obeying = pytest.mark.skipif(
    not sys.platform.startswith("linux") and (os.name == "nt" or os.geteuid() == 0),
    reason="root obeys no permissions, and only Linux can make it",
)


@obeying
def test_a_cache_that_cannot_be_written_costs_nothing_but_time(game):
    cache = game.folder / ".savegen_cache"
    game.append("game/orc.py", "    mp: Saved[str] = ''\n")
    cache.chmod(0o555)
    said = game.door("components", preexec_fn=without_powers)
    again = game.door("components", preexec_fn=without_powers)
    cache.chmod(0o755)
    assert said.code == 0 and "wrote game/_savegen/components/orc.py" in said.out
    assert again == (0, "up to date\n", "")


@obeying
@pytest.mark.parametrize("options", [(), ("--locked",), ("--no-cache",)])
def test_a_folder_that_cannot_be_written_matters_where_there_is_something_to_write(
    game, options
):
    shutil.rmtree(game.folder / ".savegen_cache")
    game.folder.chmod(0o555)
    said = game.door("components", *options, preexec_fn=without_powers)
    game.append("game/orc.py", "    mp: Saved[str] = ''\n")
    changed = game.door("components", preexec_fn=without_powers)
    game.folder.chmod(0o755)
    assert said == (0, "up to date\n", "")
    error = f"error: {game.folder / '.savegen_cache'}: Permission denied\n"
    assert changed == (2, "", error)


@obeying
@pytest.mark.parametrize("hidden", [["game/orc.py"], ["game/foes/elf.py"]])
def test_a_source_that_cannot_be_read_is_a_finding_among_others(game, hidden):
    before = game.files()
    game.marked("game/bad.py", "Bad", "bag: Saved[list]")
    for path in hidden:
        (game.folder / path).chmod(0)
    said = game.door("components", "-q", preexec_fn=without_powers)
    for path in hidden:
        (game.folder / path).chmod(0o644)
    expected = (
        "error[SG105]: cannot open the file: Permission denied\n"
        f" --> {hidden[0]}:1:1\n"
    )
    assert said.code == 1 and expected in said.out and "SG206" in said.out
    assert "2 errors, 1 warning\n" in said.out
    assert game.files().items() >= before.items()
    game.remove("game/bad.py")
    assert game.run("components") == (0, "up to date\n", "")


@posix
@pytest.mark.parametrize("path", ["pyproject.toml", "savegen.lock", "g.mmd"])
@pytest.mark.timeout(20)
def test_a_pipe_in_place_of_a_file_is_refused_and_not_waited_for(game, path):
    (game.folder / path).unlink(missing_ok=True)
    os.mkfifo(game.folder / path)
    (game.folder / "deep").mkdir()
    said = game.run("show", "--graph", "../g.mmd", cwd="deep")
    assert said.code == 2 and path in said.err and said.out == ""
    if path != "g.mmd":
        said = game.run("components", "--no-cache", "../game/orc.py", cwd="deep")
        assert said.code == 2 and f"{path}: is not a regular file\n" in said.err


def test_a_source_that_vanishes_before_it_is_read_is_a_finding(game, monkeypatch):
    game.append("game/orc.py", "    mp: Saved[str] = ''\n")
    read = disk.read

    def late(path: str) -> bytes:
        if path.endswith("orc.py") and "_savegen" not in path:
            raise FileNotFoundError(2, "No such file or directory", path)
        return read(path)

    monkeypatch.setattr(disk, "read", late)
    said = game.run("components")
    assert said.code == 1
    assert said.out == (
        "error[SG105]: cannot open the file: No such file or directory\n"
        " --> game/orc.py:1:1\n"
        "  = help: make the file readable, or add it to `exclude` under"
        " `[tool.savegen]`\n\n1 error\n"
    )


@obeying
@pytest.mark.parametrize("command", ["components", "check"])
def test_a_folder_that_cannot_be_listed_is_named(game, command):
    folder = game.folder / "game/foes"
    folder.chmod(0)
    said = game.door(command, preexec_fn=without_powers)
    folder.chmod(0o755)
    assert said == (2, "", f"error: {folder}: Permission denied\n")


@posix
@pytest.mark.parametrize("size", [0, 1, 400, 1500])
def test_a_full_disk_leaves_everything_as_it_was(game, size):
    game.append("game/orc.py", "    mp: Saved[str] = ''\n")
    before = game.files()

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    said = game.door("components", preexec_fn=limit)
    assert said.code == 2
    assert said.err == (
        "error: cannot write game/_savegen/components/orc.py: File too large\n"
    )
    assert game.files() == before
    assert game.run("components").code == 0


@posix
def test_a_disk_that_was_always_full_is_not_our_bug(bare):
    bare.marked("game.py", "Orc")

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

    for command in ("components", "wire"):
        said = bare.door(command, "game.py", preexec_fn=limit)
        assert said.code == 2 and said.out == ""
        assert said.err.startswith("error: ") and "File too large" in said.err
        assert list(bare.files()) == ["game.py"]


# Runs that end early, and runs at once


def crowd(game, size: int = 40) -> None:
    """Make a project with enough files that its build takes a while."""
    game.write("pyproject.toml", TABLE)
    game.write("game/__init__.py", "")
    for number in range(size):
        game.marked(f"game/m{number}.py", f"C{number}", "a: Saved[list[int]]")
    assert game.run("wire", "-q").code == 0


def outputs(game) -> int:
    return sum(not path.endswith(".tmp") for path in game.generated())


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """What a run that nobody disturbs makes of the crowd."""
    game = Game(tmp_path_factory.mktemp("finished"))
    crowd(game)
    assert game.run("components").code == 0
    return game.files()


def start_and_wait(game, *words: str):
    """Start a run, and return when it has begun to write."""
    process = game.start(*words)
    output = game.folder / "game/_savegen"
    while not output.exists() and process.poll() is None:
        time.sleep(0)
    return process


def assert_repaired(game, finished) -> None:
    """What a run has left is told by `check`, and mended by the next run."""
    told = game.run("check", "-q").code
    assert told == int(game.files() != finished)
    assert game.run("components", "-q").code == 0
    assert game.files() == finished
    assert game.run("check", "-q").code == 0


@pytest.mark.parametrize("pause", [0.0, 0.01, None])
def test_a_killed_run_is_repaired_by_the_next(make_game, finished, pause):
    game = make_game("killed")
    crowd(game)
    if pause is None:  # somewhere before
        process = game.start("components")
        time.sleep(random.uniform(0.1, 0.8))
    else:
        process = start_and_wait(game, "components")
        time.sleep(pause)
    process.kill()
    process.communicate()
    assert_repaired(game, finished)


@pytest.mark.parametrize("pause", [0.0, 0.02])
def test_a_killed_second_run_is_repaired_too(make_game, finished, pause):
    game = make_game("killed")
    crowd(game)
    assert game.run("components", "-q").code == 0
    for number in range(40):
        game.replace(f"game/m{number}.py", "list[int]", "list[str]")
    process = game.start("components")
    changed = game.folder / "game/_savegen/components/m0.py"
    stamp = changed.stat().st_mtime_ns
    while changed.stat().st_mtime_ns == stamp and process.poll() is None:
        pass
    time.sleep(pause)
    process.kill()
    process.communicate()
    for number in range(40):
        game.replace(f"game/m{number}.py", "list[str]", "list[int]")
    assert_repaired(game, finished)


@posix
@pytest.mark.parametrize("pause", [0.0, 0.02])
def test_an_interrupted_run_says_so_and_leaves_all_or_nothing(
    make_game, finished, pause
):
    game = make_game("interrupted")
    crowd(game)
    before = game.files()
    process = start_and_wait(game, "components")
    time.sleep(pause)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    # -SIGINT: Python itself was on its way out when the signal came.
    assert process.returncode in (0, 130, -signal.SIGINT)
    if process.returncode == 130:
        assert err.endswith("interrupted; no file was left half-written\n")
    left = {path: data for path, data in game.files().items() if path not in before}
    assert not left or game.files() == finished
    assert_repaired(game, finished)


def test_runs_at_once_wait_for_each_other(make_game, finished):
    game = make_game("together")
    crowd(game)
    runs = [game.start("components") for _ in range(3)]
    said = [(run.communicate(timeout=120), run.returncode) for run in runs]
    assert [code for _, code in said] == [0, 0, 0], said
    last = sorted(out.splitlines()[-1] for (out, _), _ in said)
    assert last == ["up to date", "up to date", f"wrote {outputs(game) + 1} files"]
    assert game.files() == finished


def test_a_run_that_waits_too_long_names_who_builds(game, monkeypatch):
    game.append("game/orc.py", "    mp: Saved[str] = ''\n")
    monkeypatch.setattr(disk.BuildLock.__init__, "__defaults__", (0.1,))
    with disk.BuildLock(str(game.folder), "savegen build"):
        said = game.run("components")
    assert said.code == 2
    assert said.err == (
        "error: another savegen is running in this project"
        f" (process {os.getpid()}: savegen build); waited 0.1 s for it\n"
    )


def test_a_second_bare_game_in_a_folder_leaves_the_first_as_it_is(bare):
    bare.marked("a.py", "A", "v: Saved[int] = 1")
    bare.marked("b.py", "B", "v: Saved[int] = 1")
    for name in ("a.py", "b.py"):
        assert bare.run("wire", name).code == bare.run("components", name).code == 0
    assert bare.python("import a, b; print(a.A().save_data() != b.B().save_data())")
    assert bare.run("components", "a.py").out == "up to date\n"
    bare.remove("b.py")
    assert "removed _savegen/components/b.py" in bare.run("components", "a.py").out


def test_what_others_put_into_the_output_is_seen_by_a_run_and_by_a_check(game):
    text = game.read("game/_savegen/components/orc.py")
    game.write("game/_savegen/components/zz.py", text)
    assert game.run("check").out == "would remove game/_savegen/components/zz.py\n"
    game.append("game/orc.py", "# a comment\n")
    assert game.run("check").out == "would remove game/_savegen/components/zz.py\n"
    assert "removed game/_savegen/components/zz.py" in game.run("components").out
    game.write("game/_savegen/mine.py", "")
    assert game.run("components") == game.run("check") == (0, "up to date\n", "")
