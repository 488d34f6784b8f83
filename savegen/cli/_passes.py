"""The steps that the commands of the passes share: `build`, `check` and one for each pass.

Such a command opens a session, generates the files in memory, and writes or compares them.
"""

from __future__ import annotations

import errno
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, NamedTuple

import click

from savegen import disk
from savegen.build import cache
from savegen.build.config import Config
from savegen.cli._console import Console

if TYPE_CHECKING:
    from savegen.build.links import Stale
    from savegen.build.pipeline import Generated
    from savegen.build.write import Plan
    from savegen.cli._session import Session

_PASSES = {"components": 1, "prefabs": 2}  # other commands run all three
_NOT_WIRED = "SG110"
_IGNORED = "SG135"  # `git add -f` or `git rm --cached` may have changed it
NO_PREFAB = "no class is marked `@prefab`"


class Run(NamedTuple):
    """One run of a command over the project."""

    session: Session
    chosen: set[str] | None  # the sources that PATHS name; `None` for all


@contextmanager
def started(
    console: Console,
    command: str,
    paths: Sequence[str],
    no_cache: bool,
    tracked: bool = False,
    wires: bool = False,
) -> Iterator[Run]:
    """Open a session, and hold the project's write lock unless the command is `check`.

    If no file has changed since the last run, print its findings again and exit with its code;
    but not if the command `wires` classes, or fails without that, and the last run left one that
    is not wired.
    If the project is read-only, `session.write_error` has the error.
    Raises `Busy` if another run holds the lock and does not end.
    """
    config = console.config(paths, tracked)
    comparison = cache.compare(config)
    if not (no_cache or tracked or paths):
        _repeat_last_run(console, config, comparison, command, wires)
    from savegen.cli._session import Session

    session = Session(config, not no_cache, console.strict, comparison)
    chosen = session.chosen(paths)
    with ExitStack() as held:
        if command != "check":
            lock = disk.BuildLock(config.root, f"savegen {command}")
            write_error = _hold(held, lock)
            if lock.waited:  # the other run may have changed files
                session = Session(config, not no_cache, console.strict)
            session.write_error = write_error
        yield Run(session, chosen)


def _hold(held: ExitStack, lock: disk.BuildLock) -> OSError | None:
    try:
        held.enter_context(lock)
    except OSError as error:
        if error.errno not in (errno.EACCES, errno.EPERM, errno.EROFS):
            raise
        return error
    return None


def _repeat_last_run(
    console: Console,
    config: Config,
    comparison: cache.Comparison,
    command: str,
    wires: bool,
) -> None:
    """Print the findings of the last run and exit, unless a file has changed since then."""
    texts = comparison.findings_if_unchanged(config, _PASSES.get(command, 3))
    if texts is None or any(_IGNORED in text for text in texts):
        return
    if wires and any(_NOT_WIRED in text for text in texts):
        return
    must_print = bool(texts) or console.output_format == "json"
    failed = must_print and _print_again(console, config, texts)
    if not failed:
        console.status("up to date")
    generated_prefabs = disk.join(config.root, config.output, "prefabs.py")
    if command in ("prefabs", "links") and not disk.exists(generated_prefabs):
        console.note(NO_PREFAB)
    raise click.exceptions.Exit(int(failed))


def _print_again(console: Console, config: Config, texts: Sequence[str]) -> bool:
    """Print the findings of an earlier run; return whether one is an error."""
    from savegen.cli._session import Session
    from savegen.findings import from_text

    session = Session(config)
    for text in texts:
        session.report.extend(from_text(text))
    if console.strict:
        session.report.turn_warnings_into_errors()
    console.findings(session.report, session.project)
    return session.report.failed


def list_outputs(
    console: Console, command: str, paths: Sequence[str], no_cache: bool, tracked: bool
) -> int:
    """Print the paths of the files that a pass generates. Return the exit code."""
    from savegen.cli._session import Session

    session = Session(console.config(paths, tracked), not no_cache, console.strict)
    with console.watching(session.project):
        generated = session.generate()
    failed = session.report.failed
    if failed or (command == "prefabs" and not session.add_prefabs(generated)):
        console.findings(session.findings, session.project)
        return 1
    for path in sorted(session.outputs(generated, _PASSES[command])):
        console.print(console.path(session.config.root, path))
    return 0


class Drift(NamedTuple):
    """The changes that the passes would make; for pass 3, only the names of stale files."""

    plan: Plan
    stale: list[Stale]
    passes: set[int]  # the passes that would change a file


def drift(
    session: Session,
    generated: Generated,
    chosen: set[str] | None = None,
    tracked: bool = False,
) -> Drift | None:
    """Run pass 2 after pass 1 in memory, and compare the results with the files on disk.

    Return `None` if pass 2 found an error.
    """
    from savegen.cli import _linking

    first_plan = session.plan(generated, chosen, tracked)
    if not session.add_prefabs(generated):
        return None
    plan = session.plan(generated, chosen, tracked, passes=2)
    stale = _linking.stale(session, generated)
    pass_2_changes = not _contents(plan) <= _contents(first_plan)
    has_changes = {1: first_plan.changes, 2: pass_2_changes, 3: stale}
    return Drift(plan, stale, {number for number in has_changes if has_changes[number]})


def _contents(plan: Plan) -> set[tuple[str, bytes | None]]:
    return {(step.path, step.new) for step in plan.steps}
