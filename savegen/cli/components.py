"""`savegen components`: run pass 1."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from savegen.cli import _options as option
from savegen.cli._console import Console
from savegen.cli._last_run import repeat_last_run
from savegen.cli._write_lock import write_lock

if TYPE_CHECKING:
    from savegen.cli._session import Session
    from savegen.build.write import Change, Plan


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
    """Write the save and load code of the marked classes (pass 1).

    In savegen, a component is an object of a class marked `@saveable`. For each source file with
    marked classes, savegen writes a module with their save and load methods. It also writes a
    registry of all classes, and records their stable numbers in savegen.lock. It does not
    execute your code.

    With PATHS (files or folders), savegen still reads the whole game, but rewrites the
    modules generated for those files only. If the project has no [tool.savegen] in
    pyproject.toml, name the files of the game as PATHS. The code then goes to `_savegen/`
    beside the first.
    """
    config = console.config(paths, tracked)
    must_run = no_cache or list_outputs or tracked or bool(paths)
    if not must_run and (code := repeat_last_run(console, config, 1)) is not None:
        return code
    from savegen.cli._session import Session

    begin = partial(Session, config, not no_cache, console.strict)
    session = begin()
    if list_outputs:
        return _list(console, session)
    chosen = session.chosen(paths)
    with write_lock("components", session, begin) as session:
        fix_command = console.fix_command(paths, tracked) if locked else ""
        return _run(console, session, chosen, fix_command, tracked)


def _list(console: Console, session: Session) -> int:
    with console.watching(session.project):
        generated = session.generate()
    if session.report.failed:
        console.findings(session.report, session.project)
        return 1
    for path in sorted(session.outputs(generated)):
        console.print(console.path(session.config.root, path))
    return 0


def _run(
    console: Console,
    session: Session,
    chosen: set[str] | None,
    fix_command: str,  # command to suggest if the lock may not change; "" if it may
    tracked: bool,
) -> int:
    with console.watching(session.project):
        generated = session.generate(whole=tracked)
    console.findings(session.report, session.project)
    if session.report.failed:
        session.keep_memory()
        return 1
    if generated.settled:
        session.confirm()
        console.status("up to date")
        return 0
    if not any(generated.model.classes):
        console.note("no class is marked `@saveable`")
    session.look_ahead(generated)
    plan = session.plan(generated, chosen, tracked)
    outputs = session.outputs(generated)
    del generated  # free the memory: the code of a big game is large
    return finish(console, session, plan, outputs, fix_command, tracked)


def finish(
    console: Console,
    session: Session,
    plan: Plan,
    outputs: set[str],
    fix_command: str,
    tracked: bool,
) -> int:
    """Write the planned changes, unless they change a locked lock, and report them."""
    if fix_command and (change := change_of_lock(plan)):
        report_lock_change(console, change, fix_command)
        return 1
    report_written(console, session, session.apply(plan))
    return int(tracked and is_missing(console, session, outputs))


def is_missing(console: Console, session: Session, outputs: set[str]) -> bool:
    """Report outputs that git does not track; return whether there are any."""
    from savegen.cli._tracked import report_untracked

    return report_untracked(console, session.config, outputs)


def change_of_lock(plan: Plan) -> list[str]:
    """Return the lines of the lock that a plan would change; empty if none."""
    from savegen.cli._diff import lines_of
    from savegen.cli._lock_file import LOCK_FILE

    found = next((step for step in plan.steps if step.path == LOCK_FILE), None)
    if found is None or found.new is None:
        return []
    old, new = (set(lines_of(data)) for data in (found.old or b"", found.new))
    lines = [f"- {line}" for line in sorted(old - new)]
    lines += [f"+ {line}" for line in sorted(new - old)]
    return [
        f"{LOCK_FILE} would change",
        *(lines or ["only the order of its lines differs"]),
    ]


def report_lock_change(console: Console, change: list[str], fix_command: str) -> None:
    console.report("\n".join(change))
    console.note(f"run `{fix_command}` and commit savegen.lock to fix this")


def report_written(console: Console, session: Session, changes: list[Change]) -> None:
    """Print each file that a run changed, and a summary."""
    report_each(console, session, changes)
    console.status(summary(changes))


def report_each(console: Console, session: Session, changes: list[Change]) -> None:
    root = session.config.root
    for change in changes:
        path = console.path(root, change.path)
        console.status(f"{change.verb} {path}")
        if change.backup:
            kept = console.path(root, change.backup)
            console.note(
                f"{path} was edited by hand; a copy of your edits is in {kept}"
            )


def summary(changes: list[Change]) -> str:
    """Return the summary of a run: `wrote 2 files, removed 1 file`."""
    if not changes:
        return "up to date"
    counts = [
        (verb, sum(c.verb == verb for c in changes)) for verb in ("wrote", "removed")
    ]
    return ", ".join(
        f"{verb} {count} file{'s' * (count != 1)}" for verb, count in counts if count
    )
