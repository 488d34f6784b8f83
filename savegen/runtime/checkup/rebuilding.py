"""Rebuilding a world from its snapshot, beside the living one, to compare the two."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from copy import copy
from typing import Any

from savegen.runtime.errors import SaveError
from savegen.runtime.marks import Activation
from savegen.runtime.prefabs.prefabs import PrefabInfo
from savegen.runtime.snapshots.capture import Capture
from savegen.runtime.snapshots.changes import differing_fields
from savegen.runtime.snapshots.loading.from_rows import RowLoader
from savegen.runtime.snapshots.loading.matching import Match
from savegen.runtime.snapshots.snapshot import Snapshot
from savegen.runtime.world.placements import Placement
from savegen.runtime.values.basics.keys import in_key_order
from savegen.runtime.values.rows import Key
from savegen.runtime.values.libraries.sprites import take_out
from savegen.runtime.world import hooks
from savegen.runtime.world.assets import OnUnknown
from savegen.runtime.world.game import Game
from savegen.runtime.world.objects import GameObject
from savegen.runtime.world.world import World


def check_rebuilt(snapshot: Snapshot, world: World, prefabs: Any) -> None:
    """Raise `SaveError` if a snapshot that was read from bytes cannot be loaded as it was saved."""
    try:
        copies = rebuilt(snapshot, world, prefabs)
        after = Capture(copies).run({})
    except SaveError as error:
        raise SaveError(f"a load would fail: {error}") from error
    if changed := dict.fromkeys(changed_fields(snapshot, after)):
        raise SaveError(f"a load would not restore {', '.join(changed)}")


def rebuilt(snapshot: Snapshot, world: World, prefabs: Any) -> World:
    """Return a new world into which a snapshot was loaded, with the same keys.

    It shares no object with `world`, and no hook is called but the `@on_activate` of objects that
    a set or a dict hashes.
    """
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
    for obj in match.objects.values():  # its construction may have joined groups
        take_out(obj)
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


def changed_fields(before: Snapshot, after: Snapshot) -> Iterator[str]:
    """Yield the fields whose values differ."""
    for number, table in before.tables.items():
        cls, other = table.entry.load_class().__qualname__, after.tables.get(number)
        if other is None or other.keys != table.keys:
            yield f"`{cls}`"
            continue
        for place in range(len(table.keys)):
            for name in differing_fields(table, place, other, place):
                yield f"`{cls}.{name}`"
