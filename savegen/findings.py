"""Findings: what is wrong in the user's source, as data, all of a run together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import IntEnum
from typing import ClassVar

import msgspec


class Span(msgspec.Struct, frozen=True, array_like=True, order=True):
    """A stretch of one file: lines and columns count from 1, the end is exclusive."""

    path: str
    line: int = 1
    column: int = 1
    end_line: int = 1
    end_column: int = 1


class SavegenError(Exception):
    """The tool cannot run: configuration, a missing folder, a file in the way. Exit 2."""


def similar(name: str, names: Iterable[str], cutoff: float = 0.6) -> str:
    """Return the name that somebody may have meant by a misspelt one; "" for none.

    >>> similar("savde", ["save", "Saved"]), similar("hq", ["mana", "hp"]), similar("x", ["y"])
    ('Saved', 'hp', '')
    """
    from difflib import get_close_matches  # only now: most runs never need it

    written = name.casefold()
    known = {each.casefold(): each for each in names}
    swapped = [each for each in known if sorted(each) == sorted(written)]
    close = swapped or get_close_matches(written, known, 1, cutoff)
    if not close and 1 < len(written) < 4:
        close = [each for each in known if _differ_in_one(each, written)]
    return known[close[0]] if close else ""


def _differ_in_one(name: str, other: str) -> bool:
    return len(name) == len(other) and sum(map(str.__ne__, name, other)) == 1


class Severity(IntEnum):
    """How bad a finding is; only an error keeps anything from being written."""

    INFO = 0
    WARNING = 1
    ERROR = 2


class Finding(msgspec.Struct, frozen=True):
    """One fault, at the smallest span. A subclass has the code and the words."""

    code: ClassVar[str] = ""
    severity: ClassVar[Severity] = Severity.ERROR
    # With the names of attributes in braces. A subclass may have a property instead.
    MESSAGE: ClassVar[str] = ""
    HELP: ClassVar[str] = ""

    span: Span

    @property
    def message(self) -> str:
        """What is wrong: lower case, no full stop."""
        return self.MESSAGE.format_map(_Attributes(self))

    @property
    def help(self) -> str | None:
        """The way out, only where it is sure."""
        return self.HELP.format_map(_Attributes(self)) or None

    @property
    def places(self) -> tuple[Span, ...]:
        """Where a comment can silence it."""
        return (self.span,)

    @property
    def data(self) -> str:
        """What its rule needs to make it again from a cache; "" for most rules."""
        return ""


class _Attributes(dict[str, object]):
    def __init__(self, finding: Finding) -> None:
        self._finding = finding

    def __missing__(self, name: str) -> object:
        return getattr(self._finding, name)


# Place, code, severity, message, help and data.
FindingFacts = tuple[tuple[str, int, int, int, int], str, int, str, str | None, str]


class Recalled(Finding, frozen=True):
    """A finding of an earlier run: nothing but the facts."""

    facts: FindingFacts

    @classmethod
    def of(cls, finding: Finding) -> Recalled:
        """Return any finding as one that a cache can hold."""
        span = finding.span
        place = (span.path, span.line, span.column, span.end_line, span.end_column)
        severity, code = int(finding.severity), finding.code
        words = finding.message, finding.help, finding.data
        return cls.from_facts((place, code, severity, *words))

    @classmethod
    def from_facts(cls, facts: FindingFacts) -> Recalled:
        return cls(Span(*facts[0]), facts)

    # What other findings have by their class, this one has been told.
    code = property(lambda self: self.facts[1])
    severity = property(lambda self: Severity(self.facts[2]))

    @property
    def message(self) -> str:
        return self.facts[3]

    @property
    def help(self) -> str | None:
        return self.facts[4]

    @property
    def data(self) -> str:
        return self.facts[5]


def hardened(finding: Finding) -> Recalled:
    """Return a finding as the error that it is to the strict."""
    place, code, _, message, help, data = Recalled.of(finding).facts
    facts = place, code, int(Severity.ERROR), message, help, data
    return Recalled.from_facts(facts)


def softened(finding: Finding) -> Recalled:
    """Return a finding as a warning."""
    place, code, _, message, help, data = Recalled.of(finding).facts
    facts = place, code, int(Severity.WARNING), message, help, data
    return Recalled.from_facts(facts)


def as_text(findings: Iterable[Finding]) -> str:
    """Return findings as text that `recalled` reads; "" for none."""
    facts = [Recalled.of(finding).facts for finding in findings]
    return msgspec.json.encode(facts).decode() if facts else ""


def recalled(text: str) -> Iterator[Recalled]:
    """Yield findings of an earlier run; none of a text that is damaged."""
    try:
        facts = msgspec.json.decode(text, type=list[FindingFacts])
    except (msgspec.DecodeError, UnicodeError):
        return
    yield from map(Recalled.from_facts, facts)


class Report:
    """The findings of a run."""

    def __init__(self, findings: Iterable[Finding] = ()) -> None:
        self._findings = list(findings)

    def add(self, finding: Finding) -> None:
        self._findings.append(finding)

    def extend(self, findings: Iterable[Finding]) -> None:
        self._findings.extend(findings)

    def drop(self, findings: Iterable[Finding]) -> None:
        """Take findings out, each with its likes at the same place."""
        dropped = {(f.span, f.code, f.message) for f in findings}
        self._findings = [
            f for f in self._findings if (f.span, f.code, f.message) not in dropped
        ]

    def harden(self) -> None:
        """Make errors of the warnings."""
        self._findings = [
            hardened(f) if f.severity is Severity.WARNING else f for f in self._findings
        ]

    def __iter__(self) -> Iterator[Finding]:
        """The findings by place, one of a kind at a place."""
        unique = {(f.span, f.code, f.message): f for f in self._findings}
        return iter([unique[key] for key in sorted(unique)])

    def __len__(self) -> int:
        return len(self._findings)

    @property
    def failed(self) -> bool:
        return any(f.severity is Severity.ERROR for f in self._findings)
