"""Compare an older lock with the current model and lock."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping
from typing import Any, NamedTuple

from savegen.build.breaking.faults import (
    ChangedKind,
    ChangedPart,
    FieldWithoutDefault,
    LostClass,
    LostField,
    LostMember,
    LostParameter,
    LostPart,
    LostPrefab,
    MovedClass,
    RenamedType,
)
from savegen.build.breaking.kinds import OldTypes
from savegen.build.lock import Lock
from savegen.build.lock.file import (
    ALIVE,
    CLASSES,
    DISPUTED,
    FORMER,
    PREFABS,
    RETIRED,
    CATEGORIES,
    LockedClass,
    LockedField,
    Category,
    by_owner,
    dotted,
    simple,
)
from savegen.build.lock.spelling import Spelling
from savegen.build.lock.assign import members_of
from savegen.build.model import Model
from savegen.build.parameters import parameters
from savegen.build.stored_types import StoredTypes
from savegen.findings import Finding, Span
from savegen.runtime.stored import Field as StoredField
from savegen.runtime.stored import Stored, parse
from savegen.saves.older.conversion import Fault, conversion

_GAME_OBJECT = -1
_ELSEWHERE = Span("savegen.lock")  # the place of names that the source no longer has


class Comparison:
    """Compares an older version of the game with the current one."""

    def __init__(self, old: Lock, new: Lock, model: Model) -> None:
        """`new` and `model` belong to the current version."""
        self._old, self._new, self._model = old, new, model
        self._classes = {cls.name: cls for cls in model.classes}
        self._saved = {cls.number: cls for cls in model.classes}
        self._prefabs = {prefab.name: prefab for prefab in model.prefabs}
        # The shortest unambiguous names, by home.
        self._called = {
            lock.owners(category)[birth].home: name
            for category in CATEGORIES
            for lock in (old, new)
            for birth, name in lock.names(category).items()
        }
        self._defaults = dict(_defaults_of_records(model))
        self._old_types = OldTypes(old, model)
        self._types = StoredTypes.of_model(model)
        self._there = {_GAME_OBJECT, *self._saved}
        spelling = Spelling(model)
        self._enums = {
            dotted(name): spelling.enum(name)
            for module in model.modules.values()
            for name, _ in module.enums
        }
        self._births = {  # birth names of the records of each version, by full name
            id(lock): {
                dotted(each.home): birth
                for birth, each in lock.records.items()
                if _is_there(each)
            }
            for lock in (old, new)
        }
        self._entries = {id(lock): by_owner(lock.entries) for lock in (old, new)}

    def breaks(self, shown: Mapping[int, set[str]] = {}) -> Iterator[Finding]:
        """Yield a finding for each change that breaks older saves, levels or code.

        `shown` has the parameter names of the older version by prefab number, if known.
        """
        yield from self.classes()
        yield from self.fields()
        yield from self.new_fields()
        yield from self.prefabs()
        yield from self.parts()
        yield from self.parameters(shown)
        yield from self.names()

    # -- SAVE

    def classes(self) -> Iterator[Finding]:
        for birth, cls in self._old.classes.items():
            now = self._new.classes.get(birth)
            if _is_there(cls) and (now is None or now.home not in self._classes):
                is_retired = now is not None and now.state == RETIRED
                yield LostClass(_ELSEWHERE, self._called[cls.home], is_retired)

    def fields(self) -> Iterator[Finding]:
        """Yield findings for the fields of classes that still exist, and the records in them."""
        told = self.by_field()
        findings: dict[Finding, None] = {}
        for (home, name), found in told.items():
            # A fault of a base class is not reported again for its subclasses.
            bases = self._classes[home].ancestors
            if all((base, name) not in told for base in bases):
                findings |= dict.fromkeys(found)
        yield from findings

    def by_field(self) -> dict[tuple[str, str], list[Finding]]:
        """Return the findings for each field, by home of the class and older field name."""
        return {
            (change.home, change.old.name): found
            for change in self._changes(CLASSES, self._classes)
            if (found := [*self._of_field(change)])
        }

    def _of_field(self, change: _Change) -> Iterator[Finding]:
        """Yield findings for values that a field would lose, unless a converter handles it."""
        cls, old, now = self._classes[change.home], change.old, change.now
        if now is None:
            name = f"{self._called[change.home]}.{old.name}"
            yield LostField(cls.span, name, change.is_retired)
            return
        field = next(each for each in cls.fields if each.number == now.number)
        if any(
            each.number == now.number for each, _ in self._model.converted_fields(cls)
        ):
            return
        owner = self._called.get(field.owner, simple(field.owner))
        converter = f'@converter({simple(field.owner)}, "{field.name}")'
        place = field.span, f"{owner}.{field.name}", old.kind, now.kind, converter
        before = self._old_types.stored(old.kind)
        if before is None:
            yield ChangedKind(*place)
            return
        today = parse(self._types.of(field))
        found = conversion(before, today, self._default, self._there)
        for fault in found.faults:
            yield self._inside(fault) or ChangedKind(*place, fault.reason)
        for label, entry in found.loses:
            yield self._lost_entry(label, entry)

    def _default(self, record: Stored, field: StoredField) -> Callable[[], Any] | None:
        """Return a function if a field of a plain class has a default, else `None`."""
        has_one = self._defaults.get((record.label, field.name), False)
        return (lambda: None) if has_one else None

    def _inside(self, fault: Fault) -> Finding | None:
        """Return the finding for a fault inside a record or an enumeration, else `None`."""
        if not fault.owner:
            return None
        if fault.what == "member":
            return LostMember(_ELSEWHERE, f"{self._enums[fault.owner]}.{fault.name}")
        birth, here = self._record(self._new, fault.owner)
        now = next(e for e in here if e.name == fault.name and _is_there(e))
        name = f"{self._called[self._new.records[birth].home]}.{fault.name}"
        if fault.what == "default":
            return FieldWithoutDefault(_ELSEWHERE, name)
        before = self._entries[id(self._old)].get(birth, ())
        was = next((e.kind for e in before if e.number == now.number), now.kind)
        return ChangedKind(_ELSEWHERE, name, was, now.kind, "", fault.reason)

    def _lost_entry(self, label: str, name: str) -> Finding:
        """Return the finding for a field that a record no longer has."""
        birth, before = self._record(self._old, label)
        was = next(e for e in before if e.name == name and _is_there(e))
        record = self._new.records.get(birth, self._old.records[birth])
        here = self._entries[id(self._new)].get(birth, ())
        states = {each.state for each in here if each.number == was.number}
        called = f"{self._called[record.home]}.{name}"
        return LostField(_ELSEWHERE, called, RETIRED in states)

    def _record(self, lock: Lock, label: str) -> tuple[str, list[LockedField]]:
        birth = self._births[id(lock)][label]
        return birth, self._entries[id(lock)].get(birth, [])

    def new_fields(self) -> Iterator[Finding]:
        """Yield findings for new fields without a default in classes that old saves have."""
        old, seen = by_owner(self._old.fields), set()
        for birth, entry in self._old.classes.items():
            cls = self._saved.get(entry.number)
            if cls is None or not _is_there(entry):
                continue
            known = {f.number for f in old.get(birth, ()) if _is_there(f)}
            for field in cls.fields:
                former = {old for old, new in cls.former_numbers if new == field.number}
                is_told = field.has_default or field.override
                is_new = known.isdisjoint({field.number, *former})
                if is_new and not is_told and field.span not in seen:
                    seen.add(field.span)
                    owner = self._called.get(field.owner, simple(field.owner))
                    yield FieldWithoutDefault(field.span, f"{owner}.{field.name}")

    # -- changes of fields and parts

    def _changes(self, category: Category, here: Container[str]) -> Iterator[_Change]:
        """Yield the change of each older field or part whose owner still exists."""
        new = by_owner(self._new.fields_of(category))
        for birth, old in sorted(by_owner(self._old.fields_of(category)).items()):
            home = self._new.owners(category).get(birth)
            if home is None or home.home not in here:
                continue
            known = {entry.number: entry for entry in new.get(birth, ())}
            alive = {e.name: e for e in known.values() if _is_there(e)}
            for field in filter(_is_there, old):
                now = known.get(field.number)
                is_retired = now is not None and now.state == RETIRED
                if now is not None and now.state == FORMER:
                    now = alive.get(now.name)
                is_there = now is not None and _is_there(now)
                yield _Change(home.home, field, now if is_there else None, is_retired)

    # -- PREFAB

    def prefabs(self) -> Iterator[Finding]:
        for birth, prefab in self._old.prefabs.items():
            now = self._new.prefabs.get(birth)
            if prefab.state == ALIVE and (now is None or now.state != ALIVE):
                yield LostPrefab(_ELSEWHERE, self._called[prefab.home])

    def parts(self) -> Iterator[Finding]:
        changes = [
            each
            for each in self._changes(PREFABS, self._prefabs)
            if each.now is None or self._today(each.old.kind) != each.now.kind
        ]
        told = {(each.home, each.old.number) for each in changes}
        for home, old, now, is_retired in changes:
            prefab = self._prefabs[home]
            if any((base, old.number) in told for base in prefab.ancestors):
                continue
            name = f"{self._called[home]}.{old.name}"
            if now is None:
                yield LostPart(prefab.span, name, is_retired)
            else:
                yield ChangedPart(prefab.span, name, old.kind, now.kind)

    def _today(self, cls: str) -> str:
        """Return the current simple name of a class of the old lock."""
        for birth, entry in self._old.classes.items():
            if entry.simple_name == cls and _is_there(entry):
                now = self._new.classes.get(birth)
                return now.simple_name if now else cls
        return cls

    def parameters(self, shown: Mapping[int, set[str]]) -> Iterator[Finding]:
        for prefab in self._model.prefabs:
            now = {each.name for each in parameters(prefab, self._model)}
            for name in sorted(shown.get(prefab.number, set()) - now):
                yield LostParameter(prefab.span, self._called[prefab.name], name)

    # -- API

    def names(self) -> Iterator[Finding]:
        old = members_of(e.home for e in self._old.classes.values() if _is_there(e))
        for entry in self._old.classes.values():
            cls = self._saved.get(entry.number)
            if cls and _is_there(entry):
                yield from _moved("class", entry, cls.name, cls.span)
                types = (old[entry.home], cls.enum_member)
                yield from _renamed("SaveLoadableType", types, cls.span)
        was = members_of(e.home for e in self._old.prefabs.values() if e.state == ALIVE)
        known = {e.number: e for e in self._old.prefabs.values() if e.state == ALIVE}
        for prefab in self._model.prefabs:
            if before := known.get(prefab.number):
                if not prefab.is_class:  # else the class already has this finding
                    yield from _moved("prefab", before, prefab.name, prefab.span)
                types = (was[before.home], prefab.enum_member)
                yield from _renamed("PrefabType", types, prefab.span)


class _Change(NamedTuple):
    """A field or a part of the older version, and its current entry, if it exists."""

    home: str  # the current home of its owner
    old: LockedField
    now: LockedField | None
    is_retired: bool


def _moved(what: str, old: LockedClass, home: str, span: Span) -> Iterator[Finding]:
    if old.home != home:
        yield MovedClass(span, what, dotted(old.home), dotted(home))


def _renamed(enum: str, members: tuple[str, str], span: Span) -> Iterator[Finding]:
    old, new = members
    if old != new:
        yield RenamedType(span, f"{enum}.{old}", f"{enum}.{new}")


def _defaults_of_records(model: Model) -> Iterator[tuple[tuple[str, str], bool]]:
    """Yield each field of the plain classes, and whether its value may be omitted."""
    for record in (each for m in model.modules.values() for each in m.records):
        given = record.constructor_arguments or [("", False)] * len(record.fields)
        for (field, _, required), (_, optional) in zip(record.fields, given):
            yield (dotted(record.name), field), optional or not required


def _is_there(entry: LockedClass | LockedField) -> bool:
    return entry.state in (ALIVE, DISPUTED)
