"""Present a proposal: as lines for the terminal, and as a Markdown document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from savegen.build.adopt.attributes import Decision, Verdict
from savegen.build.adopt.proposal import Proposal
from savegen.build.adopt.reach import ChosenClass
from savegen.build.adopt.types import spell

TITLE = "# What savegen adopt found"  # by which a report is recognised


def summary(proposal: Proposal) -> str:
    """Return one line: `36 classes, 80 attributes: 76 saved, 3 not saved, 1 open; 1 question`."""
    counts = Counter(decision.verdict for decision in proposal.decisions)
    total = sum(counts.values())
    parts = [
        f"{counts[verdict]} {word}"
        for verdict, word in _WORDS.items()
        if counts[verdict]
    ]
    classes = len(proposal.classes)
    counted = ": " + ", ".join(parts) if parts else ""
    asked = len(proposal.questions)
    last = f"; {_plural(asked, 'question')}" if asked else ""
    return f"{_plural(classes, 'class', 'es')}, {_plural(total, 'attribute')}{counted}{last}"


def _plural(count: int, word: str, ending: str = "s") -> str:
    return f"{count} {word}{ending if count != 1 else ''}"


_WORDS = {
    Verdict.SAVED: "saved",
    Verdict.CONSTANT: "constant",
    Verdict.TRANSIENT: "not saved",
    Verdict.ASKED: "open",
}


def lines(proposal: Proposal) -> Iterator[str]:
    """Yield the proposal as text, class by class."""
    for each in proposal.classes:
        cls = each.cls
        yield f"{cls.module.path}:{cls.node.lineno}: {cls.qualname} ({_kind(each)})"
        saved = [d for d in each.decisions if d.verdict is Verdict.SAVED]
        for decision in saved:
            yield f"    {decision.name}: {_type(decision)}"
        for decision in each.decisions:
            if decision not in saved:
                yield f"    {decision.name} ({_WORDS[decision.verdict]}: {decision.reason})"


def questions(proposal: Proposal) -> Iterator[str]:
    """Yield the open questions as numbered text."""
    for number, question in enumerate(proposal.questions, 1):
        yield f"{number}. {question.path}:{question.line}: {question.subject}: {question.problem}"
        for letter, choice in zip("abcdef", question.choices):
            yield f"   {letter}) {choice}"


def markdown(proposal: Proposal) -> str:
    """Return the proposal as a Markdown document."""
    out = [TITLE, "", f"{summary(proposal)}.", ""]
    if proposal.roots:
        out += ["## What the game pickles", ""]
        for root in proposal.roots:
            names = ", ".join(f"`{cls.qualname}`" for cls in root.classes) or "unknown"
            out.append(f"- `{root.path}:{root.line}`: `{root.text}` ({names})")
        out.append("")
    if proposal.questions:
        out += ["## Questions", ""]
        for number, question in enumerate(proposal.questions, 1):
            place = f"`{question.path}:{question.line}`"
            out.append(f"{number}. {place} `{question.subject}`: {question.problem}.")
            out += [f"   - {choice}" for choice in question.choices]
        out.append("")
    out += ["## Classes", ""]
    for each in proposal.classes:
        cls = each.cls
        out += [
            f"### `{cls.qualname}` in `{cls.module.path}`",
            "",
            f"{_kind(each)[0].upper()}{_kind(each)[1:]}.",
            "",
        ]
        if each.decisions:
            out += ["| attribute | | type or reason |", "|---|---|---|"]
            out += [_row(decision) for decision in each.decisions]
            out.append("")
    return "\n".join(out).rstrip() + "\n"


def _row(decision: Decision) -> str:
    is_saved = decision.verdict is Verdict.SAVED
    text = f"`{_type(decision)}`" if is_saved else decision.reason
    return f"| `{decision.name}` | {_WORDS[decision.verdict]} | {text.replace('|', chr(92) + '|')} |"


def _kind(each: ChosenClass) -> str:
    return f"{each.reason}; a value, needs no mark" if each.is_value else each.reason


def _type(decision: Decision) -> str:
    if decision.type is None:
        return "as annotated"
    return spell(decision.type, lambda full: full.rpartition(".")[2] or full)
