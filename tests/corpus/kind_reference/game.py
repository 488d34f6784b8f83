"""References, plain, weak and in every position: keys in data, objects in rows."""

from __future__ import annotations

import weakref
from collections import Counter, OrderedDict, defaultdict, deque
from dataclasses import dataclass, field
from typing import Protocol, Self
from weakref import ref

from savegen import Saved, saveable
from savegen.runtime import GameObject
from savegen.runtime.world import objects

from _savegen.components.game import GoblinSaveLoad, HutSaveLoad, WolfSaveLoad


class Animal:
    """Not marked, but the base of a class that is."""


class Walks(Protocol):
    def walk(self) -> None: ...


class Loud(Walks, Protocol):
    def shout(self) -> None: ...


@dataclass
class Order:
    goal: Goblin | None = None
    watchers: list[weakref.ref[Goblin]] = field(default_factory=list)


@dataclass
class Camp:
    members: set[Goblin] = field(default_factory=set)
    next: Camp | None = None


@saveable
class Wolf(WolfSaveLoad, Animal):
    hunger: Saved[int] = 0

    def walk(self) -> None:
        self.hunger += 1


@saveable
class Goblin(GoblinSaveLoad):
    wolf: Saved[Wolf]
    maybe: Saved[Wolf | None] = None
    either: Saved[Wolf | Goblin | None] = None
    animal: Saved[Animal | None] = None
    itself: Saved[Self | None] = None
    walker: Saved[Walks | None] = None
    loud: Saved[Loud | None] = None
    weak: Saved[ref[Goblin]]
    maybe_weak: Saved[ref[Goblin] | None] = None
    hut: Saved[Hut | None] = None
    anything: Saved[GameObject | None] = None
    weak_anything: Saved[ref[objects.GameObject] | None] = None


@saveable
class Hut(HutSaveLoad):
    a_list: Saved[list[Goblin]]
    gaps: Saved[list[Goblin | None]]
    a_tuple: Saved[tuple[Goblin, ...]] = ()
    places: Saved[tuple[int, Goblin, list[Goblin]]]
    a_deque: Saved[deque[Goblin]]
    by_name: Saved[dict[str, Goblin]]
    grudges: Saved[dict[Goblin, list[Goblin]]]
    pairs: Saved[dict[tuple[Goblin, Goblin], int]]
    by_default: Saved[defaultdict[Goblin, int]]
    a_set: Saved[frozenset[Goblin]] = frozenset()
    things: Saved[dict[GameObject, list[GameObject | Goblin]]]
    ordered: Saved[OrderedDict[str, Goblin]]
    counted: Saved[Counter[Goblin]]
    watched: Saved[dict[tuple[Goblin, int], ref[Goblin]]]
    camp: Saved[Camp]
    weak: Saved[list[ref[Goblin]]]
    deep: Saved[dict[str, list[tuple[Goblin, int]]]]
    orders: Saved[list[Order]]
    one_order: Saved[Order | None] = None
