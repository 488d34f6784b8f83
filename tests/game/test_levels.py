"""Levels keep apart what they should: doors fill their passages, and missiles stay out of rock."""

from __future__ import annotations

from pathlib import Path

import pytest

from sample_game.doors import Door
from sample_game.game import Game
from sample_game.keys import Keys
from sample_game.level import LEVELS
from sample_game.physics import Area, Matter
from sample_game.shapes import Vec2
from sample_game.weapons import MissileType


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


@pytest.mark.parametrize("kind", MissileType)
def test_a_missile_does_not_pass_the_wall_that_the_player_leans_on(
    kind: MissileType, tmp_path: Path
) -> None:
    game = Game(tmp_path, "cellar")
    player, world = game.player, game.world
    player.position = Vec2(17, 19.3125)  # the wall begins at 18
    for _ in range(30):
        game.step(Keys.RIGHT)
    assert player.position.x == 18 - player.SIZE.x / 2
    player.gun.ammo = [kind]
    for _ in range(60):
        game.step(Keys.RIGHT | Keys.FIRE)
        assert all(missile.position.x < 18 for missile in world.missiles)


def test_a_missile_does_not_pass_the_closed_door_that_the_player_leans_on(
    tmp_path: Path,
) -> None:
    game = Game(tmp_path, "cellar")
    player, (door,) = game.player, game.world.manager.find(Door)
    player.position = Vec2(72, 10.3125)
    for _ in range(60):
        game.step(Keys.RIGHT | Keys.FIRE)
        assert all(each.position.x < door.area.left for each in game.world.missiles)


@pytest.mark.parametrize("level", [*LEVELS, "hall"])
def test_a_ladder_ends_where_there_is_room_for_the_player(
    level: str, tmp_path: Path
) -> None:
    game = Game(tmp_path, level)
    ground, height = game.world.ground, game.player.SIZE.y
    width, depth = map(int, ground.bounds[2:])
    cells = {(x, y) for x in range(width) for y in range(depth)}
    ladders = {
        (x, y) for x, y in cells if ground.touched(Area.at(x, y, 1, 1), Matter.LADDER)
    }
    for x, y in ladders:
        if (x, y - 1) not in ladders:
            above = Area.at(x, y - height, 1, height)
            assert not ground.touched(above, Matter.ROCK), (x, y)
