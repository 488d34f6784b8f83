"""Retire names for good: `savegen lock retire Enemy.hp`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from msgspec.structs import replace

from savegen.lock.facts import Lock, LockedClass, LockedField, LockError, owner_of
from savegen.model import Field, Model, Part

_EMPTY = Model(())


class _Sort(NamedTuple):
    """Classes with their fields, or prefabs with their parts."""

    what: str
    homes: Mapping[str, LockedClass]
    members: Mapping[str, LockedField]
    called: Mapping[str, str]  # by birth
    there: Mapping[str, set[str]]  # names of members in the source, by home


class _Found(NamedTuple):
    """Something that the name means; `member` if it is not all of it."""

    sort: _Sort
    entry: LockedClass
    member: LockedField | None = None

    @property
    def is_there(self) -> bool:
        names = self.sort.there.get(self.entry.home)
        if self.member is None or names is None:
            return names is not None
        return self.member.name in names


def retire(lock: Lock, name: str, model: Model = _EMPTY) -> Lock:
    """Return the lock with what is called so marked as gone for good.

    That may be a class, a prefab, a field, a part or an enum member; a class that was a prefab
    too is both, as far as it is gone. A retired number is never used again; what old saves
    hold under it is dropped.

    Raises `LockError` if the lock knows nothing of that name, or too much; or if what it names
    is still in the `model`, which tells what the source has now.
    """
    if lock.members.get(name) in ("member", "disputed"):
        _must_be_gone(name, name not in _enum_members(model))
        return replace(lock, members={**lock.members, name: "lost"})
    sorts = _sorts(lock, model)
    found = list(_homes(sorts, name)) or list(_members(sorts, name))
    if not found:
        raise LockError(
            f"savegen.lock has no class, prefab, field, part or enum member {name!r}"
        )
    _must_be_one(name, found)
    gone = [each for each in found if not each.is_there]
    _must_be_gone(name, bool(gone))
    for each in gone:
        lock = _without(lock, each)
    return lock


def _sorts(lock: Lock, model: Model) -> tuple[_Sort, _Sort]:
    fields = {cls.name: cls.fields for cls in model.classes}
    parts = {prefab.name: prefab.parts for prefab in model.prefabs}
    return (
        _Sort("class", lock.classes, lock.fields, lock.names(), _there(fields)),
        _Sort("prefab", lock.prefabs, lock.parts, lock.prefab_names(), _there(parts)),
    )


def _there(members: Mapping[str, Iterable[Field | Part]]) -> dict[str, set[str]]:
    """Return the names in the source by what declares them first."""
    found: dict[str, set[str]] = {home: set() for home in members}
    for each in (member for some in members.values() for member in some):
        found.setdefault(each.owner, set()).add(each.name)
    return found


def _homes(sorts: Iterable[_Sort], name: str) -> Iterator[_Found]:
    """Yield the living classes and prefabs that are called `name`."""
    for sort in sorts:
        for entry in sort.homes.values():
            if entry.state != "retired" and name in entry.names:
                yield _Found(sort, entry)


def _members(sorts: Iterable[_Sort], name: str) -> Iterator[_Found]:
    owner, _, simple = name.rpartition(".")
    for sort, entry, _ in _homes(sorts, owner):
        for member in sort.members.values():
            is_of_it = owner_of(member.birth) == entry.birth
            if is_of_it and member.name == simple and member.state != "retired":
                yield _Found(sort, entry, member)


def _must_be_one(name: str, found: list[_Found]) -> None:
    """Raise `LockError` unless it is at one place; of one place there may be one of a sort."""
    births = {(each.sort.what, each.entry.birth) for each in found}
    sorts = dict.fromkeys(each.sort.what for each in found)
    if len(births) == len(sorts) and len({each.entry.home for each in found}) == 1:
        return
    called = {each.sort.called[each.entry.birth] for each in found}
    what = name if found[0].member is None else name.rpartition(".")[0]
    raise LockError(
        f"more than one {' or '.join(sorts)} is called {what!r}:"
        f" write {' or '.join(sorted(called))}"
    )


def _must_be_gone(name: str, is_gone: bool) -> None:
    if not is_gone:
        raise LockError(f"{name} is still in the source: remove it there first")


def _enum_members(model: Model) -> set[str]:
    return {
        f"{enum.rpartition(':')[2]}.{member}"
        for module in model.modules.values()
        for enum, members in module.enums
        for member in members
    }


def _without(lock: Lock, found: _Found) -> Lock:
    """Return the lock with one thing retired, and what belongs to it."""
    _, entry, member = found
    if member is not None:
        gone: dict[str, LockedField] = {member.birth: replace(member, state="retired")}
        return _with(lock, found.sort, {}, gone)
    gone = {
        each.birth: replace(each, state="retired")
        for each in found.sort.members.values()
        if owner_of(each.birth) == entry.birth
    }
    return _with(lock, found.sort, {entry.birth: replace(entry, state="retired")}, gone)


def _with(
    lock: Lock,
    sort: _Sort,
    homes: Mapping[str, LockedClass],
    members: Mapping[str, LockedField],
) -> Lock:
    homes, members = {**sort.homes, **homes}, {**sort.members, **members}
    if sort.what == "class":
        return replace(lock, classes=homes, fields=members)
    return replace(lock, prefabs=homes, parts=members)
