"""Recognise `type[Goblin]`: the field holds a saveable class, saved as its stable number."""

from __future__ import annotations

from savegen.build.kinds._base import CellTypes, Classes, Kind, StoredTypeWriter, Type
from savegen.build.kinds._common import refused


def recognise(type: Type, classes: Classes) -> Kind | None:
    if type.name != "builtins.type":
        return None
    if len(type.arguments) != 1:
        return refused("bare", "type")
    target = classes.kind_of(type.arguments[0])
    if target.kind == "refused":
        return target
    if target.kind != "reference" or target.name == "weakref.ref":
        return refused("unnumbered", _simple(type.arguments[0].name))
    if any(part.values for part in (target, *target.parts)):  # a class of a library
        return refused("unnumbered", _simple(type.arguments[0].name), target)
    names = [part.name for part in target.parts] or [target.name]
    return Kind("class_", " | ".join(names), immutable=True, hashable=True)


def _simple(name: str) -> str:
    return name.rpartition(":")[2].rpartition(".")[2]


def stored(kind: Kind, types: StoredTypeWriter) -> str:
    return f"class<{types.numbers(kind.name.split(' | '))}>"


def cell(kind: Kind, cells: CellTypes) -> str:
    return "int"
