"""Forms of containers: of one type, with members of any form."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import chain, islice
from typing import Annotated, Any

from msgspec import Meta

from savegen.runtime.errors import SaveCorruptError
from savegen.runtime.saves.document import Form
from savegen.runtime.saves.wire._leaf_nodes import Place, broken
from savegen.runtime.saves.wire._node import (
    DEPTH,
    Column,
    NewNumber,
    Node,
    Nodes,
    arguments,
    list_of,
    packed,
    tuple_of,
)


def flat(values: Iterable[Iterable[Any]]) -> list[Any]:
    return [*chain.from_iterable(values)]


def parted(members: Iterable[Any], like: Iterable[Any]) -> Iterator[list[Any]]:
    """Yield flat members in lists again, each as long as its counterpart in `like`."""
    rest = iter(members)
    for each in like:
        yield [*islice(rest, len(each))]


def in_order(members: Iterable[Any]) -> list[Any]:
    """Return the members of a set in an order that depends on nothing but them."""
    found = [*members]
    if {*map(type, found)} in ({int}, {str}, {bytes}):
        return sorted(found)
    # Objects, where numbers will be: msgspec would look into some of them.
    return sorted(found, key=packed) if _are_written(found) else found


_WRITTEN = {type(None), bool, int, float, str, bytes, list, tuple, dict}


def _are_written(values: Iterable[Any]) -> bool:
    found = [*values]
    inner = [each for each in found if type(each) in (list, tuple)]
    inner += [each.values() for each in found if type(each) is dict]
    return {*map(type, found)} <= _WRITTEN and all(map(_are_written, inner))


def all_in_order(sets: Iterable[Iterable[Any]], members: Iterable[Any]) -> list[Any]:
    """Return the members of many sets in their order; `members` are those of all."""
    if {*map(type, members)} in ({int}, {str}, {bytes}):
        return [*map(sorted, sets)]
    return [*map(in_order, sets)]


def plain_list(plain: Any) -> list[Any]:
    if type(plain) is not list and type(plain) is not tuple:
        raise broken(plain)
    return [*plain]


class ListNode(Node):
    """Some members in their order."""

    def __init__(self, form: Form, nodes: Nodes) -> None:
        super().__init__(form, nodes)
        self.made_of(map(nodes.of, arguments(form, 1)))

    @cached_property
    def type(self) -> Any:
        return list_of(self.parts[0].type)

    @cached_property
    def exact(self) -> Any:
        inner = self.parts[0].exact
        return list_of(inner) if inner else None

    def settle(self, values: Column, depth: int = DEPTH) -> Column:
        (item,) = self.parts
        if not item.is_raw:
            return values
        return [*parted(item.settle(flat(values), depth), values)]

    def _relink(self, values: Column, new: NewNumber) -> Column:
        return [*parted(self.parts[0].relink(flat(values), new), values)]

    def plain(self, values: Column) -> list[Any]:
        return [*parted(self.parts[0].plain(flat(values)), values)]

    def wire(self, plains: Column, depth: int = DEPTH) -> list[Any]:
        lists = [*map(plain_list, plains)]
        return [*parted(self.parts[0].wire(flat(lists), depth), lists)]


class TupleNode(ListNode):
    @cached_property
    def type(self) -> Any:
        return tuple_of([self.parts[0].type, ...])

    @cached_property
    def exact(self) -> Any:
        inner = self.parts[0].exact
        return tuple_of([inner, ...]) if inner else None


class SetNode(ListNode):
    """Some members in the one order that a set of them has in saves."""

    exact = None

    def _relink(self, values: Column, new: NewNumber) -> Column:
        return [*map(in_order, super()._relink(values, new))]

    def wire(self, plains: Column, depth: int = DEPTH) -> list[Any]:
        return [*map(in_order, super().wire(plains, depth))]


class MaybeNode(ListNode):
    """A value, or none: what is not set, or not there."""

    exact = None

    @cached_property
    def type(self) -> Any:
        return Annotated[list_of(self.parts[0].type), Meta(max_length=1)]

    def wire(self, plains: Column, depth: int = DEPTH) -> list[Any]:
        found = super().wire(plains, depth)
        if any(len(each) > 1 for each in found):
            raise broken(plains)
        return found


class HeadedNode(Node):
    """Something that is told of a container, and the container itself."""

    head: Any  # its type
    items: Node

    @cached_property
    def type(self) -> Any:
        return tuple_of([self.head, self.items.type])

    def settle(self, values: Column, depth: int = DEPTH) -> Column:
        if not self.items.is_raw:
            return values
        return self._with(values, self.items.settle(_items(values), depth))

    def _relink(self, values: Column, new: NewNumber) -> Column:
        return self._with(values, self.items.relink(_items(values), new))

    def _with(self, values: Column, items: Column) -> list[Any]:
        return [[value[0], made] for value, made in zip(values, items, strict=True)]

    def plain(self, values: Column) -> list[Any]:
        found = zip(values, self.items.plain(_items(values)), strict=True)
        return [self._plain(value[0], items) for value, items in found]

    def wire(self, plains: Column, depth: int = DEPTH) -> list[Any]:
        pairs = [*map(self._parted, plains)]
        return self._with(pairs, self.items.wire(_items(pairs), depth))

    def _plain(self, head: Any, items: Any) -> Any:
        raise NotImplementedError

    def _parted(self, plain: Any) -> tuple[Any, Any]:
        """Return head and items. Raises `SaveCorruptError` if that is nothing of the kind."""
        raise NotImplementedError


def _items(values: Column) -> list[Any]:
    return [value[1] for value in values]


class DequeNode(HeadedNode):
    """Its `maxlen`, and its members."""

    head = Place | None

    def __init__(self, form: Form, nodes: Nodes) -> None:
        super().__init__(form, nodes)
        arguments(form, 1)
        self.items = ListNode(form, nodes)
        self.made_of([self.items])

    def _plain(self, head: Any, items: Any) -> Any:
        return items if head is None else {"$maxlen": head, "items": items}

    def _parted(self, plain: Any) -> tuple[int | None, Any]:
        if type(plain) is not dict:
            return None, plain
        if {*plain} != {"$maxlen", "items"} or type(plain["$maxlen"]) is not int:
            raise broken(plain)
        if plain["$maxlen"] < 0:
            raise broken(plain)
        return plain["$maxlen"], plain["items"]


class PlacesNode(Node):
    """A tuple of a fixed length."""

    def __init__(self, form: Form, nodes: Nodes) -> None:
        super().__init__(form, nodes)
        self.made_of(map(nodes.of, form[1:] if isinstance(form, (list, tuple)) else ()))

    @cached_property
    def type(self) -> Any:
        return tuple_of(part.type for part in self.parts)

    @cached_property
    def exact(self) -> Any:
        inner = [part.exact for part in self.parts]
        return tuple_of(inner) if inner and all(inner) else None

    def settle(self, values: Column, depth: int = DEPTH) -> Column:
        if not self.is_raw or not values:
            return values
        columns = zip(self.parts, zip(*values), strict=True)
        return [*zip(*(part.settle(column, depth) for part, column in columns))]

    def _relink(self, values: Column, new: NewNumber) -> Column:
        columns = zip(self.parts, zip(*values))
        return [*zip(*(part.relink(column, new) for part, column in columns))]

    def plain(self, values: Column) -> list[Any]:
        if not self.parts:
            return [[] for _ in values]
        columns = zip(self.parts, zip(*values))
        return [*map(list, zip(*(part.plain(column) for part, column in columns)))]

    def wire(self, plains: Column, depth: int = DEPTH) -> list[Any]:
        lists = [*map(plain_list, plains)]
        if any(len(each) != len(self.parts) for each in lists):
            raise SaveCorruptError(
                "the save has a value that is broken: a place is missing"
            )
        if not self.parts:
            return lists
        columns = zip(self.parts, zip(*lists))
        return [*zip(*(part.wire(column, depth) for part, column in columns))]


NODES: dict[str, type[Node]] = {
    "list": ListNode,
    "tuple": TupleNode,
    "set": SetNode,
    "frozenset": SetNode,
    "maybe": MaybeNode,
    "deque": DequeNode,
    "places": PlacesNode,
}
