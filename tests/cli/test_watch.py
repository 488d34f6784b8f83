"""`savegen watch`: a build at every change, and at nothing else."""

from __future__ import annotations

import os
import queue
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial

import pytest

from tests.cli.games import TABLE, Game
from tests.cli.prefabricated import prefabricated
from tests.project import git

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs POSIX signals")

PATIENCE = 30  # seconds without any line, after which a test fails
SECONDS = re.compile(r" \(\d+\.\d\d s\)$")


class Watching:
    """A running `savegen watch`, and the lines that it prints."""

    def __init__(self, game: Game, *words: str) -> None:
        self.process = game.start("watch", *words, stderr=subprocess.STDOUT)
        self._lines: queue.Queue[str | None] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self._lines.put(line.rstrip("\n"))
        self._lines.put(None)

    def line(self) -> str:
        """Return the next line, without its seconds."""
        line = self._lines.get(timeout=PATIENCE)
        assert line is not None, "watch has ended"
        return SECONDS.sub("", line)

    def until(self, text: str) -> list[str]:
        """Return the lines up to the first that contains `text`."""
        lines = [self.line()]
        while text not in lines[-1]:
            lines.append(self.line())
        return lines

    def stop(self) -> tuple[int, list[str]]:
        """Press Ctrl-C; return the exit code and the remaining lines."""
        self.process.send_signal(signal.SIGINT)
        code = self.process.wait(PATIENCE)
        return code, list(iter(lambda: self._lines.get(timeout=PATIENCE), None))


@pytest.fixture
def watch_game() -> Iterator[Callable[..., Watching]]:
    """Start to watch a game; the function returns after the first build."""
    started: list[Watching] = []

    def start(game: Game, *words: str) -> Watching:
        started.append(Watching(game, *words))
        started[-1].until("watching")
        return started[-1]

    yield start
    for watching in started:
        watching.process.kill()
        watching.process.wait()


@pytest.fixture
def watch(game, watch_game):
    """Start to watch the game with two marked classes."""
    return partial(watch_game, game)


def test_it_builds_at_the_start(game):
    game.append("game/orc.py", "    mp: Saved[str] = ''\n")
    watching = Watching(game)
    assert watching.line() == "watching game: wrote 3 files"
    assert watching.stop() == (0, ["stopped"])
    assert game.run("check").code == 0


def test_each_change_is_one_build_and_one_line(game, watch):
    watching = watch()
    game.append("game/orc.py", "    mp: Saved[str] = ''\n")
    assert watching.line() == "game/orc.py changed: wrote 3 files"
    game.append("game/orc.py", "    # a comment\n")
    assert watching.line() == "game/orc.py changed: up to date"
    game.remove("game/foes/elf.py")
    assert watching.line() == "game/foes/elf.py changed: wrote 3 files, removed 2 files"
    assert watching.stop() == (0, ["stopped"])


def test_it_does_not_answer_what_it_writes(game, watch):
    watching = watch()
    game.marked("game/rat.py", "Rat")  # wired: the build changes the source itself
    assert watching.line() == "game/rat.py changed: wrote 5 files"
    game.append("game/orc.py", "    # a comment\n")
    assert watching.line() == "game/orc.py changed: up to date"
    assert "RatSaveLoad" in game.read("game/rat.py")
    assert watching.stop() == (0, ["stopped"])


def test_other_files_do_not_matter(game, watch):
    watching = watch()
    game.write("game/notes.txt", "nothing")
    game.write("game/__pycache__/orc.pyc", "nothing")
    (game.folder / "game/orc.py").read_bytes()
    game.append("game/orc.py", "    # a comment\n")
    assert watching.line() == "game/orc.py changed: up to date"
    assert watching.stop() == (0, ["stopped"])


def test_without_wiring_the_source_is_left_alone(game, watch):
    watching = watch("--no-wire")
    game.marked("game/rat.py", "Rat")
    before = game.read("game/rat.py")
    assert "warning[SG110]" in watching.until("changed:")[0]
    assert game.read("game/rat.py") == before


def test_a_syntax_error_is_told_and_survived(game, watch):
    watching = watch()
    good = game.read("game/orc.py")
    game.write("game/orc.py", good + "    mp: (\n")
    told = watching.until("changed:")
    assert told[0].startswith("error[SG101]")
    assert told[-1] == "game/orc.py changed: 1 error"
    game.write("game/orc.py", good)
    assert watching.line() == "game/orc.py changed: up to date"


def test_a_warning_is_told_once(game, watch):
    watching = watch()
    game.append("game/orc.py", "\n    def __init__(self): self.mp = 1\n")
    assert watching.until("changed:")[0].startswith("warning[SG140]")
    game.append("game/orc.py", "    # a comment\n")
    assert watching.line() == "game/orc.py changed: up to date"


def test_a_wrong_configuration_is_told_and_survived(game, watch):
    watching = watch()
    game.write("pyproject.toml", TABLE + "nope = 1\n")
    assert "unknown key `nope`" in watching.until("pyproject.toml changed: failed")[0]
    game.write("pyproject.toml", TABLE)
    assert watching.line() == "pyproject.toml changed: up to date"


def test_a_configuration_that_is_wrong_at_the_start_ends_it(game):
    game.write("pyproject.toml", TABLE + "nope = 1\n")
    said = game.door("watch")
    assert said.code == 2 and "unknown key `nope`" in said.err


