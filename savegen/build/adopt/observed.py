"""Use the types that `live` recorded for the attributes whose source does not tell their type."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from savegen.build.adopt.definitions import GameClass
from savegen.build.adopt.functions import is_protocol, is_value_class
from savegen.build.adopt.program import Program
from savegen.build.adopt.types import (
    COMPUTING,
    CONTAINERS,
    EMPTY,
    ONE_PARAMETER,
    UNION,
    InferredType,
    union,
)

Observed = Mapping[str, Mapping[str, Sequence[Any]]]  # class → attribute → shapes
# The containers with elements of one type, which `live` imports by module and name
OBSERVED_CONTAINERS = [
    (CONTAINERS[name].module, CONTAINERS[name].name) for name in sorted(ONE_PARAMETER)
]


def observed_type(
    program: Program, observed: Observed, cls: GameClass, name: str
) -> InferredType | None:
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
    if type_ is None or type_ is COMPUTING:
        return None
    return _generalised(program, type_)


def type_of_shape(shape: Sequence[Any]) -> InferredType | None:
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
        return InferredType("tuple", (types[0], InferredType("...")))  # type: ignore[arg-type]
    return InferredType(name, tuple(types))  # type: ignore[arg-type]


def _generalised(program: Program, type_: InferredType) -> InferredType | None:
    """Replace classes of the game by the bases of all their relatives.

    A run that met only rats does not show that an attribute never has another monster.
    """
    cls = program.class_named(type_.name)
    if cls is not None and not is_value_class(cls):
        top = _top(cls)
        return InferredType(top.name) if top is not None else None
    arguments = [_generalised(program, argument) for argument in type_.arguments]
    if type_.name == UNION:
        return union(arguments)
    known = [argument for argument in arguments if argument is not None]
    return (
        InferredType(type_.name, tuple(known)) if len(known) == len(arguments) else None
    )


def _top(cls: GameClass) -> GameClass | None:
    """Return the base whose subclasses all relatives of a class are; `None` if there is none."""
    bases = [base for base in cls.ancestors if not is_protocol(base)]
    tops = [base for base in bases if not set(base.bases) & set(bases)]
    widest = max(tops, key=lambda top: len(top.descendants))
    relatives = {heir for top in tops for heir in top.descendants} - set(tops)
    return widest if relatives <= set(widest.descendants) else None
