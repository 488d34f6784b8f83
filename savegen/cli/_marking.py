"""Write marks into the files of a game, after a trial build of the changed text."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from savegen import disk
from savegen.cli import wire
from savegen.cli._console import Console
from savegen.cli._session import Session
from savegen.cli._tracked import refuse_uncommitted
from savegen.findings import Report, Severity

if TYPE_CHECKING:
    from savegen.build.adopt.proposal import Proposal
    from savegen.build.config import Config

_MAX_ROUNDS = 20  # of marks that a build refuses

Texts = dict[str, tuple[bytes, bytes]]  # path → old and new content


def verified(
    console: Console, config: Config, proposal: Proposal, wired: bool = True
) -> tuple[Proposal, Texts, Report]:
    """Return the proposal without the marks that a build would refuse, and the changed files.

    A refused mark becomes a question. The generated base classes are added only if no error
    remains, so that the game can still be imported without generated code.
    """
    for _ in range(_MAX_ROUNDS):
        session = Session(config, use_cache=False)
        texts = _marked(session, proposal)
        for path, (_, new) in texts.items():
            session.project.replace(path, new)
        with console.watching(session.project):
            model = session.generate().model
        refused = _refused_marks(session, texts)
        if not refused:
            break
        proposal = proposal.without(refused)
    # The next build reports the warnings, with the new line numbers.
    report = wire.other_errors(session.report)
    if wired and not report.failed:
        for path, old, new in wire.edits_of(session, model, None):
            texts[path] = texts[path][0] if path in texts else old, new
    return proposal, texts, report


def _marked(session: Session, proposal: Proposal) -> Texts:
    from savegen.build.adopt.proposal import Question
    from savegen.build.codemod.mark import mark
    from savegen.build.codemod.wire import CannotWire

    texts: Texts = {}
    for file in proposal.files:
        module = session.project.module_at(file.path)
        assert module is not None
        old = session.project.file(module).data
        try:
            new = mark(old, file.marks, file.type_imports)
            ast.parse(new)
        except (CannotWire, SyntaxError) as error:
            reason = f"savegen cannot mark the file: {error}"
            question = Question(file.path, 1, file.path, reason, ("mark it yourself",))
            if question not in proposal.questions:
                proposal.questions.append(question)
            continue
        texts[file.path] = old, new
    return texts


def _refused_marks(session: Session, texts: Texts) -> dict[tuple[str, str], str]:
    """Return the marks that are errors, and their messages."""
    from savegen.build.adopt.marked import attribute_at

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
    console: Console, config: Config, texts: Texts, command: str, allow_dirty: bool
) -> list[wire.Edit]:
    """Write the files whose content changes, all or none, and return the changes."""
    edits = changed(texts)
    if not allow_dirty:
        refuse_uncommitted(config.root, [edit.path for edit in edits], command)
    with disk.BuildLock(config.root, f"savegen {command}"):
        wire.write(console, config, edits)
    return edits


def changed(texts: Texts) -> list[wire.Edit]:
    """Return the changes of the files, sorted by path."""
    return [
        wire.Edit(path, old, new)
        for path, (old, new) in sorted(texts.items())
        if old != new
    ]
