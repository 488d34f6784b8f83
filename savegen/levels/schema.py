"""Check JSON against a JSON Schema: the part of version 2020-12 that generated schemas use.

Unlike most validators, this one checks formats, as msgspec does when the game reads a level, and it
suggests similar names.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from itertools import chain, repeat
from typing import Any, NamedTuple
from uuid import UUID

import msgspec

from savegen.levels.json_text import JsonPath
from savegen.runtime.errors import nearest, with_article

Schema = Mapping[str, Any]
# Keyword of the schema of an `$id` string: the allowed `$type`s of the object.
REFERENCES = "x-references"
# Keyword of the schema of a required key: advice for the error if it is missing.
HINT = "x-hint"

_HUGE = 1 << 1024  # larger than any float
_NEVER_SUGGESTED = ("$type", "$schema", "@generated")

# For each type its name in messages, and a test whether a value has the type.
_TYPES: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "null": ("null", lambda value: value is None),
    "boolean": ("true or false", lambda value: isinstance(value, bool)),
    "integer": ("a whole number", lambda value: type(value) is int),
    "number": ("a number", lambda value: _is_number(value) and abs(value) < _HUGE),
    "string": ("a string", lambda value: isinstance(value, str)),
    "array": ("a list", lambda value: isinstance(value, list)),
    "object": ("an object", lambda value: isinstance(value, dict)),
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
    "minimum": ("at least", operator.ge),
    "exclusiveMinimum": ("more than", operator.gt),
    "maximum": ("at most", operator.le),
    "exclusiveMaximum": ("less than", operator.lt),
}
_LENGTHS = {
    "minItems": (list, "element", "at least {} required"),
    "maxItems": (list, "element", "at most {} allowed"),
    "minLength": (str, "character", "at least {} required"),
    "maxLength": (str, "character", "at most {} allowed"),
}


class EntryFault(NamedTuple):
    """An error in a value."""

    path: JsonPath  # from the value that was checked
    reason: str
    of_key: bool = False  # the key is wrong, not its value

    def message(self, path: JsonPath) -> str:
        """Return the error as text with its place.

        `path` replaces the fault's own path, for example by that in the whole file.

        >>> EntryFault((), "expected a string, got null").message(("spots", 0, "name"))
        '`spots[0].name`: expected a string, got null'
        """
        steps = (f"[{key}]" if isinstance(key, int) else f".{key}" for key in path)
        place = "".join(steps).removeprefix(".")
        return f"`{place}`: {self.reason}" if place and not self.of_key else self.reason


class IdReference(NamedTuple):
    """A string in an entry that refers to an object by its `$id`."""

    path: JsonPath
    id: str
    type_names: frozenset[str]  # the `$type`s that the object may have


class Validator:
    """Finds the errors and the references in values by a schema.

    >>> root = {"$ref": "#/$defs/Hp", "$defs": {"Hp": {"type": "integer", "minimum": 1}}}
    >>> list(Validator(root).faults(0))
    [EntryFault(path=(), reason='expected at least 1, got 0', of_key=False)]
    """

    def __init__(self, root: Schema) -> None:
        self.root = root
        self._definitions: Mapping[str, Schema] = root.get("$defs", {})

    def resolved(self, schema: Schema | bool) -> Schema:
        """Return a schema, or the definition to which its `$ref` refers."""
        if isinstance(schema, bool):
            return {} if schema else {"not": {}}
        while name := schema.get("$ref"):
            schema = self._definitions[name.removeprefix("#/$defs/")]
        return schema

    def faults(
        self, value: Any, schema: Schema | bool | None = None, path: JsonPath = ()
    ) -> Iterator[EntryFault]:
        """Yield all errors of a value against `schema`; by default, against the root schema."""
        schema = self.resolved(self.root if schema is None else schema)
        if "not" in schema:
            yield EntryFault(path, "no value is allowed here")
        elif not _has_type(value, schema):
            yield EntryFault(path, _type_error(value, schema))
        elif "anyOf" in schema:
            yield from self._any_of(value, schema, path)
        else:
            yield from (EntryFault(path, reason) for reason in _errors(value, schema))
            for member in self._members(value, schema, path):
                yield from self.faults(*member)
            if isinstance(value, dict):
                yield from self._key_faults(value, schema, path)

    def references(
        self, value: Any, schema: Schema | bool | None = None, path: JsonPath = ()
    ) -> Iterator[IdReference]:
        """Yield the references in a value without errors."""
        schema = self.resolved(self.root if schema is None else schema)
        for choice in schema.get("anyOf", ()):
            if not any(self.faults(value, choice)):
                yield from self.references(value, choice, path)
                return
        if REFERENCES in schema and isinstance(value, str):
            yield IdReference(path, value, frozenset(schema[REFERENCES]))
        for member in self._members(value, schema, path):
            yield from self.references(*member)
        if isinstance(value, dict) and "propertyNames" in schema:
            for key in value:
                yield from self.references(key, schema["propertyNames"], (*path, key))

    def _members(
        self, value: Any, schema: Schema, path: JsonPath
    ) -> Iterator[tuple[Any, Schema | bool, JsonPath]]:
        """Yield the members of an array or an object, with their schemas and paths."""
        if isinstance(value, list):
            rest = repeat(schema.get("items", True))
            schemas = chain(schema.get("prefixItems", ()), rest)
            for index, (member, inner) in enumerate(zip(value, schemas)):
                yield member, inner, (*path, index)
        if isinstance(value, dict):
            properties = schema.get("properties", {})
            others: Any = schema.get("additionalProperties", True)
            for key, member in value.items():
                if key in properties or others is not False:
                    yield member, properties.get(key, others), (*path, key)

    def _key_faults(
        self, value: Mapping[str, Any], schema: Schema, path: JsonPath
    ) -> Iterator[EntryFault]:
        properties = schema.get("properties", {})
        for key in value:
            inside = (*path, key)
            if key not in properties and schema.get("additionalProperties") is False:
                yield EntryFault(inside, _unknown_key(key, schema), True)
            for fault in self.faults(key, schema.get("propertyNames", True), inside):
                yield fault._replace(of_key=True)
        for key in schema.get("required", ()):
            if key not in value:
                hint = self.resolved(properties.get(key, {})).get(HINT, "")
                yield EntryFault(path, f"`{key}` is missing{hint and f'; {hint}'}")

    def _any_of(
        self, value: Any, schema: Schema, path: JsonPath
    ) -> Iterator[EntryFault]:
        """Yield errors if none of several schemas allows a value."""
        choices = [self.resolved(choice) for choice in schema["anyOf"]]
        faults = [[*self.faults(value, choice, path)] for choice in choices]
        if not all(faults):
            return
        fitting = [index for index, it in enumerate(choices) if _has_type(value, it)]
        if len(fitting) == 1:
            yield from faults[fitting[0]]
        else:
            yield EntryFault(path, _type_error(value, *choices))


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _has_type(value: Any, schema: Schema) -> bool:
    """Return whether a value has the type that a schema requires."""
    names = _types(schema)
    if schema.get("format") == "decimal" and _is_number(value):
        return True  # of any size: msgspec also reads numbers
    return not names or any(_TYPES[name][1](value) for name in names)


def _types(schema: Schema) -> Sequence[str]:
    types = schema.get("type", ())
    return [types] if isinstance(types, str) else types


def _describe_type(schema: Schema) -> str:
    if "enum" in schema:
        return "one of " + ", ".join(map(repr, schema["enum"]))
    names = (_TYPES[name][0] for name in _types(schema))
    return " or ".join(names) or "something else"


def _type_error(value: Any, *schemas: Schema) -> str:
    """Return the error for a value that has the type of none of the schemas."""
    expected = " or ".join(map(_describe_type, schemas))
    actual = next(name for name, has_type in _TYPES.values() if has_type(value))
    if isinstance(value, bool):
        actual = "true" if value else "false"
    elif "a number" in expected and _is_number(value) and abs(value) >= _HUGE:
        actual = "a number that is too large"
    return f"expected {expected}, got {actual}"


def _unknown_key(key: str, schema: Schema) -> str:
    """Return the error for an unknown key, with a suggestion."""
    properties = schema.get("properties", {})
    suggested = [name for name in properties if name not in _NEVER_SUGGESTED]
    suggestion = nearest(key, suggested)
    if type_names := properties.get("$type", {}).get("enum"):
        return f"{type_names[0]} has no parameter {suggestion}"
    if title := schema.get("title"):
        return f"{with_article(title)} has no parameter {suggestion}"
    return f"unknown key {suggestion}"


def _errors(value: Any, schema: Schema) -> Iterator[str]:
    """Yield the errors in a value of the right type, but not those in its members."""
    allowed = schema.get("enum")
    if allowed is not None and not any(_is_same(value, member) for member in allowed):
        if isinstance(value, str):
            yield f"unknown value {nearest(value, map(str, allowed))}"
        else:
            yield _type_error(value, schema)
    if isinstance(value, str):
        yield from _string_errors(value, schema)
    yield from _bound_errors(value, schema)
    for keyword, (type, noun, rule) in _LENGTHS.items():
        if keyword in schema and isinstance(value, type):
            bound, length = schema[keyword], len(value)
            if length < bound if keyword.startswith("min") else length > bound:
                counted = f"{length} {noun}{'' if length == 1 else 's'}"
                limit_and_verb = f"{bound} {'is' if bound == 1 else 'are'}"
                yield f"has {counted}; {rule.format(limit_and_verb)}"


def _is_same(value: Any, member: Any) -> bool:
    return type(value) is type(member) and bool(value == member)


def _string_errors(value: str, schema: Schema) -> Iterator[str]:
    pattern, type = schema.get("pattern"), _FORMATS.get(schema.get("format", ""))
    if pattern is not None and re.search(pattern, value) is None:
        yield f"{value!r} does not match {pattern}"
    if schema.get("contentEncoding") == "base64":
        type = bytes
    try:
        if type is not None:
            msgspec.convert(value, type)
    except msgspec.ValidationError:
        yield f"{value!r} is not a valid {schema.get('format', 'base64 string')}"


def _bound_errors(value: Any, schema: Schema) -> Iterator[str]:
    number = value
    if schema.get("format") == "decimal" and isinstance(value, str):
        try:
            number = float(Decimal(value))
        except ArithmeticError:  # not a number: `_string_errors` reports it
            return
        except ValueError:  # a signalling NaN
            number = float("nan")
    if not _is_number(number):
        return
    for keyword, (text, is_within) in _BOUNDS.items():
        if keyword in schema and not is_within(number, schema[keyword]):
            yield f"expected {text} {schema[keyword]}, got {value}"
