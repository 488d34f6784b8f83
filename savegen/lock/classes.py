"""Which locked class is which class of the source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import chain

from msgspec.structs import replace

from savegen.lock.facts import Lock, LockedClass, free_birth, number_of
from savegen.lock.faults import TwoOfOneName, UnclearWas, VanishedClass, WasStillThere
from savegen.lock.rivals import by_key, candidates, first_birth, only
from savegen.model import Model, SavedClass, describe
from savegen.report import Report


class ClassBook:
    """Gives every saveable class, and every base that marks a field, its birth name."""

    def __init__(self, lock: Lock, model: Model, report: Report) -> None:
        self._report = report
        self._lock = lock
        self._classes = {cls.name: cls for cls in model.classes}
        owners = {field.owner for cls in model.classes for field in cls.fields}
        self._homes = sorted(owners | set(self._classes))
        alive = (c for c in lock.classes.values() if c.state != "retired")
        # Until a class of the source claims it. A merge can leave two of one home.
        self._left = by_key((c.home, c) for c in alive)
        self._entries: dict[str, LockedClass] = {}

    def read(self) -> dict[str, LockedClass]:
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

    def entries(self) -> dict[str, LockedClass]:
        """Return all that the lock keeps: also classes that are gone, by birth."""
        claimed = {entry.birth: entry for entry in self._entries.values()}
        kept = {
            birth: (
                replace(entry, state="retired")
                if entry.home in self._entries or entry.state == "disputed"
                else entry
            )
            for birth, entry in self._lock.classes.items()
        }
        return {**kept, **claimed}

    def _claim_former(self, home: str) -> bool:
        cls = self._classes.get(home)
        for was in cls.was if cls else ():
            if found := _meant(was, self._left):
                self._claim(home, found[0])
                if cls and len(found) > 1:
                    self._ask_which(cls, was, found)
                return True
            if cls and any(
                _means(was, other) for other in self._homes if other != home
            ):
                self._report.add(WasStillThere(cls.span, cls.simple_name, was))
        return False

    def _ask_which(self, cls: SavedClass, was: str, found: list[str]) -> None:
        """Report a former name that more than one class had which is gone."""
        names = tuple(map(_dotted, found))
        self._report.add(UnclearWas(cls.span, cls.simple_name, was, names))

    def _claim_moved(self, home: str) -> bool:
        """Claim the class of the same name that its old module has lost."""
        name = _simple(home)
        found = [old for old in self._left if _simple(old) == name]
        if len(found) != 1:
            return False
        self._claim(home, found[0])
        return True

    def _claim(self, home: str, old: str) -> None:
        cls = self._classes.get(home)
        found = candidates(self._left.pop(old), _simple(old), cls.was if cls else ())
        if cls and len(found) > 1:
            births = tuple(sorted(first_birth(entry.birth) for entry in found))
            name = cls.simple_name
            self._report.add(TwoOfOneName(cls.span, name, "class", births))
        self._entries[home] = replace(only(found), home=home, state="class")

    def _bear(self, homes: list[str]) -> None:
        names = [_simple(home) for home in homes]
        counts = Counter(names)
        alive = {entry.birth for entry in self._entries.values()}
        for home, name in zip(homes, names, strict=True):
            if counts[name] > 1 or name in alive:
                name = home.replace(":", ".")
            birth = free_birth(name, self._lock.classes)
            self._entries[home] = LockedClass(birth, number_of(birth), home)

    def _suspect_renames(self, new: list[str]) -> None:
        """A class that is gone while one with fields like it is new may be the same."""
        if not self._left:
            return
        fields = self._lock.fields_by_class()
        names = self._lock.names()
        for cls in (self._classes[home] for home in new if home in self._classes):
            for old in chain.from_iterable(self._left.values()):
                if old.state != "class":
                    continue
                known = {(f.name, f.kind) for f in fields.get(old.birth, ())}
                if _alike(cls, known):
                    name = names[old.birth]
                    self._report.add(VanishedClass(cls.span, name, cls.simple_name))


def _alike(cls: SavedClass, known: set[tuple[str, str]]) -> bool:
    """Tell whether at least half of the fields of either are the other's too."""
    fields = {(field.name, describe(field.kind)) for field in cls.fields if field.own}
    return bool(fields & known) and 2 * len(fields & known) >= min(
        len(fields), len(known)
    )


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
