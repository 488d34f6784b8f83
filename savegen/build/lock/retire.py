"""Retire names for good: `savegen lock retire Enemy.hp`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from msgspec.structs import replace

from savegen.build.lock.facts import (
    DISPUTED,
    RETIRED,
    SORTS,
    Lock,
    LockedClass,
    LockedField,
    LockError,
    Sort,
    owner_of,
)
from savegen.build.lock.source import declared
from savegen.build.lock.spelling import Spelling
from savegen.build.model import Model

_EMPTY = Model(())


class _Named(NamedTuple):
    """What the name means: a class, prefab or record, or one `field` of it."""

    sort: Sort
    entry: LockedClass
    field: LockedField | None = None


def retire(lock: Lock, name: str, model: Model = _EMPTY) -> Lock:
    """Return the lock with everything of that name marked as gone for good.

    That may be a class, a prefab, a record, a field of one, or an enum member; a class that was
    also a prefab is both, as far as it is gone. A field is retired in subclasses too. A retired
    number is never used again; a load drops what old saves hold under it.

    Raises `LockError` if the lock has nothing of that name, or more than one; or if what it
    names is still in the `model` of the source.
    """
    if lock.members.get(name) in ("member", DISPUTED):
        _must_be_gone(name, name not in _enum_members(model))
        return replace(lock, members={**lock.members, name: "lost"})
    found = list(_homes(lock, name)) or list(_fields(lock, name))
    if not found:
        raise LockError(
            f"savegen.lock has no class, prefab, field, part or enum member {name!r}"
        )
    _must_be_one(lock, name, found)
    gone = [each for each in found if not _is_there(each, model)]
    _must_be_gone(name, bool(gone))
    for each in gone:
        lock = _without(lock, each, model)
    return lock


def _homes(lock: Lock, name: str) -> Iterator[_Named]:
    """Yield the classes, prefabs and records that are called `name` and not retired."""
    for sort in SORTS:
        for entry in lock.homes(sort).values():
            if entry.state != RETIRED and name in entry.names:
                yield _Named(sort, entry)


def _fields(lock: Lock, name: str) -> Iterator[_Named]:
    owner, _, simple = name.rpartition(".")
    for sort, entry, _ in _homes(lock, owner):
        for field in _owned(lock, sort, entry):
            if field.name == simple and field.state != RETIRED:
                yield _Named(sort, entry, field)


def _owned(lock: Lock, sort: Sort, entry: LockedClass) -> Iterator[LockedField]:
    for field in lock.fields_of(sort).values():
        if owner_of(field.birth) == entry.birth:
            yield field


def _must_be_one(lock: Lock, name: str, found: list[_Named]) -> None:
    """Raise `LockError` unless all that was found is at one place of the source."""
    if len({each.entry.home for each in found}) == 1:
        births = {(each.sort.what, each.entry.birth) for each in found}
        if len(births) == len({each.sort.what for each in found}):
            return
    called = {lock.names(each.sort)[each.entry.birth] for each in found}
    sorts = dict.fromkeys(each.sort.what for each in found)
    what = name if found[0].field is None else name.rpartition(".")[0]
    raise LockError(
        f"more than one {' or '.join(sorts)} is called {what!r}:"
        f" write {' or '.join(sorted(called))}"
    )


def _must_be_gone(name: str, is_gone: bool) -> None:
    if not is_gone:
        raise LockError(f"{name} is still in the source: remove it there first")


def _is_there(found: _Named, model: Model) -> bool:
    for item in declared(found.sort, model, Spelling(model)):
        if item.home == found.entry.home:
            return found.field is None or found.field.name in item.names
    return False


def _enum_members(model: Model) -> set[str]:
    spelling = Spelling(model)
    return {
        f"{spelling.enum(enum)}.{member}"
        for module in model.modules.values()
        for enum, members in module.enums
        for member in members
    }


def _without(lock: Lock, found: _Named, model: Model) -> Lock:
    """Return the lock with a class or a field retired; a class with all its fields."""
    sort, entry, field = found
    homes = lock.homes(sort)
    if field is None:
        homes = {**homes, entry.birth: replace(entry, state=RETIRED)}
        gone = list(_owned(lock, sort, entry))
    else:
        gone = [
            each
            for heir in _heirs(lock, sort, entry, field, model)
            for each in _owned(lock, sort, heir)
            if each.name == field.name
        ]
    fields = {each.birth: replace(each, state=RETIRED) for each in gone}
    return lock.having(sort, homes, {**lock.fields_of(sort), **fields})


def _heirs(
    lock: Lock, sort: Sort, entry: LockedClass, field: LockedField, model: Model
) -> Iterator[LockedClass]:
    """Yield what had the field: the class, and its subclasses that have lost it too."""
    yield entry
    by_home = {e.home: e for e in lock.homes(sort).values() if e.state != RETIRED}
    for item in declared(sort, model, Spelling(model)):
        is_heir = entry.home in item.bases and field.name not in item.names
        if is_heir and item.home in by_home:
            yield by_home[item.home]
