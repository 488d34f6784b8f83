"""Values that are their own cells: bools, numbers, texts, bytes and `None`; and literals."""

from __future__ import annotations

from functools import partial
from typing import Any

from savegen.runtime.values.checks import is_literal
from savegen.runtime.values.kinds.kind import (
    Column,
    StoredKind,
    NameOf,
    Packing,
    Rules,
    Types,
    check_remaining,
    enter,
    of_other_types,
    where_not,
)
from savegen.runtime.values.rows import Misfit
from savegen.runtime.values.stored import StoredType

_MAX_BITS = 4096  # of an int; Python may refuse to show longer ones


class Native(StoredKind):
    """A value that is its own cell."""

    may_be_shared = False
    has_content = True

    def __init__(self, cls: type, blank: Any, *others: type) -> None:
        self.cls, self.blank, self.is_factory = cls, blank, blank is not None
        self.types = frozenset([cls, *others])

    def pack(self, stored: StoredType, value: Any, packing: Packing) -> Any:
        assert self.types is not None
        if type(value) is not self.cls and id(type(value)) not in map(id, self.types):
            raise Misfit(value)
        return value

    def content(self, value: Any) -> Any:
        # Methods of the native class, since a subclass may override them.
        return _NATIVE_OF[self.cls](value)

    def made(self, cls: Any, content: Any) -> Any:
        new: Any = self.cls.__new__
        return new(cls, content)


class Int(Native):
    def text(self, stored: StoredType, cell: Any, name_of: NameOf) -> str:
        return repr(cell) if cell.bit_length() <= _MAX_BITS else hex(cell)


_NATIVE_OF: dict[Any, Any] = {
    int: int.__int__,
    float: float.__float__,
    str: str.__str__,
    bytes: bytes.__bytes__,
}


class Literal(StoredKind):
    """One of some constants."""

    may_be_shared = False

    def filler(self, stored: StoredType) -> Any:
        return stored.constants[0]

    def wrong(self, stored: StoredType, column: Column, rules: Rules) -> list[int]:
        constants = {(type(value), value) for value in stored.constants}
        types: Types = frozenset(cls for cls, _ in constants)
        check = partial(where_not, lambda cell: (type(cell), cell) in constants)
        return check_remaining(of_other_types(types, column), column, check)

    def has_shape(self, stored: StoredType, cell: Any) -> bool:
        return is_literal(cell, *stored.constants)

    def pack(self, stored: StoredType, value: Any, packing: Packing) -> Any:
        if not self.has_shape(stored, value):
            raise Misfit(value)
        return value


enter(Native(bool, False), "bool")
enter(Int(int, 0), "int")
# Type checkers accept an int as a float; it is saved as an int.
enter(Native(float, 0.0, int), "float")
enter(Native(str, ""), "str")
enter(Native(bytes, b""), "bytes")
enter(Native(type(None), None), "none")
enter(Literal(), "literal")
