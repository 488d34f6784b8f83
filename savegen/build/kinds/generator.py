"""Random generators: kept as the objects that they are, with how far they have come."""

from __future__ import annotations

from savegen.build.kinds._base import Cells, Classes, Kind, Stored, Type

NAMES = ("random.Random", "numpy.random.Generator")


def recognise(type: Type, classes: Classes) -> Kind | None:
    if type.name not in NAMES:
        return None
    # Not the value itself stands in data and rows: it has to be told from its state.
    return Kind("generator", type.name, references=True, hashable=True)


def stored(kind: Kind, types: Stored) -> str:
    return "random" if kind.name == "random.Random" else "generator"


def cell(kind: Kind, cells: Cells) -> str:
    return "int"
