"""Load and migrate saves in the game's Python, which can import the saved classes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, NamedTuple

from savegen import disk
from savegen.build import links
from savegen.cli._console import Console
from savegen.findings import SavegenError

PROGRAM = "savegen.saves.program"


class LoadFaults(NamedTuple):
    """Why saves cannot be loaded, by path."""

    faults: dict[str, str]
    hooks: frozenset[str]  # the paths of those for which a hook of the game raised


def load_faults(console: Console, paths: Sequence[str], seconds: int) -> LoadFaults:
    """Load saves into new worlds of the game; return why some cannot be loaded."""
    if not paths:
        return LoadFaults({}, frozenset())
    config = console.config_or_none()
    world = config.world if config else ""
    return _run_program(console, seconds, "verify", [world], paths)


def migrated(console: Console, source: str, target: str, seconds: int) -> str:
    """Write a migrated copy of a save. Return the error, or "" if it succeeded."""
    faults, _ = _run_program(console, seconds, "migrate", [], [source, target])
    return faults.get(source, "")


def _run_program(
    console: Console,
    seconds: int,
    verb: str,
    options: Sequence[str],
    paths: Sequence[str],
) -> LoadFaults:
    """Run `saves/program.py` on some saves; return what it prints, with the paths as given."""
    from savegen.cli._linking import game_program, generated_package
    from savegen.cli._session import Session
    from savegen.build.config import missing

    config = console.config_or_none()
    if config is None:
        raise SavegenError(missing(os.path.abspath("")))
    session = Session(config)
    shown_paths = {disk.resolve(path): path for path in paths}
    arguments = [generated_package(session), verb, *options, *shown_paths]
    program = game_program(session, PROGRAM)
    step = "the saves were loaded"
    result: dict[str, Any] = links.run(
        program, arguments, os.environ, seconds, console.detail, step
    )
    return LoadFaults(
        {shown_paths.get(p, p): fault for p, fault in result["faults"].items()},
        frozenset(shown_paths.get(p, p) for p in result["hooks"]),
    )
