"""Objects that are used again: building one may be dear."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from savegen.runtime.capture import Capture
from savegen.runtime.errors import SaveError
from savegen.runtime.filling import Filling
from savegen.runtime.keys import SlotKey
from savegen.runtime.matching import Match
from savegen.runtime.objects import SlotMapReference
from savegen.runtime.registry import Registry
from savegen.runtime.snapshot import Snapshot
from savegen.runtime.world import World


class ObjectPool:
    """Objects of one prefab, kept for another life; `manager.pool(…)` makes one.

    Every saved field of an object that comes out of the pool is as in a new one: what is
    inside it is new, and the components are those of the prefab. What is not saved stays as
    it was; `@on_activate` is the place to set it again.

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
        if capacity < 0:
            raise SaveError("a pool cannot hold less than nothing")
        self.capacity = capacity
        self._create = create
        self._world = World(registry)  # its own: only for what is new
        self._template: Snapshot | None = None
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
        """Keep an object, if there is room for it; tell whether there was.

        Raises `SaveError` if it waits here already.
        """
        if any(thing is each for each in self._free):
            raise SaveError("the object is in the pool already")
        if len(self._free) >= self.capacity:
            return False
        self._free.append(thing)
        return True

    def warm(self, count: int) -> None:
        """Build objects until `count` of them wait, or the pool is full."""
        while len(self._free) < min(count, self.capacity):
            self._free.append(self._new())

    @property
    def waiting(self) -> list[Any]:
        """The objects that wait, the next one to be used at the end."""
        return [*self._free]

    @waiting.setter
    def waiting(self, things: list[Any]) -> None:
        self._free = [*things]

    def _new(self) -> Any:
        thing = self._create()
        if self._template is None:
            self._template = self._described(thing)
        return thing

    def _described(self, thing: Any) -> Snapshot:
        """Return what a new object is like, with all that only it leads to."""
        self._world.add(SlotMapReference(SlotKey(0, 0), thing))
        snapshot = Capture(self._world).run({}, strict=False)
        self._world.leave(thing)
        return snapshot

    def _renew(self, thing: Any) -> None:
        template, world = self._template, self._world
        assert template is not None
        match = Match.onto(world, template, thing)
        for record in template.records:
            stand_in = match.stand_ins.get(id(record.object), record.object)
            world.slots[record.key] = record.with_object(stand_in)
        filling = Filling(world, template.tables.values(), match)
        filling.compare()
        filling.fill(lambda: None)
