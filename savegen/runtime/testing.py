"""For tests of games: `assert_round_trip` and `uncovered` find what a load would lose."""

from __future__ import annotations

from typing import Any

from savegen.runtime.world.assets import AssetRegistry
from savegen.runtime.snapshots.capture import Capture
from savegen.runtime.checkup.strict_capture import check
from savegen.runtime.checkup.coverage import UncoveredAttribute as UncoveredAttribute
from savegen.runtime.checkup.rebuilding import changed_fields, rebuilt
from savegen.runtime.checkup.coverage import find_uncovered, warning_of
from savegen.runtime.manager import SaveLoadManager
from savegen.runtime.world.objects import GameObject, with_components
from savegen.runtime.prefabs.prefabs import PrefabInfo
from savegen.runtime.generated.registry import FORMAT, Registry, registry_of
from savegen.runtime.snapshots.snapshot import Snapshot
from savegen.runtime.world.world import World


def assert_round_trip(
    obj: Any,
    registry: Registry,
    *,
    assets: AssetRegistry | None = None,
    prefabs: PrefabInfo | None = None,
) -> None:
    """Assert that an object, and all it refers to, is the same after a save and a load.

    No hook is called but the `@on_activate` of objects that a set or a dict hashes. The object
    may be part of a world or not. An object with the parts
    of one of the `prefabs` is built from it, as in a load, before its fields are set. Raises
    `AssertionError` with the class and the fields that differ, and with the attributes that
    `uncovered` finds. Raises `SaveError` if a value cannot be saved at all.

    >>> from savegen.runtime.generated.registry import FORMAT
    >>> assert_round_trip(GameObject(position=(1.0, 2.0, 0.0)), Registry(FORMAT, ()))
    """
    world = World(registry, assets=assets)
    before = _captured(obj, world, strict=True)
    copies = rebuilt(before, world, prefabs)
    after = Capture(copies).run({})
    check(after, copies)
    changed = dict.fromkeys(changed_fields(before, after))
    assert not changed, f"not the same after a save and a load: {', '.join(changed)}"
    found = find_uncovered(before, world, lambda key, _: copies.at(key))
    assert not found, warning_of(found)


def uncovered(
    root: Any,
    registry: Registry | None = None,
    *,
    assets: AssetRegistry | None = None,
    prefabs: PrefabInfo | None = None,
) -> list[UncoveredAttribute]:
    """Return the attributes that a load would lose, of an object and all that it refers to.

    They are neither saved, nor transient, nor assigned by a hook, and have another value, or
    none, in a copy that was saved and loaded. Attributes that base
    classes in libraries define are checked too, and so are slots. Values that are themselves
    objects count as equal if they have the same class. An attribute is listed once for each
    class. For an object, no hook is called; for a manager, its `@before_save` hooks are.

    `root` is a saveable object or a manager; for a manager, leave out the other arguments.
    Without `registry`, the generated registry of the object's class is used.

    >>> uncovered(GameObject())
    []
    """
    if isinstance(root, SaveLoadManager):
        snapshot, world = root.create_snapshot(), root._world
        copies = rebuilt(snapshot, world, root._game.prefabs)
    else:
        world = World(registry or _registry_of(root), assets=assets)
        snapshot = _captured(root, world, strict=False)
        copies = rebuilt(snapshot, world, prefabs)
    return find_uncovered(snapshot, world, lambda key, _: copies.at(key))


def _registry_of(obj: Any) -> Registry:
    """Return the generated registry of an object, or of a component that it has."""
    found = (registry_of(type(part)) for part in reversed(with_components(obj)))
    return next(filter(None, found), None) or Registry(FORMAT, ())


def _captured(obj: Any, world: World, strict: bool) -> Snapshot:
    """Return a snapshot of `world`, to which `obj` and all it refers to are added.

    `obj` stays in its own world, too.
    """
    is_object = isinstance(obj, GameObject)
    watcher = obj.watcher if is_object else None
    if is_object:
        obj.watcher = None
    try:
        world.add(obj)
        snapshot = Capture(world).run({})
        if strict:
            check(snapshot, world)
        return snapshot
    finally:
        if is_object:
            obj.watcher = watcher
