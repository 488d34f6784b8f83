"""Match the fields, parts and entries of the lock with those of the source."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping
from itertools import chain
from typing import NamedTuple

from msgspec.structs import replace

from savegen.build.lock.facts import (
    ABSENT,
    ALIVE,
    CLASSES,
    DISPUTED,
    FORMER,
    RETIRED,
    Lock,
    LockedClass,
    LockedField,
    Provisional,
    Sort,
    births,
    by_key,
    by_owner,
    candidates,
    number_of,
    only,
    own_name,
    owner_of,
)
from savegen.build.lock.faults import (
    LateWas,
    TwoOfOneName,
    WasStillThere,
    misspelt,
    vanished_field,
)
from savegen.build.lock.source import Declared, DeclaredField
from savegen.findings import Finding

Place = tuple[str, str]  # home, name in the lock


class _Question(NamedTuple):
    """A field that is gone, and one that may be it."""

    home: str
    field: DeclaredField
    entry: LockedField
    was: str  # a misspelt former name


class Fields:
    """Finds the entries of all fields, all parts or all record entries; inherited ones too."""

    def __init__(
        self,
        sort: Sort,
        lock: Lock,
        declared: Iterable[Declared],
        homes: Mapping[str, LockedClass],
        provisional: Provisional,
    ) -> None:
        self.found: dict[Place, LockedField] = {}
        self.findings: list[Finding] = []
        self._sort = sort
        self._homes = homes
        self._items = {item.home: item for item in declared}
        self._fields = {
            (item.home, field.name): field
            for item in self._items.values()
            for field in item.fields
        }
        self._lock = lock
        self._provisional = provisional
        self._locked = lock.fields_of(sort)
        owned = by_owner(self._locked)
        # The entries of what the source still has: by home, then by birth.
        self._kept = {
            home: {each.birth: each for each in owned.get(homes[home].birth, ())}
            for home in self._items
        }
        self._numbers = {
            home: by_key((each.number, each) for each in kept.values())
            for home, kept in self._kept.items()
        }
        # What no field has claimed yet, and may: by home, then by name.
        self._open: dict[str, dict[str, list[LockedField]]] = {}
        self._match()

    def entries(self, homes: Mapping[str, LockedClass]) -> dict[str, LockedField]:
        """Return all that the lock keeps, by birth. `homes` are all it keeps of those."""
        gone = {entry.birth for entry in homes.values() if entry.state == RETIRED}
        here = {entry.birth for entry in self._homes.values()}
        others = {
            birth: (
                replace(entry, state=RETIRED)
                if entry.state == DISPUTED or owner_of(birth) in gone
                else entry
            )
            for birth, entry in self._locked.items()
            if owner_of(birth) in homes and owner_of(birth) not in here
        }
        for home, kept in self._kept.items():
            others |= {
                entry.birth: self._settled(home, entry) for entry in kept.values()
            }
        return others

    def _settled(self, home: str, entry: LockedField) -> LockedField:
        names = self._items[home].names
        if entry.state == FORMER or self.found.get((home, entry.name)) is entry:
            return entry
        if entry.name in names or entry.state == DISPUTED:
            return replace(entry, state=RETIRED)
        return replace(entry, state=ABSENT) if entry.state == ALIVE else entry

    def _match(self) -> None:
        questions: list[_Question] = []
        for home, item in self._items.items():
            self._retire_like_bases(item)
            self._open[home] = by_key(
                (entry.name, entry)
                for entry in self._kept[home].values()
                if entry.state not in (RETIRED, FORMER)
            )
            new = [field for field in item.fields if not self._claim(home, field)]
            for field in item.fields:
                self._take_over(home, field)
            questions += self._suspects(home, new)
        self.findings += self._questions(questions)
        self._number()
        self.findings = list(dict.fromkeys(self.findings))

    # -- what the lock has

    def _retire_like_bases(self, item: Declared) -> None:
        """Retire what a base has retired, unless the source still has it."""
        kept = self._kept[item.home]
        gone = {
            entry.own_birth
            for base in item.bases
            for entry in self._kept.get(base, {}).values()
            if entry.state == RETIRED
        }
        for birth, entry in kept.items() if gone else ():
            if entry.own_birth in gone and entry.name not in item.names:
                kept[birth] = replace(entry, state=RETIRED)

    def _claim(self, home: str, field: DeclaredField) -> bool:
        entry = self._take(home, field.name, field) or self._take_former(home, field)
        if entry is not None:
            self._set(home, field, replace(entry, kind=field.kind, state=ALIVE))
        return entry is not None

    def _set(self, home: str, field: DeclaredField, entry: LockedField) -> None:
        """Give a field its entry; its former numbers follow its name."""
        kept = self._kept[home]
        before = kept.get(entry.birth, entry).name
        if before != field.name:
            for birth, each in kept.items():
                if each.state == FORMER and each.name == before:
                    kept[birth] = replace(each, name=field.name)
            entry = replace(entry, name=field.name)
        kept[entry.birth] = self.found[home, field.name] = entry

    def _take(self, home: str, name: str, field: DeclaredField) -> LockedField | None:
        """Return what has a name in the lock: of two since a merge, the one that `was` tells."""
        rivals = self._open[home].pop(name, [])
        found = candidates(rivals, name, field.was)
        if len(found) > 1:
            owned = tuple(sorted(own_name(entry.birth) for entry in found))
            facts = field.span, name, self._sort.field, owned, self._sort.field_mark
            self.findings.append(TwoOfOneName(*facts))
        if not found:
            return None
        taken = only(found)
        if len(rivals) > 1:
            self._open[home][name] = [each for each in rivals if each is not taken]
        return taken

    def _take_former(self, home: str, field: DeclaredField) -> LockedField | None:
        shown = {each.written for each in self._items[home].fields}
        for was in field.was:
            if was in shown:
                found = WasStillThere(field.span, field.written, was, self._sort.field)
                self.findings.append(found)
            elif name := self._former(home, was):
                return self._take(home, name, field)
        return None

    def _former(self, home: str, was: str) -> str:
        """Return the name of what was called so last, or was born so and renamed twice."""
        names = self._items[home].names
        left = {n: found for n, found in self._open[home].items() if n not in names}
        called = (name for name in left if _is_called(name, was))
        born = (n for n in left if any(own_name(e.birth) == was for e in left[n]))
        return next(called, "") or next(born, "")

    def _take_over(self, home: str, field: DeclaredField) -> None:
        """Apply a former name that was written after the new name got a number of its own."""
        entry = self.found.get((home, field.name))
        for was in field.was if entry else ():
            if entry is None or _is_called(own_name(entry.birth), was):
                continue
            name = self._former(home, was)
            old = self._take(home, name, field) if name else None
            if old is None:
                continue
            if self._provisional.has(entry):
                del self._kept[home][entry.birth]
                self._set(home, field, replace(old, kind=field.kind, state=ALIVE))
                return
            if self._sort is not CLASSES:
                old_name = self._called(home, old)
                facts = field.span, field.written, was, self._sort.field, entry.birth
                self.findings.append(LateWas(*facts, old_name))
            else:
                self._kept[home][old.birth] = replace(
                    old, state=FORMER, name=field.name
                )

    # -- what is gone

    def _suspects(self, home: str, new: Iterable[DeclaredField]) -> Iterator[_Question]:
        names = self._items[home].names
        for name, entries in self._open[home].items():
            for entry in entries if name not in names else ():
                if entry.state != ALIVE:
                    continue
                if self._provisional.has(entry):
                    del self._kept[home][entry.birth]
                    continue
                for field in new:
                    was = misspelt(field.was, name)
                    if entry.kind == field.kind:
                        yield _Question(home, field, entry, "")
                    elif was:
                        yield _Question(home, field, entry, was)

    def _questions(self, questions: list[_Question]) -> Iterator[Finding]:
        """Yield each question once: where a base asks it, its subclasses do not."""
        asked = {(q.home, q.field.name, q.entry.name) for q in questions}
        for home, field, entry, was in questions:
            bases = self._items[home].bases
            if any((base, field.name, entry.name) in asked for base in bases):
                continue
            old = self._called(home, entry)
            yield vanished_field(
                self._sort, field.span, old, field.written, field.kind, was
            )

    def _called(self, home: str, entry: LockedField) -> str:
        birth = self._homes[home].birth
        return f"{self._lock.names(self._sort).get(birth, birth)}.{entry.name}"

    # -- numbers

    def _number(self) -> None:
        """Give a number to each field, the same one in all classes that inherit it."""
        groups = self._groups(self._unsettled())
        for group in sorted(groups, key=lambda group: (not self._held(group), group)):
            own, number = self._number_of(group)
            for home, name in group:
                self._give(home, name, own, number)

    def _give(self, home: str, name: str, own: str, number: int) -> None:
        entry, field = self.found.get((home, name)), self._fields[home, name]
        if entry is not None and (entry.number == number or self._sort is not CLASSES):
            return
        if entry is not None:
            former = replace(entry, state=FORMER)
            self._kept[home][former.birth] = former
        birth = f"{self._homes[home].birth}.{own}"
        self._set(home, field, LockedField(birth, number, field.kind, name))

    def _unsettled(self) -> set[str]:
        """Return the names of fields that have no number yet, or not the same everywhere."""
        numbers: dict[str, int] = {}
        found: set[str] = set()
        for place in self._fields:
            entry, name = self.found.get(place), place[1]
            if entry is None or numbers.setdefault(name, entry.number) != entry.number:
                found.add(name)
        return found

    def _groups(self, names: Container[str]) -> list[list[Place]]:
        """Return the places that stand for one field: a class and the bases that have it."""
        root: dict[Place, Place] = {}

        def find(place: Place) -> Place:
            while root.setdefault(place, place) != place:
                place = root[place]
            return place

        places = sorted(place for place in self._fields if place[1] in names)
        for home, name in places:
            owner = self._fields[home, name].owner
            root[find((home, name))] = find((owner, name))
            for base in self._items[home].bases:
                if (base, name) in self._fields:
                    root[find((home, name))] = find((base, name))
        found: dict[Place, list[Place]] = defaultdict(list)
        for place in places:
            found[find(place)].append(place)
        return list(found.values())

    def _held(self, group: list[Place]) -> dict[tuple[str, int], int]:
        """Return the birth names and numbers that a group has, and how often."""
        held: dict[tuple[str, int], int] = defaultdict(int)
        for place in group:
            if entry := self.found.get(place):
                held[entry.own_birth, entry.number] += 1
        return held

    def _number_of(self, group: list[Place]) -> tuple[str, int]:
        """Return the birth name and the number: of several, what most of the classes have."""
        held, name = self._held(group), group[0][1]
        known = sorted(held, key=lambda each: (-held[each], each[0] != name, each))
        new = ((own, number_of(own)) for own in births(name))
        pairs = (pair for pair in chain(known, new) if self._is_free(group, *pair))
        return next(pairs)

    def _is_free(self, group: list[Place], own: str, number: int) -> bool:
        """Return whether no other field of any of the classes has the number."""
        return not any(self._is_taken(*place, own, number) for place in group)

    def _is_taken(self, home: str, name: str, own: str, number: int) -> bool:
        mine, kept = self.found.get((home, name)), self._kept[home]
        if mine and (mine.own_birth, mine.number) == (own, number):
            return False
        # Of two new names with one number a finding tells: only known ones count.
        rivals = [each.birth for each in self._numbers[home].get(number, ())]
        for birth in (f"{self._homes[home].birth}.{own}", *rivals):
            entry = kept.get(birth)
            is_former = entry and entry.state == FORMER and entry.name == name
            if entry and entry is not mine and not is_former:
                return True
        return False


def _is_called(name: str, was: str) -> bool:
    """Return whether a former name is that of an entry: a private one is mangled there."""
    is_private = was.startswith("__") and name.startswith("_")
    return name == was or (is_private and name.endswith(was))
