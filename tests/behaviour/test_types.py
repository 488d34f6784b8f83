"""What a new user writes is clean under mypy --strict and pyright, generated code included."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.project import Project, mypy, pyright, savegen

FILES = {
    "pyproject.toml": """
        [tool.savegen]
        source = ["game"]
        """,
    "game/__init__.py": "",
    "game/words.py": '''
        """Plain data."""

        from dataclasses import dataclass, field
        from enum import Enum
        from typing import NamedTuple


        class Mood(Enum):
            CALM = "calm"
            ANGRY = "angry"


        class Vec2(NamedTuple):
            x: float
            y: float


        @dataclass
        class Stats:
            hp: int = 10
            scars: list[str] = field(default_factory=list)
        ''',
    "game/foe.py": '''
        """The other side."""

        from __future__ import annotations

        import weakref
        from typing import TYPE_CHECKING, Annotated

        from savegen import Activation, Save, Saved, on_activate, saveable

        from game._savegen.components.foe import FoeSaveLoad
        from game.words import Mood, Stats, Vec2

        if TYPE_CHECKING:
            from game.hero import Hero


        @saveable(transient=("picture",), subclasses=True)
        class Foe(FoeSaveLoad):
            position: Saved[Vec2] = Vec2(0, 0)
            mood: Saved[Mood] = Mood.CALM
            target: Saved[Hero | None] = None
            trail: Saved[list[Vec2]]

            def __init__(self, name: str) -> None:
                self.name: Annotated[str, Save("foe_name")] = name
                self.stats: Annotated[Stats, Save(editor=False)] = Stats()
                self.trail = []
                self.friend: Annotated[weakref.ref[Foe] | None, Save()] = None
                self.picture = f"{name}.png"

            @on_activate
            def wake(self, reason: Activation) -> None:
                self.picture = f"{self.name}-{reason.value}.png"

            def chase(self, hero: Hero) -> float:
                self.target = hero
                self.trail.append(self.position)
                self.position = self.position._replace(x=hero.position.x)
                return self.position.x + self.stats.hp
        ''',
    "game/hero.py": '''
        """The player."""

        from dataclasses import dataclass, field

        from savegen import Saved, saveable

        from game._savegen.components.hero import HeroSaveLoad
        from game.foe import Foe
        from game.words import Vec2


        @saveable
        @dataclass(eq=False)
        class Hero(HeroSaveLoad):
            position: Saved[Vec2] = Vec2(1, 2)
            bag: Saved[dict[str, int]] = field(default_factory=dict)
            foes: Saved[list[Foe]] = field(default_factory=list)

            def take(self, what: str, count: int = 1) -> int:
                self.bag[what] = self.bag.get(what, 0) + count
                return self.bag[what]
        ''',
    "game/boss.py": '''
        """A foe, and more."""

        from savegen import Saved, saveable
        from savegen.runtime import NO_REFERENCES, References, Row

        from game._savegen.components.boss import BossFields, BossSaveLoad
        from game.foe import Foe


        @saveable(override=True)
        class Boss(BossSaveLoad, Foe):
            minions: Saved[tuple[Foe, ...]] = ()

            def save_data(self, references: References = NO_REFERENCES) -> Row:
                data = self.save_data_(references)
                data[BossFields.MINIONS] = len(self.minions)
                return data

            def load_data(
                self, data: Row, references: References = NO_REFERENCES
            ) -> None:
                self.load_data_(data, references)
        ''',
    "game/troll.py": '''
        """A foe that gets its mixin from its base."""

        from savegen import Saved, saveable

        from game.foe import Foe


        @saveable(transient=True)
        class Troll(Foe):
            gold: Saved[int] = 2
        ''',
    "game/__main__.py": '''
        """The loop."""

        from game._savegen.registry import REGISTRY
        from game._savegen.types import SaveLoadableType
        from game.boss import Boss
        from game.foe import Foe
        from game.hero import Hero
        from game.troll import Troll


        def main() -> None:
            hero, foe = Hero(), Foe("Grub")
            hero.take("coin", 3)
            foe.stats.scars.append("left ear")
            data = foe.save_data()
            print(data[Foe.SaveLoadFields["NAME"]], Boss("Grom").name)
            twin = Foe("nobody")
            twin.load_data(data)
            troll = Troll("Tor")
            hero.foes += [foe, twin, troll]
            print(troll.save_data()[Troll.SaveLoadFields["GOLD"]], troll.save_type.name)
            print(twin.name, twin.chase(hero), len(REGISTRY), SaveLoadableType.FOE.name)


        if __name__ == "__main__":
            main()
        ''',
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return Project(tmp_path_factory.mktemp("types"), FILES).generated()


def test_the_game_plays(project: Project) -> None:
    assert project.run("-m", "game") == "Grub Grom\n2 TROLL\nGrub 11 4 FOE\n"


def test_the_game_is_clean_under_mypy_strict(project: Project) -> None:
    said = mypy(project.folder, "game").stdout
    assert said.startswith("Success: no issues found in 1"), said


def test_mypy_knows_the_fields_through_the_mixin(project: Project) -> None:
    wrong = """
        from game.hero import Hero
        from game.foe import Foe

        def spoil(hero: Hero, foe: Foe) -> None:
            hero.bag = 3
            foe.name = 4
            foe.trail.append("x")
            foe.target = foe
        """
    (project.folder / "wrong.py").write_text(wrong.replace("\n        ", "\n"))
    done = mypy(project.folder, "wrong.py")
    assert [line.partition("error: ")[0] for line in done.stdout.splitlines()[:-1]] == [
        "wrong.py:6: ",
        "wrong.py:7: ",
        "wrong.py:8: ",
        "wrong.py:9: ",
    ]


def test_the_game_is_clean_under_pyright(project: Project) -> None:
    assert pyright(project.folder, "game") == []


# Classes without generated code, and all the ways to mark a field.
BEFORE = """
    from dataclasses import dataclass, field
    from typing import Annotated, ClassVar, Generic, Optional, TypeVar

    import attrs
    import pygame

    from savegen import Save, SaveOverride, Saved, saveable
    from savegen.runtime import NO_REFERENCES, References, Row

    T = TypeVar("T", bound="int | str | Enemy")
    U = TypeVar("U", bound="int | str")
    Health = Annotated[int, Save(ge=0)]


    @saveable
    class Enemy:
        limit: ClassVar[int] = 3
        hp: Saved[int] = 1
        health: Health = 1
        prey: Saved["Optional[Enemy]"] = None
        name: Saved[str | None] = None
        _half: Saved[str] = ""
        __secret: Saved[int] = 1

        def __init__(self) -> None:
            self.speed: Annotated[float, Save()] = 1.0
            self._level: Annotated[int, Save()] = 0

        @property
        def level(self) -> int:
            return self._level

        def secret(self) -> int:
            return self.__secret


    @saveable
    class Orc(Enemy):
        hp: Saved[bool] = True  # pyright: ignore


    @saveable
    class Banner:
        motto: Saved[str] = ""


    @saveable
    class Chief(Orc, Banner):
        band: Saved[dict[str, Orc]]

        def __init__(self) -> None:
            super().__init__()
            self.band = {}


    @saveable
    class Cell(Generic[T]):
        value: Saved[T | None] = None
        many: Saved[list[T]]

        def __init__(self) -> None:
            self.many = []


    @saveable
    class IntCell(Cell[int]):
        pass


    @saveable
    class Pair(Cell[T], Generic[U, T]):
        other: Saved[U | None] = None


    OrcPair = Pair[str, "Orc"]


    @saveable
    class Couple(OrcPair):
        pass


    @saveable
    @dataclass
    class Chest:
        gold: Saved[int]
        owners: Saved[list[Enemy]] = field(default_factory=list)


    @saveable
    @dataclass
    class Safe(Chest):
        code: Saved[str] = ""


    @saveable
    @attrs.define
    class Key:
        teeth: Saved[int]


    @saveable
    @attrs.define
    class MasterKey(Key):
        doors: Saved[list[str]] = attrs.field(factory=list)


    @saveable
    class Tile:
        __slots__ = ("x",)
        x: Saved[int]

        def __init__(self) -> None:
            self.x = 3


    @saveable
    class Wall(Tile):
        __slots__ = ("y",)
        y: Saved[int]

        def __init__(self) -> None:
            self.y = 3


    @saveable(override=True)
    class Camera:
        zoom: Saved[float] = 1.0
        odd: Annotated[object, SaveOverride()] = None

        def save_data(self, references: References = NO_REFERENCES) -> Row:
            data: Row = self.save_data_(references)
            data[self.SaveLoadFields["ODD"]] = str(self.odd)
            return data

        def load_data(
            self, data: Row, references: References = NO_REFERENCES
        ) -> None:
            self.load_data_(data, references)
            self.odd = data[self.SaveLoadFields["ODD"]]


    @saveable
    class Drone(Camera):
        height: Saved[int] = 1


    @saveable
    class Ball(pygame.sprite.Sprite):
        speed: Saved[pygame.Vector2]

        def __init__(self) -> None:
            super().__init__()
            self.rect: Annotated[pygame.FRect, Save(setter=True)] = pygame.FRect()
            self.speed = pygame.Vector2()


    @saveable
    class Bomb(Ball):
        fuse: Saved[int] = 3
    """
FIELDS = {
    "Enemy": "limit hp health prey name _half speed _level level secret()",
    "Orc": "limit hp health prey name _half speed _level level secret()",
    "Chief": "limit hp health prey name _half speed _level level motto band",
    "Cell[str]": "value many",
    "IntCell": "value many",
    "Pair[int, g.Orc]": "value many other",
    "Couple": "value many other",
    "Chest": "gold owners",
    "Safe": "gold owners code",
    "Key": "teeth",
    "MasterKey": "teeth doors",
    "Tile": "x",
    "Wall": "x y",
    "Camera": "zoom odd",
    "Drone": "zoom odd height",
    "Ball": "rect speed",
    "Bomb": "rect speed fuse",
}
NAMES = [(cls, field) for cls, fields in FIELDS.items() for field in fields.split()]
SOME_TYPES = {
    ("Orc", "hp"): "bool",
    ("Orc", "speed"): "float",
    ("Chief", "prey"): "Enemy | None",
    ("IntCell", "many"): "list[int]",
    ("Couple", "value"): "Orc | None",
    ("Couple", "other"): "str | None",
    ("Safe", "owners"): "list[Enemy]",
    ("Bomb", "rect"): "FRect",
}
MESSAGE = re.compile(r'of_(before|after)\.py:(\d+): .*[tT]ype .*is "(.*)"')


def revealed(messages: Iterable[str], package: str) -> dict[tuple[str, str], str]:
    """Return what a checker says of the fields in a package."""
    found = [match for match in map(MESSAGE.fullmatch, messages) if match]
    return {
        NAMES[int(match[2]) - 2]: match[3].replace(f"{package}.", "")
        for match in found
        if match[1] == package
    }


def test_a_build_changes_the_type_of_no_field_own_or_inherited(tmp_path: Path) -> None:
    files = {"pyproject.toml": '[tool.savegen]\nsource = ["after"]\n'}
    for package in ("before", "after"):
        files[f"{package}/__init__.py"] = ""
        files[f"{package}/game.py"] = BEFORE
        files[f"of_{package}.py"] = f"import {package}.game as g\n" + "\n".join(
            f"def f{n}(o: 'g.{cls}') -> None: reveal_type(o.{field})"
            for n, (cls, field) in enumerate(NAMES)
        )
    Project(tmp_path, files)
    said = savegen(tmp_path, "build", "--no-color")
    assert said.code == 0, said
    wired = (tmp_path / "after/game.py").read_text()
    assert "class Chief(ChiefSaveLoad, Orc, Banner):" in wired

    by_mypy = mypy(tmp_path, "of_before.py", "of_after.py", "after").stdout.splitlines()
    by_pyright = pyright(tmp_path, "of_before.py", "of_after.py", "after")
    for messages in (by_mypy[:-1], by_pyright):
        types = revealed(messages, "after")
        assert types == revealed(messages, "before")
        assert [*types] == NAMES
        assert not [t for t in types.values() if "Any" in t or "Unknown" in t]
        assert [text for text in messages if not MESSAGE.fullmatch(text)] == []
    assert {name: types[name] for name in SOME_TYPES} == SOME_TYPES
