"""Recognise references to saveable objects, which are saved as keys."""

from __future__ import annotations

from savegen.build.kinds._base import CellTypes, Classes, Kind, StoredTypeWriter, Type

GAME_OBJECT = "savegen.GameObject"


def recognise(type: Type, classes: Classes) -> Kind | None:
    if type.name == "weakref.ref" and len(type.arguments) == 1:
        target = classes.kind_of(type.arguments[0])
        if target.kind != "reference":
            return target if target.kind == "refused" else None
        return Kind("reference", "weakref.ref", (target,), references=True)
    if stand_in := classes.stand_in(type.name):
        library = (type.name,)
        return Kind("reference", stand_in, (), library, references=True, hashable=True)
    if type.name != GAME_OBJECT and not classes.is_saveable(type.name):
        return None
    return Kind(
        "reference",
        type.name,
        references=True,
        hashable=True,
        is_protocol=classes.is_protocol(type.name),
    )


def stored(kind: Kind, types: StoredTypeWriter) -> str:
    if kind.name == "weakref.ref":
        return f"weak<{types.stored(kind.parts[0])}>"
    names = [part.name for part in kind.parts] or [kind.name]
    text = f"ref<{types.numbers(name for name in names if name != 'None')}>"
    return f"optional<{text}>" if "None" in names else text


def cell(kind: Kind, cells: CellTypes) -> str:
    return "Key"
