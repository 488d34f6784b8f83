"""Packing of NumPy arrays and scalars as their dtype, shape and bytes.

NumPy is imported only when a save contains one of its values.
"""

from __future__ import annotations

import math
import re
import sys
from functools import lru_cache
from typing import Any

from savegen.runtime.errors import SaveCorruptError, SaveError
from savegen.runtime.named import imported

# The dtype of a single number or text; a dtype of Python objects does not match.
_SIMPLE_DTYPE = re.compile(
    r"[<>|=]?([biufcSUV]|[mM])[0-9]{1,9}(\[[0-9]{0,9}[a-zA-Zμ]{1,7}\])?"
)
_MAX_DEPTH = 16  # of nested dtypes
_MAX_EMPTY_MEMBERS = 2**20  # of an array whose members have no bytes
_MAX_AXES = 64


def is_array(value: Any, declared: str = "generic") -> bool:
    """Return whether a value is exactly an `ndarray`, and its dtype fits the annotation.

    >>> import numpy
    >>> is_array(numpy.zeros(2), "float64"), is_array(numpy.zeros(2), "int64")
    (True, False)
    """
    numpy = sys.modules.get("numpy")
    if numpy is None or type(value) is not numpy.ndarray:
        return False
    return declared == "generic" or _numpy_dtype_fits(declared, value.dtype)


@lru_cache(256)
def _numpy_dtype_fits(declared: str, dtype: Any) -> bool:
    return dtype_fits(declared, pack_dtype(dtype))


