"""`savegen init`: write the configuration of a project."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING

import click

from savegen import disk
from savegen.cli import _options as option
from savegen.cli._console import Console
from savegen.cli._tracked import refuse_uncommitted
from savegen.findings import SavegenError

if TYPE_CHECKING:
    from savegen.build.config import Config
    from savegen.build.init import InitPlan


@click.command()
@click.argument("packages", nargs=-1, shell_complete=option.files)
@option.dry_run
@click.option(
    "--optional",
    "everything",
    is_flag=True,
    help="Also create the optional files that do not exist.",
)
@option.allow_dirty
@option.common
@click.pass_obj
def command(
    console: Console,
    packages: tuple[str, ...],
    dry_run: bool,
    everything: bool,
    allow_dirty: bool,
) -> int:
    """Set up savegen for the game in this folder.

    PACKAGES are the packages or files of your game. You can leave them out if there is only
    one in this folder or in src/.

    savegen adds [tool.savegen] to pyproject.toml and a few lines to .gitattributes and
    .gitignore; it creates these files if they do not exist. It adds to these optional files
    only if they exist, or with --optional:

    \b
      Makefile                  the target `savegen`, which runs `savegen build`
      .pre-commit-config.yaml   hooks that run savegen before each commit
      .vscode/settings.json     the schema of level files, for completion

    Your own text stays as it is. If one file cannot be written, savegen changes none. You can
    run the command again at any time: it adds only what is missing.

    \b
    Examples:
      savegen init             find the package
      savegen init mygame      name it
      savegen init alpha beta  name several
      savegen init --dry-run   show what would change
    """
    from savegen.build import init

    root = _root(console)
    plan = init.plan(root, packages, everything)
    if dry_run:
        _show(console, plan)
        if not allow_dirty:
            _refuse_changed(plan)
        return 0
    if plan.additions:
        if not allow_dirty:
            _refuse_changed(plan)
        with _InitLock(root, "savegen init"):
            plan = init.plan(root, packages, everything)
            if not allow_dirty:  # another program may have changed a file since
                _refuse_changed(plan)
            _write(console, plan)
    else:
        console.status("up to date")
    _report_ignored(console, plan.config)
    _print_next_steps(console, plan, init.is_marked(plan.config))
    return 0


def _report_ignored(console: Console, config: Config) -> None:
    """Print a warning if git ignores what the build will write."""
    from savegen.build.cache import sources_of
    from savegen.build.source import Project
    from savegen.cli._surroundings import ignored_outputs
    from savegen.findings import Report

    outputs = [disk.join(config.output, "registry.py")]
    findings = Report(ignored_outputs(config, outputs, [*sources_of(config)]))
    console.findings(findings, Project(config.root, {}))


def _root(console: Console) -> str:
    """Return the working folder, if it can become a project. Raises `SavegenError`."""
    from savegen.build.config import PYPROJECT, TABLE

    if console.config_file:
        raise SavegenError(
            f"`savegen init` writes {PYPROJECT} in the working folder;"
            " leave out --config, and run it in your game's folder"
        )
    root = console.folder()
    if disk.status(disk.join(root, PYPROJECT)):
        return root
    if config := console.config_or_none():
        project = disk.relative(config.root, root)
        raise SavegenError(
            f"this folder belongs to {project}/{PYPROJECT}, which has {TABLE} already."
            f" Run `savegen init` in {project}, or create a {PYPROJECT} here"
        )
    if disk.exists(disk.join(root, "__init__.py")):
        raise SavegenError(
            "this folder is a package; run `savegen init` in the folder that contains it"
        )
    return root


class _InitLock(disk.BuildLock):
    """A lock whose error explains that the folder cannot be written to."""

    def __enter__(self) -> disk.BuildLock:
        try:
            return super().__enter__()
        except OSError as error:
            if error.errno not in (errno.EACCES, errno.EPERM, errno.EROFS):
                raise
            raise SavegenError(
                f"cannot write to this folder: {error.strerror}; nothing was changed"
            ) from None


def _refuse_changed(plan: InitPlan) -> None:
    paths = [addition.path for addition in plan.additions if addition.old is not None]
    refuse_uncommitted(plan.config.root, paths, "init")


def _show(console: Console, plan: InitPlan) -> None:
    from savegen.cli._formatting import unified_diff

    if not plan.additions:
        console.print("up to date")
    for addition in plan.additions:
        verb = "create" if addition.old is None else "change"
        console.print(f"would {verb} {addition.path}: {addition.description}")
        console.print(unified_diff(addition.path, addition.old or b"", addition.new))


def _write(console: Console, plan: InitPlan) -> None:
    from savegen.build.write import rewrite

    rewrite(
        plan.config.root,
        {addition.path: (addition.old, addition.new) for addition in plan.additions},
    )
    for addition in plan.additions:
        console.status(f"wrote {addition.path}: {addition.description}")


def _print_next_steps(console: Console, plan: InitPlan, is_marked: bool) -> None:
    """Print hints and the next command to run."""
    for hint in plan.hints:
        console.note(hint)
    if plan.absent:
        names = ", ".join(plan.absent)
        console.note(f"`savegen init --optional` would also create {names}")
    first = (
        ""
        if is_marked
        else "mark your classes with `@saveable`, or run `savegen adopt`; then "
    )
    console.note(f"next: {first}run `savegen build`")
