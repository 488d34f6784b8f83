"""Numbers for a model, from the lock; and the lock as it is afterwards."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from savegen.lock.classes import ClassBook
from savegen.lock.facts import Lock, LockedClass, LockedField
from savegen.lock.faults import LostMember, MovedField, NumberClash
from savegen.lock.fields import FieldBook
from savegen.model import (
    Field,
    Model,
    SavedClass,
    SavedModule,
    describe,
    reached,
    upper_snake,
)
from savegen.report import Report


def assign(lock: Lock, model: Model, report: Report) -> tuple[Model, Lock]:
    """Return the model with every number set, and the lock that goes with it.

    What vanished, and what may have been renamed, is reported.
    """
    book = ClassBook(lock, model, report)
    classes = book.read()
    fields, kept = _fields(lock, model, classes, report)
    members = _member_names(model)
    modules = [
        _numbered(module, classes, fields, members) for module in model.modules.values()
    ]
    numbered = Model(modules)
    entries = book.entries()
    after = Lock(
        entries,
        {
            **_settled(lock.fields, entries),
            **{entry.birth: entry for entry in kept},
        },
        _members(lock, model, report),
        _parts(model),
    )
    _report_clashes(numbered, after, classes, report)
    return numbered, after


def _settled(
    fields: dict[str, LockedField], classes: dict[str, LockedClass]
) -> dict[str, LockedField]:
    """Return the fields as they are where the source has no class with them."""
    gone = {entry.birth for entry in classes.values() if entry.state == "retired"}
    return {
        birth: (
            replace(entry, state="retired")
            if entry.state == "disputed" or birth.rpartition(".")[0] in gone
            else entry
        )
        for birth, entry in fields.items()
    }


_Key = tuple[str, str]  # owner, attribute


def _fields(
    lock: Lock, model: Model, classes: dict[str, LockedClass], report: Report
) -> tuple[dict[_Key, LockedField], list[LockedField]]:
    locked, names = lock.fields_by_class(), lock.names()
    found: dict[_Key, LockedField] = {}
    kept: list[LockedField] = []
    for owner, fields in _by_owner(model).items():
        birth = classes[owner].birth
        book = FieldBook(birth, names.get(birth, birth), locked.get(birth, ()), report)
        entries = book.read(fields)
        kept += book.entries(entries)
        found.update(((owner, name), entry) for name, entry in entries.items())
    _report_moves(lock, model, classes, found, report)
    return found, kept


def _report_moves(
    lock: Lock,
    model: Model,
    classes: dict[str, LockedClass],
    found: dict[_Key, LockedField],
    report: Report,
) -> None:
    """Report new fields that a class above or below has lost."""
    births = {entry.birth for entry in found.values()}
    lost = {
        (birth.rpartition(".")[0], entry.name): entry
        for birth, entry in lock.fields.items()
        if entry.state == "field" and birth not in births
    }
    for owner, relative, field in _relations(model) if lost else ():
        new = found[owner, field.attribute].birth not in lock.fields
        known = classes.get(relative) if new else None
        old = lost.get((known.birth, field.name)) if known else None
        if known and old and old.kind == describe(field.kind):
            then = f"{known.simple_name}.{field.name}"
            now = f"{classes[owner].simple_name}.{field.name}"
            report.add(MovedField(field.span, then, now))


def _relations(model: Model) -> Iterator[tuple[str, str, Field]]:
    """Yield each field with its owner, and with each other class of the line it is in."""
    for cls in model.classes:
        line = (cls.name, *cls.ancestors)
        for field in cls.fields:
            yield from ((field.owner, n, field) for n in line if n != field.owner)


def _by_owner(model: Model) -> dict[str, list[Field]]:
    """Return the fields by the class that marks them first, its own spelling preferred."""
    found: dict[str, dict[str, Field]] = {cls.name: {} for cls in model.classes}
    for cls in model.classes:
        for field in cls.fields:
            fields = found.setdefault(field.owner, {})
            if field.attribute not in fields or field.owner == cls.name:
                fields[field.attribute] = field
    return {owner: list(fields.values()) for owner, fields in found.items()}


def _numbered(
    module: SavedModule,
    classes: dict[str, LockedClass],
    fields: dict[_Key, LockedField],
    members: dict[str, str],
) -> SavedModule:
    """Return a module with its numbers; the module itself if it has them already."""
    found = tuple(
        _numbered_class(cls, classes[cls.name].number, fields, members[cls.name])
        for cls in module.classes
    )
    same = all(map(operator.is_, found, module.classes))
    return module if same else replace(module, classes=found)


def _numbered_class(
    cls: SavedClass, number: int, fields: dict[_Key, LockedField], member: str
) -> SavedClass:
    numbers = [fields[f.owner, f.attribute].number for f in cls.fields]
    same = all(f.number == n for f, n in zip(cls.fields, numbers, strict=True))
    if same and (cls.number, cls.member) == (number, member):
        return cls
    found = (replace(f, number=n) for f, n in zip(cls.fields, numbers, strict=True))
    return replace(cls, number=number, member=member, fields=tuple(found))


def _member_names(model: Model) -> dict[str, str]:
    """Return the member of `SaveLoadableType` for each class; of two alike, a longer one."""
    simple = {cls.name: upper_snake(cls.simple_name) for cls in model.classes}
    counts = Counter(simple.values())
    return {
        name: member if counts[member] == 1 else _qualified(name)
        for name, member in simple.items()
    }


def _qualified(name: str) -> str:
    parts = name.replace(":", ".").split(".")
    return "_".join(upper_snake(part) for part in parts)


def _members(lock: Lock, model: Model, report: Report) -> dict[str, str]:
    alive: set[str] = set()
    users: dict[str, Field | SavedClass] = {}
    for module in model.modules.values():
        for name, members in module.enums:
            enum = _simple(name)
            users.setdefault(enum, _user_of(module, name))
            alive.update(f"{enum}.{member}" for member in members)
    for member, state in lock.members.items():
        user = users.get(member.rpartition(".")[0])
        if user and state == "member" and member not in alive:
            report.add(LostMember(user.span, member))
    kept = {m: "lost" if s == "disputed" else s for m, s in lock.members.items()}
    return {**kept, **dict.fromkeys(alive, "member")}


def _user_of(module: SavedModule, enum: str) -> Field | SavedClass:
    """Return the first field that leads to an enumeration, else its class."""
    fields = (field for cls in module.classes for field in cls.fields)
    leading = (f for f in fields if any(k.name == enum for _, k in reached(f, module)))
    return next(leading, module.classes[0])


def _parts(model: Model) -> dict[str, str]:
    return {
        f"{_simple(record.name)}.{name}": describe(kind)
        for module in model.modules.values()
        for record in module.records
        for name, kind, _ in record.fields
    }


def _simple(name: str) -> str:
    return name.rpartition(":")[2]


def _report_clashes(
    model: Model, lock: Lock, classes: dict[str, LockedClass], report: Report
) -> None:
    alive = {entry.birth for entry in classes.values()}
    gone = (entry for entry in lock.classes.values() if entry.birth not in alive)
    taken = {entry.number: entry.simple_name for entry in gone}
    _one_each({cls.name: cls for cls in model.classes}, taken, report)
    lost = _lost_fields(lock)
    for cls in model.classes:
        births = {classes[field.owner].birth for field in cls.fields}
        taken = {n: name for birth in births for n, name in lost.get(birth, {}).items()}
        fields = {f"{cls.simple_name}.{field.name}": field for field in cls.fields}
        _one_each(fields, taken, report)


def _lost_fields(lock: Lock) -> dict[str, dict[int, str]]:
    """Return the numbers that only old saves hold, by the birth of their class."""
    lost: dict[str, dict[int, str]] = {}
    for birth, fields in lock.fields_by_class().items():
        if numbers := {f.number: f.birth for f in fields if f.state != "field"}:
            lost[birth] = numbers
    return lost


def _one_each(
    named: Mapping[str, Field | SavedClass], taken: dict[int, str], report: Report
) -> None:
    for name, thing in named.items():
        if thing.number in taken:
            report.add(NumberClash(thing.span, name, taken[thing.number]))
        taken[thing.number] = name
