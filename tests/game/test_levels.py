"""The levels as they are drawn: what stands in them stands on something."""

from __future__ import annotations

from pathlib import Path

import pytest

from sample_game.doors import Door
from sample_game.game import Game
from sample_game.level import LEVELS
from sample_game.physics import Matter


@pytest.mark.parametrize("level", [*LEVELS, "hall"])
def test_a_door_closes_its_passage_from_the_floor_to_the_ceiling(
    level: str, tmp_path: Path
) -> None:
    world = Game(tmp_path, level).world
    for door in world.manager.find(Door):
        for rise in (-1, 1):
            beside = door.area.moved(0, rise)
            assert world.ground.touched(beside, Matter.ROCK), (door.position, rise)
        assert not world.ground.touched(door.area, Matter.ROCK), door.position
