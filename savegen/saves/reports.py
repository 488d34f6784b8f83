"""The report of a save."""

from __future__ import annotations

import msgspec

from savegen.runtime.keys import describe_key
from savegen.runtime.reports import LostValue, counted, listed, shown
from savegen.runtime.reports import MismatchedValue as MismatchedValue

MOST = 1000  # mismatches that a report describes; more are only counted


class SaveReport(msgspec.Struct, frozen=True, kw_only=True):
    """What a save contains, and which values did not fit.

    >>> SaveReport(objects=3, components=5, bytes=812)
    <SaveReport: 3 objects, 5 components, 812 bytes>
    """

    objects: int = 0
    components: int = 0  # in them; an object that stands alone counts as one
    bytes: int = 0  # of the file
    dangling: int = 0  # references to destroyed objects, saved as `None`
    # Objects that this version of the game does not know, or not all of, by class or field:
    # they were written back.
    preserved: dict[str, int] = {}
    mismatched: int = 0  # values of another type than their field declares
    mismatches: tuple[MismatchedValue, ...] = ()  # the first thousand of them
    # Fields whose numbers and texts were saved as Python's own, with the classes that these
    # had: those of numpy, and those that no field declares, `Hero.hp (int64)`.
    numpy: tuple[str, ...] = ()
    lost: tuple[
        LostValue, ...
    ] = ()  # values that cannot be saved: the default is loaded

    @property
    def is_exact(self) -> bool:
        """Whether all values have their declared types, and no value is lost."""
        return not (self.mismatched or self.lost or self.dangling)

    def __repr__(self) -> str:
        preserved = sum(self.preserved.values())
        counts = [
            counted(self.objects, "object"),
            counted(self.components, "component"),
            counted(self.bytes, "byte"),
            counted(self.dangling, "dangling reference") if self.dangling else "",
            counted(preserved, "preserved object") if preserved else "",
        ]
        lines = listed("mismatch", map(str, self.mismatches), self.mismatched)
        lines += listed("lost", map(lost_line, self.lost), len(self.lost))
        lines += [
            f"  saved as Python's own numbers and texts: {', '.join(self.numpy)}"
        ] * (len(self.numpy) > 0)
        return shown("SaveReport", counts, lines)


def lost_line(lost: LostValue) -> str:
    """Return one line about a value that was not saved."""
    place = f"`{lost.class_name}.{lost.field}` of {describe_key(lost.key)}"
    return f"{place} was not saved: {lost.value}"
