"""Finds the objects that differ from their rows, without packing most fields."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain, compress, count, repeat
from operator import attrgetter, is_, is_not
from typing import Any, NamedTuple, Protocol

from savegen.runtime.values.saveable import unchecked
from savegen.runtime.values.references import References
from savegen.runtime.values.checks import differ
from savegen.runtime.values.stored import NATIVE, StoredType

Getter = Callable[[Any], Any]


class Compared(NamedTuple):
    """Fields of a class by how they are compared: getters of the attribute and of the cell."""

    lists: list[tuple[Getter, Getter]]  # of values that are their own cells
    enums: list[tuple[Getter, Getter, str]]  # with the name of the enumeration
    packed: list[str]  # the cells of all others
    # Of these, if all are such containers: with their classes, since most are empty.
    hashing: list[tuple[Getter, Getter, type]]


def compared(fields: Iterable[tuple[str, str, StoredType | None]]) -> Compared:
    """Return fields by how they are compared, from their attributes, cells and stored types.

    Without a type, the attribute is a property, which may return a new object each time.
    """
    columns = Compared([], [], [], [])
    for attribute, cell, stored in fields:
        getters = attrgetter(attribute), attrgetter(cell)
        inner = stored
        if stored is not None and stored.name == "optional":
            inner = stored.parts[0]
        if inner is None:
            columns.packed.append(cell)
        elif stored is inner and inner.name == "list" and _is_own_cell(inner.parts[0]):
            columns.lists.append(getters)
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


def _is_own_cell(stored: StoredType) -> bool:
    """Return whether packing returns a value itself."""
    if stored.name in ("tuple", "fixed"):
        return all(map(_is_own_cell, stored.parts))
    if stored.name == "optional":
        return _is_own_cell(stored.parts[0])
    return stored.name in NATIVE or stored.name == "literal" or stored.is_native_union


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
    found: list[int] = []
    for start in range(0, len(rows), _AT_ONCE):
        some = objects[start : start + _AT_ONCE], rows[start : start + _AT_ONCE]
        found += [start + n for n in sorted(_differing(entry, *some, references))]
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
        differs = map(entry.differs, objects, rows, repeat(references))
        found.update(compress(count(), differs))
        if len(found) == len(rows):
            return found
    for get, get_cell in columns.lists:
        values, cells = [*map(get, objects)], [*map(get_cell, rows)]
        if not _are_same_lists(values, cells):
            found.update(compress(count(), map(_differ, values, cells)))
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
    save = unchecked(entry.marked_class().save_data)
    packed = attrgetter(*columns.packed)
    same = found | _both_empty(columns.hashing, objects, rows)
    places = [n for n in range(len(rows)) if n not in same]
    cells, now = [packed(rows[n]) for n in places], list[Any]()
    for n in places:
        try:
            now.append(packed(save(objects[n], references)))
        except Exception:
            now.append(_NOT_PACKED)
    if differ(now, cells):
        found.update(compress(places, map(differ, now, cells)))
    return found


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


_NO_MEMBER, _NOT_PACKED = object(), object()


def _has_name(name: str, cls: type) -> bool:
    return f"{cls.__module__}.{cls.__qualname__}" == name


def _are_same_lists(values: list[Any], cells: list[Any]) -> bool:
    """Return whether all values are lists of the very members of their cells."""
    return (
        [*map(type, values)].count(list) == len(values)
        and [*map(len, values)] == [*map(len, cells)]
        and all(map(is_, chain.from_iterable(values), chain.from_iterable(cells)))
    )


def _differ(value: Any, cell: list[Any]) -> bool:
    """Return whether a value is not a list of the very members of a cell."""
    if type(value) is not list or len(value) != len(cell):
        return True
    return not all(map(is_, value, cell))
