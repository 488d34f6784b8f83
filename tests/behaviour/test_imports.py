"""Games of every shape start: generated code and the game's never import each other in a circle."""

from __future__ import annotations

from pathlib import Path

import pytest

from savegen.runtime.generated.registry import FORMAT
from tests.project import Project

PYPROJECT = '[tool.savegen]\nsource = ["game"]\n'


def package(folder: Path, **modules: str) -> Project:
    """Write the package `game`, and generate its code. A `___` in a name ends a folder."""
    paths = {name.replace("___", "/"): text for name, text in modules.items()}
    files = {f"game/{path}.py": text for path, text in paths.items()}
    inits = {f"{Path(path).parent}/__init__.py": "" for path in files}
    return Project(folder, {"pyproject.toml": PYPROJECT, **inits, **files}).generated()


FOE = """
    from savegen import Saved, saveable
    from game._savegen.components.foe import FoeSaveLoad

    @saveable
    class Foe(FoeSaveLoad):
        hp: Saved[int] = 3
    """

# The worst of all: it imports the table of all classes, and is in it.
ENGINE = """
    from game._savegen.registry import REGISTRY
    from game._savegen.components.engine import EngineSaveLoad
    from game.foe import Foe
    from savegen import Saved, saveable

    @saveable
    class Engine(EngineSaveLoad):
        foes: Saved[list[Foe]]

        def another(self):
            return REGISTRY.new(Foe.save_type)
    """


@pytest.mark.parametrize(
    "first",
    [
        "game.engine",
        "game.foe",
        "game._savegen.registry",
        "game._savegen.types",
        "game._savegen.components.engine",
        "game._savegen.components.foe",
    ],
)
def test_whatever_is_imported_first(first: str, tmp_path: Path) -> None:
    project = package(tmp_path, engine=ENGINE, foe=FOE)
    project.script(f"""
        import {first}
        from game.engine import Engine
        from game.foe import Foe
        assert type(Engine().another()) is Foe
        """)


def test_modules_that_need_each_other(tmp_path: Path) -> None:
    foe = """
        from __future__ import annotations
        from typing import TYPE_CHECKING
        from savegen import Saved, saveable
        from game._savegen.components.foe import FoeSaveLoad
        if TYPE_CHECKING:
            from game.nest import Nest

        @saveable
        class Foe(FoeSaveLoad):
            home: Saved[Nest | None] = None
        """
    nest = """
        from savegen import Saved, saveable
        from game._savegen.components.nest import NestSaveLoad
        from game.foe import Foe

        @saveable
        class Nest(NestSaveLoad):
            foes: Saved[list[Foe]]
        """
    project = package(tmp_path, foe=foe, nest=nest)
    project.script("""
        from game.nest import Nest
        from game.foe import Foe
        assert Foe().save_data()
        nest = Nest()
        nest.foes = []
        assert nest.save_data()
        """)


def test_the_registry_imports_no_module_of_the_game_until_it_is_asked(
    tmp_path: Path,
) -> None:
    project = package(tmp_path, engine=ENGINE, foe=FOE)
    project.script("""
        import sys
        from game._savegen.registry import REGISTRY

        def loaded():
            ours = {name for name in sys.modules if name.startswith("game.")}
            return {name for name in ours if not name.startswith("game._savegen")}

        assert loaded() == set()
        numbers = {entry.save_type.name: entry.save_type for entry in REGISTRY}
        assert len(REGISTRY) == 2 and loaded() == set()
        assert REGISTRY[numbers["FOE"]].load_class().__module__ == "game.foe"
        assert loaded() == {"game.foe"}
        assert type(REGISTRY.new(numbers["ENGINE"])).__name__ == "Engine"
        assert loaded() == {"game.foe", "game.engine"}
        """)


def test_classes_in_the_init_of_a_package_and_in_modules_of_like_names(
    tmp_path: Path,
) -> None:
    def module(dotted: str, name: str) -> str:
        return f"""
            from savegen import Saved, saveable
            from game._savegen.components{dotted} import {name}SaveLoad

            @saveable
            class {name}({name}SaveLoad):
                hp: Saved[int] = 1
            """

    project = package(
        tmp_path,
        __init__=module("", "Root"),
        components=module(".components", "Part"),
        registry=module(".registry", "Clerk"),
        types=module(".types", "Kind"),
        den_fox=module(".den_fox", "OtherFox"),
        den___fox=module(".den.fox", "Fox"),
        den_____init__=module(".den", "Den"),
    )
    project.script("""
        from game._savegen.registry import REGISTRY
        found = {entry.load_class() for entry in REGISTRY}
        assert {f"{cls.__module__}.{cls.__name__}" for cls in found} == {
            "game.Root", "game.components.Part", "game.registry.Clerk", "game.types.Kind",
            "game.den_fox.OtherFox", "game.den.fox.Fox", "game.den.Den",
        }
        for entry in REGISTRY:
            new, thing = REGISTRY.new(entry.save_type), REGISTRY.new(entry.save_type)
            thing.hp = 7
            data = thing.save_data()
            new.load_data(data)
            assert new.hp == data.hp == 7 and type(data) is entry.row
        """)


