"""Objects of engines' classes work after a load as they did before, made anew or not."""

from __future__ import annotations


import pytest

from tests.project import Project

PYGAME = """
    import pygame
    from typing import Annotated
    from savegen import Save, Saved, saveable
    from game._savegen.components.foes import FlashSaveLoad, FoeSaveLoad

    class Enemy(pygame.sprite.Sprite):
        pass

    @saveable
    class Foe(FoeSaveLoad, Enemy):
        rect: Annotated[pygame.FRect, Save(setter=True)]
        speed: Saved[pygame.Vector2]

        def __init__(self, x: float) -> None:
            super().__init__()
            self.rect = pygame.FRect(x, 0, 2, 2)
            self.speed = pygame.Vector2(1, 0)

    @saveable
    class Flash(FlashSaveLoad, pygame.sprite.DirtySprite):
        layer: Annotated[int, Save(setter=True)]
        dirty: Saved[int] = 1

"""

ARCADE = """
    import arcade
    from typing import Annotated
    from savegen import Save, Saved, saveable
    from game._savegen.components.heroes import (
        BlockSaveLoad, BoltSaveLoad, HeroSaveLoad, OrbSaveLoad, RunnerSaveLoad
    )

    @saveable
    class Hero(HeroSaveLoad, arcade.Sprite):
        center_x: Annotated[float, Save(setter=True)]
        center_y: Annotated[float, Save(setter=True)]
        angle: Annotated[float, Save(setter=True)]
        scale: Annotated[tuple[float, float], Save(setter=True)]
        boundary_left: Saved[float | None] = None
        hp: Saved[int]

        def __init__(self) -> None:
            super().__init__()
            self.hp = 3

    @saveable
    class Block(BlockSaveLoad, arcade.SpriteSolidColor):
        width: Annotated[float, Save(setter=True)]
        position: Annotated[tuple[float, float], Save(setter=True)]

    @saveable
    class Bolt(BoltSaveLoad, arcade.BasicSprite):  # savegen: ignore[SG147]
        center_x: Annotated[float, Save(setter=True)]

    @saveable
    class Orb(OrbSaveLoad, arcade.SpriteCircle):
        center_x: Annotated[float, Save(setter=True)]

    @saveable
    class Runner(RunnerSaveLoad, arcade.TextureAnimationSprite):
        center_x: Annotated[float, Save(setter=True)]
"""

ENGINE = """
    class Actor:
        def __init__(self, name="nobody"):
            self.tags = {"new"}
            self.name = name

    class Drawn:
        def __init__(self, screen):
            self.screen = screen
"""

ACTORS = """
    import engine
    from savegen import Saved, saveable
    from game._savegen.components.actors import BrokenSaveLoad, OrcSaveLoad

    class Monster(engine.Actor, engine.Drawn):
        pass

    def prepare_drawn(thing):
        engine.Drawn.__init__(thing, "the screen")

    def fail(thing):
        raise ValueError("no screen")

    @saveable(transient=("tags", "name", "screen"))
    class Orc(OrcSaveLoad, Monster):
        hp: Saved[int] = 3

    @saveable
    class Broken(BrokenSaveLoad, engine.Broken):
        hp: Saved[int] = 3
"""

