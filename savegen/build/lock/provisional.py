"""Entries of the lock that no version but the working copy can hold: nobody needs them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from savegen.build.lock.facts import SORTS, Lock, LockedClass, LockedField

# The locks of releases and of git; `None` if git cannot tell.
Committed = Callable[[], Sequence[Lock] | None]


class Provisional:
    """Answers whether an entry may vanish without a question; asks git only then."""

    def __init__(self, committed: Committed = lambda: None) -> None:
        self._committed = committed
        self._births: set[str] | None = None
        self._is_asked = False

    def has(self, entry: LockedClass | LockedField) -> bool:
        if not self._is_asked:
            self._is_asked = True
            locks = self._committed()
            if locks is not None:
                self._births = {birth for lock in locks for birth in _births(lock)}
        return self._births is not None and _key(entry) not in self._births


def _births(lock: Lock) -> set[str]:
    tables = (t for s in SORTS for t in (lock.homes(s), lock.fields_of(s)))
    return {_key(entry) for table in tables for entry in table.values()}


def _key(entry: LockedClass | LockedField) -> str:
    return f"{entry.number} {entry.birth}"
