"""Recognise the containers of the standard library, with members of any kind."""

from __future__ import annotations

from savegen.build.kinds._base import CellTypes, Classes, Kind, StoredTypeWriter, Type
from savegen.build.kinds._common import has_scalar_cells, refused

PARAMETER_COUNTS = {
    "builtins.list": 1,
    "builtins.set": 1,
    "builtins.frozenset": 1,
    "builtins.dict": 2,
    "builtins.bytearray": 0,
    "collections.deque": 1,
    "collections.defaultdict": 2,
    "collections.OrderedDict": 2,
    "collections.Counter": 1,
    "array.array": None,  # only type checkers use its parameter
}
# Containers whose elements or keys must be hashable.
HASHED = ("set", "frozenset", "dict", "defaultdict", "OrderedDict", "Counter")


def recognise(type: Type, classes: Classes) -> Kind | None:
    if type.name == "builtins.tuple":
        return _tuple(type, classes)
    if type.name not in PARAMETER_COUNTS:
        return None
    name = type.name.rpartition(".")[2]
    count = PARAMETER_COUNTS[type.name]
    if count is None:
        return Kind("container", name)
    if len(type.arguments) != count:
        return refused("bare", name)
    return _container(name, [classes.kind_of(part) for part in type.arguments])


def _tuple(type: Type, classes: Classes) -> Kind:
    arguments = type.arguments
    if not arguments and not type.literals:
        return refused("bare", "tuple")
    if len(arguments) == 2 and arguments[1].name == "...":
        return _container("tuple", [classes.kind_of(arguments[0])])
    return _container("fixed_tuple", [classes.kind_of(part) for part in arguments])


def _container(name: str, parts: list[Kind]) -> Kind:
    if name in HASHED and parts and not parts[0].hashable and not _is_refused(parts[0]):
        return refused("unhashable", name, *parts)
    is_fixed = name in ("tuple", "fixed_tuple", "frozenset")
    return Kind(
        "container",
        name,
        tuple(parts),
        immutable=is_fixed and all(part.immutable for part in parts),
        references=any(part.references for part in parts),
        hashable=is_fixed and all(part.hashable for part in parts),
    )


def _is_refused(kind: Kind) -> bool:
    """Return whether a kind is or contains a refused one, which has a finding already."""
    return kind.kind == "refused" or any(_is_refused(part) for part in kind.parts)


def stored(kind: Kind, types: StoredTypeWriter) -> str:
    if kind.name in ("bytearray", "array"):
        return kind.name
    parts = ", ".join(map(types.stored, kind.parts))
    return f"({parts})" if kind.name == "fixed_tuple" else f"{kind.name}<{parts}>"


def cell(kind: Kind, cells: CellTypes) -> str:
    if kind.name == "bytearray":
        return "bytes"
    if kind.name == "array":
        return "tuple[str, bytes]"
    parts = [*map(cells.cell, kind.parts)]
    if kind.name == "fixed_tuple":
        return f"tuple[{', '.join(parts) or '()'}]"
    if kind.name == "tuple":
        return f"tuple[{parts[0]}, ...]"
    if kind.name == "deque":
        return f"tuple[int | None, list[{parts[0]}]]"
    if kind.name in ("list", "set", "frozenset"):
        return f"list[{parts[0]}]"
    entry = ", ".join(parts) if len(parts) == 2 else f"{parts[0]}, int"
    return f"dict[{entry}]" if is_map(kind) else f"list[tuple[{entry}]]"


def natural_factory(kind: Kind) -> str:
    """Return the full name of the type that a `defaultdict` has as its factory; "" for none."""
    value = kind.parts[1]
    name = value.name.rpartition(".")[2]
    if value.kind in ("container", "scalar") and name in _BUILTIN_FACTORIES:
        return f"builtins.{name}"
    if value.kind == "container" and name in ("deque", "OrderedDict", "Counter"):
        return f"collections.{name}"
    return value.name if value.kind in ("value", "record") else ""


_BUILTIN_FACTORIES = (
    "bool int float str bytes list dict set tuple frozenset bytearray".split()
)


def is_map(kind: Kind) -> bool:
    """Return whether the cell of a mapping is a dict; otherwise it is a list of pairs."""
    return kind.name != "OrderedDict" and has_scalar_cells(kind.parts[0])
