"""How the cells of containers are laid out: as arrays, maps or deques."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from savegen.runtime.values.checks import ordered
from savegen.runtime.values.stored import MAPPINGS, StoredType

_INT = StoredType("int")


def types_of_parts(stored: StoredType) -> tuple[StoredType, ...]:
    """Return the types of a cell's parts: one for all members, or one for keys and one for values.

    >>> from savegen.runtime.values.stored import parse
    >>> types_of_parts(parse("Counter<str>"))  # counts are ints
    (StoredType('str'), StoredType('int'))
    """
    return (*stored.parts, _INT) if stored.name == "Counter" else stored.inner


def cell_of_parts(
    stored: StoredType,
    parts: Iterable[Any],
    max_length: int | None = None,
) -> Any:
    """Return the cell of a container, a tuple or a codec that has the given parts.

    `max_length` is that of a deque. Raises `ValueError` for a mapping with an odd number of parts.

    >>> from savegen.runtime.values.stored import parse
    >>> cell_of_parts(parse("dict<str, int>"), ["a", 1]), cell_of_parts(parse("set<int>"), [2, 1])
    ({'a': 1}, [1, 2])
    """
    name = stored.name
    if name in ("codec", "subclass"):
        (cell,) = parts
        return cell
    if name in MAPPINGS:
        remaining = iter(parts)
        pairs = zip(remaining, remaining, strict=True)
        return dict(pairs) if stored.is_map else [*map(list, pairs)]
    if name in ("set", "frozenset"):
        return ordered(parts)
    return [max_length, [*parts]] if name == "deque" else [*parts]
