"""Forms of values without parts."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from functools import cached_property
from typing import Annotated, Any, NamedTuple

from msgspec import Meta

from savegen.runtime.errors import SaveCorruptError
from savegen.runtime.saves.document import Form
from savegen.runtime.saves.wire._json import (
    converted,
    escaped,
    is_short,
    is_text,
    said,
    short,
    unescaped,
)
from savegen.runtime.saves.wire._node import (
    DEPTH,
    Column,
    NewNumber,
    Node,
    Nodes,
    arguments,
)

Place = Annotated[int, Meta(ge=0)]
Text = str | tuple[str]  # the tuple is a text with lone surrogates, escaped
# A number of more than 64 bits, in base 16. Nothing is said of the letters here: a constraint of
# a text, beside a tuple or a list in a union, makes msgspec 0.22 read foreign memory.
Digits = str
Int = int | bool | Digits
Float = float | int | bool | Digits
Complex = float | int | bool | str | tuple[float, float]
Zone = str | list[int | Text] | None  # by name; or microseconds, and a name of its own
Moment = tuple[str, int, Zone]  # in ISO 8601, whether it is the second of two, where


def broken(value: Any) -> SaveCorruptError:
    return SaveCorruptError(f"the save has a value that is broken: {short(value)}")


# -- numbers and texts, as a value and as it is written


def number(value: Any) -> Any:
    return value if type(value) is not int or is_short(value) else hex(value)


def number_of(wire: Any) -> Any:
    """Return the number that a wire value is. Raises `ValueError` if it is none."""
    if type(wire) is not str:
        return wire
    value = int(wire, 16)
    if is_short(value) or hex(value) != wire:
        raise ValueError("this number is not written as a save has it")
    return value


def text(value: str) -> Any:
    return value if is_text(value) else [escaped(value)]


def text_of(wire: Any) -> str:
    """Return the text that a wire value is. Raises `ValueError` if it is none."""
    return wire if type(wire) is str else unescaped(wire[0])


# -- for people


def _as_it_is(wire: Any) -> Any:
    return wire


def _a(*types: type) -> Callable[[Any], Any]:
    def check(plain: Any) -> Any:
        if type(plain) not in types:
            raise broken(plain)
        return plain

    return check


_INT, _FLOAT, _STR = _a(int, bool), _a(float, int, bool), _a(str)


def _complex(plain: Any) -> Any:
    if type(plain) in (list, tuple):
        return [*converted([*map(said, plain)], tuple[float, float])]
    return number(_FLOAT(plain))


def _uuid(wire: bytes) -> str:
    known = {16: "", 17: " safe" if wire[16:] == SAFE else " unsafe"}[len(wire)]
    return f"{uuid.UUID(bytes=wire[:16])}{known}"


SAFE, UNSAFE = b"\1", b"\0"
_SAFETY = {"": b"", "safe": SAFE, "unsafe": UNSAFE}


def _uuid_of(plain: Any) -> bytes:
    identity, _, known = _STR(plain).partition(" ")
    return uuid.UUID(identity).bytes + _SAFETY[known]


class Leaf(NamedTuple):
    """How the values of a word are written, in MessagePack and for people."""

    type: Any
    plain: Callable[[Any], Any] = _as_it_is
    wire: Callable[[Any], Any] | None = None  # of what `plain` returns
    exact: Any = None  # the type of those that are the values themselves


def _list_of(*parts: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def apply(values: Any) -> Any:
        if type(values) not in (list, tuple) or len(values) != len(parts):
            raise broken(values)
        return [part(said(each)) for part, each in zip(parts, values)]

    return apply


def _int_wire(plain: Any) -> Any:
    return number(_INT(plain))


def _text_wire(plain: Any) -> Any:
    return text(_STR(plain))


_TEXT = Leaf(Text, text_of, _text_wire, str)
_BYTES = Leaf(bytes, _as_it_is, _a(bytes), bytes)

LEAVES: dict[str, Leaf] = {
    "none": Leaf(None, exact=type(None)),
    "bool": Leaf(bool, exact=bool),
    "int": Leaf(Int, number_of, _int_wire, int | bool),
    "float": Leaf(
        Float, number_of, lambda plain: number(_FLOAT(plain)), float | int | bool
    ),
    "complex": Leaf(Complex, number_of, _complex),
    "str": _TEXT,
    "bytes": _BYTES,
    "bytearray": _BYTES,
    "decimal": Leaf(str),
    "fraction": Leaf(
        tuple[Int, Int], _list_of(number_of, number_of), _list_of(_int_wire, _int_wire)
    ),
    "date": Leaf(str | Moment),
    "time": Leaf(str | Moment),
    "datetime": Leaf(str | Moment),
    "timedelta": Leaf(tuple[int, int, int]),
    "uuid": Leaf(bytes, _uuid, _uuid_of),
    "path": Leaf(
        tuple[str, Text], _list_of(_as_it_is, text_of), _list_of(_STR, _text_wire)
    ),
    # of array.array: its typecode, the bytes of a member, all bytes, the lowest first
    "array": Leaf(tuple[str, int, bytes], list, _list_of(_STR, _a(int), _a(bytes))),
    "class": Leaf(int),
    "prefab": Leaf(int),
    "asset": _TEXT,
    # its dtype, its shape, "C" or "F", and all bytes
    "ndarray": Leaf(
        tuple[str, list[Place], str, bytes],
        list,
        _list_of(_STR, lambda plain: converted(plain, list[Place]), _STR, _a(bytes)),
    ),
    "random": Leaf(Place),
    "numpy_random": Leaf(Place),
}
_SCALAR = Leaf(tuple[str, bytes], list, _list_of(_STR, _a(bytes)))


class LeafNode(Node):
    """A value without parts."""

    def __init__(self, form: Form, nodes: Nodes) -> None:
        super().__init__(form, nodes)
        self.leaf = self._leaf()

    def _leaf(self) -> Leaf:
        arguments(self.form, 0)
        assert isinstance(self.form, str) or len(self.form) == 1
        word = self.form if isinstance(self.form, str) else self.form[0]
        return LEAVES[word]

    @cached_property
    def type(self) -> Any:
        return self.leaf.type

    @cached_property
    def exact(self) -> Any:
        return self.leaf.exact

    def plain(self, values: Column) -> list[Any]:
        try:
            return [*map(self.leaf.plain, values)]
        except (ValueError, KeyError, IndexError):
            raise SaveCorruptError("the save has a value that is broken") from None

    def wire(self, plains: Column, depth: int = DEPTH) -> list[Any]:
        return [*map(self._wire, plains)]

    def _wire(self, plain: Any) -> Any:
        plain = said(plain)
        if self.leaf.wire is None:
            return converted(plain, self.type)
        try:
            return self.leaf.wire(plain)
        except (ValueError, KeyError, TypeError):
            raise broken(plain) from None


class ScalarNode(LeafNode):
    """One number of numpy's: its dtype and its bytes."""

    def _leaf(self) -> Leaf:
        converted(arguments(self.form, 1)[0], str)
        return _SCALAR


