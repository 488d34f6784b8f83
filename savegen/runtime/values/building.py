"""Helpers for building objects: keys inside one object, copies of values, rows of some fields."""

from __future__ import annotations

import weakref
from array import array
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from enum import Enum
from functools import partial
from operator import is_
from typing import TYPE_CHECKING, Any

from savegen.runtime.values import mismatches
from savegen.runtime.world.assets import AssetRegistry
from savegen.runtime.generated.components import (
    NO_REFERENCES,
    References,
    SaveLoadable,
    is_saveable_object,
    mixin_of,
)
from savegen.runtime.errors import SaveError, describe_error, with_article
from savegen.runtime.generated.fields import fields_of, is_frozen, set_field
from savegen.runtime.values.caches import HASH_CACHES
from savegen.runtime.values.fits import Rules, find_mismatches, innermost
from savegen.runtime.values.rows import (
    UNSET,
    Key,
    Mismatch,
    Row,
    cells_of,
    mismatch,
    partial_row,
)
from savegen.runtime.values.stored import StoredType
from savegen.runtime.values.tagged import tag, untag
from savegen.runtime.values.values import NO_VALUES, Values

if TYPE_CHECKING:
    from savegen.runtime.generated.entries import ClassEntry

# -- references


class LocalKeys(References):
    """References whose keys are the positions of the parts of one object, starting at 1.

    Objects that are not parts get negative keys. A row that is packed with these keys can be
    loaded into any object with the same parts.

    >>> class Body(SaveLoadable): ...
    >>> class Gun(SaveLoadable): ...
    >>> gun, other_gun, target = Gun(), Gun(), Body()
    >>> keys = LocalKeys([Body(), gun])
    >>> keys.key_of(gun), keys.key_of(target)
    (2, -1)
    >>> other_keys = keys.with_parts([Body(), other_gun])
    >>> other_keys.get_component(2) is other_gun, other_keys.get_component(-1) is target
    (True, True)
    """

    def __init__(
        self, parts: Sequence[Any] = (), assets: AssetRegistry | None = None
    ) -> None:
        """Create the keys; without `assets`, any object is accepted as an asset."""
        self._assets = assets
        self._others: list[Any] = []  # objects that are not parts; the first has key -1
        self._other_keys: dict[int, Key] = {}  # the keys of `_others`, by `id`
        self._classes: dict[int, Any] = {}  # by class number
        self._unnamed: dict[str, Any] = {}  # assets by made-up id, without a registry
        self._set_parts(parts)

    def with_parts(self, parts: Sequence[Any]) -> LocalKeys:
        """Return a copy for an object with the given parts; other objects keep their keys."""
        keys = copy(self)
        keys._set_parts(parts)
        return keys

    def _set_parts(self, parts: Sequence[Any]) -> None:
        self._parts = parts
        self._part_keys = {id(part): key for key, part in enumerate(parts, 1)}
        self._postponed: list[Callable[[], object]] = []

    def _key_for(self, obj: Any) -> Key:
        key = self._other_keys.get(id(obj))
        if key is None:
            self._others.append(obj)
            key = self._other_keys[id(obj)] = -len(self._others)
        return key

    def _at(self, key: Key) -> Any:
        return self._parts[key - 1] if key > 0 else self._others[-key - 1]

    def key_of(self, component: Any, /) -> Key:
        if component is None:
            return 0
        key = self._part_keys.get(id(component))
        if key is not None:
            return key
        if not is_saveable_object(component):
            return mismatch(component)  # type: ignore[no-any-return]
        return self._key_for(component)

    def get_component(self, key: Key, /) -> Any:
        return None if key == 0 else self._at(key)

    def number_at(self, key: Key) -> int | None:
        """Return the class number of the object with a key; `None` if its class has none."""
        number = getattr(mixin_of(type(self._at(key))), "save_type", None)
        return None if number is None else int(number)

    def id_of(self, asset: Any, /) -> str:
        if self._assets is None:
            self._unnamed[id := str(self._key_for(asset))] = asset
            return id
        try:
            return self._assets.id_of(asset)
        except SaveError:
            return mismatch(asset)  # type: ignore[no-any-return]

    def asset(self, id: str, /) -> Any:
        if self._assets is not None:
            return self._assets[id]
        return self._unnamed[id] if id in self._unnamed else super().asset(id)

    def _generator_key(self, generator: Any, /) -> int:
        return self._key_for(generator)

    def _generator(self, key: int, /) -> Any:
        return self._at(key)

    def _class_number(self, cls: Any, /) -> int:
        number = super()._class_number(cls)
        self._classes[number] = cls
        return number

    def _class_at(self, number: int, /) -> Any:
        return self._classes[number]

    def _when_filled(self, step: Callable[[], object], /) -> None:
        self._postponed.append(step)

    def postponed(self) -> list[Callable[[], object]]:
        """Return the steps of `finish`, which will not run them again."""
        steps, self._postponed = self._postponed, []
        return steps

    def finish(self) -> None:
        """Fill the sets and dicts that hash objects, now that the fields of all parts are set."""
        for step in self.postponed():
            step()