def is_number(value: object, name: str = "generic") -> bool:
    """Return whether a value is a NumPy scalar of the class `name`."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, getattr(numpy, name))


@lru_cache(8)
def _numpy(name: str) -> Any:
    try:
        return imported(f"numpy:{name}")
    except ImportError as error:
        raise SaveError(
            f"the save contains a numpy value, but numpy cannot be imported: {error}"
        ) from None


# -- dtypes


@lru_cache(256)
def pack_dtype(dtype: Any) -> Any:
    """Return a dtype as plain data.

    A simple dtype is its text, `"<f8"`. A subarray is `["array", dtype, shape]`. A structured
    dtype is `["struct", [[name, dtype, offset], …], size, aligned]`; a field with a title has
    the title as its fourth part.
    """
    if dtype.subdtype is not None:
        base, shape = dtype.subdtype
        return ("array", pack_dtype(base), (*shape,))
    if dtype.names is None:
        return str(dtype.str)
    fields = []
    for name in dtype.names:
        inner, *offset_and_title = dtype.fields[name]
        fields.append((name, pack_dtype(inner), *offset_and_title))
    return ("struct", (*fields,), dtype.itemsize, bool(dtype.isalignedstruct))


def unpack_dtype(cell: Any) -> Any:
    """Return the dtype for its plain data. Raises `SaveCorruptError` if it is invalid."""
    try:
        if type(cell) is str:
            return _unpack_simple(cell)
        dtype = _unpack_any(cell, _MAX_DEPTH)
    except (ValueError, TypeError, LookupError, RecursionError) as error:
        raise SaveCorruptError(f"invalid dtype in save: {error}") from None
    if dtype.hasobject:
        raise SaveCorruptError("the save contains an array of Python objects")
    return dtype


@lru_cache(256)
def _unpack_simple(text: str) -> Any:
    if not _SIMPLE_DTYPE.fullmatch(text):
        raise ValueError(text[:40])
    return _numpy("dtype")(text)


def _unpack_any(cell: Any, max_depth: int) -> Any:
    if isinstance(cell, str):
        return _unpack_simple(cell)
    if not max_depth:
        raise ValueError("it is nested too deeply")
    form, inner, *others = cell
    if form == "array":
        (shape,) = others
        return _numpy("dtype")((_unpack_any(inner, max_depth - 1), (*map(int, shape),)))
    if form != "struct":
        raise ValueError(str(form)[:40])
    size, aligned = others
    return _unpack_struct(inner, int(size), bool(aligned), max_depth)


def _unpack_struct(fields: Any, size: int, aligned: bool, max_depth: int) -> Any:
    spec = {
        "names": [field[0] for field in fields],
        "formats": [_unpack_any(field[1], max_depth - 1) for field in fields],
        "offsets": [int(field[2]) for field in fields],
        "itemsize": size,
    }
    if any(len(field) > 3 for field in fields):
        spec["titles"] = [field[3] if len(field) > 3 else None for field in fields]
    return _numpy("dtype")(spec, align=aligned)


# -- the dtypes that an annotation allows

# The text of a simple dtype: byte order, kind, size of a member.
_KIND_AND_SIZE = re.compile(r"[<>|=]?([a-zA-Z])([0-9]*)")
_SIZED = re.compile(r"(u?int|float|complex)(8|16|32|64|96|128|256)")
_KINDS = {
    "number": "iufc",
    "integer": "iu",
    "signedinteger": "i",
    "unsignedinteger": "u",
    "inexact": "fc",
    "floating": "f",
    "complexfloating": "c",
    "flexible": "SUV",
    "character": "SU",
    "str_": "U",
    "bytes_": "S",
    "void": "V",
    "datetime64": "M",
    "timedelta64": "m",
    **dict.fromkeys(["bool", "bool_"], "b"),
    # Types whose size depends on the platform.
    **dict.fromkeys(["int", "int_", "intp", "long"], "i"),
    **dict.fromkeys(["uint", "uintp", "ulong"], "u"),
    **dict.fromkeys(["float", "longdouble"], "f"),
    **dict.fromkeys(["complex", "clongdouble"], "c"),
}
_ALIASES = {
    "byte": "int8",
    "ubyte": "uint8",
    "short": "int16",
    "ushort": "uint16",
    "intc": "int32",
    "uintc": "uint32",
    "longlong": "int64",
    "ulonglong": "uint64",
    "half": "float16",
    "single": "float32",
    "double": "float64",
    "csingle": "complex64",
    "cdouble": "complex128",
}


def _allowed(declared: str) -> tuple[str, str]:
    """Return the dtype kinds and the member size that an annotation allows; "" allows any."""
    if sized := _SIZED.fullmatch(_ALIASES.get(declared, declared)):
        return _KINDS[sized[1]], str(int(sized[2]) // 8)
    return _KINDS.get(declared, ""), ""


def dtype_fits(declared: str, dtype: Any) -> bool:
    """Return whether an array of a stored dtype fits the annotation `declared`.

    `dtype` is the text of a simple dtype, or a list for a structured one, which fits `void`.

    >>> dtype_fits("int64", "<i8"), dtype_fits("int64", "<f8"), dtype_fits("floating", ">f4")
    (True, False, True)
    """
    simple = _KIND_AND_SIZE.match(dtype) if type(dtype) is str else None
    if simple is None:
        return declared in ("void", "flexible", "generic")
    kinds, size = _allowed(declared)
    return (not kinds or simple[1] in kinds) and size in ("", simple[2])


def covers(wider: str, declared: str) -> bool:
    """Return whether `wider` allows every array that `declared` allows.

    >>> covers("floating", "float32"), covers("float32", "floating"), covers("", "int8")
    (True, False, True)
    """
    (wide_kinds, wide_size), (kinds, size) = _allowed(wider), _allowed(declared)
    if not wide_kinds:
        return True
    return bool(kinds) and {*kinds} <= {*wide_kinds} and wide_size in ("", size)


@lru_cache(256)
def dtype_of(declared: str) -> str:
    """Return the dtype of an annotation that determines the size of members; else "".

    >>> dtype_of("int64"), dtype_of("uint8"), dtype_of("floating")
    ('<i8', '|u1', '')
    """
    sized = _SIZED.fullmatch(declared)
    if sized is None:
        return ""
    size = int(sized[2]) // 8
    return f"{'<' if size > 1 else '|'}{declared[0]}{size}"


# -- arrays


def pack_ndarray(value: Any, declared: str = "") -> Any:
    """Return the dtype, the shape, the order of the axes, and the bytes of an array.

    If it has one axis and the dtype of its annotation, return only the bytes. Raises `SaveError`
    for an array of Python objects, or of too many members without bytes.

    >>> import numpy
    >>> pack_ndarray(numpy.array([[1, 2]], "<i2"))
    ('<i2', (1, 2), 'C', b'\\x01\\x00\\x02\\x00')
    >>> pack_ndarray(numpy.array([1, 2], "<i2"), "int16")
    b'\\x01\\x00\\x02\\x00'
    """
    dtype = value.dtype
    if value.ndim == 1 and dtype.str == dtype_of(declared):
        return value.tobytes()
    if dtype.hasobject:
        raise SaveError("an array of Python objects cannot be saved")
    if not dtype.itemsize and value.size > _MAX_EMPTY_MEMBERS:
        raise SaveError(
            f"an array of {value.size:,} members without bytes cannot be saved; at most"
            f" {_MAX_EMPTY_MEMBERS:,} are allowed"
        )
    flags = value.flags
    order = "F" if flags.f_contiguous and not flags.c_contiguous else "C"
    array = value if dtype.names is None else _with_zero_padding(value)
    return pack_dtype(dtype), value.shape, order, array.tobytes(order)


def _with_zero_padding(value: Any) -> Any:
    """Return a copy of a structured array with zeros in the padding between its fields."""
    copy = _numpy("zeros")(value.shape, value.dtype)
    _copy_fields(value, copy)
    return copy


def _copy_fields(source: Any, target: Any) -> None:
    for name in source.dtype.names:
        if source.dtype[name].names is None:
            target[name] = source[name]
        else:
            _copy_fields(source[name], target[name])


def shorten(cell: Any, declared: str) -> Any:
    """Return only the bytes of a cell if its annotation determines the dtype and shape.

    >>> shorten(("<i2", (1,), "C", b"ab"), "int16"), shorten(b"ab", "int16")
    (b'ab', b'ab')
    """
    if type(cell) is bytes:
        return cell
    dtype, shape, _, data = cell
    return data if len(shape) == 1 and dtype == dtype_of(declared) else cell


def expand(cell: Any, declared: str) -> Any:
    """Return a cell with the dtype, shape and order that its annotation determines.

    >>> expand(b"abcd", "int16")
    ('<i2', (2,), 'C', b'abcd')
    """
    if type(cell) is not bytes:
        return cell
    dtype = dtype_of(declared)
    if not dtype:
        raise SaveCorruptError("the save contains an array without a dtype")
    return dtype, (len(cell) // int(dtype[2:]),), "C", cell


def unpack_ndarray(cell: Any, declared: str = "") -> Any:
    """Return the array of a cell. Raises `SaveError` if its parts are inconsistent."""
    if type(cell) is bytes:
        return _from_bytes(cell, declared)
    packed, shape, order, data = cell
    dtype = unpack_dtype(packed)
    count, size = math.prod(shape), len(data)
    if count * dtype.itemsize != size or (count > size and count > _MAX_EMPTY_MEMBERS):
        raise SaveCorruptError(
            "an array in the save has more or fewer bytes than its shape requires"
        )
    if order not in ("C", "F") or len(shape) > _MAX_AXES or min(shape, default=0) < 0:
        raise SaveCorruptError("an array in the save has an invalid shape")
    return _numpy("ndarray")((*shape,), dtype, data, 0, None, order).copy(order)


def _from_bytes(data: bytes, declared: str) -> Any:
    try:
        return _numpy("frombuffer")(data, unpack_dtype(dtype_of(declared))).copy()
    except ValueError as error:
        raise SaveCorruptError(f"invalid array in save: {error}") from None


# -- single numbers


def pack_number(value: Any) -> tuple[Any, bytes]:
    """Return the dtype and the bytes of a NumPy scalar."""
    if value.dtype.hasobject:
        raise SaveError("a numpy value that contains a Python object cannot be saved")
    return pack_dtype(value.dtype), value.tobytes()


def unpack_number(cell: Any) -> Any:
    """Return the NumPy scalar of a cell. Raises `SaveError` if its parts are inconsistent."""
    packed, data = cell
    return unpack_ndarray((packed, (), "C", data))[()]
