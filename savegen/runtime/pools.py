"""Pools of destroyed objects, which `spawn` uses again instead of building new ones."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from msgspec.structs import astuple

from savegen.runtime import mismatches
from savegen.runtime.errors import SaveError
from savegen.runtime.building import LocalKeys
from savegen.runtime.objects import whole
from savegen.runtime.checks import differ
from savegen.runtime.registry import Registry
from savegen.runtime.rows import Row
from savegen.runtime.world import World

_IMMUTABLE = (bool, int, float, str, bytes, tuple, type(None))


class ObjectPool:
    """Destroyed objects of one prefab, kept to be used again; `manager.pool(…)` creates it.

    An object from the pool has the saved fields of a new one. Attributes that are not saved
    keep their values; reset them in `@on_activate`. A pool can only keep objects whose fields
    hold plain values, components of the object, and values that all objects of the prefab
    share. It keeps no objects that refer to other saveable objects, hold a random generator,
    have a `save_data` of yours, or are constructed with random values: these are always
    built again.

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
            raise SaveError(f"the capacity of a pool cannot be negative: {capacity}")
        self.capacity = capacity
        self._free: list[Any] = []
        self._create = create
        self._world = World(registry)  # without objects: it only finds class entries
        self._keys = LocalKeys()
        self._parts: list[Any] = []  # the `_parts_of` a new object
        # The rows of a new object and its components; empty if no object can be kept.
        self._rows: list[Row] | None = None

    @property
    def waiting(self) -> list[Any]:
        """The objects in the pool; the last one is used next."""
        return [*self._free]

    @waiting.setter
    def waiting(self, objects: list[Any]) -> None:
        self._free = [*objects]

    def __len__(self) -> int:
        """Return the number of objects in the pool."""
        return len(self._free)

    def create_from_pool(self) -> Any:
        """Return an object with the saved fields of a new one; build one if the pool is empty."""
        if not self._free:
            return self._create()
        obj = self._free.pop()
        own = whole(obj)
        keys = self._keys.with_parts(own)
        for part, row in zip(own, self._new_rows()):
            part.load_data(row, keys)
            for name in self._world.entry_of(type(part)).cached_properties:
                mismatches.set_value(part, name, mismatches.NOT_SET)
        keys.finish()
        return obj

    def return_to_pool(self, obj: Any) -> bool:
        """Put an object into the pool, and return whether the pool keeps it.

        The pool does not keep it if the pool is full, or if the object cannot be used again.
        Raises `SaveError` if the object is in the pool already.
        """
        if any(obj is each for each in self._free):
            raise SaveError("the object is in the pool already")
        if len(self._free) >= self.capacity or not self._is_like_new(obj):
            return False
        self._free.append(obj)
        return True

    def warm(self, count: int) -> None:
        """Build objects until the pool has `count` objects, or is full."""
        while self._new_rows() and len(self._free) < min(count, self.capacity):
            self._free.append(self._create())

    def _is_like_new(self, obj: Any) -> bool:
        """Return whether the pool can keep an object: it has exactly the parts of a new one."""
        return bool(self._new_rows()) and _parts_of(obj) == self._parts

    def _new_rows(self) -> list[Row]:
        """Return the rows of a new object; an empty list if objects cannot be kept."""
        if self._rows is None:
            self._rows = self._compare_two()
        return self._rows

    def _compare_two(self) -> list[Row]:
        """Build two objects, and return their rows if these are equal, otherwise `[]`."""
        state = random.getstate()
        try:
            one, two = self._create(), self._create()
            uses_random = random.getstate() != state
        finally:
            random.setstate(state)
        self._parts = _parts_of(one)
        rows, others = self._rows_of(one), self._rows_of(two)
        if uses_random or len(rows) != len(others) or _parts_of(two) != self._parts:
            return []
        return [] if any(map(differ, rows, others)) else rows

    def _rows_of(self, obj: Any) -> list[Row]:
        """Return the rows of an object and its components; `[]` if they are not all its state."""
        own = whole(obj)
        keys = self._keys.with_parts(own)
        entries = [self._world.entry_of(type(part)) for part in own]
        if any(each.saves_by_code or each.has_generators for each in entries):
            return []
        with mismatches.collected():
            try:
                rows, again = ([part.save_data(keys) for part in own] for _ in "12")
            except Exception:  # for example, an attribute is not set
                return []
            return [] if mismatches.count() or _share_state(rows, again) else rows


def _share_state(rows: list[Row], again: list[Row]) -> bool:
    """Return whether two packings of an object share a mutable value in some cell."""
    return any(
        left is right and type(left) not in _IMMUTABLE
        for row, other in zip(rows, again)
        for left, right in zip(astuple(row), astuple(other))
    )


def _parts_of(obj: Any) -> list[Any]:
    """Return the numbers and classes of an object's components."""
    numbered = getattr(obj, "numbered", [(0, obj)])
    return [(number, type(part)) for number, part in numbered]
