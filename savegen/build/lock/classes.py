"""Match the classes, prefabs and records of the lock with those of the source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from msgspec.structs import replace

from savegen.build.lock.file import (
    ABSENT,
    ALIVE,
    CLASSES,
    DISPUTED,
    RECORDS,
    RETIRED,
    Category,
    Lock,
    LockedClass,
    LockedField,
    ProvisionalEntries,
    by_key,
    by_owner,
    candidates,
    dotted,
    free_birth,
    last_born,
    simple_name,
    without_count,
)
from savegen.build.lock.faults import (
    AmbiguousFormerName,
    AmbiguousName,
    FormerNameInUse,
    LateFormerName,
    VanishedField,
    misspelt,
    vanished_class,
)
from savegen.build.lock.source import DeclaredClass
from savegen.findings import Finding


class ClassMatcher:
    """Finds the lock entry of each class, prefab or record of the source."""

    def __init__(
        self,
        category: Category,
        lock: Lock,
        declared: Iterable[DeclaredClass],
        provisional: ProvisionalEntries,
    ) -> None:
        self.matched: dict[str, LockedClass] = {}  # by location
        self.dropped: set[str] = set()  # birth names of entries that no save needs
        self.findings: list[Finding] = []
        self._category = category
        self._locked = lock.owners(category)
        self._births = {*self._locked}
        self._numbers = {entry.number for entry in self._locked.values()}
        self._lock = lock
        self._provisional = provisional
        self.declared = sorted(declared, key=lambda each: each.location)
        self._locations = {each.location for each in self.declared}
        entries = (e for e in self._locked.values() if e.state != RETIRED)
        # The entries that the source can still claim. A merge can leave two with one location.
        self._unclaimed = by_key(
            (location, entry)
            for entry in entries
            for location in (entry.location, *entry.other_locations)
        )
        self._match()

    def entries(self) -> dict[str, LockedClass]:
        """Return all entries of classes, prefabs and records in the new lock, by birth name."""
        matched = {entry.birth: entry for entry in self.matched.values()}
        unclaimed = {
            birth: self._unclaimed_entry(entry)
            for birth, entry in self._locked.items()
            if birth not in self.dropped
        }
        return {**unclaimed, **matched}

    def _unclaimed_entry(self, entry: LockedClass) -> LockedClass:
        """Return an unclaimed entry as absent, or as retired if its location has another entry."""
        state = ABSENT if entry.state == ALIVE else entry.state
        if entry.location in self.matched or entry.state == DISPUTED:
            state = RETIRED
        if (entry.state, entry.other_locations) == (state, ()):
            return entry
        return replace(entry, state=state, other_locations=())

    def _match(self) -> None:
        for item in self.declared:
            if item.location in self._unclaimed:
                self._claim(item, item.location)
                self._apply_late_name(item)
        new = [each for each in self.declared if each.location not in self.matched]
        new = [each for each in new if not self._claim_former(each)]
        counts = Counter(each.simple_name for each in new)
        new = [
            each
            for each in new
            if counts[each.simple_name] > 1 or not self._claim_moved(each)
        ]
        if self._category is RECORDS:
            new = [each for each in new if not self._claim_renamed_record(each, new)]
        for item in new:
            self._add_new(item)
        self._drop_provisional()
        if self._category is not RECORDS:
            self.findings += self._possible_renames(new)

    # -- classes that the lock has

    def _claim(self, item: DeclaredClass, old: str) -> None:
        entries = candidates(
            self._unclaimed.pop(old), simple_name(old), item.former_names
        )
        if len(entries) > 1:
            births = tuple(sorted(without_count(entry.birth) for entry in entries))
            arguments = simple_name(old), self._category.noun, births, self._mark(item)
            self.findings.append(AmbiguousName(item.span, *arguments))
        taken = last_born(entries)
        own_locations = {taken.location, *taken.other_locations}
        for location in own_locations & self._unclaimed.keys():
            others = [
                each for each in self._unclaimed.pop(location) if each is not taken
            ]
            self._unclaimed |= {location: others} if others else {}
        self.matched[item.location] = replace(
            taken, location=item.location, state=ALIVE, other_locations=()
        )

    def _claim_former(self, item: DeclaredClass) -> bool:
        for was in item.former_names:
            locations = _locations_named(was, self._unclaimed)
            if locations:
                self._claim(item, locations[0])
            if len(locations) > 1:
                names = tuple(map(dotted, locations))
                arguments = item.simple_name, was, names, self._mark(item)
                self.findings.append(AmbiguousFormerName(item.span, *arguments))
            if locations:
                return True
            if any(
                _is_name_of(was, location)
                for location in self._locations - {item.location}
            ):
                noun = self._category.noun
                finding = FormerNameInUse(item.span, item.simple_name, was, noun)
                self.findings.append(finding)
        return False

    def _apply_late_name(self, item: DeclaredClass) -> None:
        """Apply a former name that was added after the new name had its own number."""
        entry = self.matched[item.location]
        birth_names = {
            without_count(entry.birth),
            simple_name(without_count(entry.birth)),
        }
        for was in item.former_names:
            locations = [
                h
                for h in _locations_named(was, self._unclaimed)
                if h not in self._locations
            ]
            if was in birth_names or len(locations) != 1:
                continue
            if self._provisional.has(entry):
                self.dropped.add(entry.birth)
                self._claim(item, locations[0])
                return
            old = self._lock.names(self._category)[
                last_born(self._unclaimed[locations[0]]).birth
            ]
            arguments = item.simple_name, was, self._category.noun, entry.birth, old
            self.findings.append(LateFormerName(item.span, *arguments))

    def _claim_moved(self, item: DeclaredClass) -> bool:
        """Claim the entry of a class that moved to another module with the same fields."""
        locations = [
            location
            for location in self._unclaimed
            if simple_name(location) == item.simple_name
            and location not in self._locations
        ]
        if len(locations) != 1 or not self._is_same(
            item, self._unclaimed[locations[0]]
        ):
            return False
        self._claim(item, locations[0])
        return True

    def _claim_renamed_record(
        self, item: DeclaredClass, new: Sequence[DeclaredClass]
    ) -> bool:
        """Claim the entry of the only record that vanished where the only new one appears.

        Saves do not contain the names of records, but those of their fields: so a question is
        asked for a field that was renamed along with its record.
        """
        locations = [
            location
            for location, entries in self._unclaimed.items()
            if any(self._has_vanished(e) and self._place(item, e) for e in entries)
        ]
        if len(locations) != 1:
            return False
        entry, *_ = self._unclaimed[locations[0]]
        if sum(bool(self._place(each, entry)) for each in new) != 1:
            return False
        self._claim(item, locations[0])
        return True

    def _has_vanished(self, entry: LockedClass) -> bool:
        """Return whether an entry has lost its class since the last build."""
        is_gone = entry.state == ALIVE and entry.location not in self._locations
        return is_gone and not self._provisional.has(entry)

    def _is_same(self, item: DeclaredClass, entries: list[LockedClass]) -> bool:
        if self._category is RECORDS:
            return True
        fields = {(field.name, field.kind) for field in item.fields}
        return any(fields == self._fields_of(entry) for entry in entries)

    def _add_new(self, item: DeclaredClass) -> None:
        number = self._category.number
        birth = free_birth(dotted(item.location), self._births, self._numbers, number)
        self._births.add(birth)
        self.matched[item.location] = LockedClass(birth, number(birth), item.location)

    # -- entries without a class in the source

    def _drop_provisional(self) -> None:
        for location, entries in self._unclaimed.items():
            dropped = [
                e for e in entries if e.state == ALIVE and self._provisional.has(e)
            ]
            self.dropped |= {entry.birth for entry in dropped}
            self._unclaimed[location] = [
                entry for entry in entries if entry not in dropped
            ]

    def _possible_renames(
        self, new: Iterable[DeclaredClass]
    ) -> Iterator[VanishedField]:
        """Yield a finding for each new class that may be a renamed one."""
        removed = {e.birth: e for entries in self._unclaimed.values() for e in entries}
        names = self._lock.names(self._category) if removed else {}
        asked: set[tuple[str, str]] = set()  # birth of the entry, location of the class
        for entry in removed.values():
            for item in new:
                mark = self._mark(item)
                rename = item.span, names[entry.birth], item.simple_name, mark
                if entry.simple_name == item.simple_name:
                    full = dotted(entry.location), dotted(item.location)
                    yield vanished_class(self._category, item.span, *full, mark)
                elif self._is_like(item, entry):
                    yield vanished_class(self._category, *rename)
                elif was := misspelt(item.former_names, entry.simple_name):
                    yield vanished_class(self._category, *rename, was)
                else:
                    continue
                asked.add((entry.birth, item.location))
        # The fields of a class may have changed with its name. Those that have a more likely
        # question are not asked about as well.
        done = {each for pair in asked for each in pair}
        for entry in removed.values():
            for item in new if entry.state == ALIVE and entry.birth not in done else ():
                if item.location not in done and (place := self._place(item, entry)):
                    old, mark = names[entry.birth], self._mark(item)
                    rename = item.span, old, item.simple_name, mark
                    yield vanished_class(self._category, *rename, place=place)

    def _place(self, item: DeclaredClass, entry: LockedClass) -> str:
        """Return what a class of the source has in common with an entry, besides fields; or ""."""
        module, old = _module(item.location), _module(entry.location)
        if module == old:
            return "in the same module"
        locked = {_module(each.location) for each in self._locked.values()}
        if module not in locked and old not in map(_module, self._locations):
            return "in a module that may be renamed"
        births = {self.matched[b].birth for b in item.bases if b in self.matched}
        bases = {
            each.birth
            for each in self._locked.values()
            if each.location in self._lock.bases.get(entry.birth, ())
        }
        has_base = self._category is CLASSES and births & bases
        return "with the same base class" if has_base else ""

    def _is_like(self, item: DeclaredClass, entry: LockedClass) -> bool:
        """Return whether at least half of the fields that are not inherited are the same.

        If neither has such fields, all inherited ones must be the same.
        """
        inherited = {(f.name, f.kind) for f in item.fields if not f.own}
        own = {(field.name, field.kind) for field in item.fields} - inherited
        locked = self._fields_of(entry)
        if not own and not locked - inherited:
            return entry.state == ALIVE and locked == inherited
        common = own & locked
        return bool(common) and 2 * len(common) >= min(
            len(own), len(locked - inherited)
        )

    @cached_property
    def _fields(self) -> dict[str, list[LockedField]]:
        return by_owner(self._lock.fields_of(self._category))

    def _fields_of(self, entry: LockedClass) -> set[tuple[str, str]]:
        fields = self._fields.get(entry.birth, [])
        return {(each.name, each.kind) for each in fields if each.state == ALIVE}

    def _mark(self, item: DeclaredClass) -> str:
        """Return a template of the mark; `{}` stands for the former name."""
        return item.mark or self._category.mark


def _module(location: str) -> str:
    return location.partition(":")[0]


def _locations_named(was: str, locations: Iterable[str]) -> list[str]:
    """Return the locations that a former name can mean; only one for a full dotted name."""
    matching = sorted(location for location in locations if _is_name_of(was, location))
    return [location for location in matching if was == dotted(location)] or matching


def _is_name_of(was: str, location: str) -> bool:
    """Return whether `was` is the simple, qualified or full dotted name of a location."""
    return was in (dotted(location), location.rpartition(":")[2], simple_name(location))
