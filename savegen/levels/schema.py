"""JSON held against a JSON Schema: as much of 2020-12 as generated schemas need.

Other than most validators it looks at formats, as msgspec does when a game reads the same, and
it names what was meant.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, NamedTuple
from uuid import UUID

import msgspec

from savegen.levels.json_text import Path
from savegen.runtime.errors import a, nearest

_HUGE = 1 << 1024  # no float is so large; JSON read whole has none either
Schema = Mapping[str, Any]
REFERENCES = "x-references"  # the `$type`s of what a text may name

_TYPES: dict[str, Callable[[Any], bool]] = {
    "null": lambda it: it is None,
    "boolean": lambda it: isinstance(it, bool),
    "integer": lambda it: type(it) is int,
    "number": lambda it: _is_number(it) and -_HUGE < it < _HUGE,
    "string": lambda it: isinstance(it, str),
    "array": lambda it: isinstance(it, list),
    "object": lambda it: isinstance(it, dict),
}
_SHOWN = {
    "null": "null",
    "boolean": "true or false",
    "integer": "a whole number",
    "number": "a number",
    "string": "a string",
    "array": "a list",
    "object": "an object",
}
_FORMATS: dict[str, Any] = {
    "date": date,
    "date-time": datetime,
    "decimal": Decimal,
    "duration": timedelta,
    "time": time,
    "uuid": UUID,
}
_BOUNDS: dict[str, tuple[str, Callable[[Any, Any], bool]]] = {
    "minimum": ("at least", lambda it, bound: it >= bound),
    "exclusiveMinimum": ("more than", lambda it, bound: it > bound),
    "maximum": ("at most", lambda it, bound: it <= bound),
    "exclusiveMaximum": ("less than", lambda it, bound: it < bound),
}
_LENGTHS = {
    "minItems": ("at least {} required", list),
    "maxItems": ("at most {} allowed", list),
    "minLength": ("at least {} required", str),
    "maxLength": ("at most {} allowed", str),
}


class Fault(NamedTuple):
    """What is wrong in a value, and where in it."""

    path: Path
    what: str
    of_key: bool = False  # the key is wrong, and not what it leads to


class Mention(NamedTuple):
    """A text that names something, and what may have that name."""

    path: Path
    id: str
    tags: frozenset[str]


class Validator:
    """Tells what is wrong with values, and what they refer to.

    >>> limited = Validator({"$defs": {"Hp": {"type": "integer", "minimum": 1}}})
    >>> list(limited.faults(0, {"$ref": "#/$defs/Hp"}))
    [Fault(path=(), what='expected at least 1, got 0', of_key=False)]
    """

    def __init__(self, root: Schema) -> None:
        self._definitions: Mapping[str, Schema] = root.get("$defs", {})

    def resolved(self, schema: Schema | bool) -> Schema:
        """Return a schema, or what it refers to."""
        if isinstance(schema, bool):
            return {} if schema else {"not": {}}
        while name := schema.get("$ref"):
            schema = self._definitions[name.removeprefix("#/$defs/")]
        return schema

    def faults(
        self, value: Any, schema: Schema | bool, path: Path = ()
    ) -> Iterator[Fault]:
        """Yield all that is wrong with a value."""
        schema = self.resolved(schema)
        if "not" in schema:
            yield Fault(path, "no value is allowed here")
        elif not _has_type(value, schema):
            yield Fault(path, _other(value, _wanted(schema)))
        elif "anyOf" in schema:
            yield from self._of_any(value, schema, path)
        else:
            yield from (Fault(path, what) for what in _wrong(value, schema))
            for inner, part, where in self._inside(value, schema, path):
                yield from self.faults(inner, part, where)
            if isinstance(value, dict):
                yield from self._of_keys(value, schema, path)

    def mentions(
        self, value: Any, schema: Schema | bool, path: Path = ()
    ) -> Iterator[Mention]:
        """Yield what a value without faults refers to."""
        schema = self.resolved(schema)
        for part in schema.get("anyOf", ()):
            if not any(self.faults(value, part)):
                yield from self.mentions(value, part, path)
                return
        if REFERENCES in schema and isinstance(value, str):
            yield Mention(path, value, frozenset(schema[REFERENCES]))
        for inner, part, where in self._inside(value, schema, path):
            yield from self.mentions(inner, part, where)
        if isinstance(value, dict) and "propertyNames" in schema:
            for key in value:
                yield from self.mentions(key, schema["propertyNames"], (*path, key))

    def _inside(
        self, value: Any, schema: Schema, path: Path
    ) -> Iterator[tuple[Any, Schema | bool, Path]]:
        """Yield what is in an array or an object, with its schema and its place."""
        if isinstance(value, list):
            first = schema.get("prefixItems", ())
            rest = schema.get("items", True)
            for place, each in enumerate(value):
                part = first[place] if place < len(first) else rest
                yield each, part, (*path, place)
        if isinstance(value, dict):
            known = schema.get("properties", {})
            others: Any = schema.get("additionalProperties", True)
            for key, each in value.items():
                if key in known or others is not False:
                    yield each, known.get(key, others), (*path, key)

    def _of_keys(
        self, value: Mapping[str, Any], schema: Schema, path: Path
    ) -> Iterator[Fault]:
        known = schema.get("properties", {})
        for key in value:
            where = (*path, key)
            if key not in known and schema.get("additionalProperties") is False:
                yield Fault(where, _no_parameter(key, schema), True)
            for fault in self.faults(key, schema.get("propertyNames", True), where):
                yield fault._replace(of_key=True)
        for key in schema.get("required", ()):
            if key not in value:
                yield Fault(path, f"{key!r} is missing")

    def _of_any(self, value: Any, schema: Schema, path: Path) -> Iterator[Fault]:
        """Yield what is wrong with a value that none of some schemas allows."""
        found = [[*self.faults(value, part, path)] for part in schema["anyOf"]]
        if not all(found):
            return
        meant = [
            faults
            for faults, part in zip(found, schema["anyOf"])
            if _has_type(value, self.resolved(part))
        ]
        if len(meant) == 1:
            yield from meant[0]
        else:
            parts = [self.resolved(part) for part in schema["anyOf"]]
            yield Fault(path, _other(value, " or ".join(map(_wanted, parts))))


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _has_type(value: Any, schema: Schema) -> bool:
    """Tell whether a value has the type that a schema asks for."""
    names = _types(schema)
    if schema.get("format") == "decimal" and _is_number(value):
        return True  # of any size: msgspec reads numbers, too
    return not names or any(_TYPES[name](value) for name in names)


def _wanted(schema: Schema) -> str:
    if "enum" in schema:
        return "one of " + ", ".join(map(repr, schema["enum"]))
    return " or ".join(_SHOWN[name] for name in _types(schema)) or "something else"


def _types(schema: Schema) -> Sequence[str]:
    types = schema.get("type", ())
    return [types] if isinstance(types, str) else types


def _other(value: Any, wanted: str) -> str:
    found = next(_SHOWN[name] for name, is_one in _TYPES.items() if is_one(value))
    if isinstance(value, bool):
        found = "true" if value else "false"
    return f"expected {wanted}, got {found}"


def _no_parameter(key: str, schema: Schema) -> str:
    """Return that there is no such key, and which was meant."""
    tags = schema.get("properties", {}).get("$type", {}).get("enum", ())
    owner = (
        tags[0] if tags else a(schema["title"]) if "title" in schema else "this object"
    )
    names = [name for name in schema.get("properties", {}) if name != "$type"]
    return f"{owner} has no parameter {nearest(key, names)}"


def _wrong(value: Any, schema: Schema) -> Iterator[str]:
    """Yield what is wrong with a value of the right type, whatever is inside it."""
    if "enum" in schema and not any(_is_same(value, each) for each in schema["enum"]):
        yield _no_member(value, schema["enum"])
    if isinstance(value, str):
        yield from _of_text(value, schema)
    yield from _outside(value, schema)
    for word, (shown, type) in _LENGTHS.items():
        if word in schema and isinstance(value, type):
            bound, length = schema[word], len(value)
            if length < bound if word.startswith("min") else length > bound:
                yield f"has {_counted(length, type)}; {_allowed(shown, bound)}"


def _counted(length: int, type: type) -> str:
    unit = "element" if type is list else "character"
    return f"{length} {unit}{'' if length == 1 else 's'}"


def _allowed(shown: str, bound: int) -> str:
    return shown.format(f"{bound} {'is' if bound == 1 else 'are'}")


def _is_same(value: Any, member: Any) -> bool:
    return type(value) is type(member) and bool(value == member)


def _no_member(value: Any, members: list[Any]) -> str:
    if isinstance(value, str):
        return f"unknown value {nearest(value, map(str, members))}"
    return _other(value, _wanted({"enum": members}))


def _of_text(value: str, schema: Schema) -> Iterator[str]:
    pattern, form = schema.get("pattern"), _FORMATS.get(schema.get("format", ""))
    if pattern is not None and re.search(pattern, value) is None:
        yield f"{value!r} does not match {pattern}"
    if schema.get("contentEncoding") == "base64":
        form = bytes
    try:
        if form is not None:
            msgspec.convert(value, form)
    except msgspec.ValidationError:
        yield f"{value!r} is not a valid {schema.get('format', 'base64 string')}"


def _outside(value: Any, schema: Schema) -> Iterator[str]:
    number = value
    if schema.get("format") == "decimal" and isinstance(value, str):
        try:
            number = float(Decimal(value))
        except ArithmeticError:  # it is not a number: that is reported already
            return
        except ValueError:
            number = float("nan")
    if not _is_number(number):
        return
    for word, (shown, is_within) in _BOUNDS.items():
        if word in schema and not is_within(number, schema[word]):
            yield f"expected {shown} {schema[word]}, got {value}"
