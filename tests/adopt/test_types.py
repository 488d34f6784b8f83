"""`adopt` gives an attribute a type only if every assignment is understood."""

from __future__ import annotations

import pytest

from tests.adopt.reading import proposal, verdicts

HEAD = """
import collections
import copy
import enum
import itertools
import random
from collections import deque
from typing import Any, Callable, Dict, Iterable, List, Optional, Tuple, Type, Union

import numpy as np
import pygame

TIMER = 2 * 30
NAMES = ["a", "b"]

class Colour(enum.Enum):
    RED = 1

class Item:
    pass

class Sword(Item):
    pass

def loot() -> list[Item]: ...

def started():
    return 1.5

def unclear(x):
    return eval(x)
"""


def type_of(body: str, elsewhere: str = "", parameters: str = "") -> str:
    """The verdict on `x` of a class whose `__init__` has this body."""
    lines = "\n        ".join(body.splitlines())
    text = f"""{HEAD}
class Hero:
    def __init__(self{', ' + parameters if parameters else ''}):
        {lines}

{elsewhere}
"""
    return verdicts(proposal("Hero", game=text), "Hero").get("x", "missing")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("1", "int"),
        ("-1", "int"),
        ("True", "bool"),
        ("not 1", "bool"),
        ("1.5", "float"),
        ("3 / 2", "float"),
        ("7 // 2", "int"),
        ("'a'", "str"),
        ("f'{1}'", "str"),
        ("b''", "bytes"),
        ("'%s' % 3", "str"),
        ("TIMER", "int"),
        ("NAMES", "list[str]"),
        ("[0] * 8", "list[int]"),
        ("[1, 2]", "list[int]"),
        ("[1, 2.5]", "list[float]"),
        ("{1: 'a'}", "dict[int, str]"),
        ("{1, 2}", "set[int]"),
        ("(1, 'a')", "tuple[int, str]"),
        ("()", "tuple[()]"),
        ("[[0] * 3 for _ in range(4)]", "list[list[int]]"),
        ("{n: 0 for n in NAMES}", "dict[str, int]"),
        ("{i for i in range(3)}", "set[int]"),
        ("Item()", "Item"),
        ("Sword() if self else Item()", "Item"),
        ("None or Item()", "Item"),
        ("loot()", "list[Item]"),
        ("started()", "float"),
        ("Colour.RED", "Colour"),
        ("Item", "type[Item]"),
        ("random.Random(3)", "Random"),
        ("np.zeros((3, 4))", "ndarray"),
        ("np.random.default_rng(1)", "Generator"),
        ("itertools.count(1)", "count"),
        ("pygame.Vector2(1, 2)", "Vector2"),
        ("deque([1, 2])", "deque[int]"),
        ("list(NAMES)", "list[str]"),
        ("collections.Counter(NAMES)", "Counter[str]"),
        ("collections.Counter(a=1)", "Counter[str]"),
        ("collections.Counter({1: 2})", "Counter[int]"),
        ("collections.Counter(NAMES)['a']", "int"),
        ("sorted(NAMES)", "list[str]"),
        ("copy.copy(Item())", "Item"),
        ("len(NAMES)", "int"),
        ("str(3).upper()", "str"),
        ("1 < 2", "bool"),
        ("max(1, 2)", "int"),
        ("NAMES[0]", "str"),
        ("NAMES[:1]", "list[str]"),
    ],
)
def test_values_have_types(value: str, expected: str) -> None:
    assert type_of(f"self.x = {value}") == expected


@pytest.mark.parametrize(
    "value",
    ["collections.Counter()", "collections.defaultdict(int)", "deque()", "deque(maxlen=3)",
     "collections.OrderedDict()", "collections.Counter(unclear(1))", "unclear(1)", "missing", "unclear", "Item().y", "object()", "[]", "{}", "None", "2 ** -1",
     "eval('1')", "[*unclear(2)]", "{**{}}", "lambda: 1", "pygame.image.load('a.png')",
     "open('f')", "[lambda: 1]", "[None]" if False else "...", "globals()"],
)  # fmt: skip
def test_what_is_unclear_is_not_marked(value: str) -> None:
    assert type_of(f"self.x = {value}") in ("asked", "transient")


@pytest.mark.parametrize(
    "value", ["lambda: 1", "started", "pygame.Surface((1, 1))", "[pygame.Surface((1, 1))]",
              "open('f')", "pygame.image.load('a.png')"]
)  # fmt: skip
def test_resources_are_transient(value: str) -> None:
    assert type_of(f"self.x = {value}") == "transient"


