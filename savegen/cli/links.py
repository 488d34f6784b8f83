"""`savegen links`: run pass 3."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from savegen.cli import _options as option
from savegen.cli import _passes
from savegen.cli._console import Console
from savegen.cli._results import fix_command, report_planned, report_written

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
    with _passes.started(console, "links", paths, no_cache) as (session, _):
        paths = paths if session.config.is_bare else ()
        with console.watching(session.project):
            generated = session.generate()
        failed = session.report.failed
        drift = None if failed else _passes.drift(session, generated)
        if drift is None or drift.passes & {1, 2}:
            return _refuse(console, session, drift, paths)
        if not any(generated.model.prefabs):
            console.note(_passes.NO_PREFAB)
        return _link(console, session, generated, seconds, no_cache)


def _refuse(
    console: Console,
    session: Session,
    drift: _passes.Drift | None,
    paths: tuple[str, ...],
) -> int:
    """Print why pass 3 cannot run: errors, or the outdated files of passes 1 and 2."""
    console.findings(session.findings, session.project)
    if drift is not None:
        report_planned(console, session, drift.plan)
        command = fix_command(console, drift.passes - {3}, paths)
        console.note(f"run `{command}` instead")
    return 1


def _link(
    console: Console,
    session: Session,
    generated: Generated,
    seconds: int,
    must_run: bool,
) -> int:
    from savegen.cli._linking import update

    try:
        changes = update(console, session, generated, seconds, must_run)
    finally:
        console.findings(session.findings, session.project)
    if session.failed:
        return 1
    report_written(console, session, changes)
    return 0
