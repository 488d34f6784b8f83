"""Decide which unused entries the lock keeps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from savegen.lock.facts import LockedClass, Member, owner_of


def settled(
    known: Mapping[str, Member],
    homes: Mapping[str, LockedClass],
    kept: Iterable[Member],
) -> dict[str, Member]:
    """Return the fields, or the parts, of all classes by birth.

    `kept` are those of the classes that the source has; the others stay as they were `known`.
    """
    gone = {entry.birth for entry in homes.values() if entry.state == "retired"}
    others = {
        birth: (
            replace(entry, state="retired")
            if entry.state == "disputed" or owner_of(birth) in gone
            else entry
        )
        for birth, entry in known.items()
    }
    return {**others, **{entry.birth: entry for entry in kept}}
