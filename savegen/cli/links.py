"""`savegen links`: run pass 3."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from savegen.cli import _options as option
from savegen.cli._console import Console
from savegen.cli._passes import (
    NO_PREFAB,
    Drift,
    drift,
    note_without_prefab,
    report_earlier_passes,
)
from savegen.cli._last_run import repeat_last_run
from savegen.cli._write_lock import write_lock

if TYPE_CHECKING:
    from savegen.cli._session import Session
    from savegen.build.pipeline import Generated


@click.command()
@option.paths
@option.timeout
@option.no_cache_and_links
@option.strict
@option.output_format
@option.common
@click.pass_obj
def command(
    console: Console, paths: tuple[str, ...], seconds: int, no_cache: bool
) -> int:
    """Build each prefab once and record its defaults (pass 3).

    savegen records the default values of the parameters, and writes the schema of level files.
    Pass 3 is skipped if the game has no prefabs, or if no file that the game
    loads has changed.

    savegen starts the game's Python: `python` in [tool.savegen], or else the Python that runs
    savegen. It imports your modules and builds each prefab; it does not call your main loop.
    With --verbose, savegen prints what your code prints.

    Run `savegen components` and `savegen prefabs` first: while their files are out of date,
    this command refuses to write.

    If the project has no [tool.savegen] in pyproject.toml, name the files of the game as
    PATHS. Otherwise PATHS have no effect: this pass always covers the whole game.
    """
    config = console.config(paths)
    must_run = no_cache or bool(paths)
    if not must_run and (code := repeat_last_run(console, config, 3)) is not None:
        note_without_prefab(console, config)
        return code
    from savegen.cli._session import Session

    begin = partial(Session, config, not no_cache, console.strict)
    session = begin()
    session.chosen(paths)  # only to refuse paths that name no source
    paths = paths if config.is_bare else ()
    with write_lock("links", session, begin) as session:
        with console.watching(session.project):
            generated = session.generate()
        failed = session.report.failed
        found = None if failed else drift(session, generated)
        if found is None or found.passes & {1, 2}:
            return _refuse(console, session, found, paths)
        if not any(generated.model.prefabs):
            console.note(NO_PREFAB)
        return _link(console, session, generated, seconds, no_cache)


def _refuse(
    console: Console, session: Session, found: Drift | None, paths: tuple[str, ...]
) -> int:
    console.findings(session.findings, session.project)
    if found:
        report_earlier_passes(console, session, found, paths)
    return 1


def _link(
    console: Console,
    session: Session,
    generated: Generated,
    seconds: int,
    must_run: bool,
) -> int:
    from savegen.cli._linking import update
    from savegen.cli.components import summary, report_each

    try:
        changes = update(console, session, generated, seconds, must_run)
    finally:
        console.findings(session.findings, session.project)
    if session.failed:
        return 1
    report_each(console, session, changes)
    console.status(summary(changes))
    return 0
