"""Objects that are used again: building one may be dear."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, NamedTuple

from savegen.runtime.errors import SaveError
from savegen.runtime.objects import OBJECT, GameObject
from savegen.runtime.registry import Registry
from savegen.runtime.rows import Rows
from savegen.runtime.world import World


class _Part(NamedTuple):
    """One component as it is in a new object, or the object itself."""

    component: Any
    rows: Rows
    row: list[Any]


class ObjectPool:
    """Objects of one prefab, kept for another life; `manager.pool(…)` makes one.

    Every saved field of an object that comes out of the pool is as in a new one. What is not
    saved stays as it was: `@on_activate` is the place to set it again. Kept are objects whose
    fields hold plain values, their own components, and what all objects of the prefab share.
    One that holds other saveable objects of its own, or a random generator, or that saves
    itself, is built each time: only its constructor knows how.

    >>> from savegen.runtime import GameObject, SaveLoadManager
    >>> from savegen.runtime.registry import FORMAT, Registry
    >>> manager = SaveLoadManager(Registry(FORMAT, ()), {"orc": GameObject})
    >>> pool = manager.pool("orc", capacity=8)
    >>> orc = manager.spawn("orc", position=(1.0, 2.0, 0.0))
    >>> manager.destroy(orc)
    >>> len(pool), manager.spawn("orc") is orc, orc.transform.position
    (1, True, (0.0, 0.0, 0.0))
    """

    def __init__(
        self, registry: Registry, create: Callable[[], Any], capacity: int = 64
    ) -> None:
        """Raises `SaveError` if `capacity` is below 0."""
        if capacity < 0:
            raise SaveError("a pool cannot hold less than nothing")
        self.capacity = capacity
        self._create = create
        self._world = World(registry)  # it has no objects: it only knows their classes
        self._template: dict[int, _Part] | None = None  # by number; empty: keep nothing
        self._free: list[Any] = []

    def __len__(self) -> int:
        """Return how many objects wait for another life."""
        return len(self._free)

    def create_from_pool(self) -> Any:
        """Return an object that is like a new one; build one if none waits."""
        if not self._free:
            return self._new()
        thing = self._free.pop()
        self._renew(thing)
        return thing

    def return_to_pool(self, thing: Any) -> bool:
        """Keep an object, if that is possible and there is room; tell whether it is kept.

        Raises `SaveError` if it waits here already.
        """
        if any(thing is each for each in self._free):
            raise SaveError("the object is in the pool already")
        if len(self._free) >= self.capacity or not self._is_like_new(thing):
            return False
        self._free.append(thing)
        return True

    def warm(self, count: int) -> None:
        """Build objects until `count` of them wait, or the pool is full."""
        while len(self._free) < min(count, self.capacity):
            if not self.return_to_pool(self._new()):
                return

    @property
    def waiting(self) -> list[Any]:
        """The objects that wait, the next one to be used at the end."""
        return [*self._free]

    @waiting.setter
    def waiting(self, things: list[Any]) -> None:
        self._free = [*things]

    def _new(self) -> Any:
        if self._template is None:
            self._template = self._learn()
        return self._create()

    def _learn(self) -> dict[int, _Part]:
        """Build two objects: what is one in both is shared, the rest is of each its own."""
        state = random.getstate()
        try:
            one, two = (self._described(self._create()) for _ in range(2))
        finally:
            random.setstate(state)
        alike = one.keys() == two.keys()
        return one if alike and self._refer_alike(one, two) else {}

    def _described(self, thing: Any) -> dict[int, _Part]:
        """Return the parts of an object; none if some cannot be described by rows."""
        parts: dict[int, _Part] = {}
        for number, component in _numbered(thing):
            rows = self._world.entry_of(type(component)).rows
            if rows is None or self._world.entry_of(type(component)).behaviors:
                return {}
            if rows.shares_state:
                return {}
            try:
                parts[number] = _Part(component, rows, rows.capture([component]))
            except Exception:  # an attribute is not set, say
                return {}
        return parts

    @staticmethod
    def _refer_alike(one: dict[int, _Part], two: dict[int, _Part]) -> bool:
        twins = {id(part.component): two[number] for number, part in one.items()}
        for number, part in one.items():
            if part.rows.reach is None:
                continue
            found, others = part.rows.reach(part.row), part.rows.reach(two[number].row)
            if len(found) != len(others):
                return False
            for token, other in zip(found, others, strict=True):
                twin = twins.get(id(token))
                if (token if twin is None else twin.component) is not other:
                    return False
        return True

    def _is_like_new(self, thing: Any) -> bool:
        """Tell whether an object has the components of a new one, no more and no less."""
        if not self._template:
            return False
        found = {number: type(component) for number, component in _numbered(thing)}
        return found == {n: type(p.component) for n, p in self._template.items()}

    def _renew(self, thing: Any) -> None:
        assert self._template is not None
        own = dict(_numbered(thing))
        stand_ins = {id(p.component): own[n] for n, p in self._template.items()}
        for number, part in self._template.items():
            row, rows = part.row, part.rows
            if rows.relink is not None:
                row = rows.relink(row, lambda token: stand_ins.get(id(token), token))
            for step in (rows.restore, rows.link, rows.gather):
                if step is not None:
                    step([own[number]], row)


def _numbered(thing: Any) -> list[tuple[int, Any]]:
    if not isinstance(thing, GameObject):
        return [(0, thing)]
    return [*thing.numbered, (OBJECT, thing)]
