"""Match the fields and parts of the lock with those of the source."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Container, Iterable, Mapping
from typing import Generic, TypeVar

from msgspec.structs import replace

from savegen.lock.facts import (
    LockedClass,
    LockedField,
    Member,
    free_birth,
    number_of,
    own_name,
)
from savegen.lock.faults import (
    TwoOfOneName,
    Vanished,
    VanishedField,
    WasStillThere,
    misspelt,
    with_former,
)
from savegen.lock.rivals import by_key, candidates, only
from savegen.model import Field, Part, describe
from savegen.report import Report

Declared = TypeVar("Declared", bound=Field | Part)


class MemberBook(ABC, Generic[Declared, Member]):
    """Gives everything that one class declares first its birth name."""

    what: str  # "field"
    mark: str  # how a former name is told, with braces where it stands

    def __init__(
        self,
        birth: str,
        called: str,
        locked: Iterable[Member],
        report: Report,
    ) -> None:
        """`birth` is that of the class, `called` what the lock knows it by."""
        self._class = birth
        self._called = called
        self._all = {entry.birth: entry for entry in locked}
        alive = (e for e in self._all.values() if e.state != "retired")
        self._by_name = by_key((entry.name, entry) for entry in alive)
        self._report = report

    @abstractmethod
    def _born(self, birth: str, declared: Declared) -> Member:
        """Return the entry of what is new."""

    @abstractmethod
    def _kind(self, declared: Declared) -> str:
        """Return the kind as the lock has it."""

    @abstractmethod
    def _vanished(self, new: Declared, old: str) -> Vanished:
        """Return the question whether what is new is what is gone."""

    def _was(self, declared: Declared) -> tuple[str, ...]:
        """Return the former names."""
        return declared.was

    def read(self, declared: list[Declared]) -> dict[str, Member]:
        """Return the entry of each by its name, and keep the absent ones."""
        known = {each.name for each in declared}
        found: dict[str, Member] = {}
        new: list[Declared] = []
        for each in declared:
            entry = self._claim(each, known)
            if entry is None:
                new.append(each)
            else:
                found[attribute(each)] = entry
        self._suspect_renames(new, known)
        for each in new:
            found[attribute(each)] = self._bear(each)
        return found

    def entries(self, found: dict[str, Member]) -> list[Member]:
        """Return all that the lock keeps of the class: also what has no attribute any more."""
        claimed = {entry.birth: entry for entry in found.values()}
        names = {entry.name for entry in claimed.values()}
        unclaimed = [e for birth, e in self._all.items() if birth not in claimed]
        return [*claimed.values(), *(_without_attribute(e, names) for e in unclaimed)]

    def _claim(self, declared: Declared, known: set[str]) -> Member | None:
        entry = self._take(declared.name, declared)
        for was in self._was(declared) if entry is None else ():
            if was in known:
                self._report.add(
                    WasStillThere(declared.span, declared.name, was, self.what)
                )
            elif entry is None and (former := self._former(was, known)):
                entry = self._take(former, declared)
        if entry is None:
            return None
        kind = self._kind(declared)
        return replace(entry, name=declared.name, kind=kind, state="alive")

    def _take(self, name: str, declared: Declared) -> Member | None:
        """Return what has a name in the lock: of two since a merge, the one that `was` tells."""
        rivals = self._by_name.pop(name, [])
        found = candidates(rivals, name, self._was(declared))
        if len(found) > 1:
            births = tuple(sorted(own_name(entry.birth) for entry in found))
            span = declared.span
            self._report.add(TwoOfOneName(span, name, self.what, births, self.mark))
        return only(found) if found else None

    def _former(self, was: str, known: set[str]) -> str | None:
        """Return the name of what was called so last; or was born so, and renamed twice."""
        if was in self._by_name:
            return was
        left = (name for name in self._by_name if name not in known)
        return next((name for name in left if self._is_born(name, was)), None)

    def _is_born(self, name: str, was: str) -> bool:
        return any(own_name(entry.birth) == was for entry in self._by_name[name])

    def _suspect_renames(self, new: list[Declared], known: set[str]) -> None:
        gone = [
            entry
            for name, entries in self._by_name.items()
            for entry in entries
            if entry.state == "alive" and name not in known
        ]
        for declared in new:
            for entry in gone:
                found = self._vanished(declared, f"{self._called}.{entry.name}")
                if entry.kind == self._kind(declared):
                    self._report.add(found)
                elif former := misspelt(self._was(declared), entry.name):
                    self._report.add(with_former(found, former))

    def _bear(self, declared: Declared) -> Member:
        birth = free_birth(f"{self._class}.{declared.name}", self._all)
        self._all[birth] = entry = self._born(birth, declared)
        return entry


class FieldBook(MemberBook[Field, LockedField]):
    """Gives every field that one class marks first its birth name."""

    what = "field"
    mark = "Annotated[…, Save(was={})]"

    def _born(self, birth: str, declared: Field) -> LockedField:
        return LockedField(birth, number_of(birth), self._kind(declared), declared.name)

    def _kind(self, declared: Field) -> str:
        return describe(declared.kind)

    def _vanished(self, new: Field, old: str) -> Vanished:
        return VanishedField(new.span, old, new.name, self._kind(new))


def read_members(
    book: type[MemberBook[Declared, Member]],
    declared: Mapping[str, list[Declared]],
    homes: Mapping[str, LockedClass],
    names: Mapping[str, str],
    locked: Mapping[str, list[Member]],
    report: Report,
) -> tuple[dict[tuple[str, str], Member], list[Member]]:
    """Return the entries of all that is `declared`, by owner and attribute, and all to keep.

    `homes` are the entries of the owners, `names` what the lock knows those by, and `locked`
    has what it knows of them; both by birth.
    """
    found: dict[tuple[str, str], Member] = {}
    kept: list[Member] = []
    for owner, members in declared.items():
        birth = homes[owner].birth
        of_owner = book(birth, names.get(birth, birth), locked.get(birth, ()), report)
        entries = of_owner.read(members)
        kept += of_owner.entries(entries)
        found.update(((owner, name), entry) for name, entry in entries.items())
    return found, kept


def attribute(declared: Field | Part) -> str:
    """Return what Python calls it: a private name is mangled."""
    return declared.attribute if isinstance(declared, Field) else declared.name


def _without_attribute(entry: Member, names: Container[str]) -> Member:
    """Return an entry that no attribute has; one whose name is another's now is retired."""
    if entry.name in names or entry.state == "disputed":
        return replace(entry, state="retired")
    return replace(entry, state="absent") if entry.state == "alive" else entry
