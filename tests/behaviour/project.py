"""A game in a folder of its own: written, generated for, and run in a fresh process."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent

from savegen import cli

ROOT = Path(__file__).parents[2]
ENVIRONMENT = {
    "PYTHONPATH": str(ROOT),
    "PYTHONUTF8": "1",
    "PYGAME_HIDE_SUPPORT_PROMPT": "1",
    # Python takes a file that changes twice within a second for the one it has compiled.
    "PYTHONDONTWRITEBYTECODE": "1",
}


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
        out, err = io.StringIO(), io.StringIO()
        with (
            contextlib.chdir(self.folder),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
        ):
            code = cli.run(["components", "--no-color", *arguments])
        assert code == 0, f"{out.getvalue()}\n{err.getvalue()}"
        return out.getvalue()

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
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=self.folder,
            env={**os.environ, **ENVIRONMENT},
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=240,
        )
