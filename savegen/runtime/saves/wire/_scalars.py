"""Scalars: how each word is written and read."""

from __future__ import annotations

import decimal
import fractions
import sys
import uuid
from array import array
from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from typing import Any, NamedTuple

from savegen.runtime import checks
from savegen.runtime.saves.wire import _times
from savegen.runtime.saves.wire._base import Column, Read, Things, as_it_is
from savegen.runtime.saves.wire._leaf_nodes import (
    SAFE,
    UNSAFE,
    number,
    number_of,
    text,
    text_of,
)
from savegen.runtime.saves.wire._node import packed

NO_TYPES: frozenset[type] = frozenset()
ODD_NUMBERS = frozenset([str])
ODD_TEXTS = frozenset([list, tuple])


# -- writing


def _are_short(values: Any) -> bool:
    """Tell whether there is no int of more than 64 bits, in rows as in a column."""
    try:
        packed(values)  # the quickest way to see that
    except OverflowError:
        return False
    return True


def _are_texts(values: Any) -> bool:
    """Tell whether there are no lone surrogates, in rows as in a column."""
    try:
        packed(values)
    except UnicodeEncodeError:
        return False
    return True


def _numbers(values: Column) -> Column:
    return values if _are_short(values) else [*map(number, values)]


def texts(values: Column) -> Column:
    return values if _are_texts(values) else [*map(text, values)]


def _as_they_are(values: Column) -> Column:
    return values


def _complexes(values: Column) -> Column:
    return [
        [each.real, each.imag] if type(each) is complex else number(each)
        for each in values
    ]


# Reads and writes numbers exactly, whatever the context of the game's thread is.
_EXACT = decimal.Context(
    prec=decimal.MAX_PREC,
    Emin=decimal.MIN_EMIN,
    Emax=decimal.MAX_EMAX,
    capitals=1,
    clamp=0,
    traps=[decimal.InvalidOperation],
)


def _decimal(digits: str) -> decimal.Decimal:
    return decimal.Decimal(digits, _EXACT)


def _fractions(values: Column) -> Column:
    return [[number(each.numerator), number(each.denominator)] for each in values]


def _uuid(value: uuid.UUID) -> bytes:
    if value.is_safe is uuid.SafeUUID.unknown:
        return value.bytes
    return value.bytes + (SAFE if value.is_safe is uuid.SafeUUID.safe else UNSAFE)


def _array(value: array[Any]) -> list[Any]:
    if sys.byteorder == "big":
        value = value[:]
        value.byteswap()
    return [value.typecode, value.itemsize, value.tobytes()]


# -- reading


def _reading(read: Callable[[Any], Any]) -> Read:
    return lambda values, things: [*map(read, values)]


def read_numbers(values: Column, things: Things) -> Column:
    if ODD_NUMBERS.isdisjoint(map(type, values)):
        return values
    return [*map(number_of, values)]


def _read_complex(wire: Any) -> Any:
    return complex(*wire) if type(wire) in ODD_TEXTS else number_of(wire)


def read_texts(values: Column, things: Things) -> Column:
    if ODD_TEXTS.isdisjoint(map(type, values)):
        return values
    return [*map(text_of, values)]


def _read_uuid(wire: bytes) -> uuid.UUID:
    safe = {b"": uuid.SafeUUID.unknown, SAFE: uuid.SafeUUID.safe}
    known = {**safe, UNSAFE: uuid.SafeUUID.unsafe}
    return uuid.UUID(bytes=wire[:16], is_safe=known[wire[16:]])


def _read_array(wire: Any) -> array[Any]:
    typecode, size, data = wire
    made = array(typecode)
    if made.itemsize != size:  # of another machine
        return array(typecode, _read_array([_twin(typecode, size), size, data]))
    made.frombytes(data)
    if sys.byteorder == "big":
        made.byteswap()
    if typecode in "uw":
        made.tounicode()  # refuses what is no character
    return made


def _twin(typecode: str, size: int) -> str:
    """Return an integer typecode whose members have a size."""
    choice = "bhilq" if typecode.islower() else "BHILQ"
    for each in choice if typecode in choice else "":
        if array(each).itemsize == size:
            return each
    raise ValueError("there is no such array here")


class Scalar(NamedTuple):
    """How the values of a word are written and read."""

    word: str
    types: frozenset[type]
    write: Callable[[Column], Column]
    reads: Mapping[str, Read]  # by the word that they were saved with

    def takes(self, rows: Iterable[Iterable[Any]]) -> bool:
        """Tell whether all that is in some rows is written as it is."""
        test = _TESTS.get(self.write)
        if test is None:
            return False
        return self.types.issuperset(map(type, chain.from_iterable(rows))) and test(
            rows
        )


# What tells whether values are written as they are, by what would write them otherwise.
_TESTS: dict[Any, Callable[[Any], bool]] = {
    _as_they_are: lambda rows: True,
    _numbers: _are_short,
    texts: _are_texts,
}


def _scalar(
    word: str,
    types: Iterable[type],
    write: Callable[[Column], Column] = _as_they_are,
    **reads: Read,
) -> Scalar:
    return Scalar(word, frozenset(types), write, reads)


def _each(write: Callable[[Any], Any]) -> Callable[[Column], Column]:
    return lambda values: [*map(write, values)]


_WHOLE = {"bool": as_it_is, "int": read_numbers}
_REAL = {**_WHOLE, "float": read_numbers}


def _made_of_ints(cls: type) -> Read:
    return lambda values, things: [*map(cls, read_numbers(values, things))]


SCALARS: dict[int, Scalar] = {
    id(check): scalar
    for check, scalar in [
        (checks.NONE, _scalar("none", [type(None)], none=as_it_is)),
        (checks.BOOL, _scalar("bool", [bool], bool=as_it_is)),
        (checks.INT, _scalar("int", [int, bool], _numbers, **_WHOLE)),
        (checks.FLOAT, _scalar("float", [float, int, bool], _numbers, **_REAL)),
        (
            checks.COMPLEX,
            _scalar(
                "complex",
                [complex, float, int, bool],
                _complexes,
                **_REAL,
                complex=_reading(_read_complex),
            ),
        ),
        (checks.STR, _scalar("str", [str], texts, str=read_texts)),
        (checks.BYTES, _scalar("bytes", [bytes], bytes=as_it_is)),
        (
            checks.BYTEARRAY,
            _scalar(
                "bytearray", [bytearray], _each(bytes), bytearray=_reading(bytearray)
            ),
        ),
        (
            checks.ARRAY,
            _scalar("array", [array], _each(_array), array=_reading(_read_array)),
        ),
        (
            checks.DECIMAL,
            _scalar(
                "decimal",
                [decimal.Decimal],
                _each(_EXACT.to_sci_string),
                bool=_made_of_ints(decimal.Decimal),
                int=_made_of_ints(decimal.Decimal),
                decimal=_reading(_decimal),
            ),
        ),
        (
            checks.FRACTION,
            _scalar(
                "fraction",
                [fractions.Fraction],
                _fractions,
                bool=_made_of_ints(fractions.Fraction),
                int=_made_of_ints(fractions.Fraction),
                fraction=_reading(
                    lambda wire: fractions.Fraction(*map(number_of, wire))
                ),
            ),
        ),
        (
            checks.TIMEDELTA,
            _scalar(
                "timedelta",
                _times.SPANS,
                _each(_times.span),
                timedelta=_reading(_times.read_span),
            ),
        ),
        (
            checks.UUID,
            _scalar("uuid", [uuid.UUID], _each(_uuid), uuid=_reading(_read_uuid)),
        ),
    ]
}
