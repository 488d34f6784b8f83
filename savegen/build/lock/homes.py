"""Match the classes, prefabs and records of the lock with those of the source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from savegen.build.lock.facts import (
    ABSENT,
    ALIVE,
    DISPUTED,
    RECORDS,
    RETIRED,
    Lock,
    LockedClass,
    Provisional,
    Sort,
    by_key,
    by_owner,
    candidates,
    dotted,
    first_birth,
    free_birth,
    only,
    simple,
)
from savegen.build.lock.faults import (
    LateWas,
    TwoOfOneName,
    UnclearWas,
    VanishedField,
    WasStillThere,
    misspelt,
    vanished_home,
)
from savegen.build.lock.source import Declared
from savegen.findings import Finding


class Homes:
    """Finds the entries of all classes, of all prefabs or of all records."""

    def __init__(
        self,
        sort: Sort,
        lock: Lock,
        declared: Iterable[Declared],
        provisional: Provisional,
    ) -> None:
        self.found: dict[str, LockedClass] = {}  # by today's home
        self.dropped: set[str] = set()  # births that nothing needs any more
        self.findings: list[Finding] = []
        self._sort = sort
        self._locked = lock.homes(sort)
        self._births = {*self._locked}
        self._numbers = {entry.number for entry in self._locked.values()}
        self._fields = by_owner(lock.fields_of(sort))
        self._lock = lock
        self._provisional = provisional
        self.declared = sorted(declared, key=lambda each: each.home)
        self._here = {each.home for each in self.declared}
        kept = (entry for entry in self._locked.values() if entry.state != RETIRED)
        # What nothing in the source has claimed. A merge can leave two of one home.
        self._left = by_key(
            (home, entry) for entry in kept for home in (entry.home, *entry.others)
        )
        self._match()

    def entries(self) -> dict[str, LockedClass]:
        """Return all entries of the new lock, by birth."""
        found = {entry.birth: entry for entry in self.found.values()}
        kept = {
            birth: self._unclaimed(entry)
            for birth, entry in self._locked.items()
            if birth not in self.dropped
        }
        return {**kept, **found}

    def _unclaimed(self, entry: LockedClass) -> LockedClass:
        """Return an entry that nothing has claimed; one whose home another has is retired."""
        if entry.home in self.found or entry.state == DISPUTED:
            return replace(entry, state=RETIRED)
        return replace(entry, state=ABSENT) if entry.state == ALIVE else entry

    def _match(self) -> None:
        for item in self.declared:
            if item.home in self._left:
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
            self._bear(item)
        self._drop_provisional()
        if self._sort is not RECORDS:
            self.findings += self._suspects(new)

    # -- what the lock has

    def _claim(self, item: Declared, old: str) -> None:
        found = candidates(self._left.pop(old), simple(old), item.was)
        if len(found) > 1:
            births = tuple(sorted(first_birth(entry.birth) for entry in found))
            facts = simple(old), self._sort.what, births, self._mark(item)
            self.findings.append(TwoOfOneName(item.span, *facts))
        taken = only(found)
        for other in {taken.home, *taken.others} & self._left.keys():
            rest = [each for each in self._left.pop(other) if each is not taken]
            self._left |= {other: rest} if rest else {}
        self.found[item.home] = replace(taken, home=item.home, state=ALIVE, others=())

    def _claim_former(self, item: Declared) -> bool:
        for was in item.was:
            found = _meant(was, self._left)
            if found:
                self._claim(item, found[0])
            if len(found) > 1:
                names = tuple(map(dotted, found))
                facts = item.simple_name, was, names, self._mark(item)
                self.findings.append(UnclearWas(item.span, *facts))
            if found:
                return True
            if any(_means(was, home) for home in self._here - {item.home}):
                still = item.simple_name, was, self._sort.what
                self.findings.append(WasStillThere(item.span, *still))
        return False

    def _take_over(self, item: Declared) -> None:
        """Apply a former name that was written after the new name got a number of its own."""
        entry = self.found[item.home]
        born = {first_birth(entry.birth), simple(first_birth(entry.birth))}
        for was in item.was:
            late = [h for h in _meant(was, self._left) if h not in self._here]
            if was in born or len(late) != 1:
                continue
            if self._provisional.has(entry):
                self.dropped.add(entry.birth)
                self._claim(item, late[0])
                return
            old = self._lock.names(self._sort)[only(self._left[late[0]]).birth]
            facts = item.simple_name, was, self._sort.what, entry.birth, old
            self.findings.append(LateWas(item.span, *facts))

    def _claim_moved(self, item: Declared) -> bool:
        """Claim the only one of that name that its module has lost, with the same fields."""
        found = [h for h in self._left if simple(h) == item.simple_name]
        found = [home for home in found if home not in self._here]
        if len(found) != 1 or not self._is_same(item, self._left[found[0]]):
            return False
        self._claim(item, found[0])
        return True

    def _is_same(self, item: Declared, entries: list[LockedClass]) -> bool:
        if self._sort is RECORDS:
            return True
        fields = {(field.name, field.kind) for field in item.fields}
        return any(fields == self._fields_of(entry) for entry in entries)

    def _bear(self, item: Declared) -> None:
        number = self._sort.number
        birth = free_birth(dotted(item.home), self._births, self._numbers, number)
        self._births.add(birth)
        self.found[item.home] = LockedClass(birth, number(birth), item.home)

    # -- what is gone

    def _drop_provisional(self) -> None:
        for home, entries in self._left.items():
            gone = [e for e in entries if e.state == ALIVE and self._provisional.has(e)]
            self.dropped |= {entry.birth for entry in gone}
            self._left[home] = [entry for entry in entries if entry not in gone]

    def _suspects(self, new: Iterable[Declared]) -> Iterator[VanishedField]:
        """Yield the question for each new item that may be one that is gone."""
        gone = {e.birth: e for entries in self._left.values() for e in entries}
        names = self._lock.names(self._sort) if gone else {}
        for item in new:
            for entry in gone.values():
                mark = self._mark(item)
                place = item.span, names[entry.birth], item.simple_name, mark
                if entry.simple_name == item.simple_name:
                    full = dotted(entry.home), dotted(item.home)
                    yield vanished_home(self._sort, item.span, *full, mark)
                elif self._is_like(item, entry):
                    yield vanished_home(self._sort, *place)
                elif was := misspelt(item.was, entry.simple_name):
                    yield vanished_home(self._sort, *place, was)

    def _is_like(self, item: Declared, entry: LockedClass) -> bool:
        """Return whether half of what is not inherited is alike; or if nothing is, all."""
        inherited = {(f.name, f.kind) for f in item.fields if not f.own}
        own = {(field.name, field.kind) for field in item.fields} - inherited
        locked = self._fields_of(entry)
        if not own and not locked - inherited:
            return entry.state == ALIVE and locked == inherited
        both = own & locked
        return bool(both) and 2 * len(both) >= min(len(own), len(locked - inherited))

    def _fields_of(self, entry: LockedClass) -> set[tuple[str, str]]:
        fields = self._fields.get(entry.birth, [])
        return {(each.name, each.kind) for each in fields if each.state == ALIVE}

    def _mark(self, item: Declared) -> str:
        """Return how a former name is written, with braces in its place."""
        return item.mark or self._sort.mark


def _meant(was: str, homes: Iterable[str]) -> list[str]:
    """Return the homes that a former name can mean: a dotted name means only one."""
    found = sorted(home for home in homes if _means(was, home))
    return [home for home in found if was == dotted(home)] or found


def _means(was: str, home: str) -> bool:
    """Return whether a former name, simple or dotted, is that of a home."""
    return was in (dotted(home), home.rpartition(":")[2], simple(home))
