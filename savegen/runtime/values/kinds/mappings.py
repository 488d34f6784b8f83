"""Dicts: plain, ordered, with a default, or of counts."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain
from typing import Any

from savegen.runtime.values.kinds.choices import (
    ANY,
    Noted,
    type_of,
    typed,
    typed_cell,
    unified,
)
from savegen.runtime.values.kinds.containers import owners
from savegen.runtime.values.kinds.kind import (
    BY_CLASS,
    KINDS,
    REMOVED,
    Change,
    Column,
    Composite,
    IsLost,
    NameOf,
    Owners,
    Packing,
    Typed,
    enter,
    have_types,
    is_array,
)
from savegen.runtime.values.factories import factory_fault, is_same
from savegen.runtime.values.rows import Misfit
from savegen.runtime.values.stored import StoredType, has_keys

_INT = StoredType("int")
_DICT = frozenset([dict])
_SHOWN = frozenset([bool, int, float, str, bytes, type(None)])


def _step(key: Any) -> str:
    """Return the step to the value of a key: a short native key, or the class of the key."""
    try:
        shown = repr(key) if type(key) in _SHOWN else ""
    except ValueError:  # an int with thousands of digits
        shown = ""
    is_short = 0 < len(shown) <= 60
    return f"[{shown}]" if is_short else f"[{type(key).__name__}]"


class Mapping(Composite):
    """A dict of some class: a map if its keys are scalar, else an array of pairs."""

    is_container = is_mutable = has_content = is_factory = True

    def __init__(self, cls: type, template: str) -> None:
        self.cls, self._template = cls, template

    def filler(self, stored: StoredType) -> Any:
        return {} if stored.is_map else []

    def part_types(self, stored: StoredType) -> tuple[StoredType, ...]:
        return stored.parts

    def has_shapes(self, stored: StoredType, column: Column) -> bool:
        return stored.is_map and have_types(_DICT, column)

    def has_shape(self, stored: StoredType, cell: Any) -> bool:
        if stored.is_map:
            return type(cell) is dict
        return is_array(cell) and all(is_array(p) and len(p) == 2 for p in cell)

    def columns(
        self, stored: StoredType, column: Column
    ) -> Iterator[tuple[StoredType, Column, Owners]]:
        if not stored.is_map:
            yield from super().columns(stored, column)
            return
        key, value = self.part_types(stored)
        owners_of = partial(owners, column)
        yield key, [*chain.from_iterable(column)], owners_of
        yield value, [*chain.from_iterable(map(dict.values, column))], owners_of

    def parts(self, stored: StoredType, cell: Any) -> list[Typed]:
        key, value = self.part_types(stored)
        pairs = cell.items() if type(cell) is dict else cell
        return [part for k, v in pairs for part in ((key, k), (value, v))]

    def rebuilt(self, stored: StoredType, cell: Any, parts: list[Any]) -> Any:
        pairs = zip(parts[::2], parts[1::2])
        kept = [pair for pair in pairs if pair[0] is not REMOVED is not pair[1]]
        if stored.is_map:
            return dict(kept)
        pair = type(cell[0]) if is_array(cell) and cell else list
        return [*map(pair, kept)]

    def steps(self, stored: StoredType, cell: Any) -> Iterable[str]:
        keys = [key for _, key in self.parts(stored, cell)[::2]]
        return chain.from_iterable((" (key)", _step(key)) for key in keys)

    def pack(self, stored: StoredType, value: Any, packing: Packing) -> Any:
        if not (type(value) is self.cls and self._has_factory(stored, value, packing)):
            raise Misfit(value)
        key_type, value_type = self.part_types(stored)
        pack_key, pack = KINDS[key_type.name].pack, KINDS[value_type.name].pack
        token, pairs, step = packing.enter(value, stored), list[Any](), ""
        try:
            for key, member in value.items():
                step = " (key)"
                key_cell = pack_key(key_type, key, packing)
                step = _step(key)
                pairs.append((key_cell, pack(value_type, member, packing)))
        except Misfit as misfit:
            raise misfit.inside(step)
        finally:
            packing.leave(token)
        return dict(pairs) if stored.is_map else pairs

    def _has_factory(self, stored: StoredType, value: Any, packing: Packing) -> bool:
        return True

    def typed(self, value: Any, packing: Packing) -> Typed:
        token = packing.enter(value)
        try:
            keys = unified([typed(key, packing) for key in value])
            values = unified([typed(member, packing) for member in value.values()])
        finally:
            packing.leave(token)
        stored = self._type_of(keys[0], values[0], value)
        pairs = zip(keys[1], values[1], strict=True)
        return stored, dict(pairs) if stored.is_map else [*pairs]

    def _type_of(self, key: StoredType, value: StoredType, mapping: Any) -> StoredType:
        return type_of(self.name, key, value)

    def unpack(self, stored: StoredType, cell: Any, references: Any) -> Any:
        key_type, value_type = self.part_types(stored)
        unpack_key, unpack = KINDS[key_type.name].unpack, KINDS[value_type.name].unpack
        made = self.empty(stored)
        pairs = [*(cell.items() if type(cell) is dict else cell)]
        # At once, since values may be sets that are to be filled later, too.
        values = [unpack(value_type, value, references) for _, value in pairs]

        def fill() -> None:
            for (key, _), value in zip(pairs, values):
                made[unpack_key(key_type, key, references)] = value

        if has_keys(key_type):
            references._when_filled(fill)
        else:
            fill()
        return made

    def empty(self, stored: StoredType) -> Any:
        return self.cls()

    def of_parts(self, stored: StoredType, cell: Any, values: list[Any]) -> Any:
        made = self.empty(stored)
        for key, value in zip(values[::2], values[1::2]):
            made[key] = value
        return made

    def text(self, stored: StoredType, cell: Any, name_of: NameOf) -> str:
        texts = self.texts(stored, cell, name_of)
        pairs = (f"{k}: {v}" for k, v in zip(texts[::2], texts[1::2]))
        return self._template.format(", ".join(pairs))

    def held(self, value: Any) -> list[Any]:
        return [*self.cls.keys(value), *self.cls.values(value)]

    def refilled(self, value: Any, change: Change, is_lost: IsLost) -> Any:
        base: Any = self.cls
        members = {id(key): change(member) for key, member in dict.items(value)}
        try:
            keys = [*base.__iter__(value)]
        except KeyError:
            # An `OrderedDict` looks them up; their order was that of `dict.keys`.
            keys = [*dict.keys(value)]
        entries = [(change(key), members[id(key)]) for key in keys]
        is_same = all(id(key) in members for key, _ in entries)
        if is_same and not is_lost(keys):
            for key, member in entries:
                if base.__getitem__(value, key) is not member:
                    base.__setitem__(value, key, member)
            return value
        base.clear(value)
        for key, member in entries:
            base.__setitem__(value, key, member)
        return value

    def content(self, value: Any) -> Any:
        base: Any = self.cls
        made = base()
        for key, member in base.items(value):
            made[key] = member
        return made

    def made(self, cls: Any, content: Any) -> Any:
        base: Any = self.cls
        made = base.__new__(cls)
        for key, member in content.items():
            base.__setitem__(made, key, member)
        return made


class Counts(Mapping):
    def part_types(self, stored: StoredType) -> tuple[StoredType, ...]:
        return (*stored.parts, _INT)

    def _type_of(self, key: StoredType, value: StoredType, mapping: Any) -> StoredType:
        return type_of(self.name, key)

    def typed(self, value: Any, packing: Packing) -> Typed:
        if not all(type(count) is int for count in value.values()):
            raise Misfit(value, "it is a Counter with other values than ints")
        return super().typed(value, packing)


class DefaultDict(Mapping):
    """A `defaultdict`; its factory follows from the type of its values.

    That of values which its factory would not make is `union<what it makes | any>`; one with
    an unknown factory is a `Factory` in memory, and has none in a file.
    """

    is_factory = False

    def _has_factory(self, stored: StoredType, value: Any, packing: Packing) -> bool:
        factory = value.default_factory
        if packing.factories:
            return any(is_same(factory, each) for each in packing.factories)
        return factory is factory_of(stored)

    def empty(self, stored: StoredType) -> Any:
        return defaultdict(factory_of(stored))

    def typed(self, value: Any, packing: Packing) -> Typed:
        stored, cell = super().typed(value, packing)
        factory = value.default_factory
        if factory is factory_of(stored):
            return stored, cell
        key, part = stored.parts
        kind = BY_CLASS.get(id(factory))
        if factory is None or kind is None or not kind.is_factory:
            kept = StoredType(self.name, (key, ANY))
            entries = _changed_values(kept, cell, lambda c: typed_cell(part, c))
            if factory is None:
                return kept, entries
            if not packing.keeps_live:
                raise Misfit(value, factory_fault(factory))
            packing.has_live = True
            return type_of("factory", kept), (factory, entries)
        made = typed(factory(), packing)[0]
        if not value:
            return StoredType(self.name, (key, made)), cell
        wide = StoredType("union", (made, ANY))
        kept = StoredType(self.name, (key, wide))
        entries = _changed_values(kept, cell, lambda c: (1, None, typed_cell(part, c)))
        return kept, entries

    def text(self, stored: StoredType, cell: Any, name_of: NameOf) -> str:
        factory = getattr(factory_of(stored), "__name__", None)
        return f"defaultdict({factory}, {super().text(stored, cell, name_of)})"

    def content(self, value: Any) -> Any:
        made = super().content(value)
        made.default_factory = vars(defaultdict)["default_factory"].__get__(value)
        return made

    def made(self, cls: Any, content: Any) -> Any:
        made = super().made(cls, content)
        vars(defaultdict)["default_factory"].__set__(made, content.default_factory)
        return made


def with_its_factory(defaults: Typed) -> Typed:
    """Return a `defaultdict` under another type, which means the same.

    Under the type of its field, a load would give it the factory of the class.
    """
    stored, cell = defaults
    key, part = stored.parts
    kept = StoredType(stored.name, (key, StoredType("union", (part, ANY))))
    return kept, _changed_values(kept, cell, lambda c: (0, c, None))


def factory_of(stored: StoredType) -> Any:
    """Return the factory of a `defaultdict` of a stored type; `None` for none."""
    part = stored.parts[1]
    if part.name == "union" and part.parts[1:] == (ANY,):
        part = part.parts[0]
    kind = KINDS["tuple" if part.name == "fixed" else part.name]
    return kind.cls if kind.is_factory else None


def _changed_values(stored: StoredType, cell: Any, change: Any) -> Any:
    pairs = cell.items() if type(cell) is dict else cell
    changed = [(key, change(value)) for key, value in pairs]
    return dict(changed) if stored.is_map else changed


class Factory(Noted):
    """A `defaultdict` with an unknown factory."""

    def of_parts(self, stored: StoredType, cell: Any, values: list[Any]) -> Any:
        (made,) = values
        made.default_factory = cell[0]
        return made


enter(Factory(), "factory")
enter(Mapping(dict, "{{{}}}"), "dict")
enter(Mapping(OrderedDict, "OrderedDict({{{}}})"), "OrderedDict")
enter(Counts(Counter, "Counter({{{}}})"), "Counter")
enter(DefaultDict(defaultdict, "{{{}}}"), "defaultdict")
