"""What every form is: it knows the wire values of a column without knowing the game."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from types import GenericAlias
from typing import Any, TypeAlias

import msgspec
from msgspec import Raw, msgpack

from savegen.runtime.errors import SaveCorruptError, SaveLimitError
from savegen.runtime.saves.document import Form
from savegen.runtime.saves.wire._json import short

Shapes: TypeAlias = Mapping[str, list[tuple[str, Form]]]
Column: TypeAlias = Sequence[Any]
NewNumber: TypeAlias = Callable[[Any], Any]

DEPTH = 64  # how deep values may be nested
NIL = b"\xc0"

packed = msgpack.Encoder().encode


class Node:
    """A form, and what it is made of."""

    height = 1  # how deep it is nested; what leads back to itself counts once
    is_reference = False

    def __init__(self, form: Form, nodes: Nodes) -> None:
        self.form = form
        self.parts: tuple[Node, ...] = ()

    def made_of(self, parts: Iterable[Node]) -> None:
        """Take note of the parts. Raises `SaveLimitError` if that is too deep."""
        self.parts = (*parts,)
        self.height = 1 + max((part.height for part in self.parts), default=0)
        if self.height > DEPTH:
            raise SaveLimitError("the depth of a form", DEPTH, self.height)

    # -- reading MessagePack

    @cached_property
    def type(self) -> Any:
        """What msgspec decodes a value as; `Raw` where that takes a second step."""
        raise NotImplementedError

    @cached_property
    def exact(self) -> Any:
        """Likewise, of values that need no step more; `None` if there are no such values."""
        return None

    @cached_property
    def is_raw(self) -> bool:
        """Whether what was decoded has `Raw` values in it."""
        return self.type is Raw or any(part.is_raw for part in self.parts)

    def settle(self, values: Column, depth: int = DEPTH) -> Column:
        """Return decoded values with everything in them that is `Raw` decoded too."""
        return values

    @cached_property
    def many(self) -> msgpack.Decoder[list[Any]]:
        """Decodes several values at once."""
        return msgpack.Decoder(list_of(self.own_type))

    @property
    def own_type(self) -> Any:
        """What a value is decoded as in the second step."""
        return self.type

    # -- references

    @cached_property
    def refers(self) -> bool:
        """Whether there can be references in a value."""
        return any(node.is_reference for node in reached(self))

    def relink(self, values: Column, new: NewNumber) -> Column:
        """Return values with what `new` gives for each reference in them."""
        return self._relink(values, new) if self.refers else values

    def _relink(self, values: Column, new: NewNumber) -> Column:
        raise NotImplementedError

    # -- for people

    def plain(self, values: Column) -> list[Any]:
        """Return values as JSON has them, but for what `jsonable` sees to."""
        return [*values]

    def wire(self, plains: Column, depth: int = DEPTH) -> list[Any]:
        """Return the values that `plain`, or JSON, was made of.

        Raises `SaveCorruptError` for what no value is written as.
        """
        raise NotImplementedError


class Named(Node):
    """A node that may lead back to itself."""

    def complete(self) -> None:
        """Learn the parts; asked once, when the node can be found by its name."""
        raise NotImplementedError


class Nodes:
    """The nodes of forms; those of one shape are one."""

    def __init__(
        self, shapes: Shapes, kinds: Mapping[str, Callable[[Form, Nodes], Node]]
    ) -> None:
        self.shapes = shapes
        self._kinds = kinds
        self._named: dict[tuple[str, str], Named] = {}
        self._depth = 0

    def of(self, form: Form) -> Node:
        """Return the node of a form.

        Raises `SaveCorruptError` or `SaveLimitError` if it makes no sense.
        """
        word = form if isinstance(form, str) else form[0] if _is_made(form) else None
        kind = self._kinds.get(word) if isinstance(word, str) else None
        if kind is None:
            raise SaveCorruptError(
                f"the save has a form that nothing has: {short(form)}"
            )
        if self._depth == DEPTH:
            raise SaveLimitError("the depth of a form", DEPTH, DEPTH + 1)
        self._depth += 1
        try:
            return kind(form, self)
        finally:
            self._depth -= 1

    def named(self, form: Form, make: Callable[[], Named]) -> Node:
        """Return the one node of a named form; `make` is asked the first time."""
        key = form[0], form[1]
        if key not in self._named:
            found = self._named[key] = make()
            found.complete()
        return self._named[key]

    def shape(self, name: str) -> list[tuple[str, Form]]:
        """Return the fields of a shape. Raises `SaveCorruptError` if there is none."""
        try:
            return self.shapes[name]
        except KeyError:
            raise SaveCorruptError(f"the save has no shape {short(name)}") from None


def _is_made(form: Any) -> bool:
    return isinstance(form, (list, tuple)) and len(form) > 0


def reached(top: Node) -> Iterator[Node]:
    """Yield a node and all that it is made of; they may lead back to it."""
    seen = {id(top)}
    waiting = [top]
    while waiting:
        node = waiting.pop()
        yield node
        for part in node.parts:
            if id(part) not in seen:
                seen.add(id(part))
                waiting.append(part)


def arguments(form: Form, count: int) -> list[Any]:
    """Return what a form is made of, as many as there must be."""
    found = [] if isinstance(form, str) else [*form[1:]]
    if len(found) != count:
        raise SaveCorruptError(f"a form of the save is not whole: {short(form)}")
    return found


# -- decoding


class Exact(list[Any]):
    """A column of values that are all as `Node.exact` says: nothing odd is among them."""

    __slots__ = ()


def list_of(type: Any) -> Any:
    """Return the type of a list, by the type of its members."""
    return GenericAlias(list, (type,))


def tuple_of(types: Iterable[Any]) -> Any:
    """Return the type of a tuple, by those of its places."""
    return GenericAlias(tuple, (*types,))


def scan(data: bytes | memoryview | Raw) -> None:
    """Look through MessagePack without making anything of it: is every length true?

    Raises `SaveCorruptError` if something is cut off, `SaveLimitError` if it is nested so
    deep that Python would not read it.
    """
    try:
        _scanner.decode(data)
    except RecursionError:
        raise SaveLimitError("the depth of a value", DEPTH, 1000) from None
    except msgspec.MsgspecError as error:
        raise SaveCorruptError(
            f"the save has a value that is broken: {error}"
        ) from None


_scanner = msgpack.Decoder(Raw)


def decoded(decoder: msgpack.Decoder[Any], data: bytes | memoryview) -> Any:
    """Return what `data` says. Raises `SaveCorruptError` if it is not what it must be."""
    try:
        return decoder.decode(data)
    except RecursionError:
        raise SaveLimitError("the depth of a value", DEPTH, 1000) from None
    except (msgspec.MsgspecError, UnicodeError, ValueError, OverflowError) as error:
        raise SaveCorruptError(
            f"the save has a value that is broken: {error}"
        ) from None


def decode_all(node: Node, raws: Iterable[Any]) -> list[Any]:
    """Return what each of some raw values says, all decoded at once."""
    found = [*raws]
    data = b"\xdd" + struct.pack(">I", len(found)) + b"".join(found)
    made: list[Any] = decoded(node.many, data)
    return made


def settled(node: Node, raws: Column, depth: int) -> Column:
    """Return what each of some raw values says, and all that is in it."""
    found = raws if node.type is Raw else decode_all(node, raws)
    return node.settle(found, depth)


def go_deeper(depth: int) -> int:
    """Return how deep values may still be nested one level further down."""
    if depth == 0:
        raise SaveLimitError("the depth of a value", DEPTH, DEPTH + 1)
    return depth - 1
