"""Sprites whose constructor puts them into groups: only objects of the world are in these."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from savegen.levels import load_level
from savegen.runtime import History, LevelError, SaveError, SaveLoadManager
from tests.levels import cave
from tests.project import Project

FILES = {
    "pyproject.toml": """
        [tool.savegen]
        source = ["arena"]
        """,
    "arena/__init__.py": "",
    "arena/things.py": '''
        """Sprites that know their group."""

        import pygame

        from savegen import Activation, Saved, on_activate, part, prefab, saveable

        from arena._savegen.components.things import BrainSaveLoad, FoeSaveLoad

        foes = pygame.sprite.Group()
        unnamed = pygame.sprite.Group()


        @saveable
        class Foe(FoeSaveLoad, pygame.sprite.Sprite):
            hp: Saved[int] = 3

            def __init__(self) -> None:
                super().__init__(foes, unnamed)

            @on_activate
            def wake(self, reason: Activation) -> None:
                if self.hp == 0:
                    raise ValueError("it is dead")


        @saveable
        class Brain(BrainSaveLoad):
            iq: Saved[int] = 7


        @prefab
        class Orc:
            foe = part(Foe)


        @prefab
        class Boss(Orc):
            brain = part(Brain)


        @prefab(static=True)
        class Statue(Orc):
            pass
        ''',
}
WANTED = "arena.things", "arena._savegen.prefab_info", "arena._savegen.registry"


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    project = Project(tmp_path_factory.mktemp("arena"), FILES).generated()
    with project.prefabs().imported(*WANTED) as (module, info, registry):
        module.PREFAB_INFO, module.REGISTRY = info.PREFAB_INFO, registry.REGISTRY
        module.Prefabs = info.PrefabType
        yield module


@pytest.fixture
def manager(game: Any) -> SaveLoadManager:
    game.foes.empty()
    game.unnamed.empty()
    manager = SaveLoadManager(game.REGISTRY, game.PREFAB_INFO)
    manager.groups["foes"] = game.foes
    return manager


@pytest.fixture
def draw(tmp_path: Path) -> Callable[..., Path]:
    def draw(**last: Any) -> Path:
        folder = tmp_path / "hall"
        entries = ["Statue", "Orc", "Boss"]
        cave.paint(folder / "geometry" / "layer1.png", ["#..."], {"#": "#0000ff"})
        colours = {"1": "#01ff00", "2": "#02ff00"}
        cave.paint(folder / "sprites" / "layer1.png", ["..12"], colours)
        drawn = zip(["#0000ff", *colours.values()], entries)
        described = {colour: {"$type": f"{it}Serializer"} for colour, it in drawn}
        described["#02ff00"] |= last
        level = {"version": 1, "tiles": {"#0000ff": described.pop("#0000ff")}}
        text = json.dumps({**level, "sprites": described})
        (folder / "level.lvl").write_text(text, encoding="utf-8")
        return folder

    return draw


def in_groups(game: Any) -> list[Any]:
    assert {*game.foes} == {*game.unnamed}
    return [*game.foes]


def test_a_static_prefab_puts_nothing_into_groups(
    game: Any, manager: SaveLoadManager, draw: Any
) -> None:
    level = load_level(draw(), manager)
    assert [it.parameters["hp"] for it in level.static] == [3]
    assert in_groups(game) == [*manager.find(game.Foe)] and len(manager) == 2


@pytest.mark.parametrize("wrong", [{"hp": 0}, {"friend": 1}])
def test_a_level_that_is_not_loaded_leaves_nothing_in_groups(
    game: Any, manager: SaveLoadManager, draw: Any, wrong: Any
) -> None:
    with pytest.raises((SaveError, LevelError)):
        load_level(draw(**wrong), manager)
    assert not in_groups(game) and not len(manager.create_snapshot())


@pytest.mark.parametrize("wrong", [{"hp": 0}, {"hp": "much"}])
def test_a_spawn_that_fails_leaves_nothing_in_groups(
    game: Any, manager: SaveLoadManager, wrong: Any
) -> None:
    with pytest.raises(SaveError):
        manager.spawn(game.Prefabs.ORC, **wrong)
    assert not in_groups(game) and not len(manager.create_snapshot())


def test_a_sprite_of_a_pool_is_in_groups_only_while_it_is_in_the_world(
    game: Any, manager: SaveLoadManager
) -> None:
    pool = manager.pool(game.Prefabs.ORC, warm=3)
    assert not in_groups(game) and len(pool) == 3
    orc = manager.spawn(game.Prefabs.ORC)
    assert in_groups(game) == [*orc.components]
    manager.destroy(orc)
    assert not in_groups(game)
    again = manager.spawn(game.Prefabs.ORC)
    assert in_groups(game) == [*again.components] and again is orc


def test_an_object_whose_only_sprite_is_removed_stays(
    game: Any, manager: SaveLoadManager
) -> None:
    boss = manager.spawn(game.Prefabs.BOSS)
    history = History(manager)
    history.record()
    foe, brain = boss.components
    manager.remove(foe)
    history.record()
    assert manager.objects == (boss,) and boss.components == (brain,)
    assert not in_groups(game)
    history.rewind(1)
    assert manager.objects == (boss,) and len(boss.components) == 2
    assert [*game.foes] == [*manager.find(game.Foe)]  # nobody named the other group
    boss.part("foe").kill()
    history.record()
    assert not manager.objects
