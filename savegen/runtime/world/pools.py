"""`ObjectPool`: keeps destroyed objects of a prefab, so that `spawn` can use them again."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from msgspec.structs import astuple

from savegen.runtime.values import mismatches
from savegen.runtime.errors import SaveError
from savegen.runtime.world.building import IMMUTABLE, LocalKeys
from savegen.runtime.world.objects import with_components
from savegen.runtime.values.checks import differ
from savegen.runtime.generated.registry import Registry
from savegen.runtime.values.rows import Row
from savegen.runtime.values.libraries.sprites import SpriteGroup, take_out


class ObjectPool:
    """Destroyed objects of one prefab, kept to be used again; `manager.pool(…)` creates it.

    An object from the pool has the saved fields of a new one, and is in the sprite groups that
    a new one joins when it is constructed. Attributes that are not saved
    keep their values; reset them in `@on_activate`. A pool can only keep objects whose fields
    hold plain values, components of the object, and values that all objects of the prefab
    share. It keeps no objects that refer to other saveable objects, hold a random generator,
    have a `save_data` of yours, or are constructed with random values: these are always
    built again.

    >>> from savegen.runtime import GameObject, SaveLoadManager
    >>> from savegen.runtime.generated.registry import FORMAT, Registry
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
            raise SaveError(
                f"the capacity of a pool cannot be negative: it is {capacity}"
            )
        self.capacity = capacity
        self._free: list[Any] = []
        self._create = create
        self._registry = registry
        self._keys = LocalKeys()
        # Of a new object: the numbers and classes of its components, and the rows. The rows are
        # `None` before the first use, and empty if the pool cannot keep objects.
        self._parts: list[Any] = []
        # The groups that the construction puts each part into, with its layers in them.
        self._groups: list[list[tuple[SpriteGroup, int | float | None]]] = []
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
        """Return an object like a new one; build one if the pool is empty.

        It has the saved fields of a new one, and is in the groups that a new one joins.
        """
        if not self._free:
            return self._create()
        obj = self._free.pop()
        self.renew(obj)
        return obj

    def renew(self, obj: Any) -> None:
        """Give an object that the pool can keep the saved fields and the groups of a new one."""
        parts = with_components(obj)
        keys = self._keys.with_parts(parts)
        for part, row in zip(parts, self._new_rows()):
            part.load_data(row, keys)
            for name, value in self._registry.entry_of(type(part)).caches.items():
                mismatches.set_value(part, name, value)
        keys.finish()
        for part, groups in zip(parts, self._groups):
            for group, layer in groups:
                group.join(part, layer)

    def return_to_pool(self, obj: Any) -> bool:
        """Put an object into the pool, and return whether the pool keeps it.

        A full pool does not keep it, nor does any pool if the object cannot be used again.
        Raises `SaveError` if the object is in the pool already.
        """
        if any(obj is other for other in self._free):
            raise SaveError("the object is in the pool already; return it once")
        if len(self._free) >= self.capacity or not self.can_keep(obj):
            return False
        self._free.append(obj)
        return True

    def warm(self, count: int) -> None:
        """Build objects until the pool has `count` objects, or is full."""
        while self._new_rows() and len(self._free) < min(count, self.capacity):
            obj = self._create()
            for part in with_components(obj):
                take_out(part)
            self._free.append(obj)

    def can_keep(self, obj: Any) -> bool:
        """Return whether the pool can keep an object, which needs the parts of a new one."""
        return bool(self._new_rows()) and _parts_of(obj) == self._parts

    def _new_rows(self) -> list[Row]:
        """Return the rows of a new object; an empty list if objects cannot be kept."""
        if self._rows is None:
            self._rows = self._rows_of_two()
        return self._rows

    def _rows_of_two(self) -> list[Row]:
        """Build two objects, and return the rows of one if they are equal, otherwise `[]`."""
        state = random.getstate()
        try:
            first, second = self._create(), self._create()
            uses_random = random.getstate() != state
            self._groups = [*map(take_out, with_components(first))]
            for part in with_components(second):
                take_out(part)
        finally:
            random.setstate(state)
        self._parts = _parts_of(first)
        rows, other_rows = self._rows_of(first), self._rows_of(second)
        if (
            uses_random
            or len(rows) != len(other_rows)
            or _parts_of(second) != self._parts
        ):
            return []
        return [] if any(map(differ, rows, other_rows)) else rows

    def _rows_of(self, obj: Any) -> list[Row]:
        """Return the rows of an object and its components; `[]` if they lack some of its state."""
        parts = with_components(obj)
        keys = self._keys.with_parts(parts)
        entries = [self._registry.entry_of(type(part)) for part in parts]
        if any(entry.saves_by_code or entry.has_generators for entry in entries):
            return []
        try:
            rows, again = ([part.save_data(keys) for part in parts] for _ in "12")
        except Exception:  # for example, an attribute is not set
            return []
        return [] if _share_state(rows, again) else rows


def _share_state(rows: list[Row], again: list[Row]) -> bool:
    """Return whether two lists of rows of the same object share a mutable value."""
    return any(
        left is right and type(left) not in (*IMMUTABLE, tuple)
        for row, other in zip(rows, again)
        for left, right in zip(astuple(row), astuple(other))
    )


def _parts_of(obj: Any) -> list[Any]:
    """Return the numbers and classes of an object's components."""
    numbered = getattr(obj, "numbered", [(0, obj)])
    return [(number, type(part)) for number, part in numbered]