# -- copies, so that no two objects share a mutable value

_IMMUTABLE = frozenset([bool, int, float, complex, str, bytes, type(None)])
_SEQUENCES = (list, set, deque)
_DICTS = (dict, defaultdict, OrderedDict, Counter)
_OF_IMMUTABLE = (bytearray, array)  # their members are immutable


class Copier:
    """Copies containers, plain objects and values like vectors; shares all other objects.

    >>> class Texture: ...
    >>> original = [[1], Texture]
    >>> copied = Copier().copy(original)
    >>> copied == original, copied[0] is original[0]
    (True, False)
    """

    def __init__(
        self,
        assets: AssetRegistry | None = None,
        replacement_for: Callable[[Any], Any] = lambda value: value,
        values: Values = NO_VALUES,
    ) -> None:
        """Create a copier that never copies the objects in `assets`.

        `replacement_for` returns the replacement for an object that cannot be copied. `values`
        has the game's classes with codecs.
        """
        self._assets = AssetRegistry() if assets is None else assets
        self._replacement_for = replacement_for
        self._values = values
        # Copies of values that may contain themselves, by `id` of the value.
        self._unfinished: dict[int, Any] = {}

    def copy(self, value: Any) -> Any:
        """Return a copy that shares no mutable value with `value`."""
        cls = type(value)
        if cls in _IMMUTABLE or self._assets.knows(value):
            return value
        if id(value) in self._unfinished:
            return self._unfinished[id(value)]
        if cls in _SEQUENCES or cls in _DICTS:
            return self._copy_container(value)
        if cls is tuple or cls is frozenset:
            members = [*map(self.copy, value)]
            return value if all(map(is_, members, value)) else cls(members)
        if cls in _OF_IMMUTABLE or _is_library_value(cls):
            return copy(value)
        if _is_plain(cls):
            return self._copy_record(value)
        entry = self._values.of(cls)
        if entry is not None and entry.unpack is not None:
            tagged = tag(value, NO_REFERENCES, self._values)
            return untag(tagged, NO_REFERENCES, self._values)
        return self._replacement_for(value)

    def _copy_container(self, value: Any) -> Any:
        self._unfinished[id(value)] = copied = copy(value)
        copied.clear()
        if isinstance(value, dict):
            for key, member in value.items():
                copied[self.copy(key)] = self.copy(member)
        else:
            add = copied.add if type(value) is set else copied.append
            for member in value:
                add(self.copy(member))
        del self._unfinished[id(value)]
        return copied

    def _copy_record(self, value: Any) -> Any:
        parts = dict(_attributes(value))
        if is_frozen(type(value)):
            copies = {name: self.copy(part) for name, part in parts.items()}
            if all(copied is parts[name] for name, copied in copies.items()):
                return value
            if isinstance(value, tuple):
                return value._replace(**copies)  # type: ignore[attr-defined]
            return _set_fields(copy(value), copies.items())
        self._unfinished[id(value)] = copied = copy(value)
        _set_fields(copied, ((name, self.copy(part)) for name, part in parts.items()))
        del self._unfinished[id(value)]
        return copied


def _set_fields(obj: Any, fields: Iterable[tuple[str, Any]]) -> Any:
    for name, value in fields:
        set_field(obj, name, value)
    for name, value in HASH_CACHES[type(obj)].items():
        mismatches.set_value(obj, name, value)
    return obj


def _attributes(value: Any) -> Iterator[tuple[str, Any]]:
    names = dict.fromkeys(fields_of(type(value)) or ())
    for name in names | getattr(value, "__dict__", {}):
        try:
            yield name, object.__getattribute__(value, name)
        except AttributeError:  # not set
            continue


def _is_plain(cls: type) -> bool:
    is_object = issubclass(cls, SaveLoadable) or mixin_of(cls) is not cls
    return not (is_object or issubclass(cls, Enum)) and fields_of(cls) is not None


_LIBRARY_VALUES = {
    "numpy": ("ndarray",),
    "pygame.math": ("Vector2", "Vector3"),
    "pygame.rect": ("Rect", "FRect"),
    "pygame.color": ("Color",),
    "panda3d.core": (
        *("LVecBase", "LVector", "LPoint", "LMatrix", "LQuaternion", "LRotation"),
        *("LOrientation", "LColor", "LTexCoord"),
    ),
}


def _is_library_value(cls: type) -> bool:
    """Return whether a class is a supported value class of a library; no library is imported."""
    names = _LIBRARY_VALUES.get(cls.__module__)
    return names is not None and cls.__name__.startswith(names)


