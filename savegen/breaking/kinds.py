"""Decide whether saved values of one kind can be read as another kind."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from savegen.lock import Lock
from savegen.lock.facts import ALIVE, LockedField, by_owner

# What every value of one is one of the other, too, or becomes one.
_WIDER = {
    "bool": ("int", "float", "complex"),
    "int": ("float", "complex", "Decimal", "Fraction"),
    "float": ("complex",),
}
_ALIKE = (
    {"list", "tuple", "deque"},
    {"set", "frozenset"},
    {"dict", "defaultdict", "OrderedDict"},
)


class Shape(NamedTuple):
    """A kind, taken apart."""

    name: str  # "|" of a union, "places" of a tuple of fixed length
    parts: tuple[Shape, ...] = ()


class Names:
    """What the names in the kinds of a lock stand for."""

    def __init__(self, lock: Lock) -> None:
        self._classes = {each.simple_name for each in lock.classes.values()}
        # The entries of records, by the simple name of each.
        self.records: dict[str, list[LockedField]] = {}
        self.enums: dict[str, set[str]] = {}  # the members that there are
        for birth, entries in by_owner(lock.entries).items():
            if birth in lock.records:
                record = lock.records[birth].simple_name
                self.records.setdefault(record, []).extend(entries)
        for name, state in lock.members.items():
            owner, _, member = name.rpartition(".")
            if state != "lost":
                self.enums.setdefault(_simple(owner), set()).add(member)

    def refers(self, shape: Shape) -> bool:
        return shape.name in self._classes or shape.name in ("GameObject", "ref")


class Kinds:
    """Compares the kinds of two locks."""

    def __init__(
        self, old: Lock, new: Lock, has_default: Callable[[str, str], bool]
    ) -> None:
        """`has_default` tells that of a field of a record, by the names of both."""
        self._old, self._new = Names(old), Names(new)
        self._has_default = has_default

    def fits(self, old: str, new: str) -> bool:
        """Tell whether what was saved as one kind can be read as the other."""
        return old == new or self._fits(_shape(old), _shape(new))

    def _fits(self, old: Shape, new: Shape) -> bool:
        if old.name == "|":
            return all(self._fits(each, new) for each in old.parts)
        if new.name == "|":
            return any(self._fits(old, each) for each in new.parts)
        if self._old.refers(old) and self._new.refers(new):
            return True
        if old.name == new.name == "Literal":
            return set(old.parts) <= set(new.parts)
        if self._is_same(old.name, new.name) and len(old.parts) == len(new.parts):
            pairs = zip(old.parts, new.parts, strict=True)
            return all(self._fits(*pair) for pair in pairs)
        return False

    def _is_same(self, old: str, new: str) -> bool:
        """Compare two kinds without what they hold."""
        if old == new or new in _WIDER.get(old, ()):
            return True
        if any({old, new} <= alike for alike in _ALIKE):
            return True
        if old in self._old.enums and new in self._new.enums:
            return self._old.enums[old] <= self._new.enums[new]
        if old not in self._old.records or new not in self._new.records:
            return False
        entries = added(self._old.records[old], self._new.records[new])
        return all(self._has_default(new, entry.name) for entry in entries)


def added(
    old: Iterable[LockedField], new: Iterable[LockedField]
) -> Iterator[LockedField]:
    """Yield the entries of a record that older saves do not have, under any number."""
    known, new = {entry.number for entry in old}, list(new)
    for entry in new:
        numbers = {each.number for each in new if each.name == entry.name}
        if entry.state == ALIVE and known.isdisjoint(numbers):
            yield entry


def _shape(kind: str) -> Shape:
    """Take a kind apart, as a lock has it."""
    try:
        return _read(ast.parse(kind, mode="eval").body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return Shape(kind)  # a hand was in it: it is like itself alone


def _read(node: ast.expr) -> Shape:
    match node:
        case ast.BinOp(left, ast.BitOr(), right):
            sides = (_read(left), _read(right))
            members = [m for s in sides for m in (s.parts if s.name == "|" else (s,))]
            return Shape("|", tuple(members))
        case ast.Subscript(
            ast.Name("tuple"), ast.Tuple([item, ast.Constant(value=end)])
        ):
            if end is ...:
                return Shape("tuple", (_read(item),))
        case ast.Name(name):
            return Shape(name)
    match node:
        case ast.Subscript(ast.Name("tuple"), inner):
            return Shape("places", tuple(map(_read, _members(inner))))
        case ast.Subscript(ast.Name(name), inner):
            return Shape(name, tuple(map(_read, _members(inner))))
    return Shape(ast.unparse(node))


def _members(node: ast.expr) -> list[ast.expr]:
    return node.elts if isinstance(node, ast.Tuple) else [node]


def _simple(name: str) -> str:
    return name.rpartition(".")[2]
