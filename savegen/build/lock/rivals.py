"""Choose between lock entries with one name, which a merge can leave behind."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from savegen.build.lock.facts import ALIVE, Entry, first_birth, own_name

Key = TypeVar("Key", str, int)


def by_key(keyed: Iterable[tuple[Key, Entry]]) -> dict[Key, list[Entry]]:
    """Return all entries of each key."""
    found: dict[Key, list[Entry]] = {}
    for key, entry in keyed:
        found.setdefault(key, []).append(entry)
    return found


def candidates(rivals: list[Entry], known_as: str, was: Iterable[str]) -> list[Entry]:
    """Return what a name can mean; more than one only where the source has to say.

    All rivals are `known_as` the same. A former name decides; then, that something is not
    gone; and of two births under one name the later, which is there because the first was
    given up. That it was called what all of them were tells least.
    """
    if len(rivals) < 2:
        return rivals
    rivals = _told(rivals, sorted(was, key=lambda name: name == known_as))
    alive = [entry for entry in rivals if entry.state == ALIVE]
    latest = {
        first_birth(entry.birth): entry for entry in sorted(alive or rivals, key=_order)
    }
    return list(latest.values())


def only(found: Sequence[Entry]) -> Entry:
    """Return the same one whatever the order of the lines, if need be."""
    return found[0] if len(found) == 1 else max(found, key=_order)


def _told(rivals: list[Entry], was: Iterable[str]) -> list[Entry]:
    for name in was:
        born = [entry for entry in rivals if first_birth(entry.birth) == name]
        if born := born or [e for e in rivals if own_name(e.birth) == name]:
            return born
    return rivals


def _order(entry: Entry) -> tuple[str, int]:
    first = first_birth(entry.birth)
    return first, int(entry.birth[len(first) + 1 :] or 1)
