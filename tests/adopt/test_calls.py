"""`adopt` follows arguments to the parameters of functions, and into heaps."""

from __future__ import annotations

from savegen.build.adopt.observed import Observed
from savegen.build.adopt.proposal import propose
from savegen.build.resolve.settings import Settings
from tests.adopt.reading import program, proposal, verdicts


def test_arguments_of_functions_and_methods_are_not_mixed_up() -> None:
    text = """
    class Hero:
        def __init__(self):
            self.enemy = None
            self.name = None
            self.rank = None

    def hit(attacker, target):
        target.enemy = attacker

    class Namer:
        @staticmethod
        def fixed(hero: Hero, name):
            hero.name = name

        @classmethod
        def ranked(cls, hero: Hero, rank):
            hero.rank = rank

    def fight():
        hit(Hero(), Hero())
        Namer.fixed(Hero(), "Pip")
        Namer.ranked(Hero(), 3)
    """
    assert verdicts(proposal("Hero", game=text), "Hero") == {
        "enemy": "Hero | None",
        "name": "str | None",
        "rank": "int | None",
    }


def test_a_method_called_on_its_class_is_not_followed() -> None:
    text = """
    class Hero:
        def __init__(self):
            self.name = ""
        def rename(self, name):
            self.name = name

    def f():
        Hero.rename(Hero(), 3)
    """
    assert verdicts(proposal("Hero", game=text), "Hero") == {"name": "asked"}


def test_heaps_contain_what_is_pushed() -> None:
    text = """
    import bisect
    import heapq

    class Turns:
        def __init__(self):
            self.heap = []
            self.mixed = [1]
            self.order = []
            self.last = None
            self.best = None

        def push(self):
            heapq.heappush(self.heap, (1, "Pip"))
            heapq.heappush(self.mixed, "a")
            bisect.insort(self.order, 1.5)

        def pop(self):
            self.last = heapq.heappop(self.heap)
            self.best = max(self.order, key=abs)
    """
    assert verdicts(proposal("Turns", game=text), "Turns") == {
        "heap": "list[tuple[int, str]]",
        "mixed": "list[int | str]",
        "order": "list[float]",
        "last": "tuple[int, str] | None",
        "best": "float | None",
    }


def test_a_method_may_return_the_class_that_it_is_called_on() -> None:
    text = """
    from typing import Self, TypeVar
    T = TypeVar("T", bound="Entity")

    class Entity:
        def spawn(self: T) -> T: ...
        def moved(self) -> Self: ...

    class Actor(Entity):
        pass

    class World:
        def __init__(self):
            self.first = Actor().spawn()
            self.second = Actor().moved()
    """
    assert verdicts(proposal("World", game=text), "World") == {
        "first": "Actor",
        "second": "Actor",
    }


def test_a_class_beside_its_base_is_left_out() -> None:
    text = """
    from dataclasses import dataclass

    class Entity: ...
    class Actor(Entity): ...

    @dataclass(frozen=True)
    class Place: ...
    @dataclass(frozen=True)
    class Room(Place): ...

    class World:
        def __init__(self):
            self.place = Place() if self else Room()
            self.one = Actor() if self else Entity()
            self.all = [Actor(), Entity(), None]
    """
    assert verdicts(proposal("World", game=text), "World") == {
        "place": "Place | Room",
        "one": "Entity",
        "all": "list[Entity | None]",
    }


def test_only_the_argument_that_a_function_fills_is_unclear() -> None:
    text = """
    class Hero:
        def __init__(self):
            self.filled = {}
            self.target = None
        def act(self):
            self.target = Hero()
            note(self.filled, self.target)
            self.keep(self.target)
        def keep(self, one, all=[]):
            all.append(one)

    def note(filled, hero):
        filled[hero] = 1
    """
    assert verdicts(proposal("Hero", game=text), "Hero") == {
        "filled": "asked",
        "target": "Hero | None",
    }


def test_assignments_to_a_property_give_the_type_of_its_setter() -> None:
    text = """
    class Hero:
        def __init__(self, hp: int):
            self._hp = hp
            self._name = ""
            self._odd = 0
        @property
        def hp(self):
            return self._hp
        @hp.setter
        def hp(self, value):
            self._hp = max(0, min(value, 10))
        @property
        def name(self):
            return self._name
        @name.setter
        def name(self, value):
            self._name = value
        @property
        def odd(self):
            return self._odd
        @odd.setter
        def odd(self, value):
            self._odd = value

    def hurt(hero):
        hero.hp -= 1
        hero.name = None
        hero.odd = eval("1")
    """
    assert verdicts(proposal("Hero", game=text), "Hero") == {
        "_hp": "int",
        "_name": "str | None",
        "_odd": "asked",
    }


def test_what_a_run_saw_is_added_to_what_the_source_says() -> None:
    text = """
    class Hero:
        note = 1.5
        def __init__(self):
            self.target = None
            self.found = []
            self.note = eval("'a'")
            self.target = eval("Hero()")
            self.found = eval("[1]")
    """
    observed: Observed = {
        "game.Hero": {
            "target": [("game.Hero", [])],
            "found": [("list", [[("int", [])]])],
            "note": [("str", [])],
        }
    }
    found = propose(program(game=text), Settings(), ["Hero"], observed)
    assert verdicts(found, "Hero") == {
        "target": "Hero | None",
        "found": "list[int]",
        "note": "str | float",
    }
