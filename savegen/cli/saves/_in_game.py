"""Verify and migrate saves in the game's Python, which can import the saved classes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from savegen import disk
from savegen.build import links
from savegen.cli._console import Console
from savegen.findings import SavegenError

PROGRAM = "savegen.saves.program"


def load_faults(console: Console, paths: Sequence[str], seconds: int) -> dict[str, str]:
    """Return why saves cannot be loaded, by path, without those that can be loaded."""
    return _run_program(console, seconds, "verify", paths) if paths else {}


def migrated(console: Console, source: str, target: str, seconds: int) -> str:
    """Write a migrated copy of a save. Return the error, or "" if it succeeded."""
    faults = _run_program(console, seconds, "migrate", [source, target])
    return faults.get(source, "")


def _run_program(
    console: Console, seconds: int, verb: str, paths: Sequence[str]
) -> dict[str, str]:
    """Run `saves/program.py` on some saves; return the faults that it prints, by path."""
    from savegen.cli._linking import game_program, generated_package
    from savegen.cli._session import Session
    from savegen.build.config import missing

    config = console.config_or_none()
    if config is None:
        raise SavegenError(missing(os.path.abspath("")))
    session = Session(config)
    shown_paths = {disk.resolve(path): path for path in paths}
    arguments = [generated_package(session), verb, *shown_paths]
    program = game_program(session, PROGRAM)
    step = "the saves were read"
    result: dict[str, Any] = links.run(
        program, arguments, os.environ, seconds, console.detail, step
    )
    return {shown_paths.get(p, p): fault for p, fault in result["faults"].items()}
