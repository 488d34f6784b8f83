"""Match the fields, parts and entries of the lock with those of the source."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from msgspec.structs import replace

from savegen.build.lock.file import (
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
    Category,
    births,
    by_key,
    by_owner,
    candidates,
    number_of,
    last_born,
    own_name,
)
from savegen.build.lock.faults import (
    LateWas,
    TwoOfOneName,
    FormerNameInUse,
    misspelt,
    vanished_field,
)
from savegen.build.lock.source import Declared, DeclaredField
from savegen.findings import Finding

Place = tuple[str, str]  # home of the owner, name of the field in the lock


class _PossibleRename(NamedTuple):
    """A removed field and a new field that may be the same one under a new name."""

    home: str
    field: DeclaredField
    entry: LockedField
    was: str  # a former name that seems misspelt, or ""


class FieldMatcher:
    """Finds the lock entry of each field, part or record entry, including inherited ones."""

    def __init__(
        self,
        category: Category,
        lock: Lock,
        declared: Iterable[Declared],
        homes: Mapping[str, LockedClass],
        provisional: Provisional,
    ) -> None:
        self.found: dict[Place, LockedField] = {}
        self.findings: list[Finding] = []
        self._category = category
        self._homes = homes
        self._items = {item.home: item for item in declared}
        self._fields = {
            (item.home, field.name): field
            for item in self._items.values()
            for field in item.fields
        }
        self._lock = lock
        self._provisional = provisional
        self._locked = by_owner(lock.fields_of(category))
        # The entries of owners that the source still has, by home and birth name.
        self._kept = {
            home: {each.birth: each for each in self._locked_of(home)}
            for home in self._items
        }
        # The entries that a field can still claim, by home and name.
        self._unclaimed: dict[str, dict[str, list[LockedField]]] = {}
        self._match()

    def _locked_of(self, home: str) -> Sequence[LockedField]:
        """Return the entries of a class, prefab or record in the old lock."""
        return self._locked.get(self._homes[home].birth, ())

    def entries(
        self, owners: Mapping[str, LockedClass]
    ) -> dict[str, list[LockedField]]:
        """Return the entries of the new lock by the birth name of their owner.

        `owners` are the classes, prefabs or records in the new lock, by birth name.
        """
        entries = {
            self._homes[home].birth: [self._settled(home, e) for e in kept.values()]
            for home, kept in self._kept.items()
        }
        for birth, locked in self._locked.items():
            if birth in owners and birth not in entries:
                is_retired = owners[birth].state == RETIRED
                entries[birth] = [
                    (
                        replace(entry, state=RETIRED)
                        if is_retired or entry.state == DISPUTED
                        else entry
                    )
                    for entry in locked
                ]
        return entries

    def _settled(self, home: str, entry: LockedField) -> LockedField:
        if entry.state == FORMER or self.found.get((home, entry.name)) is entry:
            return entry
        if entry.name in self._items[home].names or entry.state == DISPUTED:
            return replace(entry, state=RETIRED)
        return replace(entry, state=ABSENT) if entry.state == ALIVE else entry

    def _match(self) -> None:
        renames: list[_PossibleRename] = []
        for home, item in self._items.items():
            self._retire_like_bases(item)
            self._unclaimed[home] = by_key(
                (entry.name, entry)
                for entry in self._kept[home].values()
                if entry.state not in (RETIRED, FORMER)
            )
            new = [field for field in item.fields if not self._claim(home, field)]
            for field in item.fields:
                if field.was:
                    self._take_over(home, field)
            renames += self._possible_renames(home, new)
        self.findings += self._rename_findings(renames)
        self._number_fields()
        self.findings = list(dict.fromkeys(self.findings))

    # -- fields that the lock has

    def _retire_like_bases(self, item: Declared) -> None:
        """Retire fields that a base class has retired, unless the source still has them."""
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
        if entry is None:
            return False
        if entry.kind != field.kind or entry.state != ALIVE:
            entry = replace(entry, kind=field.kind, state=ALIVE)
        self._set(home, field, entry)
        return True

    def _set(self, home: str, field: DeclaredField, entry: LockedField) -> None:
        """Set the entry of a field, and rename the entries of its former numbers too."""
        kept = self._kept[home]
        before = kept.get(entry.birth, entry).name
        if before != field.name:
            for birth, each in kept.items():
                if each.state == FORMER and each.name == before:
                    kept[birth] = replace(each, name=field.name)
            entry = replace(entry, name=field.name)
        kept[entry.birth] = self.found[home, field.name] = entry

    def _take(self, home: str, name: str, field: DeclaredField) -> LockedField | None:
        """Claim and return the entry with a name; after a merge, `was` decides between two."""
        rivals = self._unclaimed[home].pop(name, [])
        if len(rivals) < 2:
            return rivals[0] if rivals else None
        found = candidates(rivals, name, field.was)
        if len(found) > 1:
            owned = tuple(sorted(own_name(entry.birth) for entry in found))
            arguments = (
                field.span,
                name,
                self._category.field_noun,
                owned,
                self._category.field_mark,
            )
            self.findings.append(TwoOfOneName(*arguments))
        taken = last_born(found)
        self._unclaimed[home][name] = [each for each in rivals if each is not taken]
        return taken

    def _take_former(self, home: str, field: DeclaredField) -> LockedField | None:
        shown = {each.written for each in self._items[home].fields}
        for was in field.was:
            if was in shown:
                found = FormerNameInUse(
                    field.span, field.written, was, self._category.field_noun
                )
                self.findings.append(found)
            elif name := self._former(home, was):
                return self._take(home, name, field)
        return None

    def _former(self, home: str, was: str) -> str:
        """Return the current name of the entry that has or had the name `was`; "" for none."""
        names = self._items[home].names
        left = {
            n: found for n, found in self._unclaimed[home].items() if n not in names
        }
        called = (name for name in left if _is_called(name, was))
        born = (n for n in left if any(own_name(e.birth) == was for e in left[n]))
        return next(called, "") or next(born, "")

    def _take_over(self, home: str, field: DeclaredField) -> None:
        """Apply a `was` that was added after the new name already had its own number."""
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
            if self._category is not CLASSES:
                old_name = self._display_name(home, old)
                arguments = (
                    field.span,
                    field.written,
                    was,
                    self._category.field_noun,
                    entry.birth,
                )
                self.findings.append(LateWas(*arguments, old_name))
            else:
                self._kept[home][old.birth] = replace(
                    old, state=FORMER, name=field.name
                )

    # -- entries without a field in the source

    def _possible_renames(
        self, home: str, new: Iterable[DeclaredField]
    ) -> Iterator[_PossibleRename]:
        names = self._items[home].names
        for name, entries in self._unclaimed[home].items():
            for entry in entries if name not in names else ():
                if entry.state != ALIVE:
                    continue
                if self._provisional.has(entry):
                    del self._kept[home][entry.birth]
                    continue
                for field in new:
                    was = misspelt(field.was, name)
                    if entry.kind == field.kind:
                        yield _PossibleRename(home, field, entry, "")
                    elif was:
                        yield _PossibleRename(home, field, entry, was)

    def _rename_findings(self, renames: list[_PossibleRename]) -> Iterator[Finding]:
        """Yield a finding for each possible rename, but not again for subclasses."""
        pairs = {(q.home, q.field.name, q.entry.name) for q in renames}
        for home, field, entry, was in renames:
            bases = self._items[home].bases
            if any((base, field.name, entry.name) in pairs for base in bases):
                continue
            old = self._display_name(home, entry)
            yield vanished_field(
                self._category, field.span, old, field.written, field.kind, was
            )

    def _display_name(self, home: str, entry: LockedField) -> str:
        birth = self._homes[home].birth
        return f"{self._lock.names(self._category).get(birth, birth)}.{entry.name}"

    # -- numbers

    def _number_fields(self) -> None:
        """Number each field, with the same number in all classes that inherit it."""
        groups = self._groups(self._unsettled())
        for group in sorted(groups, key=lambda group: (not self._counts(group), group)):
            own, number = self._number_of(group)
            for home, name in group:
                self._set_number(home, name, own, number)

    def _set_number(self, home: str, name: str, own: str, number: int) -> None:
        entry, field = self.found.get((home, name)), self._fields[home, name]
        if entry is not None and (
            entry.number == number or self._category is not CLASSES
        ):
            return
        if entry is not None:
            former = replace(entry, state=FORMER)
            self._kept[home][former.birth] = former
        birth = f"{self._homes[home].birth}.{own}"
        self._set(home, field, LockedField(birth, number, field.kind, name))

    def _unsettled(self) -> set[str]:
        """Return the names of fields without a number, or with different ones by class."""
        numbers: dict[str, int] = {}
        found: set[str] = set()
        for place in self._fields:
            entry, name = self.found.get(place), place[1]
            if entry is None or numbers.setdefault(name, entry.number) != entry.number:
                found.add(name)
        return found

    def _groups(self, names: Container[str]) -> list[list[Place]]:
        """Return the fields with these names, grouped by declaration.

        A group has the field of a class and the same field in its subclasses.
        """
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

    def _counts(self, group: list[Place]) -> dict[tuple[str, int], int]:
        """Return how often each birth name and number occurs in a group."""
        counts: dict[tuple[str, int], int] = defaultdict(int)
        for place in group:
            if entry := self.found.get(place):
                counts[entry.own_birth, entry.number] += 1
        return counts

    def _number_of(self, group: list[Place]) -> tuple[str, int]:
        """Return the birth name and number for a group: the most frequent ones that are free."""
        counts, name = self._counts(group), group[0][1]
        known = sorted(counts, key=lambda each: (-counts[each], each[0] != name, each))
        new = ((own, number_of(own)) for own in births(name))
        pairs = (pair for pair in chain(known, new) if self._is_free(group, *pair))
        return next(pairs)

    def _is_free(self, group: list[Place], own: str, number: int) -> bool:
        """Return whether no other field in the classes of a group has the number."""
        return not any(self._is_taken(*place, own, number) for place in group)

    def _is_taken(self, home: str, name: str, own: str, number: int) -> bool:
        mine, kept = self.found.get((home, name)), self._kept[home]
        if mine and (mine.own_birth, mine.number) == (own, number):
            return False
        # Only entries of the lock count: `NumberClash` reports two new names with one number.
        rivals = [e.birth for e in self._locked_of(home) if e.number == number]
        for birth in (f"{self._homes[home].birth}.{own}", *rivals):
            entry = kept.get(birth)
            is_former = entry and entry.state == FORMER and entry.name == name
            if entry and entry is not mine and not is_former:
                return True
        return False


def _is_called(name: str, was: str) -> bool:
    """Return whether a name in the lock is `was`, or the mangled form of a private `was`."""
    is_private = was.startswith("__") and name.startswith("_")
    return name == was or (is_private and name.endswith(was))