# -- single fields: values are packed and checked, then loaded like saved ones

_ANY = StoredType("any")


class InvalidFieldValue(SaveError):
    """A value does not fit its field. The message has the actual and the expected type."""


def pack_fields(
    cls: Any,
    values: Mapping[str, Any],
    references: References,
    entry: ClassEntry | None = None,
) -> Row:
    """Return a row of a saveable class with the given fields; all other cells are `UNSET`.

    With an `entry`, check each cell against the stored type of its field. Raises
    `InvalidFieldValue` for the first value that does not fit.
    """
    try:
        row = _pack_row(cls, values, references)
        cells = cells_of(type(row))
        packed = {}
        for name, value in values.items():
            cell = cells[cls.save_load_field_names[name]]
            stored = entry.stored_by_cell[cell] if entry else _ANY
            packed[cell] = _repack(cls, name, value, getattr(row, cell), references)
            _check_fits(cls, name, value, packed[cell], stored, references)
    except RecursionError:
        raise InvalidFieldValue("it contains itself or is nested too deeply") from None
    return partial_row(type(row), **packed)


def _pack_row(cls: Any, values: Mapping[str, Any], references: References) -> Row:
    save = getattr(cls, "save_data_", None) or cls.save_data
    try:
        with mismatches.collected():
            row: Row = save(_PartialObject(values), _PartialReferences(references))
            return row
    except RecursionError:
        raise
    except SaveError as error:
        raise InvalidFieldValue(str(error)) from error
    except Exception as error:  # raised by the class of a value
        raise InvalidFieldValue(describe_error(error)) from error


def _repack(cls: Any, name: str, value: Any, cell: Any, references: References) -> Any:
    """Return a cell, or pack its value here if the generated code did not."""
    if type(cell) is Mismatch and is_saveable_object(value):
        # The field is a weak reference, but the value is the object itself.
        row = _pack_row(cls, {name: weakref.ref(value)}, references)
        return row[cls.save_load_field_names[name]]
    if cell is UNSET:  # `save_data` of the class saves the field
        return Copier(replacement_for=partial(_key_or_itself, references)).copy(value)
    return cell


class _PartialObject:
    """A stand-in for an object with some fields; all other attributes read as `NOT_SET`."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.__dict__.update(values)

    def __getattr__(self, name: str) -> Any:
        # The field `__hinge` of a door is the attribute `_Door__hinge`.
        for field, value in self.__dict__.items():
            if field.startswith("__") and name.endswith(field):
                return value
        return mismatches.NOT_SET


class _PartialReferences(References):
    """References that return a mismatch for fields that are not set."""

    def __init__(self, references: References) -> None:
        for name in ("key_of", "id_of", "_generator_key", "_class_number"):
            setattr(self, name, partial(_unless_not_set, getattr(references, name)))


def _unless_not_set(method: Callable[[Any], Any], value: Any) -> Any:
    return mismatch(value) if value is mismatches.NOT_SET else method(value)


def _key_or_itself(references: References, obj: Any) -> Any:
    return references.key_of(obj) if is_saveable_object(obj) else obj


def _check_fits(
    cls: Any,
    name: str,
    value: Any,
    cell: Any,
    stored: StoredType,
    references: References,
) -> None:
    """Raise `InvalidFieldValue` if a cell does not fit its stored type."""
    rules = Rules(getattr(references, "number_at", None))
    if not (mismatches.holds_mismatch(cell) or find_mismatches(stored, [cell], rules)):
        return
    path, part, expected = innermost(cell, stored, rules)
    if not path:
        mappings = cls.get_param_name_mappings()
        types = {m.component_field_name: m.component_field_type for m in mappings}
        annotation = types.get(name, _type_name(stored))
        actual = with_article(type(value).__qualname__)
        if _is_asset(expected):
            raise InvalidFieldValue(f"it is {actual} without an asset id; {_REGISTER}")
        raise InvalidFieldValue(f"it is {actual}, not {annotation}")
    if expected.name == "ref" and type(part) is int:
        part = references.get_component(part)
    actual = with_article(type(part).__qualname__)
    if _is_asset(expected):
        fault = f"at `{path}` it holds {actual} without an asset id; {_REGISTER}"
        raise InvalidFieldValue(fault)
    raise InvalidFieldValue(
        f"at `{path}` it holds {actual}, not {_type_name(expected)}"
    )


def _is_asset(stored: StoredType) -> bool:
    (inner,) = stored.parts if stored.name == "optional" else (stored,)
    return inner.name == "asset"


_REGISTER = "register it with `assets.add`"


def _type_name(stored: StoredType) -> str:
    """Return the name of a stored type without its inner types."""
    return stored.label.rpartition(".")[2] or stored.name
