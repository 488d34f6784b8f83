"""A value of a class that the build has not seen never passes for one of the declared type."""

from __future__ import annotations

from pathlib import Path

from tests.project import Project

GAME = """
    from dataclasses import dataclass
    import pygame
    from savegen import Saved, saveable

    @dataclass
    class Stats:
        hp: int = 1

    @saveable
    class Hero:
        pos: Saved[pygame.Vector2]
        stats: Saved[Stats]
        names: Saved[list[str]]
        path: Saved[list[pygame.Vector2]]
        gold: Saved[int] = 3

        def __init__(self) -> None:
            self.pos, self.stats = pygame.Vector2(1, 2), Stats()
            self.names, self.path = [], []
"""

SCRIPT = """
import pygame
from _savegen.registry import REGISTRY
from game import Hero, Stats
from savegen.runtime import SaveError, SaveLoadManager
from savegen.runtime.testing import assert_round_trip, uncovered

class Position(pygame.Vector2):
    pass

class Burnt(Stats):
    pass

class Names(list):
    pass

class Gold(int):
    pass

assert not uncovered(Hero(), REGISTRY)
for name, value, place, after in (
    ("pos", Position(1, 2), "Hero.pos` (Position", "a Vector2"),
    ("stats", Burnt(2), "Hero.stats` (Burnt", "a Stats"),
    ("names", Names("ab"), "Hero.names` (Names", "a list"),
    ("gold", Gold(4), "Hero.gold` (Gold", "an int"),
    ("path", [pygame.Vector2(), Position(1, 2)], "Hero.path[1]` (Position", "a Vector2"),
):
    hero, manager = Hero(), SaveLoadManager(REGISTRY)
    setattr(hero, name, value)
    manager.add(hero)
    for root in ((manager,), (hero, REGISTRY)):
        found, = map(str, uncovered(*root))
        assert place in found and f"is {after} after a load" in found, found
    snapshot = manager.create_snapshot()
    setattr(hero, name, None)
    assert not manager.apply_snapshot(snapshot).mismatches  # the annotation allows it
    back = getattr(hero, name)
    assert type(back[1] if name == "path" else back).__name__ in place
    for check in (
        lambda: manager.create_snapshot(strict=True),
        lambda: assert_round_trip(hero, REGISTRY),
    ):
        try:
            check()
        except (SaveError, AssertionError) as error:
            assert place.partition("`")[0] in str(error), error
            assert f"which a file would hold as {after}" in str(error), error
        else:
            raise AssertionError(f"{name} passes")
"""


def test_uncovered_and_strict_captures_name_values_of_unseen_classes(
    tmp_path: Path,
) -> None:
    project = Project(tmp_path, {"game.py": GAME})
    project.run("-m", "savegen", "build", "--quiet", "game.py")
    project.script(SCRIPT)
