"""Convert the field values of a built prefab into the JSON that a level file would contain."""

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

from savegen.runtime.values.references import NO_REFERENCES
from savegen.runtime.values.saveable import SaveLoadable
from savegen.runtime.prefabs.level_schema import members
from savegen.runtime.errors import SaveError, with_article
from savegen.runtime.values.libraries.fields import fields_of
from savegen.runtime.generated.registry import Registry
from savegen.runtime.values.rows import cells_of
from savegen.runtime.prefabs.serializers import PrefabSerializer
from savegen.runtime.prefabs.spawning import SpawnParameter

_LISTS = (inspect.ListType, inspect.VarTupleType)
_SINGLE = (type(None), bool, int, float, str, bytes)


class Defaults:
    """Converts field values into the JSON from which the serializers would read them."""

    def __init__(self, registry: Registry) -> None:
        self.registry = registry

    def json_of(
        self, serializer: type[PrefabSerializer], parameter: SpawnParameter
    ) -> Any:
        """Return the JSON of a parameter's value. Raises an error if the value has no JSON form."""
        value = self.form_of(serializer, parameter)
        if not _is_finite(msgspec.to_builtins(value)):
            raise SaveError("JSON has no infinite numbers and no NaN")
        text = msgspec.json.encode(value)
        names = serializer.__struct_config__.tag, parameter.name
        entry = b'{"$type":%b,%b:%b}' % (*map(msgspec.json.encode, names), text)
        # The serializer must accept its own default.
        msgspec.json.decode(entry, type=serializer)
        return msgspec.json.decode(text)

    def form_of(
        self, serializer: type[PrefabSerializer], parameter: SpawnParameter
    ) -> Any:
        """Return a value that msgspec encodes as the JSON of a parameter, or raise an error."""
        entry = parameter.entry
        number = type(parameter.component).save_load_field_names[parameter.field]
        cell = cells_of(entry.row)[number]
        value = getattr(parameter.component, entry.attributes_by_cell[cell])
        struct: Any = inspect.type_info(serializer)
        types = {field.encode_name: field.type for field in struct.fields}
        if any(part.name == "asset" for part in entry.stored_by_cell[cell].walk()):
            if value is not None and (type(value) not in (list, dict) or value):
                raise SaveError("levels cannot set assets")
        return self._form(types[parameter.name], value)

    def _form(self, type_info: inspect.Type, value: Any) -> Any:
        """Return the JSON from which a serializer would read the value for a field of that type."""
        if isinstance(value, weakref.ref):
            value = value()
        if isinstance(value, SaveLoadable):
            raise _no_id_error(value)
        if isinstance(value, type):
            return value.save_type.name  # type: ignore[attr-defined]
        if isinstance(value, Enum):
            return _flags(value) if isinstance(value, Flag) else value.name
        if type(value) in _SINGLE:
            return value
        if isinstance(value, dict):
            return self._mapping(type_info, value)
        codec = self.registry.values.of(type(value))
        if codec and codec.pack and _member(type_info, inspect.AnyType):
            return codec.pack(value, NO_REFERENCES)
        if struct := _member(type_info, inspect.StructType):
            return dict(self._fields(struct, value))
        if types := _member(type_info, inspect.TupleType):
            return [*map(self._form, types.item_types, _items(value))]
        if items := _member(type_info, *_LISTS):
            return self._list(items.item_type, value)
        return _scalar(type_info, value)

    def _mapping(self, type_info: inspect.Type, value: dict[Any, Any]) -> Any:
        if struct := _member(type_info, inspect.StructType):  # of a `TypedDict`
            types = {field.encode_name: field.type for field in struct.fields}
            return {key: self._form(types[key], item) for key, item in value.items()}
        if mapping := _member(type_info, inspect.DictType):
            return {
                self._form(mapping.key_type, key): self._form(mapping.value_type, item)
                for key, item in value.items()
            }
        pair = _member(type_info, inspect.ListType).item_type.item_types
        return [[*map(self._form, pair, item)] for item in value.items()]

    def _fields(self, struct: Any, value: Any) -> Iterator[tuple[str, Any]]:
        names = [field.encode_name for field in struct.fields]
        stored = fields_of(type(value))
        if stored is not None and len(stored) == len(names):
            values = [getattr(value, name) for name in stored]
        elif _is_iterable(value) and len([*value]) == len(names):
            values = [*value]
        else:  # such as a rectangle, which stores other fields than it shows in levels
            values = [getattr(value, name) for name in names]
        for field, item in zip(struct.fields, values):
            yield field.encode_name, self._form(field.type, item)

    def _list(self, item_type: inspect.Type, value: Any) -> list[Any]:
        items = [self._form(item_type, item) for item in value]
        if (
            items
            and type(items[0]) is list
            and isinstance(item_type, inspect.FloatType)
        ):
            return [cell for row in items for cell in row]  # of a matrix
        is_set = isinstance(value, (set, frozenset))
        return sorted(items, key=msgspec.json.encode) if is_set else items


def _member(type_info: inspect.Type, *classes: Any) -> Any:
    """Return the first member of a union type that is of one of the classes, or `None`."""
    return next((it for it in members(type_info) if isinstance(it, classes)), None)


def _is_iterable(value: Any) -> bool:
    # Some types written in C++ can be iterated without having `__iter__`.
    return any(hasattr(type(value), name) for name in ("__iter__", "__getitem__"))


def _items(value: Any) -> list[Any]:
    is_complex = isinstance(value, complex)
    return [value.real, value.imag] if is_complex else [*value]


def _scalar(type_info: inspect.Type, value: Any) -> Any:
    """Return the JSON of a path, fraction, bytes, matrix row, colour or similar value."""
    if isinstance(value, PurePath):
        return value.as_posix()
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, bytearray):
        return bytes(value)
    if not _is_iterable(value):
        return value
    if _member(type_info, inspect.FloatType):
        return [*value]  # a row of a matrix
    text = bytes([*value]).hex()  # a colour
    return f"#{text.removesuffix('ff') if len(text) == 8 else text}"


def _flags(flags: Flag) -> list[str]:
    """Return the names of the bits that are set. Raises `SaveError` if one has no name."""
    bits = list(flags)
    if sum(bit.value for bit in bits) != flags.value:
        raise SaveError(f"{flags!r} has a bit without a name")
    return [str(bit.name) for bit in bits]


def _no_id_error(value: Any) -> SaveError:
    name = with_article(type(value).__qualname__)
    return SaveError(f"{name} has no id until a level assigns one")


def _is_finite(value: Any) -> bool:
    """Return whether all numbers in a value are finite, as JSON requires."""
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, dict):
        return all(map(_is_finite, [*value, *value.values()]))
    return not isinstance(value, (list, tuple)) or all(map(_is_finite, value))
