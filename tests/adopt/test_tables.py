"""`adopt` reads tables key by key, and leaves out only what no save can contain."""

from __future__ import annotations

import pytest

from savegen.build.adopt.observed import Observed
from savegen.build.adopt.proposal import propose
from savegen.build.resolve.settings import Settings
from tests.adopt.reading import decisions, program, proposal, verdicts

HEAD = """
import random
import pygame

def heal(hero):
    return 1

class Door: ...
class Key: ...

KINDS = {
    "orc": {"hp": 3, "name": "Orc", "speed": 1.5, "tags": ["big"], "hit": heal},
    "elf": dict(hp=4, name="Elf", speed=2, tags=[], hit=None, boss=False),
}
ROOMS = {"north": [{"label": "Cave", "rule": heal}], "south": [{"label": "Mine"}]}
ICONS = {"orc": {"title": "Orc", "image": pygame.Surface((4, 4))}}
ONE = {"hp": 3, "name": "Orc", "place": None}
THINGS = ["stone", heal]
BOTH = [Door(), Key()]
"""


def type_of(body: str, elsewhere: str = "") -> str:
    """The verdict on `x` of a class whose `__init__` has this body."""
    lines = "\n        ".join(body.splitlines())
    text = (
        f"{HEAD}\nclass Hero:\n    def __init__(self, kind='orc'):\n        {lines}\n"
    )
    found = proposal("Hero", game=f"{text}\n{elsewhere}\nHero()\n")
    return verdicts(found, "Hero")["x"]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("KINDS['orc']['hp']", "int"),
        ("KINDS[kind]['name']", "str"),
        ("KINDS[kind]['speed']", "float"),
        ("KINDS[kind]['tags']", "list[str]"),
        ("KINDS[kind]['hit']", "transient"),
        ("KINDS[kind].get('boss', False)", "bool"),
        ("KINDS[kind].get('boss')", "bool | None"),
        ("[KINDS[kind]['hp'] for _ in range(3)]", "list[int]"),
        ("ICONS[kind]['title']", "str"),
        ("ICONS[kind]['image']", "transient"),
        ("ONE['hp']", "int"),
        ("[room['label'] for rooms in ROOMS.values() for room in rooms]", "list[str]"),
        ("random.choice(BOTH)", "Door | Key"),
        # Nothing tells which one of several kinds it is.
        ("KINDS[kind][kind]", "asked"),
        ("KINDS[kind].get('armor', 0)", "asked"),
        ("ONE[kind]", "asked"),
        ("ONE['place']", "asked"),
        ("random.choice(THINGS)", "asked"),
        ("THINGS[0]", "asked"),
        ("max(THINGS, key=id)", "asked"),
        ("[thing for thing in THINGS]", "asked"),
        ("[value for key, value in ONE.items()]", "asked"),
    ],
)  # fmt: skip
def test_what_is_read_from_a_table_has_the_type_of_its_key(
    value: str, expected: str
) -> None:
    assert type_of(f"self.x = {value}") == expected


def test_values_of_a_table_are_passed_on() -> None:
    text = f"""{HEAD}
class Room:
    def __init__(self, name, rule=None):
        self.name = name
        self.rule = rule

class World:
    def __init__(self):
        self.rooms = []
        for rooms in ROOMS.values():
            for room in rooms:
                self.rooms.append(Room(name=room["label"], rule=room.get("rule")))
"""
    found = proposal("World", game=text)
    assert verdicts(found, "Room") == {"name": "str", "rule": "transient"}


@pytest.mark.parametrize(
    "change",
    [
        "KINDS['orc']['hp'] = 'many'",
        "def f(data):\n    data['hp'] += 0.5",
        "def f(data):\n    data.update(hp='many')",
        "def f(data):\n    data.update({'hp': 'many'})",
        "def f(data):\n    data.setdefault('hp', 'many')",
    ],
)
def test_a_key_that_the_game_assigns_may_have_any_type(change: str) -> None:
    assert type_of("self.x = KINDS[kind]['hp']") == "int"
    assert type_of("self.x = KINDS[kind]['hp']", change) == "asked"


def test_a_table_in_an_attribute_may_change() -> None:
    assert type_of("self.x = dict(ONE)['hp']\nself.y = ONE") == "asked"
    assert type_of("self.y = {'a': 1, 'b': 'c'}\nself.x = self.y['a']") == "asked"
    assert type_of("self.y = {'a': 1, 'b': 2}\nself.x = self.y['a']") == "int"
    assert type_of("self.x = {'a': 1, 'b': 'c'}") == "dict[str, int | str]"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("self.x = heal if kind else 'none'", "asked"),
        ("self.x = 'none' if kind else heal", "asked"),
        ("self.x = False\nself.x = heal\nself.x = kind > 'a'", "asked"),
        ("self.x = pygame.Surface((1, 1)) if kind else 3", "asked"),
        ("self.x = [heal, 'a']", "asked"),
        ("self.x = (pygame.Surface((1, 1)), 3)", "asked"),
        ("self.x = {'a': heal, 'b': 1}", "asked"),
        ("self.x = eval(kind)\nself.x = pygame.display.get_surface()", "asked"),
        ("self.x = None\nself.x = heal", "transient"),
        ("self.x = [heal, None]", "transient"),
        ("self.x = {'a': heal}", "transient"),
        ("self.x = None\nself.x = pygame.mixer.find_channel()", "transient"),
    ],
)
def test_only_what_can_never_be_saved_is_left_out(body: str, expected: str) -> None:
    assert type_of(body) == expected


@pytest.mark.parametrize(
    ("value", "name", "expected"),
    [
        ("ONE[seed]", "str", "str"),
        ("THINGS[seed]", "str", "str"),
        ("THINGS[seed]", "?callable", "transient"),
        ("pygame.Surface((1, 1))", "str", "asked"),
        ("pygame.Surface((1, 1))", "pygame.surface.Surface", "transient"),
        ("heal", "str", "asked"),
        ("heal if seed else 'none'", "str", "asked"),
    ],
)
def test_a_run_may_contradict_that_nothing_can_be_saved(
    value: str, name: str, expected: str
) -> None:
    text = f"{HEAD}\nclass Hero:\n    def __init__(self, seed):\n        self.x = {value}\n"
    observed: Observed = {"game.Hero": {"x": [(name, [])]}}
    found = propose(program(game=text), Settings(), ["Hero"], observed)
    assert verdicts(found, "Hero") == {"x": expected}


def test_a_question_names_what_cannot_be_saved_and_suggests_the_rest() -> None:
    text = f"{HEAD}\nclass Hero:\n    def __init__(self, kind):\n"
    text += "        self.x = heal if kind else 'none'\n"
    text += "        self.y = pygame.Surface((1, 1)) if kind else 3\n"
    found = proposal("Hero", game=text)
    assert [(q.problem, q.choices[0]) for q in found.questions] == [
        (
            "it may be a function, which cannot be saved",
            "saved: declare `x: Saved[str]` in the class",
        ),
        (
            "it may be a `pygame.Surface`, which belongs to the running program",
            "saved: declare `y: Saved[int]` in the class",
        ),
    ]


def test_a_name_decides_nothing() -> None:
    text = """
    class Village:
        def __init__(self):
            self.weapon_cache = []
            self.cache = {"a": 1}
            self.cache_gold = 3
    """
    found = proposal("Village", game=text)
    assert verdicts(found, "Village") == {
        "weapon_cache": "asked",
        "cache": "asked",
        "cache_gold": "int",
    }
    reason = decisions(found, "Village")["cache"].reason
    assert reason == "its name suggests a cache; can it be rebuilt after a load?"
