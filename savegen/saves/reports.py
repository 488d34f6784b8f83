"""`SaveReport`: what a save contains, and which values did not fit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from savegen.runtime.values.basics.keys import describe_key
from savegen.runtime.reports import LostValue, counted, listed, shown
from savegen.runtime.reports import MismatchedValue as MismatchedValue
from savegen.runtime.snapshots.snapshot import Snapshot

MAX_MISMATCHES = 1000  # that a report describes; further ones are only counted


class SaveReport(msgspec.Struct, frozen=True, kw_only=True):
    """What a save contains, and which values did not fit.

    >>> SaveReport(objects=3, components=5, bytes=812)
    <SaveReport: 3 objects, 5 components, 812 bytes>
    """

    objects: int = 0
    components: int = 0  # of all objects; an object without components counts as one
    bytes: int = 0  # of the file
    dangling: int = 0  # references to destroyed objects, saved as `None`
    # Objects and values that this version of the game does not know, by class or field. The
    # save contains them again.
    preserved: dict[str, int] = {}
    mismatched: int = 0  # values of another type than their field declares
    mismatches: tuple[MismatchedValue, ...] = ()  # the first thousand of them
    # Fields whose values were saved as Python numbers or texts although they are of another
    # class, such as `Hero.hp (int64)` for a number of numpy.
    numpy: tuple[str, ...] = ()
    # Classes that the build did not see, such as `Orc as Enemy`: the objects are saved as
    # objects of a base that is marked `subclasses=True`, and a load creates such objects.
    as_base: tuple[str, ...] = ()
    lost: tuple[LostValue, ...] = ()  # cannot be saved, so a load gives the default

    @property
    def is_exact(self) -> bool:
        """Whether there are no mismatches, lost values, dangling references or objects of a base.

        Numpy values that were saved as Python numbers or texts do not count.
        """
        return not (self.mismatched or self.lost or self.dangling or self.as_base)

    def __repr__(self) -> str:
        preserved = sum(self.preserved.values())
        counts = [
            counted(self.objects, "object"),
            counted(self.components, "component"),
            counted(self.bytes, "byte"),
            counted(self.dangling, "dangling reference") if self.dangling else "",
            f"preserved objects and values: {preserved:,}" if preserved else "",
        ]
        lines = listed("mismatch", map(str, self.mismatches), self.mismatched)
        lines += listed("lost", map(lost_line, self.lost), len(self.lost))
        if self.numpy:
            fields = ", ".join(self.numpy)
            lines.append(f"  saved as Python's own numbers and texts: {fields}")
        if self.as_base:
            lines.append(f"  saved as objects of a base: {', '.join(self.as_base)}")
        return shown("SaveReport", counts, lines)


def lost_line(lost: LostValue) -> str:
    place = f"`{lost.where}` of {describe_key(lost.key)}"
    return f"{place} was not saved: {lost.value}"


def add_to_report(
    snapshot: Snapshot, preserved: Mapping[str, int], notes: Iterable[str]
) -> None:
    """Add to the report that the load of a snapshot will return."""
    report = snapshot.report or {}
    counts = {**report.get("preserved", {}), **preserved}
    all_notes = (*report.get("notes", ()), *notes)
    snapshot.report = {**report, "preserved": counts, "notes": all_notes}
