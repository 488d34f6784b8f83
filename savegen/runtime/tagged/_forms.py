"""The tags, and what they tell about their payloads."""

from __future__ import annotations

from collections import Counter, OrderedDict, deque
from enum import IntEnum
from typing import Any

from savegen.runtime.errors import SaveError

Tagged = Any
DEPTH = 64  # of values within values
# What Python raises when data is not what its tag says.
BROKEN = (ValueError, TypeError, LookupError, ArithmeticError, AttributeError)


class Tag(IntEnum):
    """What an array `[tag, payload]` stands for."""

    ABSENT = 0
    INT = 1
    STR = 2
    LIST = 3
    TUPLE = 4
    SET = 5
    FROZENSET = 6
    DICT = 7
    DEFAULTDICT = 8
    ORDEREDDICT = 9
    COUNTER = 10
    DEQUE = 11
    COMPLEX = 12
    DECIMAL = 13
    FRACTION = 14
    DATE = 15
    TIME = 16
    DATETIME = 17
    TIMEDELTA = 18
    UUID = 19
    PATH = 20
    BYTEARRAY = 21
    ARRAY = 22
    NDARRAY = 23
    NUMPY = 24
    KEY = 25
    WEAK = 26
    CLASS = 27
    PREFAB = 28
    ASSET = 29
    GENERATOR = 30
    ENUM = 31
    FLAG = 32
    RECORD = 33
    FOREIGN = 34


ABSENT: Tagged = (0, None)
"""Stands for an attribute that is not set. After decoding it is a list: use `is_absent`."""


class Lost(SaveError):
    """A value that no kind holds; its message says why."""


def is_absent(tagged: Tagged) -> bool:
    """Return whether a tagged value stands for an attribute that is not set.

    >>> is_absent(ABSENT), is_absent([0, None]), is_absent(0)
    (True, True, False)
    """
    return type(tagged) in (tuple, list) and tagged[0] == Tag.ABSENT


class Opaque:
    """A tagged value that stands for itself: `tag` returns it again.

    Where a value cannot be made, or should not, it takes the place of one.
    """

    __slots__ = ("__weakref__", "tagged")

    def __init__(self, tagged: Tagged) -> None:
        self.tagged = tagged

    def __repr__(self) -> str:
        from savegen.runtime.tagged._describe import describe

        return describe(self.tagged)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Opaque) and repr(other) == repr(self)

    def __hash__(self) -> int:
        return hash(repr(self))


KEYS = (Tag.KEY, Tag.WEAK)
PARTS_FROM: dict[int, int] = {  # what has tagged parts, and which part is the first
    Tag.LIST: 0,
    Tag.TUPLE: 0,
    Tag.SET: 0,
    Tag.FROZENSET: 0,
    Tag.DICT: 0,
    Tag.ORDEREDDICT: 0,
    Tag.COUNTER: 0,
    Tag.DEFAULTDICT: 1,
    Tag.DEQUE: 1,
    Tag.RECORD: 1,  # names and numbers among them stand for themselves
    Tag.FOREIGN: 1,
}

# What a `defaultdict` makes of a key that is not there: only these can be named in a save.
FACTORIES: dict[str, type] = {
    cls.__name__: cls
    for cls in (list, dict, set, tuple, int, float, str, bool, bytes, frozenset)
    + (deque, Counter, OrderedDict)
}
