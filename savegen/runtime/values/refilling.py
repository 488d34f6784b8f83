"""Replaces parts of a value that is made already, and lets containers hash their members anew."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

from savegen.runtime.values import mismatches
from savegen.runtime.values.kinds.kind import Change, IsLost, kind_of
from savegen.runtime.values.libraries.caches import renew
from savegen.runtime.values.libraries.fields import fields_of
from savegen.runtime.values.libraries.sprites import sprite_group

_SINGLE = frozenset([bool, int, float, str, bytes, type(None)])


def _never(members: Iterable[Any]) -> bool:
    return False


def refilled(
    value: Any,
    change: Change,
    may_be_lost: IsLost = _never,
    seen: dict[int, Any] | None = None,
) -> Any:
    """Return a value in which `change` returns each part, at any depth; objects have no parts.

    What can be changed stays the same object. A container that hashes members which `may_be_lost`
    in it is filled again. No code of subclasses runs.

    >>> refilled([1, (2, [3])], lambda part: 4 if part == 2 else part)
    [1, (4, [3])]
    """
    value = change(value)
    cls = type(value)
    seen = {} if seen is None else seen
    if cls in _SINGLE or id(value) in seen:
        return value
    # The value itself, which keeps its `id` from being used again.
    seen[id(value)] = value
    inner = partial(refilled, change=change, may_be_lost=may_be_lost, seen=seen)
    if (group := sprite_group(value)) is not None:
        group.rehash()
    elif not hasattr(cls, "save_type"):
        if (names := fields_of(cls)) is not None:
            return _refilled_record(value, names, inner)
        kind = kind_of(cls)
        if kind is not None and kind.is_container:
            return kind.refilled(value, inner, may_be_lost)
    return value


def _refilled_record(value: Any, names: tuple[str, ...], inner: Change) -> Any:
    parts = {name: mismatches.value_of(value, name) for name in names}
    changed = {n: new for n, part in parts.items() if (new := inner(part)) is not part}
    if isinstance(value, tuple):
        return value._replace(**changed) if changed else value  # type: ignore[attr-defined]
    for name, part in changed.items():
        mismatches.set_value(value, name, part)
    renew(value)
    return value
