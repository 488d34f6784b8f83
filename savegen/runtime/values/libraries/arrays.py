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
from savegen.runtime.values.basics.named import imported

# The dtype of a number or text: byte order, kind, size, and the unit of a time with its count. A
# dtype of Python objects does not match.
_SIMPLE_DTYPE = re.compile(
    r"[<>|=]?([biufcSUVmM])([0-9]{1,10})"
    r"(?:\[([1-9][0-9]{0,8})?(Y|M|W|D|h|m|s|ms|us|μs|ns|ps|fs|as)\])?"
)
_SIZES = {
    "b": (1,),
    **dict.fromkeys("iu", (1, 2, 4, 8)),
    "f": (2, 4, 8, 12, 16),
    "c": (8, 16, 24, 32),
    **dict.fromkeys("mM", (8,)),
}
_MAX_DEPTH = 16  # of nested dtypes
_MAX_EMPTY_MEMBERS = 2**20  # of an array whose members have no bytes
# Of an array, with those of its members; older versions of numpy allow no more.
_MAX_AXES = 32
_MAX_ITEM_SIZE = 2**31 - 1  # bytes; numpy computes with C ints
_MAX_CHARACTER = 0x10FFFF


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


def _numpy_dtype_fits(declared: str, dtype: Any) -> bool:
    if dtype.names is not None:
        return declared in _STRUCTURED
    kinds, size = _ALLOWED.get(declared, ("", 0))
    return (not kinds or dtype.kind in kinds) and size in (0, dtype.itemsize)


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
    """Return the dtype for its plain data. Raises `SaveCorruptError` if it is invalid.

    numpy trusts the numbers in a dtype, so they are checked before numpy gets them.
    """
    try:
        _item_size(cell, _MAX_DEPTH)
        dtype = _dtype_of_cell(cell)
    except (ValueError, TypeError, LookupError, OverflowError) as error:
        raise SaveCorruptError(f"invalid dtype in save: {error}") from None
    if dtype.hasobject:
        raise SaveCorruptError("the save contains an array of Python objects")
    return dtype


