"""What is saved as a number or a name: objects, classes, prefabs, assets, random generators."""

from __future__ import annotations

import itertools
import random
import weakref
from typing import Any, NamedTuple

from savegen.runtime.errors import SaveError
from savegen.runtime.values.libraries import generators
from savegen.runtime.values.kinds.kind import (
    ClassOf,
    Column,
    StoredKind,
    NameOf,
    Packing,
    Rules,
    Typed,
    check_distinct,
    check_remaining,
    enter,
    of_other_types,
)
from savegen.runtime.values.checks import is_class
from savegen.runtime.values.rows import Key, Misfit
from savegen.runtime.values.saveable import mixin_of
from savegen.runtime.values.stored import StoredType
from savegen.runtime.values.unpack import weak
from savegen.runtime.values.values import ValueEntry

_INT = frozenset([int])
_TEXT = frozenset([str])
ANY_OBJECT = StoredType("ref", numbers=(0,))


def number_from(find: Any, value: Any) -> Any:
    """Return the key or id that `references` gives a value; raise `Misfit` if it gives none."""
    try:
        number = find(value)
    except Misfit:
        raise
    except SaveError as error:
        raise Misfit(value, str(error)) from None
    if type(number) not in (int, str):
        raise Misfit(value)
    return number


# -- objects


class ReferenceKind(StoredKind):
    """An object of the world, by its key; 0 is `None`."""

    blank, may_be_shared = 0, False

    def wrong(self, stored: StoredType, column: Column, rules: Rules) -> list[int]:
        return wrong_keys(stored, column, rules, rules.dangling)

    def has_shape(self, stored: StoredType, cell: Any) -> bool:
        return type(cell) is int

    def pack(self, stored: StoredType, value: Any, packing: Packing) -> Any:
        if value is None:
            return 0
        if 0 not in stored.numbers:
            number = getattr(mixin_of(type(value)), "save_type", None)
            if number is None or number not in stored.numbers:
                raise Misfit(value)
        return number_from(packing.references.key_of, value)

    def unpack(self, stored: StoredType, cell: Any, references: Any) -> Any:
        return references.get_component(cell)

    def text(self, stored: StoredType, cell: Any, name_of: NameOf) -> str:
        return f"<{name_of(cell)}>" if cell else "None"


class Weak(ReferenceKind):
    cls, may_be_shared = weakref.ref, True

    def wrong(self, stored: StoredType, column: Column, rules: Rules) -> list[int]:
        # The key of a dead weak reference is 0.
        return wrong_keys(stored.parts[0], column, rules, may_be_zero=True)

    def pack(self, stored: StoredType, value: Any, packing: Packing) -> Any:
        if type(value) is not weakref.ref:
            raise Misfit(value)
        try:
            return super().pack(stored.parts[0], value(), packing)
        except Misfit as misfit:
            raise Misfit(value, misfit.fault) from None

    def typed(self, value: Any, packing: Packing) -> Typed:
        stored = StoredType("weak", (ANY_OBJECT,))
        return stored, self.pack(stored, value, packing)

    def unpack(self, stored: StoredType, cell: Any, references: Any) -> Any:
        return weak(references.get_component(cell))

    def text(self, stored: StoredType, cell: Any, name_of: NameOf) -> str:
        return f"weakref({super().text(stored, cell, name_of)})"


def wrong_keys(
    stored: StoredType, column: Column, rules: Rules, may_be_zero: bool
) -> list[int]:
    def check(keys: Column) -> list[int]:
        wrong = {0} if not may_be_zero and 0 in keys else set()
        if rules.class_of is not None:
            wrong |= _unfit_keys(keys, rules.class_of, frozenset(stored.numbers))
        return [n for n, key in enumerate(keys) if key in wrong] if wrong else []

    return check_remaining(of_other_types(_INT, column), column, check)


def _unfit_keys(column: Column, class_of: ClassOf, numbers: frozenset[int]) -> set[Key]:
    """Return the keys of objects whose class number is not in `numbers`."""
    keys = {*column}  # unique, and mostly ascending, which speeds up the lookups
    keys.discard(0)
    if 0 in numbers:
        return {key for key in keys if class_of(key) is None}
    if numbers.issuperset(map(class_of, keys)):
        return set()
    return {key for key in keys if class_of(key) not in numbers}


