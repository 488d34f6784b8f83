"""Recognise frozen plain classes that contain only immutable values and need no copy.

Its generated code is in `templates/kinds/value.jinja`.
"""

from __future__ import annotations

from savegen.build.kinds._base import Cells, Classes, Kind, Stored, Type


def recognise(type: Type, classes: Classes) -> Kind | None:
    plain = classes.plain(type.name)
    if plain is None:
        return None
    kind = classes.plain_kind(plain)
    return kind if kind.kind == "value" else None


def stored(kind: Kind, types: Stored) -> str:
    return types.record(kind)


def cell(kind: Kind, cells: Cells) -> str:
    return cells.record(kind.name)
