"""`adopt` asks about classes that contain more than their attributes."""

from __future__ import annotations

import pytest

from tests.adopt.reading import proposal, verdicts

HEAD = """
import collections
import enum
import pygame
from collections import OrderedDict, namedtuple
from typing import Dict, List, NamedTuple
"""


def game(base: str) -> str:
    return f"""{HEAD}
class Pack({base}):
    def __init__(self):
        self.size = 1

class Heavy(Pack):
    def __init__(self):
        self.weight = 1

class World:
    def __init__(self):
        self.pack = Heavy()
        self.packs = [Heavy()]
        self.turn = 0
"""


@pytest.mark.parametrize(
    ("base", "name"),
    [
        ("list", "list"),
        ("dict", "dict"),
        ("List[int]", "list"),
        ("list[int]", "list"),
        ("Dict[str, int]", "dict"),
        ("str", "str"),
        ("OrderedDict", "OrderedDict"),
        ("collections.deque", "deque"),
        ("collections.UserDict", "UserDict"),
        ("pygame.sprite.Group", "Group"),
    ],
)
def test_contents_that_are_no_attributes_are_a_question(base: str, name: str) -> None:
    reason = f"`Pack` is a `{name}`, and savegen saves only attributes"
    reason += "; keep the contents in an attribute"
    found = proposal("World", game=game(base))
    asked = {"pack": "asked", "packs": "asked", "turn": "int"}
    assert verdicts(found, "World") == asked
    (question,) = found.questions
    assert (question.subject, question.problem) == ("World.pack, packs", reason)

    found = proposal("Heavy", game=game(base))
    problem = f"savegen cannot mark it: {reason}"
    assert {q.subject: q.problem for q in found.questions}["Heavy"] == problem
    assert not found.marks


@pytest.mark.parametrize("base", ["object", "pygame.sprite.Sprite", "Exception"])
def test_other_bases_contain_only_attributes(base: str) -> None:
    found = proposal("World", game=game(base))
    assert verdicts(found, "World")["packs"] == "list[Heavy]"


def test_a_named_tuple_as_base_is_to_be_written_as_a_class() -> None:
    found = proposal("World", game=game("namedtuple('Pack', 'x y')"))
    (question,) = found.questions
    assert question.problem == (
        "a call makes the base of `Pack`; write it as a class of typing.NamedTuple,"
        " with the types of its fields"
    )


def test_enumerations_of_numbers_are_values() -> None:
    text = f"{HEAD}\nclass Level(int, enum.Enum):\n    LOW = 1\n"
    text += "class Place(NamedTuple):\n    x: int\n"
    text += "class World:\n    def __init__(self):\n"
    text += "        self.level = Level.LOW\n        self.place = Place(1)\n"
    found = proposal("World", game=text)
    assert verdicts(found, "World") == {"level": "Level", "place": "Place"}


def test_a_question_about_a_group_suggests_to_name_it() -> None:
    text = f"{HEAD}\nclass World:\n    def __init__(self):\n"
    text += "        self.all = pygame.sprite.Group()\n"
    (question,) = proposal("World", game=text).questions
    assert question.choices == (
        'saved: name the group, which saves its sprites: `manager.groups["all"] = …`',
        'rebuilt after a load: `@saveable(transient=("all",))`',
    )
