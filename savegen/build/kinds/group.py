"""Recognise sprite groups of pygame, and sprite lists of arcade, with saveable sprites.

Their cells are the same, so a field may change from one class of groups to another.
"""

from __future__ import annotations

from savegen.build.kinds._base import CellTypes, Classes, Kind, StoredTypeWriter, Type
from savegen.build.kinds._common import refused, without_none

_OF_PYGAME = (
    "Group GroupSingle LayeredDirty LayeredUpdates OrderedUpdates RenderClear RenderPlain"
    " RenderUpdates"
).split()
NAMES = frozenset(
    [
        *(f"pygame.sprite.{name}" for name in _OF_PYGAME),
        "arcade.SpriteList",
        "arcade.sprite_list.SpriteList",
    ]
)
SIMPLE_NAMES = frozenset(name.rpartition(".")[2] for name in NAMES)


def recognise(type: Type, classes: Classes) -> Kind | None:
    if type.name not in NAMES:
        return None
    if len(type.arguments) != 1:
        return refused("bare", type.name)
    member = classes.kind_of(type.arguments[0])
    if member.kind != "reference" or member.name == "weakref.ref":
        return refused("bare", type.name)
    return Kind("group", type.name, (member,), references=True)


def is_group(kind: Kind) -> bool:
    """Return whether a field of this kind holds a group, or may also hold `None`."""
    return (without_none(kind) or kind).kind == "group"


def stored(kind: Kind, types: StoredTypeWriter) -> str:
    member = types.stored(kind.parts[0])
    return f"codec Group<list<({member}, optional<union<int | float>>)>>"


def cell(kind: Kind, cells: CellTypes) -> str:
    return "list[tuple[Key, int | float | None]]"
