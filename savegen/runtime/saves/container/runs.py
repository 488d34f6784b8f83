"""Columns that one value tells: all values are the same, or each is the number after the last.

In a file such a column is the first value and one of the steps below; any other is a list of all
values. Records of a world are mostly such columns, as are fields that hardly any object uses.
"""

from __future__ import annotations

from itertools import repeat
from operator import is_
from typing import Any

import msgspec

from savegen.runtime.errors import SaveCorruptError
from savegen.runtime.saves.container.layout import Bytes
from savegen.runtime.saves.document import Form

SAME, NEXT = 0, 1

_encode = msgspec.msgpack.Encoder().encode
_LIST = b"\x91"  # begins a column with all its values: one list
_RUN = b"\x92"  # begins a run: the value and the step

# What a decoded value cannot be changed by, wherever else it stands.
_LEAVES = frozenset(
    "none bool int float str bytes ref class prefab asset enum literal".split()
)
_NUMBERS = ("int", "ref")


def encoded(form: Form, values: list[Any]) -> bytes:
    """Return the values of a column, or the run that they are, as bytes.

    >>> encoded("int", [7, 8, 9]), encoded("bool", [True, True]), encoded("int", [7, 9])
    (b'\\x92\\x07\\x01', b'\\x92\\xc3\\x00', b'\\x91\\x92\\x07\\t')
    """
    if len(values) > 1 and may_run(form):
        first, last = values[0], values[-1]
        if first is None or first is True or first is False:
            if last is first and all(map(is_, values, repeat(first))):
                return _run(first, SAME)
        elif _counts(form, values):
            return _run(first, NEXT)
        elif first == last and _is_shared(form, first) and _are_alike(values):
            return _run(first, SAME)
    return _encode([values])


def _run(first: Any, step: int) -> bytes:
    return _encode([first, step])


def _counts(form: Form, values: list[Any]) -> bool:
    first, last = values[0], values[-1]
    if form not in _NUMBERS or type(first) is not int or type(last) is not int:
        return False
    if last - first != len(values) - 1 or values != [*range(first, last + 1)]:
        return False
    # `False` and `True` are equal to numbers, too: to these.
    return bool not in map(type, values[max(0, -first) : max(0, 2 - first)])


def _are_alike(values: list[Any]) -> bool:
    """Tell whether values are written alike: `1` and `True`, say, or `0.0` and `-0.0`, are not."""
    first = values[0]
    if values.count(first) < len(values) or len({*map(type, values)}) > 1:
        return False
    return first != 0 or type(first) is not float or len({*map(str, values)}) == 1


def _is_shared(form: Form, first: Any) -> bool:
    """Tell whether what a value is read as stands in all rows, and is not made for each.

    A text in place of a number, and a list in place of a text, are made into those.
    """
    word = form if isinstance(form, str) else form[0]
    if word == "optional":
        return _is_shared(form[1], first)
    return type(first) not in ((str,) if word in ("int", "float") else (list, tuple))


def may_run(form: Form) -> bool:
    """Tell whether columns of a form may be runs."""
    if isinstance(form, str):
        return form in _LEAVES
    return form[0] in _LEAVES or form[0] == "optional" and may_run(form[1])


def is_run(column: Bytes) -> bool:
    return bytes(column[:1]) == _RUN


def price_of_a_row(column: Bytes) -> int:
    """Return the bytes of memory that a row takes: a place, and a number if it is another one."""
    return 8 if column[-1] == SAME else 40


def spread(column: Bytes, rows: int) -> int:
    """Return how many bytes a column takes, a run as many as the list of all its values.

    What reads and writes a world sees no runs: they let it hold no more than lists do.
    """
    size = len(column)
    return max(size, rows * (size - 2)) if is_run(column) else size


def first_of(column: Bytes) -> bytes:
    """Return the bytes of a column that has the first value alone."""
    return _LIST + b"\x91" + bytes(column[1:-1])


def values_of(form: Form, column: Bytes, first: Any, rows: int) -> list[Any]:
    """Return all values of a run. Raises `SaveCorruptError` if there is none of that kind."""
    step = column[-1]
    if not may_run(form) or step not in (SAME, NEXT):
        raise SaveCorruptError("there is no such run of values")
    if step == SAME:
        if not _is_shared(form, first):
            raise SaveCorruptError("there is no run of numbers or texts as these")
        return [first] * rows
    if form not in _NUMBERS or type(first) is not int:
        raise SaveCorruptError("only numbers have one that is next")
    return [*range(first, first + rows)]
