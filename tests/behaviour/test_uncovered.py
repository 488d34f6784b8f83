"""`uncovered`, `assert_round_trip` and `check=True` find the attributes that a load would lose."""

from __future__ import annotations

import pytest

from tests.project import Project

ACTORS = """
    from __future__ import annotations
    from dataclasses import dataclass
    from functools import cached_property
    from typing import ClassVar
    from savegen import Activation, Saved, on_activate, saveable
    from game._savegen.components.actors import (
        BareSaveLoad, DeckSaveLoad, FreeSaveLoad, HeroSaveLoad, OddSaveLoad, OrcSaveLoad, PairSaveLoad,
        PatientSaveLoad,        SlottedSaveLoad, WordSaveLoad,
    )
    import engine

    @saveable
    class Bare(BareSaveLoad):
        hp: Saved[int] = 3

    @saveable
    class Deck(DeckSaveLoad, list[int]):  # savegen: ignore[SG145]
        hp: Saved[int] = 3

    @saveable
    class Word(WordSaveLoad, str):  # savegen: ignore[SG145]
        hp: Saved[int] = 3

    @dataclass
    class Wound:
        depth: int = 1
        LIMIT: ClassVar[int] = 9
        __scar: bool = False

        def __post_init__(self) -> None:
            if self.depth > 1:
                self.blood = self.depth * 2

        @cached_property
        def half(self) -> float:
            return self.depth / 2

    @dataclass(frozen=True)
    class Region:
        wounds: tuple[Wound, ...] = ()

    @saveable
    class Patient(PatientSaveLoad):
        wound: Saved[Wound | None] = None
        regions: Saved[dict[str, list[Region]]]

        def __init__(self) -> None:
            self.regions = {}

        def __getattr__(self, name: str) -> object:
            raise KeyError(name)

    @saveable
    class Pair(PairSaveLoad):
        left: Saved[Deck]
        right: Saved[Deck]

    @saveable(transient=True)
    class Free(FreeSaveLoad):
        hp: Saved[int] = 3

    @saveable
    class Odd(OddSaveLoad):
        hp: Saved[int] = 3

        def __getattr__(self, name: str) -> object:
            raise KeyError(name)

    class Evil:
        __hash__ = None  # type: ignore[assignment]

        def __eq__(self, other: object) -> bool:
            raise RuntimeError("evil")

        def __repr__(self) -> str:
            raise RuntimeError("evil")

    @saveable(transient=("font",))
    class Hero(HeroSaveLoad):
        hp: Saved[int] = 3
        orcs: Saved[list[Orc]]

        def __init__(self) -> None:
            self.orcs = []
            self.font = object()  # savegen: ignore[SG147]
            self._lock = None
            self.combo = 0

        @cached_property
        def strength(self) -> int:
            return self.hp * 2

        @on_activate
        def wake(self, reason: Activation) -> None:
            self.sprite = object()
            self._show()

        def _show(self) -> None:
            self.shadow = object()

    @saveable
    class Orc(OrcSaveLoad, engine.Body):
        hero: Saved[Hero | None] = None

    @saveable(subclasses=True)
    class Slotted(SlottedSaveLoad):
        __slots__ = ("hp", "mood", "next")
        hp: Saved[int]
        next: Saved[Slotted | None]
"""
ENGINE = """
    class Body:
        def __init__(self) -> None:
            self.mass = 1.0
            self.tags = []
            self.shape = object()
"""
SPRITES = """
    import arcade
    import pygame
    from typing import Annotated
    from savegen import Activation, Save, on_activate, saveable
    from game._savegen.components.sprites import BallSaveLoad, GhostSaveLoad, KnightSaveLoad

    @saveable
    class Ball(BallSaveLoad, pygame.sprite.DirtySprite):
        rect: Annotated[pygame.FRect, Save(setter=True)]

        @on_activate
        def appear(self, reason: Activation) -> None:
            self.image = pygame.Surface((4, 4))

    @saveable
    class Ghost(GhostSaveLoad, pygame.sprite.Sprite):
        pass

    @saveable
    class Knight(KnightSaveLoad, arcade.Sprite):
        center_x: Annotated[float, Save(setter=True)]
        center_y: Annotated[float, Save(setter=True)]
"""
PYPROJECT = """
    [tool.savegen]
    source = "game"

    [tool.savegen.bases]
    "engine.Body" = true
"""
HEAD = """
import warnings
from savegen.runtime import GameObject, SaveLoadManager
from savegen.runtime.testing import assert_round_trip, uncovered
from game._savegen.registry import REGISTRY

def names(found):
    return [(each.attribute, each.type_name, each.restored) for each in found]

"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    files = {
        "pyproject.toml": PYPROJECT,
        "engine.py": ENGINE,
        "game/__init__.py": "",
        "game/actors.py": ACTORS,
        "game/sprites.py": SPRITES,
    }
    made = Project(tmp_path_factory.mktemp("uncovered"), files)
    made.components()
    return made


def printed(project: Project, text: str) -> str:
    return project.script(HEAD + text)


def test_what_is_saved_transient_computed_or_set_by_a_hook_is_covered(
    project: Project,
) -> None:
    assert (
        printed(
            project,
            """
