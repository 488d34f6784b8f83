"""`savegen check`: report errors and outdated files without writing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from savegen.cli import _options as option
from savegen.cli import _passes
from savegen.cli._console import Console
from savegen.cli._results import (
    fix_command,
    report_planned,
    report_stale,
    report_untracked,
)

if TYPE_CHECKING:
    from savegen.cli._session import Session
    from savegen.build.pipeline import Generated


@click.command()
@option.paths
@click.option("--diff", is_flag=True, help="Show the lines that would change.")
@option.tracked
@option.no_cache
@option.strict
@option.output_format
@option.common
@click.pass_obj
def command(
    console: Console,
    paths: tuple[str, ...],
    diff: bool,
    tracked: bool,
    no_cache: bool,
) -> int:
    """Report errors and generated files that are out of date; write nothing.

    The exit code is 1 if `savegen build` would find an error or change a file: use it in CI.
    savegen does not execute your code. To judge pass 3, it compares the game's files with the
    checksums that pass 3 last recorded.

    With PATHS (files or folders), savegen checks the output of pass 1 only for those files;
    it checks passes 2 and 3 for the whole game. If the project has no [tool.savegen] in
    pyproject.toml, name the files of the game as PATHS.
    """
    run = _passes.started(console, "check", paths, no_cache, tracked, wires=True)
    with run as (session, chosen):
        from savegen.cli import wire  # not if nothing has changed

        with console.watching(session.project):
            generated = session.generate()
        planned = session
        edits, after, result = wire.before_build(session, generated, chosen)
        if result and edits and session.report.failed:  # wiring fixes the errors
            planned, generated = after, result
        failed = planned.report.failed
        drift = None if failed else _passes.drift(planned, generated, chosen, tracked)
    console.findings(session.findings, session.project)
    if drift is None:
        return 1
    wire.report_edits(console, session, edits, diff)
    report_planned(console, session, drift.plan, diff)
    report_stale(console, session, drift.stale)
    if drift.passes or edits:
        wires = bool(edits)  # only `build` does, and it runs the passes, too
        command = fix_command(console, drift.passes, paths, tracked and not wires)
        console.note(f"run `{command}` to fix this")
        return 1
    if tracked and _has_untracked_files(console, session, generated):
        return 1
    console.status("up to date")
    return 0


def _has_untracked_files(
    console: Console, session: Session, generated: Generated
) -> bool:
    """Print the generated files that git does not track; return whether there are any."""
    outputs = session.outputs(generated, 1)
    if any(generated.model.prefabs):
        outputs |= session.files_of(3)
    return report_untracked(console, session.config, outputs)
