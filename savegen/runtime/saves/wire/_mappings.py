"""Mappings: of one type, with keys that are alike and values that are alike."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict, deque
from operator import methodcaller
from typing import Any

from savegen.runtime.checks import Entries, Fault
from savegen.runtime.checks._show import show
from savegen.runtime.copying import Unhashed
from savegen.runtime.errors import SaveError
from savegen.runtime.saves.document import Form
from savegen.runtime.saves.wire._base import (
    LOST,
    Column,
    Names,
    Reader,
    Readings,
    Things,
    Unfit,
    Wire,
)
from savegen.runtime.saves.wire._container_nodes import flat, parted
from savegen.runtime.saves.wire._containers import where
from savegen.runtime.saves.wire._mapping_nodes import (
    DefaultNode,
    EntriesNode,
    body,
    halves,
)
from savegen.runtime.saves.wire._node import DEPTH, Node

# What a `defaultdict` makes of a key that is not there: only these can be named in a save.
_FACTORIES: dict[str | None, Any] = {
    None: None,
    **{
        cls.__name__: cls
        for cls in (list, dict, set, tuple, int, float, str, bool, bytes, frozenset)
        + (deque, Counter, OrderedDict)
    },
}
_FACTORY_NAMES = {id(factory): name for name, factory in _FACTORIES.items()}
_KNOWN = "one of " + ", ".join(name for name in _FACTORIES if name)
_VALUES = methodcaller("values")
_WORDS: dict[Any, str] = {OrderedDict: "ordereddict", Counter: "counter"}


class EntriesWire(Wire):
    """A mapping whose keys are alike, and whose values are alike."""

    check: Entries

    def _formed(self) -> Form:
        cls = self.check.cls
        forms = [self._key.form, self._value.form]
        return [
            _WORDS.get(cls, cls.__name__),
            *(forms[:1] if cls is Counter else forms),
        ]

    @property
    def _key(self) -> Wire:
        return self.wires.of(self.check.key)

    @property
    def _value(self) -> Wire:
        return self.wires.of(self.check.value)

    def pack(self, values: Column, names: Names, depth: int = DEPTH) -> Column:
        if {*map(type, values)} <= {self.check.cls}:
            flat_keys, flat_items = flat(values), flat(map(_VALUES, values))
        elif not all(map(self.check.fits, values)):
            raise self.refuse(values)
        else:
            flat_keys = flat(map(_keys, values))
            flat_items = flat(map(_values, values))
        made_keys = self._packed(
            self._key, flat_keys, values, names, depth, flat_keys, " key "
        )
        made_items = self._packed(
            self._value, flat_items, values, names, depth, flat_keys, ""
        )
        if (
            self.check.cls is dict
            and made_keys is flat_keys
            and made_items is flat_items
        ):
            if self._has_texts and {*map(type, values)} <= {dict}:
                return values
        lists = zip(parted(made_keys, values), parted(made_items, values))
        bodies = [body(*pair, self._has_texts) for pair in lists]
        return (
            bodies
            if self.check.cls is not defaultdict
            else self._with_factory(values, bodies)
        )

    @property
    def _has_texts(self) -> bool:
        return self._key.form == "str"

    def _packed(
        self,
        wire: Wire,
        column: Column,
        values: Column,
        names: Names,
        depth: int,
        keys: Column,
        what: str,
    ) -> Column:
        try:
            return wire.pack(column, names, depth)
        except Unfit as error:
            place, _ = where(values, error.place)
            key = show(keys[error.place])
            raise error.within(place, f"{what}{key}" if what else f"[{key}]") from None

    def _with_factory(self, values: Column, bodies: list[Any]) -> list[Any]:
        made = []
        for place, (value, each) in enumerate(zip(values, bodies)):
            factory = self.check.factory(value)
            try:
                made.append([factory_name(factory), each])
            except SaveError:
                found = f"a defaultdict that calls {_shown(factory)}"
                raise Unfit(
                    place, Fault("", found, f"one that calls {_KNOWN}")
                ) from None
        return made

    def _reader(self, node: Node, readings: Readings) -> Reader | None:
        if isinstance(node, DefaultNode):
            return self._of_default(self._of_entries(node.items, readings))
        if not isinstance(node, EntriesNode):
            return None
        entries = self._of_entries(node, readings)

        def read(values: Column, things: Things) -> Column:
            found = entries.read(values, things)
            return [self._made(each, None) for each in found]

        return Reader(read, entries.loses)

    def _of_default(self, entries: Reader) -> Reader:
        def read(values: Column, things: Things) -> Column:
            found = entries.read([value[1] for value in values], things)
            return [
                self._made(each, factory_of(value[0]))
                for each, value in zip(found, values)
            ]

        return Reader(read, entries.loses)

    def _made(self, entries: Any, factory: Any) -> Any:
        """Return a mapping with some entries: a dict, or pairs of keys and values."""
        cls: Any = self.check.cls
        if self.check.key.refers:
            pairs = entries.items() if type(entries) is dict else entries
            return Unhashed(cls, pairs, factory if cls is defaultdict else None)
        if cls is dict:
            return entries if type(entries) is dict else dict(entries)
        return cls(factory, entries) if cls is defaultdict else cls(dict(entries))

    def _of_entries(self, node: EntriesNode, readings: Readings) -> Reader:
        """Return what reads the entries of each value: a dict, or pairs."""
        key = readings.of(self._key, node.key)
        item = readings.of(self._value, node.value)

        def read(values: Column, things: Things) -> Column:
            if key.odd is not None and {*map(type, values)} <= {dict}:
                plain = flat(map(dict.values, values))
                if item.read(plain, things) is plain:
                    return values
            found = [*map(halves, values)]
            keys = key.read(flat(keys for keys, _ in found), things)
            items = item.read(flat(each for _, each in found), things)
            pairs = parted(zip(keys, items), (keys for keys, _ in found))
            if things.may_be_lost and (key.gives_lost or item.gives_lost):
                return [[e for e in each if not _is_lost(e)] for each in pairs]
            return [*pairs]

        return Reader(read, key.loses or item.loses)


def factory_name(factory: Any) -> str | None:
    """Return the name of the factory of a `defaultdict`.

    Raises `SaveError` if a load could not find it again.
    """
    if id(factory) not in _FACTORY_NAMES:
        what = f"a defaultdict that calls {_shown(factory)} could not be loaded"
        raise SaveError(f"{what}: it must call {_KNOWN}")
    return _FACTORY_NAMES[id(factory)]


def _shown(factory: Any) -> str:
    return f"`{getattr(factory, '__qualname__', type(factory).__qualname__)}`"


def factory_of(name: str | None) -> Any:
    """Return the factory of a name. Raises `SaveError` if there is none."""
    if name not in _FACTORIES:
        raise SaveError(
            f"the save has a defaultdict that calls {name!r}, which nothing knows"
        )
    return _FACTORIES[name]


def _keys(value: Any) -> Column:
    return [key for key, _ in value] if type(value) is Unhashed else [*value]


def _values(value: Any) -> Column:
    if type(value) is Unhashed:
        return [item for _, item in value]
    return [*value.values()]


def _is_lost(entry: tuple[Any, Any]) -> bool:
    return entry[0] is LOST or entry[1] is LOST
