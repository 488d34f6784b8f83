"""Findings that a comment beside them silences, and comments that silence nothing.

An error cannot be silenced: where one is, no code can be written that keeps what players save.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import TypeAlias

from savegen import stories
from savegen.report import Finding, Report, Severity
from savegen.scan.declarations import Silencer

Silencers: TypeAlias = Mapping[str, Sequence[Silencer]]  # by path

EXAMPLE = "# savegen: ignore[SG110]"


class UselessSilencer(Finding, frozen=True):
    """A comment that is there to silence a finding, and does not."""

    code = "SG107"
    severity = Severity.WARNING

    silenced: str  # the code as it is written; "" for none
    error: bool = False  # there is such a finding, but one that cannot be silenced

    @property
    def message(self) -> str:
        if not self.silenced:
            return "the comment does not say which finding to ignore"
        if self.error:
            return f"`{self.silenced}` is an error, which no comment can silence"
        if not self._exists:
            return f"there is no finding `{self.silenced}` to ignore"
        return f"no `{self.silenced}` is found here: there is nothing to ignore"

    @property
    def help(self) -> str | None:
        if self.error:
            return f"`savegen explain {self.silenced}` tells the ways out"
        if self.silenced and self._exists:
            return (
                "remove it; it belongs on the line where the finding begins, or above"
            )
        if close := stories.alike(self.silenced):
            return f"did you mean `{close[0]}`?"
        return f"write the code in brackets: `{EXAMPLE}`"

    @property
    def _exists(self) -> bool:
        return self.silenced in stories.codes()


def for_prefabs(silencer: Silencer) -> bool:
    """Tell whether a comment is for a finding of pass 2: others know nothing of it."""
    return silencer.code.startswith("SG4") and silencer.code in stories.codes()


def silence(
    report: Report,
    silencers: Silencers,
    of_prefabs: bool = False,
) -> None:
    """Drop the findings that `silencers` are for; report those that are for none.

    Pass 1 leaves out those that are `of_prefabs`, which are all that pass 2 looks at.
    """
    comments = chain.from_iterable(silencers.values())
    ours = [each for each in comments if for_prefabs(each) == of_prefabs]
    if not ours:
        return
    places = _by_place(report)
    quiet: list[Finding] = []
    useless: list[Finding] = []
    for silencer in ours:
        keys = {(silencer.span.path, line, silencer.code) for line in silencer.lines}
        found = [f for key in keys for f in places.get(key, ())]
        silenced = [f for f in found if f.severity is not Severity.ERROR]
        quiet += silenced
        if not silenced:
            useless.append(UselessSilencer(silencer.span, silencer.code, bool(found)))
    report.drop(quiet)
    report.extend(useless)


def _by_place(report: Report) -> dict[tuple[str, int, str], list[Finding]]:
    places: defaultdict[tuple[str, int, str], list[Finding]] = defaultdict(list)
    for finding in report:
        places[finding.span.path, finding.span.line, finding.code].append(finding)
    return places
