"""Strict JSON: without duplicate keys or NaN, and nested no deeper than a limit."""

from __future__ import annotations

import json
import re
from itertools import accumulate
from math import isinf
from typing import Any

from savegen.runtime.errors import SaveCorruptError, SaveError, SaveLimitError

DEPTH = 64

# An unterminated string matches to the end of the data. If it did not match, the search would
# start again at each quote, in quadratic time.
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
_STEPS = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}
_NOT_BRACKETS = bytes(b for b in range(256) if b not in _STEPS)


def json_of(data: bytes, depth: int = DEPTH) -> Any:
    """Return the value of JSON text.

    Raises `SaveCorruptError` for invalid JSON, a duplicate key, NaN or an infinite number, and
    `SaveLimitError` for brackets nested deeper than `depth`.

    >>> json_of(b'{"hp": 7}')
    {'hp': 7}
    >>> json_of(b'{"hp": 7, "hp": 8}')
    Traceback (most recent call last):
        ...
    savegen.runtime.errors.SaveCorruptError: the JSON has the key 'hp' twice
    """
    check_depth(data, depth)
    try:
        return json.loads(
            data.decode("utf-8"),
            object_pairs_hook=_object,
            parse_constant=_refuse,
            parse_float=_number,
        )
    except SaveError:
        raise
    except RecursionError:
        raise SaveLimitError("the depth of the JSON", depth, depth + 1) from None
    except ValueError as error:
        raise SaveCorruptError(f"the JSON cannot be read: {error}") from None


def check_depth(data: bytes, limit: int) -> None:
    """Raise `SaveLimitError` if brackets are nested deeper than `limit`."""
    brackets = _STRING.sub(b"", data).translate(None, _NOT_BRACKETS)
    deepest = max(accumulate(map(_STEPS.__getitem__, brackets)), default=0)
    if deepest > limit:
        raise SaveLimitError("the depth of the JSON", limit, deepest)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise SaveCorruptError(f"the JSON has the key {key!r} twice")
            seen.add(key)
    return result


def _refuse(word: str) -> Any:
    raise SaveCorruptError(f"the JSON contains {word}, which JSON does not allow")


def _number(text: str) -> float:
    value = float(text)
    if isinf(value):
        raise SaveCorruptError(f"the JSON has a number that is too large: {text[:20]}")
    return value
