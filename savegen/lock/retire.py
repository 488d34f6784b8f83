"""Saying that something will not come back: `savegen lock retire Enemy.hp`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from savegen.lock.facts import Lock, LockError
from savegen.model import Model

_EMPTY = Model(())


def retire(lock: Lock, name: str, model: Model = _EMPTY) -> Lock:
    """Return the lock with a class, a field or an enum member marked as gone for good.

    A retired number is never used again; what old saves hold under it is dropped.

    Raises `LockError` if the lock knows nothing of that name, or too much; or if what it names
    is still in the `model`, which tells what the source has now.
    """
    if lock.members.get(name) in ("member", "disputed"):
        _must_be_gone(name, _members(model))
        return replace(lock, members={**lock.members, name: "lost"})
    if birth := _class(lock, name):
        home = lock.classes[birth].home
        _must_be_gone(name, (name for cls in model.classes if cls.name == home))
        return _without_class(lock, birth)
    class_name, _, field = name.rpartition(".")
    birth = _class(lock, class_name)
    for entry in lock.fields.values():
        of_class = entry.birth.rpartition(".")[0] == birth
        if birth and of_class and entry.name == field and entry.state != "retired":
            _must_be_gone(name, _fields(model, lock.classes[birth].home, class_name))
            gone = replace(entry, state="retired")
            return replace(lock, fields={**lock.fields, entry.birth: gone})
    raise LockError(f"savegen.lock knows no class, field or enum member {name!r}")


def _must_be_gone(name: str, alive: Iterable[str]) -> None:
    if name in alive:
        raise LockError(f"{name} is still in the source: take it out there first")


def _members(model: Model) -> Iterator[str]:
    for module in model.modules.values():
        for enum, members in module.enums:
            yield from (f"{enum.rpartition(':')[2]}.{member}" for member in members)


def _fields(model: Model, home: str, class_name: str) -> Iterator[str]:
    """Yield the fields of the class at `home`, as those of `class_name`."""
    for cls in model.classes:
        for field in cls.fields:
            if field.owner == home:
                yield f"{class_name}.{field.name}"


def _class(lock: Lock, name: str) -> str | None:
    """Return the birth of the living class that is called `name`."""
    found = [
        e for e in lock.classes.values() if e.state != "retired" and name in e.names
    ]
    if len(found) > 1:
        names = lock.names()
        called = " and ".join(sorted(names[entry.birth] for entry in found))
        raise LockError(f"more than one class is called {name!r}: say {called}")
    return found[0].birth if found else None


def _without_class(lock: Lock, birth: str) -> Lock:
    fields = {
        key: (
            replace(entry, state="retired")
            if entry.birth.rpartition(".")[0] == birth
            else entry
        )
        for key, entry in lock.fields.items()
    }
    gone = replace(lock.classes[birth], state="retired")
    return replace(lock, classes={**lock.classes, birth: gone}, fields=fields)