def _item_size(cell: Any, max_depth: int, max_axes: int = 0) -> int:
    """Return the size of a member of a dtype in bytes. Raises `ValueError` if it is invalid."""
    if isinstance(cell, str):
        return _simple_size(cell)
    if not max_depth:
        raise ValueError("it is nested too deeply")
    form, inner, *others = cell
    if form == "array":
        (shape,) = others
        if not len(shape) <= max_axes:
            raise ValueError("a member has too many axes")
        size = _item_size(inner, max_depth - 1)
        _check_size(math.prod(_natural(n) or 1 for n in shape) * (size or 1))
        count: int = math.prod(shape)
        return count * size
    if form != "struct":
        raise ValueError(str(form)[:40])
    total, aligned = others
    if type(aligned) is not bool:
        raise ValueError("`aligned` is not a bool")
    size = _natural(total)
    _check_size(size)
    for name, member, offset, *title in inner:
        if not all(type(text) is str for text in (name, *title)) or len(title) > 1:
            raise ValueError("the name of a field is not a text")
        end = _natural(offset) + _item_size(member, max_depth - 1, _MAX_AXES // 2)
        if end > size:
            raise ValueError(f"the field {name[:40]!r} ends after its struct")
    return size


def _simple_size(text: str) -> int:
    match = _SIMPLE_DTYPE.fullmatch(text)
    if match is None:
        raise ValueError(text[:40])
    kind, size = match[1], int(match[2])
    if size not in _SIZES.get(kind, (size,)) or (match[4] and kind not in "mM"):
        raise ValueError(text[:40])
    size *= 4 if kind == "U" else 1
    _check_size(size)
    return size


def _natural(number: Any) -> int:
    if type(number) is not int or number < 0:
        raise ValueError("a size or an offset is no natural number")
    return number


def _check_size(size: int) -> None:
    if size > _MAX_ITEM_SIZE:
        raise ValueError(f"a member has {size:,} bytes")


def _dtype_of_cell(cell: Any) -> Any:
    if isinstance(cell, str):
        return _numpy("dtype")(cell)
    form, inner, *others = cell
    if form == "array":
        return _numpy("dtype")((_dtype_of_cell(inner), (*others[0],)))
    size, aligned = others
    spec = {
        "names": [field[0] for field in inner],
        "formats": [_dtype_of_cell(field[1]) for field in inner],
        "offsets": [field[2] for field in inner],
        "itemsize": size,
    }
    if any(len(field) > 3 for field in inner):
        spec["titles"] = [field[3] if len(field) > 3 else None for field in inner]
    return _numpy("dtype")(spec, align=aligned)


# -- the dtypes that an annotation allows

# The text of a simple dtype: byte order, kind, size of a member.
_KIND_AND_SIZE = re.compile(r"[<>|=]?([a-zA-Z])([0-9]*)")
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


# By the name of a type with a fixed size: the size of a member.
_SIZED = {
    f"{name}{bits}": (name, bits // 8)
    for name in ("int", "uint", "float", "complex")
    for bits in (8, 16, 32, 64, 96, 128, 256)
}
# By annotation: the dtype kinds and the size of a member that it allows; 0 allows any size. An
# annotation that is not here allows everything.
_ALLOWED: dict[str, tuple[str, int]] = {
    **{name: (kinds, 0) for name, kinds in _KINDS.items()},
    **{name: (_KINDS[sort], size) for name, (sort, size) in _SIZED.items()},
}
_ALLOWED |= {alias: _ALLOWED[name] for alias, name in _ALIASES.items()}
_STRUCTURED = ("void", "flexible", "generic")
_DTYPES = {
    name: f"{'<' if size > 1 else '|'}{sort[0]}{size}"
    for name, (sort, size) in _SIZED.items()
}


def dtype_fits(declared: str, dtype: Any) -> bool:
    """Return whether an array of a stored dtype fits the annotation `declared`.

    `dtype` is the text of a simple dtype, or a list for a structured one, which fits `void`.

    >>> dtype_fits("int64", "<i8"), dtype_fits("int64", "<f8"), dtype_fits("floating", ">f4")
    (True, False, True)
    """
    simple = _KIND_AND_SIZE.match(dtype) if type(dtype) is str else None
    if simple is None:
        return declared in _STRUCTURED
    kinds, size = _ALLOWED.get(declared, ("", 0))
    return (not kinds or simple[1] in kinds) and (not size or simple[2] == str(size))


def covers(wider: str, declared: str) -> bool:
    """Return whether `wider` allows every array that `declared` allows.

    >>> covers("floating", "float32"), covers("float32", "floating"), covers("", "int8")
    (True, False, True)
    """
    wide_kinds, wide_size = _ALLOWED.get(wider, ("", 0))
    kinds, size = _ALLOWED.get(declared, ("", 0))
    if not wide_kinds:
        return True
    return bool(kinds) and {*kinds} <= {*wide_kinds} and wide_size in (0, size)


def dtype_of(declared: str) -> str:
    """Return the dtype of an annotation that determines the size of members; else "".

    >>> dtype_of("int64"), dtype_of("uint8"), dtype_of("floating")
    ('<i8', '|u1', '')
    """
    return _DTYPES.get(declared, "")


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
    if value.ndim > _MAX_AXES or not _has_valid_text(value):
        raise SaveError(
            "an array with more than 32 axes or with invalid characters cannot be saved"
        )
    if not dtype.itemsize and value.size > _MAX_EMPTY_MEMBERS:
        raise SaveError(
            f"an array of {value.size:,} members without bytes cannot be saved; at most"
            f" {_MAX_EMPTY_MEMBERS:,} are allowed"
        )
    flags = value.flags
    order = "F" if flags.f_contiguous and not flags.c_contiguous else "C"
    array = value if dtype.names is None else _with_zero_padding(value)
    return _packed_dtype(dtype), value.shape, order, array.tobytes(order)


def _packed_dtype(dtype: Any) -> Any:
    """Return a dtype as plain data. Raises `SaveError` if it could not be loaded."""
    packed = pack_dtype(dtype)
    if type(packed) is not str:
        try:
            _item_size(packed, _MAX_DEPTH)
        except ValueError as error:
            raise SaveError(f"its dtype cannot be saved: {error}") from None
    return packed


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
    try:
        count = math.prod(map(_natural, shape))
        space = math.prod(n or 1 for n in shape) * (dtype.itemsize or 1)
    except (ValueError, TypeError):
        count, space = -1, 0
    is_shape = count >= 0 and len(shape) <= _MAX_AXES and space <= sys.maxsize
    if not is_shape or order not in ("C", "F") or type(data) is not bytes:
        raise SaveCorruptError("an array in the save has an invalid shape")
    size = len(data)
    if count * dtype.itemsize != size or (count > size and count > _MAX_EMPTY_MEMBERS):
        raise SaveCorruptError(
            "an array in the save has more or fewer bytes than its shape requires"
        )
    try:
        array = _numpy("ndarray")((*shape,), dtype, data, 0, None, order).copy(order)
        return _checked(array)
    except (ValueError, TypeError) as error:  # of members that have too many axes, too
        raise SaveCorruptError(f"invalid array in save: {error}") from None


def _from_bytes(data: bytes, declared: str) -> Any:
    try:
        return _numpy("frombuffer")(data, _DTYPES[declared]).copy()
    except (ValueError, TypeError, KeyError) as error:
        raise SaveCorruptError(f"invalid array in save: {error}") from None


def _checked(array: Any) -> Any:
    """Return an array whose bools are 0 or 1, as numpy expects, and whose texts are Unicode."""
    if not _has_valid_text(array):
        raise SaveCorruptError("an array in the save has invalid characters")
    _correct_bools(array)
    return array


def _correct_bools(array: Any) -> None:
    for name in array.dtype.names or ():
        _correct_bools(array[name])
    if array.dtype.kind == "b":
        numbers = array.view("u1")
        _numpy("minimum")(numbers, 1, out=numbers)


def _has_valid_text(array: Any) -> bool:
    """Return whether all characters in the texts of an array are in Unicode."""
    dtype = array.dtype
    if dtype.names is not None:
        return all(_has_valid_text(array[name]) for name in dtype.names)
    if dtype.kind != "U" or not array.size * dtype.itemsize:
        return True
    codes = _numpy("ascontiguousarray")(array).reshape(-1).view(dtype.str[0] + "u4")
    return bool(codes.max() <= _MAX_CHARACTER)


# -- single numbers


def pack_number(value: Any) -> tuple[Any, bytes]:
    """Return the dtype and the bytes of a NumPy scalar."""
    if value.dtype.hasobject:
        raise SaveError("a numpy value that contains a Python object cannot be saved")
    return _packed_dtype(value.dtype), value.tobytes()


def unpack_number(cell: Any) -> Any:
    """Return the NumPy scalar of a cell. Raises `SaveError` if its parts are inconsistent."""
    packed, data = cell
    return unpack_ndarray((packed, (), "C", data))[()]


def module() -> Any:
    """Return numpy, which the game has imported."""
    return sys.modules["numpy"]