def test_paths_that_are_no_sources_end_it(game):
    game.write("other.py", "")
    said = game.door("watch", "other.py")
    assert said.code == 2 and "other.py is not one of the game's sources" in said.err


def test_new_folders_are_watched(game, watch):
    watching = watch()
    (game.folder / "game/deep").mkdir()
    game.marked("game/deep/rat.py", "Rat")
    assert watching.until("game/deep/rat.py changed")
    game.append("game/deep/rat.py", "    # a comment\n")
    assert watching.line() == "game/deep/rat.py changed: up to date"
    (game.folder / "game/deep").rename(game.folder / "game/deeper")
    assert " removed 2 files" in watching.until("changed:")[-1]
    shutil.rmtree(game.folder / "game/deeper")
    assert " removed 2 files" in watching.until("changed:")[-1]


def test_damaged_generated_files_are_written_again(game, watch):
    watching = watch()
    before = game.files()
    game.remove("game/_savegen/types.py")
    assert watching.line() == "game/_savegen/types.py changed: wrote 1 file"
    game.remove("savegen.lock")
    assert watching.line() == "savegen.lock changed: wrote 1 file"
    assert game.files() == before


def test_a_branch_with_other_files_is_survived(game, watch):
    game.write(".gitignore", ".savegen_cache/\n")
    git(game.folder, "init", "-q", "-b", "main")
    git(game.folder, "add", ".")
    git(game.folder, "commit", "-qm", "small")
    git(game.folder, "checkout", "-qb", "big")
    for number in range(60):
        game.marked(f"game/band{number % 7}/m{number}.py", f"C{number}")
    assert game.run("build", "-q").code == 0
    git(game.folder, "add", ".")
    git(game.folder, "commit", "-qm", "big")
    watching = watch()
    for branch in ("main", "big", "main"):
        git(game.folder, "checkout", "-q", branch)
        while game.run("check", "-q").code:  # a build that began too early is repeated
            watching.until("changed:")
    assert watching.stop()[0] == 0


def test_a_command_runs_after_each_build_that_succeeds(game, watch):
    watching = watch("--then", "echo first && echo second")
    assert watching.until("second") == ["first", "second"]
    game.append("game/orc.py", "    mp: (\n")
    watching.until("changed: 1 error")
    game.replace("game/orc.py", "    mp: (\n", "    # a comment\n")
    assert [watching.line() for _ in range(3)] == [
        "game/orc.py changed: up to date",
        "first",
        "second",
    ]
    assert watching.stop() == (0, ["stopped"])


SLOW = (
    f"{sys.executable} -c \"import signal, time; print('begins', flush=True);"
    " signal.signal(signal.SIGTERM, lambda *_: (print('ended', flush=True), exit()));"
    ' time.sleep(1000)"'
)


def test_a_change_ends_the_command_before_it_builds(game, watch):
    watching = watch("--then", f"{SLOW} ; true")
    watching.until("begins")
    game.append("game/orc.py", "    # a comment\n")
    said = watching.until("begins")
    assert said == ["game/orc.py changed: up to date", "begins"] or said == [
        "ended",
        "game/orc.py changed: up to date",
        "begins",
    ]


def test_what_the_command_writes_is_built_but_does_not_run_it_again(game, watch):
    watching = watch("--then", "echo done; echo '# formatted' >> game/orc.py")
    for number in range(3):
        said = [watching.line() for _ in range(2)]
        assert said == ["done", "game/orc.py changed: up to date"]
        assert game.read("game/orc.py").count("# formatted") == number + 1
        game.append("game/foes/elf.py", "    # a comment\n")
        assert watching.line() == "game/foes/elf.py changed: up to date"


def test_a_command_that_writes_and_goes_on_is_not_restarted_for_ever(game, watch):
    write = "echo begins; echo '# more' >> game/orc.py; exec sleep 1000"
    watching = watch("--then", write)
    for _ in range(4):
        said = [watching.line() for _ in range(2)]
        assert said == ["begins", "game/orc.py changed: up to date"]
    game.append("game/foes/elf.py", "    # a comment\n")
    said = [watching.line() for _ in range(2)]
    assert said == ["game/foes/elf.py changed: up to date", "begins"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_command_ends_with_it(game, watch, number):
    watching = watch("--then", f"echo $$; exec {SLOW}")
    child = int(watching.line())
    watching.until("begins")
    watching.process.send_signal(number)
    # While it waits for changes, a signal of any kind is a wish to stop.
    assert watching.process.wait(PATIENCE) in (0, 128 + signal.SIGTERM)
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)


def test_a_bare_game_is_watched_by_its_files(bare, watch_game):
    bare.marked("game.py", "Orc")
    watching = watch_game(bare, "game.py")
    bare.append("game.py", "    mp: Saved[str] = ''\n")
    assert watching.line() == "game.py changed: wrote 3 files"
    bare.append("game.py", "    # a comment\n")
    assert watching.line() == "game.py changed: up to date"


def test_prefabs_are_built_too(bare, watch_game):
    camp = prefabricated(bare)
    watching = watch_game(camp)
    camp.replace("game/camp.py", "part(Orc, 5)", "part(Orc, 6)")
    assert "game/camp.py changed: wrote" in watching.line()
    camp.append("game/orc.py", "\n\nLIMIT = 3\n")
    assert watching.line() == "game/orc.py changed: wrote 1 file"
    assert camp.run("check").code == 0
