"""Finds the objects that differ from their rows, without packing most fields."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import compress, count, repeat
from operator import attrgetter, is_not
from typing import Any, NamedTuple, Protocol

from savegen.runtime.values.saveable import unchecked
from savegen.runtime.values.references import References
from savegen.runtime.values.checks import differ
from savegen.runtime.values.rows import Row
from savegen.runtime.values.stored import StoredType

Getter = Callable[[Any], Any]


class Compared(NamedTuple):
    """Fields of a class by how they are compared: getters of the attribute and of the cell."""

    enums: list[tuple[Getter, Getter, str]]  # with the name of the enumeration
    packed: list[str]  # the cells of all others
    # Of these, if all are such containers: with their classes, since most are empty.
    hashing: list[tuple[Getter, Getter, type]]


def compared(fields: Iterable[tuple[str, str, StoredType | None]]) -> Compared:
    """Return fields by how they are compared, from their attributes, cells and stored types.

    Without a type, the attribute is a property, which may return a new object each time.
    """
    columns = Compared([], [], [])
    for attribute, cell, stored in fields:
        getters = attrgetter(attribute), attrgetter(cell)
        inner = stored
        if stored is not None and stored.name == "optional":
            inner = stored.parts[0]
        if inner is None:
            columns.packed.append(cell)
        elif inner.name == "enum":
            columns.enums.append((*getters, inner.label))
        else:
            columns.packed.append(cell)
            if stored is not None and stored.name in _HASHING:
                columns.hashing.append((*getters, _HASHING[stored.name]))
    if len(columns.hashing) < len(columns.packed):
        columns.hashing.clear()
    return columns


_HASHING: dict[str, type] = {"set": set, "frozenset": frozenset, "dict": dict}


class _Entry(Protocol):
    """What is needed of the entry of a class."""

    @property
    def compared(self) -> Compared: ...

    @property
    def differs(self) -> Callable[[Any, Any, References], bool] | None: ...

    def marked_class(self) -> Any: ...


_AT_ONCE = 512  # few enough objects to stay in the processor's cache


def differing(
    entry: _Entry,
    objects: Sequence[Any],
    rows: Sequence[Any],
    references: References,
) -> list[int]:
    """Return the indices of objects that differ from their rows, and perhaps of some others.

    A value that is its own cell differs if it is another object. Values of other types are
    packed: an object that cannot be packed differs.
    """
    if len(rows) <= _AT_ONCE:
        return sorted(_differing(entry, objects, rows, references))
    found: list[int] = []
    for start in range(0, len(rows), _AT_ONCE):
        some = objects[start : start + _AT_ONCE], rows[start : start + _AT_ONCE]
        found += [start + n for n in differing(entry, *some, references)]
    return found


def _differing(
    entry: _Entry,
    objects: Sequence[Any],
    rows: Sequence[Any],
    references: References,
) -> set[int]:
    found: set[int] = set()
    columns = entry.compared
    if entry.differs is not None:
        differs = [*map(entry.differs, objects, rows, repeat(references))]
        if True in differs:
            found.update(compress(count(), differs))
            if len(found) == len(rows):
                return found
    for get, get_cell, name in columns.enums:
        values = [*map(get, objects)]
        enums: list[Any] = [c for c in {*map(type, values)} if _has_name(name, c)]
        members = enums[0].__members__ if enums else {}
        # A name without its member differs from any value.
        wanted = map(
            {None: None, **members}.get, map(get_cell, rows), repeat(_NO_MEMBER)
        )
        found.update(compress(count(), map(is_not, values, wanted)))
    if not columns.packed:
        return found
    known = found | _both_empty(columns.hashing, objects, rows)
    places: Sequence[int] = range(len(rows))
    if known:
        places = [n for n in places if n not in known]
        objects, rows = [objects[n] for n in places], [rows[n] for n in places]
    packed = _packed(entry, objects, references)
    # To compare all rows at once is faster, and most objects do not differ.
    if differ(packed, rows):
        found.update(compress(places, map(differ, packed, rows)))
    return found


def _packed(
    entry: _Entry, objects: Sequence[Any], references: References
) -> list[Row | None]:
    """Return the rows of objects, with `None` for those that cannot be packed."""
    save, packed = unchecked(entry.marked_class().save_data), list[Row | None]()
    for obj in objects:
        try:
            packed.append(save(obj, references))
        except Exception:
            packed.append(None)
    return packed


def _both_empty(
    columns: list[tuple[Getter, Getter, type]], objects: Sequence[Any], rows: Any
) -> set[int]:
    """Return the indices of objects whose containers are empty in the object and in its row."""
    if not columns:
        return set()
    places = {*range(len(rows))}
    for get, get_cell, cls in columns:
        pairs = enumerate(zip(map(get, objects), map(get_cell, rows)))
        places &= {n for n, (v, c) in pairs if type(v) is cls and not v and not c}
    return places


_NO_MEMBER = object()


def _has_name(name: str, cls: type) -> bool:
    return f"{cls.__module__}.{cls.__qualname__}" == name
