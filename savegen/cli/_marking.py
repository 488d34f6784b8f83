"""Write marks into the files of a game, after a trial build of the changed text."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import TYPE_CHECKING

from savegen import disk
from savegen.cli._console import Console
from savegen.cli._session import Session
from savegen.findings import Report, SavegenError, Severity

if TYPE_CHECKING:
    from savegen.build.adopt.proposal import Proposal
    from savegen.build.config import Config

_MAX_ROUNDS = 20  # of marks that a build refuses
_FIXED_BY_WIRING = ("SG110", "SG111")

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
    report = Report(
        f
        for f in session.report
        if f.severity is Severity.ERROR and f.code not in _FIXED_BY_WIRING
    )
    if wired and not report.failed:
        from savegen.cli.wire import edits_of

        for path, old, new in edits_of(session, model, None):
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


def show_diff(console: Console, config: Config, edits: Texts) -> int:
    from savegen.cli._formatting import unified_diff

    for path, (old, new) in edits.items():
        console.report(unified_diff(console.path(config.root, path), old, new))
    return 1 if edits else 0


def refuse_uncommitted(config: Config, paths: Mapping[str, object], verb: str) -> None:
    from savegen.cli.init import has_changes

    changed = [path for path in paths if has_changes(config.root, path)]
    if changed:
        shown = ", ".join(changed[:3]) + (" and others" if len(changed) > 3 else "")
        raise SavegenError(
            f"these files have changes that are not committed: {shown}; nothing was changed."
            " Commit them first, or run `savegen {verb} --allow-dirty`"
        )


def changed(texts: Texts) -> Texts:
    """Return the files whose content changes, sorted by path."""
    return {path: pair for path, pair in sorted(texts.items()) if pair[0] != pair[1]}


def write(console: Console, config: Config, edits: Texts, verb: str) -> None:
    """Replace the content of all files, or of none."""
    from savegen.build.write import rewrite

    with disk.BuildLock(config.root, f"savegen {verb}"):
        changes = rewrite(config.root, edits)
    for change in changes:
        console.status(f"{change.verb} {console.path(config.root, change.path)}")
