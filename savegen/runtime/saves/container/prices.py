"""What memory a column may take once it is read, told from its bytes before anything is made.

A value takes a byte of the file or more, and up to a kilobyte of memory: a million empty lists
are a small file and a large world. So every value has a price, the bytes of memory for what
it is in the file's terms and for what the game is given. A file has to weigh a part of its
price, by zeros if nothing else (`ballast`): what comes of it stays below 16 times its size.

How often a value occurs is known from the number of rows, unless it stands in a list, a set
or the like: then at most as often as there are bytes that it may begin with.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import msgspec

from savegen.runtime.errors import SaveLimitError
from savegen.runtime.saves.document import Form, Table
from savegen.runtime.saves.container.limits import MIB

Bytes: TypeAlias = bytes | memoryview
Shapes: TypeAlias = Mapping[str, list[tuple[str, Form]]]

# 32 MiB and 16 times the size are promised. What is not here is for the bytes themselves: what
# the file holds uncompressed, and a part of that while it is read.
FREE = 28 * MIB
RATIO = 14

PIECE = 1024  # of a table, before it is read
PIECE_COLUMN = 160  # likewise, each column
_ROW = 96
_OBJECT = 240  # with nothing in it, and what finds it by its number
_FIELD = 16  # room for a value in an object, and in the snapshot's rows
_MOST_SHARED = 30  # fields; objects with more have each a dict with names of its own
_FIELD_OF_MORE = 56  # at worst, of a dict that has just grown


def ballast(price: int, size: int, free: int = FREE) -> int:
    """Return how many bytes a file of a price and a size has to gain.

    `free` is what it need not pay for.

    >>> ballast(40 * MIB, 100_000), ballast(1000, 10)
    (798780, 0)
    """
    return max(0, -((free + RATIO * size - price) // RATIO))


def of_rows(table: Table) -> int:
    """Return the price of a table's rows, whatever is in them."""
    if table.is_of_class:
        fields = len(table.columns)
        field = _FIELD if fields <= _MOST_SHARED else _FIELD_OF_MORE
        return table.count * (_OBJECT + field * fields)
    return table.count * _ROW


class Budget:
    """The memory that files may take once they are read: some is free, the rest by size."""

    def __init__(self, raw: int = 0) -> None:
        self._most = FREE + RATIO * raw
        self._spent = 0

    def earn(self, raw: int) -> None:
        """Allow for a file more, whose bytes are so many uncompressed."""
        self._most += RATIO * raw

    def pay(self, price: int) -> None:
        """Raise `SaveLimitError` if it is not worth that."""
        self._spent += price
        if self._spent > self._most:
            raise SaveLimitError("the memory it would take", self._most, self._spent)


# -- bytes of memory: what msgspec makes of a value, by what it begins with

_POINTER = 8
_NUMBER = 32
_LIST = 80
_DICT = 264
_ENTRY = 58  # of a dict, at worst: it grows in steps
_TEXT = 64  # beside the characters
_BYTES = 56
_OTHER = 400  # a path, a datetime and the like, and what it is made from


class _Heads(NamedTuple):
    """The price of a value, by what it begins with in MessagePack."""

    small: int = 0  # None, a bool, or an int that every process has already
    number: int = 0
    text: int = 0
    binary: int = 0
    array: int = 0
    map: int = 0

    def at(self, place: int) -> _Heads:
        """Add the price of the place where the value stands."""
        return _Heads(*(price + place if price else 0 for price in self))

    def or_else(self, other: _Heads) -> _Heads:
        return _Heads(*map(max, self, other))


def _bytes(*ranges: tuple[int, int]) -> bytes:
    return bytes(b for first, last in ranges for b in range(first, last + 1))


# The bytes that a value of each kind may begin with.
_FIRST = (
    _bytes((0x00, 0x7F), (0xC0, 0xC3), (0xFB, 0xFF)),
    _bytes((0xCA, 0xD3), (0xE0, 0xFA)),
    _bytes((0xA0, 0xBF), (0xD9, 0xDB)),
    _bytes((0xC4, 0xC9), (0xD4, 0xD8)),
    _bytes((0x90, 0x9F), (0xDC, 0xDD)),
    _bytes((0x80, 0x8F), (0xDE, 0xDF)),
)

