"""Groups of sprites are roots: their sprites are saved, and a load leaves no ghosts in them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project import Project, mypy, pyright, savegen

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
    class Arena:
        foes: "Saved[pygame.sprite.Group[Foe]]"
        layers: "Saved[pygame.sprite.LayeredUpdates[Foe]]"
        boss: "Saved[pygame.sprite.GroupSingle[Foe] | None]" = None

        def __init__(self):
            self.foes, self.layers = pygame.sprite.Group(), pygame.sprite.LayeredUpdates()

    @saveable(rewind=False)
    class Medal(pygame.sprite.Sprite):
        hp: Saved[str]

        def __init__(self, hp, *groups):
            super().__init__(*groups)
            self.hp = hp

    @saveable
    class Tile(pygame.sprite.Sprite):
        hp: Saved[int] = 0
        layer: Annotated[int, Save(setter=True)]

    @saveable
    class Broken(pygame.sprite.Sprite):
        hp: Saved[int] = 0

        @on_activate
        def appear(self, reason: Activation):
            if self.hp:
                raise ValueError("boom")

    @saveable
    class Named(pygame.sprite.Sprite):  # its hash depends on a field
        hp: Saved[int]

        def __init__(self, hp, *groups):
            self.hp = hp
            super().__init__(*groups)

        def __eq__(self, other):
            return isinstance(other, Named) and other.hp == self.hp

        def __hash__(self):
            return hash(self.hp)

    @saveable
    class Squad:
        members: "Saved[pygame.sprite.Group[Named]]"

        def __init__(self):
            self.members = pygame.sprite.Group()

    @saveable(rewind=False)
    class Trophy(pygame.sprite.Sprite):
        hp: Saved[int]

        def __init__(self, hp, *groups):
            super().__init__(*groups)
            self.hp = hp

    @saveable
    class Bomb(pygame.sprite.Sprite):
        hp: Saved[int] = 0

        @on_deactivate
        def vanish(self):
            self.dies()

    @saveable
    class Tank(pygame.sprite.Sprite):
        hp: Saved[int] = 0

        @on_activate
        def enter(self, reason: Activation):
            self.appear()

        def appear(self):
            pass

    @saveable
    class Odd(Tank):
        def __init__(self):
            super().__init__(joined)

        def appear(self):
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
        manager.apply_snapshot(decode(encode(before), REGISTRY))  # all sprites are new ones
        print(of(group))
        group.empty()
        manager.apply_snapshot(before)
        print(of(group))
        """,
        )
        == [
            "['spark', 'a', 'spark', 'b', 'c', 'spark']",
            "['spark', 'spark', 'a', 'b', 'c', 'spark']",
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


def test_snapshots_histories_and_files_agree_on_groups(project: Project) -> None:
    assert (
        said(
            project,
            """
        from savegen.saves import Autosave
        history = History(manager)
        slots = SaveSlots("saves")
        autosave = Autosave(slots, manager, "auto")
        digests, contents = [], []
        for step in range(6):
            for n in range(3):
                Foe(10 * step + n, foes)
            foes.sprites()[step].kill()
            foes.update()
            history.record(), autosave.record()
            digests.append(manager.create_snapshot().digest())
            contents.append(of(foes))
        def check(step):
            assert of(foes) == contents[step], (step, of(foes))
            assert manager.create_snapshot().digest() == digests[step], step
        history.rewind(5), check(0)
        history.forward(3), check(3)
        history.rewind(2), check(1)
        manager.apply_snapshot(manager.create_snapshot()), check(1)

        other = SaveLoadManager(REGISTRY)
        foes = other.groups["foes"] = Group()
        SaveSlots("saves").load("auto", other)
        print(of(foes) == contents[-1], other.create_snapshot().digest() == digests[-1])
        """,
        )
        == ["True True"]
    )


def test_what_a_player_sees_after_a_load_is_what_was_saved(project: Project) -> None:
    assert (
        said(
            project,
            """
        screen, background = pygame.Surface((80, 8)), pygame.Surface((80, 8))
        def seen():
            return [x for x in range(0, 80, 10) if screen.get_at((x + 2, 2)).r]

        for cls in (RenderUpdates, LayeredUpdates, LayeredDirty):
            screen.fill("black")
            group = cls()
            manager.groups["seen"] = group
            group.add(Flash(1), Flash(2), Flash(3))
            if cls is LayeredDirty:
                group._use_update = True  # it draws what has changed, and nothing else
            def draw():
                group.clear(screen, background)
                group.draw(screen)
            draw()
            before = manager.create_snapshot()
            group.sprites()[0].rect.x = 60
            group.sprites()[1].kill()
            group.add(Flash(5))
            for each in group:
                each.dirty = 1
            draw()
            assert seen() == [30, 50, 60], (cls, seen())
            manager.apply_snapshot(before)
            draw()
            assert seen() == [10, 20, 30], (cls, seen())
            file = encode(before)
            manager.apply_snapshot(decode(file, REGISTRY))
            draw()
            assert seen() == [10, 20, 30], (cls, seen())
            draw()
            assert seen() == [10, 20, 30], (cls, seen())
        print("ok")
        """,
        )
        == ["ok"]
    )


def test_a_sprite_in_two_groups_updates_once_in_each_and_hooks_double_nothing(
    project: Project,
) -> None:
    assert (
        said(
            project,
            """
        everything = LayeredUpdates()
        manager.groups.update(everything=everything, joined=joined)
        manager.add(Coin()), joined.add(Coin()), foes.add(foe := Foe(5))
        everything.add(*joined, foe)
        before = manager.create_snapshot()
        for snapshot in (before, decode(encode(before), REGISTRY)) * 2:
            assert len(joined) == 2 and len(everything) == 3 and len(foes) == 1
            assert {*joined, *foes} == {*everything}
            for sprite in everything.sprites():
                sprite.kill()
            assert not joined and not foes
            manager.apply_snapshot(snapshot)
            everything.update()
            (foe,) = foes
            assert foe.hp == 4 and [*manager.find(Foe)] == [foe]
        print(len([*manager.find(Coin)]), len(manager))
        """,
        )
        == ["2 1"]
    )


def test_partial_snapshots_and_merges_keep_groups_right(project: Project) -> None:
    assert (
        said(
            project,
            """
        north = [manager.add(Foe(n, foes), level="north", placement=f"n{n}") for n in (1, 2)]
        south = manager.add(Foe(3, foes), level="south", placement="s3")
        loose = Foe(4, foes)
        foes.sprites()
        part = manager.create_snapshot(filter="north")
        north[0].kill(), north[1].kill()
        manager.create_snapshot()
        extra = Foe(5, foes)
        manager.apply_snapshot(part)
        print(of(foes), len(manager))
        whole = manager.create_snapshot()
        manager.merge(whole)
        print(of(foes), len(manager))
        manager.apply_snapshot(whole)
        print(of(foes), len(manager))
        manager.clear()
        print(of(foes), len(manager), [*manager.find(Foe)])
        """,
        )
        == [
            "[3, 4, 5, 1, 2] 3",
            "[3, 4, 5, 1, 2, 3, 4, 5, 1, 2] 6",
            "[3, 4, 5, 1, 2] 3",
            "[] 0 []",
        ]
    )


def test_a_placed_sprite_that_was_killed_stays_away_when_its_level_is_loaded_again(
    project: Project,
) -> None:
    assert (
        said(
            project,
            """
        def level():
            for n in (1, 2):
                manager.add(Foe(n, foes), level="cave", placement=f"foe {n}")
        level()
        foes.sprites()[0].kill()
        slots = SaveSlots("saves")
        slots.save("a", manager)

        manager = SaveLoadManager(REGISTRY)
        foes = manager.groups["foes"] = Group()
        level()
        slots.load("a", manager)
        print(of(foes), of(manager.objects))
        manager.restart(level, manager.create_snapshot())
        print(of(foes), of(manager.objects))
        """,
        )
        == ["[2] [2]", "[2] [2]"]
    )


def test_a_save_without_a_group_and_a_group_that_the_game_no_longer_names(
    project: Project,
) -> None:
    assert (
        said(
            project,
            """
        old = SaveLoadManager(REGISTRY)
        old.add(Coin()), old.add(Quiet(2))
        without = encode(old.create_snapshot())
        Quiet(1, foes)
        with_group = encode(manager.create_snapshot())

        manager.groups["joined"] = joined
        joined.empty()
        joined.add(stray := Coin())
        manager.apply_snapshot(decode(without, REGISTRY))
        print(of(foes), of(joined), stray.alive(), len(manager))

        later = SaveLoadManager(REGISTRY)
        later.apply_snapshot(decode(with_group, REGISTRY))
        kept = encode(later.create_snapshot())
        manager.apply_snapshot(decode(kept, REGISTRY))
        print(of(foes), later.create_snapshot().states)
        """,
        )
        == [
            "[] [1] False 2",
            "[1] {\"groups['foes']\": (StoredType('list<ref<0>>'), [-1])}",
        ]
    )


def test_only_groups_can_be_named_and_a_damaged_one_is_a_typed_error(
    project: Project,
) -> None:
    assert (
        said(
            project,
            """
        from msgspec.structs import replace
        from savegen.runtime.values.stored import parse
        def error(step):
            try:
                step()
            except SaveError as raised:
                print(type(raised).__name__, raised)
        error(lambda: manager.groups.__setitem__("list", []))
        error(lambda: manager.groups.__setitem__(3, foes))
        print(manager.groups, [*manager.groups], "list" in manager.groups)
        layers = manager.groups["layers"] = LayeredUpdates()
        error(lambda: manager.add_state("groups['foes']", int, print))
        manager.add(GameObject()), Foe(1, foes)
        layers.add(foe := Foe(2), layer="top")
        error(manager.create_snapshot)
        layers.change_layer(foe, 1)
        saved = manager.create_snapshot()
        plain, layered = parse("list<ref<0>>"), saved.states["groups['layers']"][0]
        nan = float("nan")
        for value in (7, (plain, 5), (plain, ["a"]), (parse("ref<0>"), 1), (layered, [1]),
                      (layered, [("a", 1)]), (layered, [(1, "a")]), (layered, [(-1, nan)]),
                      (plain, [1])):
            states = {**saved.states, "groups['layers']": value}
            error(lambda: manager.apply_snapshot(replace(saved, states=states)))
        states = {**saved.states}
        states["groups['layers']"] = layered, [(-1, 2), (-1, 2), (0, 2), (-99, 2), (-2, 1)]
        manager.apply_snapshot(replace(saved, states=states))
        print(of(layers), of(foes))
        """,
        )
        == [
            "SaveError `manager.groups['list']` cannot be a list: pass a `pygame.sprite.Group` or"
            " another group of pygame, or an `arcade.SpriteList`",
            "SaveError the name of a group must be a str, not 3",
            "<Groups: 'foes'> ['foes'] False",
            "SaveError a state \"groups['foes']\" was already added; choose another name",
            "SaveError the state \"groups['layers']\" cannot be saved: a sprite is in the"
            " layer 'top'; only numbers can be saved",
            *[
                "SaveApplyError the state \"groups['layers']\" in the save is not the content of a group"
            ]
            * 8,
            "SaveApplyError the state \"groups['layers']\" contains a GameObject, which is no sprite",
            "[2, 1] [1]",
        ]
    )


def test_a_group_in_a_field_stays_the_same_group(project: Project) -> None:
    assert (
        said(
            project,
            """
        arena = manager.add(Arena())
        group, layers = arena.foes, arena.layers
        a, b, c = (Foe(n, arena.foes) for n in (1, 2, 3))
        layers.add(b, layer=4), layers.add(a, layer=2)
        added = manager.add(Foe(4, group))
        spark = Spark()
        group.add(spark)
        def show():
            print(of(group), [(s.hp, layers.get_layer_of_sprite(s)) for s in layers],
                  arena.boss and of(arena.boss))
        before = manager.create_snapshot(strict=True)
        b.kill(), layers.change_layer(a, 7), added.kill()
        arena.boss = GroupSingle(c)
        new = Foe(9, group, layers)
        after = manager.create_snapshot(strict=True)
        assert manager.objects == (arena,)
        print([(change.what, change.component is arena, change.fields)
               for change in after.changes(since=before) if change.component is arena])
        told.clear()
        manager.apply_snapshot(before)
        assert arena.foes is group and arena.layers is layers and not new.alive()
        show()
        manager.apply_snapshot(after)
        assert group.sprites()[:2] == [a, c]
        show()
        last = Foe(8, group)
        group.remove(a)
        manager.apply_snapshot(after)
        assert arena.foes is group and not last.alive() and group.sprites()[0] is a
        show()

        slots = SaveSlots("saves")
        slots.save("a", manager)
        manager = SaveLoadManager(REGISTRY)
        old = manager.add(Arena())
        gone = Foe(7, old.foes)
        slots.load("a", manager)
        (arena,) = manager.find(Arena)
        group, layers = arena.foes, arena.layers
        assert not gone.alive() and arena.boss.sprite in group
        show()
        """,
        )
        == [
            "[('changed', True, ('foes', 'layers', 'boss'))]",
            "[1, 2, 3, 4, 'spark'] [(1, 2), (2, 4)] None",
            "[1, 3, 9, 'spark'] [(9, 0), (1, 7)] [3]",
            "[1, 3, 9, 'spark'] [(9, 0), (1, 7)] [3]",
            "[1, 3, 9] [(9, 0), (1, 7)] [3]",
        ]
    )


def test_a_group_in_a_field_is_recorded_and_undone_like_any_other_field(
    project: Project,
) -> None:
    assert (
        said(
            project,
            """
        arena, broken = manager.add(Arena()), manager.add(Broken())
        group = arena.foes
        history, contents = History(manager), []
        for step in range(5):
            Foe(step, group), Foe(10 + step, group)
            if step % 2:
                group.sprites()[0].kill()
            history.record()
            contents.append(of(group))
        for step in (4, 3, 2, 1):
            history.rewind()
            assert arena.foes is group and of(group) == contents[step - 1]
        history.forward(3)
        assert of(group) == contents[3]
        broken.hp = 1
        bad = manager.create_snapshot()
        broken.hp = 0
        group.sprites()[2].kill()
        Foe(50, group)
        now = group.sprites()
        try:
            manager.apply_snapshot(bad)
        except SaveApplyError as error:
            print(error)
        print(group.sprites() == now, arena.foes is group)
        manager.merge(manager.create_snapshot())
        first, second = manager.find(Arena)
        print(first.foes is group, of(second.foes) == of(group), len({*first.foes, *second.foes}))
        """,
        )
        == [
            "`Broken.appear` raised ValueError: boom",
            "True True",
            "True True 12",
        ]
    )


def test_a_manager_that_checks_names_each_group_without_a_name_once(
    project: Project,
) -> None:
    assert (
        said(
            project,
            """
        import warnings
        def told_by(manager):
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                for _ in range(2):
                    manager.create_snapshot()
                return [str(each.message) for each in told]

        layers, unnamed = LayeredUpdates(), LayeredUpdates()
        for n in range(3):
            Quiet(n, foes, unnamed), Quiet(n, layers), Spark().add(unnamed)
        manager = SaveLoadManager(REGISTRY, check=True)
        for quiet in foes:
            manager.add(quiet)
        print(told_by(manager))  # it names no group: its hooks fill them
        manager.groups["layers"] = layers
        for text in told_by(manager):
            print(text)
        manager.groups.update(foes=foes, unnamed=unnamed)
        print(told_by(manager))
        """,
        )
        == [
            "[]",
            "a load would not put sprites back into groups without a name: a `Group` with 3 saved"
            " sprites, such as the `Quiet` (object #1); a `LayeredUpdates` with 3 saved sprites, such"
            ' as the `Quiet` (object #1). Name each group, `manager.groups["…"] = group`, or let a'
            " method marked `@on_activate` add the sprites",
            "[]",
        ]
    )


def test_a_manager_that_checks_tells_of_an_added_sprite_that_is_in_no_group(
    project: Project,
) -> None:
    assert (
        said(
            project,
            """
        import warnings
        manager = SaveLoadManager(REGISTRY, check=True)
        manager.groups["foes"] = foes
        manager.add(Tank())  # no other one is in a group
        pair = manager.add(GameObject(Quiet(4), Quiet(5)))
        foes.add(Quiet(1), pair.components[0])
        late = manager.add(Quiet(2))
        late.add(foes), late.kill()
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            for _ in range(2):
                manager.create_snapshot()
        for each in told:
            print(each.message)
        """,
        )
        == [
            "in the world, but in no group: a `Quiet` (object #5). If the game has killed it, it had"
            " joined its group after it was added, and no snapshot saw it there; so it stays. Do not"
            " add sprites of named groups, let them join in `__init__`, or call `manager.destroy`"
        ]
    )


def test_a_saved_layer_of_a_sprite_does_not_hinder_the_layers_of_its_group(
    project: Project,
) -> None:
    assert (
        said(
            project,
            """
        layers = manager.groups["layers"] = LayeredUpdates()
        tile = Tile()
        tile.layer = 3
        layers.add(tile)
        before = manager.create_snapshot()
        layers.change_layer(tile, 5)
        for snapshot in (before, decode(encode(before), REGISTRY)):
            manager.apply_snapshot(snapshot)
            (tile,) = layers
            print(tile.layer, layers.get_layer_of_sprite(tile))
        """,
        )
        == ["3 3", "3 3"]
    )


def test_what_is_destroyed_leaves_its_groups(project: Project) -> None:
    assert (
        said(
            project,
            """
        other = Group()
        foe, part = Foe(1, foes, other), Foe(2, foes)
        manager.destroy(foe)  # it was never added
        camp = manager.add(GameObject(part, Foe(3, foes)))
        camp.remove_component(part)
        print(of(foes), of(other), foe.alive(), part.alive())
        foes.add(foe)  # a game that uses its sprites again
        before = manager.create_snapshot()
        foe.kill()
        manager.apply_snapshot(before)
        print(of(foes), foe.alive())
        """,
        )
        == ["[3] [] False False", "[3, 1] True"]
    )


def test_any_sequence_of_changes_and_loads_gives_back_what_was_saved(
    project: Project,
) -> None:
    assert (
        said(
            project,
            """
        from random import Random

        def play(seed):
            dice = Random(seed)
            manager = SaveLoadManager(REGISTRY)
            arena = manager.add(Arena())
            groups = [Group(), LayeredUpdates(), GroupSingle(), OrderedUpdates()]
            for n, group in enumerate(groups):
                manager.groups[f"group {n}"] = group
            unnamed, spark = Group(), Spark()
            groups[0].add(spark), groups[1].add(spark, layer=1)
            number, saved, history = 0, [], History(manager)

            def content():
                (arena,) = manager.find(Arena)
                every = [*groups, arena.foes, arena.layers]
                found = [[s.hp for s in group if s is not spark] for group in every]
                return found + [[every[n].get_layer_of_sprite(s) for s in every[n]
                                 if s is not spark] for n in (1, 5)]

            for _ in range(120):
                (arena,) = manager.find(Arena)
                every = [*groups, arena.foes, arena.layers]
                group = dice.choice(every)
                ours = [s for s in group if s is not spark]
                sprite = dice.choice(ours) if ours else None
                match dice.randrange(12):
                    case 0 | 1 | 2:
                        number += 1
                        new = Foe(number)
                        group.add(new, layer=dice.randrange(3)) if "_spritelayers" in vars(
                            group) else group.add(new)
                        if dice.random() < 0.3:
                            manager.add(new)
                        if dice.random() < 0.3:
                            unnamed.add(new)
                    case 3 if sprite:
                        sprite.kill()
                    case 4 if sprite:
                        group.remove(sprite)
                    case 5 if sprite:
                        dice.choice(every).add(sprite)
                    case 6 if sprite and "_spritelayers" in vars(group):
                        group.change_layer(sprite, dice.randrange(5))
                    case 7 | 8:
                        snapshot = manager.create_snapshot()
                        if dice.random() < 0.5:
                            snapshot = encode(snapshot)
                        saved.append((snapshot, content()))
                    case 9 | 10 if saved:
                        snapshot, wanted = dice.choice(saved)
                        if type(snapshot) is bytes:
                            snapshot = decode(snapshot, REGISTRY)
                        known = {*manager.find(Foe)}.union(*every)
                        manager.apply_snapshot(snapshot)
                        assert content() == wanted, (seed, content(), wanted)
                        assert spark in groups[0] and spark in groups[1], seed
                        (arena,) = manager.find(Arena)
                        alive = {*manager.find(Foe)}
                        assert ({*unnamed} & known) <= alive, (seed, "a ghost")
                        for each in (*groups, arena.foes, arena.layers):
                            assert {*each} - {spark} <= alive, (seed, "a ghost")
                            layers = [each.get_layer_of_sprite(s) for s in each
                                      ] if "_spritelayers" in vars(each) else []
                            assert layers == sorted(layers), seed

        import warnings
        warnings.simplefilter("ignore")
        for seed in range(40):
            play(seed)
        print("ok")
        """,
        )
        == ["ok"]
    )


def test_a_group_that_is_named_after_a_load_gets_the_sprites_of_the_save(
    project: Project,
) -> None:
    assert (
        said(
            project,
            """
        Foe(1, foes), Foe(2, foes)
        saved = encode(manager.create_snapshot())
        later = SaveLoadManager(REGISTRY)
        later.apply_snapshot(decode(saved, REGISTRY))
        group = Group(Foe(3))
        later.groups["foes"] = group
        print(of(group), of(later.find(Foe)))
        again = later.create_snapshot()
        group.empty()
        later.apply_snapshot(again)
        print(of(group), again.states)
        """,
        )
        == [
            "[3, 1, 2] [1, 2, 3]",
            "[3, 1, 2] {\"groups['foes']\": (StoredType('list<ref<0>>'), [-3, -1, -2])}",
        ]
    )


def test_a_restart_that_fails_gives_the_groups_back(project: Project) -> None:
    assert (
        said(
            project,
            """
        first = manager.add(Foe(1, foes), placement="a", level="cave")
        second = Foe(2, foes)
        spark = Spark()
        foes.add(spark)
        unnamed = Group(second, first)
        saved = manager.create_snapshot()
        def fail():
            Foe(3, foes), manager.add(Foe(4, foes), placement="b", level="cave")
            raise ValueError("no level")
        try:
            manager.restart(fail, saved)
        except SaveApplyError as error:
            print(error)
        assert foes.sprites() == [first, second, spark]
        assert unnamed.sprites() == [second, first]
        second.kill(), manager.create_snapshot()
        print(of(foes), of(manager.find(Foe)))
        """,
        )
        == ["ValueError: no level", "[1, 'spark'] [1]"]
    )


def test_a_group_finds_sprites_whose_hash_a_load_changes(project: Project) -> None:
    assert (
        said(
            project,
            """
        layers, unnamed = LayeredUpdates(), Group()
        manager.groups["layers"] = layers
        arena = manager.add(Squad())
        groups = [foes, layers, unnamed, arena.members]
        first, second = Named(1, groups), Named(2, groups)
        before = manager.create_snapshot()
        first.kill(), second.kill()
        first.hp, second.hp = 2, 1
        for group in groups:
            group.add(first, second)
        def check(group):
            assert all(each in group and group in each.groups() for each in group)
            return of(group)
        fail = [lambda: 1 / 0]
        manager.after_load.extend(fail)
        try:
            manager.apply_snapshot(before)
        except SaveApplyError as error:
            print(error, [*map(check, groups)])
        manager.after_load.clear()
        manager.apply_snapshot(before)
        print([*map(check, groups)])
        first.kill()
        print([*map(check, groups)])
        manager.apply_snapshot(decode(encode(before), REGISTRY))  # equal sprites, but new ones
        (arena,) = manager.find(Squad)
        print([*map(check, [foes, layers, unnamed, arena.members])], second.alive())
        manager.merge(before)  # a group has only one of two equal sprites
        print([*map(check, groups)])
        """,
        )
        == [
            "`<lambda>` raised ZeroDivisionError: division by zero [[2, 1], [2, 1], [2, 1], [2, 1]]",
            "[[1, 2], [1, 2], [1, 2], [1, 2]]",
            "[[2], [2], [2], [2]]",
            "[[1, 2], [1, 2], [], [1, 2]] False",
            "[[1, 2], [1, 2], [], []]",
        ]
    )


def test_sprites_that_hooks_create_during_a_load_leave_all_groups_unless_they_are_added(
    project: Project,
) -> None:
    assert (
        said(
            project,
            """
        unnamed = Group()
        start = manager.create_snapshot()
        def dies(self):
            Foe("left", foes, unnamed)
            manager.add(Foe("added", foes))
        Bomb.dies = dies
        for load in (lambda: start, lambda: decode(encode(start), REGISTRY),
                     lambda: manager.create_snapshot(filter=Coin)):
            bomb = manager.add(Bomb())
            foes.add(bomb)
            snapshot = load()
            if snapshot.covers:
                manager.destroy(bomb)
            else:
                manager.apply_snapshot(snapshot)
            print(of(foes), of(unnamed), of(manager.objects))
            Bomb.dies = lambda self: None
            manager.clear(), unnamed.empty()
            Bomb.dies = dies

        def fails():
            manager.after_load.clear()
            Foe("left", foes, unnamed)
            raise ValueError("boom")
        manager.after_load.append(fails)
        try:
            manager.apply_snapshot(start)
        except SaveApplyError as error:
            print(error, of(foes), of(unnamed))
        """,
        )
        == [
            "['added'] [] ['added']",
            "['added'] [] ['added']",
            "['left', 'added'] ['left'] ['added']",
            "`fails` raised ValueError: boom [] []",
        ]
    )


def test_an_object_that_does_not_come_into_the_world_leaves_the_groups_that_it_joined(
    project: Project,
) -> None:
    assert (
        said(
            project,
            """
        manager = SaveLoadManager(REGISTRY, {"tank": lambda: Tank(foes, layers), "odd": Odd})
        layers = LayeredUpdates()
        manager.groups.update(foes=foes, layers=layers)
        for prefab, values in [("tank", {"hp": "many"}), ("odd", {})]:
            try:
                manager.spawn(prefab, **values)
            except (SaveError, ValueError) as error:
                print(error, of(foes), of(layers))
        late = manager.add(Tank())
        Tank.appear = lambda self: late.kill()
        other = manager.add(Tank(foes))
        Tank.appear = lambda self: self.kill()
        killed = manager.add(Tank(foes))  # its own hook kills it
        manager.create_snapshot()
        print(manager.objects == (late, other))
        """,
        )
        == [
            "'hp' of Tank cannot be 'many': it is a str, not int [] []",
            "`Odd.enter` raised ValueError: boom [] []",
            "True",
        ]
    )


def test_an_object_of_a_pool_or_a_copy_is_in_groups_only_while_it_is_in_the_world(
    project: Project,
) -> None:
    assert (
        said(
            project,
            """
        manager = SaveLoadManager(REGISTRY, {"tank": lambda: Tank(foes, layers)})
        layers = LayeredUpdates(default_layer=3)
        manager.groups.update(foes=foes, layers=layers)
        pool = manager.pool("tank", warm=2)
        print(of(foes), of(layers), len(pool))
        tank = manager.spawn("tank")
        layers.change_layer(tank, 9)
        tank.kill()
        manager.create_snapshot()
        print(of(foes), of(layers), len(pool))
        again = manager.spawn("tank")
        print(again is tank, of(foes), layers.layers(), len(pool))
        from savegen.runtime.testing import uncovered
        print(uncovered(manager), of(foes), of(layers))
        """,
        )
        == ["[] [] 2", "[] [] 2", "True [0] [3] 1", "[] [0] [0]"]
    )


def test_a_rewind_leaves_sprites_that_it_does_not_rewind_in_their_groups(
    project: Project,
) -> None:
    assert (
        said(
            project,
            """
        history = History(manager)
        Foe(1, foes)
        Trophy("early", foes)
        history.record()
        late = manager.add(Trophy("late", foes))
        Trophy("free", foes), Foe(2, foes)
        foes.sprites()[1].kill()
        history.record()
        history.rewind(1)
        print(of(foes))
        history.record()
        late.kill()
        history.rewind(1)  # it does not bring the trophy back
        print(of(foes), len(manager))
        history.record()
        print(of(foes), len(manager))
        """,
        )
        == ["[1, 'late', 'free']", "[1, 'free'] 1", "[1, 'free'] 0"]
    )


ARCADE = """
    import arcade
    from typing import Annotated
    from savegen import Save, Saved, saveable

    @saveable
    class Bat(arcade.Sprite):
        hp: Saved[int] = 0
        position: Annotated[tuple[float, float], Save(setter=True)]

        def __init__(self, hp, *lists):
            super().__init__()
            self.hp = hp
            self.position = (10.0 * hp, 0.0)
            for each in lists:
                each.append(self)

    class Dust(arcade.Sprite):
        hp = "dust"
"""


@pytest.fixture(scope="module")
def arcade_project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    made = Project(
        tmp_path_factory.mktemp("lists"),
        {
            "pyproject.toml": '[tool.savegen]\nsource = "game"\n',
            "game/__init__.py": "",
            "game/bats.py": ARCADE,
        },
    )
    assert "SG2" not in made.run("-m", "savegen", "build", "--no-color")
    return made


def test_sprite_lists_of_arcade_are_groups(arcade_project: Project) -> None:
    assert (
        arcade_project.script("""
        import arcade
        from game._savegen.registry import REGISTRY
        from game.bats import Bat, Dust
        from savegen.runtime import SaveLoadManager
        from savegen.saves import decode, encode

        def of(sprites):
            return [each.hp for each in sprites]

        def collide(x, sprites):
            return of(arcade.get_sprites_at_point((x, 0.0), sprites))

        manager = SaveLoadManager(REGISTRY)
        bats = arcade.SpriteList(use_spatial_hash=True, lazy=True)
        other = arcade.SpriteList(lazy=True)
        manager.groups.update(bats=bats, other=other)
        first, second, third = (Bat(30 * n, bats) for n in (1, 2, 3))
        bats.insert(0, Dust())
        other.append(second)
        before = manager.create_snapshot()
        for snapshot in (before, before, decode(encode(before), REGISTRY)):
            first.kill(), second.remove_from_sprite_lists()
            third.position = (0.0, 900.0)
            extra = Bat(4, other, bats)
            bats.swap(1, 2)
            manager.apply_snapshot(snapshot)
            print(of(bats), of(other), len(extra.sprite_lists), collide(300, bats),
                  collide(600, bats), collide(900, bats), collide(450, bats))
            assert [bats.sprite_slot[s] for s in bats] == [*bats._sprite_index_data[:4]]
            first, second, third = (s for s in bats if type(s) is Bat)
            assert second is other[0] and second.sprite_lists in ([bats, other], [other, bats])
        third.kill()
        snapshot = manager.create_snapshot()
        print(of(manager.find(Bat)), bats is manager.groups["bats"])
        bats.clear()
        manager.apply_snapshot(snapshot)
        print(of(bats), of(other))
        """).splitlines()
        == [
            *["['dust', 30, 60, 90] [60] 0 [30] [60] [90] []"] * 3,
            "[30, 60] True",
            "[30, 60] [60]",
        ]
    )


TYPED = """
    import arcade
    import pygame
    from savegen import Saved, saveable

    @saveable
    class Goblin(pygame.sprite.Sprite):
        hp: Saved[int] = 3

    @saveable
    class Bat(arcade.Sprite):  # savegen: ignore[SG147]
        hp: Saved[int] = 1

    @saveable
    class Arena:
        goblins: Saved[pygame.sprite.Group[Goblin]]
        boss: Saved[pygame.sprite.GroupSingle[Goblin] | None] = None
        bats: Saved[arcade.SpriteList[Bat]]

        def __init__(self) -> None:
            self.goblins = pygame.sprite.Group()
            self.bats = arcade.SpriteList()
"""

TYPED_USE = """
    import arcade
    import pygame
    from _savegen.registry import REGISTRY
    from typed import Arena, Bat, Goblin
    from savegen.runtime import SaveLoadManager

    enemies: pygame.sprite.Group[Goblin] = pygame.sprite.Group()
    layers: pygame.sprite.LayeredUpdates[Goblin] = pygame.sprite.LayeredUpdates()
    bats: arcade.SpriteList[Bat] = arcade.SpriteList(lazy=True)
    manager = SaveLoadManager(REGISTRY)
    manager.groups["enemies"] = enemies
    manager.groups.update(layers=layers, bats=bats)
    arena = manager.add(Arena())
    for goblin in arena.goblins:
        goblin.hp -= 1
    if arena.boss is not None and arena.boss.sprite is not None:
        arena.boss.sprite.hp = 2
"""


def test_type_checkers_accept_groups_in_both_forms(tmp_path: Path) -> None:
    project = Project(tmp_path, {"typed.py": TYPED, "use.py": TYPED_USE})
    assert savegen(tmp_path, "build", "-q", "typed.py").code == 0
    checked = mypy(tmp_path, "typed.py", "use.py")
    assert checked.returncode == 0, checked.stdout
    assert pyright(tmp_path, "typed.py", "use.py") == []
    project.run("use.py")


def test_a_sprite_that_is_not_rewound_stays_where_it_is(project: Project) -> None:
    assert (
        said(
            project,
            """
        history = History(manager)
        foe, left = Foe(1, foes), Medal("left", foes)
        history.record()
        left.remove(foes)
        manager.add(left)
        won, late = Medal("won", foes), Foe(2, foes)
        history.record()
        history.rewind()
        print(of(foes), [each.hp for each in manager.find(Medal)])
        history.record()
        history.rewind()
        print(of(foes), won in foes)
        """,
        )
        == ["[1, 'won'] ['left', 'won']", "[1, 'won'] True"]
    )


def test_what_a_killed_sprite_leaves_behind_is_in_the_snapshot(
    project: Project,
) -> None:
    assert (
        said(
            project,
            """
        Foe.vanish = lambda foe: manager.add(Quiet(foe.hp))
        foe = manager.add(Foe(5, foes))
        manager.create_snapshot()
        foe.kill()
        save = encode(manager.create_snapshot())
        manager.clear()
        manager.apply_snapshot(decode(save, manager))
        print([(type(each).__name__, each.hp) for each in manager.objects])
        """,
        )
        == ["[('Quiet', 5)]"]
    )
