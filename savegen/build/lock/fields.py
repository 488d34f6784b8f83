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
    Category,
    Lock,
    LockedClass,
    LockedField,
    ProvisionalEntries,
    birth_names,
    by_key,
    by_owner,
    candidates,
    last_born,
    number_of,
    own_name,
)
from savegen.build.lock.faults import (
    AmbiguousName,
    FormerNameInUse,
    LateFormerName,
    misspelt,
    vanished_field,
)
from savegen.build.lock.source import DeclaredClass, DeclaredField
from savegen.findings import Finding

FieldKey = tuple[str, str]  # location of the owner, and name of the field in the lock


class _PossibleRename(NamedTuple):
    """A removed field and a new field that may be the same one under a new name."""

    location: str
    field: DeclaredField
    entry: LockedField
    was: str  # a former name that seems misspelt, or ""


class FieldMatcher:
    """Finds the lock entry of each field, part or record field, including inherited ones."""

    def __init__(
        self,
        category: Category,
        lock: Lock,
        declared: Iterable[DeclaredClass],
        locked_owners: Mapping[str, LockedClass],
        provisional: ProvisionalEntries,
    ) -> None:
        self.matched: dict[FieldKey, LockedField] = {}
        self.findings: list[Finding] = []
        self._category = category
        self._locked_owners = locked_owners
        self._owners = {item.location: item for item in declared}
        self._fields = {
            (item.location, field.name): field
            for item in self._owners.values()
            for field in item.fields
        }
        self._lock = lock
        self._provisional = provisional
        self._locked = by_owner(lock.fields_of(category))
        # The entries of owners that the source still has, by location and birth name.
        self._entries = {
            location: {each.birth: each for each in self._locked_of(location)}
            for location in self._owners
        }
        # The entries that a field can still claim, by location and name.
        self._unclaimed: dict[str, dict[str, list[LockedField]]] = {}
        self._match()

    def _locked_of(self, location: str) -> Sequence[LockedField]:
        """Return the entries of a class, prefab or record in the old lock."""
        return self._locked.get(self._locked_owners[location].birth, ())

    def entries(
        self, owners: Mapping[str, LockedClass]
    ) -> dict[str, list[LockedField]]:
        """Return the entries of the new lock by the birth name of their owner.

        `owners` are the classes, prefabs or records in the new lock, by birth name.
        """
        entries = {
            self._locked_owners[location].birth: [
                self._settled(location, e) for e in old.values()
            ]
            for location, old in self._entries.items()
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

    def _settled(self, location: str, entry: LockedField) -> LockedField:
        if entry.state == FORMER or self.matched.get((location, entry.name)) is entry:
            return entry
        if entry.name in self._owners[location].names or entry.state == DISPUTED:
            return replace(entry, state=RETIRED)
        return replace(entry, state=ABSENT) if entry.state == ALIVE else entry

    def _match(self) -> None:
        renames: list[_PossibleRename] = []
        for location, item in self._owners.items():
            self._retire_like_bases(item)
            self._unclaimed[location] = by_key(
                (entry.name, entry)
                for entry in self._entries[location].values()
                if entry.state not in (RETIRED, FORMER)
            )
            new = [field for field in item.fields if not self._claim(location, field)]
            for field in item.fields:
                if field.former_names:
                    self._apply_late_name(location, field)
            renames += self._possible_renames(location, new)
        self.findings += self._rename_findings(renames)
        self._number_fields()
        self.findings = list(dict.fromkeys(self.findings))

    # -- fields that the lock has

    def _retire_like_bases(self, item: DeclaredClass) -> None:
        """Retire fields that a base class has retired, unless the source still has them."""
        entries = self._entries[item.location]
        retired = {
            entry.own_birth
            for base in item.bases
            for entry in self._entries.get(base, {}).values()
            if entry.state == RETIRED
        }
        for birth, entry in entries.items() if retired else ():
            if entry.own_birth in retired and entry.name not in item.names:
                entries[birth] = replace(entry, state=RETIRED)

    def _claim(self, location: str, field: DeclaredField) -> bool:
        entry = self._take(location, field.name, field) or self._take_former(
            location, field
        )
        if entry is None:
            return False
        if entry.kind != field.kind or entry.state != ALIVE:
            entry = replace(entry, kind=field.kind, state=ALIVE)
        self._set(location, field, entry)
        return True

    def _set(self, location: str, field: DeclaredField, entry: LockedField) -> None:
        """Set the entry of a field, and rename the entries of its former numbers too."""
        entries = self._entries[location]
        before = entries.get(entry.birth, entry).name
        if before != field.name:
            for birth, each in entries.items():
                if each.state == FORMER and each.name == before:
                    entries[birth] = replace(each, name=field.name)
            entry = replace(entry, name=field.name)
        entries[entry.birth] = self.matched[location, field.name] = entry

    def _take(
        self, location: str, name: str, field: DeclaredField
    ) -> LockedField | None:
        """Claim and return the entry with a name; after a merge, former names decide between two."""
        rivals = self._unclaimed[location].pop(name, [])
        if len(rivals) < 2:
            return rivals[0] if rivals else None
        entries = candidates(rivals, name, field.former_names)
        if len(entries) > 1:
            owned = tuple(sorted(own_name(entry.birth) for entry in entries))
            arguments = (
                field.span,
                name,
                self._category.field_noun,
                owned,
                self._category.field_mark,
            )
            self.findings.append(AmbiguousName(*arguments))
        taken = last_born(entries)
        self._unclaimed[location][name] = [each for each in rivals if each is not taken]
        return taken

    def _take_former(self, location: str, field: DeclaredField) -> LockedField | None:
        names = {each.name_in_source for each in self._owners[location].fields}
        for was in field.former_names:
            if was in names:
                finding = FormerNameInUse(
                    field.span, field.name_in_source, was, self._category.field_noun
                )
                self.findings.append(finding)
            elif name := self._current_name(location, was):
                return self._take(location, name, field)
        return None

    def _current_name(self, location: str, was: str) -> str:
        """Return the current name of the entry that has or had the name `was`; "" if none exists."""
        names = self._owners[location].names
        unclaimed = {
            n: e for n, e in self._unclaimed[location].items() if n not in names
        }
        for name in unclaimed:
            if _is_called(name, was):
                return name
        for name, entries in unclaimed.items():
            if any(own_name(entry.birth) == was for entry in entries):
                return name
        return ""

    def _apply_late_name(self, location: str, field: DeclaredField) -> None:
        """Apply a former name that was added after the new name had its own number."""
        entry = self.matched.get((location, field.name))
        for was in field.former_names if entry else ():
            if entry is None or _is_called(own_name(entry.birth), was):
                continue
            name = self._current_name(location, was)
            old = self._take(location, name, field) if name else None
            if old is None:
                continue
            if self._provisional.has(entry):
                del self._entries[location][entry.birth]
                self._set(location, field, replace(old, kind=field.kind, state=ALIVE))
                return
            if self._category is not CLASSES:
                old_name = self._display_name(location, old)
                arguments = (
                    field.span,
                    field.name_in_source,
                    was,
                    self._category.field_keyword,
                    entry.birth,
                )
                self.findings.append(LateFormerName(*arguments, old_name))
            else:
                self._entries[location][old.birth] = replace(
                    old, state=FORMER, name=field.name
                )

    # -- entries without a field in the source

    def _possible_renames(
        self, location: str, new: Sequence[DeclaredField]
    ) -> Iterator[_PossibleRename]:
        names = self._owners[location].names
        vanished: list[LockedField] = []
        for name, entries in self._unclaimed[location].items():
            for entry in entries if name not in names else ():
                if entry.state != ALIVE:
                    continue
                if self._provisional.has(entry):
                    del self._entries[location][entry.birth]
                else:
                    vanished.append(entry)
        kinds = {entry.kind for entry in vanished}
        # The kind of a field may have changed with its name. Those that have a more likely
        # question are not asked about as well.
        others = [field for field in new if field.kind not in kinds]
        for entry in vanished:
            for field in [f for f in new if f.kind == entry.kind] or others:
                is_same = field.kind == entry.kind
                was = "" if is_same else misspelt(field.former_names, entry.name)
                yield _PossibleRename(location, field, entry, was)

    def _rename_findings(self, renames: list[_PossibleRename]) -> Iterator[Finding]:
        """Yield a finding for each possible rename, but not again for subclasses."""
        renamed = {(r.location, r.field.name, r.entry.name) for r in renames}
        for location, field, entry, was in renames:
            bases = self._owners[location].bases
            if any((base, field.name, entry.name) in renamed for base in bases):
                continue
            old = self._display_name(location, entry)
            yield vanished_field(
                self._category,
                field.span,
                old,
                field.name_in_source,
                (entry.kind, field.kind),
                was,
            )

    def _display_name(self, location: str, entry: LockedField) -> str:
        birth = self._locked_owners[location].birth
        return f"{self._lock.names(self._category).get(birth, birth)}.{entry.name}"

    # -- numbers

    def _number_fields(self) -> None:
        """Number each field, with the same number in all classes that inherit it."""
        groups = self._groups(self._unsettled())
        for group in sorted(groups, key=lambda group: (not self._counts(group), group)):
            own_birth, number = self._number_of(group)
            for location, name in group:
                self._set_number(location, name, own_birth, number)

    def _set_number(
        self, location: str, name: str, own_birth: str, number: int
    ) -> None:
        entry, field = self.matched.get((location, name)), self._fields[location, name]
        if entry is not None and (
            entry.number == number or self._category is not CLASSES
        ):
            return
        if entry is not None:
            former = replace(entry, state=FORMER)
            self._entries[location][former.birth] = former
        birth = f"{self._locked_owners[location].birth}.{own_birth}"
        self._set(location, field, LockedField(birth, number, field.kind, name))

    def _unsettled(self) -> set[str]:
        """Return the names of fields without a number, or with different ones by class."""
        numbers: dict[str, int] = {}
        unsettled: set[str] = set()
        for key in self._fields:
            entry, name = self.matched.get(key), key[1]
            if entry is None or numbers.setdefault(name, entry.number) != entry.number:
                unsettled.add(name)
        return unsettled

    def _groups(self, names: Container[str]) -> list[list[FieldKey]]:
        """Return the fields with these names, grouped by declaration.

        A group has the field of a class and the same field in its subclasses.
        """
        parents: dict[FieldKey, FieldKey] = {}

        def root_of(key: FieldKey) -> FieldKey:
            while parents.setdefault(key, key) != key:
                key = parents[key]
            return key

        keys = sorted(key for key in self._fields if key[1] in names)
        for location, name in keys:
            owner = self._fields[location, name].owner
            parents[root_of((location, name))] = root_of((owner, name))
            for base in self._owners[location].bases:
                if (base, name) in self._fields:
                    parents[root_of((location, name))] = root_of((base, name))
        groups: dict[FieldKey, list[FieldKey]] = defaultdict(list)
        for key in keys:
            groups[root_of(key)].append(key)
        return list(groups.values())

    def _counts(self, group: list[FieldKey]) -> dict[tuple[str, int], int]:
        """Return how often each birth name and number occurs in a group."""
        counts: dict[tuple[str, int], int] = defaultdict(int)
        for key in group:
            if entry := self.matched.get(key):
                counts[entry.own_birth, entry.number] += 1
        return counts

    def _number_of(self, group: list[FieldKey]) -> tuple[str, int]:
        """Return the birth name and number for a group: the most frequent ones that are free."""
        counts, name = self._counts(group), group[0][1]
        existing = sorted(
            counts, key=lambda each: (-counts[each], each[0] != name, each)
        )
        new = ((own, number_of(own)) for own in birth_names(name))
        pairs = (pair for pair in chain(existing, new) if self._is_free(group, *pair))
        return next(pairs)

    def _is_free(self, group: list[FieldKey], own_birth: str, number: int) -> bool:
        """Return whether no other field in the classes of a group has the number."""
        return not any(self._is_taken(*key, own_birth, number) for key in group)

    def _is_taken(self, location: str, name: str, own_birth: str, number: int) -> bool:
        current, entries = self.matched.get((location, name)), self._entries[location]
        if current and (current.own_birth, current.number) == (own_birth, number):
            return False
        # Only entries of the lock count: `NumberClash` reports two new names with one number.
        rivals = [e.birth for e in self._locked_of(location) if e.number == number]
        for birth in (f"{self._locked_owners[location].birth}.{own_birth}", *rivals):
            entry = entries.get(birth)
            is_former = entry and entry.state == FORMER and entry.name == name
            if entry and entry is not current and not is_former:
                return True
        return False


def _is_called(name: str, was: str) -> bool:
    """Return whether a name in the lock is `was`, or the mangled form of a private `was`."""
    is_private = was.startswith("__") and name.startswith("_")
    return name == was or (is_private and name.endswith(was))
