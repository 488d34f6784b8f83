"""The least that can save components which refer to each other: a key for each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from savegen.runtime import Key, References, Row, SaveError, SaveLoadable


class Roster(References):
    """Knows its components by key, so that they can be saved with what they refer to."""

    def __init__(self, *components: SaveLoadable) -> None:
        self.components = components
        self._keys = {id(c): key for key, c in enumerate(components, 1)}
        self._later: list[Callable[[], object]] = []

    def key_of(self, component: Any, /) -> Key:
        if component is None:
            return 0
        if id(component) not in self._keys:
            raise SaveError(f"a {type(component).__name__} is not on the roster")
        return self._keys[id(component)]

    def get_component(self, key: Key, /) -> Any:
        return self.components[key - 1] if key else None

    def _class_at(self, number: int, /) -> Any:
        return next(type(c) for c in self.components if c.save_type == number)

    def _when_filled(self, step: Callable[[], object], /) -> None:
        self._later.append(step)

    def save(self) -> list[Row]:
        """Return the data of every component."""
        return [component.save_data(self) for component in self.components]

    def load(self, saved: list[Row]) -> None:
        """Bring every component back to what `save` returned."""
        for component, data in zip(self.components, saved, strict=True):
            component.load_data(data, self)
        for step in self._later:
            step()
        self._later.clear()
