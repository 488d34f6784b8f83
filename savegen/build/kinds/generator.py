"""Recognise random generators and counters. A save contains each of them once, with its state."""

from __future__ import annotations

from savegen.build.kinds._base import CellTypes, Classes, Kind, StoredTypeWriter, Type

STORED = {
    "random.Random": "random",
    "numpy.random.Generator": "generator",
    "itertools.count": "count",
}


def recognise(type: Type, classes: Classes) -> Kind | None:
    if type.name not in STORED:
        return None
    # A row contains the key of the generator, so this kind counts as a reference.
    return Kind("generator", type.name, references=True, hashable=True)


def stored(kind: Kind, types: StoredTypeWriter) -> str:
    return STORED[kind.name]


def cell(kind: Kind, cells: CellTypes) -> str:
    return "int"
