"""Which values of a built prefab a level file can say."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from savegen.runtime.serializers import PrefabSerializer


def written(
    serializer: type[PrefabSerializer], tag: str, name: str, values: Iterable[Any]
) -> Iterator[tuple[str, Any]]:
    """Yield a name with each of the values that the serializer would read again.

    >>> class Tank(PrefabSerializer, tag="Tank"):
    ...     hp: float | msgspec.UnsetType = msgspec.UNSET
    >>> dict(written(Tank, "Tank", "hp", [3]))
    {'hp': 3}
    >>> dict(written(Tank, "Tank", "hp", [math.inf])), dict(written(Tank, "Tank", "hp", ["x"]))
    ({}, {})
    """
    for value in values:
        try:
            if value is msgspec.UNSET or not _is_finite(msgspec.to_builtins(value)):
                continue
            text = msgspec.json.encode(value)
            entry = b'{"$type":%b,%b:%b}' % (*map(_quoted, (tag, name)), text)
            msgspec.json.decode(entry, type=serializer)
            yield name, msgspec.json.decode(text)
        except (msgspec.MsgspecError, TypeError, ValueError, ArithmeticError):
            continue


def _quoted(text: str) -> bytes:
    return msgspec.json.encode(text)


def _is_finite(value: Any) -> bool:
    """Tell whether there is no number in a value that JSON does not have."""
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, dict):
        return all(map(_is_finite, [*value, *value.values()]))
    return not isinstance(value, (list, tuple)) or all(map(_is_finite, value))
