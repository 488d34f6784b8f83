"""`savegen wire`: add the generated base classes to the classes that lack them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
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
    from savegen.build.model import Model
    from savegen.build.pipeline import Generated
    from savegen.build.source import Project, SourceFile

Edits = dict[str, tuple[bytes, bytes]]  # path → old and new content of a file

_CANNOT_WIRE = "SG106"
_STALE_IMPORT = "SG133"
FIXED_BY_WIRE = ("SG110", "SG111", _STALE_IMPORT)
_NOT_IMPORTABLE = "SG124"  # no import of the generated base class can be written


@click.command()
@option.paths
@option.diff
@option.output_format
@option.common
@click.pass_obj
def command(console: Console, paths: tuple[str, ...], diff: bool) -> int:
    """Add the import and the generated base class to marked classes that lack them.

    If a class was renamed, moved or unmarked, its old generated base class and the import of it
    are replaced or removed. Nothing else in your files changes: comments and formatting stay.
    With PATHS (files or folders), savegen changes those files only. If the project has no
    [tool.savegen] in pyproject.toml, name the files of the game as PATHS.

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
        edits = edits_of(session, model, chosen)
        if diff:
            show(console, config, edits)
            if edits:
                fix_command = console.fix_command(paths, command="wire")
                console.note(f"run `{fix_command}` to write this")
        elif edits:
            write(console, config, edits)
    # The next run of pass 1 reports the warnings.
    others, project = _remaining_errors(session, edits, chosen)
    console.findings(others, project)
    if not edits and not others.failed:
        console.status("up to date")
    return 1 if others.failed or (diff and edits) else 0


def _remaining_errors(
    session: Session, edits: Edits, chosen: set[str] | None
) -> tuple[Report, Project]:
    """Return the errors after the edits, with the project as it is then.

    Stale imports that were not to be removed are left out.
    """
    after = _after(session, edits)[0] if edits else session
    failed = (f for f in session.report if f.code == _CANNOT_WIRE)
    stale = (
        f
        for f in after.report
        if f.code == _STALE_IMPORT and (chosen is None or f.span.path in chosen)
    )
    errors = [f for f in (*stale, *failed) if f.severity is Severity.ERROR]
    return Report([*other_errors(after.report), *errors]), after.project


def other_errors(report: Report) -> Report:
    """Return the errors that wiring does not fix."""
    return Report(
        finding
        for finding in report
        if finding.severity is Severity.ERROR and finding.code not in FIXED_BY_WIRE
    )


def edits_of(
    session: Session,
    model: Model,
    chosen: set[str] | None,
    only_reported: bool = False,
) -> Edits:
    """Return the changes that wire the classes; add a finding for each file where that fails.

    They also remove the generated bases that no longer exist, and the imports of them. With
    `only_reported`, leave out the classes whose finding is silenced.
    """
    from savegen.build.codemod.faults import Unwirable
    from savegen.build.codemod.survey import CannotEdit
    from savegen.build.codemod.wire import wire

    excluded = {f.span.path for f in session.report if f.code == _NOT_IMPORTABLE}
    reported = {f.span for f in session.report if f.code in FIXED_BY_WIRE}
    stale = {f.span.path for f in session.report if f.code == _STALE_IMPORT}
    imports = _GeneratedImports(session, model)
    modules = {*model.modules, *filter(None, map(session.project.module_at, stale))}
    edits: Edits = {}
    for name in sorted(modules):
        path = session.project.paths[name]
        wirings = [*_wirings(session, model, name, reported if only_reported else None)]
        is_chosen = chosen is None or path in chosen
        if not (wirings or path in stale) or not is_chosen or path in excluded:
            continue
        file = session.project.file(name)
        is_stale = partial(imports.is_stale, file)
        try:
            new = wire(file.data, wirings, is_stale, partial(imports.home_of, file))
        except CannotEdit as error:
            span = Span(path, error.line, 1, error.line)
            session.report.add(Unwirable(span, error.reason))
            continue
        if new != file.data:
            edits[path] = file.data, new
    return edits


