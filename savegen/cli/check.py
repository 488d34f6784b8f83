"""`savegen check`: report errors and outdated files without writing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from savegen.cli import _options as option
from savegen.cli._console import Console
from savegen.cli._last_run import repeat_last_run

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
    config = console.config(paths, tracked)
    must_run = no_cache or tracked or bool(paths)
    if not must_run and (code := repeat_last_run(console, config, 3)) is not None:
        return code
    from savegen.cli._session import Session

    session = Session(config, not no_cache, console.strict)
    chosen = session.chosen(paths)
    with console.watching(session.project):
        generated = session.generate()
    from savegen.cli import _passes

    failed = session.report.failed
    found = None if failed else _passes.drift(session, generated, chosen, tracked)
    console.findings(session.findings, session.project)
    if found is None:
        return 1
    _passes.report_planned(console, session, found.plan, diff)
    _passes.report_stale(console, session, found.stale)
    if found.passes:
        mend = _passes.fix_command(console, found.passes, paths, tracked)
        console.note(f"run `{mend}` to fix this")
        return 1
    if tracked and _is_missing(console, session, generated):
        return 1
    console.status("up to date")
    return 0


def _is_missing(console: Console, session: Session, generated: Generated) -> bool:
    from savegen.cli.components import is_missing

    outputs = session.outputs(generated)
    if any(generated.model.prefabs):
        outputs |= session.of_passes(3)
    return is_missing(console, session, outputs)
