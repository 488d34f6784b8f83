"""What a new user writes is clean under mypy --strict and pyright, generated code included."""

from __future__ import annotations

import json
import sys

import pytest

from tests.project import Project, mypy

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
    pytest.importorskip("pyright")
    options = ["--outputjson", "--pythonpath", sys.executable, "game"]
    report = json.loads(project.try_to_run("-m", "pyright", *options).stdout)
    found = [each["message"] for each in report["generalDiagnostics"]]
    assert found == []
    assert report["summary"]["filesAnalyzed"] >= 10
