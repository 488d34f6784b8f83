"""Match the classes, prefabs and records of the lock with those of the source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cached_property

from msgspec.structs import replace

from savegen.build.lock.file import (
    ABSENT,
    ALIVE,
    DISPUTED,
    RECORDS,
    RETIRED,
    Lock,
    LockedClass,
    LockedField,
    Provisional,
    Category,
    by_key,
    by_owner,
    candidates,
    dotted,
    first_birth,
    free_birth,
    last_born,
    simple,
)
from savegen.build.lock.faults import (
    LateWas,
    TwoOfOneName,
    UnclearWas,
    VanishedField,
    FormerNameInUse,
    misspelt,
    vanished_home,
)
from savegen.build.lock.source import Declared
from savegen.findings import Finding


class ClassMatcher:
    """Finds the lock entry of each class, prefab or record of the source."""

    def __init__(
        self,
        category: Category,
        lock: Lock,
        declared: Iterable[Declared],
        provisional: Provisional,
    ) -> None:
        self.found: dict[str, LockedClass] = {}  # by home in the source
        self.dropped: set[str] = set()  # birth names of entries that no save needs
        self.findings: list[Finding] = []
        self._category = category
        self._locked = lock.owners(category)
        self._births = {*self._locked}
        self._numbers = {entry.number for entry in self._locked.values()}
        self._lock = lock
        self._provisional = provisional
        self.declared = sorted(declared, key=lambda each: each.home)
        self._homes = {each.home for each in self.declared}
        kept = (entry for entry in self._locked.values() if entry.state != RETIRED)
        # The entries that the source can still claim. A merge can leave two with one home.
        self._open = by_key(
            (home, entry) for entry in kept for home in (entry.home, *entry.others)
        )
        self._match()

    def entries(self) -> dict[str, LockedClass]:
        """Return all owner entries of the new lock by birth name."""
        found = {entry.birth: entry for entry in self.found.values()}
        kept = {
            birth: self._unclaimed(entry)
            for birth, entry in self._locked.items()
            if birth not in self.dropped
        }
        return {**kept, **found}

    def _unclaimed(self, entry: LockedClass) -> LockedClass:
        """Return an unclaimed entry as absent, or as retired if its home has another entry."""
        if entry.home in self.found or entry.state == DISPUTED:
            return replace(entry, state=RETIRED)
        return replace(entry, state=ABSENT) if entry.state == ALIVE else entry

    def _match(self) -> None:
        for item in self.declared:
            if item.home in self._open:
                self._claim(item, item.home)
                self._take_over(item)
        new = [each for each in self.declared if each.home not in self.found]
        new = [each for each in new if not self._claim_former(each)]
        counts = Counter(each.simple_name for each in new)
        new = [
            each
            for each in new
            if counts[each.simple_name] > 1 or not self._claim_moved(each)
        ]
        for item in new:
            self._add_new(item)
        self._drop_provisional()
        if self._category is not RECORDS:
            self.findings += self._possible_renames(new)

    # -- classes that the lock has

    def _claim(self, item: Declared, old: str) -> None:
        found = candidates(self._open.pop(old), simple(old), item.was)
        if len(found) > 1:
            births = tuple(sorted(first_birth(entry.birth) for entry in found))
            arguments = simple(old), self._category.noun, births, self._mark(item)
            self.findings.append(TwoOfOneName(item.span, *arguments))
        taken = last_born(found)
        for other in {taken.home, *taken.others} & self._open.keys():
            rest = [each for each in self._open.pop(other) if each is not taken]
            self._open |= {other: rest} if rest else {}
        self.found[item.home] = replace(taken, home=item.home, state=ALIVE, others=())

    def _claim_former(self, item: Declared) -> bool:
        for was in item.was:
            found = _homes_named(was, self._open)
            if found:
                self._claim(item, found[0])
            if len(found) > 1:
                names = tuple(map(dotted, found))
                arguments = item.simple_name, was, names, self._mark(item)
                self.findings.append(UnclearWas(item.span, *arguments))
            if found:
                return True
            if any(_is_name_of(was, home) for home in self._homes - {item.home}):
                still = item.simple_name, was, self._category.noun
                self.findings.append(FormerNameInUse(item.span, *still))
        return False

    def _take_over(self, item: Declared) -> None:
        """Apply a `was` that was added after the new name already had its own number."""
        entry = self.found[item.home]
        born = {first_birth(entry.birth), simple(first_birth(entry.birth))}
        for was in item.was:
            late = [h for h in _homes_named(was, self._open) if h not in self._homes]
            if was in born or len(late) != 1:
                continue
            if self._provisional.has(entry):
                self.dropped.add(entry.birth)
                self._claim(item, late[0])
                return
            old = self._lock.names(self._category)[last_born(self._open[late[0]]).birth]
            arguments = item.simple_name, was, self._category.noun, entry.birth, old
            self.findings.append(LateWas(item.span, *arguments))

    def _claim_moved(self, item: Declared) -> bool:
        """Claim the entry of a class that moved to another module with the same fields."""
        found = [h for h in self._open if simple(h) == item.simple_name]
        found = [home for home in found if home not in self._homes]
        if len(found) != 1 or not self._is_same(item, self._open[found[0]]):
            return False
        self._claim(item, found[0])
        return True

    def _is_same(self, item: Declared, entries: list[LockedClass]) -> bool:
        if self._category is RECORDS:
            return True
        fields = {(field.name, field.kind) for field in item.fields}
        return any(fields == self._fields_of(entry) for entry in entries)

    def _add_new(self, item: Declared) -> None:
        number = self._category.number
        birth = free_birth(dotted(item.home), self._births, self._numbers, number)
        self._births.add(birth)
        self.found[item.home] = LockedClass(birth, number(birth), item.home)

    # -- entries without a class in the source

    def _drop_provisional(self) -> None:
        for home, entries in self._open.items():
            gone = [e for e in entries if e.state == ALIVE and self._provisional.has(e)]
            self.dropped |= {entry.birth for entry in gone}
            self._open[home] = [entry for entry in entries if entry not in gone]

    def _possible_renames(self, new: Iterable[Declared]) -> Iterator[VanishedField]:
        """Yield a finding for each new class that may be a renamed one."""
        gone = {e.birth: e for entries in self._open.values() for e in entries}
        names = self._lock.names(self._category) if gone else {}
        for item in new:
            for entry in gone.values():
                mark = self._mark(item)
                place = item.span, names[entry.birth], item.simple_name, mark
                if entry.simple_name == item.simple_name:
                    full = dotted(entry.home), dotted(item.home)
                    yield vanished_home(self._category, item.span, *full, mark)
                elif self._is_like(item, entry):
                    yield vanished_home(self._category, *place)
                elif was := misspelt(item.was, entry.simple_name):
                    yield vanished_home(self._category, *place, was)

    def _is_like(self, item: Declared, entry: LockedClass) -> bool:
        """Return whether at least half of the fields that are not inherited are the same.

        If neither has such fields, all inherited ones must be the same.
        """
        inherited = {(f.name, f.kind) for f in item.fields if not f.own}
        own = {(field.name, field.kind) for field in item.fields} - inherited
        locked = self._fields_of(entry)
        if not own and not locked - inherited:
            return entry.state == ALIVE and locked == inherited
        both = own & locked
        return bool(both) and 2 * len(both) >= min(len(own), len(locked - inherited))

    @cached_property
    def _fields(self) -> dict[str, list[LockedField]]:
        return by_owner(self._lock.fields_of(self._category))

    def _fields_of(self, entry: LockedClass) -> set[tuple[str, str]]:
        fields = self._fields.get(entry.birth, [])
        return {(each.name, each.kind) for each in fields if each.state == ALIVE}

    def _mark(self, item: Declared) -> str:
        """Return the code that gives a class its former name; `{}` is the name."""
        return item.mark or self._category.mark


def _homes_named(was: str, homes: Iterable[str]) -> list[str]:
    """Return the homes that a former name can mean; only one for a full dotted name."""
    found = sorted(home for home in homes if _is_name_of(was, home))
    return [home for home in found if was == dotted(home)] or found


def _is_name_of(was: str, home: str) -> bool:
    """Return whether `was` is the simple, qualified or full dotted name of a home."""
    return was in (dotted(home), home.rpartition(":")[2], simple(home))
