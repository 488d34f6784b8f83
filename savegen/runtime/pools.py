"""Objects that are used again: building one may take long."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from msgspec.structs import astuple

from savegen.runtime import mismatches
from savegen.runtime.errors import SaveError
from savegen.runtime.building import LocalKeys
from savegen.runtime.objects import whole
from savegen.runtime.packing import differ
from savegen.runtime.registry import Registry
from savegen.runtime.rows import Row
from savegen.runtime.world import World

_IMMUTABLE = (bool, int, float, str, bytes, tuple, type(None))


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
        self._free: list[Any] = []
        self._create = create
        self._world = World(registry)  # it has no objects: it only knows their classes
        self._keys = LocalKeys()
        # Of a new object: numbers and classes of its parts, and a row of each.
        self._parts: list[Any] = []
        self._rows: list[Row] | None = None  # empty: no object is kept

    @property
    def waiting(self) -> list[Any]:
        """The objects that wait, the next one to be used at the end."""
        return [*self._free]

    @waiting.setter
    def waiting(self, things: list[Any]) -> None:
        self._free = [*things]

    def __len__(self) -> int:
        """Return how many objects wait for another life."""
        return len(self._free)

    def create_from_pool(self) -> Any:
        """Return an object that is like a new one; build one if none waits."""
        if not self._free:
            return self._create()
        thing = self._free.pop()
        own = whole(thing)
        keys = self._keys.of(own)
        for part, row in zip(own, self._new_rows()):
            part.load_data(row, keys)
            for name in self._world.entry_of(type(part)).cached_properties:
                mismatches.set_value(part, name, mismatches.NOT_SET)
        keys.finish()
        return thing

    def return_to_pool(self, thing: Any) -> bool:
        """Keep an object, if that is possible and there is room; return whether it is kept.

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
        while self._new_rows() and len(self._free) < min(count, self.capacity):
            self._free.append(self._create())

    def _is_like_new(self, thing: Any) -> bool:
        """Return whether an object has the components of a new one, no more and no less."""
        return bool(self._new_rows()) and _parts_of(thing) == self._parts

    def _new_rows(self) -> list[Row]:
        """Return the rows of a new object; none if objects cannot be kept."""
        if self._rows is None:
            self._rows = self._learn()
        return self._rows

    def _learn(self) -> list[Row]:
        """Build two objects: what is one in both is shared, the rest is of each its own."""
        state = random.getstate()
        try:
            one, two = self._create(), self._create()
            is_rolled = random.getstate() != state
        finally:
            random.setstate(state)
        self._parts = _parts_of(one)
        rows, others = self._described(one), self._described(two)
        if is_rolled or len(rows) != len(others) or _parts_of(two) != self._parts:
            return []
        return [] if any(map(differ, rows, others)) else rows

    def _described(self, thing: Any) -> list[Row]:
        """Return the rows of an object; none if rows cannot describe it."""
        own = whole(thing)
        keys = self._keys.of(own)
        entries = [self._world.entry_of(type(part)) for part in own]
        if any(each.saves_by_code or each.has_generators for each in entries):
            return []
        with mismatches.collected():
            try:
                rows, again = ([part.save_data(keys) for part in own] for _ in "12")
            except Exception:  # an attribute is not set, say
                return []
            return [] if mismatches.count() or _share_state(rows, again) else rows


def _share_state(rows: list[Row], again: list[Row]) -> bool:
    """Return whether a cell is the very value of its field, and that can change."""
    return any(
        left is right and type(left) not in _IMMUTABLE
        for row, other in zip(rows, again)
        for left, right in zip(astuple(row), astuple(other))
    )


def _parts_of(thing: Any) -> list[Any]:
    """Return the numbers and classes of an object's components."""
    numbered = getattr(thing, "numbered", [(0, thing)])
    return [(number, type(part)) for number, part in numbered]
