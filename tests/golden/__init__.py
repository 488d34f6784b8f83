"""Saves that released versions of the sample game have written: they load for ever.

A folder a release: a save with a journal that goes on from it, the lock of the release, and the
world in words as the game of then had it. `python -m tests.golden --record 0.6` adds a
release; `changes.py` says what becomes of older ones.
"""

from pathlib import Path

HERE = Path(__file__).parent
LOCK = "savegen.lock"
SAVE, WORLD = "world.sav", "world.txt"
JOURNAL, AFTER = "world.journal", "after.txt"  # and how the world differs then
GONE = "gone"


def version(release: str) -> list[int]:
    """Return a release as it is compared: 0.10 comes after 0.9."""
    return [int(part) for part in release.split(".")]


RELEASES = sorted((path.parent.name for path in HERE.glob(f"*/{SAVE}")), key=version)
