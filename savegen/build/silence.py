"""Apply ignore comments to findings, and report ignore comments that have no effect.

Errors cannot be silenced, because savegen cannot generate correct code while there is one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import TypeAlias

from savegen.build import stories
from savegen.build.scan.declarations import IgnoreComment
from savegen.findings import Finding, Report, Severity

IgnoreComments: TypeAlias = Mapping[str, Sequence[IgnoreComment]]  # by path

EXAMPLE = "# savegen: ignore[SG110]"


class UselessIgnoreComment(Finding, frozen=True):
    """An ignore comment that silences no finding."""

    code = "SG107"
    severity = Severity.WARNING

    silenced_code: str  # the code as written; "" if missing
    error: bool = False  # the finding exists but is an error

    @property
    def message(self) -> str:
        if not self.silenced_code:
            return "the comment does not name the finding to ignore"
        if self.error:
            return f"`{self.silenced_code}` is an error, and errors cannot be silenced"
        if not self._exists:
            return f"there is no finding `{self.silenced_code}`"
        return (
            f"`{self.silenced_code}` is not reported here, so the comment has no effect"
        )

    @property
    def help(self) -> str | None:
        if self.error:
            return f"run `savegen explain {self.silenced_code}` to see how to fix it"
        if self.silenced_code and self._exists:
            return (
                "remove the comment, or move it to the line of the finding or the line"
                " above"
            )
        if close := stories.alike(self.silenced_code):
            return f"did you mean `{close[0]}`?"
        if self.silenced_code:
            return "`savegen rules` lists all codes"
        return f"write the code in brackets: `{EXAMPLE}`"

    @property
    def _exists(self) -> bool:
        return self.silenced_code in stories.codes()


def is_about_prefabs(comment: IgnoreComment) -> bool:
    """Return whether an ignore comment names a finding of pass 2."""
    return comment.code.startswith("SG4") and comment.code in stories.codes()


def silence(
    report: Report,
    ignore_comments: IgnoreComments,
    about_prefabs: bool = False,
) -> None:
    """Remove the findings that ignore comments silence, and report comments that silence none.

    Pass 2 applies the comments on findings about prefabs (`about_prefabs`), pass 1 the others.
    """
    comments = chain.from_iterable(ignore_comments.values())
    relevant = [
        comment for comment in comments if is_about_prefabs(comment) == about_prefabs
    ]
    if not relevant:
        return
    places = _by_place(report)
    dropped: list[Finding] = []
    useless: list[Finding] = []
    for comment in relevant:
        keys = {(comment.span.path, line, comment.code) for line in comment.lines}
        named = [finding for key in keys for finding in places.get(key, ())]
        silenced = [f for f in named if f.severity is not Severity.ERROR]
        dropped += silenced
        if not silenced:
            useless.append(
                UselessIgnoreComment(comment.span, comment.code, bool(named))
            )
    report.drop(dropped)
    report.extend(useless)


def _by_place(report: Report) -> dict[tuple[str, int, str], list[Finding]]:
    places: defaultdict[tuple[str, int, str], list[Finding]] = defaultdict(list)
    for finding in report:
        for path, line in {(place.path, place.line) for place in finding.places}:
            places[path, line, finding.code].append(finding)
    return places
