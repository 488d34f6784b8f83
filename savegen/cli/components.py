"""`savegen components`: pass 1."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from savegen.cli import _options as option
from savegen.cli._console import Console
from savegen.cli._unchanged import told
from savegen.cli._writing import alone

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
    anew = no_cache or list_outputs or tracked or bool(paths)
    if not anew and (code := told(console, config, 1)) is not None:
        return code
    from savegen.cli._session import Session

    begin = partial(Session, config, not no_cache, console.strict)
    session = begin()
    if list_outputs:
        return _list(console, session)
    chosen = session.chosen(paths)
    with alone("components", session, begin) as session:
        mending = console.mending(paths, tracked) if locked else ""
        return _run(console, session, chosen, mending, tracked)


def _list(console: Console, session: Session) -> int:
    with console.watching(session.project):
        generated = session.generate()
    if session.report.failed:
        console.findings(session.report, session.project)
        return 1
    for path in sorted(session.outputs(generated)):
        console.say(console.path(session.config.root, path))
    return 0


def _run(
    console: Console,
    session: Session,
    chosen: set[str] | None,
    mending: str,  # what to run if the lock may not change; "" if it may
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
        console.tell("up to date")
        return 0
    if not any(generated.model.classes):
        console.note("no class is marked `@saveable`")
    session.look_ahead(generated)
    plan = session.plan(generated, chosen, tracked)
    outputs = session.outputs(generated)
    del generated  # of a big game it is much, and what follows needs room
    return finish(console, session, plan, outputs, mending, tracked)


def finish(
    console: Console,
    session: Session,
    plan: Plan,
    outputs: set[str],
    mending: str,
    tracked: bool,
) -> int:
    """Do what is planned, if it may be done, and tell of it."""
    if mending and (change := change_of_lock(plan)):
        tell_change(console, change, mending)
        return 1
    tell(console, session, session.apply(plan))
    return int(tracked and is_missing(console, session, outputs))


def is_missing(console: Console, session: Session, outputs: set[str]) -> bool:
    """Tell of outputs that a commit would not have, if there are any."""
    from savegen.cli._tracked import tell_missing

    return tell_missing(console, session.config, outputs)


def change_of_lock(plan: Plan) -> list[str]:
    """Return what a plan would make of the lock, line by line; nothing if it stays."""
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


def tell_change(console: Console, change: list[str], mending: str) -> None:
    console.report("\n".join(change))
    console.note(f"run `{mending}` and commit savegen.lock to fix this")


def tell(console: Console, session: Session, changes: list[Change]) -> None:
    """Tell of every file that a run has changed, and sum up."""
    tell_each(console, session, changes)
    console.tell(summary(changes))


def tell_each(console: Console, session: Session, changes: list[Change]) -> None:
    root = session.config.root
    for change in changes:
        path = console.path(root, change.path)
        console.tell(f"{change.verb} {path}")
        if change.kept:
            kept = console.path(root, change.kept)
            console.note(
                f"{path} was edited by hand; a copy of your edits is in {kept}"
            )


def summary(changes: list[Change]) -> str:
    """Return the last line of a run."""
    if not changes:
        return "up to date"
    counts = [
        (verb, sum(c.verb == verb for c in changes)) for verb in ("wrote", "removed")
    ]
    return ", ".join(
        f"{verb} {count} file{'s' * (count != 1)}" for verb, count in counts if count
    )
