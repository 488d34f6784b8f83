"""Data of components by field number, as a save has it: without what it says elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from savegen.runtime.components import CommonFields, SaveLoadable
from savegen.runtime.copying import Unhashed
from savegen.runtime.keys import SaveLoadKey
from savegen.runtime.plain import Copying
from savegen.runtime.registry import ClassEntry


class _Unset:
    def __repr__(self) -> str:
        return "<unset>"


UNSET = _Unset()  # in a row, for an attribute that is not set


def by_number(data: Mapping[Any, Any], entry: ClassEntry) -> dict[Any, Any]:
    """Return what a class that saves itself has saved, with plain numbers for its fields."""
    found: dict[Any, Any] = {}
    for key, value in data.items():
        number = int(key) if key in _members(entry) else key
        is_type = number == CommonFields.TYPE and value == entry.save_type
        found[number] = None if is_type else value
    return found


def by_member(data: Mapping[Any, Any], entry: ClassEntry) -> dict[Any, Any]:
    """Return what `by_number` was made of."""
    members, former = _members(entry), entry.former
    numbers = {old: new for old, new in former.items() if new not in data}
    found = {
        members.get(numbers.get(number, number), number): value
        for number, value in data.items()
    }
    if found.get(CommonFields.TYPE, 0) is None:
        found[CommonFields.TYPE] = entry.save_type
    return found


def _members(entry: ClassEntry) -> dict[int, Any]:
    fields = getattr(entry.mixin, "SaveLoadFields", ())
    return {int(member): member for member in (*CommonFields, *fields)}


class WithObjects(Copying):
    """Values of data as they are in rows: objects in the places of their keys."""

    def __init__(self, at: Callable[[SaveLoadKey], Any]) -> None:
        self._at = at

    def copy(self, value: Any) -> Any:
        if type(value) is SaveLoadKey:
            return self._at(value)
        if type(value) in (set, frozenset) and _has_keys(value):
            return Unhashed(type(value), [self.copy(each) for each in value])
        if isinstance(value, dict) and _has_keys(value):
            entries = [(self.copy(k), self.copy(v)) for k, v in value.items()]
            factory = getattr(value, "default_factory", None)
            return Unhashed(type(value), entries, factory)
        return super().copy(value)

    def unknown(self, value: Any) -> Any:
        return value  # an asset


class WithKeys(Copying):
    """Values of rows as they are in data: keys in the places of their objects."""

    def __init__(self, key_of: Callable[[Any], SaveLoadKey | None]) -> None:
        self._key_of = key_of

    def copy(self, value: Any) -> Any:
        if isinstance(value, SaveLoadable):
            return self._key_of(value)
        if type(value) is Unhashed:
            return self._hashed(value)
        return super().copy(value)

    def _hashed(self, value: Unhashed) -> Any:
        new: Any = value.cls
        if not issubclass(value.cls, dict):
            return new([self.copy(each) for each in value])
        entries = {self.copy(key): self.copy(each) for key, each in value}
        return new(entries) if value.factory is None else new(value.factory, entries)

    def unknown(self, value: Any) -> Any:
        return value


def _has_keys(members: Any) -> bool:
    return any(type(each) is SaveLoadKey for each in members)
