"""Show the values of a save in a readable form."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from savegen.runtime.saves.document import Document, Table
from savegen.runtime.saves.wire import to_plain
from savegen.saves.spelling import SPELLED_IN_TREES, Spelled, decoded, simple, spell

Row = dict[str, Any]
Shapes = Mapping[str, Iterable[tuple[str, Any]]]


class Name(str):
    """What an object is called; it is printed without quotes."""


class Record(dict[str, Any]):
    """The fields of a value whose class is `cls`."""

    cls = ""


class Unordered(list[Any]):
    """The members of a set."""


class Entries(list[Any]):
    """The keys and values of a dict, in pairs."""


class Tree(list[Any]):
    """A value that names its own type, such as `["tuple", 1.0, 2.0]`: a codec returned it."""


class Reference(dict[str, int]):
    """A reference to an object: `{"$ref": number}`."""


class Headed(dict[str, Any]):
    """A value behind what JSON needs to know of it: `{"$is": 1, "value": 3}`.

    That is the place of its type in a union, the limit of a deque, or a dict's factory.
    """

    @property
    def head(self) -> Any:
        return next(iter(self.values()))

    @property
    def inner(self) -> Any:
        return [*self.values()][-1]


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
    word, *parts = [form] if isinstance(form, str) else form
    typed = partial(with_types, shapes=shapes)
    match word, value:
        case "ref", {"$ref": int()}:
            return Reference(value)
        case "any" | "foreign", list():
            return Tree(value)
        case "optional", _:
            return with_types(parts[0], shapes, value)
        case "union", {"$is": int(place), "value": inner} if 0 <= place < len(parts):
            return Headed(value, value=typed(parts[place], value=inner))
        case "deque", {"$maxlen": _, "items": items}:
            return Headed(value, items=typed(["list", *parts], value=items))
        case "defaultdict", {"$factory": _, "items": items}:
            return Headed(value, items=typed(["dict", *parts], value=items))
        case "record" | "keys", dict():
            return _record(word, parts[0], shapes, value)
        case "dict" | "ordereddict" | "counter", dict() | list():
            key, item = [*parts, "int"][:2]
            return _mapping(partial(typed, key), partial(typed, item), value)
        case "places", list() if len(parts) == len(value):
            return tuple(typed(p, value=v) for p, v in zip(parts, value, strict=True))
        case _, list() if word in _SEQUENCES:
            return _SEQUENCES[word](typed(parts[0], value=each) for each in value)
    name = parts[0] if parts and isinstance(parts[0], str) else ""
    return spell(word, name, value)


_SEQUENCES: Mapping[str, Callable[[Iterable[Any]], Any]] = {
    "list": list,
    "deque": list,
    "maybe": list,
    "tuple": tuple,
    "set": Unordered,
    "frozenset": Unordered,
}


def _record(word: str, name: str, shapes: Shapes, value: dict[str, Any]) -> Any:
    """Return the fields of a record; those of a `TypedDict` are a dict."""
    forms = dict(shapes.get(name, ()))
    fields = {}
    for key, each in value.items():
        form = forms.get(key, "none")
        if word == "keys" and form[0] == "maybe":
            form = form[1]
        fields[key] = with_types(form, shapes, each)
    return fields if word == "keys" else record_of(name, fields)


def record_of(name: str, fields: Any) -> Record:
    made = Record(fields)
    made.cls = simple(name)
    return made


Typed = Callable[..., Any]


def _mapping(key: Typed, item: Typed, value: Any) -> Any:
    """Return the entries of a dict: JSON has a dict only if all keys are texts."""
    if isinstance(value, dict):
        return {key(value=k): item(value=each) for k, each in value.items()}
    return Entries((key(value=k), item(value=each)) for k, each in value)


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
            return spell("enum", name, member)
        case ["record", str(name), *parts] if all(map(_is_text, parts[::2])):
            return record_of(name, _in_pairs(map(untangled, parts)))
        case [str(word), list() | str() | dict()] if word in SPELLED_IN_TREES:
            return spell(word, "", tree[1])
        case dict():
            return spell("any", "", tree)
    return tree


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _in_pairs(values: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
    each = iter(values)
    return zip(each, each)


def references(value: Any, path: str) -> Iterator[tuple[str, int]]:
    """Yield the objects that a typed value refers to, each with its path: `.chests[2]`."""
    if isinstance(value, Reference):
        yield path, value["$ref"]
    elif isinstance(value, dict):
        for key, member in value.items():
            yield from references(member, f"{path}.{key}")
    elif isinstance(value, (list, tuple)):
        for place, member in enumerate(value):
            yield from references(member, f"{path}[{place}]")


def with_names(value: Any, name: Callable[[int], str]) -> Any:
    """Return a typed value with the names of objects in place of their numbers."""
    if isinstance(value, Spelled):
        return value
    if isinstance(value, Reference):
        return Name(name(value["$ref"]))
    if isinstance(value, dict):
        fields = {key: with_names(member, name) for key, member in value.items()}
        if isinstance(value, Record):
            return record_of(value.cls, fields)
        return type(value)(fields)
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
        case Spelled():
            return value.spelling
        case Headed():
            return _text(value.inner)
        case Record():
            fields = (f"{name}={_text(each)}" for name, each in value.items())
            return f"{value.cls}({', '.join(fields)})"
        case dict():
            return f"{{{_pairs(value.items())}}}"
        case Entries():
            return f"{{{_pairs(value)}}}"
        case Tree():
            found = untangled(value)
            return _text(decoded([*value]) if found is value else found)
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
