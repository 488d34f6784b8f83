"""`savegen wire`: add the generated base classes to the classes that lack them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import replace
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
    from savegen.build.scan.generated import GeneratedNames
    from savegen.build.source import Project, SourceFile
    from savegen.build.write import Change

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
        edits = list(edits_of(session, model, chosen))
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
    session: Session, edits: list[Edit], chosen: set[str] | None
) -> tuple[Report, Project]:
    """Return the errors after the edits, with the project as it is then.

    Stale imports that were not to be removed are left out.
    """
    after = _after(session, edits)[0] if edits else session
    found = [*after.report, *(f for f in session.report if f.code == _CANNOT_WIRE)]
    errors = (f for f in found if f.severity is Severity.ERROR)
    remaining = (
        finding
        for finding in errors
        if finding.code not in FIXED_BY_WIRE
        or finding.code == _STALE_IMPORT
        and (chosen is None or finding.span.path in chosen)
    )
    return Report(remaining), after.project


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

    They also remove the generated bases that no longer exist, and the imports of them. With
    `only_reported`, leave out the classes whose finding is silenced.
    """
    from savegen.build.codemod.faults import Unwirable
    from savegen.build.codemod.wire import CannotEdit, wire

    excluded = {f.span.path for f in session.report if f.code == _NOT_IMPORTABLE}
    reported = {f.span for f in session.report if f.code in FIXED_BY_WIRE}
    stale = {f.span.path for f in session.report if f.code == _STALE_IMPORT}
    names = generated_names_of(session, model)
    home_of = _new_home(session, model, names)
    modules = {*model.modules, *filter(None, map(session.project.module_at, stale))}
    for name in sorted(modules):
        path = session.project.paths[name]
        wirings = [*_wirings(session, model, name, reported if only_reported else None)]
        is_chosen = chosen is None or path in chosen
        if not (wirings or path in stale) or not is_chosen or path in excluded:
            continue
        file = session.project.file(name)
        absolute = _absolute(names, file)
        try:
            new = wire(
                file.data,
                wirings,
                lambda target: names.is_stale(absolute(target)),
                lambda target: home_of(absolute(target)),
            )
        except CannotEdit as error:
            span = Span(path, error.line, 1, error.line)
            session.report.add(Unwirable(span, error.reason))
            continue
        if new != file.data:
            yield Edit(path, file.data, new)


def generated_names_of(session: Session, model: Model) -> GeneratedNames:
    """Return the names of the generated modules and base classes."""
    from savegen.build.scan.generated import generated_names

    settings = session.settings
    return generated_names(
        settings.output_package,
        settings.former_packages,
        {
            settings.mixins_module(module.path): [cls.mixin for cls in module.classes]
            for module in model.modules.values()
            if module.classes
        },
        any(model.prefabs),
    )


def _absolute(names: GeneratedNames, file: SourceFile) -> Callable[[str], str]:
    """Return a function for the absolute name of something that a file imports."""
    from savegen.build.scan.names import absolute_module

    last = names.package.rpartition(".")[2]

    def absolute(target: str) -> str:
        name = target.lstrip(".")
        dots = len(target) - len(name)
        if dots and name.startswith(f"{last}.components."):
            # It means the output package, also after the file was moved to another folder.
            return names.package + name.removeprefix(last)
        return absolute_module(file.module, file.is_package, dots, name) or ""

    return absolute


def _new_home(
    session: Session, model: Model, names: GeneratedNames
) -> Callable[[str], str]:
    """Return a function for the module to which a base class was moved, by its old name.

    A module that has been generated with this base class is the home of another class.
    """
    layout = session.layout
    outputs = {
        layout.import_name(module.path): layout.mixins(module)
        for module in model.modules.values()
    }

    def new_home(name: str) -> str:
        home = names.home_of(name)
        text = session.content(outputs[home]) if home in outputs else None
        declared = b"\nclass %s(" % name.rpartition(".")[2].encode()
        return "" if declared in (text or b"") else home

    return new_home


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


def show(console: Console, config: Config, edits: list[Edit]) -> int:
    """Print the changes as a diff. Return the exit code: 1 if there are any."""
    from savegen.cli._formatting import unified_diff

    for path, old, new in edits:
        console.report(unified_diff(console.path(config.root, path), old, new))
    return 1 if edits else 0


class Rewiring(NamedTuple):
    """The changes that wire the classes, and the game as it is after them."""

    edits: list[Edit]
    session: Session
    generated: Generated | None


def before_build(
    session: Session, generated: Generated | None, chosen: set[str] | None
) -> Rewiring:
    """Return the changes that wire the reported classes; none if the build would fail anyway.

    A wired class needs generated code, so the game could not be imported after a failure. If a
    class cannot be wired, add that finding to the session.
    """
    nothing = Rewiring([], session, generated)
    if not any(finding.code in FIXED_BY_WIRE for finding in session.report):
        return nothing
    model = (generated or session.renewed().generate()).model
    edits = list(edits_of(session, model, chosen, only_reported=True))
    if not edits or any(finding.code == _CANNOT_WIRE for finding in session.report):
        return nothing
    after, result = _after(session, edits)
    copy = replace(result, files=dict(result.files))
    if after.report.failed or not after.add_prefabs(copy):
        return nothing
    return Rewiring(edits, after, result)


def _after(session: Session, edits: list[Edit]) -> tuple[Session, Generated]:
    """Return a session in which the edits are made, and what it generates."""
    after = session.renewed()
    for path, _, new in edits:
        after.project.replace(path, new)
    return after, after.generate()


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
