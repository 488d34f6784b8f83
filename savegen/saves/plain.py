"""Show the values of a save in a readable form."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from functools import partial
from typing import Any

from savegen.runtime.saves.document import Document, Table
from savegen.runtime.saves.wire import to_plain

Row = dict[str, Any]
Shapes = Mapping[str, Iterable[tuple[str, Any]]]


class Name(str):
    """What an object is called; it is printed without quotes."""


class Member(str):
    """The name of an enumeration's member; `cls` is the enumeration."""

    cls = ""


class Record(dict[str, Any]):
    """The fields of a value whose class is `cls`."""

    cls = ""


class Unordered(list[Any]):
    """The members of a set."""


class Entries(list[Any]):
    """The keys and values of a dict, in pairs."""


class Tree(list[Any]):
    """A value that names its own type, such as `["tuple", 1.0, 2.0]`: a codec returned it."""


class Chosen(dict[str, Any]):
    """A value of a union, with the place of its type: `{"$is": 1, "value": 3}`."""


ABSENT = Name("–")


def plain_rows(document: Document, table: Table, typed: bool = False) -> Iterator[Row]:
    """Yield the rows of a table: values by field name, a reference as `{"$ref": number}`.

    Rows that are `typed` are the same JSON; their values know how Python would print them.
    """
    names = [column.name for column in table.columns]
    for piece in table.pieces:
        columns = [
            to_plain(column.form, document.shapes, values)
            for column, values in zip(table.columns, piece, strict=True)
        ]
        for row in zip(*columns, strict=True):
            if typed:
                cells = zip(table.columns, row, strict=True)
                row = tuple(with_types(c.form, document.shapes, v) for c, v in cells)
            yield dict(zip(names, row, strict=True))


def with_types(form: Any, shapes: Shapes, value: Any) -> Any:
    """Return a plain value that knows its type, as far as the form gives it."""
    if value is None or isinstance(form, str):
        return Tree(value) if form == "any" and type(value) is list else value
    word, *parts = form
    typed = partial(with_types, shapes=shapes)
    match word, value:
        case "foreign", list():
            return Tree(value)
        case "union", {"$is": int(place), "value": inner} if 0 <= place < len(parts):
            return Chosen(value, value=typed(parts[place], value=inner))
        case "union", _:
            fitting = [part for part in parts if _fits(part, value)]
            return typed(fitting[0], value=value) if len(fitting) == 1 else value
        case "optional", _:
            return with_types(parts[0], shapes, value)
        case "enum", str():
            member = Member(value)
            member.cls = _simple(parts[0])
            return member
        case "record", dict():
            forms = dict(shapes.get(parts[0], ()))
            record = Record(
                {k: typed(forms.get(k, ""), value=v) for k, v in value.items()}
            )
            record.cls = _simple(parts[0])
            return record
        case "list" | "deque", list():
            return [typed(parts[0], value=each) for each in value]
        case "set" | "frozenset", list():
            return Unordered(typed(parts[0], value=each) for each in value)
        case "tuple", list():
            return tuple(typed(parts[0], value=each) for each in value)
        case "places", list() if len(parts) == len(value):
            return tuple(typed(p, value=v) for p, v in zip(parts, value, strict=True))
        case "dict", list():
            return Entries(
                (typed(parts[0], value=key), typed(parts[1], value=each))
                for key, each in value
            )
        case "dict", dict():
            return {key: typed(parts[1], value=each) for key, each in value.items()}
    return value


_LISTS = frozenset(
    "any deque dict foreign frozenset list places record set tuple".split()
)


def _fits(form: Any, value: Any) -> bool:
    """Return whether a plain value may be of a form, as far as its JSON type shows."""
    word = form if isinstance(form, str) else form[0]
    match value:
        case str():
            return word in ("enum", "str")
        case list():
            return word in _LISTS - {"record"}
        case dict():
            return word in ("dict", "record")
    return False


def untangled(tree: Any) -> Any:
    """Return the value of a tree, typed as `with_types` types the values of other forms.

    >>> untangled(["tuple", 1.5, ["list", 2]])
    (1.5, [2])
    """
    match tree:
        case ["list", *parts] | ["deque", _, *parts]:
            return [*map(untangled, parts)]
        case ["tuple", *parts]:
            return (*map(untangled, parts),)
        case ["set" | "frozenset", *parts]:
            return Unordered(map(untangled, parts))
        case ["dict" | "ordereddict" | "counter", *parts] | ["defaultdict", _, *parts]:
            return Entries(_in_pairs(map(untangled, parts)))
        case ["foreign", str(), inner]:
            return untangled(inner)
        case ["enum", str(name), str(member)]:
            found = Member(member)
            found.cls = _simple(name)
            return found
        case ["record", str(name), *parts] if all(map(_is_text, parts[::2])):
            record = Record(_in_pairs(map(untangled, parts)))
            record.cls = _simple(name)
            return record
    return tree


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _in_pairs(values: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
    each = iter(values)
    return zip(each, each)


def _simple(name: str) -> str:
    return name.rpartition(":")[2]


def references(value: Any, path: str) -> Iterator[tuple[str, int]]:
    """Yield the objects that a value refers to, each with its path: `.chests[2]`."""
    if isinstance(value, dict):
        if value.keys() == {"$ref"}:
            yield path, value["$ref"]
            return
        for key, member in value.items():
            yield from references(member, f"{path}.{key}")
    elif isinstance(value, (list, tuple)):
        for place, member in enumerate(value):
            yield from references(member, f"{path}[{place}]")


def with_names(value: Any, name: Callable[[int], str]) -> Any:
    """Return a value with the names of objects in place of their numbers."""
    if isinstance(value, dict):
        if value.keys() == {"$ref"}:
            return Name(name(value["$ref"]))
        named = {key: with_names(member, name) for key, member in value.items()}
        if isinstance(value, Chosen):
            return Chosen(named)
        if not isinstance(value, Record):
            return named
        record = Record(named)
        record.cls = value.cls
        return record
    if isinstance(value, (list, tuple)):
        return type(value)(with_names(member, name) for member in value)
    return value


def shown(value: Any, longest: int = 48) -> str:
    """Return a value on one line as Python prints it, its end left out if it is long.

    >>> shown({"x": 1.5, "names": ["Grub", None]}), shown((672.5, 80.0)), shown((True,))
    ("{'x': 1.5, 'names': ['Grub', None]}", '(672.5, 80.0)', '(True,)')
    """
    text = _text(value)
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def _text(value: Any) -> str:
    match value:
        case Name():
            return str(value)
        case Member():
            return f"{value.cls}.{value}"
        case Chosen():
            return _text(value["value"])
        case Record():
            fields = (f"{name}={_text(each)}" for name, each in value.items())
            return f"{value.cls}({', '.join(fields)})"
        case {"$float": str(number), **rest} if not rest:
            return number
        case {"$bytes": str(data), **rest} if not rest:
            return repr(b64decode(data))
        case dict():
            return f"{{{_pairs(value.items())}}}"
        case Entries():
            return f"{{{_pairs(value)}}}"
        case Tree():
            found = untangled(value)
            return _text([*value] if found is value else found)
        case Unordered():
            return f"{{{', '.join(map(_text, value))}}}" if value else "set()"
        case list():
            return f"[{', '.join(map(_text, value))}]"
        case tuple():
            comma = "," * (len(value) == 1)
            return f"({', '.join(map(_text, value))}{comma})"
    return repr(value)


def _pairs(items: Iterable[tuple[Any, Any]]) -> str:
    return ", ".join(f"{_text(key)}: {_text(each)}" for key, each in items)


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
