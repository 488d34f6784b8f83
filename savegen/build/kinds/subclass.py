"""Recognise the game's subclasses of builtin classes, and of classes of libraries with a preset.

Their values have the content of the base.
"""

from __future__ import annotations

from savegen.build.kinds._base import CellTypes, Classes, Kind, StoredTypeWriter, Type
from savegen.build.kinds import scalar
from savegen.build.kinds._common import dotted_name


def recognise(type: Type, classes: Classes) -> Kind | None:
    base = classes.value_base(type)
    content = classes.kind_of(base) if base else None
    if content is None or content.kind == "refused":
        return content
    return Kind(
        "subclass",
        type.name,
        (content,),
        immutable=content.immutable,
        references=content.references,
        hashable=content.hashable,
    )


def base(kind: Kind) -> str:
    """Return the name of the stored type of the base, or of a class with a codec."""
    (part,) = kind.parts
    if part.kind == "foreign":
        return dotted_name(part.name)
    if part.kind == "container":
        return "fixed" if part.name == "fixed_tuple" else part.name
    names = {"ndarray": "ndarray", "random.Random": "random"}
    return names.get(part.name) or scalar.scalar_type(part).stored


def stored(kind: Kind, types: StoredTypeWriter) -> str:
    return f"subclass {dotted_name(kind.name)}<{types.stored(kind.parts[0])}>"


def cell(kind: Kind, cells: CellTypes) -> str:
    return cells.cell(kind.parts[0])
