"""For the tests of games: does an object come back from a save as it went in?"""

from __future__ import annotations

from typing import Any

from savegen.runtime.capture import Capture
from savegen.runtime.filling import Filling
from savegen.runtime.keys import SlotKey
from savegen.runtime.matching import Match
from savegen.runtime.objects import GameObject, SlotMapReference
from savegen.runtime.registry import Registry
from savegen.runtime.snapshot import Snapshot, differing_fields
from savegen.runtime.unknown import OnUnknown
from savegen.runtime.world import World


def assert_round_trip(thing: Any, registry: Registry) -> None:
    """Assert that an object, and all that it leads to, is the same after a save and a load.

    No hook is called, and the object may be part of a world or not. Raises `AssertionError`
    that names the class and the fields that differ, and `SaveError` where something cannot
    be saved at all.

    >>> from savegen.runtime.registry import FORMAT
    >>> assert_round_trip(GameObject(position=(1.0, 2.0, 0.0)), Registry(FORMAT, ()))
    """
    before = _captured(thing, registry)
    copied = _copied(before, registry)
    after = _captured(copied, registry)
    lost = [*_lost(before, after)]
    assert not lost, f"not the same after a save and a load: {', '.join(lost)}"
    assert (
        before.digest() == after.digest()
    ), "the objects do not refer to each other alike"


def _captured(thing: Any, registry: Registry) -> Snapshot:
    """Return a world with nothing else in it; the object stays where it is."""
    watcher = thing.watcher if isinstance(thing, GameObject) else None
    world = World(registry)
    if isinstance(thing, GameObject):
        thing.watcher = None
    try:
        world.add(SlotMapReference(SlotKey(0, 0), thing))
        return Capture(world).run({}, strict=True)
    finally:
        if isinstance(thing, GameObject):
            thing.watcher = watcher


def _copied(snapshot: Snapshot, registry: Registry) -> Any:
    world = World(registry)
    match = Match(world, snapshot, lambda prefab: None, OnUnknown.ERROR).as_copies()
    (top,) = snapshot.records
    stand_in = match.stand_ins[id(top.object)]
    keys = {top.key: world.insert(top.with_object(stand_in))}
    for key, met in snapshot.met.items():
        keys[key] = world.met.add(match.stand_ins[id(met)])
    filling = Filling(world, snapshot.tables.values(), match, keys)
    filling.compare()
    filling.fill(lambda: None)
    return stand_in


def _lost(before: Snapshot, after: Snapshot) -> list[str]:
    """Return the fields that hold something else, references left out."""
    found: dict[str, None] = {}
    for cls, table in before.tables.items():
        other = after.tables.get(cls)
        if other is None or len(other.objects) != len(table.objects):
            found[f"`{cls.__qualname__}`"] = None
            continue
        for place in range(len(table.objects)):
            for name in differing_fields(table, place, other, place, objects=False):
                found[f"`{cls.__qualname__}.{name}`"] = None
    return [*found]
