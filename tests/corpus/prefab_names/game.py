'''Names and docstrings that generated code has to get round.'''

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import _savegen.components.game as mixins
from savegen import Save, Saved, part, prefab, saveable


@dataclass
class it:
    made: int
    values: int = 1


@dataclass
class Any:
    str: int
    dict: int


@dataclass
class PrefabSerializer:
    get_prefab_type: int
    assets: Any | None = None


@saveable
class type_(mixins.type_SaveLoad):
    get_prefab_type: Saved[int] = 1
    get_component_snapshots: Saved[int] = 1
    placement_id: Saved[int] = 1
    field: Saved[int] = 1
    f0: Annotated[str, Save("Literal")] = ""
    f1: Annotated[int, Save("UNSET")] = 1
    f2: Annotated[int, Save("UnsetType")] = 1
    f3: Annotated[int, Save("Annotated")] = 1
    f4: Annotated[int, Save("Meta")] = 1
    given: Saved[int] = 1
    type: Saved[int] = 1
    self: Saved[int] = 1
    assets: Saved[int] = 1
    f5: Annotated[int, Save("int")] = 1
    f6: Annotated[int, Save("str")] = 1
    f7: Annotated[float, Save("float")] = 1
    f8: Annotated[int, Save("list")] = 1
    f9: Annotated[int, Save("dict")] = 1
    f10: Annotated[int, Save("tuple")] = 1
    f11: Annotated[int, Save("object")] = 1
    data: Saved[it]
    it: Saved[Any]
    made: Saved[PrefabSerializer]
    _class: Saved[int] = 1
    __secret: Saved[int] = 1
    __mro: Annotated[int, Save("secret_mro")] = 1


@prefab
class Struct:
    """ "Quoted"

    A \\ backslash, a tab\tand \"\"\" quotes, ünïcödé and \U0001f409,
      an indented line, and a quote at the end"
    """

    component = part(type_)


@prefab
class Any_:
    '"""'

    component = part(type_)


@prefab
class Prefab:
    "ends with a backslash \\"

    component = part(type_)


@prefab
class PrefabInfo:
    "   "

    component = part(type_)


@prefab
class PREFABS:
    "A docstring of one line that is too long to be in one line of generated code, as it stands here."

    link = part(type_)
