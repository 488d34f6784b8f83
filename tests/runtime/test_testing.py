"""Functions that help games to test their own classes."""

from __future__ import annotations

from types import ModuleType

import pytest

from savegen.runtime import GameObject, SaveError, SaveLoadManager
from savegen.runtime.generated.registry import Registry
from savegen.runtime.testing import assert_round_trip


def test_what_comes_back_as_it_was_passes(
    game: ModuleType, registry: Registry, manager: SaveLoadManager
) -> None:
    unit, atlas, town = game.Unit(), game.Map(), game.Town("x")
    unit.foe, unit.friends = game.Boss(), [unit]
    atlas.towns, town.mayor = {town}, unit
    thing = manager.add(GameObject(unit, atlas, game.Bag()))
    for each in (unit, atlas, thing, game.Coin(3), game.Slotted(1, game.Slotted(2))):
        assert_round_trip(each, registry)
    late = thing.add_component(game.Unit())
    assert manager.key_of(late) is not None, "the world still watches its object"


def test_what_a_class_loses_is_named(game: ModuleType, registry: Registry) -> None:

    bag = game.Bag()
    bag.items = ["rope"]
    load, game.Bag.load_data = game.Bag.load_data, lambda bag, *_: bag.__init__()
    try:
        with pytest.raises(AssertionError, match=r"the same after .*`Bag\.items`"):
            assert_round_trip(bag, registry)
    finally:
        game.Bag.load_data = load
    assert_round_trip(bag, registry)


def test_what_cannot_be_saved_is_named(game: ModuleType, registry: Registry) -> None:
    unit = game.Unit()
    unit.hp = "many"
    with pytest.raises(SaveError, match=r"`Unit\.hp` holds a str, 'many'"):
        assert_round_trip(unit, registry)
