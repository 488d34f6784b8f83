"""Findings, which are faults in the user's source or levels, and the report that collects them.

The subclasses of `Finding` are beside the rules that yield them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import IntEnum
from typing import ClassVar

import msgspec


class Span(msgspec.Struct, frozen=True, array_like=True, order=True):
    """A range in one file. Lines and columns count from 1; the end is exclusive."""

    path: str
    line: int = 1
    column: int = 1
    end_line: int = 1
    end_column: int = 1


class SavegenError(Exception):
    """Savegen cannot run, for example because a setting is wrong. The exit code is 2."""


def similar(name: str, names: Iterable[str], cutoff: float = 0.6) -> str:
    """Return the one of `names` that a misspelt `name` most likely means; "" if none is similar.

    The build and the command line use this; for games, levels and saves there is `nearest` in
    `runtime/errors.py`.

    >>> similar("savde", ["save", "Saved"]), similar("hq", ["mana", "hp"]), similar("x", ["y"])
    ('Saved', 'hp', '')
    """
    from difflib import get_close_matches  # only now: most runs never need it

    lower = name.casefold()
    by_lower = {candidate.casefold(): candidate for candidate in names}
    close = [candidate for candidate in by_lower if sorted(candidate) == sorted(lower)]
    close = close or get_close_matches(lower, by_lower, 1, cutoff)
    if not close and 1 < len(lower) < 4:
        close = [c for c in by_lower if _differ_in_one_letter(c, lower)]
    return by_lower[close[0]] if close else ""


def _differ_in_one_letter(name: str, other: str) -> bool:
    return len(name) == len(other) and sum(map(str.__ne__, name, other)) == 1


class Severity(IntEnum):
    """The severity of a finding. Only errors prevent savegen from writing files."""

    INFO = 0
    WARNING = 1
    ERROR = 2


class Finding(msgspec.Struct, frozen=True):
    """One fault in the source or in a level. Each subclass is a kind of fault, with a code."""

    code: ClassVar[str] = ""
    severity: ClassVar[Severity] = Severity.ERROR
    # Texts with attribute names in braces. A subclass may override `message` or `help` instead.
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
        """Text that the rule needs again later, so the cache stores it; "" for most rules."""
        return ""


class _Attributes(dict[str, object]):
    def __init__(self, finding: Finding) -> None:
        self._finding = finding

    def __missing__(self, name: str) -> object:
        return getattr(self._finding, name)


# Place, code, severity, message, help and data.
FindingFacts = tuple[tuple[str, int, int, int, int], str, int, str, str | None, str]


class StoredFinding(Finding, frozen=True):
    """A finding as the cache stores it: its texts, without its class."""

    facts: FindingFacts

    @classmethod
    def of(cls, finding: Finding) -> StoredFinding:
        """Return a copy of a finding that the cache can store."""
        span = finding.span
        place = (span.path, span.line, span.column, span.end_line, span.end_column)
        severity, code = int(finding.severity), finding.code
        texts = finding.message, finding.help, finding.data
        return cls.from_facts((place, code, severity, *texts))

    @classmethod
    def from_facts(cls, facts: FindingFacts) -> StoredFinding:
        return cls(Span(*facts[0]), facts)

    # Class attributes in other findings.
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


def with_severity(finding: Finding, severity: Severity) -> StoredFinding:
    """Return a copy of a finding with another severity."""
    place, code, _, message, help, data = StoredFinding.of(finding).facts
    facts = place, code, int(severity), message, help, data
    return StoredFinding.from_facts(facts)


def as_text(findings: Iterable[Finding]) -> str:
    """Return findings as text that `from_text` reads; "" for none."""
    facts = [StoredFinding.of(finding).facts for finding in findings]
    return msgspec.json.encode(facts).decode() if facts else ""


def from_text(text: str) -> Iterator[StoredFinding]:
    """Yield the findings in a text of `as_text`; none if the text is damaged."""
    try:
        facts = msgspec.json.decode(text, type=list[FindingFacts])
    except (msgspec.DecodeError, UnicodeError):
        return
    yield from map(StoredFinding.from_facts, facts)


class Report:
    """The findings of a run, or of some of its steps."""

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

    def turn_warnings_into_errors(self) -> None:
        self._findings = [
            with_severity(f, Severity.ERROR) if f.severity is Severity.WARNING else f
            for f in self._findings
        ]

    def __iter__(self) -> Iterator[Finding]:
        """Yield the findings without duplicates, sorted by place."""
        unique = {(f.span, f.code, f.message): f for f in self._findings}
        return iter([unique[key] for key in sorted(unique)])

    def __len__(self) -> int:
        return len(self._findings)

    @property
    def failed(self) -> bool:
        return any(f.severity is Severity.ERROR for f in self._findings)
