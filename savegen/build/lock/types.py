"""Name the members of the two enums in `types.py`."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable

from savegen.build.lock.facts import ALIVE, Lock
from savegen.build.lock.source import simple
from savegen.build.model import Model, upper_snake


def class_members(model: Model) -> dict[str, str]:
    """Return the member of `SaveLoadableType` for each class, by its name."""
    return members_of(cls.name for cls in model.classes)


def prefab_types(lock: Lock) -> tuple[tuple[str, int], ...]:
    """Return the members of `PrefabType`, sorted: those of the living prefabs of the lock.

    No name is there twice, whatever a merge has left.
    """
    entries = sorted(lock.prefabs.items())
    numbers = {entry.home: entry.number for _, entry in entries if entry.state == ALIVE}
    found: dict[str, tuple[str, int]] = {}
    for home, member in members_of(numbers).items():
        found[unicodedata.normalize("NFKC", member)] = (member, numbers[home])
    return tuple(sorted(found.values()))


def members_of(names: Iterable[str]) -> dict[str, str]:
    """Return a member for each name; of two alike, a longer one."""
    short = {name: upper_snake(simple(name)) for name in names}
    counts = Counter(short.values())
    return {
        name: member if counts[member] == 1 else _qualified(name)
        for name, member in short.items()
    }


def _qualified(name: str) -> str:
    parts = name.replace(":", ".").split(".")
    return "_".join(upper_snake(part) for part in parts)
