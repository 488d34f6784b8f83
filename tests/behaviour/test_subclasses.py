"""`@saveable(subclasses=True)`: every subclass in the project is saveable without a line of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project import Project

FILES = {
    "pyproject.toml": '[tool.savegen]\nsource = ["game"]\n',
    "game/__init__.py": "",
    "game/enemies.py": """
        from __future__ import annotations
        from abc import ABC
        from savegen import Method, Saved, saveable
        from game._savegen.components.enemies import CaveSaveLoad, EnemySaveLoad

        @saveable(subclasses=True)
        class Enemy(EnemySaveLoad):
            hp: Saved[int] = 3
            target: Saved[Enemy | None] = None

        class Quiet(Enemy):
            kinds: list[type] = []

            def __init_subclass__(cls) -> None:  # it does not call the hook of the mixin
                cls.kinds.append(cls)

        @saveable
        class Cave(CaveSaveLoad):
            foes: Saved[list[Enemy]]
            kind: Saved[type[Enemy]]
            alarm: Saved[Method[[], str] | None] = None

            def __init__(self) -> None:
                self.foes = []
        """,
    "game/orcs.py": """
        from dataclasses import dataclass
        from game.enemies import Enemy as Foe, Quiet
        from savegen import Activation, Saved, on_activate, saveable

        class Orc(Foe):
            rage: Saved[float] = 0.5
            woken = None

            @on_activate
            def wake(self, reason: Activation) -> None:
                self.woken = reason

        class Ghost(Quiet):
            colour: Saved[str] = "white"

            def howl(self) -> str:
                return f"a {self.colour} howl"

        class Camp:
            @dataclass(slots=True)
            class Cook(Orc):
                meals: Saved[int] = 1
                spoon: Saved[str] = "wood"

        @saveable(override=True)
        class Boss(Orc):
            name: Saved[str] = "Gorm"

            def save_data(self, references):
                return self.save_data_(references)

            def load_data(self, data, references):
                self.load_data_(data, references)
                self.name = self.name.upper()
        """,
    # This file does not mention savegen, and nothing in it is marked.
    "game/trolls.py": """
        from game import orcs

        class Troll(orcs.Orc):
            pass
        """,
}

WORLD = """
from savegen.runtime import SaveError, SaveLoadManager
from savegen.saves import decode, encode
from game._savegen.registry import REGISTRY
from game.enemies import Cave, Enemy
from game.orcs import Boss, Camp, Ghost, Orc
from game.trolls import Troll

cave = Cave()
cave.foes = [Enemy(), Orc(), Camp.Cook(), Ghost(), Troll(), Boss()]
cave.kind = Camp.Cook
orc, cook, ghost, troll, boss = cave.foes[1:]
orc.rage, cook.meals, cook.hp, ghost.colour, troll.rage = 7.5, 8, 9, "grey", 1.5
boss.target = troll
cave.alarm = ghost.howl
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return Project(tmp_path_factory.mktemp("family"), FILES).generated()


def test_a_save_has_objects_of_all_subclasses_with_their_own_fields(
    project: Project,
) -> None:
    script = f"""{WORLD}
manager = SaveLoadManager(REGISTRY)
manager.add(cave)
data = encode(manager.create_snapshot())
other = SaveLoadManager(REGISTRY)
other.apply_snapshot(decode(data, REGISTRY))
[loaded] = other.find(Cave)
enemy, orc, cook, ghost, troll, boss = loaded.foes
print(*(type(foe).__qualname__ for foe in loaded.foes), loaded.kind is Camp.Cook)
print(orc.rage, orc.woken, (cook.meals, cook.hp, cook.spoon), ghost.colour)
print(troll.rage, boss.name, boss.target is troll, loaded.alarm())
"""
    assert project.run("-c", script) == (
        "Enemy Orc Camp.Cook Ghost Troll Boss True\n"
        "7.5 Activation.RESTORED (8, 9, 'wood') grey\n"
        "1.5 GORM True a grey howl\n"
    )


def test_a_subclass_saves_a_row_of_its_own_without_a_manager(project: Project) -> None:
    script = """
from game.orcs import Camp, Orc
from game.trolls import Troll
from game.enemies import Enemy

row = Camp.Cook(meals=5).save_data()
print(type(row).__name__, row.meals, Camp.Cook.save_type.name, Troll().save_type.name)
other = Camp.Cook()
other.load_data(row)
print(other.meals, Enemy().save_data(), isinstance(Camp.Cook.__slots__, tuple))
"""
    assert project.run("-c", script) == (
        "CampCookData 5 COOK TROLL\n5 EnemyData(hp=3, target=0) True\n"
    )


