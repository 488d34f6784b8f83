"""Values of which no check says what they are: data of the game's own, and of its codecs.

They are written so that they say it themselves. Members of enumerations and records are
among them only if some field of the game has a check for their class.
"""

from __future__ import annotations

import decimal
import fractions
import pathlib
import random
import uuid
from array import array
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from enum import Enum
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from savegen.runtime import checks, plain
from savegen.runtime.checks import Check, EnumMember, Foreign, Member, UserType
from savegen.runtime.components import SaveLoadable
from savegen.runtime.copying import default_of
from savegen.runtime.errors import SaveCorruptError, SaveError, SaveLimitError, a
from savegen.runtime.generators import GeneratorState, is_generator, kept
from savegen.runtime.keys import SaveLoadKey, SlotKey
from savegen.runtime.saves.wire import _numpy
from savegen.runtime.saves.wire._any_nodes import (
    AS_THEY_ARE,
    KEY,
    REFERENCE,
    pack_tree,
    unpack_trees,
)
from savegen.runtime.saves.wire._base import LOST, Column, Names, Things, found_by
from savegen.runtime.saves.wire._container_nodes import in_order
from savegen.runtime.saves.wire._enums import full_name
from savegen.runtime.saves.wire._json import converted, is_short, is_text, short
from savegen.runtime.saves.wire._making import maker
from savegen.runtime.saves.wire._mappings import factory_name, factory_of
from savegen.runtime.saves.wire._node import DEPTH, packed
from savegen.runtime.saves.wire.forms import type_of

if TYPE_CHECKING:
    from savegen.runtime.saves.wire._wires import Wires

# Types without parts, with a check that knows how they are written.
_LEAVES: dict[type, Check] = {
    complex: checks.COMPLEX,
    bytearray: checks.BYTEARRAY,
    array: checks.ARRAY,
    decimal.Decimal: checks.DECIMAL,
    fractions.Fraction: checks.FRACTION,
    date: checks.DATE,
    time: checks.TIME,
    datetime: checks.DATETIME,
    timedelta: checks.TIMEDELTA,
    uuid.UUID: checks.UUID,
    int: checks.INT,
    str: checks.STR,
}
_LISTS: dict[Any, str] = {cls: cls.__name__ for cls in (list, tuple, set, frozenset)}
_DICTS: dict[Any, str] = {dict: "dict", OrderedDict: "ordereddict", Counter: "counter"}
_CLASSES = {word: cls for cls, word in {**_LISTS, **_DICTS}.items()}


class Dynamic:
    """Writes and reads values that say themselves what they are."""

    def __init__(self, wires: Wires) -> None:
        self.wires = wires

    def pack(self, values: Column, names: Names) -> list[bytes]:
        """Return values as they are written.

        Raises `SaveError` for what could not be read again.
        """
        writer = _Writer(self.wires, names)
        return [writer.pack(value) for value in values]

    def read(self, values: Column, things: Things) -> list[Any]:
        """Return what was written. Raises `SaveError` for what is broken or not known."""
        reader = _Reader(self.wires, things)
        return [*found_by(lambda: [*map(reader.value, unpack_trees(values))])]


