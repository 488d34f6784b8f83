"""Short descriptions of field values."""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from weakref import ref

from savegen.runtime import SaveLoadable


class Words:
    """Describes values, with the names of the objects of a scene."""

    def __init__(self, cast: Mapping[str, object]) -> None:
        self._names = {id(thing): name for name, thing in cast.items()}

    def of(self, value: object) -> str:
        """Return a description of a value and its contents."""
        match value:
            case None:
                return "-"
            case SaveLoadable():
                return self._names.get(id(value), f"a {type(value).__name__}")
            case Enum():
                return str(value.name).lower().replace("|", " ")
            case ref():
                return self.of(value())
            case Mapping():
                return self._list(
                    f"{self.of(k)}={self.of(v)}" for k, v in value.items()
                )
            case set() | frozenset():
                return self._list(sorted(map(self.of, value)))
            case list() | tuple() | deque() | array():
                return self._list(map(self.of, value))
            case bytearray():
                return value.hex(" ")
        if is_dataclass(value) and type(value).__str__ is object.__str__:
            parts = (getattr(value, f.name) for f in fields(value))
            return self._list(self.of(part) for part in parts if part)
        return str(value)

    def _list(self, words: Iterable[str]) -> str:
        return ", ".join(words) or "none"
