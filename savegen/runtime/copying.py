"""Copies of what a prefab is declared with, so that no two objects share what can change."""

from __future__ import annotations

from array import array
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from copy import copy
from enum import Enum
from operator import is_
from typing import Any

from savegen.runtime.assets import AssetRegistry
from savegen.runtime.components import NO_REFERENCES, SaveLoadable
from savegen.runtime.fields import fields_of, is_frozen, set_field
from savegen.runtime.tagged import tag, untag
from savegen.runtime.values import NO_VALUES, Values

_SINGLE = frozenset([bool, int, float, complex, str, bytes, type(None)])
_ROWS = (list, set, deque)
_DICTS = (dict, defaultdict, OrderedDict, Counter)
_FLAT = (bytearray, array)  # nothing in them can change


class Copier:
    """Copies containers, plain classes and values like vectors; the rest stays what it is.

    >>> class Texture: ...
    >>> lent = [[1], Texture]
    >>> made = Copier().copy(lent)
    >>> made == lent, made[0] is lent[0]
    (True, False)
    """

    def __init__(
        self,
        assets: AssetRegistry | None = None,
        stand_in: Callable[[Any], Any] = lambda value: value,
        values: Values = NO_VALUES,
    ) -> None:
        """What `assets` knows is never copied. `stand_in` gives what is used of the rest.

        `values` knows the classes of the game that have codecs.
        """
        self._assets = AssetRegistry() if assets is None else assets
        self._stand_in = stand_in
        self._values = values
        self._twins: dict[int, Any] = {}  # copies of what may lead back to itself

    def copy(self, value: Any) -> Any:
        """Return a copy that shares nothing with `value` that either could change."""
        cls = type(value)
        if cls in _SINGLE or self._assets.knows(value):
            return value
        if id(value) in self._twins:
            return self._twins[id(value)]
        if cls in _ROWS or cls in _DICTS:
            return self._container(value)
        if cls is tuple or cls is frozenset:
            members = [*map(self.copy, value)]
            return value if all(map(is_, members, value)) else cls(members)
        if cls in _FLAT or _is_preset(cls):
            return copy(value)
        if _is_plain(cls):
            return self._record(value)
        entry = self._values.of(cls)
        if entry is not None and entry.unpack is not None:
            tagged = tag(value, NO_REFERENCES, self._values)
            return untag(tagged, NO_REFERENCES, self._values)
        return self._stand_in(value)

    def _container(self, value: Any) -> Any:
        self._twins[id(value)] = twin = copy(value)
        twin.clear()
        if isinstance(value, dict):
            for key, member in value.items():
                twin[self.copy(key)] = self.copy(member)
        else:
            add = twin.add if type(value) is set else twin.append
            for member in value:
                add(self.copy(member))
        del self._twins[id(value)]
        return twin

    def _record(self, value: Any) -> Any:
        parts = dict(_attributes(value))
        if is_frozen(type(value)):
            made = {name: self.copy(part) for name, part in parts.items()}
            if all(new is parts[name] for name, new in made.items()):
                return value
            is_tuple = isinstance(value, tuple)
            return (
                value._replace(**made)
                if is_tuple
                else _filled(copy(value), made.items())
            )
        self._twins[id(value)] = twin = copy(value)
        _filled(twin, ((name, self.copy(part)) for name, part in parts.items()))
        del self._twins[id(value)]
        return twin


def _filled(made: Any, parts: Iterable[tuple[str, Any]]) -> Any:
    for name, part in parts:
        set_field(made, name, part)
    return made


def _attributes(value: Any) -> Iterator[tuple[str, Any]]:
    names = dict.fromkeys(fields_of(type(value)) or ())
    for name in names | getattr(value, "__dict__", {}):
        try:
            yield name, object.__getattribute__(value, name)
        except AttributeError:  # not set
            continue


def _is_plain(cls: type) -> bool:
    return not issubclass(cls, (Enum, SaveLoadable)) and fields_of(cls) is not None


_PRESETS = {
    "numpy": ("ndarray",),
    "pygame.math": ("Vector2", "Vector3"),
    "pygame.rect": ("Rect", "FRect"),
    "pygame.color": ("Color",),
    "panda3d.core": (
        *("LVecBase", "LVector", "LPoint", "LMatrix", "LQuaternion", "LRotation"),
        *("LOrientation", "LColor", "LTexCoord"),
    ),
}


def _is_preset(cls: type) -> bool:
    """Return whether objects of a library's class are values; no library is imported."""
    names = _PRESETS.get(cls.__module__)
    return names is not None and cls.__name__.startswith(names)