@pytest.mark.parametrize(
    ("parameter", "expected"),
    [
        ("x: int", "int"),
        ("x: 'Item'", "Item"),
        ("x: Optional[Item]", "Item | None"),
        ("x: Item = None", "Item | None"),
        ("x: Union[int, str]", "int | str"),
        ("x: List[Tuple[int, int]]", "list[tuple[int, int]]"),
        ("x: Dict[str, Item]", "dict[str, Item]"),
        ("x: tuple[int, ...]", "tuple[int, ...]"),
        ("x: Type[Item]", "type[Item]"),
        ("x: Any", "asked"),
        ("x: list", "asked"),
        ("x: Iterable[int]", "asked"),
        ("x: Callable[[], None]", "transient"),
        ("x: missing", "asked"),
        ("x=3", "asked"),
        ("*x: int", "tuple[int, ...]"),
        ("**x: int", "asked"),
    ],
)
def test_parameters_have_their_annotations(parameter: str, expected: str) -> None:
    assert type_of("self.x = x", parameters=parameter) == expected


def test_iterable_parameters_fill_containers() -> None:
    assert type_of("self.x = set(x)", parameters="x: Iterable[Item]") == "set[Item]"


def test_all_calls_of_the_class_give_the_type_of_a_parameter() -> None:
    assert type_of("self.x = x", "Hero(1)\nHero(x=2)", "x=3") == "int"
    assert type_of("self.x = x", "Hero(1)\nHero(unclear(2))", "x=3") == "asked"
    assert type_of("self.x = x", "Hero(*[1])", "x=3") == "asked"
    assert (
        type_of("self.x = x", "Hero(1)\nclasses = [Hero]\nclasses[0]('a')", "x")
        == "asked"
    )


def test_subclasses_pass_arguments_to_the_base() -> None:
    knight = """
class Knight(Hero):
    def __init__(self):
        super().__init__({})
Knight()
"""
    assert type_of("self.x = x", knight.format("'sir'"), "x") == "str"
    assert type_of("self.x = x", knight.format("unclear(1)"), "x") == "asked"


def test_every_assignment_counts() -> None:
    assert type_of("self.x = 1\nself.x = 'a'") == "int | str"
    assert type_of("self.x = 1\nself.x = None") == "int | None"
    assert type_of("self.x = 1\nself.x += 1") == "int"
    assert type_of("self.x = 1\nself.x += 0.5") == "float"
    assert type_of("self.x = 1\nself.x += unclear(1)") == "asked"
    assert type_of("self.x = 1\nself.x = self.x * 2") == "int"
    assert type_of("self.x = 1\nself.x /= 2") == "float"
    assert type_of("self.x, self.y = 1, 2") == "int"
    assert type_of("self.x = 1", "def f(hero: Hero):\n    hero.x = 'a'") == "int | str"
    assert type_of("self.x = 1", "def f(hero):\n    hero.x = 2") == "int"
    assert type_of("self.x = 1", "def f(hero):\n    hero.x = 'a'") == "asked"
    assert type_of("self.x = 1", "def f(hero):\n    hero.x = unclear(1)") == "asked"
    assert type_of("for self.x in range(3): pass") == "int"
    assert type_of("with open('f') as self.x: pass") in ("asked", "transient")


def test_containers_are_filled_from_everywhere() -> None:
    assert type_of("self.x = []\nself.x.append(1)") == "list[int]"
    assert type_of("self.x = []\nself.x.append(unclear(1))") == "asked"
    assert type_of("self.x = {}\nself.x['a'] = 1") == "dict[str, int]"
    assert type_of("self.x = []\nself.x.extend(NAMES)") == "list[str]"
    assert type_of("self.x = set()\nself.x.add(Item())") == "set[Item]"
    assert (
        type_of("self.x = []\nself.x.append(1)\ny = self.x\ny.append('a')")
        == "list[int | str]"
    )
    assert (
        type_of("self.x = []", "def f(h: Hero):\n    h.x.append(Item())")
        == "list[Item]"
    )
    fill = "def fill(items):\n    items.append('a')\n"
    assert type_of("self.x = [1]\nfill(self.x)", fill) == "asked"


def test_attributes_set_by_computed_names_are_left_to_a_person() -> None:
    assert type_of("self.x = 1\nfor n in 'xy': setattr(self, n, 2)") == "int"
    assert type_of("self.x = 1\nfor n in 'xy': setattr(self, n, 'a')") == "asked"
    assert type_of("self.x = 1\nself.__dict__.update(x='a')") == "asked"
    assert type_of("self.x = 1\nsetattr(self, 'y', 'a')") == "int"


