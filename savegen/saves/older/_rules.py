"""What the rules of conversion are made of."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from typing import Any

from msgspec import Struct

from savegen.runtime.errors import SaveError
from savegen.runtime.stored import Field, Stored

Convert = Callable[[Any], Any]
Defaults = Callable[[Stored, Field], "Callable[[], Any] | None"]
"""Returns what makes the cell of a field's default, for a field of a value or a record."""


class NoConversion(SaveError):
    """Values of one stored type are not values of another; the message says why."""


class Unfit(Exception):
    """One cell whose value cannot be converted, although the type can: the message says why.

    If the value `is_kept`, nothing is wrong with it but its type: it becomes a mismatch.
    """

    def __init__(self, reason: str, *, is_kept: bool = False) -> None:
        super().__init__(reason)
        self.is_kept = is_kept


class Conversion(Struct, frozen=True):
    """How cells of one stored type become cells of another.

    >>> from savegen.runtime.stored import parse
    >>> from savegen.saves.older.conversion import conversion
    >>> to_float = conversion(parse("list<int>"), parse("tuple<float>"))
    >>> to_float.convert([1, 2])
    [1.0, 2.0]
    """

    convert: Convert | None  # `None`: cells stay as they are
    loses: bool = False  # some of an old value is not in the new one
    refuses: str = ""  # why some values cannot be converted

    def __call__(self, cell: Any) -> Any:
        return cell if self.convert is None else self.convert(cell)


SAME = Conversion(None)


def no_defaults(record: Stored, field: Field) -> None:
    """Know no default of any field."""


class Type(Struct, frozen=True):
    """A stored type; `rec` in it means one of the types around it."""

    stored: Stored
    around: Mapping[str, Type] = {}

    @property
    def name(self) -> str:
        return self.stored.name

    @property
    def parts(self) -> list[Type]:
        return [self.inner(part) for part in self.stored.parts]

    def inner(self, part: Stored) -> Type:
        """Return a part of the type."""
        around = self.around
        if self.name in ("value", "record"):
            around = {**around, self.stored.label: self}
        if part.name == "rec":
            return around[part.label]
        return Type(part, around)

    def __str__(self) -> str:
        return str(self.stored)


class Rules:
    """Finds conversions, each pair of types once: a record may be in itself."""

    def __init__(
        self,
        defaults: Defaults,
        classes: Container[int] | None,
        find: Callable[[Rules, Type, Type], Conversion],
    ) -> None:
        """`find` returns the conversion of two types that are not the same."""
        self.defaults = defaults
        self.classes = classes
        self._find = find
        self._open: dict[tuple[Stored, Stored], list[Convert]] = {}

    def of(self, old: Type, new: Type) -> Conversion:
        """Return how cells of one type become cells of another. Raises `NoConversion`."""
        is_same = old.stored == new.stored
        if is_same and (old.around == new.around or not _has_rec(old.stored)):
            return SAME
        return self._find(self, old, new)

    def recursively(
        self, old: Type, new: Type, make: Callable[[], Conversion]
    ) -> Conversion:
        """Return the conversion of a record, which may lead to itself again."""
        pair = (old.stored, new.stored)
        if pair in self._open:
            later = self._open[pair]
            return Conversion(lambda cell: later[0](cell))
        self._open[pair] = later = []
        try:
            found = make()
        finally:
            del self._open[pair]
        later.append(found)
        return found


def _has_rec(stored: Stored) -> bool:
    return any(part.name == "rec" for part in stored.walk())


def changed(old: Type | Stored, new: Type | Stored) -> NoConversion:
    """Return the error for two types that have nothing to do with each other."""
    return NoConversion(f"it was {_short(old)}, it is {_short(new)}")


_LONGEST = 100


def _short(type: Type | Stored) -> str:
    text = str(type)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def joined(parts: list[Conversion], convert: Convert) -> Conversion:
    """Return the conversion of something with parts."""
    is_same = all(part.convert is None for part in parts)
    return Conversion(
        None if is_same else convert,
        any(part.loses for part in parts),
        next((part.refuses for part in parts if part.refuses), ""),
    )


Rule = Callable[[Rules, Type, Type], Conversion]
