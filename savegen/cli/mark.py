"""`savegen mark`: wrap the annotations of marked classes in `Saved[…]`."""

from __future__ import annotations

import click

from savegen.cli import _options as option
from savegen.cli._console import Console
from savegen.cli._session import Session


@click.command()
@option.paths
@option.diff
@option.allow_dirty
@option.output_format
@option.common
@click.pass_obj
def command(
    console: Console, paths: tuple[str, ...], diff: bool, allow_dirty: bool
) -> int:
    """Mark the annotated attributes of classes that have `@saveable` already.

    `hp: int = 3` becomes `hp: Saved[int] = 3`, and `self.hp: int = 3` becomes
    `self.hp: Annotated[int, Save()] = 3`. Attributes that are transient, that are constants or
    whose type cannot be saved stay as they are. Everything else in your files stays as it is.

    PATHS (files or folders) limit the files that change.

    \b
    Examples:
      savegen mark              mark the fields of all `@saveable` classes
      savegen mark --diff       show the changes and write nothing
    """
    from savegen.build.adopt.program import Program, project_files
    from savegen.build.adopt.proposal import mark_annotations
    from savegen.cli import _marking as marking
    from savegen.cli import wire

    config = console.config(paths)
    session = Session(config, use_cache=False)
    program = Program(project_files(session.project))
    proposal = mark_annotations(program, session.settings, session.chosen(paths))
    proposal, edits, report = marking.verified(console, config, proposal, wired=False)
    for each in proposal.classes:
        if each.problem:
            place = f"{console.path(config.root, each.cls.module.path)}:{each.cls.node.lineno}"
            console.note(f"{place}: {each.cls.qualname} is not marked: {each.problem}")
    if diff:
        return wire.show(console, config, edits)
    marking.finish(console, config, edits, "mark", allow_dirty)
    console.findings(report, session.project)
    if not edits:
        console.status("up to date")
    return 1 if report.failed else 0
