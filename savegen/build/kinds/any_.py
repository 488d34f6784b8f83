"""Members of which the declaration of a class says nothing, such as those of `class Deck(list)`."""

from __future__ import annotations

from savegen.build.kinds._base import CellTypes, Classes, Kind, StoredTypeWriter, Type

ANY = Type("any")  # no annotation has this name


def recognise(type: Type, classes: Classes) -> Kind | None:
    # They may be references.
    return Kind("any_", "any", references=True, hashable=True) if type == ANY else None


def stored(kind: Kind, types: StoredTypeWriter) -> str:
    return "any"


def cell(kind: Kind, cells: CellTypes) -> str:
    return "Any"
