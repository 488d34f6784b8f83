"""Run a script of the game for `savegen adopt --run`, and return the types that were seen."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from savegen import disk
from savegen.cli._console import Console
from savegen.cli._session import Session
from savegen.findings import SavegenError

if TYPE_CHECKING:
    from savegen.build.adopt.observed import Observed


class Script(NamedTuple):
    """A script of the game, and its arguments."""

    file: str
    arguments: list[str]


class Observation(NamedTuple):
    """The types that attributes had while a script ran, and how it failed, if it did."""

    types: Observed
    failure: str = ""


def script(text: object) -> Script:
    """Read the value of `--run`. Raises `click.BadParameter` if it names no script."""
    try:
        words = shlex.split(str(text))
    except ValueError as error:
        raise click.BadParameter(f"{str(text)!r}: {error}") from None
    if not words or not words[0]:
        raise click.BadParameter("name a script, such as main.py")
    if not disk.exists(words[0]):
        raise click.BadParameter(f"{words[0]} does not exist")
    return Script(words[0], words[1:])


@contextmanager
def observed(
    console: Console, session: Session, script: Script | None, classes: Iterable[str]
) -> Iterator[Observation]:
    """Run a script until it ends; at the end of the block, print how it failed, if it did.

    Raises `SavegenError` if nothing was recorded.
    """
    observation = Observation({}) if script is None else _run(session, script, classes)
    try:
        yield observation
    finally:
        if observation.failure:
            console.note(observation.failure)


def _run(session: Session, script: Script, classes: Iterable[str]) -> Observation:
    from savegen.build import process
    from savegen.build.adopt import live
    from savegen.build.adopt.observed import OBSERVED_CONTAINERS

    result = disk.temporary(disk.cache_folder(session.config.root))
    request = json.dumps(
        {
            "script": disk.absolute(script.file),
            "arguments": script.arguments,
            "module": _module(session, script.file),
            "classes": [*classes],
            "containers": OBSERVED_CONTAINERS,
            "result": result,
        }
    )
    try:
        code = process.run([sys.executable, "-m", live.__name__, request], ".")
        if not disk.exists(result):
            raise SavegenError(_killed(script, code))
        record = json.loads(disk.read(result))
        disk.remove(result)
    except (process.Failed, OSError) as error:
        raise SavegenError(f"{script.file} cannot be run: {error}") from None
    return Observation(record["seen"], _failure(script, record))


def _module(session: Session, file: str) -> str:
    """Return the name by which the game imports the script."""
    path = disk.absolute(file)
    place = disk.relative(path, session.config.root)
    return session.project.module_at(place) or disk.name_of(path).removesuffix(".py")


def _killed(script: Script, code: int) -> str:
    if code < 0:
        return f"{script.file} was killed by signal {-code}, so nothing was recorded"
    return (
        f"{script.file} ended at once with exit code {code}, as `os._exit` does,"
        " so nothing was recorded"
    )


def _failure(script: Script, record: Mapping[str, Any]) -> str:
    if not record["code"]:
        return ""
    error = f" ({record['error']})" if record["error"] else ""
    count = sum(map(len, record["seen"].values()))
    return (
        f"{script.file} failed with exit code {record['code']}{error};"
        f" before that, {count} attribute{'s were' if count != 1 else ' was'} seen"
    )