# -- classes, prefabs, assets


class ClassKind(StoredKind):
    """A saveable class, by its number."""

    blank, may_be_shared = 0, False

    def filler(self, stored: StoredType) -> Any:
        return stored.numbers[0] if stored.numbers else 0

    def types_of(self, stored: StoredType) -> Any:
        return _INT if 0 in stored.numbers else None

    def wrong(self, stored: StoredType, column: Column, rules: Rules) -> list[int]:
        return check_distinct(stored.numbers.__contains__, _INT, column)

    def has_shape(self, stored: StoredType, cell: Any) -> bool:
        return type(cell) is int and (0 in stored.numbers or cell in stored.numbers)

    def pack(self, stored: StoredType, value: Any, packing: Packing) -> Any:
        if not isinstance(value, type):
            raise Misfit(value)
        if not is_class(value, object):  # an unmarked subclass has no number of its own
            raise Misfit(value, f"the class `{value.__qualname__}` is not saveable")
        try:
            number = number_from(packing.references._class_number, value)
        except Misfit:
            fault = f"the class `{value.__qualname__}` is not saveable"
            raise Misfit(value, fault) from None
        if not self.has_shape(stored, number):
            raise Misfit(value)
        return number

    def unpack(self, stored: StoredType, cell: Any, references: Any) -> Any:
        return references._class_at(cell)

    def text(self, stored: StoredType, cell: Any, name_of: NameOf) -> str:
        return f"<class {cell}>"


class PrefabKind(StoredKind):
    """A prefab, by its number."""

    blank, types = 0, _INT

    def pack(self, stored: StoredType, value: Any, packing: Packing) -> Any:
        entry = packing.values.prefabs
        if entry is None or type(value) is not entry.load():
            raise Misfit(value)
        return int(value)

    def of_entry(self, entry: ValueEntry, value: Any, packing: Packing) -> Typed:
        return entry.type, int(value)

    def unpack(self, stored: StoredType, cell: Any, references: Any) -> Any:
        entry = references._values.prefabs
        try:
            return entry.load()(cell) if entry else None
        except ValueError:
            raise SaveError(
                f"the save has an unknown prefab with the number {cell}"
            ) from None

    def text(self, stored: StoredType, cell: Any, name_of: NameOf) -> str:
        return f"<prefab {cell}>"


class AssetKind(StoredKind):
    """An asset, by its id."""

    blank, types = "", _TEXT

    def pack(self, stored: StoredType, value: Any, packing: Packing) -> Any:
        return number_from(packing.references.id_of, value)

    def unpack(self, stored: StoredType, cell: Any, references: Any) -> Any:
        return references.asset(cell)

    def text(self, stored: StoredType, cell: Any, name_of: NameOf) -> str:
        return f"<asset {cell!r}>"


# -- random generators and counters, which stay shared


class _Content(NamedTuple):
    """A generator of a subclass as the content of itself: it has one key and one state."""

    generator: Any


class Shared(StoredKind):
    """What changes as it is used: its state stands once in a snapshot, under its key."""

    blank, types = 0, _INT

    def __init__(self, kind: str, cls: Any = None) -> None:
        self.state_kind, self.cls = kind, cls

    def pack(self, stored: StoredType, value: Any, packing: Packing) -> Any:
        if type(value) is _Content:
            value = value.generator
        elif self.cls is not None and type(value) is not self.cls:
            raise Misfit(value)  # perhaps of a subclass
        if generators.kind_of(value) != self.state_kind:
            raise Misfit(value)
        return number_from(packing.references._generator_key, value)

    def unpack(self, stored: StoredType, cell: Any, references: Any) -> Any:
        return references._generator(cell)

    def text(self, stored: StoredType, cell: Any, name_of: NameOf) -> str:
        return f"<{stored.name} {cell}>"

    def content(self, value: Any) -> Any:
        return _Content(value)

    def made(self, cls: Any, content: Any) -> Any:
        content.__class__ = cls  # it stays shared
        return content


enter(ReferenceKind(), "ref")
enter(Weak(), "weak")
enter(ClassKind(), "class")
enter(PrefabKind(), "prefab")
enter(AssetKind(), "asset")
enter(Shared("random", random.Random), "random")
enter(Shared("numpy"), "generator")
enter(Shared("count", itertools.count), "count")
