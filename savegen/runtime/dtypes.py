"""Which dtypes of numpy's an annotation allows: asked by name, without importing numpy."""

from __future__ import annotations

import re
from typing import Any

# What a dtype's text says: byte order, kind, and the size of one item in bytes.
_TEXT = re.compile(r"[<>|=]?([a-zA-Z])([0-9]*)")
_SIZED = {"int": "i", "uint": "u", "float": "f", "complex": "c"}
_NAME = re.compile(r"(u?int|float|complex)(8|16|32|64|96|128|256)")
_KINDS = {
    "generic": "",  # any
    "number": "iufc",
    "integer": "iu",
    "signedinteger": "i",
    "unsignedinteger": "u",
    "inexact": "fc",
    "floating": "f",
    "complexfloating": "c",
    "flexible": "SUV",
    "character": "SU",
    "bool": "b",
    "bool_": "b",
    "str_": "U",
    "bytes_": "S",
    "void": "V",
    "datetime64": "M",
    "timedelta64": "m",
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
# As large as the platform has them.
_KINDS |= {
    "int_": "i",
    "intp": "i",
    "long": "i",
    "uint": "u",
    "uintp": "u",
    "ulong": "u",
}
_KINDS |= {"longdouble": "f", "clongdouble": "c"}


def dtype_fits(declared: str, dtype: Any) -> bool:
    """Return whether an array of a stored dtype may stand where `declared` is annotated.

    `dtype` is the text of a simple dtype, or a list for a structured one, which fits `void`.

    >>> dtype_fits("int64", "<i8"), dtype_fits("int64", "<f8"), dtype_fits("floating", ">f4")
    (True, False, True)
    """
    found = _TEXT.match(dtype) if type(dtype) is str else None
    if found is None:
        return declared in ("void", "flexible", "generic")
    kind, size = found.groups()
    declared = _ALIASES.get(declared, declared)
    if sized := _NAME.fullmatch(declared):
        wanted = _SIZED[sized[1]], str(int(sized[2]) // 8)
        return (kind, size) == wanted
    return kind in _KINDS.get(declared, "") or not _KINDS.get(declared)


def covers(wider: str, declared: str) -> bool:
    """Return whether every array that one annotation allows is allowed by another, too.

    >>> covers("floating", "float32"), covers("float32", "floating"), covers("", "int8")
    (True, False, True)
    """
    wider, declared = (_ALIASES.get(each, each) for each in (wider, declared))
    if not wider or wider in (declared, "generic"):
        return True
    if not declared or declared == "generic":
        return False
    if sized := _NAME.fullmatch(declared):
        return dtype_fits(wider, f"<{_SIZED[sized[1]]}{int(sized[2]) // 8}")
    if _NAME.fullmatch(wider) or declared not in _KINDS:
        return False
    return {*_KINDS[declared]} <= {*_KINDS.get(wider, "")}
