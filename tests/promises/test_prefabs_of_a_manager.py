"""A manager builds the prefabs that it was given; one that was forgotten is named."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from tests.promises.door import SaveLoadManager, refused
from tests.promises.games import Games, Play, Slot

GAME = """
@saveable
class Body:
    size: Saved[int] = 1

@prefab
class Knight:
    body = part(Body)
"""


def saved(play: Play, slot: Slot) -> Any:
    manager = play.manager()
    manager.spawn(play.types.PrefabType.KNIGHT).get(play.game.Body).size = 7
    slot.save(manager)
    return manager


@pytest.mark.parametrize("prefabs", [None, {}, {"tank": object}])
def test_a_save_with_a_prefab_that_the_manager_lacks_names_the_argument(
    play: Play, slot: Slot, prefabs: Any
) -> None:
    saved(play, slot)
    manager = SaveLoadManager(play.registry, prefabs)
    names = "`KNIGHT`", "PREFAB_INFO", "`prefabs` of `SaveLoadManager`"
    refused("a load", lambda: slot.load(manager), *names)
    refused("spawn", lambda: manager.spawn(play.types.PrefabType.KNIGHT), *names)
    assert not len(manager)
    refused("a save", lambda: slot.save(manager), "are refused")


def test_a_prefab_that_the_game_does_not_know_either_is_preserved(
    games: Games, play: Play, slot: Slot
) -> None:
    saved(play, slot)
    without = games("@saveable\nclass Body:\n    size: Saved[int] = 1\n")
    for _ in range(2):
        with without.playing() as less:
            manager = less.manager()
            assert slot.load(manager).preserved and not len(manager)
            slot.save(manager)
    manager = play.manager()
    slot.load(manager)
    assert [body.size for body in manager.find(play.game.Body)] == [7]


def test_a_record_names_the_prefab(play: Play, slot: Slot) -> None:
    knight = play.types.PrefabType.KNIGHT
    manager = saved(play, slot)
    assets = play.manager().assets
    build = partial(play.prefabs[knight].build, assets, play.registry)
    managers = (
        manager,
        play.manager(),
        SaveLoadManager(play.registry, {int(knight): build}),
    )
    for each in managers:
        if each is not manager:
            slot.load(each)
        (obj,) = each.objects
        prefab = each.record_of(obj).prefab
        assert prefab == knight
        assert str(prefab) == f"{prefab}" == "PrefabType.KNIGHT"
