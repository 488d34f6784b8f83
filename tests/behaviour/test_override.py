"""`@saveable(override=True)`: the class saves and loads around what was generated."""

from __future__ import annotations

from textwrap import dedent

import pytest

from tests.project import Project

GAME = """
from __future__ import annotations
from typing import Annotated, Any
from savegen import Save, Saved, SaveOverride, saveable
from savegen.runtime import NO_REFERENCES
from _savegen.components.game import (
    CannonSaveLoad, GunSaveLoad, HowitzerSaveLoad, MortarSaveLoad, PlainSaveLoad,
)

CALLS = []

@saveable(override=True)
class Gun(GunSaveLoad):
    heat: Saved[float] = 0.0
    target: Saved[Gun | None] = None
    belt: Annotated[list[str], SaveOverride()]
    hidden: Annotated[Any, SaveOverride(editor=False)]

    def save_data(self, references=NO_REFERENCES):
        CALLS.append("Gun saves")
        data = self.save_data_(references)
        data[self.SaveLoadFields.BELT] = ",".join(self.belt)
        return data

    def load_data(self, data, references=NO_REFERENCES):
        CALLS.append("Gun loads")
        self.load_data_(data, references)
        self.belt = data[self.SaveLoadFields.BELT].split(",")

@saveable
class Mortar(MortarSaveLoad, Gun):
    range: Saved[int] = 5

class Unmarked(Mortar):
    pass

@saveable(override=True)
class Howitzer(HowitzerSaveLoad, Unmarked):
    shells: Saved[list[int]]

    def save_data(self, references=NO_REFERENCES):
        CALLS.append("Howitzer saves")
        return super().save_data(references)

    def load_data(self, data, references=NO_REFERENCES):
        CALLS.append("Howitzer loads")
        super().load_data(data, references)

@saveable
class Plain(PlainSaveLoad):
    weight: Saved[int] = 1

@saveable
class Cannon(CannonSaveLoad, Gun, Plain):
    wheels: Saved[int] = 2

def gun(cls, **values):
    made = cls()
    made.belt = ["a", "b"]
    made.hidden = object()
    for name, value in values.items():
        setattr(made, name, value)
    return made
"""

HEAD = """
from game import CALLS, Cannon, Gun, Howitzer, Mortar, Plain, gun
from savegen import SaveError
from _savegen.registry import REGISTRY
from tests.behaviour.driver import World

def stored_numbers():
    classes = (Gun, Mortar, Howitzer, Cannon)
    return " ".join(map(str, sorted(int(cls.save_type) for cls in classes)))
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return Project(tmp_path_factory.mktemp("game"), {"game.py": GAME}).generated(
        "game.py"
    )


def play(project: Project, script: str) -> None:
    project.script(HEAD + dedent(script))


def test_the_class_saves_around_what_is_generated(project: Project) -> None:
    play(
        project,
        """
        thing, new = gun(Gun, heat=0.5), Gun()
        data = thing.save_data()
        fields = Gun.SaveLoadFields
        assert type(data).__name__ == "GunData"
        assert (data.heat, data.target, data.belt) == (0.5, 0, "a,b")
        assert fields.BELT in data and fields.HIDDEN not in data
        new.load_data(data)
        assert (new.heat, new.belt) == (0.5, ["a", "b"])
        assert not hasattr(new, "hidden")
        assert CALLS == ["Gun saves", "Gun loads"]
        """,
    )


def test_fields_that_the_class_saves_have_numbers_and_parameters(
    project: Project,
) -> None:
    play(
        project,
        """
        assert list(Gun.save_load_field_names) == ["heat", "target", "belt", "hidden"]
        assert [field.name for field in Gun.SaveLoadFields] == [
            "HEAT", "TARGET_REF", "BELT", "HIDDEN"
        ]
        shown = [mapping.prefab_field_name for mapping in Gun.get_param_name_mappings()]
        assert shown == ["heat", "target", "belt"]
        """,
    )


def test_what_the_generated_part_saves_is_checked_and_the_rest_is_not(
    project: Project,
) -> None:
    play(
        project,
        """
        thing = gun(Gun, belt=["c"], hidden=lambda: 0)
        thing.save_data()
        assert [stored for _, stored in REGISTRY[Gun.save_type].fields] == [
            "float", f"optional<ref<{stored_numbers()}>>", "any", "any"
        ]
        """,
    )


def test_the_hook_of_a_base_is_never_skipped(project: Project) -> None:
    play(
        project,
        """
        for cls, values in ((Mortar, {"range": 7}), (Cannon, {"wheels": 3, "weight": 4})):
            CALLS.clear()
            thing, new = gun(cls, heat=2, **values), cls()
            data = thing.save_data()
            assert data[cls.SaveLoadFields.BELT] == "a,b"
            new.load_data(data)
            assert CALLS == ["Gun saves", "Gun loads"]
            assert {**vars(new), "hidden": thing.hidden} == {**vars(thing), "target": None}
        """,
    )


def test_hooks_of_a_chain_run_one_inside_the_other(project: Project) -> None:
    play(
        project,
        """
        thing, new = gun(Howitzer, range=9, shells=[1]), Howitzer()
        data = thing.save_data()
        new.load_data(data)
        assert (new.range, new.shells, new.belt) == (9, [1], ["a", "b"])
        assert new.shells is not thing.shells
        assert CALLS == ["Howitzer saves", "Gun saves", "Howitzer loads", "Gun loads"]
        """,
    )


def test_references_reach_the_generated_part(project: Project) -> None:
    play(
        project,
        """
        first, second, new = gun(Gun), gun(Mortar), gun(Gun)
        first.target = second
        world = World(first, second)
        data = first.save_data(world)
        assert data[Gun.SaveLoadFields.TARGET_REF] == world.key_of(second)
        new.load_data(data, world)
        assert new.target is second
        try:
            first.save_data()
        except SaveError as error:
            assert "a reference to a Mortar cannot be saved without a manager" in str(error)
        else:
            raise AssertionError
        """,
    )


def test_nothing_compares_an_object_that_saves_itself_with_its_row(
    project: Project,
) -> None:
    play(
        project,
        """
        for cls in (Gun, Mortar, Howitzer, Cannon):
            entry = REGISTRY[cls.save_type]
            assert entry.wraps
            assert type(REGISTRY.new(cls.save_type)) is cls
        assert not REGISTRY[Plain.save_type].wraps
        """,
    )
