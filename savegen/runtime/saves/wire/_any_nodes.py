"""Forms of values that say themselves what they are: nothing else knows it.

Such a value is MessagePack of its own, so that it is not decoded before it was looked through.
Written in it are `None`, booleans, numbers, texts and bytes as they are, and everything else as
a list that begins with a word. `DEPTH` lists may be in each other.
"""

from __future__ import annotations

import struct
from functools import cached_property
from typing import Any

from msgspec import msgpack

from savegen.runtime.errors import SaveLimitError
from savegen.runtime.saves.document import Form
from savegen.runtime.saves.wire._container_nodes import in_order
from savegen.runtime.saves.wire._json import converted, is_short, is_text, said
from savegen.runtime.saves.wire._leaf_nodes import broken
from savegen.runtime.saves.wire._node import (
    DEPTH,
    Column,
    NewNumber,
    Node,
    Nodes,
    arguments,
    decoded,
    go_deeper,
    packed,
    scan,
)

AS_THEY_ARE = frozenset([type(None), bool, int, float, str, bytes])
_decoder = msgpack.Decoder(list[Any])

# What stands for an object, and for the key of one that is not held itself.
REFERENCE = "ref"
KEY = "key"


class Open(list[Any]):
    """A value that is not packed: where numbers of objects were, it has the objects.

    >>> Open(["ref", None])
    ['ref', None]
    """

    __slots__ = ()


def pack_tree(tree: Any) -> bytes:
    """Return a value that says itself what it is as MessagePack of its own.

    Raises `SaveLimitError` if it is nested too deep.
    """
    if type(tree) in (list, tuple):
        check_depth(tree)
    return packed(tree)


def unpack_tree(wire: Any) -> Any:
    """Return the value that bytes say.

    Raises `SaveCorruptError` or `SaveLimitError` if they say none.
    """
    if type(wire) is Open:
        return wire
    (tree,) = unpack_trees([wire])
    return tree


def unpack_trees(wires: Column) -> list[Any]:
    """Return the values that some bytes say, all decoded at once."""
    closed = [wire for wire in wires if type(wire) is bytes]
    data = b"\xdd" + struct.pack(">I", len(closed)) + b"".join(closed)
    scan(data)
    trees: list[Any] = decoded(_decoder, data)
    for tree in trees:
        if not AS_THEY_ARE.issuperset(
            map(type, tree) if type(tree) is list else [type(tree)]
        ):
            check_tree(tree)
    if len(closed) == len(wires):
        return trees
    rest = iter(trees)
    return [next(rest) if type(wire) is bytes else wire for wire in wires]


def check_depth(tree: Any) -> None:
    level = [tree]
    for _ in range(DEPTH):
        level = [part for each in level for part in each if type(part) in (list, tuple)]
        if not level:
            return
    raise SaveLimitError("the depth of a value", DEPTH, DEPTH + 1)


def check_tree(tree: Any) -> None:
    """Raise `SaveCorruptError` or `SaveLimitError` if a tree is none, or nested too deep."""
    check_depth(tree)
    waiting = [tree]
    while waiting:
        each = waiting.pop()
        if type(each) is list:
            waiting += each
        elif type(each) not in AS_THEY_ARE:
            raise broken(each)


# Which parts of a list that begins with a word are values again.
_ALL, _BUT_ONE, _EVERY_OTHER, _ONLY = (
    slice(1, None),
    slice(2, None),
    slice(3, None, 2),
    slice(2, 3),
)
_PARTS = {
    **dict.fromkeys(["list", "tuple", "set", "frozenset"], _ALL),
    **dict.fromkeys(["dict", "ordereddict", "counter"], _ALL),
    **dict.fromkeys(["deque", "defaultdict"], _BUT_ONE),
    "record": _EVERY_OTHER,
    "foreign": _ONLY,
}


def _has_word(tree: Any) -> bool:
    return isinstance(tree, (list, tuple)) and len(tree) > 0 and type(tree[0]) is str


def _relinked(tree: Any, new: NewNumber) -> Any:
    if not _has_word(tree):
        return tree
    word = tree[0]
    if word in (REFERENCE, KEY) and len(tree) == 2:
        return [word, None if tree[1] is None else new(tree[1])]
    parts = _PARTS.get(word)
    if parts is None:
        return tree
    made = [*tree]
    made[parts] = [_relinked(part, new) for part in made[parts]]
    return [word, *in_order(made[1:])] if word in ("set", "frozenset") else made


def _is_open(tree: Any) -> bool:
    """Tell whether there are objects where numbers of objects should be."""
    if not _has_word(tree):
        return False
    if tree[0] in (REFERENCE, KEY) and len(tree) == 2:
        return type(tree[1]) not in (int, type(None))
    parts = _PARTS.get(tree[0])
    return parts is not None and any(map(_is_open, tree[parts]))


class AnyNode(Node):
    """A value that says itself what it is."""

    is_reference = True

    def __init__(self, form: Form, nodes: Nodes) -> None:
        super().__init__(form, nodes)
        arguments(form, 0)

    @cached_property
    def type(self) -> Any:
        return bytes

    def _relink(self, values: Column, new: NewNumber) -> Column:
        return [self._relink_one(value, new) for value in values]

    def _relink_one(self, value: Any, new: NewNumber) -> Any:
        if type(value) is bytes and b"\xa3ref" not in value and b"\xa3key" not in value:
            return value
        tree = _relinked(unpack_tree(value), new)
        return Open(tree) if _is_open(tree) else pack_tree(tree)

    def plain(self, values: Column) -> list[Any]:
        return unpack_trees(values)

    def wire(self, plains: Column, depth: int = DEPTH) -> list[Any]:
        return [pack_tree(_said(plain)) for plain in plains]


def _said(plain: Any, depth: int = DEPTH) -> Any:
    if type(plain) is list:
        depth = go_deeper(depth)
        return [_said(each, depth) for each in plain]
    found = said(plain)
    if type(found) not in AS_THEY_ARE or type(found) is int and not is_short(found):
        raise broken(plain)
    if type(found) is str and not is_text(found):
        raise broken(plain)
    return found


class ForeignNode(AnyNode):
    """What a codec has taken a value apart into."""

    def __init__(self, form: Form, nodes: Nodes) -> None:
        Node.__init__(self, form, nodes)
        converted(arguments(form, 1)[0], str)


NODES: dict[str, type[Node]] = {"any": AnyNode, "foreign": ForeignNode}
