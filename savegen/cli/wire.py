"""`savegen wire`: add the generated base classes to the classes that lack them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from typing import TYPE_CHECKING, NamedTuple

import click

from savegen.cli import _options as option
from savegen.cli._console import Console
from savegen import disk
from savegen.cli._session import Session
from savegen.findings import Finding, Report, Severity, Span

if TYPE_CHECKING:
    from savegen.build.codemod.wire import Wiring
    from savegen.build.model import Model, SavedModule

_FIXED_BY_WIRE = ("SG110", "SG111")
_NOT_IMPORTABLE = "SG124"  # no import of the generated base class can be written


@click.command()
@option.paths
@option.diff
@option.output_format
@option.common
@click.pass_obj
def command(console: Console, paths: tuple[str, ...], diff: bool) -> int:
    """Add the import and the generated base class to marked classes that lack them.

    Nothing else in your files changes: comments and formatting stay. With PATHS (files or
    folders), savegen changes those files only. If the project has no [tool.savegen] in
    pyproject.toml, name the files of the game as PATHS.

    \b
    Example: savegen wire changes game.py from
      from savegen import Saved, saveable

    \b
      @saveable
      class Player:
          hp: Saved[int] = 5

    \b
    to
      from savegen import Saved, saveable

    \b
      from _savegen.components.game import PlayerSaveLoad

    \b
      @saveable
      class Player(PlayerSaveLoad):
          hp: Saved[int] = 5
    """
    config = console.config(paths)
    with nullcontext() if diff else disk.BuildLock(config.root, "savegen wire"):
        session = Session(config)
        chosen = session.chosen(paths)
        with console.watching(session.project):
            model = session.generate().model
        edits = list(edits_of(session, model, chosen))
        if diff:
            _show(console, session, edits, console.fix_command(paths, command="wire"))
        elif edits:
            _write(console, session, edits)
    # The next run of pass 1 reports the warnings, with the new line numbers.
    others = Report(f for f in session.report if _is_other_error(f))
    console.findings(others, session.project)
    if not edits and not others.failed:
        console.status("up to date")
    return 1 if others.failed or (diff and edits) else 0


def _is_other_error(finding: Finding) -> bool:
    return finding.severity is Severity.ERROR and finding.code not in _FIXED_BY_WIRE


class Edit(NamedTuple):
    """A change of one file."""

    path: str
    old: bytes
    new: bytes


def edits_of(session: Session, model: Model, chosen: set[str] | None) -> Iterator[Edit]:
    from savegen.build.codemod.faults import Unwirable
    from savegen.build.codemod.wire import CannotWire, wire

    excluded = {f.span.path for f in session.report if f.code == _NOT_IMPORTABLE}
    for module in model.modules.values():
        wirings = list(_wirings(session, module))
        is_chosen = chosen is None or module.path in chosen
        if not wirings or not is_chosen or module.path in excluded:
            continue
        old = session.project.file(module.name).data
        try:
            new = wire(old, wirings)
        except CannotWire as error:
            span = Span(module.path, error.line, 1, error.line)
            session.report.add(Unwirable(span, error.reason))
            continue
        if new != old:
            yield Edit(module.path, old, new)


def _wirings(session: Session, module: SavedModule) -> Iterator[Wiring]:
    from savegen.build.check.classes import can_have_mixin
    from savegen.build.codemod.wire import Wiring

    for cls in module.classes:
        if cls.mixin_position != 0 and can_have_mixin(cls):
            yield Wiring(cls.qualname, session.layout.import_name(module), cls.mixin)


def _show(
    console: Console, session: Session, edits: list[Edit], fix_command: str
) -> None:
    from savegen.cli._formatting import unified_diff

    for path, old, new in edits:
        console.report(unified_diff(console.path(session.config.root, path), old, new))
    if edits:
        console.note(f"run `{fix_command}` to write this")


def _write(console: Console, session: Session, edits: list[Edit]) -> None:
    from savegen.build.write import rewrite

    changes = rewrite(
        session.config.root, {path: (old, new) for path, old, new in edits}
    )
    for change in changes:
        console.status(
            f"{change.verb} {console.path(session.config.root, change.path)}"
        )
