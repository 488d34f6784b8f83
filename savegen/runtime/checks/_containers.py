"""Containers: of one type, with members of any kind."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Iterable, Iterator
from itertools import chain
from operator import is_
from typing import Any

from savegen.runtime import plain
from savegen.runtime.checks._base import Check, Fault, Resolve, all_of, types_of
from savegen.runtime.checks._leaves import INT
from savegen.runtime.checks._show import show
from savegen.runtime.copying import Unhashed
from savegen.runtime.errors import SaveError


class Items(Check):
    """A container of one type whose members are all alike."""

    def __init__(self, cls: type, item: Check) -> None:
        super().__init__(f"{cls.__name__}[{item.wanted}]")
        self.cls = cls
        self.item = item

    def fits(self, value: Any) -> bool:
        return type(value) is self.cls or Unhashed.holds(value, self.cls)

    def fault(self, value: Any) -> Fault | None:
        if not self.fits(value):
            return super().fault(value)
        for index, item in enumerate(value):
            if fault := self.item.fault(item):
                return fault.below(f"[{index}]" if self.is_ordered else "{}")
        return None

    @property
    def is_ordered(self) -> bool:
        return self.cls not in (set, frozenset)

    def same(self, left: Any, right: Any) -> bool:
        if not self.fits(left) or not self.fits(right) or len(left) != len(right):
            return False
        if self.cls is deque and left.maxlen != right.maxlen:
            return False
        if all(map(is_, left, right)):
            return True
        if self.is_ordered:
            return all(map(self.item.same, left, right))
        return self._bytes(left) == self._bytes(right)

    def _bytes(self, value: Any) -> bytes | None:
        try:
            return self.write(value, plain.identity)
        except SaveError:  # what the game put there is not plain
            return None

    def write(self, value: Any, name: plain.Name) -> bytes:
        parts = [self.item.write(item, name) for item in value]
        if not self.is_ordered:
            parts.sort()
        if self.cls is deque:
            parts.append(plain.limit(value.maxlen))
        return plain.framed(self.cls.__name__, parts)

    def parts(self, value: Any) -> Iterable[tuple[Check, Any]]:
        return ((self.item, item) for item in value)

    def checks(self) -> Iterable[Check]:
        return (self.item,)

    def reach(self, values: list[Any]) -> list[Any]:
        return self.item.reach([*chain.from_iterable(values)])

    def _relink(self, value: Any, resolve: Resolve) -> Any:
        made = [self.item.relink(item, resolve) for item in value]
        if self.item.leaves_none_out:
            made = [each for each in made if each is not None]
        if type(value) is Unhashed:
            return Unhashed(value.cls, made)
        if self.cls is deque:
            return deque(made, value.maxlen)
        return self.cls(made)

    def changeable(self, value: Any) -> Iterator[Any]:
        if self.fits(value):
            if self.cls not in (tuple, frozenset):
                yield value
            yield from super().changeable(value)


class ListItems(Items):
    """A list: what games hold most, and so what is compared most."""

    def same(self, left: Any, right: Any) -> bool:
        if type(left) is type(right) is list and len(left) == len(right):
            return all(map(is_, left, right)) or all(map(self.item.same, left, right))
        return False

    def compare(self, left: list[Any], right: list[Any]) -> bytes:
        # All lists at once, as if they were one: nearly always nothing has changed.
        alike = [*map(len, left)] == [*map(len, right)] and all(
            map(is_, chain.from_iterable(left), chain.from_iterable(right))
        )
        if alike and {*map(type, left), *map(type, right)} <= {list}:
            return b"\1" * len(left)
        return super().compare(left, right)


class Entries(Check):
    """A mapping of one type, whose keys are alike and whose values are alike."""

    def __init__(self, cls: type, key: Check, value: Check) -> None:
        super().__init__(f"{cls.__name__}[{key.wanted}, {value.wanted}]")
        self.cls = cls
        self.key = key
        self.value = value

    def fits(self, value: Any) -> bool:
        return type(value) is self.cls or Unhashed.holds(value, self.cls)

    def same(self, left: Any, right: Any) -> bool:
        if not self.fits(left) or not self.fits(right) or len(left) != len(right):
            return False
        if self.factory(left) is not self.factory(right):
            return False
        if all(map(is_, left, right)) and type(left) is type(right) is not Unhashed:
            if all(map(is_, left.values(), right.values())):
                return True
        pairs = zip(self._entries(left), self._entries(right))
        return all(
            (key is other or self.key.same(key, other))
            and (item is another or self.value.same(item, another))
            for (key, item), (other, another) in pairs
        )

    def write(self, value: Any, name: plain.Name) -> bytes:
        parts = [check.write(part, name) for check, part in self.parts(value)]
        if self.cls is defaultdict:
            parts.append(plain.factory(self.factory(value)))
        return plain.framed(self.cls.__name__, parts)

    def parts(self, value: Any) -> Iterable[tuple[Check, Any]]:
        for key, item in self._entries(value):
            yield self.key, key
            yield self.value, item

    def reach(self, values: list[Any]) -> list[Any]:
        entries = [*chain.from_iterable(map(self._entries, values))]
        return [
            *self.key.reach([key for key, _ in entries]),
            *self.value.reach([item for _, item in entries]),
        ]

    def checks(self) -> Iterable[Check]:
        return self.key, self.value

    def _relink(self, value: Any, resolve: Resolve) -> Any:
        made = [
            (self.key.relink(key, resolve), self.value.relink(item, resolve))
            for key, item in self._entries(value)
        ]
        if self.key.leaves_none_out or self.value.leaves_none_out:
            made = [entry for entry in made if not self._has_died(*entry)]
        if type(value) is Unhashed:
            return Unhashed(value.cls, made, value.factory)
        if self.cls is defaultdict:
            return defaultdict(value.default_factory, made)
        return self.cls(dict(made))

    def changeable(self, value: Any) -> Iterator[Any]:
        if self.fits(value):
            yield value
            yield from super().changeable(value)

    def _has_died(self, key: Any, item: Any) -> bool:
        has_key = key is not None or not self.key.leaves_none_out
        return not has_key or item is None and self.value.leaves_none_out

    @staticmethod
    def _entries(value: Any) -> Iterable[tuple[Any, Any]]:
        return value if type(value) is Unhashed else value.items()

    @staticmethod
    def factory(value: Any) -> Any:
        """Return what a `defaultdict` calls for a key that it does not have."""
        if type(value) is Unhashed:
            return value.factory
        return value.default_factory if type(value) is defaultdict else None

    def fault(self, value: Any) -> Fault | None:
        if not self.fits(value):
            return super().fault(value)
        for key, item in self._entries(value):
            if fault := self.key.fault(key):
                return fault.below(f" key {show(key)}")
            if fault := self.value.fault(item):
                return fault.below(f"[{show(key)}]")
        return None


class Places(Check):
    """A tuple of a fixed length, with a check for each place."""

    def __init__(self, *places: Check) -> None:
        super().__init__(f"tuple[{', '.join(p.wanted for p in places) or '()'}]")
        self.places = places

    def fits(self, value: Any) -> bool:
        return type(value) is tuple and len(value) == len(self.places)

    def fault(self, value: Any) -> Fault | None:
        if not self.fits(value):
            return super().fault(value)
        for index, place in enumerate(self.places):
            if fault := place.fault(value[index]):
                return fault.below(f"[{index}]")
        return None

    def same(self, left: Any, right: Any) -> bool:
        if not (type(left) is type(right) is tuple and len(left) == len(right)):
            return False
        if len(left) != len(self.places):
            return False
        for check, one, other in zip(self.places, left, right, strict=True):
            if one is not other and not check.same(one, other):
                return False
        return True

    def compare(self, left: list[Any], right: list[Any]) -> bytes:
        if types_of(left, right) != {tuple} or not self.places:
            return super().compare(left, right)
        if {*map(len, left), *map(len, right)} != {len(self.places)}:
            return super().compare(left, right)
        columns = zip(self.places, zip(*left), zip(*right), strict=True)
        return all_of(check.compare([*one], [*other]) for check, one, other in columns)

    def write(self, value: Any, name: plain.Name) -> bytes:
        parts = (check.write(part, name) for check, part in self.parts(value))
        return plain.framed("tuple", parts)

    def parts(self, value: Any) -> Iterable[tuple[Check, Any]]:
        return zip(self.places, value, strict=True)

    def reach(self, values: list[Any]) -> list[Any]:
        return [
            each
            for index, place in enumerate(self.places)
            for each in place.reach([value[index] for value in values])
        ]

    def checks(self) -> Iterable[Check]:
        return self.places

    def _relink(self, value: Any, resolve: Resolve) -> Any:
        return tuple(check.relink(part, resolve) for check, part in self.parts(value))

    def changeable(self, value: Any) -> Iterator[Any]:
        return super().changeable(value) if self.fits(value) else iter(())


def list_of(item: Check) -> Check:
    return ListItems(list, item)


def set_of(item: Check) -> Check:
    return Items(set, item)


def frozenset_of(item: Check) -> Check:
    return Items(frozenset, item)


def deque_of(item: Check) -> Check:
    return Items(deque, item)


def tuple_of(item: Check) -> Check:
    """A tuple of any length."""
    return Items(tuple, item)


def dict_of(key: Check, value: Check) -> Check:
    return Entries(dict, key, value)


def defaultdict_of(key: Check, value: Check) -> Check:
    return Entries(defaultdict, key, value)


def ordered_dict_of(key: Check, value: Check) -> Check:
    return Entries(OrderedDict, key, value)


def counter_of(key: Check) -> Check:
    return Entries(Counter, key, INT)