def test_what_is_assigned_nowhere_is_a_constant() -> None:
    text = """
class Hero:
    limit = 5
    word: str = "a"
    hp = 3
    count = 0
    def hurt(self, n: int):
        self.hp -= n
        Hero.count += 1
"""
    assert verdicts(proposal("Hero", game=text), "Hero") == {
        "limit": "constant",
        "word": "constant",
        "hp": "int",
        "count": "asked",
    }


def test_annotations_of_the_class_are_used_as_they_are() -> None:
    text = """
from dataclasses import dataclass, field, InitVar
from typing import Any, ClassVar

@dataclass
class Hero:
    hp: int = 3
    bag: list[str] = field(default_factory=list)
    best: ClassVar[int] = 1
    seed: InitVar[int] = 1
    mind: Any = None
"""
    assert verdicts(proposal("Hero", game=text), "Hero") == {
        "hp": "int",
        "bag": "list[str]",
        "best": "constant",
        "seed": "constant",
        "mind": "asked",
    }


def test_properties_and_methods_are_no_attributes() -> None:
    text = """
class Hero:
    def __init__(self):
        self._hp = 1
        self.hp = 2
    @property
    def hp(self): return self._hp
    @hp.setter
    def hp(self, value: int): self._hp = value
"""
    assert verdicts(proposal("Hero", game=text), "Hero") == {"_hp": "int"}


def test_groups_of_sprites_are_a_question_because_they_may_hold_state() -> None:
    assert type_of("self.x = pygame.sprite.Group()") == "asked"
    assert type_of("self.x = [pygame.sprite.Group()]") == "asked"


def test_all_calls_of_a_function_give_the_types_of_its_parameters() -> None:
    calls = "Hero().take(1)\n"
    take = "class Hero:\n    def take(self, x, y=None):\n        self.x = x\n        self.y = y\n"
    found = verdicts(proposal("Hero", game=take + calls), "Hero")
    assert found == {"x": "int", "y": "asked"}
    assert verdicts(proposal("Hero", game=take), "Hero")["x"] == "asked"
    unclear = calls + "Hero().take(unclear)\n"
    assert verdicts(proposal("Hero", game=take + unclear), "Hero")["x"] == "asked"
    passed_on = calls + "use(Hero().take)\n"
    assert verdicts(proposal("Hero", game=take + passed_on), "Hero")["x"] == "asked"


def test_pygame_values_are_known() -> None:
    assert type_of("self.x = pygame.Surface((1, 1)).get_rect()") == "Rect"
    assert type_of("self.x = pygame.time.get_ticks()") == "int"
    assert (
        type_of("y = pygame.Rect(1, 1, 1, 1)\nself.x = y.topleft") == "tuple[int, int]"
    )


def test_changes_inside_nested_containers_count() -> None:
    grid = "self.x = [[0] * 3 for _ in range(3)]\n"
    assert type_of(grid + "self.x[0][1] = 5") == "list[list[int]]"
    assert type_of(grid + "self.x[0][1] = Item()") == "asked"
    assert type_of("self.x = {'a': [1]}\nself.x['a'].append('b')") == "asked"
    assert type_of("self.x = ['a']\nself.x[:] = [1]") == "list[str | int]"


def test_augmented_assignments_change_the_types_that_are_there() -> None:
    assert type_of("self.x = np.zeros(3)\nself.x += 1") == "ndarray"
    assert type_of("self.x = 'ab'\nself.x *= 2") == "str"
    assert type_of("self.x = Item()\nself.x *= 2") == "asked"
    assert type_of("self.x = {'a': 1}\nself.x['a'] += 1") == "dict[str, int]"
    assert type_of("self.x = {'a': 1}\nself.x['a'] /= 2") == "asked"
    assert type_of("self.x = {'a': 1}\nself.x['a'], y = divmod(1.5, 2)") == "asked"


def test_setattr_with_a_name_is_an_assignment() -> None:
    assert type_of("self.x = 1\nsetattr(self, 'x', 'a')") == "int | str"
    far = "def hurt(hero: Hero):\n    setattr(hero, 'x', 'a')"
    assert type_of("self.x = 1", far) == "int | str"


def test_overrides_count_among_the_results_of_methods() -> None:
    text = """
class Base:
    def __init__(self):
        self.kind = self.make()
        self.glyph = self.sign
    def make(self):
        return 1
    @property
    def sign(self):
        return 1
    @sign.setter
    def sign(self, value): ...

class Heir(Base):
    def make(self):
        return 'a'
"""
    assert verdicts(proposal("Base", game=text), "Base") == {
        "kind": "int | str",
        "glyph": "int",
    }
    decorated = text.replace("    def make", "    @wrapped\n    def make")
    assert verdicts(proposal("Base", game=decorated), "Base")["kind"] == "asked"


