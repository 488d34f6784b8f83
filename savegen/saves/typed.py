"""Values with their types, as saves hold them where no field declares one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Raw, msgpack

from savegen.runtime.errors import SaveCorruptError
from savegen.runtime.snapshots.tables import Recording
from savegen.runtime.values.folds import Rules, Typed, closed, fits, wrong
from savegen.runtime.values.stored import parse
from savegen.saves.body import BEHAVIORS, DIRTY
from savegen.saves.encoding import encode_any
from savegen.saves.limits import CODING_ERRORS, decode_deep

_ANY = msgpack.Decoder()


def decoded(cell: Raw) -> Any:
    """Return a cell of a row. Raises `SaveCorruptError` for one that is no MessagePack."""
    try:
        return decode_deep(_ANY, cell)
    except (*CODING_ERRORS, RecursionError) as error:
        raise SaveCorruptError(f"a cell cannot be read: {error}") from None


def typed_of(stored: str, content: Raw | Typed) -> Typed:
    """Return the content of a cell, which may be its bytes, with its type."""
    if isinstance(content, Raw):
        return parse(stored), decoded(content)
    return content


def is_same(left: Typed, right: Typed) -> bool:
    """Return whether two values have the same type and the same cell.

    >>> int_, float_ = parse("int"), parse("float")
    >>> is_same((int_, 1), (int_, 1)), is_same((float_, 1), (float_, 1.0))
    (True, False)
    """
    cells = [encode_any(spelled(each)) for each in (left, right)]
    return left[0] == right[0] and cells[0] == cells[1]


def spelled(typed: Typed) -> Any:
    """Return the cell of a value with the text of its type in each undeclared value inside."""
    return closed(*typed, str)


def check_typed(typed: Typed, where: str, rules: Rules) -> None:
    """Raise `SaveCorruptError` for an undeclared value that does not fit its own type."""
    stored, cell = typed
    if wrong(stored, [cell], rules):
        raise SaveCorruptError(f"{where} does not fit its type `{stored}`")


# -- what a recorder has, as extras of a row


def recorded(recording: Recording | None) -> dict[int | str, Typed]:
    """Return a recording as extras of a row."""
    if recording is None:
        return {}
    extras: dict[int | str, Typed] = {DIRTY: (BEHAVIORS, [*recording.dirty])}
    return extras | {name: each for name, each in recording.values.items()}


def recording_of(extras: Mapping[int | str, Typed]) -> Recording | None:
    """Return the recording in the extras of a row. Raises `SaveCorruptError` for an invalid one."""
    values = {name: each for name, each in extras.items() if isinstance(name, str)}
    stored, dirty = extras.get(DIRTY, (BEHAVIORS, []))
    if not (values or DIRTY in extras):
        return None
    if stored != BEHAVIORS or not dirty or not fits(BEHAVIORS, dirty):
        raise SaveCorruptError("a recording has no behaviours")
    return Recording((*dirty,), values)
