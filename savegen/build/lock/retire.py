"""Retire names for good: `savegen lock retire Enemy.hp`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from msgspec.structs import replace

from savegen.build.lock.file import (
    ALIVE,
    CATEGORIES,
    DISPUTED,
    RETIRED,
    RETIRED_MEMBER,
    Category,
    Lock,
    LockError,
    LockedClass,
    LockedField,
    owner_of,
)
from savegen.build.lock.source import declared_classes
from savegen.build.lock.kind_texts import KindTexts
from savegen.build.model import Model

_EMPTY = Model(())


class _Target(NamedTuple):
    """An entry to retire: a class, prefab or record, or one `field` of it."""

    category: Category
    entry: LockedClass
    field: LockedField | None = None


def retire(lock: Lock, name: str, model: Model = _EMPTY) -> Lock:
    """Return the lock with the entry of that name retired.

    The name may be that of a class, a prefab, a record, a field or part of one, or an enum
    member. If a class was also a prefab, the class and the prefab are each retired if the source
    no longer has them. A field is also retired in the subclasses that no longer have it. A
    retired number is never used again; a load drops the values that old saves hold under it.

    Raises `LockError` if no entry or more than one has that name, or if it is still in
    `model`.
    """
    if lock.members.get(name) in (ALIVE, DISPUTED):
        _check_removed(name, name not in _enum_members(model))
        return replace(lock, members={**lock.members, name: RETIRED_MEMBER})
    targets = list(_owner_targets(lock, name)) or list(_field_targets(lock, name))
    if not targets:
        raise LockError(
            f"savegen.lock has no class, prefab, record, field, part or enum member {name!r}"
        )
    _check_unambiguous(lock, name, targets)
    removed = [target for target in targets if not _is_in_source(target, model)]
    _check_removed(name, bool(removed))
    for target in removed:
        lock = _retired(lock, target, model)
    return lock


def _owner_targets(lock: Lock, name: str) -> Iterator[_Target]:
    """Yield the classes, prefabs and records with this name that are not retired."""
    for category in CATEGORIES:
        for entry in lock.owners(category).values():
            if entry.state != RETIRED and name in entry.names:
                yield _Target(category, entry)


def _field_targets(lock: Lock, name: str) -> Iterator[_Target]:
    owner, _, simple = name.rpartition(".")
    for category, entry, _ in _owner_targets(lock, owner):
        for field in _fields_of(lock, category, entry):
            if field.name == simple and field.state != RETIRED:
                yield _Target(category, entry, field)


def _fields_of(
    lock: Lock, category: Category, entry: LockedClass
) -> Iterator[LockedField]:
    for field in lock.fields_of(category).values():
        if owner_of(field.birth) == entry.birth:
            yield field


def _check_unambiguous(lock: Lock, name: str, targets: list[_Target]) -> None:
    """Raise `LockError` if the name means several classes, prefabs or records."""
    if len({each.entry.location for each in targets}) == 1:
        births = {(each.category.noun, each.entry.birth) for each in targets}
        if len(births) == len({each.category.noun for each in targets}):
            return
    # For a field, suggest its full name: the name of the class alone would retire the class.
    last = "" if targets[0].field is None else f".{targets[0].field.name}"
    names = {lock.names(each.category)[each.entry.birth] + last for each in targets}
    nouns = dict.fromkeys(each.category.noun for each in targets)
    owner = name if targets[0].field is None else name.rpartition(".")[0]
    raise LockError(
        f"more than one {' or '.join(nouns)} is called {owner!r}:"
        f" write {' or '.join(sorted(names))}"
    )


def _check_removed(name: str, is_removed: bool) -> None:
    if not is_removed:
        raise LockError(f"{name} is still in the source: remove it there first")


def _is_in_source(target: _Target, model: Model) -> bool:
    for item in declared_classes(target.category, model, KindTexts(model)):
        if item.location == target.entry.location:
            return target.field is None or target.field.name in item.names
    return False


def _enum_members(model: Model) -> set[str]:
    texts = KindTexts(model)
    return {
        f"{texts.enum(enum)}.{member}"
        for module in model.modules.values()
        for enum, members in module.enums
        for member in members
    }


def _retired(lock: Lock, target: _Target, model: Model) -> Lock:
    """Return the lock with a class and its fields, or with one field, retired."""
    category, entry, field = target
    owners = lock.owners(category)
    if field is None:
        owners = {**owners, entry.birth: replace(entry, state=RETIRED)}
        removed = list(_fields_of(lock, category, entry))
    else:
        removed = [
            each
            for owner in _classes_without(lock, category, entry, field, model)
            for each in _fields_of(lock, category, owner)
            if each.name == field.name
        ]
    fields = {each.birth: replace(each, state=RETIRED) for each in removed}
    return lock.with_entries(category, owners, {**lock.fields_of(category), **fields})


def _classes_without(
    lock: Lock, category: Category, entry: LockedClass, field: LockedField, model: Model
) -> Iterator[LockedClass]:
    """Yield the class of a field, and the subclasses that no longer have the field."""
    yield entry
    by_location = {
        e.location: e for e in lock.owners(category).values() if e.state != RETIRED
    }
    for item in declared_classes(category, model, KindTexts(model)):
        is_without = entry.location in item.bases and field.name not in item.names
        if is_without and item.location in by_location:
            yield by_location[item.location]
