"""Programs in fresh processes, and a game in a folder of its own that they generate and play."""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from textwrap import dedent
from typing import Any, NamedTuple

import pytest
from filelock import FileLock

from savegen import cli
from tests.forks import can_fork, run_in_fork

ROOT = Path(__file__).parents[1]
ENVIRONMENT = {
    "PYTHONPATH": str(ROOT),
    "PYTHONUTF8": "1",
    "PYGAME_HIDE_SUPPORT_PROMPT": "1",
    # Python takes a file that changes twice within a second for the one it has compiled.
    "PYTHONDONTWRITEBYTECODE": "1",
}


class Said(NamedTuple):
    """What came of a command."""

    code: int
    out: str
    err: str


def savegen(folder: Path, *words: str, together: bool = False) -> Said:
    """Run a command in this process; what it prints on both channels can be one text."""
    out = io.StringIO()
    err = out if together else io.StringIO()
    with (
        contextlib.chdir(folder),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        code = cli.run(words)
    return Said(code, out.getvalue(), "" if together else err.getvalue())


def try_python(
    *arguments: str, folder: Path = ROOT, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run Python in a fresh process; return what came of it."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**os.environ, **ENVIRONMENT, **environment},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=240,
    )


def python(
    *arguments: str, folder: Path = ROOT, code: int = 0, **environment: str
) -> str:
    """Run Python in a fresh process, expect its exit code, return what it prints."""
    done = try_python(*arguments, folder=folder, **environment)
    assert done.returncode == code, f"{done.stdout}\n{done.stderr}"
    return done.stdout


def program(text: str, *arguments: str, folder: Path = ROOT) -> str:
    """Run a program in a fresh process, which must succeed; return what it prints."""
    return python("-c", dedent(text), *arguments, folder=folder)


def try_git(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run git, whatever the settings of this machine; return what came of it."""
    settings = "user.name=x user.email=x@y commit.gpgsign=no core.hooksPath=none"
    options = [word for each in settings.split() for word in ("-c", each)]
    command = ["git", *options, *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


def git(folder: Path, *words: str) -> str:
    """Run git, which must succeed; return what it prints."""
    done = try_git(folder, *words)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done.stdout


def mypy(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run mypy; return what came of it.

    It reads the library and the stubs once for all folders: they have one cache, which counts
    only where the options are the same.
    """
    cache = f"--cache-dir={ROOT / '.mypy_cache' / 'tests'}"
    options = ("--strict", "--config-file=", "--follow-imports=silent", cache)
    command = ("-m", "mypy", *options, *arguments)
    return try_python(*command, folder=folder, MYPYPATH=str(ROOT))


def pyright(folder: Path, *arguments: str) -> list[str]:
    """Run pyright; return its messages, each with its file and line."""
    pytest.importorskip("pyright")
    options = ["--outputjson", "--pythonpath", sys.executable]
    done = try_python("-m", "pyright", *options, *arguments, folder=folder)
    report = json.loads(done.stdout)
    assert report["summary"]["filesAnalyzed"], done.stdout
    return [
        f"{Path(each['file']).name}:{each['range']['start']['line'] + 1}: {each['message']}"
        for each in report["generalDiagnostics"]
    ]


def made_once(folder: Path, make: Callable[[Path], object]) -> Path:
    """Return a folder, made by the first process of this test run that asks for it."""
    with FileLock(f"{folder}.lock"):
        if not folder.exists():
            try:
                make(folder)
            except BaseException:
                shutil.rmtree(folder, ignore_errors=True)
                raise
    return folder


def repository(folder: Path) -> None:
    """Make a folder a repository, with all that is in it in one commit."""
    git(folder, "init", "-q", "-b", "main")
    commit(folder)


def commit(folder: Path) -> None:
    """Commit all that a folder has."""
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "all")


class Project:
    """One game."""

    def __init__(self, folder: Path, files: Mapping[str, str]) -> None:
        """Write `files`, text by path below `folder`."""
        self.folder = folder
        for path, text in files.items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(dedent(text), encoding="utf-8")

    def components(self, *arguments: str) -> str:
        """Run `savegen components` here, which must succeed; return what it says."""
        said = savegen(self.folder, "components", "--no-color", *arguments)
        assert said.code == 0, f"{said.out}\n{said.err}"
        return said.out

    def generated(self, *paths: str) -> Project:
        """Generate for the game, of its settings or of some files; return the game."""
        self.components("--quiet", *paths)
        return self

    def prefabs(self) -> Project:
        """Generate what needs prefabs, in a fresh process; return the game."""
        self.run("-m", "savegen", "prefabs", "--quiet")
        return self

    def run(self, *arguments: str) -> str:
        """Run Python, which must succeed; return what it prints."""
        done = self.try_to_run(*arguments)
        assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
        return done.stdout

    def script(self, text: str) -> str:
        """Run a script that stands in the game's folder; return what it prints."""
        (self.folder / "script.py").write_text(dedent(text), encoding="utf-8")
        return self.run("script.py")

    def try_to_run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run Python, in a fork if that does the same; return what came of it."""
        if can_fork(arguments):
            return run_in_fork(arguments, self.folder, ENVIRONMENT)
        return try_python(*arguments, folder=self.folder)

    @contextlib.contextmanager
    def imported(self, *names: str) -> Iterator[list[Any]]:
        """Import modules of the game in this very process, and forget its package at the end."""
        package = names[0].partition(".")[0]
        sys.path.insert(0, str(self.folder))
        try:
            yield [importlib.import_module(name) for name in names]
        finally:
            sys.path.remove(str(self.folder))
            for name in [n for n in sys.modules if n.partition(".")[0] == package]:
                del sys.modules[name]
