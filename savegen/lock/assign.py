"""Assign numbers to a model from the lock, and return the updated lock."""

from __future__ import annotations

import operator
from collections.abc import Iterator

from msgspec.structs import replace

from savegen.lock.classes import ClassBook
from savegen.lock.clashes import clashes
from savegen.lock.facts import Lock, LockedClass, LockedField, owner_of, retired
from savegen.lock.faults import LostMember
from savegen.lock.fields import FieldBook, read_members
from savegen.lock.moves import moves
from savegen.lock.prefabs import assign_prefabs
from savegen.lock.settle import settled
from savegen.lock.types import class_members, prefab_types
from savegen.model import Field, Model, SavedClass, SavedModule, describe, reached
from savegen.report import Report


def assign(lock: Lock, model: Model, report: Report) -> tuple[Model, Lock]:
    """Return the model with every number set, and the lock that goes with it.

    What vanished, and what may have been renamed, is reported.
    """
    book = ClassBook(lock, model, report)
    classes = book.read()
    fields, kept = _fields(lock, model, classes, report)
    members = class_members(model)
    entries = book.entries()
    after = replace(
        lock,
        classes=entries,
        fields=settled(lock.fields, entries, kept),
        members=_members(lock, model, report),
        records=_records(model),
    )
    gone = _Gone(after)
    modules = [
        _numbered(module, classes, fields, members, gone)
        for module in model.modules.values()
    ]
    numbered = Model(
        modules, prefab_types(lock), model.save_version, gone.classes_and_prefabs(model)
    )
    members_of = {cls.name: cls.fields for cls in numbered.classes}
    report.extend(clashes(numbered.classes, members_of, classes, entries, after.fields))
    return numbered, after


_Key = tuple[str, str]  # owner, attribute


class _Gone:
    """The numbers of all that will not come back."""

    def __init__(self, after: Lock) -> None:
        self._after = after
        self._fields: dict[str, list[int]] = {}  # by the home of their class
        for field in after.fields.values():
            owner = after.classes.get(owner_of(field.birth))
            if field.state == "retired" and owner:
                self._fields.setdefault(owner.home, []).append(field.number)

    def fields_of(self, cls: SavedClass) -> tuple[int, ...]:
        """Return those of the fields of a class, and of its bases."""
        line = (cls.name, *cls.ancestors) if self._fields else ()
        found = (number for name in line for number in self._fields.get(name, ()))
        return tuple(sorted(found))

    def classes_and_prefabs(self, model: Model) -> tuple[int, ...]:
        """Return those of classes, and of prefabs as pass 2 will leave them in the lock."""
        _, after = assign_prefabs(self._after, model, Report())
        return retired([*after.classes.values(), *after.prefabs.values()])


def _fields(
    lock: Lock, model: Model, classes: dict[str, LockedClass], report: Report
) -> tuple[dict[_Key, LockedField], list[LockedField]]:
    locked, names = lock.fields_by_class(), lock.names()
    found, kept = read_members(
        FieldBook, _by_owner(model), classes, names, locked, report
    )
    report.extend(moves(lock.fields, classes, found, _relations(model)))
    return found, kept


def _relations(model: Model) -> Iterator[tuple[Field, str]]:
    """Yield each field with each other class of the line it is in."""
    for cls in model.classes:
        line = (cls.name, *cls.ancestors)
        for field in cls.fields:
            yield from ((field, name) for name in line if name != field.owner)


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
    gone: _Gone,
) -> SavedModule:
    """Return a module with its numbers; the module itself if it has them already."""
    found = tuple(
        _numbered_class(
            cls,
            classes[cls.name].number,
            fields,
            members[cls.name],
            gone.fields_of(cls),
        )
        for cls in module.classes
    )
    same = all(map(operator.is_, found, module.classes))
    return module if same else replace(module, classes=found)


def _numbered_class(
    cls: SavedClass,
    number: int,
    fields: dict[_Key, LockedField],
    member: str,
    gone: tuple[int, ...],
) -> SavedClass:
    numbers = [fields[f.owner, f.attribute].number for f in cls.fields]
    same = all(f.number == n for f, n in zip(cls.fields, numbers, strict=True))
    if same and (cls.number, cls.member, cls.retired) == (number, member, gone):
        return cls
    found = (replace(f, number=n) for f, n in zip(cls.fields, numbers, strict=True))
    return replace(cls, number=number, member=member, fields=tuple(found), retired=gone)


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
            field = user.name if isinstance(user, Field) else ""
            report.add(LostMember(user.span, member, field))
    kept = {m: "lost" if s == "disputed" else s for m, s in lock.members.items()}
    return {**kept, **dict.fromkeys(alive, "member")}


def _user_of(module: SavedModule, enum: str) -> Field | SavedClass:
    """Return the first field that leads to an enumeration, else its class."""
    fields = (field for cls in module.classes for field in cls.fields)
    leading = (f for f in fields if any(k.name == enum for _, k in reached(f, module)))
    return next(leading, module.classes[0])


def _records(model: Model) -> dict[str, str]:
    return {
        f"{_simple(record.name)}.{name}": describe(kind)
        for module in model.modules.values()
        for record in module.records
        for name, kind, _ in record.fields
    }


def _simple(name: str) -> str:
    return name.rpartition(":")[2]