from game.actors import Bare, Free, Hero, Orc, Slotted
hero = SaveLoadManager(REGISTRY).add(Hero())
hero.orcs = [Orc(), Orc()]
hero.orcs[0].hero = hero
hero.strength
slotted = Slotted()
slotted.hp, slotted.next = 1, slotted
free = Free()
free.name = "Ann"
for root in (Bare(), free, hero, slotted, GameObject(Bare())):
    print(uncovered(root))
    assert_round_trip(root, REGISTRY)
""",
        )
        == "[]\n" * 5
    )


def test_an_attribute_of_the_game_or_of_a_base_is_listed_with_class_type_and_key(
    project: Project,
) -> None:
    assert (
        printed(
            project,
            """
from game.actors import Deck, Hero, Orc, Slotted, Word
hero = Hero()
hero.combo = 3
hero.orcs = [Orc(), Orc(), Orc()]
hero.orcs[1].tags.append("angry")
hero.orcs[1].name = "Grub"
hero.orcs[2].mass = 2.5
hero.orcs[2].tags.append("hungry")
for each in uncovered(hero):
    print(each)
slotted = Slotted()
slotted.hp, slotted.mood, slotted.next = 1, None, Slotted()
slotted.next.hp, slotted.next.next = 2, slotted
print(names(uncovered(slotted)))
print(names(uncovered(Deck([1, 2]))), uncovered(Deck()))
print(names(uncovered(Word("ab"))), uncovered(Word()))
class Deep(Slotted):
    __slots__ = ("depth",)
deep = Deep()
deep.hp, deep.next, deep.depth = 1, slotted.next, 2
del slotted.mood
print(names(uncovered(deep)))

manager = SaveLoadManager(REGISTRY)
manager.add(Orc())
orc = manager.add(Orc())
orc.mass = 7
(found,) = uncovered(manager)
print(found.key == manager.key_of(orc), found.class_name, found.attribute)
""",
        )
        == (
            "`Hero.combo` (int, object #1), which is 0 after a load\n"
            "`Orc.mass` (float, reached object #3), which is 1.0 after a load\n"
            "`Orc.name` (str, reached object #2), which is not set after a load\n"
            "`Orc.tags` (list, reached object #2), which is another list after a load\n"
            "[('mood', 'NoneType', '')]\n"
            "[('(contents)', 'list', 'another list')] []\n"
            "[('(contents)', 'str', \"''\")] []\n"
            "[('depth', 'int', '')]\n"
            "True Orc mass\n"
        )
    )


def test_attributes_of_plain_objects_that_are_no_fields_are_listed(
    project: Project,
) -> None:
    assert (
        printed(
            project,
            """
from game.actors import Patient, Region, Wound
patient = Patient()
patient.wound = wound = Wound(1)
wound.half, wound.LIMIT = wound.half, 9
patient.regions = {"arm": [Region((Wound(1),))]}
print(uncovered(patient))
assert_round_trip(patient, REGISTRY)
patient.regions["leg"] = [Region((Wound(3),))]
wound.LIMIT = 8
for check in (False, True):
    manager = SaveLoadManager(REGISTRY, check=check)
    manager.add(patient)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        manager.create_snapshot()
    print(*(uncovered(manager) if not check else str(told[0].message).split(". ")[:1]), sep="; ")
    manager.destroy(patient)
del patient.regions
print(names(uncovered(patient)))
""",
        )
        == (
            "[]\n"
            "`Wound.LIMIT` (int, object #1), which is 9 after a load;"
            " `Wound.blood` (int, object #1), which is not set after a load\n"
            "a load would lose `Wound.LIMIT` (int, object #1), which is 9 after a load;"
            " `Wound.blood` (int, object #1), which is not set after a load\n"
            "[('LIMIT', 'int', '9')]\n"
        )
    )


def test_two_fields_may_refer_to_one_object_of_a_built_in_class(
    project: Project,
) -> None:
    assert (
        printed(
            project,
            """
from game.actors import Deck, Pair
pair = Pair()
pair.left = pair.right = Deck()
assert_round_trip(pair, REGISTRY)
""",
        )
        == ""
    )


def test_a_round_trip_fails_with_the_attributes_that_it_loses(
    project: Project,
) -> None:
    assert (
        printed(
            project,
            """
