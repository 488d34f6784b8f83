"""Resolve references in levels: from a `$id` to the component that a field needs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from savegen.runtime.errors import SaveError
from savegen.runtime.building import LocalKeys
from savegen.runtime.manager import SaveLoadManager
from savegen.runtime.named import loaded, name_of
from savegen.runtime.objects import GameObject, whole
from savegen.runtime.serializers import PlacedId

_OBJECT = "savegen.GameObject"


class Ids(LocalKeys):
    """Finds components by the `$id` of their object: among those to be placed, or in the world.

    >>> from savegen.runtime.registry import FORMAT, Registry
    >>> manager = SaveLoadManager(Registry(FORMAT, ()))
    >>> ids = Ids({"camp": GameObject()}, "valley", manager)
    >>> ids.get_component(PlacedId("camp", ("savegen.GameObject",))).components
    ()
    """

    def __init__(
        self, made: Mapping[str, Any], level: str, manager: SaveLoadManager
    ) -> None:
        """`made` are the new objects by their placement ids."""
        super().__init__(assets=manager.assets)
        self._made = made
        self._level = level
        self._world = manager.world

    def get_component(self, key: Any, /) -> Any:
        """Raises `SaveError` if the level has no such object here, or the object no such
        component.
        """
        if isinstance(key, PlacedId):
            return self._fitting(key, self._object(key))
        return super().get_component(key)

    def _object(self, id: PlacedId) -> Any:
        if id in self._made:
            return self._made[id]
        key = self._world.placed.get(id)
        record = None if key is None else self._world.record_at(key)
        if record is None or record.level != self._level:
            raise SaveError(
                f"{str(id)!r} is not placed; it may be outside the loaded region"
            )
        return record.object

    def _fitting(self, id: PlacedId, thing: Any) -> Any:
        """Return the first component of an object that a field may hold."""
        for component in whole(thing):
            if any(_is_a(component, name) for name in id.wanted):
                return component
        wanted = " or ".join(name.rpartition(":")[2] for name in id.wanted)
        raise SaveError(f"object {str(id)!r} has no `{wanted}`")


def _is_a(component: Any, name: str) -> bool:
    """Return whether a component is of a class, by the name in the game's source."""
    if isinstance(component, GameObject):
        return name == _OBJECT
    if any(name_of(cls) == name for cls in type(component).__mro__):
        return True
    # A protocol is no base; the class of `__main__` has another name.
    wanted = loaded(name)
    if getattr(wanted, "_is_protocol", False):
        return all(hasattr(component, member) for member in _members(wanted))
    return isinstance(wanted, type) and isinstance(component, wanted)


def _members(protocol: type) -> Iterator[str]:
    """Yield what a class must have to be one of the protocol's."""
    for base in protocol.__mro__:
        if getattr(base, "_is_protocol", False) and base.__module__ != "typing":
            names = {*vars(base), *getattr(base, "__annotations__", {})}
            yield from (name for name in names if not name.startswith("_"))
