"""`python -m tests.golden --record NAME [--game FOLDER]`: what a release writes is kept.

    git worktree add ../earlier v0.3
    python -m tests.golden --record 0.3 --game ../earlier/sample_game

The folder is built and played in a process of its own: the saves are made by its code.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.golden import AFTER, HERE, JOURNAL, LOCK, SAVE, WORLD

ROOT = HERE.parents[1]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.golden")
    parser.add_argument("--record", metavar="NAME", required=True)
    parser.add_argument("--game", type=Path, default=ROOT / "sample_game")
    chosen = parser.parse_args()
    target = HERE / chosen.record
    if target.exists():
        parser.error(
            f"{chosen.record} is recorded already, and a release never changes"
        )
    with tempfile.TemporaryDirectory() as folder:
        record(chosen.game, chosen.record, Path(folder), target)
    print(f"wrote {target.relative_to(ROOT)}")


def record(game: Path, name: str, folder: Path, target: Path) -> None:
    """Build and play a copy of a game, and keep its saves, its lock, and what it has said."""
    copy = folder / "sample_game"
    shutil.copytree(game, copy, ignore=shutil.ignore_patterns("__pycache__", ".*"))
    run(copy, "-m", "savegen", "build")
    run(copy, "-m", "savegen", "release", f"releases/{name}")
    run(folder, "-m", "tests.golden.play", str(folder / "played"), name)
    target.mkdir()
    shutil.copy(copy / "releases" / name / LOCK, target / LOCK)
    for made in (SAVE, WORLD, JOURNAL, AFTER):
        shutil.copy(folder / "played" / made, target / made)


def run(folder: Path, *words: str) -> None:
    """Run Python where the game is: it is what `sample_game` means there."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)])}
    subprocess.run([sys.executable, *words], cwd=folder, env=env, check=True)


if __name__ == "__main__":
    main()