from game.actors import Orc
orc = Orc()
orc.mass = 2.0
try:
    assert_round_trip(orc, REGISTRY)
except AssertionError as error:
    print(error)
""",
        )
        == (
            "a load would lose `Orc.mass` (float, object #1), which is 1.0 after a load."
            " Annotate the attributes to save with `Saved[…]`; list the others in"
            " `@saveable(transient=…)`, or set them in a method marked `@on_activate`; in a"
            " dataclass without `@saveable`, declare them as fields; then run `savegen build`\n"
        )
    )


def test_sprites_lose_what_no_hook_restores(project: Project) -> None:
    assert (
        printed(
            project,
            """
import arcade, pygame
from game.sprites import Ball, Ghost, Knight
group = pygame.sprite.Group()
balls = [Ball(), Ball()]
for ball in balls:
    ball.rect = pygame.FRect(1, 2, 3, 4)
    group.add(ball)
hero = Knight()
hero.position = 4.0, 5.0
sprites = arcade.SpriteList(lazy=True)
sprites.append(hero)
for _ in range(2):
    for check in (False, True):
        manager = SaveLoadManager(REGISTRY, check=check)
        manager.add(balls[0]), manager.add(balls[1]), manager.add(hero)
        manager.add(ghost := Ghost())
        if _:
            ghost.image = pygame.Surface((2, 2))
        if check:
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                manager.create_snapshot()
                print([str(each.message).count("after a load") for each in told])
        else:
            print(names(uncovered(manager)))
        manager.destroy(hero), manager.destroy(balls[0]), manager.destroy(balls[1])
    balls[1].source_rect = pygame.Rect(0, 0, 1, 1)
    balls[0].kill()
    balls[0].layer = 4
    hero.scale, hero.angle, hero.color = 2.0, 45.0, (1, 2, 3, 4)
    hero.texture = arcade.make_circle_texture(4, (1, 2, 3, 4))
""",
        )
        == (
            "[]\n[]\n"
            "[('layer', 'int', '0'), ('source_rect', 'Rect', 'None'), "
            "('image', 'Surface', 'None'), ('angle', 'float', '0.0'), "
            "('color', 'Color', 'another Color'), ('scale', 'tuple', '(1.0, 1.0)'), "
            "('texture', 'Texture', 'another Texture')]\n"
            "[7]\n"
        )
    )


def test_a_manager_that_checks_warns_once_and_again_when_more_is_lost(
    project: Project,
) -> None:
    assert (
        printed(
            project,
            """
from game.actors import Hero
manager = SaveLoadManager(REGISTRY, check=True)
hero = manager.add(Hero())
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    for turn in range(9):
        manager.create_snapshot()
        hero.combo = turn // 2
        if turn == 5:
            hero.name = "Grub"
for each in told:
    print(str(each.message).split(".")[:2], each.filename == __file__)
""",
        )
        == (
            "['a load would lose `Hero', 'combo` (int, object #1), which is 0 after a load']"
            " True\n"
            "['a load would lose `Hero', 'name` (str, object #1), which is not set after a load']"
            " True\n"
        )
    )


def test_odd_attributes_stop_neither_a_test_nor_a_save(project: Project) -> None:
    assert (
        printed(
            project,
            """
import math
from game.actors import Evil, Odd
odd = Odd()
odd.evil, odd.nan, odd.itself = Evil(), math.nan, []
odd.itself.append(odd.itself)
vars(odd)[5] = "not a name"
print([name for name, *_ in names(uncovered(odd))])
manager = SaveLoadManager(REGISTRY, check=True)
manager.add(odd)
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    manager.create_snapshot()
print(len(told))
""",
        )
        == "['evil', 'itself', 'nan']\n1\n"
    )


def test_nothing_is_run_and_nothing_is_told_without_a_check(project: Project) -> None:
    assert (
        printed(
            project,
            """
from game.actors import Orc
manager = SaveLoadManager(REGISTRY)
manager.add(Orc()).name = "Grub"
warnings.simplefilter("error")
manager.create_snapshot()
print("silent")
""",
        )
        == "silent\n"
    )


def test_what_a_prefab_sets_is_covered(project: Project) -> None:
    assert (
        printed(
            project,
            """
import random
from game.actors import Orc

def build():
    orc = Orc()
    orc.name = random.choice("ab") * 0 + "Grub"
    return orc

manager = SaveLoadManager(REGISTRY, {"orc": build}, check=True)
orc = manager.spawn("orc")
warnings.simplefilter("error")
manager.create_snapshot()
state = random.getstate()
print(names(uncovered(manager)), random.getstate() == state)
orc.name = "Snag"
print(names(uncovered(manager)))
""",
        )
        == "[] True\n[('name', 'str', \"'Grub'\")]\n"
    )
