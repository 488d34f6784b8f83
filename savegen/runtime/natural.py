"""Values as a game has them: made anew for each object, and turned into what is loaded.

What prefabs are declared with and what is passed to `spawn` stays the game's: no object that
is made of it may hold a list that another one holds, too.
"""

from __future__ import annotations

import random
import weakref
from collections.abc import Iterator
from copy import copy
from typing import Any

from savegen.runtime.assets import AssetRegistry
from savegen.runtime.checks import Check
from savegen.runtime.components import References, SaveLoadable
from savegen.runtime.copying import is_frozen, remade, set_field
from savegen.runtime.errors import SaveError, a
from savegen.runtime.generators import GeneratorState, is_numpy_generator, kept
from savegen.runtime.keys import SaveLoadKey, SlotKey
from savegen.runtime.plain import Copying, is_array, learnt, record_fields

_NO_ASSETS = AssetRegistry()
_IMMUTABLE = frozenset([bool, int, float, complex, str, bytes, type(None)])


class Anew(Copying):
    """Copies containers, plain classes and values like vectors; the rest stays what it is.

    >>> class Texture: ...
    >>> lent = [[1], Texture]
    >>> made = Anew().copy(lent)
    >>> made == lent, made[0] is lent[0]
    (True, False)
    """

    def __init__(self, assets: AssetRegistry | None = None) -> None:
        """What `assets` knows is shared on purpose: it is never copied."""
        self._assets = _NO_ASSETS if assets is None else assets
        self._entered: dict[int, Any] = {}  # copies of what may lead back to itself

    def copy(self, value: Any) -> Any:
        """Return a copy that shares nothing with `value` that either could change."""
        if type(value) in _IMMUTABLE or self._assets.knows(value):
            return value
        return super().copy(value)

    def state(self, value: GeneratorState) -> GeneratorState:
        return value

    def unknown(self, value: Any) -> Any:
        return value

    def other(self, value: Any) -> Any:
        if known := learnt(value):
            return known.codec.copy(value)
        if _is_preset(type(value)) or is_array(value):
            return copy(value)
        if record_fields(type(value)) is not None:
            return self._record(value)
        return self.unknown(value)

    def _record(self, value: Any) -> Any:
        if not is_frozen(type(value)):
            return self._changing(value)
        parts = dict(_attributes(value))
        made = {name: self.copy(part) for name, part in parts.items()}
        if all(new is parts[name] for name, new in made.items()):
            return value
        if isinstance(value, tuple):
            return remade(value, made)
        return _filled(copy(value), made)

    def _changing(self, value: Any) -> Any:
        if id(value) in self._entered:
            return self._entered[id(value)]
        self._entered[id(value)] = twin = copy(value)
        made = {name: self.copy(part) for name, part in _attributes(value)}
        del self._entered[id(value)]
        return _filled(twin, made)


class Standing(References):
    """Lets objects stand for themselves in data: nothing needs to be in a world.

    >>> standing = Standing()
    >>> class Goblin(SaveLoadable): ...
    >>> grub = Goblin()
    >>> data = standing.data_of([grub, 7])
    >>> data[1:], standing.get_component(data[0]) is grub
    ([7], True)
    """

    def __init__(self, assets: AssetRegistry | None = None) -> None:
        self._things: list[Any] = []
        self._anew = _Data(self, assets)

    def data_of(self, value: Any) -> Any:
        """Return a value as `load_data` takes it; it shares nothing that can change."""
        return self._anew.copy(value)

    def key_of(self, component: Any, /) -> SaveLoadKey | None:
        if component is None:
            return None
        self._things.append(component)
        return SaveLoadKey(SlotKey(len(self._things) - 1, 0), 0)

    def get_component(self, key: Any, /) -> Any:
        if not isinstance(key, SaveLoadKey):
            if key is None or isinstance(key, SaveLoadable):
                return key
            raise SaveError(f"{a(type(key).__qualname__)} is no saveable object")
        return self._things[key.object.index]


class _Data(Anew):
    """Puts a key where an object stands, and the state where a random generator does."""

    def __init__(self, references: References, assets: AssetRegistry | None) -> None:
        super().__init__(assets)
        self._references = references

    def unknown(self, value: Any) -> Any:
        if type(value) is weakref.ref:
            value = value()
        if isinstance(value, SaveLoadable):
            return self._references.key_of(value)
        if type(value) is random.Random or is_numpy_generator(value):
            return kept(value)
        return value


def misfit(check: Check | None, value: Any) -> str | None:
    """Return what is wrong with a value; `None` if it fits."""
    if check is None:
        return None
    try:
        fault = check.fault(value)
    except RecursionError:
        return "it holds itself, or is nested too deep"
    if fault is None or _is_target(check, value):
        return None
    where = f"at `{fault.path}` it holds" if fault.path else "it is"
    return f"{where} {fault.found}, not {fault.wanted}"


def _is_target(check: Check, value: Any) -> bool:
    """Tell whether an object is given where the field refers to it weakly."""
    return isinstance(value, SaveLoadable) and check.fault(weakref.ref(value)) is None


def _filled(made: Any, parts: dict[str, Any]) -> Any:
    for name, part in parts.items():
        set_field(made, name, part)
    return made


def _attributes(value: Any) -> Iterator[tuple[str, Any]]:
    names = dict.fromkeys(record_fields(type(value)) or ())
    for name in names | getattr(value, "__dict__", {}):
        try:
            yield name, object.__getattribute__(value, name)
        except AttributeError:  # not set
            continue


_PRESETS = {
    "pygame.math": ("Vector2", "Vector3"),
    "pygame.rect": ("Rect", "FRect"),
    "pygame.color": ("Color",),
    "panda3d.core": (
        "LVecBase",
        "LVector",
        "LPoint",
        "LMatrix",
        "LQuaternion",
        "LRotation",
        "LOrientation",
        "LColor",
        "LTexCoord",
    ),
}


def _is_preset(cls: type) -> bool:
    """Tell whether objects of a library's class are values; no library is imported."""
    names = _PRESETS.get(cls.__module__)
    return names is not None and cls.__name__.startswith(names)