def test_names_of_modules_may_be_assigned_elsewhere() -> None:
    change = "COUNT = 1\ndef f():\n    global COUNT\n    COUNT = 'many'\n"
    assert type_of("self.x = COUNT", change) == "int | str"
    assert type_of("self.x = COUNT", "COUNT = 1\n") == "int"
    hero = "class Hero:\n    def __init__(self):\n        self.x = LEVEL\nLEVEL = 1\n"
    other = "import game\ngame.LEVEL = 'boss'\n"
    found = proposal("Hero", game=hero, other=other)
    assert verdicts(found, "Hero") == {"x": "asked"}


def test_calls_of_other_classes_do_not_count() -> None:
    text = """
class World:
    def __init__(self):
        self.tags = {'a'}
        self.units = []
        self.tags.add('x')
    def add(self, unit):
        self.units.append(unit)

World().add(3)
"""
    assert verdicts(proposal("World", game=text), "World") == {
        "tags": "set[str]",
        "units": "list[int]",
    }


def test_an_annotation_that_lacks_none_is_a_question() -> None:
    text = "class Hero:\n    e: int = None\n    f: 'int | None' = None\n    g: int\n"
    text += (
        "    def __init__(self):\n        self.e = self.f = 1\n        self.g = None\n"
    )
    assert verdicts(proposal("Hero", game=text), "Hero") == {
        "e": "asked",
        "f": "int | None",
        "g": "asked",
    }


def test_containers_that_others_keep_are_left_to_a_person() -> None:
    panel = "class Panel:\n    def __init__(self, lines):\n        self.lines = lines\n"
    assert type_of("self.x = ['a']\nself.panel = Panel(self.x)", panel) == "asked"
    assert type_of("self.x = ['a']\nadd = self.x.append\nadd(1)") == "asked"
    assert type_of("self.x = ['a']\nself.n = len(self.x)", panel) == "list[str]"


@pytest.mark.parametrize(
    ("value", "change", "expected"),
    [
        ("Counter()", "self.x['a'] += 1", "Counter[str]"),
        ("Counter()", "self.x[eval('1')] += 1", "asked"),
        ("Counter()", "self.x.update(NAMES)", "Counter[str]"),
        ("Counter()", "self.x.subtract(NAMES)", "Counter[str]"),
        ("Counter()", "self.x += Counter(NAMES)", "Counter[str]"),
        ("Counter()", "self.x['a'] = 1", "Counter[str]"),
        ("Counter(NAMES)", "self.x[1] += 1", "Counter[str | int]"),
        ("defaultdict(int)", "self.x['a'] += 1", "defaultdict[str, int]"),
        ("defaultdict(int)", "self.x['a'] += 1.5", "defaultdict[str, float]"),
        ("defaultdict(lambda: 0)", "self.x['a'] += 1", "defaultdict[str, int]"),
        ("defaultdict(list)", "self.x['a'] = [1]", "defaultdict[str, list[int]]"),
        ("defaultdict(list)", "self.x['a'].append(1)", "asked"),
        ("defaultdict(Item)", "self.x[1] = Item()", "defaultdict[int, Item]"),
        ("defaultdict(eval)", "self.x[1] += 1", "asked"),
    ],
)
def test_additions_fill_counters(value: str, change: str, expected: str) -> None:
    assert (
        type_of(
            f"self.x = collections.{value}\n{change}".replace(
                "= Counter", "= collections.Counter"
            )
        )
        == expected
    )


@pytest.mark.parametrize("name", ["Counter", "deque", "OrderedDict", "defaultdict"])
def test_a_bare_container_in_an_annotation_is_a_question(name: str) -> None:
    text = f"import collections\nclass Hero:\n    x: collections.{name}\n"
    (question,) = proposal("Hero", game=text).questions
    assert question.problem == f"`collections.{name}` does not say what it contains"


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        ("class Potion: pass", "list[Potion]"),
        ("from more import *", "list[Potion]"),
        ("from more import *\nfrom game import *", "list[Potion]"),
        ("from more import Potion", "list[Potion]"),
        ("from more import _Potion as Potion", "list[_Potion]"),
        ("__all__ = ['Potion']\nclass Potion: pass", "list[Potion]"),
        ("__all__ = []\nclass Potion: pass", "asked"),
        ("__all__ = []\n__all__ += ['Potion']\nclass Potion: pass", "list[Potion]"),
    ],
)
def test_star_imports_are_followed(items: str, expected: str) -> None:
    text = """
    from items import *
    class Hero:
        def __init__(self):
            self.bag = [Potion()]
    """
    more = "class Potion: pass\nclass _Potion: pass"
    found = proposal("Hero", game=text, items=items, more=more)
    assert verdicts(found, "Hero") == {"bag": expected}
