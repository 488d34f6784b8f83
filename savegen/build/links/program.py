"""Run a program in the game's Python, such as the generated one that builds every prefab."""

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

# Environment variables: no window, no sound, and no greeting of pygame.
_QUIET = {
    "SDL_VIDEODRIVER": "dummy",
    "SDL_AUDIODRIVER": "dummy",
    "PYGAME_HIDE_SUPPORT_PROMPT": "1",
}
_SAME_ORDER = {"PYTHONHASHSEED": "0"}  # of sets, in every run
_SEPARATOR = ";" if sys.platform == "win32" else ":"  # of PYTHONPATH
_LAST_LINES = 8  # of the game's output, in an error
_FRAME = re.compile(r'^ *File "(.+)", line (\d+),? in (.+)$', re.MULTILINE)
_NO_MODULE = re.compile(r"No module named '(savegen|msgspec)\b")
_TOO_OLD = "Unknown option: -P"  # printed by each Python that is too old for savegen
SET_PYTHON = "set `python` in [tool.savegen] to the Python that runs the game"


class Failure(msgspec.Struct, frozen=True):
    """A prefab that could not be built, and the line of the game that caused it."""

    prefab: str  # `module:qualname`
    kind: str
    error: str
    file: str = ""  # absolute; "" if the error is in no file of the game
    line: int = 0
    function: str = ""


class LinkResult(msgspec.Struct):
    """The result of pass 3, as the generated program prints it."""

    format: int
    prefabs: dict[str, dict[str, Any]] = {}
    failures: list[Failure] = []
    schema: dict[str, Any] = {}
    template: dict[str, Any] = {}
    loaded: list[str] = []  # absolute paths of the modules that were imported


class GameProgram(NamedTuple):
    """The settings for running a program in the game's Python."""

    python: str
    module: str  # the program, as the game imports it
    folder: str
    roots: tuple[str, ...]  # absolute import paths of the game's modules


def link(
    program: GameProgram,
    environ: Mapping[str, str],
    seconds: int,
    show_output: Callable[[str], object],
) -> LinkResult:
    """Build all prefabs and return the result. Pass the game's output to `show_output`.

    Raises `SavegenError` if the program does not finish, or belongs to another version.
    """
    result = run(program, (), environ, seconds, show_output, "its prefabs were built")
    try:
        linked = msgspec.convert(result, LinkResult)
    except msgspec.ValidationError:
        linked = None
    if linked is None or linked.format != FORMAT:
        raise SavegenError(
            f"{program.python} has a different version of savegen: install the same version there"
        )
    return linked


def run(
    program: GameProgram,
    arguments: Sequence[str],
    environ: Mapping[str, str],
    seconds: int,
    show_output: Callable[[str], object],
    last_step: str,
) -> dict[str, Any]:
    """Run a program in the game's Python. Return the JSON object that it prints at its end.

    Raises `SavegenError` if the program ends too early. The error says that it ended before
    `last_step`, such as "its prefabs were built".
    """
    command = [
        program.python,
        "-P",
        "-X",
        "faulthandler",
        "-m",
        program.module,
        *arguments,
    ]
    try:
        done = process.run_with_limit(
            command, program.folder, _environment(program, environ), seconds
        )
    except process.Failed as failed:
        raise SavegenError(
            f"cannot run {program.python}: {failed}; {SET_PYTHON}"
        ) from None
    errors = done.err.decode(errors="replace")
    if errors.strip() and done.code is not None:
        show_output(errors.rstrip())
    result = _result(done.out) if done.code is not None else None
    if result is None:
        raise SavegenError(_reason(program, done.code, errors, seconds, last_step))
    return result


def _environment(program: GameProgram, environ: Mapping[str, str]) -> dict[str, str]:
    paths = (*program.roots, environ.get("PYTHONPATH", ""))
    path = _SEPARATOR.join(filter(None, paths))
    return {**_QUIET, **environ, **_SAME_ORDER, "PYTHONPATH": path}


def _result(out: bytes) -> dict[str, Any] | None:
    """Return the JSON object at the end of `out`; a package may have printed before it."""
    start = out.find(b'{"format"')
    while start >= 0:
        try:
            result: dict[str, Any] = json.loads(out[start:])
            return result
        except (ValueError, RecursionError):
            start = out.find(b'{"format"', start + 1)
    return None


def _reason(
    program: GameProgram, code: int | None, errors: str, seconds: int, last_step: str
) -> str:
    """Return why a program has no result."""
    if code is None:
        return (
            f"the game did not finish within {seconds} s{_place(program, errors)};"
            " allow more time with --timeout"
        )
    if missing := _NO_MODULE.search(errors):
        return f"{program.python} has no {missing[1]}: install savegen there, or {SET_PYTHON}"
    if _TOO_OLD in errors:
        return f"{program.python} is older than Python 3.11: {SET_PYTHON}"
    end = f"signal {-code}" if code < 0 else f"exit code {code}"
    own_lines = errors.partition("Fatal Python error: ")[0].splitlines()
    last_lines = "\n".join(f"  {line}" for line in own_lines[-_LAST_LINES:])
    return f"the game ended ({end}) before {last_step}{_place(program, errors)}" + (
        f"; its last output:\n{last_lines}" if last_lines else ""
    )


def _place(program: GameProgram, errors: str) -> str:
    """Return the game's innermost line in a crash report of Python; "" if it has none."""
    _, heading, trace = errors.rpartition("(most recent call first):")
    frames = _FRAME.findall(trace if heading else "")
    for file, line, function in frames:
        if file.startswith(program.folder) and "site-packages" not in file:
            path = file[len(program.folder) :].lstrip("/\\")
            return f": it was at {path}:{line}, in {function}"
    return ""
