"""Write JSON as a person would: short values on one line, numbers unchanged."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

_WIDTH = 88  # columns of a line, as far as what cannot be broken allows
_BROKEN = 2  # levels of a file: a line for each layer and each colour


class Number(float):
    """A number that is no whole one, and how it was written: 2.50 is not made 2.5."""

    text: str

    def __new__(cls, text: str) -> Number:
        made = super().__new__(cls, text)
        made.text = text
        return made


def read(data: bytes) -> Any:
    """Return what valid JSON says.

    >>> read(b'{"price": 2.50}')["price"].text
    '2.50'
    """
    return json.loads(data.decode("utf-8-sig"), parse_float=Number)


def file_of(level: Any) -> bytes:
    """Return the bytes of a `level.lvl`."""
    return f"{written(level, _BROKEN)}\n".encode()


def written(value: Any, broken: int = 0) -> str:
    """Return a value as text; the outermost `broken` levels of it have a line a member.

    >>> print(written({"version": 1, "at": {"x": 0, "y": 2.50}, "none": []}, 1))
    {
      "version": 1,
      "at": {"x": 0, "y": 2.5},
      "none": []
    }
    """
    return _text(value, "", 0, broken)


def _text(value: Any, indent: str, taken: int, broken: int) -> str:
    """Return a value that begins `taken` columns behind its indent."""
    if not isinstance(value, (dict, list)) or not value:
        return _short(value)
    if broken <= 0:
        short = _short(value)
        if len(indent) + taken + len(short) < _WIDTH:  # a comma may follow
            return short
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    inner = f"{indent}  "
    lines = ",\n".join(f"{inner}{line}" for line in _members(value, inner, broken - 1))
    return f"{opening}\n{lines}\n{indent}{closing}"


def _members(value: Any, indent: str, broken: int) -> Iterator[str]:
    if isinstance(value, list):
        yield from (_text(member, indent, 0, broken) for member in value)
        return
    for name, member in value.items():
        key = f"{_string(name)}: "
        yield key + _text(member, indent, len(key), broken)


def _short(value: Any) -> str:
    if isinstance(value, dict):
        members = (f"{_string(k)}: {_short(v)}" for k, v in value.items())
        return f"{{{', '.join(members)}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_short, value))}]"
    return value.text if isinstance(value, Number) else _string(value)


def _string(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
