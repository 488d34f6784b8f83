"""Recognise `X | None`, and unions whose members can be distinguished by their values."""

from __future__ import annotations

from savegen.build.kinds._base import CellTypes, Classes, Kind, StoredTypeWriter, Type
from savegen.build.kinds._common import is_native, refused, union_of, without_none


def recognise(type: Type, classes: Classes) -> Kind | None:
    if type.name != "typing.Union":
        return None
    parts = [classes.kind_of(part) for part in type.arguments]
    if name := _indistinguishable(parts, classes):
        return refused("indistinguishable", name, *parts)
    # The cell of every ordinary reference, and of `None`, is a key.
    if all(
        part.name == "None" or (part.kind == "reference" and part.name != "weakref.ref")
        for part in parts
    ):
        return Kind("reference", "", tuple(parts), references=True, hashable=True)
    return union_of(parts)


def _indistinguishable(parts: list[Kind], classes: Classes) -> str | None:
    """Return the type of two members whose values cannot be distinguished, or None."""
    are_weak = {p.name == "weakref.ref" for p in parts if p.kind == "reference"}
    if len(are_weak) > 1:  # weak and ordinary references
        return "weakref.ref"
    names = [_container(part, classes) for part in parts]
    # Two immutable members need not be distinguished, because neither is copied.
    copied = {name for name, part in zip(names, parts) if not part.immutable}
    return next((n for n in names if n in copied and names.count(n) > 1 and n), None)


def _container(kind: Kind, classes: Classes) -> str | None:
    """Return the Python type of the values of a kind if it is a container, else None."""
    if kind.kind == "array":
        return kind.name
    if kind.kind == "asset":
        package, _, name = kind.name.rpartition(".")
        return name if package in ("builtins", "collections") else None
    if kind.kind == "container":
        return "tuple" if kind.name == "fixed_tuple" else kind.name
    plain = classes.plain_class(kind.name) if kind.kind == "record" else None
    return "dict" if plain and plain.style == "typeddict" else None


def stored(kind: Kind, types: StoredTypeWriter) -> str:
    inner = without_none(kind)
    if inner is not None:
        return f"optional<{types.stored(inner)}>"
    return f"union<{' | '.join(map(types.stored, kind.parts))}>"


def cell(kind: Kind, cells: CellTypes) -> str:
    inner = without_none(kind)
    if inner is not None:
        text = cells.cell(inner)
        return text if text == "Any" else f"{text} | None"
    parts = [*map(cells.cell, kind.parts)]
    if is_native(kind):
        types = dict.fromkeys(" | ".join(parts).split(" | "))
        # msgspec cannot decode a union of str and bytes.
        return "Any" if {"str", "bytes"} <= types.keys() else " | ".join(types)
    return f"tuple[int, {', '.join(f'{part} | None' for part in parts)}]"
