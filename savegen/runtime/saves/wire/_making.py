"""Making objects of plain classes, many at once, by nothing but their fields."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from functools import partial
from itertools import repeat
from typing import Any

from msgspec import Struct
from msgspec.structs import force_setattr

Make = Callable[[Sequence[Iterable[Any]], int], list[Any]]


def maker(cls: Any, names: list[str]) -> Make:
    """Return what makes objects of a plain class from columns of their fields."""
    if issubclass(cls, tuple):
        return partial(_tuples, cls, names)
    return partial(_structs if issubclass(cls, Struct) else _objects, cls, names)


def _tuples(
    cls: Any, names: list[str], columns: Sequence[Iterable[Any]], count: int
) -> list[Any]:
    rows = zip(*columns) if columns else repeat((), count)
    return [*map(tuple.__new__, repeat(cls), rows)]


def _objects(
    cls: Any, names: list[str], columns: Sequence[Iterable[Any]], count: int
) -> list[Any]:
    made = [*map(cls.__new__, repeat(cls, count))]
    for name, column in zip(names, columns):
        deque(map(object.__setattr__, made, repeat(name), column), maxlen=0)
    return made


def _structs(
    cls: Any, names: list[str], columns: Sequence[Iterable[Any]], count: int
) -> list[Any]:
    if not count:
        return []
    rows = [*zip(*columns)] if columns else [()] * count
    # There is no other way to a struct than its `__init__`; it is gone only once.
    first = cls(**dict(zip(names, rows[0])))
    made = [copy(first) for _ in rows]
    for each, row in zip(made, rows):
        for name, value in zip(names, row):
            force_setattr(each, name, value)
    return made
