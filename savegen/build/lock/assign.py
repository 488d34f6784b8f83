"""Assign numbers to a model from the lock, and return the updated lock."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import NamedTuple

from msgspec.structs import replace

from savegen.build.lock import source
from savegen.build.lock.clashes import clashes
from savegen.build.lock.enums import enum_members
from savegen.build.lock.facts import (
    ALIVE,
    CLASSES,
    FORMER,
    PREFABS,
    RECORDS,
    RETIRED,
    Lock,
    LockedClass,
    LockedField,
    Sort,
    by_owner,
    own_name,
    retired,
)
from savegen.build.lock.fields import Fields, Place
from savegen.build.lock.homes import Homes
from savegen.build.lock.provisional import Provisional
from savegen.build.lock.source import Thing, field_name
from savegen.build.lock.spelling import Spelling
from savegen.build.lock.types import class_members, prefab_types
from savegen.build.model import (
    Model,
    Prefab,
    Record,
    SavedClass,
    SavedModule,
    upper_snake,
)
from savegen.findings import Report


def assign(
    lock: Lock,
    model: Model,
    report: Report,
    provisional: Provisional = Provisional(),
) -> tuple[Model, Lock]:
    """Return the model with every number set, and the lock that goes with it.

    What vanished, and what may have been renamed, is reported.
    """
    spelling = Spelling(model)
    classes, after = _sorted_out(
        CLASSES,
        lock,
        source.saved_classes(model, spelling),
        report,
        provisional,
        lambda things, homes: source.with_born_names(things, model, homes, spelling),
    )
    records, after = _sorted_out(
        RECORDS, after, source.records(model, spelling), report, provisional
    )
    after = replace(
        after,
        members=enum_members(lock, model, report, spelling),
        bases={
            classes.homes[cls.name].birth: (*sorted(cls.ancestors),)
            for cls in model.classes
            if cls.ancestors
        },
    )
    _, foreseen = assign_prefabs(after, model, Report(), provisional)
    members = class_members(model)
    modules = [
        _numbered(
            module,
            [_numbered_class(cls, classes, members) for cls in module.classes],
            [_numbered_record(record, records) for record in module.records],
        )
        for module in model.modules.values()
    ]
    gone = retired([*after.classes.values(), *foreseen.prefabs.values()])
    return Model(modules, prefab_types(lock), model.save_version, gone), after


def assign_prefabs(
    lock: Lock,
    model: Model,
    report: Report,
    provisional: Provisional = Provisional(),
) -> tuple[Model, Lock]:
    """Return the model with the numbers of prefabs too, and the lock that goes with it.

    What vanished, and what may have been renamed, is reported.
    """
    found, after = _sorted_out(
        PREFABS, lock, source.prefabs(model), report, provisional
    )
    modules = [
        replace(m, prefabs=tuple(_numbered_prefab(each, found) for each in m.prefabs))
        for m in model.modules.values()
    ]
    types = prefab_types(after)
    return Model(modules, types, model.save_version, model.retired), after


class _Found(NamedTuple):
    """What the lock has for the things of one sort."""

    homes: dict[str, LockedClass]  # by home
    fields: dict[Place, LockedField]
    kept: dict[str, list[LockedField]]  # by birth of what has them


def _sorted_out(
    sort: Sort,
    lock: Lock,
    declared: Iterable[Thing],
    report: Report,
    provisional: Provisional,
    named: Callable[
        [Iterable[Thing], dict[str, LockedClass]], Iterable[Thing]
    ] = lambda things, homes: things,
) -> tuple[_Found, Lock]:
    """Match one sort of things with the lock."""
    homes = Homes(sort, lock, declared, provisional)
    things = list(named(homes.things, homes.found))
    fields = Fields(sort, lock, things, homes.found, provisional)
    kept = homes.entries()
    entries = fields.entries(kept)
    report.extend([*homes.findings, *fields.findings])
    report.extend(clashes(things, homes.found, kept, entries))
    found = _Found(homes.found, fields.found, by_owner(entries))
    return found, lock.having(sort, kept, entries)


def _numbered(
    module: SavedModule, classes: list[SavedClass], records: list[Record]
) -> SavedModule:
    """Return a module with its numbers; the module itself if it has them already."""
    found, before = [*classes, *records], [*module.classes, *module.records]
    if all(map(operator.is_, found, before)):
        return module
    return replace(module, classes=tuple(classes), records=tuple(records))


def _numbered_class(
    cls: SavedClass, found: _Found, members: dict[str, str]
) -> SavedClass:
    entry = found.homes[cls.name]
    names = {field_name(field, found.homes): field for field in cls.fields}
    numbers = {name: found.fields[cls.name, name].number for name in names}
    kept = found.kept.get(entry.birth, [])
    former = sorted(
        (each.number, numbers[each.name])
        for each in kept
        if each.state == FORMER and each.name in numbers
    )
    gone = {each.number for each in kept if each.state == RETIRED}
    known = {*numbers.values(), *(number for number, _ in former)}
    fields = tuple(
        field if field.number == numbers[name] else replace(field, number=numbers[name])
        for name, field in names.items()
    )
    numbered = replace(
        cls,
        number=entry.number,
        member=members[cls.name],
        fields=fields,
        retired=tuple(sorted(gone - known)),
        former=tuple(former),
    )
    return cls if numbered == cls else numbered


def _numbered_record(record: Record, found: _Found) -> Record:
    """Return a record with the names that its fields had, also in its own marks."""
    names = [name for name, *_ in record.fields]
    marks = record.marks or [(None, ())] * len(names)
    pairs = {(w, name) for name, (_, was) in zip(names, marks) for w in was}
    for each in found.kept.get(found.homes[record.name].birth, []):
        if each.state in (ALIVE, FORMER):
            pairs.add((own_name(each.birth), each.name))
    former = tuple(sorted(pair for pair in pairs if pair[0] not in names))
    numbers = tuple(found.fields[record.name, name].number for name in names)
    if (record.former, record.numbers) == (former, numbers):
        return record
    return replace(record, former=former, numbers=numbers)


def _numbered_prefab(prefab: Prefab, found: _Found) -> Prefab:
    parts = (
        replace(part, number=found.fields[prefab.name, part.name].number)
        for part in prefab.parts
    )
    number = found.homes[prefab.name].number
    member = upper_snake(prefab.simple_name)
    return replace(prefab, number=number, member=member, parts=tuple(parts))
