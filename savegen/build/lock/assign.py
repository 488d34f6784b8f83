"""Assign numbers to a model from the lock, and return the updated lock."""

from __future__ import annotations

import operator
import re
import unicodedata
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping
from typing import NamedTuple

from msgspec.structs import replace

from savegen.build.lock.file import (
    ALIVE,
    CLASSES,
    DISPUTED,
    FORMER,
    PREFABS,
    RECORDS,
    RETIRED,
    RETIRED_MEMBER,
    Category,
    Lock,
    LockedClass,
    LockedField,
    ProvisionalEntries,
    dotted,
    number_of,
    own_name,
    owner_of,
    retired,
    simple_name,
)
from savegen.build.lock.faults import LostMember, NumberClash
from savegen.build.lock.fields import FieldKey, FieldMatcher
from savegen.build.lock.classes import ClassMatcher
from savegen.build.lock.source import (
    DeclaredClass,
    declared_classes,
    field_name,
    with_birth_names,
)
from savegen.build.lock.kind_texts import KindTexts
from savegen.build.model import (
    Field,
    Model,
    PrefabClass,
    PlainRecord,
    SavedClass,
    SavedModule,
    kinds_in,
    upper_snake,
)
from savegen.findings import Report, Span

_NAME = re.compile(r"[\w.]+")


def assign(
    lock: Lock,
    model: Model,
    report: Report,
    provisional: ProvisionalEntries = ProvisionalEntries(),
    unaffected: Container[str] = (),
) -> tuple[Model, Lock]:
    """Return the model with all numbers except those of prefabs, and the updated lock.

    Findings about removed and possibly renamed classes and fields are added to `report`.
    `unaffected` are modules that have the numbers of the lock, and of which no class inherits from
    one in another module, or the other way round: they are not compared with the lock again.
    """
    findings = Report()
    result = _assign(lock, model, findings, provisional, unaffected)
    if unaffected and len(findings):  # their texts depend on all entries of the lock
        findings = Report()
        result = _assign(lock, model, findings, provisional, ())
    report.extend(findings)
    return result


def _assign(
    lock: Lock,
    model: Model,
    report: Report,
    provisional: ProvisionalEntries,
    unaffected: Container[str],
) -> tuple[Model, Lock]:
    texts = KindTexts(model)
    open_part = Model(m for m in model.modules.values() if m.name not in unaffected)
    others, part = _split(lock, open_part) if unaffected else (Lock(), lock)
    classes, part = _matched(CLASSES, part, open_part, texts, report, provisional)
    records, part = _matched(RECORDS, part, open_part, texts, report, provisional)
    bases = {
        classes.owners[cls.name].birth: (*sorted(cls.ancestors),)
        for cls in open_part.classes
        if cls.ancestors
    }
    new_lock = Lock(
        {**others.classes, **part.classes},
        {**others.fields, **part.fields},
        lock.prefabs,
        lock.parts,
        {**others.records, **part.records},
        {**others.record_fields, **part.record_fields},
        _enum_members(lock, part, model, report, texts),
        {**others.bases, **bases},
        others.without_objects
        | {classes.owners[cls.name].birth for cls in open_part.classes if cls.obstacle},
    )
    _, later = _matched(PREFABS, new_lock, model, texts, Report(), provisional)
    members = members_of(cls.name for cls in model.classes)
    by_name = {r.name: r for m in open_part.modules.values() for r in m.records}
    numbers = {name: _record_numbers(each, records) for name, each in by_name.items()}
    numbered = {
        module.name: _numbered(
            module,
            [_numbered_class(cls, classes, members) for cls in module.classes],
            [_numbered_record(each, *numbers[each.name]) for each in module.records],
            [_numbered_alone(each) for each in module.undeclared],
        )
        for module in open_part.modules.values()
    }
    modules = {**model.modules, **numbered}.values()
    retired_numbers = retired([*new_lock.classes.values(), *later.prefabs.values()])
    types = prefab_types(lock)
    return Model(modules, types, model.save_version, retired_numbers), new_lock


def assign_prefabs(
    lock: Lock,
    model: Model,
    report: Report,
    provisional: ProvisionalEntries = ProvisionalEntries(),
) -> tuple[Model, Lock]:
    """Return the model with the numbers of prefabs and their parts, and the updated lock.

    Findings about removed and possibly renamed prefabs and parts are added to `report`.
    """
    if not lock.prefabs and not any(model.prefabs):
        return model, lock
    texts = KindTexts(model)
    prefabs, new_lock = _matched(PREFABS, lock, model, texts, report, provisional)
    modules = [
        replace(m, prefabs=tuple(_numbered_prefab(each, prefabs) for each in m.prefabs))
        for m in model.modules.values()
    ]
    types = prefab_types(new_lock)
    return Model(modules, types, model.save_version, model.retired), new_lock


class _Matches(NamedTuple):
    """The lock entries of one category after matching them with the source."""

    owners: dict[str, LockedClass]  # by location; those that the source has
    fields: dict[FieldKey, LockedField]
    owned_fields: dict[str, list[LockedField]]  # by birth name of their owner


