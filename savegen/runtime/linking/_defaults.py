"""The values of a built prefab, as a level file would contain them."""

from __future__ import annotations

import math
import weakref
from collections.abc import Iterator
from enum import Enum, Flag
from fractions import Fraction
from pathlib import PurePath
from typing import Any

import msgspec
from msgspec import inspect

from savegen.runtime.components import NO_REFERENCES, SaveLoadable
from savegen.runtime.decoding import members
from savegen.runtime.errors import SaveError, with_article
from savegen.runtime.fields import fields_of
from savegen.runtime.registry import Registry
from savegen.runtime.rows import cells_of
from savegen.runtime.serializers import PrefabSerializer
from savegen.runtime.spawning import Parameter

_LISTS = (inspect.ListType, inspect.VarTupleType)
_SINGLE = (type(None), bool, int, float, str, bytes)


class Defaults:
    """A converter of field values into the JSON of levels, as the serializers read it."""

    def __init__(self, registry: Registry) -> None:
        self.registry = registry

    def written(self, serializer: type[PrefabSerializer], parameter: Parameter) -> Any:
        """Return the JSON of a parameter. Raises an error if it has no JSON form."""
        value = self.form_of(serializer, parameter)
        if not _is_finite(msgspec.to_builtins(value)):
            raise SaveError("JSON has no such number")
        text = msgspec.json.encode(value)
        names = serializer.__struct_config__.tag, parameter.name
        entry = b'{"$type":%b,%b:%b}' % (*map(msgspec.json.encode, names), text)
        msgspec.json.decode(entry, type=serializer)
        return msgspec.json.decode(text)

    def form_of(self, serializer: type[PrefabSerializer], parameter: Parameter) -> Any:
        """Return the msgspec encoding of a parameter. Raises an error if it has no form."""
        entry = parameter.entry
        number = type(parameter.component).save_load_field_names[parameter.field]
        cell = cells_of(entry.row)[number]
        value = getattr(parameter.component, entry.attributes_by_cell[cell])
        struct: Any = inspect.type_info(serializer)
        (shape,) = (f.type for f in struct.fields if f.encode_name == parameter.name)
        if any(part.name == "asset" for part in entry.stored_by_cell[cell].walk()):
            if value is not None and (type(value) not in (list, dict) or value):
                raise _nameless(value)
        return self._form(shape, value)

    def _form(self, shape: inspect.Type, value: Any) -> Any:
        """Return the JSON of a value; `shape` is how the serializer reads it."""
        if isinstance(value, weakref.ref):
            value = value()
        if isinstance(value, SaveLoadable):
            raise _nameless(value)
        if isinstance(value, type):
            return value.save_type.name  # type: ignore[attr-defined]
        if isinstance(value, Enum):
            return _flags(value) if isinstance(value, Flag) else value.name
        if type(value) in _SINGLE:
            return value
        if isinstance(value, dict):
            return self._mapping(shape, value)
        codec = self.registry.values.of(type(value))
        if codec and codec.pack and _of(shape, inspect.AnyType):
            return codec.pack(value, NO_REFERENCES)
        if struct := _of(shape, inspect.StructType):
            return dict(self._fields(struct, value))
        if types := _of(shape, inspect.TupleType):
            return [*map(self._form, types.item_types, _members(value))]
        if found := _of(shape, *_LISTS):
            return self._list(found.item_type, value)
        return _scalar(shape, value)

    def _mapping(self, shape: inspect.Type, value: dict[Any, Any]) -> Any:
        if struct := _of(shape, inspect.StructType):  # of a `TypedDict`
            types = {field.encode_name: field.type for field in struct.fields}
            return {name: self._form(types[name], each) for name, each in value.items()}
        if found := _of(shape, inspect.DictType):
            return {
                self._form(found.key_type, key): self._form(found.value_type, each)
                for key, each in value.items()
            }
        pair = _of(shape, inspect.ListType).item_type.item_types
        return [[*map(self._form, pair, entry)] for entry in value.items()]

    def _fields(self, struct: Any, value: Any) -> Iterator[tuple[str, Any]]:
        names = [field.encode_name for field in struct.fields]
        stored = fields_of(type(value))
        if stored is not None and len(stored) == len(names):
            values = [getattr(value, name) for name in stored]
        elif _has_members(value) and len([*value]) == len(names):
            values = [*value]
        else:  # a rectangle has other fields or members than its schema
            values = [getattr(value, name) for name in names]
        for field, each in zip(struct.fields, values):
            yield field.encode_name, self._form(field.type, each)

    def _list(self, item: inspect.Type, value: Any) -> list[Any]:
        found = [self._form(item, each) for each in value]
        if found and type(found[0]) is list and isinstance(item, inspect.FloatType):
            return [cell for row in found for cell in row]  # of a matrix
        is_set = isinstance(value, (set, frozenset))
        return sorted(found, key=msgspec.json.encode) if is_set else found


def _of(shape: inspect.Type, *classes: Any) -> Any:
    """Return the member of a union that is of one of the classes; `None` if none is."""
    return next((each for each in members(shape) if isinstance(each, classes)), None)


def _has_members(value: Any) -> bool:
    # C++ types of other libraries have no `__iter__`.
    return any(hasattr(type(value), name) for name in ("__iter__", "__getitem__"))


def _members(value: Any) -> list[Any]:
    is_complex = isinstance(value, complex)
    return [value.real, value.imag] if is_complex else [*value]


def _scalar(shape: inspect.Type, value: Any) -> Any:
    """Return the JSON of a value that is written as one text or number."""
    if isinstance(value, PurePath):
        return value.as_posix()
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, bytearray):
        return bytes(value)
    if not _has_members(value):
        return value
    if _of(shape, inspect.FloatType):
        return [*value]  # a row of a matrix
    text = bytes([*value]).hex()  # a colour
    return f"#{text.removesuffix('ff') if len(text) == 8 else text}"


def _flags(flags: Flag) -> list[str]:
    """Return the names of the bits of a value. Raises `SaveError` if a bit has no name."""
    found = list(flags)
    if sum(member.value for member in found) != flags.value:
        raise SaveError(f"{flags!r} has a bit without a name")
    return [str(member.name) for member in found]


def _nameless(value: Any) -> SaveError:
    name = with_article(type(value).__qualname__)
    return SaveError(f"{name} has no id until a level assigns one")


def _is_finite(value: Any) -> bool:
    """Return whether all numbers in a value are finite, as JSON requires."""
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, dict):
        return all(map(_is_finite, [*value, *value.values()]))
    return not isinstance(value, (list, tuple)) or all(map(_is_finite, value))
