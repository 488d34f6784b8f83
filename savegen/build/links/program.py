"""Run the generated program that builds every prefab, and read its output."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from savegen.build import process
from savegen.findings import SavegenError

FORMAT = 1
PROGRAM = "link_prefabs"

_QUIET = {  # prefabs are built without a window, sound or pygame's greeting
    "SDL_VIDEODRIVER": "dummy",
    "SDL_AUDIODRIVER": "dummy",
    "PYGAME_HIDE_SUPPORT_PROMPT": "1",
}
_ALIKE = {"PYTHONHASHSEED": "0"}  # sets have the same order in every run
_SEPARATOR = ";" if sys.platform == "win32" else ":"  # of PYTHONPATH
_LAST_LINES = 8
_FRAME = re.compile(r'^ *File "(.+)", line (\d+),? in (.+)$', re.MULTILINE)
_LOST = re.compile(r"No module named '(savegen|msgspec)\b")
_TOO_OLD = "Unknown option: -P"  # printed by each Python that is too old for savegen
NAME_IT = "set `python` in [tool.savegen] to the Python that runs the game"


class Failure(msgspec.Struct, frozen=True):
    """A prefab that could not be built, and the line of the game that caused it."""

    prefab: str  # `module:qualname`
    kind: str
    error: str
    file: str = ""  # absolute; "" if the error is in no file of the game
    line: int = 0
    function: str = ""


class Linked(msgspec.Struct):
    """The output of the program."""

    format: int
    prefabs: dict[str, dict[str, Any]] = {}
    failures: list[Failure] = []
    schema: dict[str, Any] = {}
    template: dict[str, Any] = {}
    loaded: list[str] = []  # absolute paths


class Game(NamedTuple):
    """The settings to run a program with the game's Python."""

    python: str
    module: str  # the program, as the game imports it
    folder: str
    roots: tuple[str, ...]  # absolute import paths of the game's modules


def link(
    game: Game,
    environ: Mapping[str, str],
    seconds: int,
    hear: Callable[[str], object],
) -> Linked:
    """Run the program and return its result; pass what the game printed to `hear`.

    Raises `SavegenError` if the program does not finish, or belongs to another version.
    """
    printed = run(game, (), environ, seconds, hear, "its prefabs were built")
    try:
        linked = msgspec.convert(printed, Linked)
    except msgspec.ValidationError:
        linked = None
    if linked is None or linked.format != FORMAT:
        raise SavegenError(
            f"{game.python} has a different version of savegen: install the same version there"
        )
    return linked


def run(
    game: Game,
    words: Sequence[str],
    environ: Mapping[str, str],
    seconds: int,
    hear: Callable[[str], object],
    until: str,
) -> dict[str, Any]:
    """Run a program with the game's Python; return the JSON object that it prints at its end.

    Raises `SavegenError` if the program ends early; `until` names the step it did not reach.
    """
    command = [game.python, "-P", "-X", "faulthandler", "-m", game.module, *words]
    try:
        done = process.run_with_limit(
            command, game.folder, _environment(game, environ), seconds
        )
    except process.Failed as failed:
        raise SavegenError(f"cannot run {game.python}: {failed}; {NAME_IT}") from None
    said = done.err.decode(errors="replace")
    if said.strip() and done.code is not None:
        hear(said.rstrip())
    printed = _result(done.out) if done.code is not None else None
    if printed is None:
        raise SavegenError(_why(game, done.code, said, seconds, until))
    return printed


def _environment(game: Game, environ: Mapping[str, str]) -> dict[str, str]:
    paths = (*game.roots, environ.get("PYTHONPATH", ""))
    path = _SEPARATOR.join(filter(None, paths))
    return {**_QUIET, **environ, **_ALIKE, "PYTHONPATH": path}


def _result(out: bytes) -> dict[str, Any] | None:
    """Return the document at the end of `out`; a package may have printed before it."""
    place = out.find(b'{"format"')
    while place >= 0:
        try:
            found: dict[str, Any] = json.loads(out[place:])
            return found
        except (ValueError, RecursionError):
            place = out.find(b'{"format"', place + 1)
    return None


def _why(game: Game, code: int | None, said: str, seconds: int, until: str) -> str:
    """Return the reason for a missing result."""
    if code is None:
        return (
            f"the game did not finish within {seconds} s{_place(game, said)};"
            " allow more time with --timeout"
        )
    if lost := _LOST.search(said):
        return f"{game.python} has no {lost[1]}: install savegen there, or {NAME_IT}"
    if _TOO_OLD in said:
        return f"{game.python} is older than Python 3.11: {NAME_IT}"
    end = f"signal {-code}" if code < 0 else f"exit code {code}"
    said_itself = said.partition("Fatal Python error: ")[0].splitlines()
    last = "\n".join(f"  {line}" for line in said_itself[-_LAST_LINES:])
    return f"the game ended ({end}) before {until}{_place(game, said)}" + (
        f"; its last output:\n{last}" if last else ""
    )


def _place(game: Game, said: str) -> str:
    """Return the game's innermost line in a crash report of Python; "" if none exists."""
    _, crash, trace = said.rpartition("(most recent call first):")
    frames = _FRAME.findall(trace if crash else "")
    for file, line, function in frames:
        if file.startswith(game.folder) and "site-packages" not in file:
            place = file[len(game.folder) :].lstrip("/\\")
            return f": it was at {place}:{line}, in {function}"
    return ""
