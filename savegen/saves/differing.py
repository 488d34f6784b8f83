"""Compare two saves by meaning, not by bytes, order or numbers."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import Any, NamedTuple

from savegen.runtime.saves.document import RECORDS, STATES, TOMBSTONES, Document
from savegen.saves.naming import Names
from savegen.saves.plain import (
    ABSENT,
    Headed,
    Reference,
    Row,
    Tree,
    plain_rows,
    untangled,
    with_names,
)
from savegen.saves.spelling import Spelled

_MISSING: Any = object()
_WHOLE = (Headed, Reference, Spelled, Tree)  # what is not compared part by part


class Difference(NamedTuple):
    """An object that came or went, or a field of one that holds something else."""

    what: str  # "added", "removed" or "changed"
    name: str  # of the object: `Goblin #3.1`
    field: str = ""  # or a part of one: `loot[2].gold`
    old: Any = None  # plain
    new: Any = None


def differences(old: Document, new: Document) -> list[Difference]:
    """Return all that differs, in the order of the newer save; what went comes last."""
    return [*_of_objects(old, new), *_of_rest(old, new)]


def _of_objects(old: Document, new: Document) -> Iterator[Difference]:
    before, after = _objects(old), _objects(new)
    for name, row in after.items():
        was = before.pop(name, None)
        if was is None:
            yield Difference("added", name)
        else:
            yield from _of_fields(name, was, row)
    for name in before:
        yield Difference("removed", name)


def _objects(document: Document) -> dict[str, Row]:
    names = Names(document)
    rows = {n: with_names(names.rows[n], names.of) for n in names.numbers()}
    for record in plain_rows(document, document.table(RECORDS)):
        known = {f"its {key}": record[key] for key in ("prefab", "placement", "level")}
        rows[record["object"]["$ref"]] |= known
    return {names.of(number): row for number, row in rows.items()}


def _of_fields(name: str, old: Row, new: Row) -> Iterator[Difference]:
    for field in {**old, **new}:
        pair = old.get(field, _MISSING), new.get(field, _MISSING)
        for path, was, now in _parts(field, *pair):
            yield Difference("changed", name, path, _shown(was), _shown(now))


def _parts(path: str, old: Any, new: Any) -> Iterator[tuple[str, Any, Any]]:
    """Yield the innermost parts of two values that differ, each with its path."""
    if _same(old, new):
        return
    if _is_alike(old, new):
        yield from [*_parts(path, _inner(old), _inner(new))] or [(path, old, new)]
    elif isinstance(old, _WHOLE) or isinstance(new, _WHOLE):
        yield path, old, new
    elif isinstance(old, dict) and isinstance(new, dict):
        for key in {**old, **new}:
            pair = old.get(key, _MISSING), new.get(key, _MISSING)
            yield from _parts(f"{path}.{key}", *pair)
    elif isinstance(old, (list, tuple)) and isinstance(new, (list, tuple)):
        pairs = zip_longest(old, new, fillvalue=_MISSING)
        for place, (was, now) in enumerate(pairs):
            yield from _parts(f"{path}[{place}]", was, now)
    else:
        yield path, old, new


def _is_alike(old: Any, new: Any) -> bool:
    """Return whether two values have the same head, or are trees of the same type."""
    if isinstance(old, Headed) and isinstance(new, Headed):
        return bool(old.head == new.head)
    if isinstance(old, Tree) and isinstance(new, Tree):
        return type(untangled(old)) is type(untangled(new)) is not Tree
    return False


def _inner(value: Any) -> Any:
    return value.inner if isinstance(value, Headed) else untangled(value)


def _same(left: Any, right: Any) -> bool:
    """Tell whether two plain values are the same: 0 is not False, nor 0.0."""
    return left is right or repr(left) == repr(right)


def _shown(value: Any) -> Any:
    return ABSENT if value is _MISSING else value


def _of_rest(old: Document, new: Document) -> Iterator[Difference]:
    """Yield what differs in what belongs to no object's fields."""
    for label, number, key in _RESTS:
        before, after = (_by_key(d, number, key) for d in (old, new))
        for name, row in after.items():
            was = before.pop(name, None)
            if was is None:
                yield Difference("added", f"{label} {name}")
            else:
                yield from _of_fields(f"{label} {name}", was, row)
        for name in before:
            yield Difference("removed", f"{label} {name}")


_RESTS = (
    ("state", STATES, "name"),
    ("destroyed", TOMBSTONES, "placement"),
)


def _by_key(document: Document, number: int, key: str) -> dict[str, Row]:
    return {
        str(row[key]): row
        for row in plain_rows(document, document.table(number), typed=True)
    }