_INT = _Heads(small=1, number=_NUMBER)  # a large one is a text: see `_DIGITS`
# A deque takes 900 at least.
_ANY = _Heads(8, 64, _OTHER, _OTHER, 900, 2 * _DICT)
_ODD = _Heads(1, _OTHER, _OTHER, _OTHER, _OTHER + _LIST)

_LEAVES: dict[str, _Heads] = {
    "none": _Heads(small=1),
    "bool": _Heads(small=1),
    "int": _INT,
    "float": _INT,
    "str": _Heads(text=_TEXT, array=2 * _TEXT + _LIST),
    "asset": _Heads(text=_TEXT, array=2 * _TEXT + _LIST),
    "bytes": _Heads(binary=_BYTES),
    "ref": _INT,
    "class": _INT,
    "prefab": _INT,
    "enum": _INT,
    "literal": _INT,
    "random": _Heads(small=3000, number=3000),
}

# Of lists and the like: what a list, as it is written, becomes, and a place in that.
_MANY: dict[str, tuple[int, int]] = {
    "list": (_LIST, _POINTER),
    "tuple": (64, _POINTER),
    "set": (240, 128),
    "frozenset": (240, 128),
    "deque": (920, _POINTER),
}
_MAPS = ("dict", "defaultdict", "ordereddict", "counter")
_AS_THEY_ARE = ("none", "bool", "int", "float", "str", "bytes")


class Price(NamedTuple):
    """What the values of a form cost."""

    row: int  # what is there in each row
    heads: _Heads  # what may be there any number of times
    numbers: int = 0  # in each row; more than are known if `_ANY_NUMBER` or above
    has_text: bool = False

    def of(self, rows: int, column: Bytes) -> int:
        """Return what a column of so many rows costs at most."""
        size, price = len(column), rows * self.row
        if not self.has_text and not any(self.heads):
            return price + self._digits(rows, size)
        column = bytes(column)
        if self.has_text:
            price += size * (4 if any(each in column for each in _WIDE) else 2)
        for first, each in zip(_FIRST, self.heads, strict=True):
            price += each and each * _has(first, column)
        return price + self._digits(rows, size)

    def _digits(self, rows: int, size: int) -> int:
        """Return the price of numbers that may be texts, since there is room for those."""
        if not self.numbers:
            return 0
        known = self.numbers < _ANY_NUMBER
        if known and size <= rows * self.numbers * _NUMBER_SIZE + _LIST_SIZE:
            return 0
        return size * _DIGITS


def _has(first: bytes, column: bytes) -> int:
    """Tell how many bytes of a column are among some."""
    return len(column) - len(column.translate(None, first))


# Begin characters that make all of a text four bytes wide.
_WIDE = [bytes([first]) for first in range(0xF0, 0xF5)]
_DIGITS = 5  # bytes of memory for one of a number that is a text: it has 20 or more
# Bytes of other numbers, at most, and their share of a list around them.
_NUMBER_SIZE = 10
_LIST_SIZE = 8  # bytes that a column has beside its values
_ANY_NUMBER = 1 << 20

NO_FORM = Price(0, _ANY, _ANY_NUMBER, True)  # data of which nothing is known


