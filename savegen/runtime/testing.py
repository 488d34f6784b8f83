"""`assert_round_trip`, for tests of games: a save and a load do not change an object."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from savegen.runtime.assets import AssetRegistry, OnUnknown
from savegen.runtime.capture import Capture
from savegen.runtime.changes import differing_fields
from savegen.runtime.from_rows import RowLoader
from savegen.runtime.matching import Match
from savegen.runtime.objects import GameObject
from savegen.runtime.prefabs import PrefabInfo
from savegen.runtime.registry import Registry
from savegen.runtime.snapshot import Placement, Snapshot
from savegen.runtime.world import World


def assert_round_trip(
    obj: Any,
    registry: Registry,
    *,
    assets: AssetRegistry | None = None,
    prefabs: PrefabInfo | None = None,
) -> None:
    """Assert that an object, and all it refers to, is the same after a save and a load.

    No hook is called, and the object may be part of a world or not. An object with the parts
    of one of the `prefabs` is built from it, as in a load, before its fields are set. Raises
    `AssertionError` with the class and the fields that differ, and `SaveError` if a value
    cannot be saved at all.

    >>> from savegen.runtime.registry import FORMAT
    >>> assert_round_trip(GameObject(position=(1.0, 2.0, 0.0)), Registry(FORMAT, ()))
    """
    world = World(registry, assets=assets)
    before = _captured(obj, world)
    built = dict(_prefabs_of(world, prefabs))
    before.placements = {key: Placement(prefab) for key, prefab in built.items()}
    copies = World(registry, assets=assets)
    _load(before, copies, prefabs)
    after = Capture(copies).run({}, strict=True)
    changed = dict.fromkeys(_changed(before, after))
    assert not changed, f"not the same after a save and a load: {', '.join(changed)}"


def _captured(obj: Any, world: World) -> Snapshot:
    """Return a snapshot of `world`, to which `obj` and all it refers to are added.

    `obj` stays in its own world, too.
    """
    watcher = getattr(obj, "watcher", None)
    is_object = isinstance(obj, GameObject)
    if is_object:
        obj.watcher = None
    try:
        world.add(obj)
        snapshot = Capture(world).run({}, strict=True)
    finally:
        if is_object:
            obj.watcher = watcher
    snapshot.world = None  # like a snapshot that was read from a file
    return snapshot


def _prefabs_of(world: World, prefabs: PrefabInfo | None) -> Iterator[tuple[int, Any]]:
    """Yield the key of each object with the parts of a prefab, and the type of that prefab."""
    for key, obj in world.tables.get(GameObject, {}).items():
        parts = [(name, type(obj.part(name))) for name in obj.part_numbers]
        for prefab in prefabs or ():
            declared = [(name, part.cls) for name, part in prefab.declared.items()]
            if parts == declared and obj.part_numbers == prefab.parts:
                yield key, prefab.type
                break


def _load(snapshot: Snapshot, world: World, prefabs: PrefabInfo | None) -> None:
    """Load the objects of a snapshot into an empty world, under the same keys."""

    def build(type: int) -> Any:
        assert prefabs is not None
        return prefabs[type].build(world.assets, world.registry)

    match = Match(world, snapshot, build, OnUnknown.ERROR).by_key()
    loader = RowLoader(world, match)
    loader.compare(None)
    loader.fill()
    tables = {match.classes[n]: table for n, table in match.tables.items()}
    world.replace_content(tables, match.objects, match.owners, snapshot.slots)
    for key, generator in loader.generators.items():
        world.generators.store(key, generator)


def _changed(before: Snapshot, after: Snapshot) -> Iterator[str]:
    """Yield the fields whose values differ."""
    for number, table in before.tables.items():
        cls, other = table.entry.load_class().__qualname__, after.tables.get(number)
        if other is None or other.keys != table.keys:
            yield f"`{cls}`"
            continue
        for place in range(len(table.keys)):
            for name in differing_fields(table, place, other, place):
                yield f"`{cls}.{name}`"
