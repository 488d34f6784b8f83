"""What the game's own Python says of saves: it knows the classes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from savegen import disk
from savegen.build import links
from savegen.cli._console import Console
from savegen.findings import SavegenError

PROGRAM = "savegen.saves.program"


def faults_in_game(
    console: Console, paths: Sequence[str], seconds: int
) -> dict[str, str]:
    """Return why saves would not load, by path; nothing for those that would."""
    return _asked(console, seconds, "verify", paths) if paths else {}


def migrated(console: Console, source: str, target: str, seconds: int) -> str:
    """Write a save as the game of today would; return what kept it from that."""
    faults = _asked(console, seconds, "migrate", [source, target])
    return faults.get(source, "")


def _asked(
    console: Console, seconds: int, verb: str, paths: Sequence[str]
) -> dict[str, str]:
    """Run the program on some paths; return what it says of them, by the same paths."""
    from savegen.cli._linking import game_of, generated_package
    from savegen.cli._session import Session
    from savegen.build.config import missing

    config = console.settings()
    if config is None:
        raise SavegenError(missing(os.path.abspath("")))
    session = Session(config)
    places = {disk.resolve(path): path for path in paths}
    words = [generated_package(session), verb, *places]
    game = game_of(session, PROGRAM)
    until = "the saves were read"
    said: dict[str, Any] = links.run(
        game, words, os.environ, seconds, console.detail, until
    )
    return {places.get(place, place): text for place, text in said["faults"].items()}
