"""The keys in tagged data: found, and replaced."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec import msgpack

from savegen.runtime.rows import Key
from savegen.runtime.tagged._forms import KEYS, PARTS_FROM, Tag, Tagged


def keys_of(tagged: Tagged) -> Iterator[Key]:
    """Yield the keys in a tagged value.

    >>> [*keys_of([3, [[25, 7], 12, [7, ["a", [26, 9]]]]])]
    [7, 9]
    """
    if type(tagged) not in (tuple, list):
        return
    number, payload = tagged
    if number in KEYS:
        yield payload
    elif number in PARTS_FROM:
        for part in payload[PARTS_FROM[number] :]:
            yield from keys_of(part)


def replace_keys(tagged: Tagged, change: Callable[[Key], Key]) -> Tagged:
    """Return a tagged value with other keys.

    >>> replace_keys((3, ((25, 7), 12)), lambda key: key + 1)
    (3, ((25, 8), 12))
    """
    if type(tagged) not in (tuple, list):
        return tagged
    number, payload = tagged
    if number in KEYS:
        return number, change(payload)
    if number not in PARTS_FROM:
        return tagged
    first = PARTS_FROM[number]
    parts = [replace_keys(part, change) for part in payload[first:]]
    if number in (Tag.SET, Tag.FROZENSET):
        parts.sort(key=msgpack.encode)
    return number, (*payload[:first], *parts)
