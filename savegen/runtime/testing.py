"""For tests of games: `assert_round_trip` and `uncovered` find what a load would lose."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from copy import copy
from importlib import import_module
from typing import Any

from savegen.runtime.world.assets import AssetRegistry, OnUnknown
from savegen.runtime.snapshots.capture import Capture
from savegen.runtime.snapshots.changes import differing_fields
from savegen.runtime.generated.components import mixin_of
from savegen.runtime.checkup.coverage import UncoveredAttribute as UncoveredAttribute
from savegen.runtime.checkup.coverage import find_uncovered, warning_of
from savegen.runtime.world.game import Game
from savegen.runtime.snapshots.loading.from_rows import RowLoader
from savegen.runtime.marks import Activation
from savegen.runtime.manager import SaveLoadManager
from savegen.runtime.snapshots.loading.matching import Match
from savegen.runtime.world.objects import GameObject, with_components
from savegen.runtime.prefabs.prefabs import PrefabInfo
from savegen.runtime.generated.registry import FORMAT, Registry
from savegen.runtime.snapshots.snapshot import Placement, Snapshot
from savegen.runtime.values.keys import in_key_order
from savegen.runtime.values.rows import Key
from savegen.runtime.values.sprites import take_out
from savegen.runtime.world import hooks
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
    copies = _loaded(before, world, prefabs)
    after = Capture(copies).run({}, strict=True)
    changed = dict.fromkeys(_changed(before, after))
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
        copies = _loaded(snapshot, world, root._game.prefabs)
    else:
        world = World(registry or _registry_of(root), assets=assets)
        snapshot = _captured(root, world, strict=False)
        copies = _loaded(snapshot, world, prefabs)
    return find_uncovered(snapshot, world, lambda key, _: copies.at(key))


def _registry_of(obj: Any) -> Registry:
    """Return the generated registry that contains the class of an object."""
    for part in reversed(with_components(obj)):
        module = type(getattr(mixin_of(type(part)), "save_type", None)).__module__
        package, _, name = module.rpartition(".")
        if name == "types" and package:
            registry: Registry = import_module(f"{package}.registry").REGISTRY
            return registry
    return Registry(FORMAT, ())


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
        return Capture(world).run({}, strict=strict)
    finally:
        if is_object:
            obj.watcher = watcher


def _loaded(snapshot: Snapshot, world: World, prefabs: Any) -> World:
    """Return a new world into which a snapshot was loaded, with the same keys."""
    snapshot = copy(snapshot)
    placed = snapshot.placements.items()
    types = {key: each.prefab for key, each in placed if each.prefab is not None}
    if isinstance(prefabs, PrefabInfo):
        types = dict(_prefabs_of(world, prefabs)) | types
    snapshot.placements = {key: Placement(prefab) for key, prefab in types.items()}
    snapshot.world = snapshot.preserved = None  # as if it was read from a file
    snapshot.tombstones = {}
    copies = World(world.registry, assets=world.assets)
    _load(snapshot, Game(copies, prefabs or {}, OnUnknown.ERROR), world.keys)
    return copies


def _prefabs_of(world: World, prefabs: PrefabInfo) -> Iterator[tuple[int, Any]]:
    """Yield the key of each object with the parts of a prefab, and the type of that prefab."""
    for key, obj in world.tables.get(GameObject, {}).items():
        parts = [(name, type(obj.part(name))) for name in obj.part_numbers]
        for prefab in prefabs:
            declared = [(name, part.cls) for name, part in prefab.declared.items()]
            if parts == declared and obj.part_numbers == prefab.parts:
                yield key, prefab.type
                break


def _load(snapshot: Snapshot, game: Game, apart: Collection[int]) -> None:
    """Load the objects of a snapshot into an empty world, under the same keys.

    The objects whose `id` is in `apart` are not used.
    """
    match, world = Match(game, snapshot, apart).by_key(), game.world
    for obj in match.objects.values():
        take_out(
            obj
        )  # of the groups of the game, which its construction may have joined
    loader = RowLoader(game, match)
    loader.compare(None)
    loader.set_fields()
    woken = in_key_order(loader.hashed_first())
    _wake(woken, match, game)
    loader.fill_hashing()
    tables = {match.classes[n]: table for n, table in match.tables.items()}
    world.replace_content(tables, match.owners, snapshot.slots)
    for key, generator in loader.generators.items():
        world.generators.store(key, generator)


def _wake(keys: Iterable[Key], match: Match, game: Game) -> None:
    for key in keys:
        hooks.activate(game.world.registry, [match.objects[key]], Activation.RESTORED)


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
