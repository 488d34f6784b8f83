"""`savegen adopt`: propose or write the marks of a game that has none."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from savegen import disk
from savegen.cli import _options as option
from savegen.cli._console import Console
from savegen.cli._session import Session
from savegen.findings import SavegenError

if TYPE_CHECKING:
    from savegen.build.adopt.observed import Observed
    from savegen.build.adopt.program import Program
    from savegen.build.adopt.proposal import Proposal
    from savegen.build.config import Config


@click.command()
@click.argument("roots", nargs=-1)
@click.option(
    "--apply", "is_applied", is_flag=True, help="Write the marks into your files."
)
@click.option(
    "--run",
    "script",
    metavar="SCRIPT",
    shell_complete=option.files,
    help="Also run SCRIPT, which may have arguments, and use the types that attributes have"
    " then. This runs your game.",
)
@click.option(
    "--report",
    "report_file",
    metavar="FILE",
    shell_complete=option.files,
    help="Write the whole proposal to a Markdown file.",
)
@option.allow_dirty
@option.diff
@option.output_format
@option.common
@click.pass_obj
def command(
    console: Console,
    roots: tuple[str, ...],
    is_applied: bool,
    script: str | None,
    report_file: str | None,
    allow_dirty: bool,
    diff: bool,
) -> int:
    """Propose marks for a game that has none, and write them with --apply.

    savegen looks for the objects that your game pickles, and follows the types of their
    attributes. ROOTS are the classes or files to begin at instead: `World`,
    `mygame.world.World` or `mygame/world.py`.

    An attribute is marked only if its type is certain: from annotations, literals, calls of
    constructors and of annotated functions. The others are listed as questions.

    Nothing is imported or run, except with --run. With --apply savegen adds the marks, the
    imports and the generated base classes; everything else in your files stays as it is. If one
    file cannot be written, savegen changes none.

    \b
    Examples:
      savegen adopt                 begin at what the game pickles
      savegen adopt World           begin at a class
      savegen adopt --run main.py   also play, then close the game
      savegen adopt --apply         write the marks; then run `savegen build`
    """
    config = _config(console, is_applied)
    session = Session(config, use_cache=False)
    proposal = _proposal(session, roots, script)
    if not proposal.reached:
        raise SavegenError(_nothing_found(proposal, roots))
    if not (is_applied or diff):
        _print(console, proposal, report_file)
        if proposal.questions and not script:
            console.note(
                "answer the questions in your source, or let `--run SCRIPT` play the game"
            )
        console.note("run `savegen adopt --apply` to write these marks")
        return 0
    from savegen.cli import _marking as marking
    from savegen.cli import wire

    proposal, texts, report = marking.verified(console, config, proposal)
    if diff:
        return wire.show(console, config, marking.changed(texts))
    edits = marking.finish(console, config, texts, "adopt --apply", allow_dirty)
    _print(console, proposal, report_file, with_classes=False)
    console.findings(report, session.project)
    if report.failed:
        console.note("mend these errors, then run `savegen build`")
    elif edits:
        console.note("run `savegen build` to write the save code")
    else:
        console.status("up to date")
    return 1 if report.failed else 0


def _config(console: Console, is_applied: bool) -> Config:
    from savegen.build.config import bare
    from savegen.build.config.games import games

    config = console.settings()
    if config is not None:
        return config
    if is_applied:
        raise SavegenError("there is no [tool.savegen] yet; run `savegen init` first")
    sources = games(console.folder())
    return bare(sources if len(sources) == 1 else ["."])


def _proposal(session: Session, roots: Sequence[str], script: str | None) -> Proposal:
    from savegen.build.adopt.program import Program, project_files
    from savegen.build.adopt.proposal import UnknownRoot, propose

    named = [_place(session.config, root) for root in roots]
    program = Program(project_files(session.project))
    observed = _observed(session, program, script) if script else {}
    try:
        return propose(program, session.settings, named, observed)
    except UnknownRoot as error:
        raise SavegenError(f"the game has no class or file `{error}`") from None


def _observed(session: Session, program: Program, script: str) -> Observed:
    """Run a script of the game, and return the types that attributes had."""
    from savegen.build import process
    from savegen.build.adopt import live

    try:
        file, *arguments = shlex.split(script)
    except ValueError as error:
        raise SavegenError(f"--run {script!r} names no script: {error}") from None
    if not disk.exists(file):
        raise SavegenError(f"{file} does not exist")
    path = disk.absolute(file)
    place = disk.relative(path, session.config.root)
    stem = disk.name_of(path).removesuffix(".py")
    result = disk.temporary(disk.cache_folder(session.config.root))
    request = {
        "script": path,
        "arguments": arguments,
        "folder": disk.parent(path),
        "module": session.project.module_at(place) or stem,
        "classes": [*program.classes],
        "result": result,
    }
    try:
        process.run([sys.executable, "-m", live.__name__, json.dumps(request)], ".")
        observed: Observed = json.loads(disk.read(result))
        disk.remove(result)
        return observed
    except (process.Failed, OSError, ValueError) as error:
        raise SavegenError(f"{file} could not be observed: {error}") from None


def _place(config: Config, root: str) -> str:
    """Return a path as the project names it; the names of classes are returned unchanged."""
    if disk.exists(root):
        return disk.relative(disk.absolute(root), config.root)
    return root


def _nothing_found(proposal: Proposal, roots: Sequence[str]) -> str:
    if proposal.roots:
        root = proposal.roots[0]
        return (
            f"{root.path}:{root.line} pickles `{root.text}`, whose type is unknown;"
            " name its class: `savegen adopt CLASS`"
        )
    return (
        "the game pickles nothing; name the class or file that holds its state,"
        " such as `savegen adopt World`"
    )


def _print(
    console: Console,
    proposal: Proposal,
    report_file: str | None,
    with_classes: bool = True,
) -> None:
    from savegen.build.adopt import report

    for line in report.lines(proposal) if with_classes else ():
        console.report(line)
    if proposal.questions:
        console.report("\nQuestions" if with_classes else "Questions")
        for line in report.questions(proposal):
            console.report(line)
    if report_file is not None:
        text = report.markdown(proposal)
        title = text.partition("\n")[0].encode()
        if disk.exists(report_file) and not disk.read(report_file).startswith(title):
            raise SavegenError(
                f"{report_file} exists, and is no report; name another file"
            )
        disk.write(report_file, text.encode())
        console.status(f"wrote {report_file}")
    console.status(report.summary(proposal))
