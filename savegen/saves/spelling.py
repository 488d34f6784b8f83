"""Spell the values of a save as Python code would: `Decimal('1.5')`, `Mood.CALM`."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any
from uuid import UUID


class Spelled:
    """A plain value that is printed as `spelling`."""

    spelling = ""


class _Text(Spelled, str):
    """Printed as `Mood.CALM`, but `"CALM"` in JSON."""


class _List(Spelled, list[Any]):
    """Printed as `timedelta(days=1)`, but `[1, 0, 0]` in JSON."""


class _Dict(Spelled, dict[str, Any]):
    """Printed as `inf`, but `{"$float": "inf"}` in JSON."""


_CLASSES: Mapping[type, Callable[[Any], Any]] = {str: _Text, list: _List, dict: _Dict}


# What Python raises for text that is no number or day. A damaged value is printed as it is.
_BROKEN = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


def spelled(value: Any, spelling: str) -> Any:
    """Return a plain text, list or dict that is printed as `spelling`."""
    made = _CLASSES[type(value)](value)
    made.spelling = spelling
    return made


def spell(word: str, name: str, value: Any) -> Any:
    """Return a plain value without parts, spelled as the word of its form says.

    `name` is the class that the form names, if it names one.

    >>> spell("float", "", {"$float": "inf"}).spelling
    'inf'
    >>> spell("timedelta", "", [1, 0, 0]).spelling
    'timedelta(days=1)'
    """
    if word in ("enum", "flag") and type(value) is str:
        return spelled(value, _members(simple(name), value))
    if type(value) not in _CLASSES or type(value) is str and word not in _SPELLINGS:
        return value
    try:
        return spelled(value, _SPELLINGS.get(word, repr)(decoded(value)))
    except _BROKEN:
        return spelled(value, repr(value))


def simple(name: str) -> str:
    """Return the name of a class without its module.

    >>> simple("game:Vec2")
    'Vec2'
    """
    return name.rpartition(":")[2]


def decoded(value: Any) -> Any:
    """Return a plain value as Python has it: JSON has no form for bytes, for example.

    >>> decoded([1, {"$bytes": "YWI="}])
    [1, b'ab']
    """
    match value:
        case list():
            return [*map(decoded, value)]
        case {"$float": str(text)}:
            return float(text.partition(" ")[0])
        case {"$int": str(text)}:
            return int(text, 16)
        case {"$str": str(text)}:
            return text.encode("ascii").decode("unicode_escape")
        case {"$bytes": str(text)}:
            return b64decode(text)
    return value


def _members(name: str, text: str) -> str:
    """Spell a member of an enumeration, or bits of a flag.

    >>> _members("Side", "TOP|LEFT"), _members("Side", "0")
    ('Side.TOP | Side.LEFT', 'Side(0)')
    """
    parts = text.split("|")
    return " | ".join(
        f"{name}({part})" if part[:1].isdigit() else f"{name}.{part}" for part in parts
    )


def _moment(parse: Callable[[str], date | time]) -> Callable[[Any], str]:
    """Return what spells a day or a time. One with a zone stays a list."""

    def spelling(value: Any) -> str:
        if type(value) is list:
            return repr(value)
        return repr(parse(value)).removeprefix("datetime.")

    return spelling


def _complex(value: Any) -> str:
    return repr(complex(*value) if type(value) is list else value)


def _uuid(value: Any) -> str:
    if type(value) is bytes:
        return repr(UUID(bytes=value[:16]))
    return repr(UUID(value.partition(" ")[0]))


_PATHS = {"posix": "PurePosixPath", "windows": "PureWindowsPath", "path": "Path"}

_SPELLINGS: Mapping[str, Callable[[Any], str]] = {
    "bytearray": lambda value: repr(bytearray(value)),
    "complex": _complex,
    "date": _moment(date.fromisoformat),
    "datetime": _moment(datetime.fromisoformat),
    "time": _moment(time.fromisoformat),
    "timedelta": lambda value: repr(timedelta(*value)).removeprefix("datetime."),
    "decimal": lambda value: repr(Decimal(value)),
    "fraction": lambda value: repr(Fraction(*value)),
    "path": lambda value: f"{_PATHS.get(value[0], 'Path')}({value[1]!r})",
    "uuid": _uuid,
}
# Words of values without parts that are written in a tree as they are in a column.
SPELLED_IN_TREES = frozenset(_SPELLINGS)
