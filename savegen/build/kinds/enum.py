"""Recognise enumerations of the game, including flags, and `Literal`."""

from __future__ import annotations

import ast

from savegen.build.kinds._base import CellTypes, Classes, Kind, StoredTypeWriter, Type
from savegen.build.kinds._common import (
    as_code,
    dotted_name,
    is_plain_literal,
    union_of,
)

FLAGS = ("flags",)  # the `values` of an enumeration whose members can be combined


def recognise(type: Type, classes: Classes) -> Kind | None:
    if type.name == "typing.Literal":
        return Kind(
            "enum", "Literal", values=type.literals, immutable=True, hashable=True
        )
    if classes.is_enum(type.name):
        names = classes.enum_subclasses(type.name) or (type.name,)
        return union_of([_enum(name, classes) for name in names])
    return None


def _enum(name: str, classes: Classes) -> Kind:
    values = FLAGS if classes.is_flag(name) else ()
    return Kind("enum", name, values=values, immutable=True, hashable=True)


def stored(kind: Kind, types: StoredTypeWriter) -> str:
    if kind.name == "Literal":
        constants = (ascii(ast.literal_eval(code)) for code in kind.values)
        return f"literal{{{' '.join(constants)}}}"
    noun = "flag" if kind.values == FLAGS else "enum"
    return f"{noun} {dotted_name(kind.name)}{{{types.members(kind.name)}}}"


def cell(kind: Kind, cells: CellTypes) -> str:
    if kind.name != "Literal":
        return "str"
    if not is_plain_literal(kind):
        return "Any"
    constants = (as_code(ast.literal_eval(code)) for code in kind.values)
    return f"Literal[{', '.join(constants)}]"
