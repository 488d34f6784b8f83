"""Find fields and parts that moved between a class and its base."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from savegen.lock.facts import LockedClass, Member, owner_of
from savegen.lock.faults import MovedField
from savegen.lock.fields import Declared, attribute


def moves(
    known: Mapping[str, Member],
    homes: Mapping[str, LockedClass],
    found: Mapping[tuple[str, str], Member],
    relations: Iterable[tuple[Declared, str]],
) -> Iterator[MovedField]:
    """Yield a finding for each new field, or part, that a class above or below has lost.

    `known` are those of the lock, `found` those of the source by owner and attribute, and
    `relations` these with each other class that they could have been declared in.
    """
    births = {entry.birth for entry in found.values()}
    lost = {
        (owner_of(birth), entry.name): entry
        for birth, entry in known.items()
        if entry.state == "alive" and birth not in births
    }
    for declared, relative in relations if lost else ():
        new = found[declared.owner, attribute(declared)]
        home = homes.get(relative) if new.birth not in known else None
        old = lost.get((home.birth, declared.name)) if home else None
        if home and old and old.kind == new.kind:
            then = f"{home.simple_name}.{declared.name}"
            now = f"{homes[declared.owner].simple_name}.{declared.name}"
            yield MovedField(declared.span, then, now)
