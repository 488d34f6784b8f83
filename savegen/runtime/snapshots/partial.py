"""The filter of a partial snapshot: what it chooses from a world, and what a load may destroy."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import copy
from typing import Any

from savegen.runtime.errors import SaveError, with_article
from savegen.runtime.values.saveable import class_of
from savegen.runtime.generated.registry import Registry
from savegen.runtime.snapshots.tables import Covers
from savegen.runtime.values.basics.keys import in_file_order
from savegen.runtime.values.rows import Key
from savegen.runtime.world.objects import GAME_OBJECT, GameObject
from savegen.runtime.world.objects import SlotMapReference, with_components
from savegen.runtime.world.world import World

Filter = type | str | Iterable[Any] | Callable[[SlotMapReference], bool]


class Selection:
    """The objects of a world that a `filter` chooses. It is asked once for each object."""

    def __init__(self, world: World, filter: Filter) -> None:
        self._world = world
        if not (isinstance(filter, (type, str)) or callable(filter)):
            filter = [*filter]
            _check_added(filter, world)
        self._chooses = _as_function(filter)
        self._chosen: dict[Key, bool] = {}
        self._classes: tuple[int, ...] = ()
        self._level = None if isinstance(filter, type) else filter
        if isinstance(filter, type):
            self._classes = _numbers_of(filter, world.registry)

    def anew(self) -> Selection:
        """Return the same selection, for which the filter is asked again."""
        part = copy(self)
        part._chosen = {}
        return part

    def includes(self, key: Key) -> bool:
        """Return whether it includes the object with a key, or that of the component with it."""
        owner = self._world.owner_of(key)
        if owner not in self._chosen:
            self._chosen[owner] = bool(self._chooses(self._world.record_at(owner)))
        return self._chosen[owner]

    @property
    def covers(self) -> Covers:
        """What a load may destroy.

        A list and a function, of which a file can tell nothing, name the objects they chose; so
        does a class without numbers.
        """
        if self._classes:
            return Covers(classes=self._classes)
        if isinstance(self._level, str):
            return Covers(level=self._level)
        keys = [key for key, is_chosen in self._chosen.items() if is_chosen]
        return Covers(keys=(*in_file_order(keys),))


def _as_function(filter: Filter) -> Callable[[SlotMapReference], bool]:
    if isinstance(filter, type):
        cls = filter
        return lambda record: any(
            isinstance(p, cls) for p in with_components(record.object)
        )
    if isinstance(filter, str):
        return lambda record: record.level == filter
    if callable(filter):
        return filter
    chosen = {id(obj): obj for obj in filter}
    return lambda record: any(id(p) in chosen for p in with_components(record.object))


def _check_added(objects: list[Any], world: World) -> None:
    """Raise `SaveError` for an object to which others only refer: it is no part of its own."""
    for obj in objects:
        key = world.object_key(obj)
        if key is not None and key < 0:
            raise SaveError(
                f"the filter has {with_article(type(obj).__qualname__)} that was not added to the"
                " manager: add it, or name an object that refers to it"
            )


def _numbers_of(cls: type, registry: Registry) -> tuple[int, ...]:
    """Return the number of a class; for a base without one, those of the classes below it."""
    below: dict[type, int] = {}
    if issubclass(GameObject, cls):
        below[GameObject] = GAME_OBJECT.number
    for entry in registry:
        known = entry.load_class() if entry.of else class_of(entry.mixin)
        if known is not None and issubclass(known, cls):
            below[known] = entry.number
    topmost = {
        n for known, n in below.items() if below.keys().isdisjoint(known.__mro__[1:])
    }
    return (*sorted(topmost),)


def covered(covers: Covers, world: World) -> Callable[[Key], bool]:
    """Return whether an object of the world, by its key, is one of those that `covers` names.

    Classes that the game no longer has are not found.
    """
    if covers.keys is not None:
        return {*covers.keys}.__contains__
    if covers.level is not None:
        placements = world.placements
        return lambda key: key in placements and placements[key].level == covers.level
    registry = world.registry
    numbers = [
        n for n in covers.classes or () if n in registry or n == GAME_OBJECT.number
    ]
    classes = tuple(
        GameObject if n == GAME_OBJECT.number else registry[n].load_class()
        for n in numbers
    )
    return lambda key: any(
        isinstance(part, classes) for part in with_components(world.at(key))
    )
