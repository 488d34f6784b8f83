"""Find the types that an older version stored, from its lock."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from savegen.build import kinds
from savegen.build.lock import Lock
from savegen.build.lock.file import (
    ALIVE,
    DISPUTED,
    RETIRED_MEMBER,
    LockedClass,
    by_owner,
    dotted,
    simple_name,
)
from savegen.build.lock.kind_texts import ANYTHING, read, without_not_required
from savegen.build.model import Kind, Model, PlainRecord
from savegen.build.stored_types import StoredTypes
from savegen.runtime.errors import SaveCorruptError
from savegen.runtime.values.stored import StoredType, parse

_ANY = StoredType("any")


class OldTypes:
    """Returns the stored types of the kinds in a lock."""

    def __init__(self, lock: Lock, model: Model) -> None:
        """`model` is the current one; it has types that older locks do not list."""
        self._lock = lock
        self._enums: dict[str, list[str]] = {}
        for name, state in lock.members.items():
            owner, _, member = name.rpartition(".")
            if state != RETIRED_MEMBER:
                self._enums.setdefault(owner, []).append(member)
        self._kinds_by_name = {**_kinds_of_model(model), **dict(self._kinds_of_lock())}
        records = {record.name: record for record in self._records()}
        self._types = StoredTypes(records, self._enums, self._classes(model))

    def stored(self, text: str) -> StoredType | None:
        """Return the stored type for the text of a kind; `None` if it is unknown."""
        if text == ANYTHING:
            return _ANY
        kind = read(text, self._kinds_by_name)
        try:
            return parse(self._types.stored(kind)) if kind else None
        except (KeyError, SaveCorruptError):  # the lock was edited by hand
            return None

    @cached_property
    def _subclasses(self) -> dict[str, LockedClass]:
        """The records that are subclasses of builtin or library classes, by birth name.

        Their only entry has their own name: `Deck[list[Card]]`.
        """
        entries = by_owner(self._lock.record_fields)
        return {
            birth: record
            for birth, record in self._lock.records.items()
            for entry in entries.get(birth, ())
            if dotted(f".{record.location}[").endswith(
                f".{entry.kind.partition('[')[0]}["
            )
            and entry.state in _IN_SOURCE
            and "[" in entry.kind
        }

    def names_of_subclasses(self) -> Iterator[str]:
        """Yield the names of the subclasses of builtin and library classes."""
        for record in self._subclasses.values():
            if record.state in _IN_SOURCE:
                yield dotted(record.location)

    def names_in_values(self) -> Iterator[str]:
        """Yield the names of the enumerations and plain classes."""
        yield from self._enums
        for record in self._lock.records.values():
            if record.state in _IN_SOURCE:
                yield dotted(record.location)

    def members(self, enum: str) -> list[str]:
        """Return the members that an enumeration had, by its name in the lock."""
        return self._enums.get(enum, [])

    def _kinds_of_lock(self) -> Iterator[tuple[str, Kind]]:
        """Yield the kinds by name. Of two kinds with the same name, the last one is right."""
        lock = self._lock
        bases = {
            location for locations in lock.bases.values() for location in locations
        }
        categories = [
            *(("reference", location) for location in sorted(bases)),
            *(("enum", owner) for owner in self._enums),
            *(("record", location) for location in _locations(lock.records)),
            *(("subclass", location) for location in _locations(self._subclasses)),
            *(("reference", location) for location in _locations(lock.classes)),
        ]
        for category, location in categories:
            kind = Kind(category, location)
            yield dotted(location), kind
            yield simple_name(location), kind

    def _records(self) -> Iterator[PlainRecord]:
        entries = by_owner(self._lock.record_fields)
        for birth, record in self._lock.records.items():
            if birth in self._subclasses:
                continue
            existing = [e for e in entries.get(birth, ()) if e.state in _IN_SOURCE]
            fields = []
            for entry in existing:
                text, is_optional = without_not_required(entry.kind)
                kind = read(text, self._kinds_by_name) or Kind("unknown", text)
                fields.append((entry.name, kind, not is_optional))
            numbers = tuple(entry.number for entry in existing)
            kind = Kind("record", record.location)
            yield PlainRecord(record.location, kind, "", (*fields,), numbers=numbers)

    def _classes(self, model: Model) -> Iterator[tuple[int, tuple[str, ...]]]:
        """Yield the number of each class, and the names of the class and its bases."""
        current = {cls.number: cls.ancestors for cls in model.classes}
        bases = self._lock.bases
        for birth, cls in self._lock.classes.items():
            if cls.state in _IN_SOURCE:
                names = bases.get(birth, ()) if bases else current.get(cls.number, ())
                yield cls.number, (cls.location, *names)


_IN_SOURCE = (ALIVE, DISPUTED)


def _locations(entries: dict[str, LockedClass]) -> list[str]:
    """Return the locations of entries, those that the source still had last."""
    ordered = sorted(entries.values(), key=lambda entry: entry.state in _IN_SOURCE)
    return [entry.location for entry in ordered]


def _kinds_of_model(model: Model) -> dict[str, Kind]:
    """Return the kinds of the types in the current fields, by simple name."""
    by_name: dict[str, Kind] = {}
    for module in model.modules.values():
        of_fields = [field.kind for cls in module.classes for field in cls.fields]
        of_fields += [kind for record in module.records for _, kind, _ in record.fields]
        for kind in (inner for outer in of_fields for inner in kinds.walk(outer)):
            if kind.kind in ("foreign", "enum", "reference") and kind.name:
                by_name[simple_name(kind.name)] = kind
    return by_name
