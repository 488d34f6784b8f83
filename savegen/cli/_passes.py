"""Which passes have outdated files, and which commands update them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, NamedTuple

from savegen import disk
from savegen.cli._console import Console

if TYPE_CHECKING:
    from savegen.cli._session import Session
    from savegen.build.config import Config
    from savegen.build.links import Stale
    from savegen.build.pipeline import Generated
    from savegen.build.write import Plan, Step

_VERBS = {1: "components", 2: "prefabs", 3: "links"}
NO_PREFAB = "no class is marked `@prefab`"


def note_without_prefab(console: Console, config: Config) -> None:
    """Print that the game has no prefab, if no code for prefabs exists."""
    if not disk.exists(disk.join(config.root, config.output, "prefabs.py")):
        console.note(NO_PREFAB)


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
    """Run pass 2 after pass 1 in memory, and compare the result with the files on disk.

    Return `None` if pass 2 found an error.
    """
    from savegen.cli import _linking

    first = session.plan(generated, chosen, tracked)
    if not session.add_prefabs(generated):
        return None
    plan = session.plan(generated, chosen, tracked, passes=2)
    stale = _linking.stale(session, generated)
    second = not _content(plan) <= _content(first)
    busy = {1: first.changes, 2: second, 3: bool(stale)}
    return Drift(plan, stale, {number for number, has_work in busy.items() if has_work})


def _content(plan: Plan) -> set[tuple[str, bytes | None]]:
    return {(step.path, step.new) for step in plan.steps}


def report_planned(
    console: Console, session: Session, plan: Plan, diff: bool = False
) -> None:
    """Print each file that a plan would change; with `diff`, also its changed lines."""
    from savegen.cli._diff import unified

    for step in plan.steps:
        path = console.path(session.config.root, step.path)
        console.report(f"{_state(step)} {path}")
        if diff:
            console.report(unified(path, step.old or b"", step.new or b""))


def report_stale(console: Console, session: Session, stale: Sequence[Stale]) -> None:
    """Print the outdated files of pass 3, which needs a run of the game."""
    for file, reason in stale:
        path = console.path(session.config.root, f"{session.config.output}/{file}")
        state = (
            "would change"
            if session.held(f"{session.config.output}/{file}")
            else "would write"
        )
        console.report(f"{state} {path}")
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
        return console.fix_command(paths, verb="build")
    return " && ".join(
        console.fix_command(paths, tracked and number < 3, _VERBS[number])
        for number in sorted(passes)
    )


def report_earlier_passes(
    console: Console,
    session: Session,
    found: Drift,
    paths: Sequence[str],
) -> None:
    """Print the changes of earlier passes and the command to run instead of pass 3."""
    report_planned(console, session, found.plan)
    earlier = found.passes - {3}
    console.note(f"run `{fix_command(console, earlier, paths)}` instead")


def _state(step: Step) -> str:
    if step.new is None:
        return "would remove"
    if step.old is None:
        return "would write"
    return "would replace hand-edited" if step.edited else "would change"
