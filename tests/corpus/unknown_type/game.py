"""A name that nothing defines, and what is no type at all."""

from __future__ import annotations

from enum import Enum
from typing import Annotated, Literal

from savegen import Save, Saved, saveable

from _savegen.components.game import DefinedSaveLoad, MapSaveLoad
from shapes import Circle, Vec2

Loop = list["Loop"]
Count = 3


class Colour(Enum):
    RED = 1


@saveable
class Map(MapSaveLoad):
    unknown: Saved[Vector]
    inside: Saved[dict[str, list[Vector]]]
    dotted: Saved[shapes.Circle]
    not_there: Saved[Vec2]
    quoted: Saved["Vector | None"]
    a_call: Saved[make_type(3)]
    a_number: Annotated[3, Save()]
    a_constant: Saved[Count]
    a_value: Saved[Literal[Count]]
    a_member: Saved[Literal[Colour.RED.value]]
    a_tuple: Saved[(int, str)]
    endless: Saved[Loop]
    bare: Saved
    broken: Saved["list["]

    known: Saved[Circle | None] = None
    later: Saved[Defined | None] = None

    # What is not marked may be anything.
    unmarked: Nowhere


@saveable
class Defined(DefinedSaveLoad):
    hp: Saved[int] = 0
