"""The README's tour, done as a reader would: its files written, its commands run."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", README, re.M | re.S)


def test_the_tour_prints_what_the_readme_says(tmp_path: Path) -> None:
    commands = 0
    for language, text in BLOCKS:
        named = re.match(r"# ([\w/]+\.(?:py|toml))\n", text)
        if language in ("python", "toml") and named:
            path = tmp_path / named[1]
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        elif language == "console" and "$ make" not in text:
            for command, expected in sessions(text):
                assert run(command, tmp_path) == expected, command
                commands += 1
    assert commands >= 5


def sessions(text: str) -> list[tuple[str, str]]:
    """Return the commands of a console block, each with what it prints."""
    return re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", text, re.M)


def run(command: str, folder: Path) -> str:
    words = shlex.split(command)
    module = ["-m", "savegen"] if words[0] == "savegen" else []
    done = subprocess.run(
        [sys.executable, *module, *words[1:]],
        cwd=folder,
        env={**os.environ, "PYGAME_HIDE_SUPPORT_PROMPT": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
    )
    return done.stdout


def test_the_make_verbs_of_the_readme_exist() -> None:
    makefile = (Path(__file__).parents[1] / "Makefile").read_text(encoding="utf-8")
    for verb in re.findall(r"^\$ make (\w+)", README, re.M):
        assert f"\n{verb}:" in makefile, verb


@pytest.mark.skipif(not shutil.which("make"), reason="there is no make")
def test_the_level_that_is_to_be_played_is_told_to_the_game_alone() -> None:
    done = subprocess.run(
        ["make", "--dry-run", "--no-print-directory", "play", "ARGS=cavern"],
        cwd=Path(__file__).parents[1],
        # The tests may have been started by make themselves.
        env={k: v for k, v in os.environ.items() if "MAKE" not in k},
        capture_output=True,
        text=True,
        check=True,
    )
    build, play = done.stdout.splitlines()[-2:]
    assert build.split()[-2:] == ["savegen", "build"]
    assert play.split()[-2:] == ["sample_game.window", "cavern"]
