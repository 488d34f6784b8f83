"""Check JSON against a JSON Schema: as much of 2020-12 as generated schemas need.

Unlike most validators it checks formats, as msgspec does when the game reads a level, and
suggests similar names.
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
from savegen.runtime.errors import with_article, nearest

Schema = Mapping[str, Any]
REFERENCES = "x-references"  # the `$type`s of the objects that a string may refer to
HINT = "x-hint"  # what to write for a required key that is missing

_HUGE = 1 << 1024  # larger than any float
_UNLISTED = ("$type", "$schema", "@generated")  # keys that are not suggested

# The name of each type in messages, and a test whether a value has it.
_TYPES: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "null": ("null", lambda it: it is None),
    "boolean": ("true or false", lambda it: isinstance(it, bool)),
    "integer": ("a whole number", lambda it: type(it) is int),
    "number": ("a number", lambda it: _is_number(it) and -_HUGE < it < _HUGE),
    "string": ("a string", lambda it: isinstance(it, str)),
    "array": ("a list", lambda it: isinstance(it, list)),
    "object": ("an object", lambda it: isinstance(it, dict)),
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
    "minItems": (list, "element", "at least {} required"),
    "maxItems": (list, "element", "at most {} allowed"),
    "minLength": (str, "character", "at least {} required"),
    "maxLength": (str, "character", "at most {} allowed"),
}


class Fault(NamedTuple):
    """An error in a value, and its place."""

    path: Path
    reason: str
    of_key: bool = False  # the key is wrong, not its value

    def message(self, path: Path) -> str:
        """Return the error with its place, which is `path` in the file.

        >>> Fault((), "expected a string, got null").message(("spots", 0, "name"))
        '`spots[0].name`: expected a string, got null'
        """
        steps = (f"[{s}]" if isinstance(s, int) else f".{s}" for s in path)
        place = "".join(steps).removeprefix(".")
        return f"`{place}`: {self.reason}" if place and not self.of_key else self.reason


class Mention(NamedTuple):
    """A reference to an object, by its `$id`."""

    path: Path
    id: str
    tags: frozenset[str]  # the `$type`s that it may have


class Validator:
    """Finds the errors in values, and their references, by a schema.

    >>> root = {"$ref": "#/$defs/Hp", "$defs": {"Hp": {"type": "integer", "minimum": 1}}}
    >>> list(Validator(root).faults(0))
    [Fault(path=(), reason='expected at least 1, got 0', of_key=False)]
    """

    def __init__(self, root: Schema) -> None:
        self.root = root
        self._definitions: Mapping[str, Schema] = root.get("$defs", {})

    def resolved(self, schema: Schema | bool) -> Schema:
        """Return a schema, or the one that it refers to."""
        if isinstance(schema, bool):
            return {} if schema else {"not": {}}
        while name := schema.get("$ref"):
            schema = self._definitions[name.removeprefix("#/$defs/")]
        return schema

    def faults(
        self, value: Any, schema: Schema | bool | None = None, path: Path = ()
    ) -> Iterator[Fault]:
        """Yield all errors in a value, by the root schema or one inside it."""
        schema = self.resolved(self.root if schema is None else schema)
        if "not" in schema:
            yield Fault(path, "no value is allowed here")
        elif not _has_type(value, schema):
            yield Fault(path, _expected(_wanted(schema), value))
        elif "anyOf" in schema:
            yield from self._any_of(value, schema, path)
        else:
            yield from (Fault(path, reason) for reason in _wrong(value, schema))
            for inner, part, where in self._inside(value, schema, path):
                yield from self.faults(inner, part, where)
            if isinstance(value, dict):
                yield from self._of_keys(value, schema, path)

    def mentions(
        self, value: Any, schema: Schema | bool | None = None, path: Path = ()
    ) -> Iterator[Mention]:
        """Yield the references in a value without errors."""
        schema = self.resolved(self.root if schema is None else schema)
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
        """Yield the members of an array or an object, with their schemas and places."""
        if isinstance(value, list):
            first = schema.get("prefixItems", ())
            rest = schema.get("items", True)
            for place, each in enumerate(value):
                part = first[place] if place < len(first) else rest
                yield each, part, (*path, place)
        if isinstance(value, dict):
            properties = schema.get("properties", {})
            others: Any = schema.get("additionalProperties", True)
            for key, each in value.items():
                if key in properties or others is not False:
                    yield each, properties.get(key, others), (*path, key)

    def _of_keys(
        self, value: Mapping[str, Any], schema: Schema, path: Path
    ) -> Iterator[Fault]:
        properties = schema.get("properties", {})
        for key in value:
            where = (*path, key)
            if key not in properties and schema.get("additionalProperties") is False:
                yield Fault(where, _unknown_key(key, schema), True)
            for fault in self.faults(key, schema.get("propertyNames", True), where):
                yield fault._replace(of_key=True)
        for key in schema.get("required", ()):
            if key not in value:
                hint = self.resolved(properties.get(key, {})).get(HINT, "")
                yield Fault(path, f"`{key}` is missing{hint and f'; {hint}'}")

    def _any_of(self, value: Any, schema: Schema, path: Path) -> Iterator[Fault]:
        """Yield errors if none of several schemas allows a value."""
        parts = [self.resolved(part) for part in schema["anyOf"]]
        faults = [[*self.faults(value, part, path)] for part in parts]
        if not all(faults):
            return
        of_type = [each for each, part in zip(faults, parts) if _has_type(value, part)]
        if len(of_type) == 1:
            yield from of_type[0]
        else:
            wanted = " or ".join(map(_wanted, parts))
            yield Fault(path, _expected(wanted, value))


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _has_type(value: Any, schema: Schema) -> bool:
    """Return whether a value has the type that a schema asks for."""
    names = _types(schema)
    if schema.get("format") == "decimal" and _is_number(value):
        return True  # of any size: msgspec also reads numbers
    return not names or any(_TYPES[name][1](value) for name in names)


def _types(schema: Schema) -> Sequence[str]:
    types = schema.get("type", ())
    return [types] if isinstance(types, str) else types


def _wanted(schema: Schema) -> str:
    if "enum" in schema:
        return "one of " + ", ".join(map(repr, schema["enum"]))
    shown = (_TYPES[name][0] for name in _types(schema))
    return " or ".join(shown) or "something else"


def _expected(wanted: str, value: Any) -> str:
    found = next(shown for shown, is_one in _TYPES.values() if is_one(value))
    if isinstance(value, bool):
        found = "true" if value else "false"
    elif "a number" in wanted and _is_number(value) and abs(value) >= _HUGE:
        found = "a number that is too large"
    return f"expected {wanted}, got {found}"


def _unknown_key(key: str, schema: Schema) -> str:
    """Return an error with a suggestion."""
    properties = schema.get("properties", {})
    suggestion = nearest(key, [name for name in properties if name not in _UNLISTED])
    if tags := properties.get("$type", {}).get("enum"):
        return f"{tags[0]} has no parameter {suggestion}"
    if title := schema.get("title"):
        return f"{with_article(title)} has no parameter {suggestion}"
    return f"unknown key {suggestion}"


def _wrong(value: Any, schema: Schema) -> Iterator[str]:
    """Yield the errors in a value of the right type, except those inside it."""
    members = schema.get("enum")
    if members is not None and not any(_is_same(value, each) for each in members):
        is_text = isinstance(value, str)
        suggestion = nearest(value, map(str, members)) if is_text else ""
        named = f"unknown value {suggestion}"
        yield named if is_text else _expected(_wanted(schema), value)
    if isinstance(value, str):
        yield from _wrong_text(value, schema)
    yield from _out_of_bounds(value, schema)
    for word, (type, noun, rule) in _LENGTHS.items():
        if word in schema and isinstance(value, type):
            bound, length = schema[word], len(value)
            if length < bound if word.startswith("min") else length > bound:
                counted = f"{length} {noun}{'' if length == 1 else 's'}"
                limit = f"{bound} {'is' if bound == 1 else 'are'}"
                yield f"has {counted}; {rule.format(limit)}"


def _is_same(value: Any, member: Any) -> bool:
    return type(value) is type(member) and bool(value == member)


def _wrong_text(value: str, schema: Schema) -> Iterator[str]:
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


def _out_of_bounds(value: Any, schema: Schema) -> Iterator[str]:
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
