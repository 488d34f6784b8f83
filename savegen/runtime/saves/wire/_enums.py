"""Members of enumerations, by their names."""

from __future__ import annotations

from enum import Flag
from functools import cached_property
from typing import Any

from savegen.runtime.checks import EnumMember, UserType
from savegen.runtime.errors import SaveError
from savegen.runtime.saves.document import Form
from savegen.runtime.saves.wire._base import (
    Column,
    Names,
    Reader,
    Readings,
    Things,
    Unfit,
    Wire,
)
from savegen.runtime.saves.wire._leaf_nodes import FlagNode, LiteralNode, MemberNode
from savegen.runtime.saves.wire._node import DEPTH, Node


def enum_wire(check: EnumMember, wires: Any) -> Wire:
    is_flag = issubclass(check.game_class(), Flag)
    return (FlagWire if is_flag else EnumWire)(check, wires)


def full_name(check: UserType) -> str:
    return f"{check.module}:{check.wanted}"


class EnumWire(Wire):
    """Members of an enumeration, by name."""

    check: EnumMember

    def _formed(self) -> Form:
        return ["enum", full_name(self.check), [*self._places]]

    @cached_property
    def _places(self) -> dict[str, int]:
        """The place of each member by its name, other names left out."""
        members: Any = self.check.game_class()
        found = members.__members__.items()
        names = [name for name, member in found if member._name_ == name]
        return {name: place for place, name in enumerate(names)}

    @cached_property
    def _by_id(self) -> dict[int, int]:
        members: Any = self.check.game_class()
        return {id(members.__members__[name]): n for name, n in self._places.items()}

    def pack(self, values: Column, names: Names, depth: int = DEPTH) -> Column:
        try:
            return [*map(self._by_id.__getitem__, map(id, values))]
        except KeyError:
            return [self._place(place, value) for place, value in enumerate(values)]

    def _place(self, place: int, value: Any) -> int:
        """Return the place of a member of the class, or of its twin in `__main__`."""
        if fault := self.check.fault(value):
            raise Unfit(place, fault)
        name = value._name_
        if name not in self._places:
            raise self.unfit(place, value, f"a member of {self.check.wanted}")
        return self._places[name]

    def _reader(self, node: Node, readings: Readings) -> Reader | None:
        if not isinstance(node, MemberNode) or isinstance(node, LiteralNode):
            return None
        known: Any = self.check.game_class()
        members = [known.__members__.get(name) for name in node.members]
        has_gaps = any(member is None for member in members)

        def read(values: Column, things: Things) -> Column:
            for place in {*values} if has_gaps else ():
                self.member(node.members[place])
            return [*map(members.__getitem__, values)]

        return Reader(read)

    def said(self, member: Any) -> str:
        """Return the name that a member is written by."""
        return str(member._name_)

    def member(self, name: str) -> Any:
        """Return the member of a name. Raises `SaveError` if it is gone."""
        members: Any = self.check.game_class()
        if name not in members.__members__:
            raise SaveError(
                f"the save has `{self.check.wanted}.{name}`, which is gone; keep the name as"
                " another one of the member that it is now, or write a migration"
            )
        return members.__members__[name]


class FlagWire(Wire):
    """Any combination of the members of a flag."""

    check: EnumMember

    def _formed(self) -> Form:
        return ["flag", full_name(self.check)]

    @cached_property
    def _bits(self) -> dict[str, int]:
        """The members of one bit each, by name, the lowest first."""
        members: Any = self.check.game_class()
        bits = {
            name: member._value_
            for name, member in members.__members__.items()
            if member._value_ > 0
            and member._value_.bit_count() == 1
            and member._name_ == name
        }
        return dict(sorted(bits.items(), key=lambda bit: bit[1]))

    def pack(self, values: Column, names: Names, depth: int = DEPTH) -> Column:
        if not all(map(self.check.fits, values)):
            raise self.refuse(values)
        texts = {
            number: self._text(number) for number in {each._value_ for each in values}
        }
        return [texts[each._value_] for each in values]

    def _text(self, value: int) -> str:
        """Return the names of the bits of a number, and what is left of it."""
        if value < 0:
            return hex(value)
        parts, rest = [], value
        for name, bit in self._bits.items():
            if rest & bit:
                parts.append(name)
                rest &= ~bit
        return "|".join(parts + [hex(rest)] * (rest > 0 or not parts))

    def _reader(self, node: Node, readings: Readings) -> Reader | None:
        if not isinstance(node, FlagNode):
            return None

        def read(values: Column, things: Things) -> Column:
            members = {text: self.member(text) for text in {*values}}
            return [*map(members.__getitem__, values)]

        return Reader(read)

    def said(self, member: Any) -> str:
        """Return the text that a combination of members is written as."""
        return self._text(member._value_)

    def member(self, text: str) -> Any:
        """Return the member of a text. Raises `SaveError` if there is none."""
        members: Any = self.check.game_class()
        value = 0
        for part in text.split("|"):
            if part in members.__members__:
                value |= members.__members__[part]._value_
            elif part[:1].isdigit() or part[:1] == "-":
                value |= int(part, 16)
            else:
                raise SaveError(
                    f"the save has `{self.check.wanted}.{part}`, which is gone"
                )
        return members(value)
