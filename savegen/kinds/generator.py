"""Random generators: kept as the objects that they are, with how far they have come."""

from __future__ import annotations

from savegen.kinds._base import Classes, Kind, Type

NAMES = ("random.Random", "numpy.random.Generator")


def recognise(type: Type, classes: Classes) -> Kind | None:
    if type.name not in NAMES:
        return None
    # Not the value itself stands in data and rows: it has to be told from its state.
    return Kind("generator", type.name, references=True, hashable=True)
