"""Print what a run has written or would write, and which command writes it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING

from savegen.cli._console import Console
from savegen.cli._formatting import lines_of, unified_diff

if TYPE_CHECKING:
    from savegen.build.config import Config
    from savegen.build.links import Stale
    from savegen.build.write import FileChange, Plan, Step
    from savegen.cli._session import Session

_COMMANDS = {1: "components", 2: "prefabs", 3: "links"}  # by pass


def report_planned(
    console: Console, session: Session, plan: Plan, diff: bool = False
) -> None:
    """Print each file that a plan would change; with `diff`, also its changed lines."""
    for step in plan.steps:
        path = console.path(session.config.root, step.path)
        console.report(f"{_planned_change(step)} {path}")
        if diff:
            console.report(unified_diff(path, step.old or b"", step.new or b""))


def _planned_change(step: Step) -> str:
    if step.new is None:
        return "would remove"
    if step.old is None:
        return "would write"
    return "would replace hand-edited" if step.edited else "would change"


def report_stale(console: Console, session: Session, stale: Sequence[Stale]) -> None:
    """Print the outdated files of pass 3, whose new content only a run of the game has."""
    for file, reason in stale:
        output = f"{session.config.output}/{file}"
        path = console.path(session.config.root, output)
        verb = "would write" if session.content(output) is None else "would change"
        console.report(f"{verb} {path}")
        console.detail(f"{path}: {reason}")


def fix_command(
    console: Console,
    passes: Collection[int],
    paths: Sequence[str],
    tracked: bool = False,
) -> str:
    """Return the command line that runs these passes.

    It is `savegen build`; with `tracked` single commands, because `build` lacks `--tracked`.
    """
    if not tracked:
        return console.fix_command(paths, command="build")
    return " && ".join(
        console.fix_command(paths, tracked and number < 3, _COMMANDS[number])
        for number in sorted(passes)
    )


def apply_plan(
    console: Console,
    session: Session,
    plan: Plan,
    outputs: set[str],
    fix_command: str,
    tracked: bool,
) -> int:
    """Write the planned changes and print them. Return the exit code.

    With a `fix_command`, the lock may not change: if it would, print the command instead.
    """
    if fix_command and (lines := lock_changes(plan)):
        report_lock_changes(console, lines, fix_command)
        return 1
    report_written(console, session, session.apply(plan))
    if not tracked:
        return 0
    return int(report_untracked(console, session.config, outputs))


def report_untracked(console: Console, config: Config, outputs: Iterable[str]) -> bool:
    """Print the outputs that git neither tracks nor ignores; return whether there are any."""
    import shlex

    from savegen.cli._tracked import forgotten

    shown = [console.path(config.root, path) for path in forgotten(config, outputs)]
    for path in shown:
        console.report(f"untracked {path}")
    if shown:
        fix_command = shlex.join(("git", "add", *shown))
        console.note(f"the commit will not contain these files: run `{fix_command}`")
    return bool(shown)


def lock_changes(plan: Plan) -> list[str]:
    """Return the lines of the lock that a plan would change, as a diff; empty if none."""
    from savegen.cli._lock_file import LOCK_FILE

    step = next((step for step in plan.steps if step.path == LOCK_FILE), None)
    if step is None or step.new is None:
        return []
    old, new = set(lines_of(step.old or b"")), set(lines_of(step.new))
    lines = [f"- {line}" for line in sorted(old - new)]
    lines += [f"+ {line}" for line in sorted(new - old)]
    return lines or ["only the order of its lines differs"]


def report_lock_changes(console: Console, lines: list[str], fix_command: str) -> None:
    from savegen.cli._lock_file import LOCK_FILE

    console.report("\n".join([f"{LOCK_FILE} would change", *lines]))
    console.note(f"run `{fix_command}` and commit savegen.lock to fix this")


def report_written(
    console: Console, session: Session, changes: list[FileChange]
) -> None:
    """Print each file that a run changed, and a summary."""
    report_each(console, session, changes)
    console.status(summary(changes))


def report_each(console: Console, session: Session, changes: list[FileChange]) -> None:
    root = session.config.root
    for change in changes:
        path = console.path(root, change.path)
        console.status(f"{change.verb} {path}")
        if change.backup:
            copy = console.path(root, change.backup)
            console.note(
                f"{path} was edited by hand; a copy of your edits is in {copy}"
            )


def summary(changes: list[FileChange]) -> str:
    """Return the summary of a run: `wrote 2 files, removed 1 file`."""
    if not changes:
        return "up to date"
    counts = [
        (verb, sum(c.verb == verb for c in changes)) for verb in ("wrote", "removed")
    ]
    return ", ".join(
        f"{verb} {count} file{'s' * (count != 1)}" for verb, count in counts if count
    )
