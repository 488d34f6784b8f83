"""Groups of sprites are roots: their sprites are saved, and a load leaves no ghosts in them."""

from __future__ import annotations

import pytest

from tests.project import Project

PYGAME = """
    import pygame
    from typing import Annotated
    from savegen import Activation, Save, Saved, on_activate, on_deactivate, saveable

    told = []
    joined = pygame.sprite.Group()

    @saveable
    class Foe(pygame.sprite.Sprite):
        hp: Saved[int]
        friend: "Saved[Foe | None]"

        def __init__(self, hp, *groups):
            super().__init__(*groups)
            self.hp, self.friend = hp, None

        def update(self):
            self.hp -= 1

        @on_activate
        def appear(self, reason: Activation):
            told.append((self.hp, reason.name))

        @on_deactivate
        def vanish(self):
            told.append((self.hp, "GONE"))

    @saveable
    class Coin(pygame.sprite.Sprite):  # joins its group as games do that do not name it
        hp: Saved[int] = 1

        @on_activate
        def appear(self, reason: Activation):
            joined.add(self)

        @on_deactivate
        def vanish(self):
            self.kill()

    @saveable
    class Quiet(pygame.sprite.Sprite):
        hp: Saved[int]

        def __init__(self, hp, *groups):
            super().__init__(*groups)
            self.hp = hp

    @saveable
    class Flash(pygame.sprite.DirtySprite):
        hp: Saved[int]
        rect: Annotated[pygame.Rect, Save(setter=True)]

        def __init__(self, hp):
            super().__init__()
            self.hp, self.rect = hp, pygame.Rect(10 * hp, 0, 4, 4)
            self.appear(Activation.SPAWNED)

        @on_activate
        def appear(self, reason: Activation):
            self.image = pygame.Surface((4, 4))
            self.image.fill((255, 255, 255))

    class Spark(pygame.sprite.DirtySprite):  # not saveable
        hp = "spark"

    @saveable
    class Broken(pygame.sprite.Sprite):
        hp: Saved[int] = 0

        @on_activate
        def appear(self, reason: Activation):
            if self.hp:
                raise ValueError("boom")
"""

