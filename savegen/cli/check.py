"""`savegen check`: what a run would do, nothing written."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from savegen.cli import Console, common, files, output_format, strict
from savegen.cli._unchanged import told

if TYPE_CHECKING:
    from savegen.write import Removal, Write


@click.command(short_help="Fail where a run would change something.")
@click.argument("paths", nargs=-1, shell_complete=files)
@click.option("--diff", is_flag=True, help="Show what would change.")
@click.option("--tracked", is_flag=True, help="Read only files that git tracks.")
@click.option("--no-cache", is_flag=True, help="Read every file again.")
@strict
@output_format
@common
@click.pass_obj
def command(
    console: Console,
    paths: tuple[str, ...],
    diff: bool,
    tracked: bool,
    no_cache: bool,
) -> int:
    """Write nothing; exit with 1 where a run would find errors or change a file.

    PATHS are those that `savegen components` is given.
    """
    config = console.config(paths)
    if tracked:
        from savegen.cli._tracked import only_tracked

        config = only_tracked(config)
    anew = no_cache or tracked or bool(paths)
    if not anew and (code := told(console, config)) is not None:
        return code
    from savegen.cli._session import Session

    session = Session(config, not no_cache, console.strict)
    chosen = session.chosen(paths)
    with console.watching(session.project):
        generated = session.generate()
    console.findings(session.report, session.project)
    if session.report.failed:
        return 1
    from savegen.cli._diff import unified
    from savegen.cli.components import is_missing

    plan = session.plan(generated, chosen, tracked)
    for step in plan.steps:
        path = console.path(session.config.root, step.path)
        console.tell(f"{_state(step)} {path}")
        if diff:
            console.tell(unified(path, step.old or b"", getattr(step, "new", b"")))
    if plan.changes:
        console.note(f"run `{console.mending(paths, tracked)}` to mend this")
        return 1
    if tracked and is_missing(console, session, session.outputs(generated)):
        return 1
    console.tell("up to date")
    return 0


def _state(step: Write | Removal) -> str:
    new = getattr(step, "new", None)
    if new is None:
        return "orphaned"
    if step.old is None:
        return "missing"
    return "hand-edited" if step.edited else "changed"
