"""Values with their types, as saves hold them where no field declares one."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import cycle
from typing import Any

from msgspec import Raw, msgpack

from savegen.runtime.errors import SaveCorruptError
from savegen.runtime.snapshots.tables import Recording
from savegen.runtime.values.arrays import expand, shorten
from savegen.runtime.values.folds import closed, filler, wrong
from savegen.runtime.values.kinds.kind import KINDS, Rules, Typed
from savegen.runtime.values.stored import MAPPINGS, NATIVE, RECORDS, StoredType, parse
from savegen.saves.body import BEHAVIORS, DIRTY
from savegen.saves.encoding import encode_any
from savegen.saves.layouts import cell_of_parts, types_of_parts


def typed_of(stored: str, content: Raw | Typed) -> Typed:
    """Return the content of a cell, which may be its bytes, with its type."""
    if isinstance(content, Raw):
        return parse(stored), msgpack.decode(content)
    return content


def is_same(left: Typed, right: Typed) -> bool:
    """Return whether two values have the same type and the same cell.

    >>> int_, float_ = parse("int"), parse("float")
    >>> is_same((int_, 1), (int_, 1)), is_same((float_, 1), (float_, 1.0))
    (True, False)
    """
    return left[0] == right[0] and _encoded(*left) == _encoded(*right)


def _encoded(stored: Any, cell: Any) -> bytes:
    return encode_any(closed(stored, cell, str))


# -- values with their types as cells of declared types


def cell_as(stored: StoredType, typed: Typed, rules: Rules = Rules()) -> Any:
    """Return a value as a cell of a declared type. Raises `ValueError` if it is of another one.

    >>> cell_as(parse("optional<(int, any)>"), (parse("tuple<int>"), [1, 2]))
    [1, (StoredType('int'), 2)]
    """
    cell = _cell_as(stored, *typed)
    if wrong(stored, [cell], rules):
        raise ValueError
    return cell


def _cell_as(new: StoredType, old: StoredType, cell: Any) -> Any:
    if new == old:
        return cell
    if old.name == "any":
        return _cell_as(new, *cell)
    if new.name == "any":
        return old, cell
    if old.name in ("optional", "union") and not old.is_native_union:
        inner = KINDS[old.name].parts(old, cell)
        return _cell_as(new, *(inner[0] if inner else (_NONE, None)))
    if new.name == "optional":
        return filler(new) if old == _NONE else _cell_as(new.parts[0], old, cell)
    if new.name == "union" and not new.is_native_union:
        return _in_union(new, old, cell)
    if new.name in _BY_VALUE:
        if old.name in _BY_VALUE or old.is_native_union:
            return cell
        raise ValueError
    if _FAMILIES.get(new.name, new.name) != _FAMILIES.get(old.name, old.name):
        raise ValueError
    if new.name == "ndarray":
        return shorten(expand(cell, old.label), new.label)
    if new.label != old.label:
        raise ValueError
    parts = KINDS[old.name].parts(old, cell)
    if new.name in RECORDS:
        return _record(new, old, parts)
    if not parts and new.name not in MAPPINGS:
        return cell
    types = types_of_parts(new)
    if new.name == "fixed" and len(types) != len(parts):
        raise ValueError
    made = [_cell_as(part, *each) for part, each in zip(cycle(types), parts)]
    return cell_of_parts(new, made, cell[0] if new.name == "deque" else None)


def _in_union(new: StoredType, old: StoredType, cell: Any) -> list[Any]:
    for n, part in enumerate(new.parts):
        try:
            made = cell_as(part, (old, cell), Rules(dangling=True))
        except ValueError:
            continue
        return [n, *(made if i == n else None for i in range(len(new.parts)))]
    raise ValueError


def _record(new: StoredType, old: StoredType, parts: list[Typed]) -> list[Any]:
    saved = dict(zip(old.numbers, parts, strict=True))
    if {*old.numbers} - {*new.numbers}:
        raise ValueError
    cells = []
    for field in new.inner_fields:
        present = [
            _cell_as(field.type, *saved[n]) for n in (field.number,) if n in saved
        ]
        if not (present or field.may_be_absent):
            raise ValueError
        cells.append(present if field.may_be_absent else present[0])
    return cells


_NONE = StoredType("none")
_BY_VALUE = NATIVE | {"literal", "union"}
_FAMILIES = {"fixed": "tuple", "record": "value", "random": "generator"}


# -- what a recorder has, as extras of a row


def recorded(recording: Recording | None) -> dict[int | str, Typed]:
    """Return a recording as extras of a row."""
    if recording is None:
        return {}
    return {DIRTY: (BEHAVIORS, [*recording.dirty]), **recording.values}


def recording_of(extras: Mapping[int | str, Typed]) -> Recording | None:
    """Return the recording in the extras of a row. Raises `SaveCorruptError` for an invalid one."""
    values = {name: each for name, each in extras.items() if isinstance(name, str)}
    stored, dirty = extras.get(DIRTY, (BEHAVIORS, []))
    if not (values or DIRTY in extras):
        return None
    if stored != BEHAVIORS or not dirty or wrong(BEHAVIORS, [dirty]):
        raise SaveCorruptError("a recording has no behaviours")
    return Recording((*dirty,), values)