START = """
    import pygame
    from pygame.sprite import Group, GroupSingle, LayeredDirty, LayeredUpdates, OrderedUpdates
    from pygame.sprite import RenderUpdates
    from game.foes import *
    from game._savegen.registry import REGISTRY
    from savegen.runtime import GameObject, History, SaveApplyError, SaveError, SaveLoadManager
    from savegen.saves import SaveSlots, decode, encode

    def of(group):
        return [each.hp for each in group]

    manager = SaveLoadManager(REGISTRY)
    foes = Group()
    manager.groups["foes"] = foes
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    made = Project(
        tmp_path_factory.mktemp("groups"),
        {
            "pyproject.toml": '[tool.savegen]\nsource = "game"\n',
            "game/__init__.py": "",
            "game/foes.py": PYGAME,
        },
    )
    assert "SG2" not in made.run("-m", "savegen", "build", "--no-color")
    return made


def said(project: Project, text: str) -> list[str]:
    from textwrap import dedent

    return project.script(dedent(START) + dedent(text)).splitlines()


def test_sprites_of_a_group_need_no_add_and_kill_is_enough(project: Project) -> None:
    assert (
        said(
            project,
            """
        first, second, third = Foe(1, foes), Foe(2, foes), Foe(3, foes)
        first.friend = second
        two = manager.create_snapshot()
        second.kill(), third.kill()
        one = manager.create_snapshot()
        assert [each.hp for each in manager.find(Foe)] == [1, 2]  # `first` refers to `second`
        first.friend = None
        one = manager.create_snapshot()
        assert [each.hp for each in manager.find(Foe)] == [1]
        new = Foe(4, foes)
        manager.apply_snapshot(two)
        assert foes.sprites() == [first, second, third] and not new.alive()
        assert manager.groups["foes"] is foes and first.friend is second
        manager.apply_snapshot(one)
        assert foes.sprites() == [first] and second.groups() == third.groups() == []
        foes.update()
        print(of(foes), [each.hp for each in (second, third)])
        print(told)
        """,
        )
        == [
            "[0] [2, 3]",
            "[(4, 'GONE'), (1, 'RELOADED'), (2, 'RELOADED'), (3, 'RELOADED'), (2, 'GONE'),"
            " (3, 'GONE'), (1, 'RELOADED')]",
        ]
    )


def test_a_file_brings_exactly_the_saved_sprites_back(project: Project) -> None:
    assert (
        said(
            project,
            """
        both = Foe(1, foes)
        boss = GroupSingle(both)
        manager.groups["boss"] = boss
        for n in (2, 3):
            Foe(n, foes)
        foes.sprites()[1].kill()
        saved = encode(manager.create_snapshot())

        manager = SaveLoadManager(REGISTRY)
        foes, boss, everything = Group(), GroupSingle(), Group()
        manager.groups.update(foes=foes, boss=boss)
        for n in (7, 8):
            Foe(n, foes, everything)
        told.clear()
        for _ in range(2):
            manager.apply_snapshot(decode(saved, REGISTRY))
            assert boss.sprite is foes.sprites()[0]
            print(of(foes), of(boss), of(everything), told)
            told.clear()
        """,
        )
        == [
            "[1, 3] [1] [] [(7, 'GONE'), (8, 'GONE'), (1, 'RESTORED'), (3, 'RESTORED')]",
            "[1, 3] [1] [] [(1, 'GONE'), (3, 'GONE'), (1, 'RESTORED'), (3, 'RESTORED')]",
        ]
    )


@pytest.mark.parametrize("group", ["Group", "OrderedUpdates", "RenderUpdates"])
def test_order_is_state_and_what_is_not_saveable_stays_in_its_place(
    project: Project, group: str
) -> None:
    assert (
        said(
            project,
            f"""
        import warnings
        warnings.simplefilter("ignore")
        group = {group}()
        manager.groups["group"] = group
        a, b, c = (Foe(n) for n in "abc")
        low, middle, top = Spark(), Spark(), Spark()
        group.add(low, a, middle, b, c, top)
        before = manager.create_snapshot()
        group.empty()
        group.add(low, a, middle, c, Foe("d"), b, top)
        manager.apply_snapshot(before)
        print(of(group))
        group.empty()
        manager.apply_snapshot(before)
        print(of(group))
        """,
        )
        == [
            "['spark', 'a', 'spark', 'b', 'c', 'spark']",
            "['a', 'b', 'c']",
        ]
    )


@pytest.mark.parametrize("group", ["LayeredUpdates", "LayeredDirty"])
def test_layers_are_state(project: Project, group: str) -> None:
    assert (
        said(
            project,
            f"""
        group = {group}()
        manager.groups["group"] = group
        a, b, c, d = (Flash(n) for n in range(4))
        spark = Spark()
        group.add(a, b, layer=2)
        group.add(c, d, layer=-1.5)
        group.add(spark, layer=1)
        group.move_to_front(a)
        before = manager.create_snapshot()
        group.change_layer(a, -4), b.kill(), group.change_layer(c, 9)
        extra = Flash(7)
        group.add(extra, layer=0)
        def show():
            print([(s.hp, group.get_layer_of_sprite(s), s.layer) for s in group])
        manager.apply_snapshot(before)
        show()
        other = SaveLoadManager(REGISTRY)
        group = other.groups["group"] = {group}()
        group.add(spark, layer=1)
        other.apply_snapshot(decode(encode(before), REGISTRY))
        show()
        group.add(Flash(5), layer=0)  # the order by layers holds
        print(of(group))
        """,
        )
        == [
            "[(2, -1.5, -1.5), (3, -1.5, -1.5), ('spark', 1, 1), (1, 2, 2), (0, 2, 2)]",
            "[(2, -1.5, -1.5), (3, -1.5, -1.5), ('spark', 1, 1), (1, 2, 2), (0, 2, 2)]",
            "[2, 3, 5, 'spark', 1, 0]",
        ]
    )


def test_a_failed_load_leaves_groups_as_they_were(project: Project) -> None:
    assert (
        said(
            project,
            """
        layers, unnamed = LayeredUpdates(), Group()
        manager.groups["layers"] = layers
        broken = Broken()
        layers.add(broken, layer=3)
        a, b = Foe(1, foes), Foe(2, foes)
        broken.hp = 1
        before = manager.create_snapshot()
        broken.hp, broken.groups()
        broken.hp = 0
        layers.change_layer(broken, 5)
        b.kill()
        c = Foe(3, foes, unnamed)
        foes.add(Spark())
        told.clear()
        try:
            manager.apply_snapshot(before)
        except SaveApplyError as error:
            print(error)
        assert foes.sprites()[:2] == [a, c] and not b.alive()
        print(of(foes), of(unnamed), layers.get_layer_of_sprite(broken), broken.hp)
        print(told)
        """,
        )
        == [
            "`Broken.appear` raised ValueError: boom",
            "[1, 3, 'spark'] [3] 5 0",
            "[(3, 'GONE'), (1, 'RELOADED'), (2, 'RELOADED'), (1, 'RELOADED'), (2, 'RELOADED'),"
            " (3, 'RELOADED')]",
        ]
    )


def test_added_objects_are_destroyed_when_no_sprite_of_them_is_in_a_group(
    project: Project,
) -> None:
    assert (
        said(
            project,
            """
        kept = manager.add(Foe(1))  # never in a group
        foe = manager.add(Foe(2))
        foes.add(foe)
        pair = manager.add(GameObject(Foe(3), Foe(4)))
        foes.add(pair.components)
        coin = manager.add(Coin())  # its hook puts it into a group that has no name yet
        manager.groups["joined"] = joined
        placed = manager.add(Foe(5, foes), placement="north", level="cave")
        moved = manager.add(Foe(6, foes))
        before = manager.create_snapshot()
        coin.kill(), foe.kill(), placed.kill(), pair.components[0].kill()
        moved.remove(foes), moved.add(other := Group())
        after = manager.create_snapshot()
        assert manager.objects == (kept, pair, moved) and after.placed() == {"north": False}
        told.clear()
        pair.components[1].kill()
        last = manager.create_snapshot()
        print(len(manager), told)
        manager.apply_snapshot(before)
        print(of(foes), of(joined), of(other), len(manager))
        manager.apply_snapshot(after)
        print(of(foes), of(joined), of(other), len(manager))
        """,
        )
        == [
            "2 [(3, 'GONE'), (4, 'GONE')]",
            "[2, 3, 4, 5, 6] [1] [6] 6",
            "[4] [] [6] 3",
        ]
    )
