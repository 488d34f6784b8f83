"""`savegen wire`: add the generated base classes to the classes that lack them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from typing import TYPE_CHECKING, NamedTuple

import click

from savegen.cli import _options as option
from savegen.cli._console import Console
from savegen import disk
from savegen.cli._session import Session
from savegen.findings import Report, Severity, Span

if TYPE_CHECKING:
    from savegen.build.codemod.wire import Wiring
    from savegen.build.config import Config
    from savegen.build.model import Model, SavedModule
    from savegen.build.write import Change

FIXED_BY_WIRE = ("SG110", "SG111")
_NOT_IMPORTABLE = "SG124"  # no import of the generated base class can be written


@click.command()
@option.paths
@option.diff
@option.output_format
@option.common
@click.pass_obj
def command(console: Console, paths: tuple[str, ...], diff: bool) -> int:
    """Add the import and the generated base class to marked classes that lack them.

    If a class was renamed or its file was moved, its old generated base class and the import of
    it are replaced. Nothing else in your files changes: comments and formatting stay. With PATHS (files or
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
            show(console, config, edits)
            if edits:
                fix_command = console.fix_command(paths, command="wire")
                console.note(f"run `{fix_command}` to write this")
        elif edits:
            write(console, config, edits)
    # The next run of pass 1 reports the warnings, with the new line numbers.
    others = other_errors(session.report)
    console.findings(others, session.project)
    if not edits and not others.failed:
        console.status("up to date")
    return 1 if others.failed or (diff and edits) else 0


def other_errors(report: Report) -> Report:
    """Return the errors that wiring does not fix."""
    return Report(
        finding
        for finding in report
        if finding.severity is Severity.ERROR and finding.code not in FIXED_BY_WIRE
    )


class Edit(NamedTuple):
    """A change of one file."""

    path: str
    old: bytes
    new: bytes


def edits_of(
    session: Session,
    model: Model,
    chosen: set[str] | None,
    only_reported: bool = False,
) -> Iterator[Edit]:
    """Yield the changes that wire the classes; add a finding for each file where that fails.

    With `only_reported`, leave out the classes whose finding is silenced.
    """
    from savegen.build.codemod.faults import Unwirable
    from savegen.build.codemod.wire import CannotWire, wire

    excluded = {f.span.path for f in session.report if f.code == _NOT_IMPORTABLE}
    reported = {f.span for f in session.report if f.code in FIXED_BY_WIRE}
    for module in model.modules.values():
        spans = reported if only_reported else None
        wirings = list(_wirings(session, module, spans))
        is_chosen = chosen is None or module.path in chosen
        if not wirings or not is_chosen or module.path in excluded:
            continue
        old = session.project.file(module.name).data
        try:
            new = wire(old, wirings, is_old(session, model, module))
        except CannotWire as error:
            span = Span(module.path, error.line, 1, error.line)
            session.report.add(Unwirable(span, error.reason))
            continue
        if new != old:
            yield Edit(module.path, old, new)


def is_old(
    session: Session, model: Model, module: SavedModule
) -> Callable[[str], bool]:
    """Return whether a name that a module imports is a generated base of the past."""
    from savegen.build.scan.names import absolute_module

    layout = session.layout
    generated = {
        f"{layout.import_name(other)}.{cls.mixin}"
        for other in model.modules.values()
        for cls in other.classes
    }
    folder = layout.types_import.removesuffix("types") + "components."
    is_package = module.path.endswith("__init__.py")

    def is_old_name(target: str) -> bool:
        name = target.lstrip(".")
        if dots := len(target) - len(name):
            name = absolute_module(module.name, is_package, dots, name) or ""
        is_base = name.startswith(folder) and name.endswith("SaveLoad")
        return is_base and name not in generated

    return is_old_name


def _wirings(
    session: Session, module: SavedModule, spans: set[Span] | None
) -> Iterator[Wiring]:
    """Yield the classes of a module that are not wired; with `spans`, only those at one."""
    is_moved = spans is None and _imports_others(session, module)
    from savegen.build.check.classes import can_have_mixin
    from savegen.build.codemod.wire import Wiring

    for cls in module.classes:
        is_chosen = spans is None or cls.span in spans
        is_wired = cls.mixin_position == 0 and not is_moved
        if is_chosen and not is_wired and can_have_mixin(cls):
            yield Wiring(cls.qualname, session.layout.import_name(module), cls.mixin)


def show(console: Console, config: Config, edits: list[Edit]) -> int:
    """Print the changes as a diff. Return the exit code: 1 if there are any."""
    from savegen.cli._formatting import unified_diff

    for path, old, new in edits:
        console.report(unified_diff(console.path(config.root, path), old, new))
    return 1 if edits else 0


def _imports_others(session: Session, module: SavedModule) -> bool:
    """Return whether a file imports generated bases of another file, as after it was moved."""
    expected = session.layout.import_name(module).encode()
    folder = session.layout.types_import.removesuffix("types") + "components"
    pattern = rb"\bfrom\s+(%s[\w.]*)\s+import\b" % re.escape(folder.encode())
    data = session.project.file(module.name).data
    return any(found != expected for found in re.findall(pattern, data))


def edits_before_build(session: Session, chosen: set[str] | None) -> list[Edit]:
    """Return the changes that wire the reported classes; none if the build would fail anyway.

    A wired class needs generated code, so the game could not be imported after a failure. If a
    class cannot be wired, add that finding to the session.
    """
    if not any(finding.code in FIXED_BY_WIRE for finding in session.report):
        return []
    from savegen.build.codemod.faults import Unwirable

    trial = session.renewed()
    generated = trial.generate()
    edits = list(edits_of(trial, generated.model, chosen, only_reported=True))
    session.report.extend(f for f in trial.report if isinstance(f, Unwirable))
    if other_errors(trial.report).failed or not trial.add_prefabs(generated):
        return []
    return edits


def report_edits(
    console: Console, session: Session, edits: list[Edit], diff: bool
) -> None:
    """Print each file that wiring would change; with `diff`, also its changed lines."""
    from savegen.cli._formatting import unified_diff

    for path, old, new in edits:
        shown = console.path(session.config.root, path)
        console.report(f"would change {shown}")
        if diff:
            console.report(unified_diff(shown, old, new))


def write(console: Console, config: Config, edits: list[Edit]) -> None:
    """Change the source files, all of them or none, and list them."""
    for change in rewritten(config, edits):
        console.status(f"{change.verb} {console.path(config.root, change.path)}")


def rewritten(config: Config, edits: list[Edit]) -> list[Change]:
    """Change the source files, all of them or none, and return the changes."""
    from savegen.build.write import rewrite

    return rewrite(config.root, {path: (old, new) for path, old, new in edits})