class _Writer:
    def __init__(self, wires: Wires, names: Names) -> None:
        self._wires = wires
        self._names = names

    def pack(self, value: Any) -> bytes:
        word = _LISTS.get(type(value))
        if word in ("list", "tuple") and AS_THEY_ARE.issuperset(map(type, value)):
            try:
                return packed([word, *value])
            except (OverflowError, UnicodeEncodeError):
                pass
        return pack_tree(self.tree(value, DEPTH + 1))

    def tree(self, value: Any, depth: int) -> Any:
        cls = type(value)
        if cls in AS_THEY_ARE and _is_short(value):
            return value
        if cls in self._wires.numbers:  # data within data
            return int(value)
        if not depth:
            raise SaveLimitError("the depth of a value", DEPTH, DEPTH + 1)
        if cls in _LEAVES:
            return self._leaf(_LEAVES[cls], value)
        if cls in _LISTS:
            return self._list(value, depth - 1)
        if cls in _DICTS:
            return [_DICTS[cls], *self._entries(value, depth - 1)]
        if cls is deque:
            return ["deque", value.maxlen, *self._each(value, depth - 1)]
        if cls is defaultdict:
            name = factory_name(value.default_factory)
            return ["defaultdict", name, *self._entries(value, depth - 1)]
        return self._other(value, depth - 1)

    def _leaf(self, check: Check, value: Any) -> list[Any]:
        wire = self._wires.of(check)
        return [wire.form, wire.pack([value], self._names)[0]]

    def _list(self, value: Any, depth: int) -> list[Any]:
        members = self._each(value, depth)
        is_set = type(value) in (set, frozenset)
        return [_LISTS[type(value)], *(in_order(members) if is_set else members)]

    def _each(self, values: Any, depth: int) -> list[Any]:
        return [self.tree(each, depth) for each in values]

    def _entries(self, value: Any, depth: int) -> list[Any]:
        parts = (part for entry in value.items() for part in entry)
        return self._each(parts, depth)

    def _other(self, value: Any, depth: int) -> list[Any]:
        """Return what is no type of Python's for data."""
        if isinstance(value, SaveLoadable):
            return [REFERENCE, *self._names.refs([value])]
        if type(value) is SaveLoadKey:
            named = self._names.key(value)
            return [KEY, *named] if isinstance(named, tuple) else [KEY, named]
        if type(value) is SlotKey:
            return ["slot", *value]
        if type(value) is GeneratorState or is_generator(value):
            state = kept(value)
            is_ours = type(state.generator) is random.Random
            return [
                "random" if is_ours else "numpy_random",
                self._names.generator(state),
            ]
        if plain.is_saveable_class(value):
            return ["class", int(value.save_type)]
        if isinstance(value, pathlib.PurePath):
            return self._leaf(checks.PATH, value)
        if plain.is_array(value):
            return ["ndarray", _numpy.array_wire(value)]
        if _numpy.is_scalar(value):
            return ["scalar", _numpy.scalar_wire(value)]
        return self._of_game(value, depth)

    def _of_game(self, value: Any, depth: int) -> list[Any]:
        """Return what is of a class of the game's, or of another library's."""
        if known := plain.learnt(value):
            return ["foreign", known.name, self.tree(known.encoded(value), depth)]
        check = self._wires.known(value)
        if isinstance(check, Member):
            return ["prefab", int(value)]
        if isinstance(check, EnumMember):
            wire: Any = self._wires.of(check)
            return ["enum", full_name(check), wire.said(value)]
        if isinstance(check, UserType):
            return self._record(check, value, depth)
        raise SaveError(_unknown(value))

    def _record(self, check: UserType, value: Any, depth: int) -> list[Any]:
        made: list[Any] = ["record", full_name(check)]
        for name in plain.record_fields(type(value)) or ():
            if (part := getattr(value, name, LOST)) is not LOST:
                made += [name, self.tree(part, depth)]
        return made


def _is_short(value: Any) -> bool:
    if type(value) is int:
        return is_short(value)
    return type(value) is not str or is_text(value)


def _unknown(value: Any) -> str:
    found = a(type(value).__qualname__)
    if isinstance(value, Enum) or plain.record_fields(type(value)) is not None:
        return (
            f"{found} could not be loaded: no saved field is declared to hold one;"
            " declare one, or save plain data"
        )
    return f"{found} is not plain data"


