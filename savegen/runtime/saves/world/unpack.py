"""A snapshot made of plain data: its objects are new, nothing of the game's has run."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from savegen.runtime.collecting import Paused
from savegen.runtime.manager import SaveLoadManager
from savegen.runtime.saves.world.asides import Asides
from savegen.runtime.saves.document import STATES, TOMBSTONES, Document
from savegen.runtime.saves.world.former import with_numbers_of_today
from savegen.runtime.saves.world.generating import Generators
from savegen.runtime.saves.world.known import Known, Tables
from savegen.runtime.saves.world.members import Members, texts
from savegen.runtime.saves.world.placing import indices_of, records_of
from savegen.runtime.saves.wire import LOST
from savegen.runtime.saves.world.wiring import wires_of
from savegen.runtime.snapshot import Snapshot


def unpack(
    document: Document, manager: SaveLoadManager, *, is_once: bool = False
) -> Snapshot:
    """Return the snapshot that a document tells of, for `manager.apply_snapshot`.

    Its objects are new, without a prefab's constructor or any hook having run; the world of
    the manager is as it was. What the game does not know is kept aside. A snapshot that is
    applied but once, and nothing else done with it, is made in less time.

    Raises `SaveError` for what contradicts itself, or cannot be read by today's game.
    """
    state = random.getstate()
    try:
        with Paused():
            return _unpacked(document, manager, is_once)
    finally:
        random.setstate(state)  # the initialisers of foreign bases may have rolled


def _unpacked(document: Document, manager: SaveLoadManager, is_once: bool) -> Snapshot:
    world = manager.world
    document = with_numbers_of_today(document, world.registry)
    wires = wires_of(world.registry)
    members = Members(document, world.registry, world.prefabs)
    generators = Generators(document, wires)
    asleep = Known(members, members.objects, world, generators)
    things = Known(members, _awake(members), world, generators)
    asides = Asides(document, members, world.registry, things)
    tables = Tables(document, members, wires, things, asleep, asides, is_once)
    prefabs = {int(each): each for each in _types(world.prefabs)}
    records, waiting = records_of(members, prefabs)
    indices = indices_of(document, records, members)
    found = {type(table.objects[0]): table for table in tables.read()}
    states = dict(_states(document))
    mine = {name: value for name, value in states.items() if name in manager.states}
    attic = asides.attic(waiting, {n: v for n, v in states.items() if n not in mine})
    return Snapshot(
        world,
        records,
        indices,
        found,
        dict(zip(mine, wires.dynamic.read([*mine.values()], things))),
        _tombstones(document),
        outside={},
        covers=None,
        dangling=document.dangling,
        met=members.met,
        aside=attic or None,
        is_fresh=True,
    )


def _awake(members: Members) -> list[Any]:
    """Return what is in the world, by number."""
    if not members.absent:
        return members.objects
    objects = enumerate(members.objects)
    return [LOST if number in members.absent else each for number, each in objects]


def _types(prefabs: Any) -> Iterator[int]:
    """Yield the types of prefabs that have a number."""
    for each in prefabs:
        found = getattr(each, "type", each)
        if isinstance(found, int):
            yield found


def _states(document: Document) -> Iterator[tuple[str, Any]]:
    table = document.table(STATES)
    yield from zip(texts(table.values(0)), table.values(1), strict=True)


def _tombstones(document: Document) -> dict[str, str | None]:
    table = document.table(TOMBSTONES)
    placements, levels = texts(table.values(0)), texts(table.values(1))
    return dict(zip(placements, levels, strict=True))
