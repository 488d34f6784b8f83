"""The levels of the sample game: what they place is where it is drawn, and the rock holds it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from sample_game.doors import Door, Switch
from sample_game.enemies import Bat, Goblin
from sample_game.game import Game
from sample_game.items import Coin
from sample_game.keys import NONE
from sample_game.landmarks import Exit
from sample_game.level import FOLDER, LEVELS
from sample_game.physics import Matter
from sample_game.platforms import MovingPlatform
from sample_game.player import Player
from sample_game.things import Thing

NAMES = (*LEVELS, "hall")


@pytest.fixture(params=NAMES)
def game(request: pytest.FixtureRequest, tmp_path: Path) -> Game:
    return Game(tmp_path, request.param)


def test_each_level_has_a_folder() -> None:
    assert sorted(path.name for path in FOLDER.iterdir()) == sorted(NAMES)


def test_the_story_leads_from_level_to_level_to_an_end(tmp_path: Path) -> None:
    game, exits = Game(tmp_path, LEVELS[0]), []
    for name in LEVELS:
        game.start(name)
        exits += [exit.to for exit in game.manager.find(Exit)]
    assert exits == [*LEVELS[1:], None]


def test_nothing_begins_inside_rock(game: Game) -> None:
    things = [*game.manager.find(Thing), *game.world.walkers(), *game.world.platforms]
    touched = game.world.ground.touched
    inside = [thing for thing in things if touched(thing.area, Matter.ROCK)]
    assert len(things) > 5
    assert {*map(type, inside)} <= {Door}  # a door may be higher than its doorway


def test_who_walks_begins_on_the_ground(game: Game) -> None:
    walkers: list[Player | Goblin] = [game.player, *game.manager.find(Goblin)]
    assert all(game.world.holds(walker.area) for walker in walkers)
    places = [walker.position.y for walker in walkers]
    for _ in range(5):
        game.step(NONE)
    assert [walker.position.y for walker in walkers] == places


def test_ground_is_no_object_and_in_no_save(game: Game) -> None:
    assert game.level is not None and len(game.level.static) > 4
    assert len(game.manager) < 1_000
    placements = {game.manager.record_of(each).placement for each in game.level.objects}
    assert not placements & {tile.id for tile in game.level.static}


def test_switches_turn_the_doors_that_the_level_names(tmp_path: Path) -> None:
    game = Game(tmp_path, "cavern")
    switches = [*game.manager.find(Switch)]
    assert switches and all(switch.doors for switch in switches)
    for switch in switches:
        assert all(switch in door.switches for door in switch.doors)
    doors = [*game.manager.find(Door)]
    assert all(door.switches or door.colour for door in doors)


def test_paths_begin_where_their_things_are_drawn(game: Game) -> None:
    for platform in game.manager.find(MovingPlatform):
        assert platform.position == platform.home + platform.path[0]
    for bat in game.manager.find(Bat):
        assert bat.position == bat.home


def test_coins_are_worth_something(game: Game) -> None:
    assert sum(coin.worth for coin in game.manager.find(Coin)) >= 3


@pytest.mark.parametrize("name", NAMES)
def test_all_ground_of_a_level_is_drawn(name: str) -> None:
    layers = [*(FOLDER / name / "geometry").iterdir()]
    assert layers
    for path in layers:
        geometry = Image.open(path).convert("RGBA")
        solid = (np.asarray(geometry) == (0x6B, 0x63, 0x58, 0xFF)).all(axis=2)
        picture = Image.open(FOLDER / name / "visuals" / path.name).convert("RGBA")
        scale = picture.width // solid.shape[1]
        solid_too = np.asarray(picture)[..., 3] == 255
        assert solid_too[np.kron(solid, np.ones((scale, scale), bool))].all()


def test_the_levels_stay_small() -> None:
    assert sum(file.stat().st_size for file in FOLDER.rglob("*.*")) < 1_500_000