def _split(lock: Lock, model: Model) -> tuple[Lock, Lock]:
    """Return the lock without the classes and records of a model, and with them only."""
    names = {cls.name for cls in model.classes}
    names |= {each.name for m in model.modules.values() for each in m.records}
    parts = Lock(), Lock()
    for category in (CLASSES, RECORDS):
        for birth, entry in lock.owners(category).items():
            parts[entry.location in names].owners(category)[birth] = entry
        owners = parts[True].owners(category)
        for birth, field in lock.fields_of(category).items():
            parts[owner_of(birth) in owners].fields_of(category)[birth] = field
    for birth, locations in lock.bases.items():
        parts[birth in parts[True].classes].bases[birth] = locations
    for birth in lock.without_objects:
        parts[birth in parts[True].classes].without_objects.add(birth)
    return parts


def _matched(
    category: Category,
    lock: Lock,
    model: Model,
    texts: KindTexts,
    report: Report,
    provisional: ProvisionalEntries,
) -> tuple[_Matches, Lock]:
    """Match the classes, prefabs or records of the source with the lock."""
    matcher = ClassMatcher(
        category, lock, declared_classes(category, model, texts), provisional
    )
    items = matcher.declared
    if category is CLASSES:
        items = [with_birth_names(i, model, matcher.matched, texts) for i in items]
    fields = FieldMatcher(category, lock, items, matcher.matched, provisional)
    owners = matcher.entries()
    entries = fields.entries(owners)
    report.extend([*matcher.findings, *fields.findings])
    report.extend(_clashes(items, matcher.matched, owners, entries))
    by_birth = {entry.birth: entry for each in entries.values() for entry in each}
    matched = _Matches(matcher.matched, fields.matched, entries)
    return matched, lock.with_entries(category, owners, by_birth)


def _numbered(
    module: SavedModule,
    classes: list[SavedClass],
    records: list[PlainRecord],
    undeclared: list[PlainRecord],
) -> SavedModule:
    """Return the module with numbered classes and records; itself if nothing changed."""
    numbered = [*classes, *records, *undeclared]
    before = [*module.classes, *module.records, *module.undeclared]
    if all(map(operator.is_, numbered, before)):
        return module
    return replace(
        module,
        classes=tuple(classes),
        records=tuple(records),
        undeclared=tuple(undeclared),
    )


def _numbered_class(
    cls: SavedClass, matches: _Matches, members: dict[str, str]
) -> SavedClass:
    entry = matches.owners[cls.name]
    names = {field_name(field, matches.owners): field for field in cls.fields}
    numbers = {name: matches.fields[cls.name, name].number for name in names}
    entries = matches.owned_fields.get(entry.birth, [])
    former = sorted(
        (each.number, numbers[each.name])
        for each in entries
        if each.state == FORMER and each.name in numbers
    )
    removed = {each.number for each in entries if each.state == RETIRED}
    in_use = {*numbers.values(), *(number for number, _ in former)}
    fields = tuple(
        field if field.number == numbers[name] else replace(field, number=numbers[name])
        for name, field in names.items()
    )
    numbered = replace(
        cls,
        number=entry.number,
        enum_member=members[cls.name],
        fields=fields,
        retired=tuple(sorted(removed - in_use)),
        former_numbers=tuple(former),
    )
    return cls if numbered == cls else numbered


def _record_numbers(
    record: PlainRecord, matches: _Matches
) -> tuple[tuple[int, ...], tuple[tuple[str, str], ...]]:
    """Return the number of each field of a record, and its fields by former name."""
    names = [name for name, *_ in record.fields]
    marks = record.field_marks or [(None, ())] * len(names)
    pairs = {(old, name) for name, (_, olds) in zip(names, marks) for old in olds}
    for each in matches.owned_fields.get(matches.owners[record.name].birth, []):
        if each.state in (ALIVE, FORMER):
            pairs.add((own_name(each.birth), each.name))
    former = tuple(sorted(pair for pair in pairs if pair[0] not in names))
    return tuple(matches.fields[record.name, name].number for name in names), former


def _numbered_record(
    record: PlainRecord, numbers: tuple[int, ...], former: tuple[tuple[str, str], ...]
) -> PlainRecord:
    if (record.numbers, record.former_fields) == (numbers, former):
        return record
    return replace(record, numbers=numbers, former_fields=former)


def _numbered_alone(record: PlainRecord) -> PlainRecord:
    """Return a record that is not in the lock with the numbers that the lock would give it."""
    return _numbered_record(record, (*(number_of(n) for n, *_ in record.fields),), ())


def _numbered_prefab(prefab: PrefabClass, matches: _Matches) -> PrefabClass:
    parts = (
        replace(part, number=matches.fields[prefab.name, part.name].number)
        for part in prefab.parts
    )
    number = matches.owners[prefab.name].number
    member = upper_snake(prefab.simple_name)
    return replace(prefab, number=number, enum_member=member, parts=tuple(parts))


# -- members of the two enumerations in `types.py`


