"""Forms of plain data that is known by its fields."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from msgspec import Raw

from savegen.runtime.saves.document import Form
from savegen.runtime.saves.wire._container_nodes import PlacesNode
from savegen.runtime.saves.wire._json import converted
from savegen.runtime.saves.wire._leaf_nodes import Place, broken
from savegen.runtime.saves.wire._node import (
    DEPTH,
    Column,
    Named,
    NewNumber,
    Node,
    Nodes,
    arguments,
    decode_all,
    go_deeper,
    reached,
    tuple_of,
)


def record_node(form: Form, nodes: Nodes) -> Node:
    return _named(form, nodes, RecordNode)


def keys_node(form: Form, nodes: Nodes) -> Node:
    return _named(form, nodes, KeysNode)


def _named(form: Form, nodes: Nodes, kind: type[RecordNode]) -> Node:
    converted(arguments(form, 1)[0], str)
    return nodes.named(form, lambda: kind(form, nodes))


class RecordNode(PlacesNode, Named):
    """The fields of a record, in the order of its shape; it may hold others of its shape."""

    exact = None

    def __init__(self, form: Form, nodes: Nodes) -> None:
        Node.__init__(self, form, nodes)
        self._nodes = nodes
        self.names: list[str] = []
        self.height = 0  # as long as it is not known

    def complete(self) -> None:
        """Learn the fields; they may lead back to this."""
        fields = self._nodes.shape(self.form[1])
        self.names = [name for name, _ in fields]
        if len({*self.names}) < len(self.names):
            raise broken(self.names)
        self.made_of(self._nodes.of(form) for _, form in fields)

    @cached_property
    def is_recursive(self) -> bool:
        return any(node is self for part in self.parts for node in reached(part))

    @cached_property
    def type(self) -> Any:
        return Raw if self.is_recursive else self.own_type

    @property
    def own_type(self) -> Any:
        return tuple_of(part.type for part in self.parts)

    @cached_property
    def is_raw(self) -> bool:
        return self.is_recursive or any(part.is_raw for part in self.parts)

    def settle(self, values: Column, depth: int = DEPTH) -> Column:
        if not values or not self.is_raw:
            return values
        if self.is_recursive:
            values, depth = decode_all(self, values), go_deeper(depth)
        return super().settle(values, depth)

    def _relink(self, values: Column, new: NewNumber) -> Column:
        return super()._relink(values, new) if values else values

    def plain(self, values: Column) -> list[Any]:
        return (
            [dict(zip(self.names, row)) for row in super().plain(values)]
            if values
            else []
        )

    def wire(self, plains: Column, depth: int = DEPTH) -> list[Any]:
        if not plains:
            return []
        if self.is_recursive:
            depth = go_deeper(depth)
        return super().wire([self._row(plain) for plain in plains], depth)

    def _row(self, plain: Any) -> list[Any]:
        if type(plain) is not dict or plain.keys() != {*self.names}:
            raise broken(plain)
        return [plain[name] for name in self.names]


class KeysNode(RecordNode):
    """A dict with known keys: in which order they came, and the value of each."""

    @property
    def own_type(self) -> Any:
        return tuple_of([list[Place] | None, *(part.type for part in self.parts)])

    def settle(self, values: Column, depth: int = DEPTH) -> Column:
        if not values or not self.is_raw:
            return values
        if self.is_recursive:
            values, depth = decode_all(self, values), go_deeper(depth)
        rows = PlacesNode.settle(self, [value[1:] for value in values], depth)
        return [[value[0], *row] for value, row in zip(values, rows, strict=True)]

    def _relink(self, values: Column, new: NewNumber) -> Column:
        if not values:
            return values
        rows = PlacesNode._relink(self, [value[1:] for value in values], new)
        return [[value[0], *row] for value, row in zip(values, rows, strict=True)]

    def plain(self, values: Column) -> list[Any]:
        if not values:
            return []
        rows = PlacesNode.plain(self, [value[1:] for value in values])
        return [
            self._ordered(value[0], row)
            for value, row in zip(values, rows, strict=True)
        ]

    def _ordered(self, order: Any, row: list[Any]) -> dict[str, Any]:
        found = {}
        for place in range(len(row)) if order is None else order:
            if not 0 <= place < len(row):
                raise broken(order)
            cell, is_maybe = row[place], self.is_maybe(place)
            if not is_maybe or cell:
                found[self.names[place]] = cell[0] if is_maybe else cell
        return found

    def is_maybe(self, place: int) -> bool:
        return self.parts[place].form[0] == "maybe"

    def _row(self, plain: Any) -> list[Any]:
        if type(plain) is not dict or not plain.keys() <= {*self.names}:
            raise broken(plain)
        return [self._cell(plain, place) for place in range(len(self.names))]

    def _cell(self, plain: dict[str, Any], place: int) -> Any:
        name = self.names[place]
        if self.is_maybe(place):
            return [plain[name]] if name in plain else []
        if name not in plain:
            raise broken(plain)
        return plain[name]

    def wire(self, plains: Column, depth: int = DEPTH) -> list[Any]:
        rows = super().wire(plains, depth)
        return [
            [order_of(plain, self.names), *row]
            for plain, row in zip(plains, rows, strict=True)
        ]


def order_of(found: dict[str, Any], names: list[str]) -> list[int] | None:
    """Return the places of the keys of a dict among all; `None` if they came in order."""
    order = [names.index(name) for name in found]
    return None if order == sorted(order) else order


NODES: dict[str, Callable[[Form, Nodes], Node]] = {
    "record": record_node,
    "keys": keys_node,
}
