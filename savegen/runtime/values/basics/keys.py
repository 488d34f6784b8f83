"""Keys of objects in a world. They stay valid while other objects are added and removed."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from typing import NamedTuple

_INDEX_BITS = 32
_INDEX_MASK = (1 << _INDEX_BITS) - 1
LAST_GENERATION = 2**31 - 1  # so that a key fits into 63 bits


class SlotKey(NamedTuple):
    """The key of a value in a `SlotMap`: the index of its slot, and a count of the slot's uses.

    >>> SlotKey(3, 1) == SlotKey(3, 2)
    False
    """

    index: int  # type: ignore[assignment]  # hides tuple.index on purpose
    generation: int  # 0 is the null key


def key_at(index: int, generation: int) -> int:
    """Return the key of an index and a generation; 0 is the null key.

    >>> key_at(0, 1), key_at(4, 1)
    (1, 5)
    """
    return index + 1 + ((generation - 1) << _INDEX_BITS)


def index_of(key: int) -> int:
    """Return the slot index of a key."""
    return (key & _INDEX_MASK) - 1


def slots_of(keys: Iterable[int]) -> list[int]:
    """Return the slot indices of the keys, without those that have no slot.

    >>> slots_of([1, key_at(4, 7), -2])
    [0, 4]
    """
    return [(key & _INDEX_MASK) - 1 for key in keys if key > 0]


def generation_of(key: int) -> int:
    """Return the generation of a key.

    >>> key = key_at(4, 7)
    >>> index_of(key), generation_of(key)
    (4, 7)
    """
    return (key >> _INDEX_BITS) + 1


def in_key_order(keys: Iterable[int]) -> list[int]:
    """Return keys in the order in which objects are packed and found, and hooks are called.

    First come added objects, in the order of their slots. Generations do not matter: after a
    rollback, the same steps give the same slots again, but later generations.

    >>> in_key_order([-2, key_at(1, 9), -1, 3]) == [key_at(1, 9), 3, -1, -2]
    True
    """
    ordered = sorted(keys)
    if not ordered or 0 < ordered[0] <= ordered[-1] <= _INDEX_MASK:
        return ordered  # first generations of added objects
    added, reached = added_and_reached(ordered)
    return added + reached if reached else added


def added_and_reached(keys: Iterable[int]) -> tuple[list[int], list[int]]:
    """Return the keys of added objects and those of reached objects, each in key order.

    >>> added_and_reached([-2, 7, -1, 3])
    ([3, 7], [-1, -2])
    """
    ordered, reached = sorted(keys), []
    if ordered and ordered[0] < 0:
        first = bisect_left(ordered, 0)
        ordered, reached = ordered[first:], ordered[:first][::-1]
    if ordered and ordered[-1] > _INDEX_MASK:  # a generation above the first one
        ordered.sort(key=_INDEX_MASK.__and__)
    return ordered, reached


def place_in_order(key: int) -> tuple[bool, int, int]:
    """Return what a key is sorted by in key order."""
    return key < 0, -key if key < 0 else key & _INDEX_MASK, key


def in_file_order(keys: Iterable[int]) -> list[int]:
    """Return keys in the order of the rows in a file: those of added objects are ascending.

    So the differences between keys are small.

    >>> in_file_order([-2, key_at(1, 9), -1, 3]) == [3, key_at(1, 9), -1, -2]
    True
    """
    ordered = sorted(keys)
    first = bisect_left(ordered, 0)
    return ordered[first:] + ordered[:first][::-1]


def slot_number(key: int) -> int:
    """Return the number of an added object's slot, counted from 1: the key without its generation.

    >>> slot_number(key_at(4, 7)), slot_number(0)
    (5, 0)
    """
    return key & _INDEX_MASK


def describe_key(key: int) -> str:
    """Return how messages name the object with a key.

    >>> describe_key(key_at(4, 1)), describe_key(key_at(4, 7)), describe_key(-2)
    ('object #5', 'object #5.7', 'reached object #2')
    """
    return f"reached object #{-key}" if key < 0 else f"object {key_text(key)}"


def key_text(key: int) -> str:
    """Return the number of an added object: its slot, counted from 1, and its generation.

    The generation is omitted if it is 1; then the number is the key.

    >>> key_text(key_at(4, 1)), key_text(key_at(4, 7))
    ('#5', '#5.7')
    """
    generation = generation_of(key)
    return f"#{index_of(key) + 1}" + (f".{generation}" if generation > 1 else "")
