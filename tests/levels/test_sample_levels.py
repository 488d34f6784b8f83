"""The sample game loads, plays and saves its levels."""

from __future__ import annotations

from pathlib import Path

import pytest

from sample_game import __main__ as game
from sample_game._savegen.prefab_info import PREFAB_INFO
from sample_game._savegen.registry import REGISTRY
from sample_game.doors import Switch
from sample_game.enemies import Bat
from sample_game.items import Coin
from sample_game.level import FOLDER, enter, furniture
from sample_game.platforms import MovingPlatform
from sample_game.session import Session
from sample_game.shapes import Vec2
from savegen.runtime import SaveLoadManager

NAMES = ("cavern", "cellar", "mountain")


@pytest.fixture
def manager() -> SaveLoadManager:
    return SaveLoadManager(REGISTRY, PREFAB_INFO)


def test_each_level_has_a_folder() -> None:
    assert sorted(path.name for path in FOLDER.iterdir()) == [*NAMES]


@pytest.mark.parametrize("name", NAMES)
def test_the_remaining_objects_of_a_level_are_restored(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert game.visit(name) == 0
    assert "HERO                  1" in capsys.readouterr().out


def test_the_cavern_has_the_expected_layers_and_size(manager: SaveLoadManager) -> None:
    level = enter(manager, "cavern")
    assert [layer.name for layer in level.layers] == ["back", "rock"]
    _, visual = level.visuals
    assert visual is not None and visual.pixels_per_unit == 16
    assert level.cell_to_rectangle[1].shape == (100, 100)
    assert len(level.rectangles[1]) == furniture(manager)["STONE"]


def test_levers_turn_the_gates_that_the_level_names(manager: SaveLoadManager) -> None:
    enter(manager, "cellar")
    one, both = sorted(manager.find(Switch), key=lambda switch: len(switch.doors))
    gate, vault = both.doors
    assert one.doors == (gate,) and gate.switches == [one, both]
    assert manager.record_of(gate).placement == "gate" and vault.needs == "any"


def test_objects_are_at_their_drawn_positions(manager: SaveLoadManager) -> None:
    enter(manager, "cellar")
    (bat,), (ferry,) = manager.find(Bat), manager.find(MovingPlatform)
    assert bat.position == Vec2(3.5, 2.5) and bat.rounds[1] == Vec2(11.5, 3.5)
    assert ferry.path == (Vec2(7.5, 10.5), Vec2(12.5, 10.5))


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session(tmp_path, "cellar")


def test_a_saved_level_is_loaded_and_continues(
    session: Session, tmp_path: Path
) -> None:
    coin = next(session.manager.find(Coin))
    session.player.position = coin.position
    session.tick(0.01)
    session.manager.destroy(session.manager.object_of(coin))
    session.save()
    left = furniture(session.manager)
    again = Session(tmp_path)  # in the room
    assert again.level is None
    again.load()
    assert again.level is not None and again.level.name == "cellar"
    assert furniture(again.manager) == left and left["GOLD_COIN"] == 5
    assert again.player.coins == 2
