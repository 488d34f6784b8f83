"""The game as players get it: one folder, made by PyInstaller, that needs no Python."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.game.scripts import SCRIPTS
from tests.game.test_playthroughs import ENDS
from tests.project import ENVIRONMENT, ROOT
from tests.soaking import SOAKING

# What only `savegen build` needs.
BUILD_TIME = ("libcst", "jinja2", "black", "click", "savegen.build", "savegen.cli")
PROGRAM = "from sample_game.__main__ import main\nmain()\n"


@pytest.mark.soak
@pytest.mark.timeout(900)
@pytest.mark.skipif(
    not (SOAKING or "CI" in os.environ), reason="PyInstaller takes a minute or more"
)
def test_a_frozen_game_plays_as_any_other_and_contains_nothing_of_the_build(
    tmp_path: Path,
) -> None:
    (tmp_path / "pip.py").write_text(PROGRAM)
    words = "-m PyInstaller pip.py --noconfirm --collect-data sample_game --paths"
    made = subprocess.run(
        [sys.executable, *words.split(), str(ROOT)],
        cwd=tmp_path,
        env={**os.environ, **ENVIRONMENT},
        capture_output=True,
        text=True,
    )
    assert made.returncode == 0, made.stderr
    (listed,) = tmp_path.glob("build/pip/PYZ-*.toc")
    text = listed.read_text()
    assert "'sample_game.game'" in text
    assert not [name for name in BUILD_TIME if f"('{name}" in text]
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    script = SCRIPTS / "cellar.txt"
    done = subprocess.run(
        [str(tmp_path / "dist" / "pip" / "pip"), "cellar", "--headless"]
        + ["--script", str(script), "--saves", "saves"],
        cwd=elsewhere,
        env={},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert f"digest {ENDS['cellar'].digest}\n" in done.stdout