class Prices:
    """The prices of the forms of a save; each is found once.

    The forms have to make sense: see `check_form`.
    """

    def __init__(self, shapes: Shapes) -> None:
        self._shapes = shapes
        self._known: dict[bytes, tuple[Price, Price]] = {}
        self._pack = msgspec.msgpack.Encoder().encode

    def of(self, form: Form, rows: int, column: Bytes) -> int:
        """Return what a column of so many rows costs at most."""
        by_rows, by_bytes = self._both(form)
        price = by_rows.of(rows, column)
        if price <= RATIO * len(column):
            return price
        return min(price, by_bytes.of(rows, column))

    def _both(self, form: Form) -> tuple[Price, Price]:
        """Return prices that are both high enough: by what each row has, and by the bytes."""
        key = self._pack(form)
        if key not in self._known:
            by_bytes = self._of(form, True)._replace(row=_POINTER)
            self._known[key] = self._of(form, False), by_bytes
        return self._known[key]

    def _of(self, form: Form, is_many: bool) -> Price:
        word, *parts = [form] if isinstance(form, str) else form
        if word in _LEAVES:
            return _priced(_LEAVES[word], is_many)
        if word in _SELF_DESCRIBING:
            return NO_FORM._replace(row=_BYTES)
        if word in _MANY or word in _MAPS or word in _FIXED:
            own, places = _container(word, parts)
            are_many = is_many or word not in _FIXED
            inner = [self._item(part, place, are_many) for part, place in places]
            return _sum(_priced(own, is_many), inner)
        if word in _RECORDS:
            return self._record(parts[0], is_many)
        return _priced(_ODD, is_many)

    def _item(self, form: Form, place: int, is_many: bool) -> Price:
        price = self._of(form, is_many)
        row = 0 if is_many else price.row + place
        return price._replace(row=row, heads=price.heads.at(place))

    def _record(self, name: str, is_many: bool) -> Price:
        """Price an object with fields. Of those within others there may be any number."""
        fields = self._shapes.get(name, [])
        own = _priced(_Heads(array=_LIST + _DICT + len(fields) * _ENTRY), is_many)
        if is_many or any(_holds_records(form) for _, form in fields):
            return _sum(own, [self._any_record])
        return _sum(own, [self._item(form, 2 * _POINTER, False) for _, form in fields])

    @cached_property
    def _any_record(self) -> Price:
        """The price of all that some record may hold, since it may hold every other one."""
        price = Price(0, _Heads())
        alone = Prices({})  # knows no records: those within are in the loop anyway
        for fields in self._shapes.values():
            own = Price(0, _Heads(array=_LIST + _DICT + len(fields) * _ENTRY))
            inner = [alone._item(form, 2 * _POINTER, True) for _, form in fields]
            price = _sum(price, [own, *inner])
        return price._replace(numbers=_ANY_NUMBER)


_SELF_DESCRIBING = ("any", "foreign")
_RECORDS = ("record", "keys")


def _container(word: str, parts: list[Any]) -> tuple[_Heads, list[tuple[Form, int]]]:
    """Return its own price, and the forms of what it holds, with the price of a place."""
    if word in _MANY:
        made, place = _MANY[word]
        is_kept = word == "list" and parts[0] in _AS_THEY_ARE
        if is_kept:
            return _Heads(array=_LIST), [(parts[0], _POINTER)]
        return _Heads(array=_LIST + made), [(parts[0], _POINTER + place)]
    if word in _MAPS:
        key, value = (*parts, "int")[:2]
        own = _Heads(array=_LIST + 2 * _DICT, map=3 * _DICT)
        return own, [(key, 2 * _ENTRY), (value, 2 * _POINTER)]
    return _FIXED[word], [(part, 2 * _POINTER) for part in parts]


def _holds_records(form: Form) -> bool:
    if not isinstance(form, list) or not form:
        return False
    return form[0] in _RECORDS or any(map(_holds_records, form))


# What holds a fixed number of values, or one of several.
_FIXED = {
    "places": _Heads(array=_LIST + 64),
    "optional": _Heads(small=1),
    "union": _Heads(array=2 * _LIST),
    "maybe": _Heads(array=_LIST),
}


def _priced(heads: _Heads, is_many: bool) -> Price:
    numbers = 0 if not heads.number else _ANY_NUMBER if is_many else 1
    has_text = heads.text > 0
    if is_many:
        return Price(0, heads, numbers, has_text)
    return Price(max(heads), _Heads(), numbers, has_text)


def _sum(first: Price, inner: Iterable[Price]) -> Price:
    row, heads, numbers, has_text = first
    for price in inner:
        row += price.row
        heads = heads.or_else(price.heads)
        numbers = min(numbers + price.numbers, _ANY_NUMBER)
        has_text = has_text or price.has_text
    return Price(row, heads, numbers, has_text)
