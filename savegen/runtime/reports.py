"""What a load did, in numbers and names."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Any, NamedTuple, TypeVar

import msgspec

from savegen.runtime.keys import describe_key
from savegen.runtime.rows import Key


class MismatchedValue(NamedTuple):
    """A value of another type than its field declares. It comes back as it was.

    >>> str(MismatchedValue(4, "Door", "width", "'wide'", "float"))
    "`Door.width` of key 4 (generation 1) is 'wide'; the field is declared `float`"
    """

    key: Key
    class_name: str
    field: str
    value: str  # as Python shows it
    declared: str  # as it would be annotated

    @property
    def where(self) -> str:
        """The class and the field: `Door.width`."""
        return f"{self.class_name}.{self.field}"

    def __str__(self) -> str:
        place = f"`{self.where}` of {describe_key(self.key)}"
        return f"{place} is {self.value}; the field is declared `{self.declared}`"


class LostValue(NamedTuple):
    """A value that no kind can hold: a load gives its field the default, if it has one.

    Of a state that the game added, there is no key and no class.

    >>> str(LostValue(4, "Door", "on_open", "a function"))
    '`Door.on_open` of key 4 (generation 1) is lost: a function'
    """

    key: Key
    class_name: str
    field: str
    value: str  # what it was, in words
    declared: str = ""  # as it would be annotated; of something recorded, nothing

    @property
    def where(self) -> str:
        """The class and the field: `Door.on_open`."""
        return f"{self.class_name}.{self.field}" if self.key else self.field

    def __str__(self) -> str:
        where = f"`{self.where}` of {describe_key(self.key)}"
        if not self.key:
            where = f"the state {self.field!r}"
        return f"{where} is lost: {self.value}"


_Found = TypeVar("_Found", MismatchedValue, LostValue)


def by_key(found: Iterable[_Found]) -> tuple[_Found, ...]:
    """Return what was found, in the order of keys; of one object by the names of its fields."""
    return tuple(
        sorted(found, key=lambda each: (each.key < 0, abs(each.key), each.field))
    )


class LoadReport(msgspec.Struct, frozen=True, kw_only=True):
    """What a load did. Counts are of objects, unless a field says otherwise.

    >>> LoadReport(objects=3, components=5, created=1)
    <LoadReport: 3 objects, 5 components, 1 created>
    """

    kept: int = 0  # alive before and after, as the very same objects
    created: int = 0  # built anew, or taken from a pool
    removed: int = 0  # of those that were added
    objects: int = 0  # that the snapshot has
    components: int = 0  # in them; an object that stands alone counts as one
    changed: int = 0  # components that were written, because something in them differed
    dangling: int = 0  # references to what was destroyed before the snapshot
    added_by_level: tuple[str, ...] = ()  # placements the snapshot does not know: kept
    removed_by_level: tuple[str, ...] = ()  # placements that the level has no more
    # Placements for which the level has another prefab now: the save's was built.
    replaced_in_level: tuple[str, ...] = ()
    mismatches: tuple[MismatchedValue, ...] = ()  # they are loaded as they were saved
    lost: tuple[LostValue, ...] = ()  # the fields took their defaults
    # Of a save of another version of the game: objects, by field, that took the default…
    defaulted: dict[str, int] = {}
    # … and what the game does not know, by class or field: the next save has it again.
    preserved: dict[str, int] = {}
    migrations: tuple[int, ...] = ()  # the versions that the save was brought to
    notes: tuple[str, ...] = ()  # what else was found, such as a damaged newer save

    def __repr__(self) -> str:
        counts = [
            counted(self.objects, "object"),
            counted(self.components, "component"),
            *(
                f"{getattr(self, name):,} {name}"
                for name in ("kept", "created", "removed", "changed")
                if getattr(self, name)
            ),
            counted(self.dangling, "dangling reference") if self.dangling else "",
        ]
        lines = listed("mismatch", map(str, self.mismatches), len(self.mismatches))
        lines += listed("lost", map(str, self.lost), len(self.lost))
        about = {
            "took the default": [
                f"{n} ({each:,})" for n, each in self.defaulted.items()
            ],
            "preserved": [f"{n} ({each:,})" for n, each in self.preserved.items()],
            "added by the level": self.added_by_level,
            "removed by the level": self.removed_by_level,
            "replaced in the level": self.replaced_in_level,
            "migrated to version": [*map(str, self.migrations)],
        }
        lines += [
            f"  {what}: {', '.join(each)}" for what, each in about.items() if each
        ]
        lines += listed("note", self.notes, len(self.notes))
        return shown("LoadReport", counts, lines)

    def with_file(self, found: Any) -> LoadReport:
        """Return the report with what reading the file has found."""
        return msgspec.structs.replace(self, **found) if found else self


class Merged(dict[Key, Key]):
    """The new keys of what a merge has copied, by the old ones.

    >>> Merged({1: 3}, left_out={"Item": 2})
    <Merged: {1: 3}
      preserved by the snapshot and not copied: Item (2)>
    """

    def __init__(self, keys: dict[Key, Key], left_out: dict[str, int]) -> None:
        super().__init__(keys)
        # Objects that the game does not know, or not all of, by class or field.
        self.left_out = left_out

    def __repr__(self) -> str:
        keys = super().__repr__()
        if not self.left_out:
            return keys
        names = ", ".join(f"{name} ({n:,})" for name, n in self.left_out.items())
        lines = [f"  preserved by the snapshot and not copied: {names}"]
        return shown("Merged", [keys], lines)


_SHOWN = 5  # lines of each kind in a `repr`


def counted(count: int, what: str) -> str:
    """Return a count of things.

    >>> counted(1, "object"), counted(2000, "object")
    ('1 object', '2,000 objects')
    """
    return f"{count:,} {what}{'s' * (count != 1)}"


def listed(head: str, lines: Iterable[str], count: int) -> list[str]:
    """Return the first lines of one kind for a `repr`, and how many more there are."""
    found = [f"  {head}: {line}" for line in islice(lines, _SHOWN)]
    rest = count - len(found)
    return found + [f"  and {rest:,} more"] * (rest > 0)


def shown(name: str, counts: Iterable[str], lines: Iterable[str]) -> str:
    """Return the `repr` of a report."""
    head = f"<{name}: {', '.join(filter(None, counts))}"
    return "\n".join([head, *lines]) + ">"