# -- scripts

ONE_FILE = """
    from __future__ import annotations
    import sys
    from dataclasses import dataclass, field
    from enum import Enum, Flag
    from typing import NamedTuple, TypedDict
    from savegen import Saved, SaveError, saveable
    from savegen.runtime import NO_REFERENCES
    from _savegen.components.game import GoblinSaveLoad, NestEggSaveLoad, NestSaveLoad
    from _savegen.registry import REGISTRY

    class Mood(Enum):
        CALM = 1

    class Vec2(NamedTuple):
        x: float
        y: float

    class Bag(TypedDict):
        names: list[str]

    @dataclass
    class Stats:
        hp: int
        tags: list[str]

    @saveable
    @dataclass(slots=True)
    class Goblin(GoblinSaveLoad):
        class Doors(Flag):
            A = 1
            B = 2

        @dataclass
        class Pocket:
            items: list[Vec2]

        bag: Saved[Bag]
        mood: Saved[Mood | int] = Mood.CALM
        doors: Saved[Doors] = Doors.A | Doors.B
        pocket: Saved[Pocket] = field(default_factory=lambda: Goblin.Pocket([Vec2(1, 2)]))
        stats: Saved[Stats | Pocket] = field(default_factory=lambda: Stats(1, ["a"]))

    @saveable
    class Nest(NestSaveLoad):
        @saveable
        class Egg(NestEggSaveLoad):
            hp: Saved[int] = 3

        eggs: Saved[list[Egg]]

    def main():
        thing = Goblin({"names": ["x"]})
        entry = REGISTRY[Goblin.save_type]
        assert entry.load_class() is Goblin
        new = REGISTRY.new(Goblin.save_type)
        assert type(new) is Goblin
        new.load_data(thing.save_data())
        assert new == thing and new.stats is not thing.stats
        new.stats.tags.append("b")
        assert thing.stats.tags == ["a"]
        assert entry.differing([new], [thing.save_data()], NO_REFERENCES) == [0]
        assert type(REGISTRY.new(Nest.Egg.save_type)) is Nest.Egg
        thing.stats = Stats(1, (2,))
        try:
            thing.save_data()
        except SaveError as error:
            assert str(error).startswith("`Goblin.stats.tags` holds a tuple, which"), error
        else:
            raise AssertionError
        assert ("game" in sys.modules) is (__name__ == "game")

    if __name__ == "__main__":
        main()
    """


def test_a_game_of_one_file_runs_as_a_script(tmp_path: Path) -> None:
    project = Project(tmp_path, {"game.py": ONE_FILE}).generated("game.py")
    project.run("game.py")


def test_a_game_of_one_file_can_be_imported_too(tmp_path: Path) -> None:
    project = Project(tmp_path, {"game.py": ONE_FILE}).generated("game.py")
    project.run("-c", "import game; game.main()")
    project.run("-m", "game")


def test_a_script_that_other_modules_import_has_its_classes_twice(
    tmp_path: Path,
) -> None:
    game = """
        from dataclasses import dataclass
        from savegen import Saved, SaveError, saveable
        from savegen.runtime import References
        from savegen.runtime.values.folds import typed, untyped
        from _savegen.components.game import HeroSaveLoad
        from _savegen.registry import REGISTRY

        @dataclass
        class Stats:
            hp: int

        @saveable
        class Hero(HeroSaveLoad):
            stats: Saved[Stats]

            def __init__(self, stats):
                self.stats = stats

        if __name__ == "__main__":
            import shop
            mine, theirs = Hero(Stats(1)), Hero(shop.stats())
            assert type(mine.stats) is not type(theirs.stats)
            new = Hero(None)
            new.load_data(mine.save_data())
            assert type(new.stats) is Stats and new.stats.hp == 1
            try:
                theirs.save_data()
            except SaveError as error:
                assert str(error).startswith("`Hero.stats` holds a Stats, which")
            else:
                raise AssertionError
            references = References(REGISTRY.values)
            assert untyped(typed(theirs.stats, references), references).hp == 1
        """
    shop = """
        from game import Stats

        def stats():
            return Stats(1)
        """
    project = Project(tmp_path, {"game.py": game, "shop.py": shop}).generated(
        "game.py", "shop.py"
    )
    project.run("game.py")


def test_a_class_of_the_same_name_in_the_script_is_another_class(
    tmp_path: Path,
) -> None:
    foe = """
        from dataclasses import dataclass
        from savegen import Saved, saveable
        from game._savegen.components.foe import FoeSaveLoad

        @dataclass
        class Stats:
            hp: int

        @saveable
        class Foe(FoeSaveLoad):
            stats: Saved[Stats]
        """
    other = """
        class Stats:
            pass
        """
    project = package(tmp_path, foe=foe, other=other)
    project.script("""
        from game.foe import Foe
        from game.other import Stats
        from savegen import SaveError
        foe = Foe()
        foe.stats = Stats()
        try:
            foe.save_data()
        except SaveError as error:
            assert str(error).startswith("`Foe.stats` holds a Stats, which")
        else:
            raise AssertionError
        """)


