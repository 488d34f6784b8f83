"""Values of the standard library that have no parts: numbers, dates, bytes, paths."""

from __future__ import annotations

import pathlib
import sys
from typing import Any

from savegen.runtime.errors import EXHAUSTED, ExhaustedError
from savegen.runtime.values.libraries import standard_types as standard
from savegen.runtime.values.kinds.kind import (
    StoredKind,
    NameOf,
    Opaque,
    Packing,
    enter,
    is_array,
    one_line,
)
from savegen.runtime.values.rows import Misfit
from savegen.runtime.values.stored import StoredType


class Standard(StoredKind):
    """A class of the table of standard types."""

    def __init__(self, row: standard.StandardType) -> None:
        self.row, self.cls, self.blank = row, row.cls, row.blank
        self.types = None if is_array(row.blank) else frozenset([type(row.blank)])
        self.is_mutable = row.is_mutable
        self.has_content = "__slots__" not in vars(row.cls)  # that of slots is in these

    def has_shape(self, stored: StoredType, cell: Any) -> bool:
        blank = self.blank
        if not is_array(blank):
            return type(cell) is type(blank)
        if not is_array(cell) or len(cell) != len(blank):
            return False
        return all(type(part) is type(other) for part, other in zip(cell, blank))

    def pack(self, stored: StoredType, value: Any, packing: Packing) -> Any:
        if type(value) is not self.cls:
            raise Misfit(value)
        return self.row.pack(value)

    def unpack(self, stored: StoredType, cell: Any, references: Any) -> Any:
        return cell if type(cell) is Opaque else self.row.unpack(cell)

    def content(self, value: Any) -> Any:
        return self.row.content(value)

    def made(self, cls: Any, content: Any) -> Any:
        return self.row.made(cls, content)

    def text(self, stored: StoredType, cell: Any, name_of: NameOf) -> str:
        return text_of(self, stored, cell)


def text_of(kind: StoredKind, stored: StoredType, cell: Any) -> str:
    """Return the `repr` of the value of a cell; of the cell, if the value cannot be made."""
    try:
        return one_line(repr(kind.unpack(stored, cell, None)))
    except (ExhaustedError, *EXHAUSTED):
        raise
    except Exception:  # no numpy, an unknown time zone, a million digits
        return f"<{stored.name} {cell!r}>"


class Path(StoredKind):
    """A path of this or another system."""

    blank, types = ".", frozenset([str])

    def pack(self, stored: StoredType, value: Any, packing: Packing) -> Any:
        if not standard.is_path(value):
            raise Misfit(value)
        return standard.pack_path(value)

    def unpack(self, stored: StoredType, cell: Any, references: Any) -> Any:
        return standard.unpack_path(cell, "path")

    def text(self, stored: StoredType, cell: Any, name_of: NameOf) -> str:
        return text_of(self, stored, cell)

    def content(self, value: Any) -> Any:
        base = next(c for c in type(value).__mro__ if c in standard.FLAVOURS)
        return base(pathlib.PurePath.__str__(value))

    def made(self, cls: Any, content: Any) -> Any:
        if sys.version_info < (3, 12):
            return pathlib.PurePath.__new__(cls, str(content))
        path = object.__new__(cls)
        pathlib.PurePath.__init__(path, str(content))
        return path


for _name, _row in standard.STANDARD_TYPES.items():
    enter(Standard(_row), _name)
enter(Path(), "path")
