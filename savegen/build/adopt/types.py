"""The types that `adopt` finds, and how they are written as annotations."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from savegen.build.kinds import CONTAINERS as KNOWN_CONTAINERS

UNION = "|"


class InferredType(NamedTuple):
    """A type: its full name and its arguments."""

    name: str  # "int", "list", "numpy.ndarray", "game.actor.Actor"; "|" for a union
    arguments: tuple[InferredType, ...] = ()
    # The types of a table's values by their keys, if all that is known is in its source
    fields: tuple[tuple[object, InferredType], ...] = ()

    @property
    def members(self) -> tuple[InferredType, ...]:
        return self.arguments if self.name == UNION else (self,)

    def __str__(self) -> str:
        return spell(self, lambda name: name)


NONE = InferredType("None")
BOOL, INT, FLOAT, STR, BYTES = map(
    InferredType, ("bool", "int", "float", "str", "bytes")
)
# The element type of an empty container such as `[]`. Unlike an unknown type, it gives way to the
# types in other assignments.
EMPTY = InferredType("?empty")
CALLABLE = InferredType("?callable")
COMPUTING = InferredType(
    "?computing"
)  # the type that is being computed, in a recursive definition

NUMBERS = (BOOL, INT, FLOAT)
# The containers of the standard library, by the names that types have here
CONTAINERS = {name.removeprefix("builtins."): c for name, c in KNOWN_CONTAINERS.items()}
# Those with one type parameter
ONE_PARAMETER = frozenset(
    name
    for name, each in CONTAINERS.items()
    if each.parameters == 1 and not each.is_mapping
)
COUNTER = "collections.Counter"  # a mapping to int; its annotation has only the keys
# Mappings to which `mapping[key] += value` adds the keys that they lack
FILLING = frozenset({"collections.defaultdict", COUNTER})
MAPPINGS = frozenset(name for name, each in CONTAINERS.items() if each.is_mapping)


def union(types: Iterable[InferredType | None]) -> InferredType | None:
    """Return the union of types; `None` if one of them is unknown.

    >>> str(union([InferredType("int"), InferredType("None"), InferredType("int")]))
    'int | None'
    >>> str(union([InferredType("list", (EMPTY,)), InferredType("list", (InferredType("str"),))]))
    'list[str]'
    """
    members: list[InferredType] = []
    for type_ in types:
        if type_ is None:
            return None
        for member in type_.members:
            if member is not COMPUTING:
                _add(members, member)
    if FLOAT in members and INT in members:
        members.remove(INT)  # an int may stand where a float is declared
    if not members:
        return COMPUTING
    if NONE in members and len(members) > 1:
        members = [*(m for m in members if m != NONE), NONE]
    return members[0] if len(members) == 1 else InferredType(UNION, tuple(members))


def _add(members: list[InferredType], new: InferredType) -> None:
    for index, member in enumerate(members):
        merged = _merged(member, new)
        if merged is not None:
            members[index] = merged
            return
    members.append(new)


def _merged(one: InferredType, other: InferredType) -> InferredType | None:
    """Return the type that two types merge into; `None` if they stay separate in a union."""
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
    return InferredType(one.name, tuple(arguments), _merged_fields(one, other))


def _merged_fields(
    one: InferredType, other: InferredType
) -> tuple[tuple[object, InferredType], ...]:
    """Return the fields of two tables; none if one of them is no table."""
    if not one.fields or not other.fields:
        return ()
    fields = dict(one.fields)
    for key, type_ in other.fields:
        fields[key] = union([fields.get(key, type_), type_]) or type_
    return tuple(fields.items())


def table(
    name: str,
    key: InferredType | None,
    values: Sequence[InferredType | None],
    constants: Sequence[object],
) -> InferredType | None:
    """Return the type of a mapping from its values and from those keys that are constants."""
    value = union(values)
    if key is None or value is None:
        return None
    fields = {}
    if len(constants) == len(values):
        fields = {k: type_ for k, type_ in zip(constants, values) if type_ is not None}
    return InferredType(name, (key, value), tuple(fields.items()))


def without_fields(type_: InferredType) -> InferredType:
    """Return the type of a container whose values may change."""
    return InferredType(type_.name, tuple(map(without_fields, type_.arguments)))


_INVARIANT = {n for n in ONE_PARAMETER | MAPPINGS if not CONTAINERS[n].is_fixed}


def without_none(type_: InferredType | None) -> InferredType | None:
    """Return the type without `None`.

    For `None` alone it is `COMPUTING`, which a union ignores.
    """
    if type_ == NONE:
        return COMPUTING
    if type_ is None or type_.name != UNION:
        return type_
    return union(member for member in type_.members if member != NONE)


def is_complete(type_: InferredType) -> bool:
    """Return whether no part of a type is empty, a callable or still being computed."""
    return not type_.name.startswith("?") and all(map(is_complete, type_.arguments))


def names(type_: InferredType) -> set[str]:
    """Return the names of a type and of all its parts."""
    own = set() if type_.name == UNION else {type_.name}
    return own.union(*map(names, type_.arguments))


def spell(type_: InferredType, name: Callable[[str], str]) -> str:
    """Return a type as an annotation; `name` gives the local spelling of a full name.

    >>> spell(InferredType("dict", (STR, InferredType("game.Actor"))), lambda full: full.rpartition(".")[2])
    'dict[str, Actor]'
    """
    if type_.name == UNION:
        return " | ".join(spell(member, name) for member in type_.members)
    local = name(type_.name)
    if type_.name == "tuple" and not type_.arguments:
        return f"{local}[()]"
    if not type_.arguments:
        return local
    shown = type_.arguments[:1] if type_.name == COUNTER else type_.arguments
    arguments = ["..." if a.name == "..." else spell(a, name) for a in shown]
    return f"{local}[{', '.join(arguments)}]"


def of_elements(name: str, item: InferredType | None) -> InferredType | None:
    """Return the type `name[item]`; `None` if `item` is, or for a mapping or a tuple."""
    if item is None or name not in ONE_PARAMETER:
        return None
    return InferredType(name, (item,))


def element(type_: InferredType | None) -> InferredType | None:
    """Return the type of the elements of a container; `None` if it is unknown."""
    if type_ is None:
        return None
    if type_ is COMPUTING:
        return COMPUTING
    if type_.name == "str":
        return STR
    if type_.name in (*ONE_PARAMETER, *MAPPINGS) and type_.arguments:
        return type_.arguments[0]
    if type_.name == "tuple" and type_.arguments:
        return union(a for a in type_.arguments if a.name != "...")
    return None


def tuple_item(type_: InferredType | None, index: object) -> InferredType | None:
    if type_ is None or type_.name != "tuple" or not isinstance(index, int):
        return None
    arguments = type_.arguments
    if len(arguments) == 2 and arguments[1].name == "...":
        return arguments[0]
    return arguments[index] if -len(arguments) <= index < len(arguments) else None


def operation(
    left: InferredType | None, operator: ast.operator, right: InferredType | None
) -> InferredType | None:
    """Return the type of `left operator right`; `None` if it is unknown."""
    if left is None or right is None:
        return None
    if left is COMPUTING:
        left = right if right.name != "?computing" else left
    if right is COMPUTING:
        right = left
    if left is COMPUTING:
        return COMPUTING
    if left in NUMBERS and right in NUMBERS:
        if isinstance(operator, ast.Div) or FLOAT in (left, right):
            return FLOAT
        if isinstance(operator, ast.Pow):
            return None
        both = left == right == BOOL and isinstance(
            operator, ast.BitAnd | ast.BitOr | ast.BitXor
        )
        return BOOL if both else INT
    if left == STR and isinstance(operator, ast.Mod):
        return STR
    if isinstance(operator, ast.Mult) and INT in (left, right):
        other = right if left == INT else left
        return other if other.name in ("str", "list", "bytes") else None
    if left.name == right.name == COUNTER:
        return union([left, right])
    if isinstance(operator, ast.Add) and left.name == right.name:
        return union([left, right]) if left.name in ("str", "list", "bytes") else None
    if left == right and left.name in ("set", "frozenset"):
        return left
    arrays = [side for side in (left, right) if side.name == "numpy.ndarray"]
    if arrays:
        return (
            arrays[0]
            if left in (*NUMBERS, *arrays) and right in (*NUMBERS, *arrays)
            else None
        )
    return None
