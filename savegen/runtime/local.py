"""Keys for rows that leave no process: they are of one object, or of many that are like it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from typing import Any

from savegen.runtime.assets import AssetRegistry
from savegen.runtime.components import References, SaveLoadable
from savegen.runtime.errors import SaveError
from savegen.runtime.rows import Key, mismatch


class LocalKeys(References):
    """Gives the parts of one object their places as keys; everything else stands for itself.

    So a row of one object fits each object with the same parts.

    >>> class Body(SaveLoadable): ...
    >>> class Gun(SaveLoadable): ...
    >>> gun, other, target = Gun(), Gun(), Body()
    >>> keys = LocalKeys([Body(), gun])
    >>> keys.key_of(gun), keys.key_of(target)
    (2, -1)
    >>> twin = keys.of([Body(), other])
    >>> twin.get_component(2) is other, twin.get_component(-1) is target
    (True, True)
    """

    def __init__(
        self, parts: Sequence[Any] = (), assets: AssetRegistry | None = None
    ) -> None:
        """Without `assets`, anything is an asset."""
        self._assets = assets
        self._others: list[Any] = []  # -1 is the key of the first
        self._keys: dict[int, Key] = {}  # of them
        self._classes: dict[int, Any] = {}  # by number
        self._unnamed: dict[str, Any] = {}  # assets without a registry, by invented ids
        self._set_parts(parts)

    def of(self, parts: Sequence[Any]) -> LocalKeys:
        """Return the keys of another object; what is no part of it has the same keys."""
        made = copy(self)
        made._set_parts(parts)
        return made

    def _set_parts(self, parts: Sequence[Any]) -> None:
        self._parts = parts
        self._places = {id(part): place for place, part in enumerate(parts, 1)}
        self._later: list[Callable[[], object]] = []

    def _hold(self, thing: Any) -> Key:
        key = self._keys.get(id(thing))
        if key is None:
            self._others.append(thing)
            key = self._keys[id(thing)] = -len(self._others)
        return key

    def _at(self, key: Key) -> Any:
        return self._parts[key - 1] if key > 0 else self._others[-key - 1]

    def key_of(self, component: Any, /) -> Key:
        if component is None:
            return 0
        place = self._places.get(id(component))
        if place is not None:
            return place
        if not isinstance(component, SaveLoadable):
            return mismatch(component)  # type: ignore[no-any-return]
        return self._hold(component)

    def get_component(self, key: Key, /) -> Any:
        return None if key == 0 else self._at(key)

    def number_at(self, key: Key) -> int | None:
        """Return the class number of what a key names; `None` if its class has none."""
        number = getattr(type(self._at(key)), "save_type", None)
        return None if number is None else int(number)

    def id_of(self, asset: Any, /) -> str:
        if self._assets is None:
            self._unnamed[id := str(self._hold(asset))] = asset
            return id
        try:
            return self._assets.id_of(asset)
        except SaveError:
            return mismatch(asset)  # type: ignore[no-any-return]

    def asset(self, id: str, /) -> Any:
        if self._assets is not None:
            return self._assets[id]
        return self._unnamed[id] if id in self._unnamed else super().asset(id)

    def generator_key(self, generator: Any, /) -> int:
        return self._hold(generator)

    def generator(self, key: int, /) -> Any:
        return self._at(key)

    def class_number(self, cls: Any, /) -> int:
        number = super().class_number(cls)
        self._classes[number] = cls
        return number

    def class_at(self, number: int, /) -> Any:
        return self._classes[number]

    def when_filled(self, step: Callable[[], object], /) -> None:
        self._later.append(step)

    def finish(self) -> None:
        """Fill what hashes objects, now that all parts have their fields."""
        later, self._later = self._later, []
        for step in later:
            step()
