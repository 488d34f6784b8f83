"""The stored types of an older version, read from its lock."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.build import kinds
from savegen.build.lock import Lock
from savegen.build.lock.file import (
    ALIVE,
    DISPUTED,
    LockedClass,
    by_owner,
    dotted,
    simple,
)
from savegen.build.lock.spelling import ANYTHING, may_be_absent, read
from savegen.build.model import Kind, Model, Record
from savegen.build.stored_types import StoredTypes
from savegen.runtime.errors import SaveCorruptError
from savegen.runtime.stored import Stored, parse

_ANY = Stored("any")


class OldTypes:
    """Finds the stored types of the kinds in a lock."""

    def __init__(self, lock: Lock, today: Model) -> None:
        """`today` completes what older locks do not contain."""
        self._lock = lock
        self._enums: dict[str, list[str]] = {}
        for name, state in lock.members.items():
            owner, _, member = name.rpartition(".")
            if state != "lost":
                self._enums.setdefault(owner, []).append(member)
        self._names = {**_by_name(today), **dict(self._named())}
        records = {record.name: record for record in self._records()}
        self._types = StoredTypes(records, self._enums, self._lines(today))

    def stored(self, text: str) -> Stored | None:
        """Return the stored type for the text of a kind; `None` if it is unknown."""
        if text == ANYTHING:
            return _ANY
        kind = read(text, self._names)
        try:
            return parse(self._types.stored(kind)) if kind else None
        except (KeyError, SaveCorruptError):  # the lock was edited by hand
            return None

    def _named(self) -> Iterator[tuple[str, Kind]]:
        """Yield names with their kinds; if a name occurs twice, the last one counts."""
        lock = self._lock
        bases = {home for homes in lock.bases.values() for home in homes}
        found = [
            *(("reference", home) for home in sorted(bases)),
            *(("enum", owner) for owner in self._enums),
            *(("record", home) for home in _homes(lock.records)),
            *(("reference", home) for home in _homes(lock.classes)),
        ]
        for category, home in found:
            kind = Kind(category, home)
            yield dotted(home), kind
            yield simple(home), kind

    def _records(self) -> Iterator[Record]:
        entries = by_owner(self._lock.entries)
        for birth, record in self._lock.records.items():
            found = [e for e in entries.get(birth, ()) if e.state in _THERE]
            fields = []
            for entry in found:
                text, is_absent = may_be_absent(entry.kind)
                kind = read(text, self._names) or Kind("unknown", text)
                fields.append((entry.name, kind, not is_absent))
            numbers = tuple(entry.number for entry in found)
            kind = Kind("record", record.home)
            yield Record(record.home, kind, "", False, (*fields,), numbers=numbers)

    def _lines(self, today: Model) -> Iterator[tuple[int, tuple[str, ...]]]:
        """Yield the number of each class, and the names of the class and its bases."""
        now = {cls.number: cls.ancestors for cls in today.classes}
        bases = self._lock.bases
        for birth, cls in self._lock.classes.items():
            if cls.state in _THERE:
                known = bases.get(birth, ()) if bases else now.get(cls.number, ())
                yield cls.number, (cls.home, *known)


_THERE = (ALIVE, DISPUTED)


def _homes(entries: dict[str, LockedClass]) -> list[str]:
    """Return the homes of entries, with those that the source still had at the end."""
    found = sorted(entries.values(), key=lambda each: each.state in _THERE)
    return [each.home for each in found]


def _by_name(model: Model) -> dict[str, Kind]:
    """Return the kinds of the types in today's fields, by simple name."""
    found: dict[str, Kind] = {}
    for module in model.modules.values():
        parts = [field.kind for cls in module.classes for field in cls.fields]
        parts += [kind for record in module.records for _, kind, _ in record.fields]
        for kind in (each for part in parts for each in kinds.walk(part)):
            if kind.kind in ("foreign", "enum", "reference") and kind.name:
                found[simple(kind.name)] = kind
    return found
