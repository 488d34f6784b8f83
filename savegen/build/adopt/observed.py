"""Use the types that `live` recorded for the attributes whose source does not tell their type."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from savegen.build.adopt.definitions import Class
from savegen.build.adopt.program import Program
from savegen.build.adopt.types import COMPUTING, EMPTY, Type, union

Observed = Mapping[str, Mapping[str, Sequence[Any]]]  # class → attribute → shapes


def observed_type(
    program: Program, observed: Observed, cls: Class, name: str
) -> Type | None:
    """Return the type for the values that an attribute had.

    Return `None` if there were none, or if the type of one is unknown.
    """
    shapes = [
        shape
        for subclass in cls.descendants
        for shape in observed.get(subclass.name, {}).get(name, ())
    ]
    if not shapes:
        return None
    type_ = union(type_of_shape(shape) for shape in shapes)
    return None if type_ in (None, COMPUTING) else _generalised(program, type_)


def type_of_shape(shape: Sequence[Any]) -> Type | None:
    """Return the type that a recorded shape stands for; `None` if it is nested too deep."""
    name, arguments = shape
    if name == "?deep":
        return None
    types = [
        union(map(type_of_shape, argument)) or None if argument else EMPTY
        for argument in arguments
    ]
    if None in types:
        return None
    if name == "tuple" and len(types) > 4 and len(set(types)) == 1:
        return Type("tuple", (types[0], Type("...")))  # type: ignore[arg-type]
    return Type(name, tuple(types))  # type: ignore[arg-type]


def _generalised(program: Program, type_: Type) -> Type:
    """Replace several classes of the game by the base that they share."""
    arguments = tuple(_generalised(program, argument) for argument in type_.arguments)
    type_ = Type(type_.name, arguments)
    if type_.name != "|":
        return type_
    classes = [program.class_named(member.name) for member in type_.members]
    game = [cls for cls in classes if cls is not None]
    if len(game) < 2:
        return type_
    shared = [
        base for base in game[0].ancestors if all(base in cls.ancestors for cls in game)
    ]
    if not shared:
        return type_
    others = [m for m in type_.members if program.class_named(m.name) is None]
    return union([Type(shared[0].name), *others]) or type_
