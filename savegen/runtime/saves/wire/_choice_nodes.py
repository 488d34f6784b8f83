"""Forms of a value that is one of several, `None` above all."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Annotated, Any

from msgspec import Meta, Raw

from savegen.runtime.saves.document import Form
from savegen.runtime.saves.wire._json import said
from savegen.runtime.saves.wire._leaf_nodes import broken
from savegen.runtime.saves.wire._node import (
    DEPTH,
    NIL,
    Column,
    NewNumber,
    Node,
    Nodes,
    arguments,
    decode_all,
    settled,
    tuple_of,
)


class OptionalNode(Node):
    """A value or `None`."""

    def __init__(self, form: Form, nodes: Nodes) -> None:
        super().__init__(form, nodes)
        self.made_of(map(nodes.of, arguments(form, 1)))

    @cached_property
    def type(self) -> Any:
        inner = self.parts[0].type
        return Raw if inner is Raw else inner | None if inner else None

    @cached_property
    def exact(self) -> Any:
        inner = self.parts[0].exact
        return inner | None if inner else None

    def settle(self, values: Column, depth: int = DEPTH) -> Column:
        (part,) = self.parts
        if not part.is_raw:
            return values
        if part.type is Raw:
            values = [None if bytes(each) == NIL else each for each in values]
        return around_none(values, part.settle(_present(values), depth))

    def _relink(self, values: Column, new: NewNumber) -> Column:
        return around_none(values, self.parts[0].relink(_present(values), new))

    def plain(self, values: Column) -> list[Any]:
        return around_none(values, self.parts[0].plain(_present(values)))

    def wire(self, plains: Column, depth: int = DEPTH) -> list[Any]:
        return around_none(plains, self.parts[0].wire(_present(plains), depth))


def _present(values: Column) -> list[Any]:
    return [each for each in values if each is not None]


def around_none(values: Column, made: Iterable[Any]) -> list[Any]:
    """Return what was made of all values but `None`, with those in their places."""
    rest = iter(made)
    return [None if each is None else next(rest) for each in values]


# What JSON has itself can stand for a member of a union without saying which it is.
_BARE = {
    type(None): ("none",),
    bool: ("bool", "int", "float"),
    int: ("int", "float"),
    float: ("float",),
    str: ("str",),
}


class UnionNode(Node):
    """One of several forms: its place among them, and the value."""

    def __init__(self, form: Form, nodes: Nodes) -> None:
        super().__init__(form, nodes)
        self.made_of(map(nodes.of, form[1:] if isinstance(form, (list, tuple)) else ()))
        if not self.parts:
            raise broken(form)

    @cached_property
    def type(self) -> Any:
        return Raw

    @cached_property
    def is_raw(self) -> bool:
        return True

    @property
    def own_type(self) -> Any:
        return tuple_of([Annotated[int, Meta(ge=0, lt=len(self.parts))], Raw])

    def settle(self, values: Column, depth: int = DEPTH) -> Column:
        pairs = decode_all(self, values)
        return self.each(pairs, lambda part, raws: settled(part, raws, depth))

    def _relink(self, values: Column, new: NewNumber) -> Column:
        return self.each(values, lambda part, found: part.relink(found, new))

    def plain(self, values: Column) -> list[Any]:
        found = self.each(values, lambda part, column: part.plain(column))
        return [
            value if self._place_of(value) == place else {"$is": place, "value": value}
            for place, value in found
        ]

    def wire(self, plains: Column, depth: int = DEPTH) -> list[Any]:
        pairs = [*map(self._tagged, plains)]
        return self.each(pairs, lambda part, column: part.wire(column, depth))

    def _tagged(self, plain: Any) -> tuple[int, Any]:
        if type(plain) is dict and {*plain} == {"$is", "value"}:
            place = plain["$is"]
            if type(place) is not int or not 0 <= place < len(self.parts):
                raise broken(plain)
            return place, plain["value"]
        bare = said(plain)
        found = self._place_of(bare)
        if found is None:
            raise broken(plain)
        return found, bare

    def _place_of(self, plain: Any) -> int | None:
        """Return which member it is, if a value says so itself."""
        words = _BARE.get(type(plain), ())
        for word in words:
            for place, part in enumerate(self.parts):
                if part.form == word:
                    return place
        return None

    def each(self, values: Column, apply: Any) -> list[Any]:
        """Return values with what `apply` makes of those of each member, all at once."""
        columns: dict[int, list[Any]] = {}
        for place, value in values:
            columns.setdefault(place, []).append(value)
        made = {n: iter(apply(self.parts[n], column)) for n, column in columns.items()}
        return [[place, next(made[place])] for place, _ in values]


NODES: dict[str, type[Node]] = {"optional": OptionalNode, "union": UnionNode}
