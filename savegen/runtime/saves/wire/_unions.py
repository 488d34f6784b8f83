"""A value of one of several kinds, `None` above all."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from savegen.runtime import checks
from savegen.runtime.checks import AnyOf
from savegen.runtime.components import SaveLoadable
from savegen.runtime.keys import SaveLoadKey
from savegen.runtime.saves.document import Form
from savegen.runtime.saves.wire._base import (
    Column,
    Names,
    NoConversion,
    Reader,
    Readings,
    Things,
    Unfit,
    Wire,
    as_it_is,
)
from savegen.runtime.saves.wire._choice_nodes import (
    OptionalNode,
    UnionNode,
    around_none,
)
from savegen.runtime.saves.wire._leaves import OBJECTS, word_of
from savegen.runtime.saves.wire._node import DEPTH, Node
from savegen.runtime.saves.wire._scalars import NO_TYPES


def union_wire(check: AnyOf, wires: Any) -> Wire:
    return (UnionWire if check.only is None else OptionalWire)(check, wires)


class OptionalWire(Wire):
    """A value of one kind, or `None`."""

    check: AnyOf

    @property
    def _only(self) -> Wire:
        assert self.check.only is not None
        return self.wires.of(self.check.only)

    def _formed(self) -> Form:
        return ["optional", self._only.form]

    def pack(self, values: Column, names: Names, depth: int = DEPTH) -> Column:
        if self._only.check.is_object:
            return self._only.pack(values, names, depth)
        places = [place for place, value in enumerate(values) if value is not None]
        if len(places) == len(values):
            return self._only.pack(values, names, depth)
        found = [values[place] for place in places]
        try:
            made = self._only.pack(found, names, depth)
        except Unfit as error:
            raise Unfit(places[error.place], error.fault) from None
        return values if made is found else around_none(values, made)

    def _reader(self, node: Node, readings: Readings) -> Reader | None:
        if word_of(node) == "none":
            return Reader(as_it_is, odd=NO_TYPES)
        if isinstance(node, UnionNode):
            return None
        is_optional = isinstance(node, OptionalNode)
        inner = readings.of(self._only, node.parts[0] if is_optional else node)
        if not is_optional or word_of(node.parts[0]) == "ref":
            # What is lost is `None`, where that fits: in a list, too.
            if inner.gives_lost:
                return Reader(OBJECTS.without_lost)
            return inner

        def read(values: Column, things: Things) -> Column:
            found = [value for value in values if value is not None]
            if len(found) == len(values):
                return inner.without_lost(values, things)
            made = inner.without_lost(found, things)
            return values if made is found else around_none(values, made)

        return Reader(read, inner.loses, inner.odd, passes_exact=inner.passes_exact)


class UnionWire(Wire):
    """A value of one of several kinds."""

    check: AnyOf

    @property
    def _members(self) -> list[Wire]:
        return [*map(self.wires.of, self.check.members)]

    def _formed(self) -> Form:
        return ["union", *(member.form for member in self._members)]

    def pack(self, values: Column, names: Names, depth: int = DEPTH) -> Column:
        members = self._members
        chosen = self._chosen(values)
        made: list[Any] = [None] * len(values)
        for number in {*chosen}:
            places = [place for place, each in enumerate(chosen) if each == number]
            if number < 0:
                fault = self.check.fault(values[places[0]])
                assert fault is not None
                raise Unfit(places[0], fault)
            try:
                found = members[number].pack([values[p] for p in places], names, depth)
            except Unfit as error:
                raise Unfit(places[error.place], error.fault) from None
            for place, value in zip(places, found, strict=True):
                made[place] = [number, value]
        return made

    def _chosen(self, values: Column) -> list[int]:
        """Return for each value which member it is of; below zero if it is of none."""
        if not self._are_types:
            return [*map(self._place_of, values)]
        places: dict[type, int] = {}
        for value in values:
            if type(value) not in places:
                places[type(value)] = self._place_of(value)
        return [places[type(value)] for value in values]

    @cached_property
    def _are_types(self) -> bool:
        """Whether the type of a value says which member it is of."""
        types = [
            member.types for member in self.check.members if hasattr(member, "types")
        ]
        each = [cls for some in types for cls in some]
        are_known = len(types) == len(self.check.members)
        return are_known and len({*each}) == len(each)

    def _place_of(self, value: Any) -> int:
        """Return which member a value is of; below zero if it is of none."""
        member = self.check.member(value)
        for place, each in enumerate(self.check.members):
            if each is member:
                return place
        # In rows a weak reference is its object, in data that is its key.
        if value is None or isinstance(value, (SaveLoadable, SaveLoadKey)):
            for place, each in enumerate(self.check.members):
                if each.is_object:
                    return place
        return -1

    def _reader(self, node: Node, readings: Readings) -> Reader | None:
        if isinstance(node, UnionNode):
            return None
        if isinstance(node, OptionalNode):
            return self._of_optional(node, readings)
        found: Reader | None = None
        for member in self._in_turn(node):
            try:
                reader = readings.of(member, node)
            except NoConversion:
                continue
            if not reader.loses:
                return reader
            found = found or reader
        return found

    def _in_turn(self, node: Node) -> list[Wire]:
        """Return the members, those of the very form first."""
        return sorted(self._members, key=lambda member: member.form != node.form)

    def _of_optional(self, node: OptionalNode, readings: Readings) -> Reader | None:
        inner = readings.of(self, node.parts[0])
        if not any(
            each is checks.NONE or each.is_object for each in self.check.members
        ):
            return None

        def read(values: Column, things: Things) -> Column:
            found = [value for value in values if value is not None]
            return around_none(values, inner.without_lost(found, things))

        return Reader(read, inner.loses)
