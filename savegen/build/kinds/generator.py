"""Recognise random generators. A save contains each of them once, with its state."""

from __future__ import annotations

from savegen.build.kinds._base import CellTypes, Classes, Kind, StoredTypes, Type

NAMES = ("random.Random", "numpy.random.Generator")


def recognise(type: Type, classes: Classes) -> Kind | None:
    if type.name not in NAMES:
        return None
    # A row contains the key of the generator, so this kind counts as a reference.
    return Kind("generator", type.name, references=True, hashable=True)


def stored(kind: Kind, types: StoredTypes) -> str:
    return "random" if kind.name == "random.Random" else "generator"


def cell(kind: Kind, cells: CellTypes) -> str:
    return "int"
