"""`savegen prefabs`: run pass 2."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from savegen.cli import _options as option
from savegen.cli._console import Console
from savegen.cli._passes import NO_PREFAB, note_without_prefab, report_planned
from savegen.cli._last_run import repeat_last_run
from savegen.cli._write_lock import write_lock

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
    config = console.config(paths, tracked)
    must_run = no_cache or list_outputs or tracked or bool(paths)
    if not must_run and (code := repeat_last_run(console, config, 2)) is not None:
        note_without_prefab(console, config)
        return code
    from savegen.cli import components
    from savegen.cli._session import Session

    begin = partial(Session, config, not no_cache, console.strict)
    session = begin()
    if list_outputs:
        return _list(console, session)
    session.chosen(paths)  # only to refuse paths that name no source
    paths = paths if config.is_bare else ()
    with write_lock("prefabs", session, begin) as session:
        with console.watching(session.project):
            generated = session.generate()
        if not _is_ready(console, session, generated, paths, tracked):
            return 1
        if not any(generated.model.prefabs):
            console.note(NO_PREFAB)
        fix_command = console.fix_command(paths, tracked, "prefabs") if locked else ""
        plan = session.plan(generated, tracked=tracked, passes=2)
        outputs = _outputs(session, generated)
        return components.finish(console, session, plan, outputs, fix_command, tracked)


def _is_ready(
    console: Console,
    session: Session,
    generated: Generated,
    paths: tuple[str, ...],
    tracked: bool,
) -> bool:
    """Run pass 2 in memory, and return whether its files may be written."""
    failed = session.report.failed
    first = None if failed else session.plan(generated, tracked=tracked)
    is_up_to_date = first is not None and not first.changes
    if is_up_to_date:
        session.add_prefabs(generated)
    console.findings(session.findings, session.project)
    if first is not None and first.changes:
        report_planned(console, session, first)
        console.note(f"run `{console.fix_command(paths, tracked)}` first")
    elif session.failed:
        session.keep_memory()
    return is_up_to_date and not session.failed


def _list(console: Console, session: Session) -> int:
    with console.watching(session.project):
        generated = session.generate()
    if session.report.failed or not session.add_prefabs(generated):
        console.findings(session.findings, session.project)
        return 1
    for path in sorted(_outputs(session, generated)):
        console.print(console.path(session.config.root, path))
    return 0


def _outputs(session: Session, generated: Generated) -> set[str]:
    """Return the paths of the files that pass 2 writes."""
    shared = {"savegen.lock", session.layout.path("types.py")}
    return shared | (session.of_passes(2) & generated.files.keys())
