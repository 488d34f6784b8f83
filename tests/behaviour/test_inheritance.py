"""Fields along every sort of family: each is saved once, under the number it was born with."""

from __future__ import annotations

import pytest

from tests.project import Project

FILES = {
    "pyproject.toml": '[tool.savegen]\nsource = ["game"]\n',
    "game/__init__.py": "",
    "game/bodies.py": """
        from savegen import Saved, saveable
        from game._savegen.components.bodies import BodySaveLoad

        class Marked:  # not saveable itself
            weight: Saved[float] = 1.0

        @saveable
        class Body(BodySaveLoad, Marked):
            hp: Saved[int] = 3
            trail: Saved[list[int]]

            def __init__(self):
                self.trail = []
        """,
    "game/minds.py": """
        from __future__ import annotations
        from typing import Annotated
        from savegen import Save, Saved, saveable
        from game._savegen.components.minds import MindSaveLoad

        @saveable
        class Mind(MindSaveLoad):
            friend: Saved[Mind | None] = None

            def remember(self, what):
                self.memories: Annotated[list[str], Save("memory")] = [what]
        """,
    "game/beings.py": """
        from game._savegen.components.beings import BeingSaveLoad, HeroSaveLoad
        from game.bodies import Body
        from game.minds import Mind
        from savegen import Saved, saveable

        @saveable
        class Being(BeingSaveLoad, Body, Mind):
            name: Saved[str] = "nobody"

        class Walker(Body):
            def __init__(self):
                super().__init__()
                self.steps = 0

        @saveable
        class Hero(HeroSaveLoad, Being, Walker):
            hp: Saved[float] = 9.5
            friend: Saved[Being | None] = None
            title: Saved[tuple[str, ...]] = ()
        """,
}

HEAD = """
from game.beings import Being, Hero, Walker
from game.bodies import Body
from game.minds import Mind
from game._savegen.registry import REGISTRY
from savegen import SaveError
from tests.behaviour.driver import World, same
from tests.oracle import difference, shares_mutable
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return Project(tmp_path_factory.mktemp("family"), FILES).generated()


def test_all_fields_of_all_bases_come_back(project: Project) -> None:
    project.script(HEAD + """
hero, friend, new = Hero(), Being(), Hero.__new__(Hero)
hero.remember("a door")
hero.trail, hero.title, hero.weight = [1], ("Sir",), 2.5
hero.friend = friend.friend = hero
world = World(hero, friend)
new.load_data(hero.save_data(world), world)
del hero.steps  # not saved
assert sorted(vars(new)) == sorted([*vars(hero), "hp", "name"])
new_world = {name: getattr(new, name) for name in vars(new)}
assert new_world == {name: getattr(hero, name) for name in vars(new)}
assert shares_mutable(new, hero) is None
again = REGISTRY.new(Hero.save_type)
again.load_data(hero.save_data(world), world)
assert again.steps == 0  # as `__init__` sets it
del again.steps
assert difference(again, new, same) is None
""")


def test_a_field_has_one_number_in_all_classes(project: Project) -> None:
    project.script(HEAD + """
for cls in (Being, Hero):
    for base in (Body, Mind):
        numbers = {field.name: int(field) for field in cls.SaveLoadFields}
        assert {f.name: int(f) for f in base.SaveLoadFields}.items() <= numbers.items()
assert [field.name for field in Hero.SaveLoadFields] == [
    field.name for field in Being.SaveLoadFields
] + ["TITLE"]
assert len({cls.save_type for cls in (Body, Mind, Being, Hero)}) == 4
""")


def test_a_field_that_is_marked_again_has_the_newer_type(project: Project) -> None:
    project.script(HEAD + """
stored = {cls: dict(REGISTRY[cls.save_type].fields)["hp"] for cls in (Hero, Being)}
assert stored == {Hero: "float", Being: "int"}
""")


def test_data_of_a_base_is_not_data_of_a_subclass(project: Project) -> None:
    project.script(HEAD + """
for thing, other in ((Body(), Being()), (Being(), Body()), (Hero(), Being())):
    thing.memories = []
    try:
        other.load_data(thing.save_data())
    except SaveError as error:
        assert "cannot be loaded into a" in str(error)
    else:
        raise AssertionError
""")


def test_an_unmarked_subclass_is_saved_as_its_base(project: Project) -> None:
    project.script(HEAD + """
walker, new = Walker(), Walker()
walker.hp, walker.steps = 5, 7
new.load_data(walker.save_data())
assert (new.hp, new.steps) == (5, 0)
assert Walker.save_type is Body.save_type
assert type(REGISTRY.new(Walker.save_type)) is Body
""")


def test_saving_alone_needs_every_field_to_be_set(project: Project) -> None:
    # A manager takes the slower way for a class as soon as it meets such an object.
    project.script(HEAD + """
hero = Hero()  # it remembers nothing yet
try:
    hero.save_data()
except AttributeError as error:
    assert error.name == "memories"
else:
    raise AssertionError
""")


def test_the_interface_is_all_that_the_mixin_adds(project: Project) -> None:
    project.script(HEAD + """
from savegen.runtime import SaveLoadable
added = {name for name in dir(SaveLoadable) if name not in dir(object)}
assert {name for name in added if not name.startswith("__")} == {
    "save_data", "load_data", "get_param_name_mappings", "SaveLoadMethods",
    "field_factories",
}
given = {name for name in dir(Mind) if not name.startswith("__")}
assert given == {
    "friend", "remember", "save_data", "load_data", "get_param_name_mappings",
    "save_type", "SaveLoadFields", "save_load_field_names", "SaveLoadMethods",
    "field_factories",
}
assert vars(Mind()) == {}
""")
