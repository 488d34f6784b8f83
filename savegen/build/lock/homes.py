"""Match the classes, prefabs and records of the lock with those of the source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cached_property

from msgspec.structs import replace

from savegen.build.lock.facts import (
    ABSENT,
    ALIVE,
    DISPUTED,
    RECORDS,
    RETIRED,
    Lock,
    LockedClass,
    LockedField,
    Sort,
    by_owner,
    first_birth,
    free_birth,
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
from savegen.build.lock.provisional import Provisional
from savegen.build.lock.rivals import by_key, candidates, only
from savegen.build.lock.source import Thing, dotted, simple
from savegen.findings import Finding


class Homes:
    """Finds the entry of every thing of one sort."""

    def __init__(
        self,
        sort: Sort,
        lock: Lock,
        things: Iterable[Thing],
        provisional: Provisional,
    ) -> None:
        self.found: dict[str, LockedClass] = {}  # by today's home
        self.dropped: set[str] = set()  # births that nobody needs
        self.findings: list[Finding] = []
        self._sort = sort
        self._locked = lock.homes(sort)
        self._births = {*self._locked}
        self._numbers = {entry.number for entry in self._locked.values()}
        self._lock = lock
        self._provisional = provisional
        self.things = sorted(things, key=lambda thing: thing.home)
        self._things = {thing.home: thing for thing in self.things}
        kept = (entry for entry in self._locked.values() if entry.state != RETIRED)
        # Until a thing of the source claims it. A merge can leave two of one home.
        self._left = by_key(
            (home, entry) for entry in kept for home in (entry.home, *entry.others)
        )
        self._match()

    def entries(self) -> dict[str, LockedClass]:
        """Return all that the lock keeps, by birth."""
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
        for thing in self.things:
            if thing.home in self._left:
                self._claim(thing, thing.home)
                self._take_over(thing)
        new = [each for each in self.things if each.home not in self.found]
        new = [each for each in new if not self._claim_former(each)]
        counts = Counter(each.simple_name for each in new)
        new = [
            each
            for each in new
            if counts[each.simple_name] > 1 or not self._claim_moved(each)
        ]
        for thing in new:
            self._bear(thing)
        self._drop_provisional()
        if self._sort is not RECORDS:
            self.findings += self._suspects(new)

    # -- what is known

    def _claim(self, thing: Thing, old: str) -> None:
        found = candidates(self._left.pop(old), simple(old), thing.was)
        if len(found) > 1:
            births = tuple(sorted(first_birth(entry.birth) for entry in found))
            facts = simple(old), self._sort.what, births, self._mark(thing)
            self.findings.append(TwoOfOneName(thing.span, *facts))
        taken = only(found)
        for other in {taken.home, *taken.others} & self._left.keys():
            rest = [each for each in self._left.pop(other) if each is not taken]
            self._left |= {other: rest} if rest else {}
        self.found[thing.home] = replace(taken, home=thing.home, state=ALIVE, others=())

    def _claim_former(self, thing: Thing) -> bool:
        for was in thing.was:
            found = _meant(was, self._left)
            if found:
                self._claim(thing, found[0])
            if len(found) > 1:
                names = tuple(map(dotted, found))
                facts = thing.simple_name, was, names, self._mark(thing)
                self.findings.append(UnclearWas(thing.span, *facts))
            if found:
                return True
            if any(_means(was, o) for o in self._things if o != thing.home):
                name = thing.simple_name
                still = WasStillThere(thing.span, name, was, self._sort.what)
                self.findings.append(still)
        return False

    def _take_over(self, thing: Thing) -> None:
        """Heed a former name that was written after the new name got a number of its own."""
        entry = self.found[thing.home]
        born = {first_birth(entry.birth), simple(first_birth(entry.birth))}
        for was in thing.was:
            late = [h for h in _meant(was, self._left) if h not in self._things]
            if was in born or len(late) != 1:
                continue
            if self._provisional.has(entry):
                self.dropped.add(entry.birth)
                self._claim(thing, late[0])
                return
            name, what = thing.simple_name, self._sort.what
            old = self._lock.names(self._sort)[only(self._left[late[0]]).birth]
            found = LateWas(thing.span, name, was, what, entry.birth, old)
            self.findings.append(found)

    def _claim_moved(self, thing: Thing) -> bool:
        """Claim the only one of that name that its module has lost, with the same fields."""
        found = [h for h in self._left if simple(h) == thing.simple_name]
        found = [home for home in found if home not in self._things]
        if len(found) != 1 or not self._is_same(thing, self._left[found[0]]):
            return False
        self._claim(thing, found[0])
        return True

    def _is_same(self, thing: Thing, entries: list[LockedClass]) -> bool:
        if self._sort is RECORDS:
            return True
        slots = {(slot.name, slot.kind) for slot in thing.slots}
        return any(slots == self._slots_of(entry) for entry in entries)

    def _bear(self, thing: Thing) -> None:
        number = self._sort.number
        birth = free_birth(dotted(thing.home), self._births, self._numbers, number)
        self._births.add(birth)
        self.found[thing.home] = LockedClass(birth, number(birth), thing.home)

    # -- what is gone

    def _drop_provisional(self) -> None:
        for home in list(self._left):
            entries = [
                entry
                for entry in self._left[home]
                if entry.state != ALIVE or not self._provisional.has(entry)
            ]
            gone = {each.birth for each in self._left[home]}
            self.dropped |= gone - {each.birth for each in entries}
            self._left[home] = entries

    def _suspects(self, new: Iterable[Thing]) -> Iterator[VanishedField]:
        """Yield the question for each new thing that may be one that is gone."""
        gone = {e.birth: e for entries in self._left.values() for e in entries}
        names = self._lock.names(self._sort) if gone else {}
        for thing in new:
            for entry in gone.values():
                mark = self._mark(thing)
                place = thing.span, names[entry.birth], thing.simple_name, mark
                if entry.simple_name == thing.simple_name:
                    full = dotted(entry.home), dotted(thing.home)
                    yield vanished_home(self._sort, thing.span, *full, mark)
                elif self._alike(thing, entry):
                    yield vanished_home(self._sort, *place)
                elif was := misspelt(thing.was, entry.simple_name):
                    yield vanished_home(self._sort, *place, was)

    def _alike(self, thing: Thing, entry: LockedClass) -> bool:
        """Return whether what is not inherited is alike, by half; or if nothing is, all."""
        inherited = {(s.name, s.kind) for s in thing.slots if not s.own}
        own = {(slot.name, slot.kind) for slot in thing.slots} - inherited
        known = self._slots_of(entry)
        if not own and not known - inherited:
            return entry.state == ALIVE and known == inherited
        both = own & known
        return bool(both) and 2 * len(both) >= min(len(own), len(known - inherited))

    @cached_property
    def _fields(self) -> dict[str, list[LockedField]]:
        return by_owner(self._lock.fields_of(self._sort))

    def _slots_of(self, entry: LockedClass) -> set[tuple[str, str]]:
        fields = self._fields.get(entry.birth, [])
        return {(each.name, each.kind) for each in fields if each.state == ALIVE}

    def _mark(self, thing: Thing) -> str:
        """Return how a former name is written, with braces in its place."""
        return thing.mark or self._sort.mark


def _meant(was: str, homes: Iterable[str]) -> list[str]:
    """Return the homes that a former name can mean: the dotted one means no other."""
    found = sorted(home for home in homes if _means(was, home))
    return [home for home in found if was == dotted(home)] or found


def _means(was: str, home: str) -> bool:
    """Return whether a former name, simple or dotted, is that of a home."""
    return was in (dotted(home), home.rpartition(":")[2], simple(home))
