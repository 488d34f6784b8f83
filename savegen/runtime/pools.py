"""Objects that are used again: building one may be dear."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, NamedTuple

from savegen.runtime.errors import SaveError
from savegen.runtime.objects import OBJECT, GameObject
from savegen.runtime.registry import Registry
from savegen.runtime.rows import Rows, differing
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
    One that holds other saveable objects of its own, or a random generator, that saves itself,
    or that is another each time, is built each time: only its constructor knows how.

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
        if not (self._parts and self._free):
            return self._create()
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
        while self._parts and len(self._free) < min(count, self.capacity):
            self._free.append(self._create())

    @property
    def waiting(self) -> list[Any]:
        """The objects that wait, the next one to be used at the end."""
        return [*self._free]

    @waiting.setter
    def waiting(self, things: list[Any]) -> None:
        self._free = [*things]

    @property
    def _parts(self) -> dict[int, _Part]:
        """The parts of a new object; none if nothing is kept."""
        if self._template is None:
            self._template = self._learn()
        return self._template

    def _learn(self) -> dict[int, _Part]:
        """Build two objects: what is one in both is shared, the rest is of each its own."""
        state = random.getstate()
        try:
            one, two = (self._described(self._create()) for _ in range(2))
            is_rolled = random.getstate() != state
        finally:
            random.setstate(state)
        return one if not is_rolled and _are_alike(one, two) else {}

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

    def _is_like_new(self, thing: Any) -> bool:
        """Tell whether an object has the components of a new one, no more and no less."""
        if not self._parts:
            return False
        found = {number: type(component) for number, component in _numbered(thing)}
        return found == {n: type(p.component) for n, p in self._parts.items()}

    def _renew(self, thing: Any) -> None:
        own = dict(_numbered(thing))
        for number, part in self._parts.items():
            row, rows = _relinked(part, self._parts, own), part.rows
            for step in (rows.restore, rows.link, rows.gather):
                if step is not None:
                    step([own[number]], row)


def _are_alike(one: dict[int, _Part], two: dict[int, _Part]) -> bool:
    """Tell whether two objects hold the same, each of its own components where the other does."""
    if one.keys() != two.keys():
        return False
    own = {number: part.component for number, part in one.items()}
    return all(
        one[number].rows is part.rows
        and not differing(part.rows.checks, one[number].row, _relinked(part, two, own))
        for number, part in two.items()
    )


def _relinked(part: _Part, parts: dict[int, _Part], own: dict[int, Any]) -> list[Any]:
    """Return what a part holds, with components of another object for those of its own."""
    if part.rows.relink is None:
        return part.row
    stand_ins = {id(each.component): own[number] for number, each in parts.items()}
    return part.rows.relink(part.row, lambda token: stand_ins.get(id(token), token))


def _numbered(thing: Any) -> list[tuple[int, Any]]:
    if not isinstance(thing, GameObject):
        return [(0, thing)]
    return [*thing.numbered, (OBJECT, thing)]
