"""`savegen build`: all three passes."""

from __future__ import annotations

from collections.abc import Iterable
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

import click

from savegen.cli import _options as option
from savegen.cli import _passes
from savegen.cli._console import Console
from savegen.cli._results import lock_changes, report_each, report_lock_changes, summary

if TYPE_CHECKING:
    from savegen.cli._session import Session
    from savegen.build.pipeline import Generated
    from savegen.build.write import FileChange, Plan
    from savegen.findings import Report


@click.command()
@option.paths
@option.no_wire
@option.timeout
@option.no_cache_and_links
@option.locked
@option.strict
@option.output_format
@option.common
@click.pass_obj
def command(
    console: Console,
    paths: tuple[str, ...],
    no_wire: bool,
    seconds: int,
    no_cache: bool,
    locked: bool,
) -> int:
    """Write all generated code that is out of date: run passes 1, 2 and 3.

    First, savegen adds the generated base class to each newly marked class, and removes generated
    base classes that are out of date, as `savegen wire` does. It does not change your files if the
    game has errors, with `--locked`, or with `--no-wire`.

    Pass 1 writes the save and load code of the marked classes. Pass 2 writes the code that
    lets levels place prefabs. Pass 3 builds each prefab once and records the default values of
    its parameters and the schema of level files. It is skipped if the game has no prefabs, or
    if no file that the game loads has changed.

    Only pass 3 executes your code: it imports your modules and builds the prefabs. It does not
    call your main loop.

    The code goes to `_savegen/` beside your source. Commit it, and savegen.lock. In CI, run
    `savegen check`; or, if you do not commit the code, `savegen build --locked`.

    With PATHS (files or folders), savegen changes only those files, and pass 1 rewrites only the
    modules generated for them; passes 2 and 3 cover the whole game. Pass 3 is skipped while the
    modules of other files are out of date. If the project has no [tool.savegen] in
    pyproject.toml, name the files of the game as PATHS.

    \b
    Examples:
      savegen build            build the whole game
      savegen build game.py    build a game of one file, without configuration
    """
    options = Options(paths, not (no_wire or locked), seconds, no_cache, locked)
    return build(console, options)


class Options(NamedTuple):
    """The options of a build."""

    paths: tuple[str, ...] = ()
    wires: bool = True
    seconds: int = 120  # for pass 3
    no_cache: bool = False
    locked: bool = False


def build(console: Console, options: Options, command: str = "build") -> int:
    """Wire the new classes, then run the passes. Return the exit code."""
    start = perf_counter()
    # `locked` fails if a class is not wired.
    paths, wires, _, no_cache, locked = options
    run = _passes.started(console, command, paths, no_cache, wires=wires or locked)
    with run as (session, chosen):
        from savegen.cli import wire  # not if nothing has changed

        generated = _generated(console, session)
        wired: list[FileChange] = []
        unwired: wire.Edits = {}
        if locked:
            unwired = wire.before_build(session, generated, chosen).edits
        if wires and (wired := _wire(console, session, generated, chosen)):
            session = session.renewed()
            generated = _generated(console, session)
        if session.report.failed or not (
            generated is None or session.add_prefabs(generated)
        ):
            findings = session.findings
            if wires and not wired:
                findings = _without_wiring(findings, chosen)
            console.findings(findings, session.project)
            session.keep_memory()
            return 1
        if unwired:
            console.findings(session.findings, session.project)
            wire.report_unwired(console, session, unwired)
            return 1
        if generated is None:
            console.findings(session.findings, session.project)
            session.confirm_pass_1()
            console.status(summary(wired))
            return 0
        size = _size(session, generated)
        console.detail(f"read {size} ({perf_counter() - start:.1f} s)")
        if not any(generated.model.classes):
            console.note("no class is marked `@saveable`")
        plan = session.plan(generated, chosen, passes=2)
        if locked and (lines := lock_changes(plan)):
            console.findings(session.findings, session.project)
            fix_command = console.fix_command(paths, command="build")
            report_lock_changes(console, lines, fix_command)
            return 1
        return _write(console, session, generated, chosen, plan, options, wired)


def _generated(console: Console, session: Session) -> Generated | None:
    with console.watching(session.project):
        if session.state.has_no_prefab:
            return session.generate_if_changed()
        return session.generate()


def _wire(
    console: Console,
    session: Session,
    generated: Generated | None,
    chosen: set[str] | None,
) -> list[FileChange]:
    """Wire the classes that the session has reported; return the changes.

    The generated code is written together with the sources that import it, so that the sources
    stay as they are if it cannot be written.
    """
    from savegen.build.write import rewrites
    from savegen.cli import wire

    edits, after, result = wire.before_build(session, generated, chosen)
    if not edits or result is None:
        return []
    after.add_prefabs(result)
    plan = after.plan(result, chosen, passes=2)
    steps = (*rewrites(session.config.root, edits), *plan.steps)
    changes = after.write(plan._replace(steps=steps))
    report_each(console, session, changes)
    return changes


def _without_wiring(findings: Report, chosen: set[str] | None) -> Report:
    """Return the findings without those that a build mends once the errors are corrected."""
    from savegen.cli.wire import FIXED_BY_WIRE
    from savegen.findings import Report

    later = [
        finding
        for finding in findings
        if finding.code in FIXED_BY_WIRE
        and (chosen is None or finding.span.path in chosen)
    ]
    rest = Report(findings)
    rest.drop(later)
    return rest if rest.failed else findings


def _size(session: Session, generated: Generated) -> str:
    """Return the size of the game, such as `33 source files: 31 classes and 12 prefabs`."""

    def counted(items: Iterable[object], singular: str, plural: str) -> str:
        count = sum(1 for _ in items)
        return f"{count:,} {singular if count == 1 else plural}"

    files = counted(session.project, "source file", "source files")
    classes = counted(generated.model.classes, "class", "classes")
    prefabs = counted(generated.model.prefabs, "prefab", "prefabs")
    return f"{files}: {classes} and {prefabs}"


def _write(
    console: Console,
    session: Session,
    generated: Generated,
    chosen: set[str] | None,
    plan: Plan,
    options: Options,
    wired: list[FileChange],
) -> int:
    """Write the files of passes 1 and 2, then run pass 3 if it is needed. Return the exit code."""
    from savegen.cli._linking import update

    changes: list[FileChange] = []
    try:
        changes += session.apply(plan)
        if _can_link(console, session, generated, chosen):
            changes += update(
                console, session, generated, options.seconds, options.no_cache
            )
    finally:  # written files are listed even if pass 3 fails
        console.findings(session.findings, session.project)
        report_each(console, session, changes)
    if session.failed:
        return 1
    console.status(summary(wired + changes))
    return 0


def _can_link(
    console: Console,
    session: Session,
    generated: Generated,
    chosen: set[str] | None,
) -> bool:
    """Return whether pass 3 can run: the files that PATHS left out must be up to date."""
    if chosen is None or not any(generated.model.prefabs):
        return True
    if not session.plan(generated, passes=2).changes:
        return True
    console.note("pass 3 was skipped: files outside PATHS are out of date")
    return False
