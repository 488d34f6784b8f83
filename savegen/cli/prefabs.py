"""`savegen prefabs`: run pass 2."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from savegen.cli import _options as option
from savegen.cli import _passes
from savegen.cli._console import Console
from savegen.cli._results import apply_plan, report_planned

if TYPE_CHECKING:
    from savegen.cli._session import Session
    from savegen.build.pipeline import Generated


@click.command()
@option.paths
@option.no_cache
@option.locked
@option.tracked
@option.list_outputs
@option.strict
@option.output_format
@option.common
@click.pass_obj
def command(
    console: Console,
    paths: tuple[str, ...],
    no_cache: bool,
    locked: bool,
    tracked: bool,
    list_outputs: bool,
) -> int:
    """Write the code that lets levels place prefabs (pass 2).

    A prefab is a class marked `@prefab`. It puts components together under one name, such as a
    door or an enemy, so that levels can place them. A prefab consists of parts; each part
    describes one component, an object of a class marked `@saveable`. Without prefabs you can
    ignore passes 2 and 3.

    savegen writes the code that reads the parameters of prefabs in levels, and the table of all
    prefabs. It records their stable numbers in savegen.lock. It does not execute your code.

    Run `savegen components` first: while its files are out of date, this command refuses to
    write.

    If the project has no [tool.savegen] in pyproject.toml, name the files of the game as
    PATHS. Otherwise PATHS have no effect: this pass always covers the whole game.
    """
    if list_outputs:
        return _passes.list_outputs(console, "prefabs", paths, no_cache, tracked)
    is_check = locked or tracked  # it fails if it leaves a class that is not wired
    run = _passes.started(console, "prefabs", paths, no_cache, tracked, is_check)
    with run as (session, _):
        from savegen.cli import wire  # not if nothing has changed

        paths = paths if session.config.is_bare else ()
        with console.watching(session.project):
            generated = session.generate()
        unwired: wire.Edits = {}
        if is_check:
            unwired = wire.before_build(session, generated).edits
        if not _is_ready(console, session, generated, paths, tracked):
            return 1
        if locked and wire.report_unwired(console, session, unwired):
            return 1
        if not any(generated.model.prefabs):
            console.note(_passes.NO_PREFAB)
        fix_command = console.fix_command(paths, tracked, "prefabs") if locked else ""
        plan = session.plan(generated, tracked=tracked, passes=2)
        outputs = session.outputs(generated, 2)
        code = apply_plan(console, session, plan, outputs, fix_command, tracked)
        return int(wire.report_unwired(console, session, unwired)) or code


def _is_ready(
    console: Console,
    session: Session,
    generated: Generated,
    paths: tuple[str, ...],
    tracked: bool,
) -> bool:
    """Run pass 2 in memory, and return whether its files may be written."""
    if session.report.failed:
        console.findings(session.findings, session.project)
        session.keep_memory()
        return False
    first_plan = session.plan(generated, tracked=tracked)
    if not first_plan.changes:
        session.add_prefabs(generated)
    console.findings(session.findings, session.project)
    if first_plan.changes:
        report_planned(console, session, first_plan)
        console.note(f"run `{console.fix_command(paths, tracked)}` first")
        return False
    if session.failed:
        session.keep_memory()
    return not session.failed
