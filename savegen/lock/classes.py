"""Match the classes and prefabs of the lock with those of the source."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Generic, TypeVar

from msgspec.structs import replace

from savegen.lock.facts import (
    THERE,
    Home,
    Lock,
    LockedClass,
    free_birth,
    number_of,
)
from savegen.lock.faults import (
    TwoOfOneName,
    UnclearWas,
    Vanished,
    VanishedClass,
    WasStillThere,
    misspelt,
    with_former,
)
from savegen.lock.rivals import by_key, candidates, first_birth, only
from savegen.model import Model, Prefab, SavedClass, describe
from savegen.report import Report

Declared = TypeVar("Declared", bound=SavedClass | Prefab)
Members = set[tuple[str, str]]  # name, kind


class HomeBook(ABC, Generic[Declared, Home]):
    """Gives every class of one sort, and every base that owns what they have, its birth name."""

    what: str  # "class"

    def __init__(
        self,
        locked: Mapping[str, Home],
        declared: Iterable[Declared],
        owners: Iterable[str],
        report: Report,
    ) -> None:
        self._report = report
        self._locked = locked
        self._declared = {each.name: each for each in declared}
        self._homes = sorted({*owners, *self._declared})
        alive = (entry for entry in locked.values() if entry.state != "retired")
        # Until a class of the source claims it. A merge can leave two of one home.
        self._left = by_key((entry.home, entry) for entry in alive)
        self._entries: dict[str, Home] = {}

    @abstractmethod
    def _born(self, birth: str, home: str) -> Home:
        """Return the entry of what is new."""

    @abstractmethod
    def _mark(self, declared: Declared) -> str:
        """Return how a former name is told, with braces where it stands."""

    @abstractmethod
    def _alike(self, new: Declared, old: Home) -> bool:
        """Tell whether what is new may be what is gone."""

    @abstractmethod
    def _vanished(self, new: Declared, old: Home) -> Vanished:
        """Return the question whether what is new is what is gone."""

    def read(self) -> dict[str, Home]:
        """Return the entry of each class, by its home; new classes are born."""
        for home in self._homes:
            if home in self._left:
                self._claim(home, home)
        new = [home for home in self._homes if home not in self._entries]
        new = [home for home in new if not self._claim_former(home)]
        rivals = Counter(map(_simple, new))
        new = [h for h in new if rivals[_simple(h)] > 1 or not self._claim_moved(h)]
        self._bear(new)
        self._suspect_renames(new)
        return self._entries

    def entries(self) -> dict[str, Home]:
        """Return all that the lock keeps: also classes that are gone, by birth."""
        claimed = {entry.birth: entry for entry in self._entries.values()}
        kept = {birth: self._kept(entry) for birth, entry in self._locked.items()}
        return {**kept, **claimed}

    def _kept(self, entry: Home) -> Home:
        """Return an entry that no class has claimed; one whose home another has is retired."""
        if entry.home in self._entries or entry.state == "disputed":
            return replace(entry, state="retired")
        if entry.state in THERE and "absent" in entry.words:
            return replace(entry, state="absent")
        return entry

    def _claim_former(self, home: str) -> bool:
        declared = self._declared.get(home)
        for was in declared.was if declared else ():
            if found := _meant(was, self._left):
                self._claim(home, found[0])
                if declared and len(found) > 1:
                    self._ask_which(declared, was, found)
                return True
            if declared and any(
                _means(was, other) for other in self._homes if other != home
            ):
                name = declared.simple_name
                self._report.add(WasStillThere(declared.span, name, was, self.what))
        return False

    def _ask_which(self, declared: Declared, was: str, found: list[str]) -> None:
        """Report a former name that more than one class had which is gone."""
        names, mark = tuple(map(_dotted, found)), self._mark(declared)
        name = declared.simple_name
        self._report.add(UnclearWas(declared.span, name, was, names, mark))

    def _claim_moved(self, home: str) -> bool:
        """Claim the class of the same name that its old module has lost."""
        name = _simple(home)
        found = [old for old in self._left if _simple(old) == name]
        if len(found) != 1:
            return False
        self._claim(home, found[0])
        return True

    def _claim(self, home: str, old: str) -> None:
        declared = self._declared.get(home)
        was = declared.was if declared else ()
        found = candidates(self._left.pop(old), _simple(old), was)
        if declared and len(found) > 1:
            births = tuple(sorted(first_birth(entry.birth) for entry in found))
            name, mark = _simple(old), self._mark(declared)
            self._report.add(TwoOfOneName(declared.span, name, self.what, births, mark))
        self._entries[home] = replace(only(found), home=home, state=self._state(home))

    def _state(self, home: str) -> str:
        """Return the state of what stands at a home now."""
        return "alive"

    def _bear(self, homes: list[str]) -> None:
        names = [_simple(home) for home in homes]
        counts = Counter(names)
        alive = {entry.birth for entry in self._entries.values()}
        for home, name in zip(homes, names, strict=True):
            if counts[name] > 1 or name in alive:
                name = home.replace(":", ".")
            birth = free_birth(name, self._locked)
            born = replace(self._born(birth, home), state=self._state(home))
            self._entries[home] = born

    def _suspect_renames(self, new: list[str]) -> None:
        """A class that is gone while one with fields like it is new may be the same."""
        for declared in (self._declared[h] for h in new if h in self._declared):
            for old in chain.from_iterable(self._left.values()):
                if old.state not in THERE:
                    continue
                if self._alike(declared, old):
                    self._report.add(self._vanished(declared, old))
                elif former := misspelt(declared.was, _simple(old.home)):
                    found = self._vanished(declared, old)
                    self._report.add(with_former(found, former))


class ClassBook(HomeBook[SavedClass, LockedClass]):
    """Gives every saveable class, and every base that marks a field, its birth name."""

    what = "class"

    def __init__(self, lock: Lock, model: Model, report: Report) -> None:
        owners = {field.owner for cls in model.classes for field in cls.fields}
        super().__init__(lock.classes, model.classes, owners, report)
        self._names = lock.names()
        self._fields = lock.fields_by_class()

    def _born(self, birth: str, home: str) -> LockedClass:
        return LockedClass(birth, number_of(birth), home)

    def _mark(self, declared: SavedClass) -> str:
        return "@saveable(was={})"

    def _alike(self, new: SavedClass, old: LockedClass) -> bool:
        known = {(f.name, f.kind) for f in self._fields.get(old.birth, ())}
        fields = {(f.name, describe(f.kind)) for f in new.fields if f.own}
        return overlap(fields, known)

    def _vanished(self, new: SavedClass, old: LockedClass) -> Vanished:
        return VanishedClass(new.span, self._names[old.birth], new.simple_name)


def overlap(new: Members, known: Members) -> bool:
    """Tell whether at least half of what either has is the other's too."""
    both = new & known
    return bool(both) and 2 * len(both) >= min(len(new), len(known))


def _meant(was: str, homes: Iterable[str]) -> list[str]:
    """Return the homes that a former name can mean: the dotted one means no other."""
    found = sorted(home for home in homes if _means(was, home))
    return [home for home in found if was == _dotted(home)] or found


def _means(was: str, home: str) -> bool:
    """Tell whether a former name, simple or dotted, is that of a home."""
    return was in (_dotted(home), home.rpartition(":")[2], _simple(home))


def _dotted(home: str) -> str:
    return home.replace(":", ".")


def _simple(home: str) -> str:
    return home.rpartition(":")[2].rpartition(".")[2]
