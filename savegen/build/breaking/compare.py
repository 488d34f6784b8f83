"""Compare an older lock with today's model and lock, and yield a finding for each break."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping
from typing import Any, NamedTuple

from savegen.build.breaking.faults import (
    ChangedKind,
    ChangedPart,
    FieldWithoutDefault,
    LostClass,
    LostField,
    MemberInOldSaves,
    LostParameter,
    LostPart,
    LostPrefab,
    LostValueClass,
    MovedClass,
    RenamedMember,
    StaticPrefab,
    UnloadableObjects,
)
from savegen.build.breaking.old_types import OldTypes
from savegen.build.lock import Lock
from savegen.build.lock.file import (
    ALIVE,
    CATEGORIES,
    CLASSES,
    DISPUTED,
    FORMER,
    PREFABS,
    RETIRED,
    Category,
    LockedClass,
    LockedField,
    by_owner,
    dotted,
    simple_name,
)
from savegen.build.lock.kind_texts import ANYTHING, KindTexts
from savegen.build.lock.assign import members_of
from savegen.build.model import Field, Model, SavedClass, reached_kinds
from savegen.build.parameters import parameters
from savegen.build.stored_types import StoredTypes
from savegen.findings import Finding, Span
from savegen.runtime.values.stored import StoredField as StoredField
from savegen.runtime.values.stored import StoredType, parse
from savegen.saves.older.conversion import Conversion, Fault, conversion

_GAME_OBJECT = -1
_NOT_IN_SOURCE = Span(
    "savegen.lock"
)  # the place of names that the source no longer has


class OldPrefab(NamedTuple):
    """What the older version knew of a prefab after it had built one."""

    parameters: frozenset[str] = frozenset()  # that levels could set
    static: bool = False


class LockComparison:
    """Compares an older version of the game with the current one."""

    def __init__(self, old: Lock, new: Lock, model: Model) -> None:
        """`new` and `model` belong to the current version."""
        self._old, self._new, self._model = old, new, model
        self._classes = {cls.name: cls for cls in model.classes}
        self._classes_by_number = {cls.number: cls for cls in model.classes}
        self._prefabs = {prefab.name: prefab for prefab in model.prefabs}
        # The shortest unambiguous names, by location.
        self._short_names = {
            lock.owners(category)[birth].location: name
            for category in CATEGORIES
            for lock in (old, new)
            for birth, name in lock.names(category).items()
        }
        self._defaults = dict(_defaults_of_records(model))
        self._old_types = OldTypes(old, model)
        self._types = StoredTypes.of_model(model)
        modules = model.modules.values()
        self._plain_classes = {each.name: each for m in modules for each in m.records}
        self._members = {name: members for m in modules for name, members in m.enums}
        texts = KindTexts(model)
        self._enums = {
            dotted(name): texts.enum(name)
            for module in model.modules.values()
            for name, _ in module.enums
        }
        self._old_records = _Records(old)
        self._new_records = _Records(new)

    def breaks(self, old_prefabs: Mapping[int, OldPrefab] = {}) -> Iterator[Finding]:
        """Yield a finding for each change that breaks older saves, levels or code.

        `old_prefabs` are the prefabs of the older version by number, if known.
        """
        yield from self._lost_classes()
        yield from self._changed_fields()
        yield from self._new_fields()
        yield from self._lost_value_classes()
        yield from self._changed_parts()
        yield from self._static_prefabs(old_prefabs)
        yield from self._lost_prefabs()
        yield from self._lost_parts()
        yield from self._lost_parameters(old_prefabs)
        yield from self._renamed_names()

    # -- SAVE

    def _lost_classes(self) -> Iterator[Finding]:
        for birth, old in self._old.classes.items():
            new = self._new.classes.get(birth)
            if _exists(old) and (new is None or new.location not in self._classes):
                is_retired = new is not None and new.state == RETIRED
                yield LostClass(
                    _NOT_IN_SOURCE, self._short_names[old.location], is_retired
                )
            elif _exists(old) and new is not None:
                cls = self._classes[new.location]
                if cls.obstacle and birth not in self._old.without_objects:
                    name = self._short_names[new.location]
                    yield UnloadableObjects(cls.span, name, cls.obstacle)

    def _changed_fields(self) -> Iterator[Finding]:
        """Yield findings for the fields of classes that still exist, and the records in them."""
        by_field = self.findings_by_field()
        unique: dict[Finding, None] = {}
        for (location, name), findings in by_field.items():
            # A fault of a base class is not reported again for its subclasses.
            bases = self._classes[location].ancestors
            if all((base, name) not in by_field for base in bases):
                unique |= dict.fromkeys(findings)
        yield from unique

    def findings_by_field(self) -> dict[tuple[str, str], list[Finding]]:
        """Return the findings for each field, by location of the class and older field name."""
        return {
            (change.location, change.old.name): findings
            for change in self._changes(CLASSES, self._classes)
            if (findings := [*self._of_field(change)])
        }

    def _of_field(self, change: _Change) -> Iterator[Finding]:
        """Yield findings for values that a field would lose, unless a converter handles it."""
        cls, old, new = self._classes[change.location], change.old, change.new
        if new is None:
            name = f"{self._short_names[change.location]}.{old.name}"
            yield LostField(cls.span, name, change.is_retired)
            return
        field = self._field_of(change)
        if any(f.number == new.number for f, _ in self._model.converted_fields(cls)):
            return
        owner = self._short_names.get(field.owner, simple_name(field.owner))
        converter = f'@converter({simple_name(field.owner)}, "{field.name}")'
        facts = field.span, f"{owner}.{field.name}", old.kind, new.kind, converter
        old_type = self._old_types.stored(old.kind)
        if old_type is None:
            yield ChangedKind(*facts)
            return
        if field.override:
            yield from self._lost_members(field)
        result = self._conversion(old_type, field)
        for fault in result.faults:
            yield self._nested_fault(fault) or ChangedKind(*facts, fault.reason)
        for label, entry in result.lost_fields:
            yield self._lost_entry(label, entry)

    def _lost_members(self, field: Field) -> Iterator[Finding]:
        """Yield the removed members of enumerations in a field that the class saves itself.

        A lock has no type for such a field; the current one tells which enumerations it holds.
        """
        for kind in reached_kinds(field.kind, self._plain_classes):
            enum = self._enums.get(dotted(kind.name)) if kind.kind == "enum" else None
            current = self._members.get(kind.name, ())
            for member in self._old_types.members(enum) if enum else ():
                if member not in current:
                    yield MemberInOldSaves(
                        _NOT_IN_SOURCE, f"{enum}.{member}", "lose it"
                    )

    def _field_of(self, change: _Change) -> Field:
        """Return the current field of a change that has one."""
        fields = self._classes[change.location].fields
        return next(f for f in fields if change.new and f.number == change.new.number)

    def _conversion(self, old: StoredType, field: Field) -> Conversion:
        new, loaded = parse(self._types.of(field)), {*self._classes_by_number}
        return conversion(old, new, self._default, loaded | {_GAME_OBJECT})

    def _default(
        self, record: StoredType, field: StoredField
    ) -> Callable[[], Any] | None:
        """Return a function if a field of a plain class has a default, else `None`."""
        has_default = self._defaults.get((record.label, field.name), False)
        return (lambda: None) if has_default else None

    def _nested_fault(self, fault: Fault) -> Finding | None:
        """Return the finding for a fault inside a record or an enumeration, else `None`."""
        if not fault.owner:
            return None
        if fault.cause == "member":
            name = f"{self._enums[fault.owner]}.{fault.name}"
            return MemberInOldSaves(_NOT_IN_SOURCE, name)
        new = self._new_records.entry(fault.owner, fault.name)
        birth = self._new_records.births[fault.owner]
        name = f"{self._short_names[self._new.records[birth].location]}.{fault.name}"
        if fault.cause == "default":
            return FieldWithoutDefault(_NOT_IN_SOURCE, name)
        old_kinds = {e.number: e.kind for e in self._old_records.entries.get(birth, ())}
        old_kind = old_kinds.get(new.number, new.kind)
        return ChangedKind(_NOT_IN_SOURCE, name, old_kind, new.kind, "", fault.reason)

    def _lost_entry(self, label: str, name: str) -> Finding:
        """Return the finding for a field that a record no longer has."""
        old = self._old_records.entry(label, name)
        birth = self._old_records.births[label]
        record = self._new.records.get(birth, self._old.records[birth])
        entries = self._new_records.entries.get(birth, ())
        states = {entry.state for entry in entries if entry.number == old.number}
        name = f"{self._short_names[record.location]}.{name}"
        return LostField(_NOT_IN_SOURCE, name, RETIRED in states)

    def _new_fields(self) -> Iterator[Finding]:
        """Yield findings for new fields without a default in classes that old saves have."""
        old_fields, reported = by_owner(self._old.fields), set()
        for birth, entry in self._old.classes.items():
            cls = self._classes_by_number.get(entry.number)
            if cls is None or not _exists(entry):
                continue
            old_numbers = {f.number for f in old_fields.get(birth, ()) if _exists(f)}
            for field in cls.fields:
                former = {old for old, new in cls.former_numbers if new == field.number}
                has_value = field.has_default or field.override
                is_new = old_numbers.isdisjoint({field.number, *former})
                if is_new and not has_value and field.span not in reported:
                    reported.add(field.span)
                    owner = self._short_names.get(field.owner, simple_name(field.owner))
                    yield FieldWithoutDefault(field.span, f"{owner}.{field.name}")

    def _lost_value_classes(self) -> Iterator[Finding]:
        """Yield the classes of values that the game lacks, if values may name their class."""
        fields, classes = self._old.fields.values(), self._model.classes
        # A value of a subclass of `list` names its class wherever a list may be.
        names = {*self._old_types.names_of_subclasses()}
        if any(old.kind == ANYTHING for old in filter(_exists, fields)) or any(
            cls.behaviors for cls in classes
        ):
            names |= {*self._old_types.names_in_values()}
        known = {*self._enums, *map(dotted, self._plain_classes)}
        known = {simple_name(name) for name in known}
        for module in self._model.modules.values():
            known.update(module.aliases)
        for name in sorted(names):
            if simple_name(name) not in known:
                yield LostValueClass(_NOT_IN_SOURCE, name, simple_name(name))

    # -- changes of fields and parts

    def _changes(self, category: Category, owners: Container[str]) -> Iterator[_Change]:
        """Yield the change of each older field or part whose owner still exists."""
        all_new = by_owner(self._new.fields_of(category))
        for birth, old_entries in sorted(
            by_owner(self._old.fields_of(category)).items()
        ):
            owner = self._new.owners(category).get(birth)
            if owner is None or owner.location not in owners:
                continue
            by_number = {entry.number: entry for entry in all_new.get(birth, ())}
            by_name = {e.name: e for e in by_number.values() if _exists(e)}
            for old in filter(_exists, old_entries):
                new = by_number.get(old.number)
                is_retired = new is not None and new.state == RETIRED
                if new is not None and new.state == FORMER:
                    new = by_name.get(new.name)
                if new is not None and not _exists(new):
                    new = None
                yield _Change(owner.location, old, new, is_retired)

    def _static_prefabs(
        self, old_prefabs: Mapping[int, OldPrefab]
    ) -> Iterator[Finding]:
        """Yield the prefabs that have no objects any more, without variants of such a prefab."""
        static = {
            prefab.name
            for prefab in self._model.prefabs
            if prefab.static and prefab.number in old_prefabs
            if not old_prefabs[prefab.number].static
        }
        for prefab in self._model.prefabs:
            if prefab.name in static and static.isdisjoint(prefab.ancestors):
                yield StaticPrefab(prefab.span, self._short_names[prefab.name])

    # -- PREFAB

    def _lost_prefabs(self) -> Iterator[Finding]:
        for birth, old in self._old.prefabs.items():
            new = self._new.prefabs.get(birth)
            if old.state == ALIVE and (new is None or new.state != ALIVE):
                yield LostPrefab(_NOT_IN_SOURCE, self._short_names[old.location])

    def _lost_parts(self) -> Iterator[Finding]:
        changes = [c for c in self._changes(PREFABS, self._prefabs) if c.new is None]
        for change in self._without_inherited(changes):
            span = self._prefabs[change.location].span
            yield LostPart(span, self._name_of_part(change), change.is_retired)

    def _changed_parts(self) -> Iterator[Finding]:
        """Yield a finding for each part whose class changed, if something does not fit."""
        changes = [
            change
            for change in self._changes(PREFABS, self._prefabs)
            if change.new is not None
            and self._class_of_part(change).number not in self._old_classes(change)
        ]
        for change in self._without_inherited(changes):
            cls, olds = self._class_of_part(change), self._old_classes(change)
            lost = [name for old in olds.values() for name in self._unfit(old, cls)]
            loses_references = self._loses_references({*olds}, cls.number)
            if lost or loses_references:
                span, name = (
                    self._prefabs[change.location].span,
                    self._name_of_part(change),
                )
                facts = change.old.kind, cls.simple_name, (*lost,), loses_references
                yield ChangedPart(span, name, *facts)

    def _without_inherited(self, changes: list[_Change]) -> Iterator[_Change]:
        """Yield the changes of parts that no base prefab has, too."""
        changed = {(change.location, change.old.number) for change in changes}
        for change in changes:
            bases = self._prefabs[change.location].ancestors
            if all((base, change.old.number) not in changed for base in bases):
                yield change

    def _name_of_part(self, change: _Change) -> str:
        return f"{self._short_names[change.location]}.{change.old.name}"

    def _class_of_part(self, change: _Change) -> SavedClass:
        parts = self._prefabs[change.location].parts
        part = next(p for p in parts if change.new and p.number == change.new.number)
        return self._classes[part.cls]

    def _old_classes(self, change: _Change) -> dict[int, str]:
        """Return the older classes that have the name of a part's class, by number."""
        return {
            old.number: birth
            for birth, old in self._old.classes.items()
            if old.simple_name == change.old.kind and _exists(old)
        }

    def _unfit(self, birth: str, cls: SavedClass) -> Iterator[str]:
        """Yield the fields of an older class whose values another class cannot have."""
        fields, former = {f.number: f for f in cls.fields}, dict(cls.former_numbers)
        converted = {f.number for f, _ in self._model.converted_fields(cls)}
        for old in by_owner(self._old.fields).get(birth, ()):
            field = fields.get(former.get(old.number, old.number))
            if not _exists(old) or (field and field.number in converted):
                continue
            old_type = self._old_types.stored(old.kind)
            if field is None or old_type is None:
                yield old.name
                continue
            result = self._conversion(old_type, field)
            if result.faults or result.lost_fields:
                yield old.name

    def _loses_references(self, olds: set[int], number: int) -> bool:
        """Return whether a field could refer to a class of `olds`, but cannot to `number`."""
        for change in self._changes(CLASSES, self._classes):
            old_type = self._old_types.stored(change.old.kind)
            if change.new is None or old_type is None:
                continue
            before = _referred(old_type)
            if olds.isdisjoint(before):
                continue
            after = _referred(parse(self._types.of(self._field_of(change))))
            if after and after.isdisjoint((0, number)):
                return True
        return False

    def _lost_parameters(
        self, old_prefabs: Mapping[int, OldPrefab]
    ) -> Iterator[Finding]:
        for prefab in self._model.prefabs:
            current = {each.name for each in parameters(prefab, self._model)}
            old = old_prefabs.get(prefab.number, OldPrefab())
            for name in sorted(old.parameters - current):
                yield LostParameter(prefab.span, self._short_names[prefab.name], name)

    # -- API

    def _renamed_names(self) -> Iterator[Finding]:
        classes = [entry for entry in self._old.classes.values() if _exists(entry)]
        old_members = members_of(old.location for old in classes)
        for old in classes:
            if cls := self._classes_by_number.get(old.number):
                yield from _moved("class", old, cls.name, cls.span)
                members = (old_members[old.location], cls.enum_member)
                yield from _renamed("SaveLoadableType", members, cls.span)
        prefabs = [old for old in self._old.prefabs.values() if old.state == ALIVE]
        old_members = members_of(old.location for old in prefabs)
        by_number = {old.number: old for old in prefabs}
        for prefab in self._model.prefabs:
            if before := by_number.get(prefab.number):
                if not prefab.is_class:  # else the class already has this finding
                    yield from _moved("prefab", before, prefab.name, prefab.span)
                members = (old_members[before.location], prefab.enum_member)
                yield from _renamed("PrefabType", members, prefab.span)


