"""Which locked field is which field of a class."""

from __future__ import annotations

from collections.abc import Container, Iterable

from msgspec.structs import replace

from savegen.lock.facts import LockedField, free_birth, number_of, own_name
from savegen.lock.faults import TwoOfOneName, VanishedField, WasStillThere
from savegen.lock.rivals import by_key, candidates, only
from savegen.model import Field, describe
from savegen.report import Report


class FieldBook:
    """Gives every field that one class marks first its birth name."""

    def __init__(
        self,
        birth: str,
        called: str,
        locked: Iterable[LockedField],
        report: Report,
    ) -> None:
        """`birth` is that of the class, `called` what the lock knows it by."""
        self._class = birth
        self._called = called
        self._all = {field.birth: field for field in locked}
        alive = (f for f in self._all.values() if f.state != "retired")
        self._by_name = by_key((field.name, field) for field in alive)
        self._report = report

    def read(self, fields: list[Field]) -> dict[str, LockedField]:
        """Return the entry of each field by its attribute, and keep the absent ones."""
        known = {field.name for field in fields}
        found: dict[str, LockedField] = {}
        new: list[Field] = []
        for field in fields:
            entry = self._claim(field, known)
            if entry is None:
                new.append(field)
            else:
                found[field.attribute] = entry
        self._suspect_renames(new, known)
        for field in new:
            found[field.attribute] = self._bear(field)
        return found

    def entries(self, found: dict[str, LockedField]) -> list[LockedField]:
        """Return all that the lock keeps of the class: also what has no attribute any more."""
        claimed = {entry.birth: entry for entry in found.values()}
        names = {entry.name for entry in claimed.values()}
        unclaimed = [e for birth, e in self._all.items() if birth not in claimed]
        return [*claimed.values(), *(_without_attribute(e, names) for e in unclaimed)]

    def _claim(self, field: Field, known: set[str]) -> LockedField | None:
        entry = self._take(field.name, field)
        for was in field.was if entry is None else ():
            if was in known:
                self._report.add(WasStillThere(field.span, field.name, was))
            elif entry is None and (former := self._former(was, known)):
                entry = self._take(former, field)
        if entry is None:
            return None
        kind = describe(field.kind)
        return replace(entry, name=field.name, kind=kind, state="field")

    def _take(self, name: str, field: Field) -> LockedField | None:
        """Return what has a name in the lock: of two since a merge, the one that `was` tells."""
        found = candidates(self._by_name.pop(name, []), name, field.was)
        if len(found) > 1:
            births = tuple(sorted(own_name(entry.birth) for entry in found))
            self._report.add(TwoOfOneName(field.span, field.name, "field", births))
        return only(found) if found else None

    def _former(self, was: str, known: set[str]) -> str | None:
        """Return the name of what was called so last; or was born so, and renamed twice."""
        if was in self._by_name:
            return was
        left = (name for name in self._by_name if name not in known)
        return next((name for name in left if self._is_born(name, was)), None)

    def _is_born(self, name: str, was: str) -> bool:
        return any(own_name(entry.birth) == was for entry in self._by_name[name])

    def _suspect_renames(self, new: list[Field], known: set[str]) -> None:
        gone = [
            entry
            for name, entries in self._by_name.items()
            for entry in entries
            if entry.state == "field" and name not in known
        ]
        for field in new:
            kind = describe(field.kind)
            for entry in gone:
                if entry.kind == kind:
                    old = f"{self._called}.{entry.name}"
                    self._report.add(VanishedField(field.span, old, field.name, kind))

    def _bear(self, field: Field) -> LockedField:
        birth = free_birth(f"{self._class}.{field.name}", self._all)
        entry = LockedField(birth, number_of(birth), describe(field.kind), field.name)
        self._all[birth] = entry
        return entry


def _without_attribute(entry: LockedField, names: Container[str]) -> LockedField:
    """Return an entry that no attribute has; one whose name is another's now is retired."""
    if entry.name in names or entry.state == "disputed":
        return replace(entry, state="retired")
    return replace(entry, state="absent") if entry.state == "field" else entry
