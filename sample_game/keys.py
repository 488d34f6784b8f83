"""The keys of the game, and scripts of them: one line for each time that the keys change.

90 RIGHT        for 90 frames
12 RIGHT+JUMP
30              no key
# a comment
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import IntFlag, auto
from itertools import groupby
from pathlib import Path


class Keys(IntFlag):
    """The keys that are held down in one frame."""

    LEFT = auto()
    RIGHT = auto()
    UP = auto()
    DOWN = auto()
    JUMP = auto()
    FIRE = auto()
    REWIND = auto()
    QUICKSAVE = auto()
    QUICKLOAD = auto()


NONE = Keys(0)
MOVES = Keys.LEFT | Keys.RIGHT | Keys.UP | Keys.DOWN | Keys.JUMP | Keys.FIRE
LONGEST = 1_000_000  # frames of a script, which is read as a whole


class ScriptError(ValueError):
    """A script that cannot be read. The message names the line."""


def read_script(file: Path) -> list[Keys]:
    """Return the keys of each frame. Raises `ScriptError`."""
    try:
        lines = file.read_text("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text"
        raise ScriptError(f"{file}: {reason}") from None
    return [*parse_script(lines, str(file))]


def parse_script(lines: Iterable[str], name: str) -> Iterator[Keys]:
    """Yield the keys of each frame. Raises `ScriptError`."""
    total = 0
    for number, line in enumerate(lines, 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        where = f"{name}, line {number}"
        frames, names = words[0], " ".join(words[1:])
        if not (frames.isascii() and frames.isdigit() and len(frames) < 10):
            raise ScriptError(f"{where}: {frames[:20]!r} is no number of frames")
        total += int(frames)
        if total > LONGEST:
            raise ScriptError(f"{where}: the script is longer than {LONGEST} frames")
        keys = NONE
        for key in filter(None, map(str.strip, names.split("+"))):
            if key not in Keys.__members__:
                known = ", ".join(Keys.__members__)
                raise ScriptError(f"{where}: there is no key {key!r}, only {known}")
            keys |= Keys[key]
        yield from [keys] * int(frames)


def script_of(frames: Iterable[Keys]) -> str:
    """Return the text of a script."""
    lines = []
    for keys, same in groupby(frames):
        names = "+".join(str(key.name) for key in Keys if key in keys)
        lines.append(f"{len([*same])} {names}".rstrip() + "\n")
    return "".join(lines)
