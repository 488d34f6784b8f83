"""Recognise arrays and scalars of numpy."""

from __future__ import annotations

from savegen.build.kinds._base import CellTypes, Classes, Kind, StoredTypeWriter, Type

_ARRAYS = ("numpy.ndarray", "numpy.typing.NDArray")
# Immutable types. `numpy.void`, a row of a structured array, is a view that can change.
SCALARS = frozenset(
    "bool bool_ int8 int16 int32 int64 uint8 uint16 uint32 uint64 intp uintp int_ uint"
    " byte ubyte short ushort intc uintc long ulong longlong ulonglong"
    " float16 float32 float64 longdouble half single double"
    " complex64 complex128 clongdouble csingle cdouble"
    " str_ bytes_ datetime64 timedelta64"
    " generic number integer signedinteger unsignedinteger inexact floating"
    " complexfloating character".split()
)


def recognise(type: Type, classes: Classes) -> Kind | None:
    if type.name in _ARRAYS:
        return Kind("array", "ndarray", values=_item_type(type))
    module, _, name = type.name.rpartition(".")
    if module == "numpy" and name in SCALARS:
        return Kind("array", type.name, immutable=True, hashable=True)
    return None


def _item_type(type: Type) -> tuple[str, ...]:
    """Return the name of the item type of an array; `()` if it is missing, unknown or `generic`."""
    item = type.arguments[-1:]
    if item and item[0].name == "numpy.dtype":
        item = item[0].arguments
    module, _, name = item[0].name.rpartition(".") if item else ("", "", "")
    is_specific = module == "numpy" and name in SCALARS and name != "generic"
    return (name,) if is_specific else ()


def stored(kind: Kind, types: StoredTypeWriter) -> str:
    if kind.name != "ndarray":
        return f"numpy<{kind.name.rpartition('.')[2]}>"
    return f"ndarray<{kind.values[0]}>" if kind.values else "ndarray"


_DTYPE = "str | list[Any]"


def cell(kind: Kind, cells: CellTypes) -> str:
    if kind.name != "ndarray":
        return f"tuple[{_DTYPE}, bytes]"
    with_dtype = f"tuple[{_DTYPE}, tuple[int, ...], str, bytes]"
    return f"bytes | {with_dtype}" if kind.values else with_dtype
