"""`savegen adopt`: propose or write the marks of a game that has none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from savegen import disk
from savegen.cli import _observing
from savegen.cli import _options as option
from savegen.cli._console import Console
from savegen.cli._session import Session
from savegen.findings import SavegenError, similar

if TYPE_CHECKING:
    from savegen.build.adopt.observed import Observed
    from savegen.build.adopt.program import Program
    from savegen.build.adopt.proposal import Proposal
    from savegen.build.config import Config
    from savegen.cli._marking import Marked


@click.command()
@click.argument("roots", nargs=-1)
@click.option(
    "--apply", "must_apply", is_flag=True, help="Write the marks into your files."
)
@click.option(
    "--run",
    "script",
    metavar="SCRIPT",
    type=_observing.script,
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
    must_apply: bool,
    script: _observing.Script | None,
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

    Nothing is imported or run, except with --run. If SCRIPT fails, savegen uses what it saw until
    then, and ends with exit code 1.

    With --apply savegen adds the marks, the imports and the generated base classes; everything
    else in your files stays as it is. A mark that `savegen build` would refuse becomes a
    question. If one file cannot be written, savegen changes none.

    \b
    Examples:
      savegen adopt                 begin at what the game pickles
      savegen adopt World           begin at a class
      savegen adopt --run main.py   also play, then close the game
      savegen adopt --apply         write the marks; then run `savegen build`
    """
    from savegen.build.adopt.program import Program, project_files
    from savegen.cli import _marking as marking

    if report_file is not None:
        _refuse_other_file(report_file)
    session = Session(_config(console, must_apply), use_cache=False)
    program = Program(project_files(session.project))
    with _observing.observed(console, session, script, program.classes) as run:
        proposal = _proposal(session, roots, program, run.types)
        if script is not None and not run.failure:
            _note_if_nothing_was_seen(console, proposal, script.file, run.types)
        if must_apply or diff:
            # Only here, because it takes ten times as long as all the rest.
            marked = marking.verified(console, session.config, proposal)
            code = _mark(console, session, marked, report_file, allow_dirty, diff)
        else:
            code = _propose(console, proposal, report_file, script is not None)
    return 1 if run.failure else code


def _note_if_nothing_was_seen(
    console: Console, proposal: Proposal, file: str, observed: Observed
) -> None:
    if not any(observed.get(each.cls.name) for each in proposal.classes):
        console.note(
            f"savegen saw no object of these classes: it looks when functions return to {file},"
            " and at its end; keep the game in a variable of the script"
        )


def _config(console: Console, must_apply: bool) -> Config:
    from savegen.build.config import bare
    from savegen.build.config.games import games

    config = console.config() if must_apply else console.config_or_none()
    if config is not None:
        return config
    sources = games(console.folder())
    return bare(sources if len(sources) == 1 else ["."])


def _proposal(
    session: Session, roots: Sequence[str], program: Program, observed: Observed
) -> Proposal:
    from savegen.build.adopt.proposal import UnknownRoot, propose

    if not program.classes:
        raise SavegenError(_no_class(program))
    named = [_place(session.config, root) for root in roots]
    try:
        proposal = propose(program, session.settings, named, observed)
    except UnknownRoot as error:
        names = {cls.node.name for cls in program.classes.values()}
        close = similar(str(error), names)
        hint = f"; did you mean `{close}`?" if close else ""
        raise SavegenError(f"the game has no class or file `{error}`{hint}") from None
    if not proposal.classes:
        raise SavegenError(_nothing_found(proposal, roots))
    return proposal


def _place(config: Config, root: str) -> str:
    """Return a path as the project names it; the names of classes are returned unchanged."""
    if disk.exists(root):
        return disk.relative(disk.absolute(root), config.root)
    return root


def _no_class(program: Program) -> str:
    for path, (line, reason) in sorted(program.unreadable.items()):
        return f"{path}:{line}: the file cannot be read: {reason}"
    return "there is no class here; run `savegen adopt` in the folder of your game"


def _nothing_found(proposal: Proposal, roots: Sequence[str]) -> str:
    if proposal.roots:
        root = proposal.roots[0]
        return (
            f"{root.path}:{root.line} pickles `{root.text}`, whose type is unknown;"
            " name the classes that hold your state, such as `savegen adopt World Player`"
        )
    return (
        "the game pickles nothing; name the class or file that holds its state,"
        " such as `savegen adopt World`"
    )


def _propose(
    console: Console, proposal: Proposal, report_file: str | None, has_run: bool
) -> int:
    from savegen.build.adopt import report

    for line in report.lines(proposal):
        console.report(line)
    _print_questions(console, proposal, "\nQuestions")
    _write_report(console, proposal, report_file)
    if proposal.questions and not has_run:
        console.note(
            "answer the questions in your source, or let `--run SCRIPT` play the game"
        )
    if proposal.is_new:
        console.note("run `savegen adopt --apply` to write these marks")
    else:
        console.status("all of these marks are in your source")
    return 0


def _mark(
    console: Console,
    session: Session,
    marked: Marked,
    report_file: str | None,
    allow_dirty: bool,
    diff: bool,
) -> int:
    from savegen.cli import _marking as marking
    from savegen.cli import wire

    config = session.config
    proposal, edits, report = marked
    if diff:
        _write_report(console, proposal, report_file)
        return wire.show(console, config, edits)
    marking.finish(console, config, edits, "adopt --apply", allow_dirty)
    proposal = marking.at_new_lines(proposal, edits)
    _print_questions(console, proposal, "Questions")
    _write_report(console, proposal, report_file)
    console.findings(report, session.project)
    if report.failed:
        console.note("fix these errors, then run `savegen build`")
    elif edits:
        console.note("run `savegen build` to write the save code")
    else:
        console.status("up to date")
    return 1 if report.failed else 0


def _print_questions(console: Console, proposal: Proposal, title: str) -> None:
    from savegen.build.adopt import report

    if proposal.questions:
        console.report(title)
        for line in report.questions(proposal):
            console.report(line)
    console.status(report.summary(proposal))


def _refuse_other_file(path: str) -> None:
    """Raise `SavegenError` if a report would replace another file, or has no folder."""
    from savegen.build.adopt import report

    if not disk.exists(path):
        if not disk.is_folder(disk.parent(disk.absolute(path))):
            raise SavegenError(f"the folder of {path} does not exist")
    elif disk.is_folder(path) or not disk.read(path).startswith(report.TITLE.encode()):
        raise SavegenError(f"{path} exists, and is not a report; name another file")


def _write_report(
    console: Console, proposal: Proposal, report_file: str | None
) -> None:
    from savegen.build.adopt import report

    if report_file is not None:
        disk.write(report_file, report.markdown(proposal).encode())
        console.note(f"wrote {report_file}")