class _Reader:
    def __init__(self, wires: Wires, things: Things) -> None:
        self._wires = wires
        self._things = things

    def value(self, tree: Any) -> Any:
        """Return the value of a tree whose depth was checked."""
        if type(tree) not in (list, tuple):
            return tree
        word, *parts = tree
        if word in _CLASSES:
            return self._container(word, parts)
        if word == "deque":
            return deque(map(self.value, parts[1:]), parts[0])
        if word == "defaultdict":
            return defaultdict(factory_of(parts[0]), self._dict(parts[1:]))
        if word in _MADE:
            return _MADE[word](self, *parts)
        return self._leaf(word, *parts)

    def _container(self, word: str, parts: list[Any]) -> Any:
        cls = _CLASSES[word]
        if cls in _DICTS:
            return cls(self._dict(parts))
        found = [*map(self.value, parts)]
        return found if cls is list else cls(found)

    def _dict(self, parts: list[Any]) -> dict[Any, Any]:
        found = iter([*map(self.value, parts)])
        return dict(zip(found, found, strict=True))

    def _leaf(self, word: str, wire: Any) -> Any:
        check = _BY_WORD[word]
        reader = self._wires.of(check).reader(word, {})
        (value,) = reader.read([converted(wire, type_of(word, {}))], self._things)
        return value

    def reference(self, number: int | None) -> Any:
        found = None if number is None else self._things.objects[natural(number)]
        return None if found is LOST else found

    def key(self, *named: Any) -> Any:
        if named == (None,):
            return None
        if len(named) not in (1, 3):
            raise SaveCorruptError("the save has a key that is not whole")
        numbers = (*map(natural, named),)
        return self._things.key(numbers[0] if len(numbers) == 1 else numbers)

    def generator(self, place: int) -> Any:
        return self._things.generator(natural(place))

    def slot(self, index: int, generation: int) -> SlotKey:
        return SlotKey(natural(index), natural(generation))

    def saved_class(self, number: int) -> type:
        return self._things.class_of(natural(number))

    def prefab(self, number: int) -> Any:
        check = self._wires.prefabs
        if check is None:
            raise SaveError(
                f"the save has a prefab {short(number)}; no field holds one any more"
            )
        wire: Any = self._wires.of(check)
        return wire.member(natural(number))

    def enum(self, name: str, member: str) -> Any:
        check = self._wires.named_check(name, EnumMember)
        wire: Any = self._wires.of(check)
        return wire.member(converted(member, str))

    def record(self, name: str, *parts: Any) -> Any:
        cls = self._wires.named_check(name, UserType).game_class()
        found = iter(parts)
        saved = {key: self.value(part) for key, part in zip(found, found, strict=True)}
        fields = plain.record_fields(cls) or ()
        known = {key: saved[key] for key in fields if key in saved}
        if issubclass(cls, (tuple, Struct)):  # these cannot be without a field
            known = {
                key: known[key] if key in known else _new(cls, key) for key in fields
            }
        (made,) = maker(cls, [*known])([[part] for part in known.values()], 1)
        return made

    def foreign(self, name: str, tree: Any) -> Any:
        check = self._wires.named_check(name, Foreign)
        wire: Any = self._wires.of(check)
        return wire.decode(self.value(tree))

    def ndarray(self, wire: Any) -> Any:
        return _numpy.array_of(converted(wire, type_of("ndarray", {})))

    def scalar(self, wire: Any) -> Any:
        return _numpy.scalar_of(converted(wire, type_of(["scalar", ""], {})))


def natural(number: Any) -> int:
    if type(number) is not int or number < 0:
        raise SaveCorruptError(f"the save has a number that is none: {short(number)}")
    return number


def _new(cls: type, name: str) -> Any:
    make = default_of(cls, name)
    if make is None:
        raise SaveError(
            f"`{cls.__qualname__}` has a new field `{name}` without a default"
        )
    return make()


_MADE: dict[str, Callable[..., Any]] = {
    REFERENCE: _Reader.reference,
    KEY: _Reader.key,
    "slot": _Reader.slot,
    "random": _Reader.generator,
    "numpy_random": _Reader.generator,
    "class": _Reader.saved_class,
    "prefab": _Reader.prefab,
    "enum": _Reader.enum,
    "record": _Reader.record,
    "foreign": _Reader.foreign,
    "ndarray": _Reader.ndarray,
    "scalar": _Reader.scalar,
}
_BY_WORD = {
    **{cls.__name__.lower(): check for cls, check in _LEAVES.items()},
    "path": checks.PATH,
}