def prefab_types(lock: Lock) -> tuple[tuple[str, int], ...]:
    """Return the sorted members of `PrefabType`: the prefabs that are alive in the lock.

    Names are unique, even if a merge has left two prefabs of one name.
    """
    entries = sorted(lock.prefabs.items())
    numbers = {
        entry.location: entry.number for _, entry in entries if entry.state == ALIVE
    }
    types: dict[str, tuple[str, int]] = {}  # by normalized name
    for location, member in members_of(numbers).items():
        types[unicodedata.normalize("NFKC", member)] = (member, numbers[location])
    return tuple(sorted(types.values()))


def members_of(names: Iterable[str]) -> dict[str, str]:
    """Return an enum member for each name, with the module if two names would be equal."""
    short = {name: upper_snake(simple_name(name)) for name in names}
    counts = Counter(short.values())
    return {
        name: member if counts[member] == 1 else _qualified(name)
        for name, member in short.items()
    }


def _qualified(name: str) -> str:
    parts = dotted(name).split(".")
    return "_".join(upper_snake(part) for part in parts)


# -- members of the game's enumerations


def _enum_members(
    lock: Lock, new_lock: Lock, model: Model, report: Report, texts: KindTexts
) -> dict[str, str]:
    """Return the state of each enum member, and report members that were removed.

    `new_lock` has the fields as they are now: if one now holds an enumeration of another name,
    the old one may be renamed, and its members are missed in the new one.
    """
    alive: set[str] = set()
    places: dict[str, Span] = {}  # of enumerations and members
    users: dict[str, tuple[SavedModule, str]] = {}  # first module, and name of the enum
    for module in model.modules.values():
        for name, members in module.enums:
            enum = texts.enum(name)
            users.setdefault(enum, (module, name))
            for place, span in module.enum_places:
                if place == name or place.startswith(f"{name}."):
                    places[enum + place.removeprefix(name)] = span
            alive.update(f"{enum}.{member}" for member in members)
    renamed = _renamed_enums(lock, new_lock, users)
    for member, state in lock.members.items():
        enum, _, name = member.rpartition(".")
        enum = renamed.get(enum, enum)
        if enum in users and state == ALIVE and f"{enum}.{name}" not in alive:
            user = _user_of(*users[enum])
            field = user.name if isinstance(user, Field) else ""
            new = [
                name
                for name in sorted(alive - lock.members.keys())
                if name.rpartition(".")[0] == enum
            ]
            only = new[0] if len(new) == 1 else ""
            span = places.get(only or enum, user.span)
            report.add(LostMember(span, member, field, only.rpartition(".")[2]))
    locked = {
        m: RETIRED_MEMBER if s == DISPUTED else s for m, s in lock.members.items()
    }
    return {**locked, **dict.fromkeys(alive, ALIVE)}


def _renamed_enums(lock: Lock, new_lock: Lock, enums: Container[str]) -> dict[str, str]:
    """Return the new names of enumerations that a field held, by their old names."""
    locked = {member.rpartition(".")[0] for member in lock.members}
    renamed: dict[str, str] = {}
    for category in (CLASSES, RECORDS):
        for birth, field in new_lock.fields_of(category).items():
            before = lock.fields_of(category).get(birth, field)
            if before.kind != field.kind:
                words = set(_NAME.findall(before.kind)), set(_NAME.findall(field.kind))
                old = [e for e in words[0] - words[1] if e in locked and e not in enums]
                new = [e for e in words[1] - words[0] if e in enums and e not in locked]
                if len(old) == len(new) == 1:
                    renamed[old[0]] = new[0]
    return renamed


def _user_of(module: SavedModule, enum: str) -> Field | SavedClass:
    """Return the first field that can hold a member of an enumeration, or else a class."""
    fields = (field for cls in module.classes for field in cls.fields)
    users = (
        f for f in fields if any(k.name == enum for _, k, _ in kinds_in(f, module))
    )
    return next(users, module.classes[0])


# -- two names with the same number


def _clashes(
    items: Iterable[DeclaredClass],
    current: Mapping[str, LockedClass],
    owners: Mapping[str, LockedClass],
    fields: Mapping[str, list[LockedField]],
) -> Iterator[NumberClash]:
    """Yield a finding for each number that two names share, because numbers must be unique.

    `current` has the entries of the source by present name (`location`). `owners` and `fields` have
    all entries by the first name (`birth`) of the owner.
    """
    taken: dict[int, LockedClass] = {e.number: e for e in owners.values()}
    for item in items:
        entry = current[item.location]
        other = taken[entry.number]
        if other.birth != entry.birth:
            yield NumberClash(item.span, dotted(item.location), dotted(other.location))
        entries = fields.get(entry.birth, [])
        if len({each.number for each in entries}) < len(entries):
            yield from _clashing_fields(item, entries)


def _clashing_fields(
    item: DeclaredClass, entries: list[LockedField]
) -> Iterator[NumberClash]:
    spans = {field.name: field.span for field in item.fields}
    taken: dict[int, LockedField] = {}
    for entry in sorted(entries, key=lambda each: each.state != ALIVE):
        other = taken.setdefault(entry.number, entry)
        if other is not entry and other.name in spans:
            names = (f"{item.simple_name}.{each.name}" for each in (entry, other))
            yield NumberClash(spans[other.name], *names)
