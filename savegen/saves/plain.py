"""The values of a save as a person reads them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

from savegen.runtime.saves.document import Document, Table
from savegen.runtime.saves.wire import to_plain

Row = dict[str, Any]


def plain_rows(document: Document, table: Table) -> Iterator[Row]:
    """Yield the rows of a table: values by field name, a reference as `{"$ref": number}`."""
    names = [column.name for column in table.columns]
    for piece in table.pieces:
        columns = [
            to_plain(column.form, document.shapes, values)
            for column, values in zip(table.columns, piece, strict=True)
        ]
        for row in zip(*columns, strict=True):
            yield dict(zip(names, row, strict=True))


def references(value: Any, path: str) -> Iterator[tuple[str, int]]:
    """Yield the objects that a value refers to, each with its path: `.chests[2]`."""
    if isinstance(value, dict):
        if value.keys() == {"$ref"}:
            yield path, value["$ref"]
            return
        for key, member in value.items():
            yield from references(member, f"{path}.{key}")
    elif isinstance(value, list):
        for place, member in enumerate(value):
            yield from references(member, f"{path}[{place}]")


def with_names(value: Any, name: Callable[[int], str]) -> Any:
    """Return a value with the names of objects in place of their numbers."""
    if isinstance(value, dict):
        if value.keys() == {"$ref"}:
            return name(value["$ref"])
        return {key: with_names(member, name) for key, member in value.items()}
    if isinstance(value, list):
        return [with_names(member, name) for member in value]
    return value


def shown(value: Any, longest: int = 48) -> str:
    """Return a value on one line, its end left out if it is long.

    >>> shown({"x": 1.5, "names": ["Grub", None]})
    '{x: 1.5, names: [Grub, –]}'
    """
    text = _text(value)
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def _text(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{k}: {_text(v)}' for k, v in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_text, value))}]"
    return str(value)


# -- what a table tells


def describe(form: Any) -> str:
    """Return the form of a field as it would be annotated, more or less.

    >>> describe(["optional", ["list", ["record", "game:Vec2"]]])
    'list[Vec2] | None'
    """
    if isinstance(form, str):
        return form
    word, *parts = form
    if word in ("optional", "maybe"):
        return f"{describe(parts[0])} | {'None' if word == 'optional' else 'unset'}"
    if word == "union":
        return " | ".join(map(describe, parts))
    if word in _NAMED:
        return str(parts[0]).rpartition(":")[2]
    if word == "literal":
        return f"Literal[{', '.join(map(repr, parts[0]))}]"
    if word == "places":
        word = "tuple"
    return f"{word}[{', '.join(map(describe, parts))}]"


_NAMED = ("record", "keys", "enum", "flag", "foreign", "scalar")


def local_time(text: str) -> str:
    """Return a time in UTC as the clock on the wall shows it: `2026-01-31 19:05`."""
    try:
        return datetime.fromisoformat(text).astimezone().strftime("%Y-%m-%d %H:%M")
    except (ValueError, OverflowError, OSError):
        return text


def duration(seconds: float) -> str:
    """Return how long something took.

    >>> duration(3725.0), duration(59.0), duration(1e300)
    ('1 h 02 min', '59 s', 'long')
    """
    if not 0 <= seconds < 1e9:
        return "long"
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours:,} h {minutes:02} min"
    return f"{minutes} min {rest:02} s" if minutes else f"{rest} s"


def size(count: int) -> str:
    """Return a number of bytes.

    >>> size(999), size(123_456), size(7_654_321)
    ('999 B', '123 kB', '7.7 MB')
    """
    if count < 1000:
        return f"{count} B"
    return f"{count / 1e3:.0f} kB" if count < 1e6 else f"{count / 1e6:.1f} MB"
