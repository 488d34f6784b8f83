"""Helpers for building objects: keys inside one object, copies of values, rows of some fields."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from enum import Enum
from functools import partial
from operator import is_
from typing import Any

from savegen.runtime.values.libraries import presets
from savegen.runtime.values.libraries.arrays import is_array
from savegen.runtime.world.assets import AssetRegistry
from savegen.runtime.generated.entries import ClassEntry
from savegen.runtime.values.references import References
from savegen.runtime.values.saveable import SaveLoadable, is_saveable_object, mixin_of
from savegen.runtime.errors import SaveError, with_article
from savegen.runtime.values.libraries.fields import fields_of, is_frozen, set_field
from savegen.runtime.generated.field_by_field import (
    factories_in,
    packed_cell,
)
from savegen.runtime.generated.registry import registry_of
from savegen.runtime.values.kinds.kind import BY_CLASS
from savegen.runtime.values.libraries.caches import renew
from savegen.runtime.values.rows import (
    Key,
    Misfit,
    Row,
    cells_of,
    misfit,
    partial_row,
)
from savegen.runtime.values.folds import typed, untyped
from savegen.runtime.values.values import NO_VALUES, Values

# -- references


class LocalKeys(References):
    """References whose keys are the positions of the parts of one object, starting at 1.

    Objects that are not parts get negative keys. A row that is packed with these keys can be
    loaded into any object with the same parts, and never leaves this process.

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
        self,
        parts: Sequence[Any] = (),
        assets: AssetRegistry | None = None,
        placed: Callable[[Any], Any] | None = None,
        values: Values = NO_VALUES,
        takes_all: bool = False,
    ) -> None:
        """Create the keys; without `assets`, any object is accepted as an asset.

        `placed` returns the object with a key that is a str: the `$id` of a level. With
        `takes_all`, objects get a key even if they cannot be saved.
        """
        super().__init__(values)
        self._assets, self._placed, self._takes_all = assets, placed, takes_all
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
        self._part_keys[id(None)] = 0
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
        key = self._part_keys.get(id(component))
        if key is not None:
            return key
        if not (self._takes_all or is_saveable_object(component)):
            misfit(component)
        return self._key_for(component)

    def get_component(self, key: Key, /) -> Any:
        if self._placed is not None and isinstance(key, str):
            return self._placed(key)
        return None if key == 0 else self._at(key)

    def others(self) -> list[tuple[Key, Any]]:
        """Return the objects that are not parts, with their keys."""
        return [(-n, obj) for n, obj in enumerate(self._others, 1)]

    def replace(self, key: Key, obj: Any) -> None:
        """Let the key of an object that is not a part lead to another object from now on."""
        self._others[-key - 1] = obj

    def id_of(self, asset: Any, /) -> str:
        if self._assets is None:
            self._unnamed[id := str(self._key_for(asset))] = asset
            return id
        return self._assets.id_of(asset)

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

IMMUTABLE = frozenset([bool, int, float, complex, str, bytes, type(None)])
"""The builtin classes of single values, none of which can change."""


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
        if cls in IMMUTABLE or self._assets.knows(value):
            return value
        if id(value) in self._unfinished:
            return self._unfinished[id(value)]
        kind = BY_CLASS.get(id(cls))
        if kind is not None and kind.is_container:
            if kind.is_mutable:
                return self._copy_container(value)
            members = [*map(self.copy, value)]
            return value if all(map(is_, members, value)) else cls(members)
        if kind is not None and kind.is_mutable:
            return copy(value)
        if presets.is_value(cls) or is_array(value):
            return copy(value)
        if _is_plain(cls):
            return self._copy_record(value)
        entry = self._values.of(cls)
        if entry is not None and entry.unpack is not None:
            references = References(self._values)
            return untyped(typed(value, references), references)
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
    renew(obj)
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


# -- single fields: values are packed and checked, then loaded like saved ones


class InvalidFieldValue(SaveError):
    """A value does not fit its field. The message has the actual and the expected type."""


def pack_fields(
    cls: Any,
    values: Mapping[str, Any],
    references: References,
    entry: ClassEntry | None = None,
) -> Row:
    """Return a row of a saveable class with the given fields; all other cells are `UNSET`.

    With the `entry` of the class, the `references` have the classes of values in its registry.

    Raises `InvalidFieldValue` for the first value that does not fit.
    """
    table = references._values
    if entry is None:
        registry = registry_of(cls)
        assert registry is not None
        entry, table = registry[int(cls.save_type)], registry.values
    cells = cells_of(entry.row)
    packed = {}
    for name, value in values.items():
        cell = cells[cls.save_load_field_names[name]]
        stored = entry.stored_by_cell[cell]
        if stored.name == "any":  # the game's own `save_data` saves the field
            copier = Copier(replacement_for=partial(_key_or_itself, references))
            packed[cell] = copier.copy(value)
            continue
        if "weak" in stored.names_inside and is_saveable_object(value):
            value = weakref.ref(value)
        try:
            factories = factories_in(entry.mixin, cell)
            packed[cell] = packed_cell(stored, value, references, table, factories)
        except Misfit as misfit:
            raise InvalidFieldValue(_fault(cls, name, misfit)) from misfit
        except SaveError as error:
            raise InvalidFieldValue(str(error)) from error
    return partial_row(entry.row, **packed)


def _key_or_itself(references: References, obj: Any) -> Any:
    return references.key_of(obj) if is_saveable_object(obj) else obj


def _fault(cls: Any, name: str, misfit: Misfit) -> str:
    """Return what is wrong with the value of a field."""
    at = f"at `{misfit.path}` " if misfit.path else ""
    if misfit.fault:
        return f"{at}{misfit.fault}"
    mappings = cls.get_param_name_mappings()
    types = {m.component_field_name: m.component_field_type for m in mappings}
    declared = f", not {types[name]}" if name in types else ""
    if at:
        declared = f"; the field is declared `{types[name]}`" if name in types else ""
    verb = "it holds" if at else "it is"
    return f"{at}{verb} {with_article(type(misfit.value).__qualname__)}{declared}"
