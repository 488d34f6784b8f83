"""Recognise the containers of the standard library, with members of any kind."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from msgspec.structs import replace

from savegen.build.kinds._base import CellTypes, Classes, Kind, StoredTypeWriter, Type
from savegen.build.kinds._common import has_scalar_cells, is_native, refused


class ContainerType(NamedTuple):
    """A type of containers, and all that the build knows of it."""

    full: str  # its full name
    typing: str = ""  # its older name in `typing`
    # How many types are in its brackets; None for any number, or if only type checkers use them
    parameters: int | None = 1
    is_mapping: bool = False
    is_hashed: bool = False  # its elements or keys must be hashable
    is_fixed: bool = False  # it does not change
    has_order: bool = False  # equal mappings have one order
    has_limit: bool = False  # its cell is a pair: the greatest length, and the members
    cell: str = "list[{}]"  # the annotation of its cells, if it is no mapping
    # The changes that add elements to it: methods, and `[]=` for an assignment
    changes: str = ""
    # Whether it can be the factory of a `defaultdict`: a call makes a usual one
    is_factory: bool = True

    @property
    def module(self) -> str:
        return self.full.rpartition(".")[0]

    @property
    def name(self) -> str:
        return self.full.rpartition(".")[2]


_LIST = "append extend insert []="
_DICT = "update setdefault []="
_mapping = partial(ContainerType, is_mapping=True, is_hashed=True, changes=_DICT)
_ALL = [
    ContainerType("builtins.list", "List", changes=_LIST),
    ContainerType("builtins.set", "Set", is_hashed=True, changes="add update"),
    ContainerType("builtins.frozenset", "FrozenSet", is_hashed=True, is_fixed=True),
    # Several types in the brackets make a kind of its own, `fixed_tuple`.
    ContainerType(
        "builtins.tuple", "Tuple", None, is_fixed=True, cell="tuple[{}, ...]"
    ),
    ContainerType("builtins.bytearray", parameters=0, cell="bytes"),
    ContainerType("array.array", "", None, cell="tuple[str, bytes]", is_factory=False),
    ContainerType(
        "collections.deque",
        "Deque",
        has_limit=True,
        cell="tuple[int | None, list[{}]]",
        changes=f"{_LIST} appendleft extendleft",
    ),
    _mapping("builtins.dict", "Dict", 2),
    _mapping("collections.defaultdict", "DefaultDict", 2, is_factory=False),
    _mapping("collections.OrderedDict", "OrderedDict", 2, has_order=True),
    _mapping("collections.Counter", "Counter", changes=f"{_DICT} subtract"),
]
CONTAINERS = {each.full: each for each in _ALL}
_NAMED = {each.name: each for each in _ALL}
# Their names in `typing`, which are older
OLDER_NAMES = {f"typing.{each.typing}": each.full for each in _ALL if each.typing}
HASHED = frozenset(each.name for each in _ALL if each.is_hashed)


def container_type(kind: Kind) -> ContainerType:
    return _NAMED["tuple" if kind.name == "fixed_tuple" else kind.name]


def recognise(type: Type, classes: Classes) -> Kind | None:
    if type.name == "builtins.tuple":
        return _tuple(type, classes)
    if type.name not in CONTAINERS:
        return None
    container = CONTAINERS[type.name]
    if container.parameters is None:
        return Kind("container", container.name)
    if len(type.arguments) != container.parameters:
        return refused("bare", container.name)
    return _container(
        container.name, [classes.kind_of(part) for part in type.arguments]
    )


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
    kind = Kind("container", name, tuple(parts))
    is_fixed = container_type(kind).is_fixed
    return replace(
        kind,
        immutable=is_fixed and all(part.immutable for part in parts),
        references=any(part.references for part in parts),
        hashable=is_fixed and all(part.hashable for part in parts),
    )


def _is_refused(kind: Kind) -> bool:
    """Return whether a kind is or contains a refused one, which has a finding already."""
    return kind.kind == "refused" or any(_is_refused(part) for part in kind.parts)


def stored(kind: Kind, types: StoredTypeWriter) -> str:
    parts = ", ".join(map(types.stored, kind.parts))
    if kind.name == "fixed_tuple":
        return f"({parts})"
    return f"{kind.name}<{parts}>" if parts else kind.name


def cell(kind: Kind, cells: CellTypes) -> str:
    container = container_type(kind)
    parts = [*map(cells.cell, kind.parts)]
    if kind.name == "fixed_tuple":
        return f"tuple[{', '.join(parts) or '()'}]"
    if not container.is_mapping:
        return container.cell.format(*parts)
    entry = ", ".join(parts) if len(parts) == 2 else f"{parts[0]}, int"
    return f"dict[{entry}]" if is_map(kind) else f"list[tuple[{entry}]]"


def natural_factory(kind: Kind) -> str:
    """Return the full name of the type that a `defaultdict` has as its factory; "" for none."""
    value = kind.parts[1]
    if value.kind == "container" and value.name != "fixed_tuple":
        container = container_type(value)
        return container.full if container.is_factory else ""
    if value.kind == "scalar":
        return value.name if is_native(value) and value.name != "None" else ""
    return value.name if value.kind in ("value", "record") else ""


def is_map(kind: Kind) -> bool:
    """Return whether the cell of a mapping is a dict; otherwise it is a list of pairs."""
    return not container_type(kind).has_order and has_scalar_cells(kind.parts[0])
