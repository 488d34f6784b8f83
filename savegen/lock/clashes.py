"""Find names that have the same number."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from savegen.lock.facts import LockedClass, LockedField, by_owner
from savegen.lock.faults import NumberClash
from savegen.model import Field, Part, Prefab, SavedClass

_Numbered = SavedClass | Field | Prefab | Part


def clashes(
    declared: Iterable[SavedClass | Prefab],
    members_of: Mapping[str, Iterable[Field | Part]],
    here: Mapping[str, LockedClass],
    homes: Mapping[str, LockedClass],
    members: Mapping[str, LockedField],
) -> Iterator[NumberClash]:
    """Yield a finding for each number that is used twice where it has to tell two apart.

    `members_of` are the fields, or the parts, by the name of what has them; `here` what the
    source has now, by its home; `homes` and `members` all that the lock keeps, by birth.
    """
    declared = list(declared)
    alive = {entry.birth for entry in here.values()}
    gone = (entry for entry in homes.values() if entry.birth not in alive)
    taken = {entry.number: entry.simple_name for entry in gone}
    yield from _one_each({each.name: each for each in declared}, taken)
    lost = _lost(members)
    for each in declared:
        births = {here[member.owner].birth for member in members_of[each.name]}
        taken = {n: name for birth in births for n, name in lost.get(birth, {}).items()}
        named = {f"{each.simple_name}.{m.name}": m for m in members_of[each.name]}
        yield from _one_each(named, taken)


def _lost(members: Mapping[str, LockedField]) -> dict[str, dict[int, str]]:
    """Return the numbers that only old saves hold, by the birth of their class."""
    lost: dict[str, dict[int, str]] = {}
    for birth, entries in by_owner(members).items():
        if numbers := {e.number: e.birth for e in entries if e.state != "alive"}:
            lost[birth] = numbers
    return lost


def _one_each(
    named: Mapping[str, _Numbered], taken: dict[int, str]
) -> Iterator[NumberClash]:
    for name, thing in named.items():
        if thing.number in taken:
            yield NumberClash(thing.span, name, taken[thing.number])
        taken[thing.number] = name
