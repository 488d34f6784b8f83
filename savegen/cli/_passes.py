"""The passes as one: which of them has something to do, and what does it."""

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
    """Say of a game that is up to date why there is nothing of prefabs."""
    if not disk.exists(disk.join(config.root, config.output, "prefabs.py")):
        console.note(NO_PREFAB)


class Drift(NamedTuple):
    """What the passes would change; those of the third are known only by their names."""

    plan: Plan
    stale: list[Stale]
    passes: set[int]  # that have something to do


def drift(
    session: Session,
    generated: Generated,
    chosen: set[str] | None = None,
    tracked: bool = False,
) -> Drift | None:
    """Add pass 2 to what pass 1 has generated, and compare all with what is on disk.

    It is `None` if pass 2 has found an error.
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


def tell(console: Console, session: Session, plan: Plan, diff: bool = False) -> None:
    """Tell of every file that a plan would change, if wanted with its lines."""
    from savegen.cli._diff import unified

    for step in plan.steps:
        path = console.path(session.config.root, step.path)
        console.report(f"{_state(step)} {path}")
        if diff:
            console.report(unified(path, step.old or b"", step.new or b""))


def tell_stale(console: Console, session: Session, stale: Sequence[Stale]) -> None:
    """Tell of the files that only a run of the game can write anew."""
    for file, reason in stale:
        path = console.path(session.config.root, f"{session.config.output}/{file}")
        state = (
            "would change"
            if session.held(f"{session.config.output}/{file}")
            else "would write"
        )
        console.report(f"{state} {path}")
        console.detail(f"{path}: {reason}")


def mending(
    console: Console,
    passes: Collection[int],
    paths: Sequence[str],
    tracked: bool = False,
) -> str:
    """Return the command that does the work of these passes.

    That is `savegen build`, except before a commit: `--tracked` belongs to single passes.
    """
    if not tracked:
        return console.mending(paths, verb="build")
    return " && ".join(
        console.mending(paths, tracked and number < 3, _VERBS[number])
        for number in sorted(passes)
    )


def refuse(
    console: Console,
    session: Session,
    found: Drift,
    paths: Sequence[str],
) -> None:
    """Tell what has to be done before pass 3, or instead of it."""
    tell(console, session, found.plan)
    earlier = found.passes - {3}
    console.note(f"run `{mending(console, earlier, paths)}` instead")


def _state(step: Step) -> str:
    if step.new is None:
        return "would remove"
    if step.old is None:
        return "would write"
    return "would replace hand-edited" if step.edited else "would change"
