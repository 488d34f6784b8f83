"""Find names that have the same number."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from savegen.build.lock.facts import ALIVE, LockedClass, LockedField, by_owner
from savegen.build.lock.faults import NumberClash
from savegen.build.lock.source import Thing, dotted


def clashes(
    things: Iterable[Thing],
    here: Mapping[str, LockedClass],
    homes: Mapping[str, LockedClass],
    fields: Mapping[str, LockedField],
) -> Iterator[NumberClash]:
    """Yield a finding for each number that two names have where it has to tell them apart.

    `here` is what the source has, by home; `homes` and `fields` all that the lock keeps.
    """
    owned = by_owner(fields)
    taken: dict[int, LockedClass] = {e.number: e for e in homes.values()}
    for thing in things:
        mine = here[thing.home]
        other = taken[mine.number]
        if other.birth != mine.birth:
            yield NumberClash(thing.span, dotted(thing.home), dotted(other.home))
        yield from _of_fields(thing, owned.get(mine.birth, []))


def _of_fields(thing: Thing, entries: list[LockedField]) -> Iterator[NumberClash]:
    spans = {slot.name: slot.span for slot in thing.slots}
    taken: dict[int, LockedField] = {}
    for entry in sorted(entries, key=lambda each: each.state != ALIVE):
        other = taken.setdefault(entry.number, entry)
        if other is not entry and other.name in spans:
            names = (f"{thing.simple_name}.{each.name}" for each in (entry, other))
            yield NumberClash(spans[other.name], *names)
