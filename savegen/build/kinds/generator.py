"""Recognise random generators, which are saved with their state and keep their identity.

Its generated code is in `templates/kinds/generator.jinja`.
"""

from __future__ import annotations

from savegen.build.kinds._base import Cells, Classes, Kind, Stored, Type

NAMES = ("random.Random", "numpy.random.Generator")


def recognise(type: Type, classes: Classes) -> Kind | None:
    if type.name not in NAMES:
        return None
    # A row contains the key of the generator, so this kind counts as a reference.
    return Kind("generator", type.name, references=True, hashable=True)


def stored(kind: Kind, types: Stored) -> str:
    return "random" if kind.name == "random.Random" else "generator"


def cell(kind: Kind, cells: Cells) -> str:
    return "int"
