"""Levels may use former names of prefabs and parameters, unless these are ambiguous."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from savegen.levels.rules import SchemaRules
from tests.cli.games import TABLE, Game

PREFABS = """\
from typing import Annotated

from savegen import Save, Saved, part, prefab, saveable

from game._savegen.components.orcs import ElfSaveLoad, OrcSaveLoad


@saveable
class Orc(OrcSaveLoad):
    hp: Annotated[int, Save("health", was="life")] = 3
    mana: Annotated[int, Save(was=("magic", "arms"))] = 3
    friend: Annotated["Orc | None", Save(was="ally")] = None


@saveable
class Elf(ElfSaveLoad):
    arms: Saved[int] = 3
    bow: Annotated[int, Save(was="life")] = 3


@prefab(was=("Camp", "Outpost"))
class Fort:
    orc = part(Orc)


@prefab
class Tower:
    orc = part(Orc).show(hp="strength")
    elf = part(Elf)
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Game:
    game = Game(Path(tmp_path_factory.mktemp("former")))
    game.write("pyproject.toml", TABLE)
    game.write("game/__init__.py", "")
    game.write("game/orcs.py", PREFABS)
    result = game.run("build")
    assert result.code == 0, result
    return game


@pytest.fixture(scope="module")
def rules(built: Game) -> SchemaRules:
    return SchemaRules(json.loads(built.read("game/_savegen/level.schema.json")))


def current(rules: SchemaRules, tag: str, **values: object) -> dict[str, Any]:
    return rules.current({"$type": f"{tag}Serializer", **values}).data


def test_a_former_name_of_a_prefab_becomes_the_present_one(rules: SchemaRules) -> None:
    assert current(rules, "Outpost")["$type"] == "FortSerializer"


def test_a_former_name_of_two_parameters_is_unknown(rules: SchemaRules) -> None:
    found = current(rules, "Tower", life=3)
    assert "life" in found and [*rules.faults(found)]


def test_a_name_that_another_prefab_has_now_means_that_prefab(
    rules: SchemaRules,
) -> None:
    assert current(rules, "Tower", arms=3)["arms"] == 3
    assert current(rules, "Fort", arms=3)["mana"] == 3


def test_former_names_of_parameters_become_the_present_ones(rules: SchemaRules) -> None:
    found = current(rules, "Camp", life=3, magic=4, ally="a")
    assert found == {"$type": "FortSerializer", "health": 3, "mana": 4, "friend": "a"}
    assert not [*rules.faults(found)]


def test_a_second_former_name_of_one_parameter_is_unknown(
    rules: SchemaRules,
) -> None:
    found = current(rules, "Fort", magic=4, arms=5)
    assert len(found) == 3 and len([*rules.faults(found)]) == 1


def test_generated_serializers_contain_the_former_names(built: Game) -> None:
    text = built.read("game/_savegen/prefabs.py")
    tags = '    former_tags = ("CampSerializer", "OutpostSerializer")'
    assert text.count("former_tags") == 1 and tags in text
    assert '    former_names = {"magic": "mana", "ally": "friend"}' in text