def test_a_package_runs_as_a_module(tmp_path: Path) -> None:
    main = """
        from game._savegen.components.__main__ import GameSaveLoad
        from game._savegen.registry import REGISTRY
        from game.engine import Engine
        from game.foe import Foe
        from dataclasses import dataclass
        from savegen import Saved, saveable

        @dataclass
        class Score:
            points: list[int]

        @saveable
        class Game(GameSaveLoad):
            score: Saved[Score]

        if __name__ == "__main__":
            game = Game()
            game.score = Score([1])
            new = REGISTRY.new(Game.save_type)
            new.load_data(game.save_data())
            assert type(new) is Game and new.score == game.score
            assert type(Engine().another()) is Foe
            print("played")
        """
    project = package(tmp_path, engine=ENGINE, foe=FOE, __main__=main)
    assert project.run("-m", "game") == "played\n"


# -- which class belongs to a mixin


def test_a_class_that_is_made_twice_is_found_once(tmp_path: Path) -> None:
    foe = """
        from dataclasses import dataclass
        import attrs
        from savegen import Saved, saveable
        from game._savegen.components.foe import FoeSaveLoad, WolfSaveLoad

        @saveable
        @dataclass(slots=True)
        class Foe(FoeSaveLoad):
            hp: Saved[int] = 3

        @saveable
        @attrs.define
        class Wolf(WolfSaveLoad):
            hp: Saved[int] = 3
        """
    package(tmp_path, foe=foe).script("""
        import gc
        from game._savegen.registry import REGISTRY
        from game.foe import Foe, Wolf
        for _ in range(2):
            assert type(REGISTRY.new(Foe.save_type)) is Foe
            assert type(REGISTRY.new(Wolf.save_type)) is Wolf
            gc.collect()
        """)


def test_a_base_that_tells_nobody_of_its_subclasses_hides_none(tmp_path: Path) -> None:
    foe = """
        from savegen import Saved, saveable
        from game._savegen.components.foe import FoeSaveLoad, WolfSaveLoad

        KINDS = {}

        @saveable
        class Foe(FoeSaveLoad):
            hp: Saved[int] = 3

            def __init_subclass__(cls, name):
                KINDS[name] = cls

        @saveable
        class Wolf(WolfSaveLoad, Foe, name="wolf"):
            teeth: Saved[int] = 42
        """
    package(tmp_path, foe=foe).script("""
        from game._savegen.registry import REGISTRY
        from game.foe import KINDS, Foe, Wolf
        assert KINDS == {"wolf": Wolf}
        assert type(REGISTRY.new(Foe.save_type)) is Foe
        assert type(REGISTRY.new(Wolf.save_type)) is Wolf
        """)


def test_a_class_of_a_module_that_was_loaded_again_is_the_newest(
    tmp_path: Path,
) -> None:
    package(tmp_path, foe=FOE).script("""
        import importlib
        import game.foe
        from game._savegen.registry import REGISTRY
        before = game.foe.Foe
        importlib.reload(game.foe)
        assert game.foe.Foe is not before
        assert type(REGISTRY.new(before.save_type)) is game.foe.Foe
        """)


def test_a_class_that_is_gone_is_told(tmp_path: Path) -> None:
    project = package(tmp_path, foe=FOE)
    (tmp_path / "game/foe.py").write_text("")
    project.script("""
        from savegen import SaveError
        from game._savegen.registry import REGISTRY
        from game._savegen.types import SaveLoadableType
        try:
            REGISTRY.new(SaveLoadableType.FOE)
        except SaveError as error:
            assert str(error) == "no class inherits from FoeSaveLoad; run `savegen build`"
        else:
            raise AssertionError
        """)


def test_a_number_that_no_class_has_is_told(tmp_path: Path) -> None:
    package(tmp_path, foe=FOE).script("""
        from savegen import SaveError
        from game._savegen.registry import REGISTRY
        for ask in (REGISTRY.__getitem__, REGISTRY.new):
            try:
                ask(12)
            except SaveError as error:
                assert str(error) == "no saveable class has the number 12"
            else:
                raise AssertionError
        """)


def test_another_format_is_refused_with_the_command_that_mends_it(
    tmp_path: Path,
) -> None:
    project = package(tmp_path, foe=FOE)
    path = tmp_path / "game/_savegen/registry.py"
    text = path.read_text(encoding="utf-8")
    older = text.replace(f"\nFORMAT = {FORMAT}\n", "\nFORMAT = 1\n")
    assert older != text
    path.write_text(older, encoding="utf-8")
    done = project.try_to_run("-c", "import game._savegen.registry")
    assert done.returncode == 1
    assert done.stderr.endswith(
        f"SaveError: the generated registry has format 1, but this savegen reads {FORMAT};"
        " run `savegen build`\n"
    )
    project.components("--quiet")
    project.run("-c", "import game._savegen.registry")
