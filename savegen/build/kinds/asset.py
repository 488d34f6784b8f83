"""Recognise `Annotated[T, Asset()]`: a shared object that is saved as its id.

Its generated code is in `templates/kinds/asset.jinja`.
"""

from __future__ import annotations

from savegen.build.kinds._base import Cells, Classes, Kind, Stored, Type

ASSET = "savegen.Asset"


def recognise(type: Type, classes: Classes) -> Kind | None:
    if type.name != ASSET:
        return None
    (inner,) = type.arguments
    if inner.name.startswith("?"):
        return classes.kind_of(inner)
    return Kind("asset", inner.name, immutable=True, hashable=True)


def stored(kind: Kind, types: Stored) -> str:
    return "asset"


def cell(kind: Kind, cells: Cells) -> str:
    return "str"
