"""Deltas as bytes, for a history: the garbage collector passes over them, however many there are.

As Python objects, half a minute of steps would be tens of thousands of containers, and the collector,
which visits each of them, would hold a frame now and then.
"""

from __future__ import annotations

import pickle
from array import array
from collections.abc import Callable
from io import BytesIO
from typing import Any, NamedTuple

from msgspec.structs import astuple, replace

from savegen.runtime.snapshots.history.deltas import Delta, NumbersDelta, TableDelta
from savegen.runtime.values.rows import UNSET
from savegen.runtime.world.slots import SlotState
from savegen.runtime.snapshots.tables import Recording
from savegen.runtime.snapshots.snapshot import Snapshot


class PackedDelta(NamedTuple):
    """A delta as bytes. They never leave this process."""

    data: bytes
    kept: tuple[Any, ...]  # what is no plain data, for example the entries of classes


def packed(delta: Delta) -> PackedDelta:
    """Return a delta as bytes, of which `unpacked` makes an equal one."""
    tables, mappings, slots, remainder = delta
    file, kept = BytesIO(), list[Any]()
    _Pickler(file, kept).dump(
        (
            [(number, *_packed_table(each)) for number, each in tables.items()],
            mappings,
            slots and [*map(tuple, slots)],
            astuple(replace(remainder, slots=())),
        )
    )
    return PackedDelta(file.getvalue(), (*kept,))


def unpacked(delta: PackedDelta) -> Delta:
    """Return the delta that was packed."""
    file = BytesIO(delta.data)
    tables, mappings, slots, remainder = _Unpickler(file, delta.kept).load()
    fields = dict(zip(Snapshot.__struct_fields__, remainder))
    return Delta(
        {number: _unpacked_table(*each) for number, *each in tables},
        mappings,
        slots and (NumbersDelta(*slots[0]), NumbersDelta(*slots[1])),
        Snapshot(**{**fields, "slots": SlotState((), ())}),
    )


def _packed_table(delta: TableDelta) -> tuple[Any, ...]:
    rows = _converted(astuple, delta.rows)
    cells = [
        (cell, places.tobytes(), values)
        for cell, (places, values) in delta.cells.items()
    ]
    recordings = _converted(tuple, delta.recordings)
    return delta.entry, rows, cells, delta.extras, recordings


def _unpacked_table(
    entry: Any, rows: Any, cells: Any, extras: Any, recordings: Any
) -> TableDelta:
    return TableDelta(
        entry,
        _converted(lambda row: entry.row(*row), rows),
        {cell: (array("I", places), values) for cell, places, values in cells},
        extras,
        _converted(Recording._make, recordings),
    )


def _converted(
    convert: Callable[[Any], Any], changes: dict[Any, Any]
) -> dict[Any, Any]:
    return {k: UNSET if v is UNSET else convert(v) for k, v in changes.items()}


class _Pickler(pickle.Pickler):
    """Pickles plain data, whose types are exactly those of Python; keeps everything else."""

    def __init__(self, file: BytesIO, kept: list[Any]) -> None:
        super().__init__(file, protocol=5)
        self._kept = kept

    def reducer_override(self, value: Any) -> Any:
        if value is _kept:
            return NotImplemented
        self._kept.append(value)
        return _kept, (len(self._kept) - 1,)


class _Unpickler(pickle.Unpickler):
    def __init__(self, file: BytesIO, kept: tuple[Any, ...]) -> None:
        super().__init__(file)
        self._kept = kept

    def find_class(self, module: str, name: str) -> Any:
        """Return what stands for `_kept`, the only name in the data."""
        return self._kept.__getitem__


def _kept(place: int) -> Any:
    """Stands for what a packed delta keeps as an object."""
    raise NotImplementedError
