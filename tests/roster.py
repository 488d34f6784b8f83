"""The least that can save components which refer to each other: a key for each."""

from __future__ import annotations

from typing import Any

from savegen.runtime import References, SaveError, SaveLoadable, SaveLoadKey, SlotKey


class Roster(References):
    """Knows its components by key, so that they can be saved with what they refer to."""

    def __init__(self, *components: SaveLoadable) -> None:
        self._components = components
        self._places = {id(c): place for place, c in enumerate(components)}

    def key_of(self, component: Any, /) -> SaveLoadKey | None:
        if component is None:
            return None
        if id(component) not in self._places:
            raise SaveError(f"a {type(component).__name__} is not on the roster")
        return SaveLoadKey(SlotKey(self._places[id(component)], generation=1), 0)

    def get_component(self, key: Any, /) -> Any:
        return None if key is None else self._components[key.object.index]

    def save(self) -> list[dict[int, Any]]:
        """Return the data of every component."""
        return [component.save_data(self) for component in self._components]

    def load(self, saved: list[dict[int, Any]]) -> None:
        """Bring every component back to what `save` returned."""
        for component, data in zip(self._components, saved, strict=True):
            component.load_data(data, self)
