"""References to what was destroyed: a world that has loaded them can be saved, and loaded again."""

from __future__ import annotations

from pathlib import Path

import pytest

from savegen.runtime import SaveLoadManager
from savegen.runtime.saves import Autosave, MemoryStore, SaveSlots
from tests.saves.versions import Version

GAME = """
@saveable
class Goblin:
    chief: Saved[Goblin]
    foes: Saved[set[Goblin]]
    ranks: Saved[dict[Goblin, int]]
    path: Saved[list[Goblin]]
    late: Saved[int]  # not set: such an object is saved by its `save_data`
"""


@pytest.fixture(scope="module")
def version(tmp_path_factory: pytest.TempPathFactory) -> Version:
    return Version(tmp_path_factory.mktemp("dead") / "game", GAME).generate()


@pytest.mark.parametrize("recorded", [False, True])
def test_none_where_a_destroyed_object_was_stops_no_save_and_no_load(
    version: Version, recorded: bool
) -> None:
    slots = SaveSlots(MemoryStore())
    with version.playing() as (game, registry):
        manager = SaveLoadManager(registry)
        alive, dead = (manager.add(game.Goblin()) for _ in range(2))
        autosave = Autosave(slots, manager)
        autosave.record()
        for each in (alive, dead):
            each.chief, each.path = dead, [alive, dead]
            each.foes, each.ranks = {alive, dead}, {alive: 1, dead: 2}
        manager.destroy(dead)
        save = autosave.record if recorded else lambda: slots.save("auto", manager)
        save()
        manager = SaveLoadManager(registry)
        for turn in range(3):
            slots.load("auto", manager)
            slots.save("auto", manager)
        (found,) = manager.find(game.Goblin)
        assert found.chief is None and found in found.foes and found.ranks[found] == 1
