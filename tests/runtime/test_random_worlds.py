"""Random worlds that are saved, changed at random and loaded equal the saved ones."""

from __future__ import annotations

import pickle
import random
from types import ModuleType
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from savegen.runtime import GameObject, SaveLoadManager
from savegen.runtime.generated.registry import Registry
from tests.oracle import difference
from tests.runtime.worlds import Storm, assert_consistent, digests_of_a_game
from tests.soaking import examples

SEEDS = st.integers(0, 10**6)


def everything(manager: SaveLoadManager) -> list[Any]:
    """Return all that there is to see of a world: for the oracle to walk."""
    return [
        (record.key, described(record.object), record.prefab)
        for record in map(manager.record_of, manager.objects)
    ]


def described(thing: Any) -> Any:
    if isinstance(thing, GameObject):
        place = thing.transform
        return (thing.numbered, place.position, place.rotation, thing.active)
    return thing


def built(
    game: ModuleType, registry: Registry, seed: int, steps: int
) -> tuple[SaveLoadManager, Storm]:
    manager = SaveLoadManager(registry)
    storm = Storm(game, manager, random.Random(seed))
    storm.blow(steps)
    # References to destroyed objects become `None`: in both worlds the same.
    manager.apply_snapshot(manager.create_snapshot())
    return manager, storm


@settings(deadline=None, max_examples=examples(40))
@given(seed=SEEDS, steps=st.integers(0, 25), more=st.integers(1, 25))
def test_a_world_that_is_loaded_is_the_world_that_was_saved(
    game: ModuleType, registry: Registry, seed: int, steps: int, more: int
) -> None:
    manager, storm = built(game, registry, seed, steps)
    twin, _ = built(game, registry, seed, steps)
    assert difference(everything(manager), everything(twin)) is None
    before = manager.create_snapshot()
    assert before.digest() == twin.create_snapshot().digest()
    storm.blow(more)
    manager.apply_snapshot(before)
    assert_consistent(manager)
    assert difference(everything(manager), everything(twin)) is None
    assert manager.create_snapshot().digest() == before.digest()
    assert manager.create_snapshot().changes(since=before) == []


@settings(deadline=None, max_examples=examples(20))
@given(seed=SEEDS, steps=st.integers(1, 20))
def test_what_happens_after_a_load_is_what_would_have_happened_without(
    game: ModuleType, registry: Registry, seed: int, steps: int
) -> None:
    manager, storm = built(game, registry, seed, steps)
    twin, other = built(game, registry, seed, steps)
    for _ in range(3):
        manager.apply_snapshot(manager.create_snapshot())
        storm.blow(3)
        other.blow(3)
        assert manager.create_snapshot().digest() == twin.create_snapshot().digest()


@settings(deadline=None, max_examples=examples(20))
@given(seed=SEEDS, steps=st.integers(0, 20))
def test_a_world_merged_into_an_empty_one_is_the_same_world(
    game: ModuleType, registry: Registry, seed: int, steps: int
) -> None:
    manager, _ = built(game, registry, seed, steps)
    target = SaveLoadManager(registry)
    keys = target.merge(manager.create_snapshot())
    assert_consistent(target)
    objects = [manager.record_of(thing) for thing in manager.objects]
    copies = [target.get_object(keys[record.key]) for record in objects]
    originals = [described(record.object) for record in objects]
    assert difference([described(copy) for copy in copies], originals) is None


@settings(deadline=None, max_examples=examples(40))
@given(seed=SEEDS, steps=st.integers(0, 20), more=st.integers(1, 20))
def test_a_partial_load_leaves_the_rest_alone(
    game: ModuleType, registry: Registry, seed: int, steps: int, more: int
) -> None:
    manager, storm = built(game, registry, seed, steps)
    chosen = [thing for thing in manager.objects if storm.dice.random() < 0.5]
    parts = [manager.create_snapshot(filter=chosen)]
    parts.append(
        manager.create_snapshot(filter=storm.dice.choice([game.Unit, game.Bag]))
    )
    for part in parts:
        storm.blow(more)
        manager.apply_snapshot(part)
        assert_consistent(manager)
        whole = manager.create_snapshot()
        assert manager.apply_snapshot(part).created == 0
        storm.blow(2)
        manager.apply_snapshot(whole)
        assert_consistent(manager)
        assert manager.create_snapshot().digest() == whole.digest()


def test_reloading_each_tick_changes_nothing(
    game: ModuleType, registry: Registry
) -> None:
    def played(reloads: bool) -> list[str]:
        manager, dice = SaveLoadManager(registry), random.Random(5)
        # As one value: to copy 625 numbers three times a tick took nearly all of the time.
        manager.add_state(
            "dice",
            lambda: pickle.dumps(dice.getstate()),
            lambda data: dice.setstate(pickle.loads(data)),
        )

        def reload(manager: SaveLoadManager) -> SaveLoadManager:
            if reloads:
                manager.apply_snapshot(manager.create_snapshot())
            return manager

        return digests_of_a_game(game, manager, dice, reload, units=8)

    assert played(reloads=True) == played(reloads=False)