class _Change(NamedTuple):
    """A field or a part of the older version, and its current entry, if it exists."""

    location: str  # the current location of its owner
    old: LockedField
    new: LockedField | None
    is_retired: bool


class _Records:
    """The records of a lock."""

    def __init__(self, lock: Lock) -> None:
        records = lock.records.items()
        self.births = {dotted(e.location): birth for birth, e in records if _exists(e)}
        self.entries = by_owner(lock.record_fields)  # by birth name of the record

    def entry(self, record: str, name: str) -> LockedField:
        """Return the entry of a field, by the full name of its record."""
        entries = self.entries.get(self.births[record], ())
        return next(e for e in entries if e.name == name and _exists(e))


def _moved(what: str, old: LockedClass, location: str, span: Span) -> Iterator[Finding]:
    if old.location != location:
        yield MovedClass(span, what, dotted(old.location), dotted(location))


def _renamed(enum: str, members: tuple[str, str], span: Span) -> Iterator[Finding]:
    old, new = members
    if old != new:
        yield RenamedMember(span, f"{enum}.{old}", f"{enum}.{new}")


def _defaults_of_records(model: Model) -> Iterator[tuple[tuple[str, str], bool]]:
    """Yield each field of the plain classes, and whether its value may be omitted."""
    for record in (r for module in model.modules.values() for r in module.records):
        arguments = record.constructor_arguments or [("", False)] * len(record.fields)
        for (field, _, required), (_, optional) in zip(record.fields, arguments):
            yield (dotted(record.name), field), optional or not required


def _referred(stored: StoredType) -> set[int]:
    """Return the numbers of the classes that a value can refer to; 0 stands for all."""
    refs = (part for part in stored.walk() if part.name == "ref")
    return {number for part in refs for number in part.numbers}


def _exists(entry: LockedClass | LockedField) -> bool:
    return entry.state in (ALIVE, DISPUTED)
