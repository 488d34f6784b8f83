"""Silence findings by the comments beside them, and report comments that silence nothing.

An error cannot be silenced: savegen cannot write code that keeps what players save there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import TypeAlias

from savegen.build import stories
from savegen.build.scan.declarations import Silencer
from savegen.findings import Finding, Report, Severity

Silencers: TypeAlias = Mapping[str, Sequence[Silencer]]  # by path

EXAMPLE = "# savegen: ignore[SG110]"


class UselessSilencer(Finding, frozen=True):
    """A comment that is meant to silence a finding and does not."""

    code = "SG107"
    severity = Severity.WARNING

    silenced: str  # the code as it is written; "" for none
    error: bool = False  # there is such a finding, but one that cannot be silenced

    @property
    def message(self) -> str:
        if not self.silenced:
            return "the comment does not name the finding to ignore"
        if self.error:
            return f"`{self.silenced}` is an error, and errors cannot be silenced"
        if not self._exists:
            return f"there is no finding `{self.silenced}`"
        return f"`{self.silenced}` is not reported here, so the comment has no effect"

    @property
    def help(self) -> str | None:
        if self.error:
            return f"run `savegen explain {self.silenced}` to see how to fix it"
        if self.silenced and self._exists:
            return (
                "remove the comment, or move it to the line of the finding or the line"
                " above"
            )
        if close := stories.alike(self.silenced):
            return f"did you mean `{close[0]}`?"
        if self.silenced:
            return "`savegen rules` lists all codes"
        return f"write the code in brackets: `{EXAMPLE}`"

    @property
    def _exists(self) -> bool:
        return self.silenced in stories.codes()


def for_prefabs(silencer: Silencer) -> bool:
    """Return whether a comment is about a finding of pass 2."""
    return silencer.code.startswith("SG4") and silencer.code in stories.codes()


def silence(
    report: Report,
    silencers: Silencers,
    of_prefabs: bool = False,
) -> None:
    """Drop the findings that `silencers` name, and report silencers that name none.

    Pass 2 looks at the silencers of findings about prefabs (`of_prefabs`), pass 1 at the others.
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
        for path, line in {(place.path, place.line) for place in finding.places}:
            places[path, line, finding.code].append(finding)
    return places
