"""The wires of a game: made once, from its registry."""

from __future__ import annotations

from collections.abc import Iterator
from weakref import WeakKeyDictionary

from savegen.runtime.components import CommonFields
from savegen.runtime.registry import Registry
from savegen.runtime.saves.wire import Wires

_known: WeakKeyDictionary[Registry, Wires] = WeakKeyDictionary()


def wires_of(registry: Registry) -> Wires:
    """Return what writes and reads the fields of a game's classes."""
    if registry not in _known:
        checks = (
            check
            for entry in registry
            for check in (entry.rows or entry).checks.values()
        )
        _known[registry] = Wires(checks, _numbers(registry))
    return _known[registry]


def _numbers(registry: Registry) -> Iterator[type]:
    """Yield the enumerations that name the numbers of fields and of classes."""
    yield CommonFields
    for entry in registry:
        yield type(entry.save_type)
        yield getattr(entry.mixin, "SaveLoadFields", CommonFields)