class ReferenceNode(LeafNode):
    """The number of an object, or `None`."""

    is_reference = True

    def _leaf(self) -> Leaf:
        arguments(self.form, 0)
        return Leaf(Place | None)

    def _relink(self, values: Column, new: NewNumber) -> Column:
        return [None if number is None else new(number) for number in values]

    def plain(self, values: Column) -> list[Any]:
        return [None if number is None else {"$ref": number} for number in values]

    def _wire(self, plain: Any) -> Any:
        if plain is None:
            return None
        if type(plain) is not dict or [*plain] != ["$ref"]:
            raise broken(plain)
        return converted(plain["$ref"], Place)


class MemberNode(Node):
    """One of a few names, or constants, which the form lists; written is its place."""

    def __init__(self, form: Form, nodes: Nodes) -> None:
        super().__init__(form, nodes)
        self.members = self._members()

    def _members(self) -> list[Any]:
        name, members = arguments(self.form, 2)
        converted(name, str)
        found: list[Any] = converted(members, list[str])
        return found

    @cached_property
    def type(self) -> Any:
        if not self.members:
            return Annotated[int, Meta(ge=0, lt=0)]
        return Annotated[int, Meta(ge=0, lt=len(self.members))]

    def plain(self, values: Column) -> list[Any]:
        try:
            return [self.members[place] for place in values]
        except IndexError:
            raise SaveCorruptError("the save has a value that is broken") from None

    def wire(self, plains: Column, depth: int = DEPTH) -> list[Any]:
        return [self._place(said(plain)) for plain in plains]

    def _place(self, plain: Any) -> int:
        for place, member in enumerate(self.members):
            if type(member) is type(plain) and member == plain:
                return place
        raise broken(plain)


class LiteralNode(MemberNode):
    def _members(self) -> list[Any]:
        (constants,) = arguments(self.form, 1)
        converted(constants, list)
        found = [*map(said, constants)]
        for each in found:
            _a(str, int, bool, bytes, type(None))(each)
        return found


class FlagNode(LeafNode):
    """Names of bits with `|` between them, and a number for bits that have none."""

    def _leaf(self) -> Leaf:
        converted(arguments(self.form, 1)[0], str)
        return Leaf(str)


NODES: dict[str, type[Node]] = {
    **dict.fromkeys(LEAVES, LeafNode),
    "ref": ReferenceNode,
    "scalar": ScalarNode,
    "enum": MemberNode,
    "literal": LiteralNode,
    "flag": FlagNode,
}