PYPROJECT = """
    [tool.savegen]
    source = "game"

    [tool.savegen.bases]
    "engine.Actor" = true
    "engine.Drawn" = "game.actors:prepare_drawn"
    "engine.Broken" = "game.actors:fail"
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    made = Project(
        tmp_path_factory.mktemp("engines"),
        {
            "pyproject.toml": PYPROJECT,
            "engine.py": ENGINE + "\n    class Broken:\n        pass\n",
            "game/__init__.py": "",
            "game/foes.py": PYGAME,
            "game/heroes.py": ARCADE,
            "game/actors.py": ACTORS,
        },
    )
    assert "SG" not in made.components()
    return made


def test_sprites_of_pygame_know_their_groups_and_can_be_killed(
    project: Project,
) -> None:
    assert project.script("""
        import pygame
        from game._savegen.registry import REGISTRY
        from game.foes import Flash, Foe
        from savegen.runtime import SaveLoadManager

        manager = SaveLoadManager(REGISTRY)
        foe, flash = Foe(5.0), Flash()
        foe.rect.x, flash.layer = 7.0, 3
        for each in (foe, flash):
            manager.add(each)
        group = pygame.sprite.Group(foe)
        layered = pygame.sprite.LayeredUpdates(flash)
        before = manager.create_snapshot()

        foe.rect.x, flash.dirty = 1.0, 0
        manager.apply_snapshot(before)  # a layer that has not changed is not set
        assert foe.rect.x == 7.0 and foe.groups() == [group]

        for each in (foe, flash):
            each.kill()
            manager.destroy(each)
        manager.apply_snapshot(before)
        (made,), (flashed,) = manager.find(Foe), manager.find(Flash)
        assert made is not foe and made.rect == pygame.FRect(7, 0, 2, 2)
        assert made.speed == (1, 0) and made.groups() == []
        group.add(made)
        assert made.alive() and flashed.layer == 3 and flashed.dirty == 1
        made.kill()
        flashed.add(group)
        print(len(group), made.alive())
        """) == "1 False\n"


def test_sprites_of_arcade_move_and_collide(project: Project) -> None:
    assert project.script("""
        import arcade
        from game._savegen.registry import REGISTRY
        from game.heroes import Block, Bolt, Hero, Orb, Runner
        from savegen.runtime import SaveLoadManager

        manager = SaveLoadManager(REGISTRY)
        hero, block = Hero(), Block(4, 4)
        block.position = (40.0, 0.0)
        others = [Bolt(arcade.make_circle_texture(4, (1, 2, 3, 4))), Orb(3, (1, 2, 3, 4)), Runner()]
        for each in (hero, block, *others):
            manager.add(each)
        hero.center_x, hero.angle, hero.scale = 30.0, 45.0, (2.0, 2.0)
        walls = arcade.SpriteList(use_spatial_hash=True)
        walls.extend([block])
        before = manager.create_snapshot()

        hero.center_x = 400.0
        hero.hp = 1
        block.position = (800.0, 0.0)
        assert not arcade.check_for_collision_with_list(hero, walls)
        manager.apply_snapshot(before)
        assert (hero.center_x, hero.angle, hero.scale, hero.hp) == (30.0, 45.0, (2.0, 2.0), 3)
        assert arcade.check_for_collision_with_list(hero, walls) == [block]

        for each in (hero, block, *others):
            each.kill()
            manager.destroy(each)
        manager.apply_snapshot(before)
        (made,), (wall,) = manager.find(Hero), manager.find(Block)
        assert made is not hero and made.center_x == 30.0 and made.boundary_left is None
        walls = arcade.SpriteList(use_spatial_hash=True)
        walls.append(wall)
        assert arcade.check_for_collision_with_list(made, walls) == [wall]
        for cls in (Bolt, Orb, Runner):
            (each,) = manager.find(cls)
            walls.append(each)
            each.center_x += 1.0
            each.kill()
        wall.kill()
        print(len(walls), made.sprite_lists)
        """) == "0 []\n"


def test_other_bases_are_prepared_as_the_configuration_says(project: Project) -> None:
    assert project.script("""
        from game._savegen.registry import REGISTRY
        from game.actors import Orc
        from savegen.runtime import SaveLoadManager

        manager = SaveLoadManager(REGISTRY)
        orc = manager.add(Orc("Grub"))
        orc.hp = 7
        before = manager.create_snapshot()
        manager.destroy(orc)
        manager.apply_snapshot(before)
        (made,) = manager.find(Orc)
        print(made.hp, made.name, made.tags, made.screen)
        (copied,) = [manager.get_object(key) for key in manager.merge(before).values()]
        print(copied.screen)
        """) == "7 nobody {'new'} the screen\nthe screen\n"


def test_a_base_that_cannot_be_prepared_is_told_and_nothing_changes(
    project: Project,
) -> None:
    assert (
        project.script("""
        from game._savegen.registry import REGISTRY
        from game.actors import Broken
        from savegen.runtime import SaveError, SaveLoadManager

        manager = SaveLoadManager(REGISTRY)
        broken = manager.add(Broken())
        before = manager.create_snapshot()
        manager.destroy(broken)
        try:
            manager.apply_snapshot(before)
        except SaveError as error:
            print(error)
        print(len(list(manager.find(Broken))))
        """)
        == (
            "a Broken cannot be made: `game.actors:fail` raised ValueError: no screen\n0\n"
        )
    )
