"""Arrays and numbers of numpy's: their dtype, their shape, and their bytes."""

from __future__ import annotations

import math
import re
import sys
from typing import Any

import msgspec

from savegen.runtime.errors import SaveCorruptError, SaveError
from savegen.runtime.named import imported
from savegen.runtime.saves.document import Form
from savegen.runtime.saves.wire._base import (
    Column,
    Names,
    NoConversion,
    Reader,
    Readings,
    Things,
    Wire,
)
from savegen.runtime.saves.wire._leaf_nodes import ScalarNode
from savegen.runtime.saves.wire._leaves import word_of
from savegen.runtime.saves.wire._node import DEPTH, Node


def _numpy(name: str) -> Any:
    """Return something of numpy's; the game that has an array imports it anyway."""
    try:
        return imported(f"numpy:{name}")
    except ImportError as error:
        raise SaveError(
            f"the save has an array, but numpy cannot be imported: {error}"
        ) from None


# -- dtypes, as JSON

# Of one number or one text, without those of Python's objects.
_SIMPLE = re.compile(
    r"[<>|=]([biufcSUV]|[mM])[0-9]{1,9}(\[[0-9]{0,9}[a-zA-Zμ]{1,7}\])?"
)
_LEVELS = 16
_NO_BYTES = 2**20  # members of no bytes each that an array may have


def dtype_text(dtype: Any) -> str:
    """Return what `dtype_of` makes a dtype of again."""
    found = _described(dtype)
    return found if isinstance(found, str) else msgspec.json.encode(found).decode()


def _described(dtype: Any) -> Any:
    if dtype.subdtype is not None:
        base, shape = dtype.subdtype
        return {"of": _described(base), "shape": [*shape]}
    if dtype.names is None:
        return str(dtype.str)
    fields = [_field(name, *dtype.fields[name]) for name in dtype.names]
    return {
        "fields": fields,
        "size": dtype.itemsize,
        "aligned": bool(dtype.isalignedstruct),
    }


def _field(name: str, dtype: Any, offset: int, title: Any = None) -> list[Any]:
    return [name, _described(dtype), offset, *([] if title is None else [title])]


def dtype_of(text: str) -> Any:
    """Return the dtype that a text says. Raises `SaveCorruptError` if it says none."""
    try:
        found = msgspec.json.decode(text) if text.startswith("{") else text
        made = _dtype(found, _LEVELS)
    except (
        msgspec.MsgspecError,
        ValueError,
        TypeError,
        LookupError,
        RecursionError,
    ) as error:
        raise SaveCorruptError(f"the save has a dtype that is none: {error}") from None
    if made.hasobject:
        raise SaveCorruptError("the save has an array of Python's objects")
    return made


def _dtype(found: Any, levels: int) -> Any:
    make = _numpy("dtype")
    if isinstance(found, str):
        if not _SIMPLE.fullmatch(found):
            raise ValueError(found[:40])
        return make(found)
    if not levels:
        raise ValueError("it is nested too deep")
    if "of" in found:
        return make((_dtype(found["of"], levels - 1), (*map(int, found["shape"]),)))
    fields = found["fields"]
    described = {
        "names": [field[0] for field in fields],
        "formats": [_dtype(field[1], levels - 1) for field in fields],
        "offsets": [int(field[2]) for field in fields],
        "itemsize": int(found["size"]),
    }
    if any(len(field) > 3 for field in fields):
        described["titles"] = [field[3] if len(field) > 3 else None for field in fields]
    return make(described, align=bool(found["aligned"]))


# -- arrays


class NdarrayWire(Wire):
    """Arrays of numbers, texts or structures."""

    def _formed(self) -> Form:
        return "ndarray"

    def pack(self, values: Column, names: Names, depth: int = DEPTH) -> Column:
        for value in values:
            if self.check.fault(value):
                raise self.refuse(values)
        return [*map(array_wire, values)]

    def _reader(self, node: Node, readings: Readings) -> Reader | None:
        if word_of(node) != "ndarray":
            return None
        return Reader(lambda values, things: [*map(array_of, values)])


def array_wire(value: Any) -> list[Any]:
    if not value.dtype.itemsize and value.size > _NO_BYTES:
        raise SaveError(f"an array has {value.size:,} members of no bytes")
    flags = value.flags
    order = "F" if flags.f_contiguous and not flags.c_contiguous else "C"
    bare = _without_gaps(value) if value.dtype.names is not None else value
    return [dtype_text(value.dtype), [*value.shape], order, bare.tobytes(order)]


def _without_gaps(value: Any) -> Any:
    """Return a structured array with zeros between its fields: what is there is no value."""
    made = _numpy("zeros")(value.shape, value.dtype)
    _fill(made, value)
    return made


def _fill(made: Any, value: Any) -> None:
    for name in value.dtype.names:
        if value.dtype[name].names is None:
            made[name] = value[name]
        else:
            _fill(made[name], value[name])


def array_of(wire: Any) -> Any:
    text, shape, order, data = wire
    dtype = dtype_of(text)
    size = math.prod(shape)
    if size * dtype.itemsize != len(data) or size > max(len(data), _NO_BYTES):
        raise SaveCorruptError("the save has an array that is not as large as it says")
    if order not in ("C", "F") or len(shape) > 64:
        raise SaveCorruptError("the save has an array of no order")
    made = _numpy("ndarray")((*shape,), dtype, bytes(data), order=order)
    return made.copy(order)


# -- single numbers


class NumpyScalarWire(Wire):
    """Single numbers of numpy's."""

    def _formed(self) -> Form:
        return ["scalar", self.check.wanted]

    def pack(self, values: Column, names: Names, depth: int = DEPTH) -> Column:
        if not all(map(self.check.fits, values)):
            raise self.refuse(values)
        return [*map(scalar_wire, values)]

    def _reader(self, node: Node, readings: Readings) -> Reader | None:
        if not isinstance(node, ScalarNode):
            return None
        if node.form[1] != self.check.wanted:
            saved = getattr(sys.modules.get("numpy"), str(node.form[1]), None)
            wanted = _numpy(self.check.wanted)
            if not isinstance(saved, type) or not issubclass(saved, wanted):
                raise NoConversion(f"it was {node.form[1]}, it is {self.check.wanted}")
        return Reader(self._read)

    def _read(self, values: Column, things: Things) -> Column:
        made = [*map(scalar_of, values)]
        if not all(map(self.check.fits, made)):
            raise SaveCorruptError(
                f"the save has a number that is no {self.check.wanted}"
            )
        return made


def scalar_wire(value: Any) -> list[Any]:
    if value.dtype.hasobject:
        raise SaveError("an object of Python's in a number of numpy's cannot be saved")
    return [dtype_text(value.dtype), value.tobytes()]


def scalar_of(wire: Any) -> Any:
    text, data = wire
    return array_of([text, [], "C", data])[()]


def is_scalar(value: Any) -> bool:
    """Tell whether a value is one number of numpy's; if numpy is not loaded, none is."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, numpy.generic)
