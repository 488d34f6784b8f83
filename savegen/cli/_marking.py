"""Write marks into the files of a game, after a trial build of the changed text."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from savegen import disk
from savegen.cli import wire
from savegen.cli._console import Console
from savegen.cli._session import Session
from savegen.cli._tracked import refuse_uncommitted
from savegen.findings import Report, Severity

if TYPE_CHECKING:
    from savegen.build.adopt.proposal import Proposal
    from savegen.build.codemod.mark import Marks
    from savegen.build.codemod.survey import CannotEdit
    from savegen.build.config import Config

Marked = tuple["Proposal", wire.Edits, Report]
Refused = dict[tuple[str, str], str]  # class and attribute, or "" → reason


def verified(
    console: Console, config: Config, proposal: Proposal, wired: bool = True
) -> Marked:
    """Return the proposal without the marks that a build would refuse, and the changed files.

    A refused mark becomes a question. The generated base classes are added only if no error
    remains, so that the game can still be imported without generated code.
    """
    seen: Refused = {}  # those of marks that the game had before stay refused
    while True:
        session = Session(config, use_cache=False)
        texts, refused = _marked(session, proposal)
        if not refused:
            for path, (_, new) in texts.items():
                session.project.replace(path, new)
            with console.watching(session.project):
                model = session.generate().model
            refused = _refused_marks(session, texts)
            if refused.keys() <= seen.keys():
                break
        seen |= refused
        proposal = proposal.without(refused)
    if wired and not wire.other_errors(session.report).failed:
        for path, (old, new) in wire.edits_of(session, model, None).items():
            texts[path] = texts[path][0] if path in texts else old, new
    changed = {path: pair for path, pair in sorted(texts.items()) if len({*pair}) > 1}
    # The next build reports the warnings, with the new line numbers.
    return proposal, changed, wire.other_errors(session.report)


def _marked(session: Session, proposal: Proposal) -> tuple[wire.Edits, Refused]:
    """Return the marked files, and the classes that cannot be marked."""
    from savegen.build.codemod.survey import CannotEdit

    texts: wire.Edits = {}
    refused: Refused = {}
    for path, marks in proposal.marks.items():
        module = session.project.module_at(path)
        assert module is not None
        old = session.project.file(module).data
        try:
            texts[path] = old, _with_marks(old, marks)
        except CannotEdit as error:
            for qualname, reason in _unmarkable(old, marks, error).items():
                refused[f"{module}.{qualname}", ""] = reason
    return texts, refused


def _with_marks(old: bytes, marks: Sequence[Marks]) -> bytes:
    from savegen.build.codemod.mark import mark
    from savegen.build.codemod.survey import CannotEdit

    new = mark(old, marks)
    try:
        ast.parse(new)
    except SyntaxError as error:
        raise CannotEdit(f"the marked file would be invalid: {error}") from None
    return new


def _unmarkable(
    old: bytes, marks: Sequence[Marks], reason: CannotEdit
) -> dict[str, str]:
    """Return the classes that cannot be marked alone, or all if only together they cannot."""
    from savegen.build.codemod.survey import CannotEdit

    reasons = {}
    for each in marks:
        try:
            _with_marks(old, [each])
        except CannotEdit as error:
            reasons[each.qualname] = error.reason
    return reasons or dict.fromkeys((m.qualname for m in marks), reason.reason)


def _refused_marks(session: Session, texts: wire.Edits) -> Refused:
    """Return the marks that are errors, and their messages."""
    from savegen.build.adopt.annotated_line import attribute_at

    refused = {}
    for finding in session.report:
        path = finding.span.path
        if finding.severity is Severity.ERROR and path in texts:
            place = attribute_at(texts[path][1], finding.span.line)
            if place is not None:
                cls, name = place
                refused[f"{session.project.module_at(path)}.{cls}", name] = (
                    finding.message
                )
    return refused


def finish(
    console: Console, config: Config, edits: wire.Edits, command: str, allow_dirty: bool
) -> None:
    """Write the marked files, all or none."""
    if not allow_dirty:
        refuse_uncommitted(config.root, [*edits], command)
    with disk.BuildLock(config.root, f"savegen {command}"):
        wire.write(console, config, edits)


def at_new_lines(proposal: Proposal, edits: wire.Edits) -> Proposal:
    """Return the proposal with the line numbers of its questions in the marked files."""
    lines = {path: _new_lines(*pair) for path, pair in edits.items()}
    questions = [
        each._replace(line=lines.get(each.path, {}).get(each.line, each.line))
        for each in proposal.questions
    ]
    return replace(proposal, questions=questions)


def _new_lines(old: bytes, new: bytes) -> dict[int, int]:
    """Return the numbers of lines after a change, by those before it."""
    matcher = SequenceMatcher(None, old.splitlines(), new.splitlines())
    numbers: dict[int, int] = {}
    for _, start, end, new_start, _ in matcher.get_opcodes():
        numbers |= {n + 1: n - start + new_start + 1 for n in range(start, end)}
    return numbers