class _GeneratedImports:
    """The names that files import from generated modules, and where these names are now."""

    def __init__(self, session: Session, model: Model) -> None:
        from savegen.build.scan.generated import generated_names

        settings, layout = session.settings, session.layout
        modules = [module for module in model.modules.values() if module.classes]
        self._session = session
        self._names = generated_names(
            settings.output_package,
            settings.former_packages,
            {
                settings.mixins_module(module.path): [
                    cls.mixin for cls in module.classes
                ]
                for module in modules
            },
            any(model.prefabs),
        )
        # By the names of the generated modules with base classes
        self._outputs = {
            layout.import_name(module.path): layout.mixins(module) for module in modules
        }

    def is_stale(self, file: SourceFile, target: str) -> bool:
        """Return whether a name that a file imports is no longer generated."""
        return self._names.is_stale(self._absolute(file, target))

    def home_of(self, file: SourceFile, target: str) -> str:
        """Return the module to which a base class was moved; "" if it is unknown.

        A module that has been generated with this base class is the home of another class.
        """
        name = self._absolute(file, target)
        home = self._names.home_of(name)
        output = self._outputs.get(home)
        text = self._session.content(output) if output else None
        declared = b"\nclass %s(" % name.rpartition(".")[2].encode()
        return "" if declared in (text or b"") else home

    def _absolute(self, file: SourceFile, target: str) -> str:
        """Return the absolute name of something that a file imports."""
        from savegen.build.scan.names import absolute_module

        package = self._names.package
        last = package.rpartition(".")[2]
        name = target.lstrip(".")
        dots = len(target) - len(name)
        if dots and name.startswith(f"{last}.components."):
            # It means the output package, also after the file was moved to another folder.
            return package + name.removeprefix(last)
        return absolute_module(file.module, file.is_package, dots, name) or ""


def _wirings(
    session: Session, model: Model, name: str, spans: set[Span] | None
) -> Iterator[Wiring]:
    """Yield the classes of a module that are not wired; with `spans`, only those at one."""
    from savegen.build.check.classes import can_have_mixin
    from savegen.build.codemod.wire import Wiring

    module = model.modules.get(name)
    for cls in module.classes if module else ():
        is_chosen = spans is None or cls.span in spans
        if is_chosen and cls.mixin_position != 0 and can_have_mixin(cls):
            home = session.layout.import_name(session.project.paths[name])
            yield Wiring(cls.qualname, home, cls.mixin)


class Rewiring(NamedTuple):
    """The changes that wire the classes, and the game as it is after them."""

    edits: Edits
    session: Session
    generated: Generated | None


def before_build(
    session: Session, generated: Generated | None, chosen: set[str] | None = None
) -> Rewiring:
    """Return the changes that wire the reported classes; none if the build would fail anyway.

    A wired class needs generated code, so the game could not be imported after a failure. If a
    class cannot be wired, add that finding to the session.
    """
    nothing = Rewiring({}, session, generated)
    if not any(finding.code in FIXED_BY_WIRE for finding in session.report):
        return nothing
    model = (generated or session.renewed().generate()).model
    edits = edits_of(session, model, chosen, only_reported=True)
    if not edits or any(finding.code == _CANNOT_WIRE for finding in session.report):
        return nothing
    after, result = _after(session, edits)
    copy = replace(result, files=dict(result.files))
    if after.report.failed or not after.add_prefabs(copy):
        return nothing
    return Rewiring(edits, after, result)


def _after(session: Session, edits: Edits) -> tuple[Session, Generated]:
    """Return a session in which the edits are made, and what it generates."""
    after = session.renewed()
    for path, (_, new) in edits.items():
        after.project.replace(path, new)
    return after, after.generate()


# Showing and writing the changes


def show(console: Console, config: Config, edits: Edits) -> int:
    """Print the changes as a diff. Return the exit code: 1 if there are any."""
    from savegen.cli._formatting import unified_diff

    for path, (old, new) in edits.items():
        console.report(unified_diff(console.path(config.root, path), old, new))
    return 1 if edits else 0


def report_edits(console: Console, session: Session, edits: Edits, diff: bool) -> None:
    """Print each file that wiring would change; with `diff`, also its changed lines."""
    for path, texts in edits.items():
        shown = console.path(session.config.root, path)
        console.report(f"would change {shown}")
        if diff:
            show(console, session.config, {path: texts})


def report_unwired(console: Console, session: Session, edits: Edits) -> bool:
    """Print the files in which a command leaves a class that is not wired, if there are any."""
    report_edits(console, session, edits, diff=False)
    if edits:
        command = console.fix_command(command="build")
        console.note(f"a marked class is not wired: run `{command}` to fix this")
    return bool(edits)


def write(console: Console, config: Config, edits: Edits) -> None:
    """Change the source files, all of them or none, and list them."""
    from savegen.build.write import rewrite

    for change in rewrite(config.root, edits):
        console.status(f"{change.verb} {console.path(config.root, change.path)}")
