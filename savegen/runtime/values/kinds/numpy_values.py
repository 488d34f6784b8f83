"""Arrays and numbers of numpy."""

from __future__ import annotations

from typing import Any

from savegen.runtime.values.libraries import arrays
from savegen.runtime.values.kinds.kind import (
    StoredKind,
    NameOf,
    Opaque,
    Packing,
    Typed,
    enter,
    have_types,
    is_array,
    library_of,
)
from savegen.runtime.values.kinds.standard import text_of
from savegen.runtime.values.rows import Misfit
from savegen.runtime.values.stored import StoredType

_INTS = frozenset([int])


class Numpy(StoredKind):
    """What arrays and numbers of numpy have in common."""

    def text(self, stored: StoredType, cell: Any, name_of: NameOf) -> str:
        return text_of(self, stored, cell)


class NdArray(Numpy):
    blank = "|b1", (0,), "C", b""
    is_mutable = True

    def has_shape(self, stored: StoredType, cell: Any) -> bool:
        if type(cell) is bytes:  # an array of the declared dtype, without its shape
            size = int(arrays.dtype_of(stored.label)[2:] or 0)
            return size > 0 and len(cell) % size == 0
        if not is_array(cell) or len(cell) != 4:
            return False
        dtype, shape, order, data = cell
        if not is_array(shape) or not have_types(_INTS, shape):
            return False
        if type(order) is not str or order not in ("C", "F"):
            return False
        return type(data) is bytes and _allows(stored.label, dtype)

    def pack(self, stored: StoredType, value: Any, packing: Packing) -> Any:
        if not arrays.is_array(value, stored.label or "generic"):
            raise Misfit(value)
        return arrays.pack_ndarray(value, stored.label)

    def typed(self, value: Any, packing: Packing) -> Typed:
        # The class of its numbers makes a short cell.
        name = value.dtype.type.__name__
        label = name if arrays.dtype_of(name) == value.dtype.str else ""
        stored = StoredType("ndarray", label=label)
        return stored, self.pack(stored, value, packing)

    def unpack(self, stored: StoredType, cell: Any, references: Any) -> Any:
        if type(cell) is Opaque:
            return cell
        return arrays.unpack_ndarray(cell, stored.label)

    def text(self, stored: StoredType, cell: Any, name_of: NameOf) -> str:
        if not library_of(stored, cell):
            return text_of(self, stored, cell)
        if type(cell) is bytes:
            return f"<array of {stored.label!r} of {len(cell):,} bytes>"
        return f"<array of {cell[0]!r} of the shape {cell[1]!r}>"

    def content(self, value: Any) -> Any:
        numpy = arrays.module()
        return numpy.ndarray.view(value, numpy.ndarray)

    def made(self, cls: Any, content: Any) -> Any:
        return content.view(cls)


class NumpyNumber(Numpy):
    blank = "|b1", b"\0"

    def has_shape(self, stored: StoredType, cell: Any) -> bool:
        if not is_array(cell) or len(cell) != 2:
            return False
        return type(cell[1]) is bytes and _allows(stored.label, cell[0])

    def pack(self, stored: StoredType, value: Any, packing: Packing) -> Any:
        if not arrays.is_number(value, stored.label):
            raise Misfit(value)
        return arrays.pack_number(value)

    def typed(self, value: Any, packing: Packing) -> Typed:
        stored = StoredType("numpy", label="generic")
        return stored, self.pack(stored, value, packing)

    def unpack(self, stored: StoredType, cell: Any, references: Any) -> Any:
        return cell if type(cell) is Opaque else arrays.unpack_number(cell)

    def text(self, stored: StoredType, cell: Any, name_of: NameOf) -> str:
        if not library_of(stored, cell):
            return text_of(self, stored, cell)
        return f"<numpy {cell!r}>"


def _allows(declared: str, dtype: Any) -> bool:
    return not declared or arrays.dtype_fits(declared, dtype)


enter(NdArray(), "ndarray")
enter(NumpyNumber(), "numpy")
