"""Objects that were never added to a world, but were given a key: something refers to them."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any

from savegen.runtime.keys import SlotKey


class Met:
    """Keys of a kind of their own, below zero, each given once.

    They take no slot of the world: whether and when a snapshot is taken changes no key that
    an object will have that is added.

    >>> met, goblin = Met(), object()
    >>> key = met.add(goblin)
    >>> key, met.at(key) is goblin, met.key_of(goblin) == key
    (SlotKey(index=-1, generation=1), True, True)
    """

    def __init__(self) -> None:
        self._keys: dict[int, SlotKey] = {}  # by `id`
        self._things: dict[SlotKey, Any] = {}
        self._count = 0

    def add(self, thing: Any, key: SlotKey | None = None) -> SlotKey:
        """Return the key of an object: the one it has, else `key`, else a new one."""
        if id(thing) in self._keys:
            return self._keys[id(thing)]
        if key is None:
            self._count += 1
            key = SlotKey(-self._count, 1)
        self._keys[id(thing)], self._things[key] = key, thing
        return key

    def at(self, key: SlotKey) -> Any:
        """Return the object of a key; `None` if it was forgotten."""
        return self._things.get(key)

    def key_of(self, thing: Any) -> SlotKey | None:
        return self._keys.get(id(thing))

    def keep(self, tokens: Container[int]) -> None:
        """Forget all but some objects, by `id`."""
        for token in [token for token in self._keys if token not in tokens]:
            self.forget(token)

    def forget(self, token: int) -> None:
        """Forget an object, by `id`, if it is known; its key leads to nothing from now on."""
        if token in self._keys:
            del self._things[self._keys.pop(token)]

    def things(self) -> dict[SlotKey, Any]:
        """Return all objects by key."""
        return {**self._things}

    def become(self, things: Mapping[SlotKey, Any]) -> None:
        """Know these objects and no others. Keys handed out since then are not given again."""
        self._things = {**things}
        self._count = max(self._count, *(-key.index for key in things), 0)
        self._keys = {id(thing): key for key, thing in things.items()}
