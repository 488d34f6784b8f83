"""`adopt` follows arguments to the parameters of functions, and into heaps."""

from __future__ import annotations

from tests.adopt.reading import proposal, verdicts


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
