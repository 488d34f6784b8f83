"""Findings: faults in the user's source as data, and the report of a run."""

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
    """Return the name that is most like a misspelt one; "" if none is similar.

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
    """The severity of a finding; only errors prevent savegen from writing files."""

    INFO = 0
    WARNING = 1
    ERROR = 2


class Finding(msgspec.Struct, frozen=True):
    """One fault in the source. Each subclass has a code and the text of its message."""

    code: ClassVar[str] = ""
    severity: ClassVar[Severity] = Severity.ERROR
    # Texts with attribute names in braces. A subclass may define a property instead.
    MESSAGE: ClassVar[str] = ""
    HELP: ClassVar[str] = ""

    span: Span

    @property
    def message(self) -> str:
        """The description of the fault, in lower case and without a full stop."""
        return self.MESSAGE.format_map(_Attributes(self))

    @property
    def help(self) -> str | None:
        """Instructions that fix the fault; `None` if the fix is not certain."""
        return self.HELP.format_map(_Attributes(self)) or None

    @property
    def places(self) -> tuple[Span, ...]:
        """The places where an ignore comment can silence the finding."""
        return (self.span,)

    @property
    def data(self) -> str:
        """Additional data for the cache that the finding's rule needs; "" for most rules."""
        return ""


class _Attributes(dict[str, object]):
    def __init__(self, finding: Finding) -> None:
        self._finding = finding

    def __missing__(self, name: str) -> object:
        return getattr(self._finding, name)


# Place, code, severity, message, help and data.
FindingFacts = tuple[tuple[str, int, int, int, int], str, int, str, str | None, str]


class Recalled(Finding, frozen=True):
    """A finding that was read from the cache of an earlier run."""

    facts: FindingFacts

    @classmethod
    def of(cls, finding: Finding) -> Recalled:
        """Return a copy of a finding that a cache can hold."""
        span = finding.span
        place = (span.path, span.line, span.column, span.end_line, span.end_column)
        severity, code = int(finding.severity), finding.code
        words = finding.message, finding.help, finding.data
        return cls.from_facts((place, code, severity, *words))

    @classmethod
    def from_facts(cls, facts: FindingFacts) -> Recalled:
        return cls(Span(*facts[0]), facts)

    # Other findings have these in their class; this one has them in `facts`.
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
    """Return a finding with the severity of an error."""
    place, code, _, message, help, data = Recalled.of(finding).facts
    facts = place, code, int(Severity.ERROR), message, help, data
    return Recalled.from_facts(facts)


def softened(finding: Finding) -> Recalled:
    """Return a finding with the severity of a warning."""
    place, code, _, message, help, data = Recalled.of(finding).facts
    facts = place, code, int(Severity.WARNING), message, help, data
    return Recalled.from_facts(facts)


def as_text(findings: Iterable[Finding]) -> str:
    """Return findings as text that `recalled` reads; "" for none."""
    facts = [Recalled.of(finding).facts for finding in findings]
    return msgspec.json.encode(facts).decode() if facts else ""


def recalled(text: str) -> Iterator[Recalled]:
    """Yield the findings in a text of `as_text`; none if the text is damaged."""
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
        """Remove findings, including duplicates with the same place, code and message."""
        dropped = {(f.span, f.code, f.message) for f in findings}
        self._findings = [
            f for f in self._findings if (f.span, f.code, f.message) not in dropped
        ]

    def harden(self) -> None:
        """Turn all warnings into errors."""
        self._findings = [
            hardened(f) if f.severity is Severity.WARNING else f for f in self._findings
        ]

    def __iter__(self) -> Iterator[Finding]:
        """Iterate over the findings without duplicates, sorted by place."""
        unique = {(f.span, f.code, f.message): f for f in self._findings}
        return iter([unique[key] for key in sorted(unique)])

    def __len__(self) -> int:
        return len(self._findings)

    @property
    def failed(self) -> bool:
        return any(f.severity is Severity.ERROR for f in self._findings)