def test_a_load_imports_the_module_of_a_subclass(project: Project) -> None:
    (project.folder / "save.py").write_text(
        f"{WORLD}\n"
        "manager = SaveLoadManager(REGISTRY)\n"
        "manager.add(cave)\n"
        "open('world.save', 'wb').write(encode(manager.create_snapshot()))\n"
    )
    project.run("save.py")
    script = """
from savegen.runtime import SaveLoadManager
from savegen.saves import decode
from game._savegen.registry import REGISTRY

manager = SaveLoadManager(REGISTRY)
manager.apply_snapshot(decode(open("world.save", "rb").read(), REGISTRY))
[cave] = manager.objects
print([type(foe).__qualname__ for foe in cave.foes], [foe.hp for foe in cave.foes])
"""
    assert project.run("-c", script) == (
        "['Enemy', 'Orc', 'Camp.Cook', 'Ghost', 'Troll', 'Boss'] [3, 3, 9, 3, 3, 3]\n"
    )


@pytest.mark.parametrize("base", ["Orc", "Ghost", "Boss", "Troll"])
def test_a_subclass_that_savegen_has_not_seen_is_saved_as_its_base(
    project: Project, base: str
) -> None:
    script = f"""{WORLD}
class Late({base}): ...
manager = SaveLoadManager(REGISTRY)
manager.add(Late())
print(manager.create_snapshot().as_base)
cave.foes, cave.kind, cave.alarm = [], {base}, None
print(cave.save_data().kind == int({base}.save_type))
cave.kind = Late
try:
    cave.save_data()
except SaveError as error:
    print("kind" in str(error))
"""
    assert project.run("-c", script) == f"('Late as {base}',)\nTrue\nTrue\n"


def test_an_object_that_a_load_could_not_make_is_not_saved_as_its_base(
    tmp_path: Path,
) -> None:
    game = """
        from abc import ABC, abstractmethod
        from savegen import Saved, saveable
        from _savegen.components.game import CaveSaveLoad, EnemySaveLoad

        @saveable(subclasses=True)
        class Enemy(EnemySaveLoad, ABC):
            hp: Saved[int] = 3

            @abstractmethod
            def act(self) -> None: ...

        @saveable
        class Cave(CaveSaveLoad):
            foe: Saved[Enemy | None] = None
        """
    files = {"pyproject.toml": '[tool.savegen]\nsource = "game.py"\n', "game.py": game}
    made = Project(tmp_path, files)
    made.components("--quiet")
    made.script("""
from _savegen.registry import REGISTRY
from game import Cave, Enemy
from savegen.runtime import SaveError, SaveLoadManager
from savegen.saves import decode, encode

Late = type("Late", (Enemy,), {"act": print})
manager = SaveLoadManager(REGISTRY)
try:
    manager.add(Late())
except SaveError as error:
    text = "`Late` cannot be saved as an object of its base `Enemy`, which is abstract"
    assert text in str(error), error
else:
    raise AssertionError
manager.add(Cave()).foe = Late()
snapshot = manager.create_snapshot()
assert [each.field for each in snapshot.lost] == ["foe"] and not snapshot.as_base
other = SaveLoadManager(REGISTRY)
other.apply_snapshot(decode(encode(snapshot), other))
assert [cave.foe for cave in other.find(Cave)] == [None]
""")


def test_a_subclass_in_the_script_that_python_runs_is_saved(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    game = """
        from savegen import Saved, saveable
        from savegen.runtime import SaveLoadManager
        from _savegen.components.play import EnemySaveLoad

        @saveable(subclasses=True)
        class Enemy(EnemySaveLoad):
            hp: Saved[int] = 3

        class Orc(Enemy):
            rage: Saved[int] = 1

        if __name__ == "__main__":
            from _savegen.registry import REGISTRY
            manager = SaveLoadManager(REGISTRY)
            orc = manager.add(Orc())
            before = manager.create_snapshot()
            orc.rage = 9
            manager.apply_snapshot(before)
            print(type(orc), orc.rage)
        """
    files = {"pyproject.toml": '[tool.savegen]\nsource = "."\n', "play.py": game}
    made = Project(tmp_path_factory.mktemp("main"), files).generated()
    assert made.run("play.py") == "<class '__main__.Orc'> 1\n"
    assert made.run("-m", "play") == "<class '__main__.Orc'> 1\n"
