"""`LoadReport`, `Merged` and the values in them: the results of loads and merges."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import NamedTuple, TypeVar

import msgspec

from savegen.runtime.values.basics.keys import describe_key, place_in_order
from savegen.runtime.values.rows import Key, short_path


class MismatchedValue(NamedTuple):
    """A saved value that does not have the declared type of its field.

    A load restores it as it was saved.

    >>> str(MismatchedValue(4, "Door", "width", "'wide'", "float"))
    "`Door.width` of object #4 is 'wide'; the field is declared `float`"
    >>> str(MismatchedValue(4, "Door", "sizes", "2.5", "int", "[1]"))
    '`Door.sizes[1]` of object #4 is 2.5; this part is declared `int`'
    """

    key: Key
    class_name: str
    field: str
    value: str  # its `repr`
    declared: str  # the declared type, as an annotation
    path: str = ""  # of the part of the field that does not fit, such as `[1]`

    @property
    def where(self) -> str:
        """The class, the field, and the part of it: `Door.sizes[1]`."""
        return f"{self.class_name}.{self.field}{short_path(self.path)}"

    def __str__(self) -> str:
        place = f"`{self.where}` of {describe_key(self.key)}"
        value = "not set" if self.value == "<not set>" else self.value
        what = "this part" if self.path else "the field"
        return f"{place} is {value}; {what} is declared `{self.declared}`"


class LostValue(NamedTuple):
    """A value that cannot be saved. A load gives its field the default, if it has one.

    For a state that the game added, the key is 0 and the class name is empty.

    >>> str(LostValue(4, "Door", "on_open", "a function"))
    '`Door.on_open` of object #4 is lost: a function'
    """

    key: Key
    class_name: str
    field: str
    value: str  # a description, such as "a function"
    declared: str = ""  # the declared type; empty for a value of a `Recorder`
    path: str = ""  # of the part of the field that is lost, such as `[1]`

    @property
    def where(self) -> str:
        """The class, the field, and the part of it: `Door.locks[1]`."""
        field = f"{self.field}{short_path(self.path)}"
        return f"{self.class_name}.{field}" if self.key else field

    def __str__(self) -> str:
        where = f"`{self.where}` of {describe_key(self.key)}"
        if not self.key:
            at = f" at `{short_path(self.path)}`" if self.path else ""
            where = f"the state {self.field!r}{at}"
        return f"{where} is lost: {self.value}"


_Value = TypeVar("_Value", MismatchedValue, LostValue)


def by_key(values: Iterable[_Value]) -> tuple[_Value, ...]:
    """Return mismatches or lost values in the order of keys, then of field names."""
    return tuple(sorted(values, key=lambda v: (place_in_order(v.key), v.field)))


class LoadReport(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a load. Counts are numbers of objects, unless a field says otherwise.

    >>> LoadReport(objects=3, components=5, created=1)
    <LoadReport: 3 objects, 5 components, 1 created>
    """

    kept: int = 0  # in the world before and after, as the same objects
    created: int = 0  # built, or taken from a pool
    removed: int = 0  # destroyed; reached objects are not counted
    objects: int = 0  # in the snapshot
    components: int = 0  # in the snapshot; an object other than a `GameObject` is one
    changed: int = 0  # components that were written because a field differed
    dangling: int = 0  # references to objects that were destroyed before the snapshot
    # Placement ids in the level that the snapshot does not have; their objects are kept.
    added_by_level: tuple[str, ...] = ()
    # Placement ids in the snapshot that the level no longer has.
    removed_by_level: tuple[str, ...] = ()
    # Placement ids with another prefab in the level than in the save; that of the save is used.
    replaced_in_level: tuple[str, ...] = ()
    mismatches: tuple[MismatchedValue, ...] = ()  # they come back as they were saved
    lost: tuple[LostValue, ...] = ()  # their fields have the default
    # For a save of another version of the game: by field, how many objects got its default.
    defaulted: dict[str, int] = {}
    # By unknown class or field: how many objects with it were preserved.
    preserved: dict[str, int] = {}
    migrations: tuple[int, ...] = ()  # the save versions to which the save was migrated
    notes: tuple[str, ...] = ()  # other messages, such as a damaged newer save

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
        names = {
            "took the default": _with_counts(self.defaulted),
            "preserved": _with_counts(self.preserved),
            "added by the level": self.added_by_level,
            "removed by the level": self.removed_by_level,
            "replaced in the level": self.replaced_in_level,
            "migrated to version": [*map(str, self.migrations)],
        }
        lines += [
            f"  {head}: {', '.join(items)}" for head, items in names.items() if items
        ]
        lines += listed("note", self.notes, len(self.notes))
        return shown("LoadReport", counts, lines)


class Merged(dict[Key, Key]):
    """The new keys of the objects and components that a merge copied, by their old keys.

    >>> Merged({1: 3}, left_out={"Item": 2})
    <Merged: {1: 3}
      preserved by the snapshot and not copied: Item (2)>
    """

    def __init__(self, keys: dict[Key, Key], left_out: dict[str, int]) -> None:
        super().__init__(keys)
        # How many were not copied: the preserved objects by class, the preserved values by field.
        self.left_out = left_out

    def __repr__(self) -> str:
        keys = super().__repr__()
        if not self.left_out:
            return keys
        names = ", ".join(_with_counts(self.left_out))
        lines = [f"  preserved by the snapshot and not copied: {names}"]
        return shown("Merged", [keys], lines)


_MAX_LINES = 5  # of each kind in a `repr`


def _with_counts(counts: dict[str, int]) -> list[str]:
    return [f"{name} ({count:,})" for name, count in counts.items()]


def counted(count: int, noun: str) -> str:
    """Return a number with a noun, in the plural if needed.

    >>> counted(1, "object"), counted(2000, "object")
    ('1 object', '2,000 objects')
    """
    return f"{count:,} {noun}{'s' * (count != 1)}"


def listed(head: str, lines: Iterable[str], count: int) -> list[str]:
    """Return the first few of `count` lines for a `repr`, and the number of those left out."""
    first = [f"  {head}: {line}" for line in islice(lines, _MAX_LINES)]
    left_out = count - len(first)
    return first + [f"  and {left_out:,} more"] * (left_out > 0)


def shown(name: str, counts: Iterable[str], lines: Iterable[str]) -> str:
    """Return the `repr` of a report, from its counts and lines."""
    head = f"<{name}: {', '.join(filter(None, counts))}"
    return "\n".join([head, *lines]) + ">"
