"""The types that `adopt` finds, and how they are written as annotations."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

UNION = "|"


class Type(NamedTuple):
    """A type: its full name and its arguments."""

    name: str  # "int", "list", "numpy.ndarray", "game.actor.Actor"; "|" for a union
    arguments: tuple[Type, ...] = ()

    @property
    def members(self) -> tuple[Type, ...]:
        return self.arguments if self.name == UNION else (self,)

    def __str__(self) -> str:
        return spell(self, lambda name: name)


NONE = Type("None")
BOOL, INT, FLOAT, STR, BYTES = map(Type, ("bool", "int", "float", "str", "bytes"))
# The type of an element that no statement shows, such as of `[]`. It is no unknown type: other
# assignments decide.
EMPTY = Type("?empty")
CALLABLE = Type("?callable")
COMPUTING = Type(
    "?computing"
)  # the type that is being computed, in a recursive definition

NUMBERS = (BOOL, INT, FLOAT)


def union(types: Iterable[Type | None]) -> Type | None:
    """Return the union of types; `None` if one of them is unknown.

    >>> str(union([Type("int"), Type("None"), Type("int")]))
    'int | None'
    >>> str(union([Type("list", (EMPTY,)), Type("list", (Type("str"),))]))
    'list[str]'
    """
    members: list[Type] = []
    for type_ in types:
        if type_ is None:
            return None
        for member in type_.members:
            if member is not COMPUTING:
                _add(members, member)
    if (
        FLOAT in members and INT in members
    ):  # an int may stand where a float is declared
        members.remove(INT)
    if not members:
        return COMPUTING
    if NONE in members and len(members) > 1:
        members = [*(m for m in members if m != NONE), NONE]
    return members[0] if len(members) == 1 else Type(UNION, tuple(members))


def _add(members: list[Type], new: Type) -> None:
    for index, member in enumerate(members):
        merged = _merged(member, new)
        if merged is not None:
            members[index] = merged
            return
    members.append(new)


def _merged(one: Type, other: Type) -> Type | None:
    """Return one type for two containers that differ only in empty elements; else `None`."""
    if one == other or other == EMPTY:
        return one
    if one == EMPTY:
        return other
    if one.name != other.name or len(one.arguments) != len(other.arguments):
        return None
    if one.name == "tuple" or not one.arguments:
        return None
    arguments = []
    for mine, theirs in zip(one.arguments, other.arguments):
        if one.name in _INVARIANT:
            merged = union((mine, theirs))
        else:
            merged = _merged(mine, theirs)
        if merged is None or merged is COMPUTING:
            return None
        arguments.append(merged)
    return Type(one.name, tuple(arguments))


_INVARIANT = frozenset(
    {"list", "set", "dict", "collections.deque", "collections.defaultdict"}
)


def without_none(type_: Type | None) -> Type | None:
    """Return the type of a value that is true, such as of `a` in `a or b`."""
    if type_ == NONE:
        return COMPUTING  # it adds nothing to the other operand
    if type_ is None or type_.name != UNION:
        return type_
    return union(member for member in type_.members if member != NONE)


def is_complete(type_: Type) -> bool:
    """Return whether no part of a type is empty, a callable or still being computed."""
    return not type_.name.startswith("?") and all(map(is_complete, type_.arguments))


def names(type_: Type) -> set[str]:
    """Return the names of a type and of all its parts."""
    own = set() if type_.name == UNION else {type_.name}
    return own.union(*map(names, type_.arguments))


def spell(type_: Type, name: Callable[[str], str]) -> str:
    """Return a type as an annotation; `name` gives the local spelling of a full name.

    >>> spell(Type("dict", (STR, Type("game.Actor"))), lambda full: full.rpartition(".")[2])
    'dict[str, Actor]'
    """
    if type_.name == UNION:
        return " | ".join(spell(member, name) for member in type_.members)
    local = name(type_.name)
    if type_.name == "tuple" and not type_.arguments:
        return f"{local}[()]"
    if not type_.arguments:
        return local
    arguments = ["..." if a.name == "..." else spell(a, name) for a in type_.arguments]
    return f"{local}[{', '.join(arguments)}]"
