"""A game with a field of every type, in every position: classes made of the specimens."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from tests.specimens import CLASSES, FOE_BODY, FUNCTIONS, SPECIMENS, Specimen
from tests.soaking import SOAKING

PYPROJECT = """
[tool.savegen]
source = ["game"]

[tool.savegen.codecs]
"game.plain.Hex" = "game.codecs:HexCodec.whole"
"""

CODECS = """
from game.plain import Hex

class HexCodec:
    def copy(self, value):
        return Hex(value.q, value.r)

    def encode(self, value):
        return {"q": value.q, "r": value.r}

    def decode(self, data):
        return Hex(**data)

HexCodec.whole = HexCodec()
"""

LIBRARIES = """
from __future__ import annotations
from array import array
from collections import Counter, OrderedDict, defaultdict, deque
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum, Flag, IntEnum, IntFlag, StrEnum
from fractions import Fraction
from pathlib import PurePath, PurePosixPath, PureWindowsPath
import pathlib
from typing import Literal, NamedTuple, NewType, NotRequired, Protocol, TypedDict
from uuid import UUID
import weakref

from types import ModuleType
from typing import Annotated, Any
import random

import arcade
import attrs
import msgspec
import numpy as np
import numpy.typing as npt
import pyglet.math
import pygame
from panda3d.core import LPoint2i, Mat4, Quat, Vec3

from game._savegen.types import PrefabType
from game.foes import Beast, Door, Foe
from savegen import Asset, Method

class Hex:
    def __init__(self, q, r):
        self.q, self.r = q, r
"""
PLAIN = LIBRARIES + CLASSES

FOES = """
from savegen import Saved, saveable
from game._savegen.components.foes import DoorSaveLoad, FoeSaveLoad

class Beast:
    pass

@saveable
class Foe(FoeSaveLoad, Beast):
%s
class Pup(Foe):
    pass

@saveable
class Door(DoorSaveLoad):
    hp: Saved[int] = 9
""" % FOE_BODY

HEAD = """
from array import array
from collections import Counter, OrderedDict, defaultdict, deque
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from pathlib import PurePath, PurePosixPath, PureWindowsPath
from typing import Annotated, Any, Literal
from uuid import SafeUUID, UUID
from zoneinfo import ZoneInfo
import math
import pathlib
import struct
import weakref

from types import ModuleType
import random

import arcade
import attrs
import msgspec
import numpy as np
import numpy.typing as npt
import pyglet.math
import pygame
from panda3d.core import LPoint2i, Mat4, Quat, Vec3

from game._savegen.types import PrefabType
from savegen import Asset, Method, Save, Saved, saveable
from game.foes import Beast, Door, Foe, Pup
from game.plain import *

class Box(pygame.FRect):
    pass

""" + FUNCTIONS


# -- what stands around a type


class Wrapper(NamedTuple):
    """A type around the specimen's, and an expression for its values."""

    type: str
    value: str  # around `{a}`, which comes first, and `{b}`
    place: str  # of `{b}`, as errors tell it
    hashed: bool = False


WRAPPERS = {
    "bare": Wrapper("{type}", "{b}", ""),
    "optional": Wrapper("{type} | None", "{b}", ""),
    "in_list": Wrapper("list[{type}]", "[{a}, {b}]", "[1]"),
    "in_dict": Wrapper("dict[str, {type}]", "{{'a': {a}, 'b': {b}}}", "['b']"),
    "in_tuple": Wrapper("tuple[{type}, int]", "({b}, 1)", "[0]"),
    "in_record": Wrapper("{record}", "{make}", ".it"),
    "in_set": Wrapper("set[{type}]", "{{{a}, {b}}}", "{}", hashed=True),
    "as_key": Wrapper("dict[{type}, list[int]]", "{{{b}: [1]}}", " key", hashed=True),
}

_RECORDS = (
    "@dataclass\nclass {name}:\n    it: {type}\n    more: list[int]\n",
    "@dataclass(slots=True)\nclass {name}:\n    it: {type}\n    more: list[int]\n",
    "@dataclass(frozen=True)\nclass {name}:\n    it: {type}\n    more: list[int]\n",
    "@attrs.define\nclass {name}:\n    it: {type}\n    more: list[int]\n",
    "@attrs.frozen\nclass {name}:\n    it: {type}\n    more: list[int]\n",
    "class {name}(msgspec.Struct):\n    it: {type}\n    more: list[int]\n",
    "class {name}(msgspec.Struct, frozen=True):\n    it: {type}\n    more: list[int]\n",
    "class {name}(NamedTuple):\n    it: {type}\n    more: list[int]\n",
)


def record_name(key: str) -> str:
    return "In" + key.title().replace("_", "")


def _records() -> Iterator[str]:
    for place, (key, specimen) in enumerate(SPECIMENS.items()):
        text = _RECORDS[place % len(_RECORDS)]
        yield text.format(name=record_name(key), type=specimen.type)


class Field(NamedTuple):
    """A field of one of the classes: a specimen's type inside a wrapper."""

    name: str
    key: str
    specimen: Specimen
    wrapper: Wrapper

    @property
    def type(self) -> str:
        record = record_name(self.key)
        return self.wrapper.type.format(type=self.specimen.type, record=record)

    def value(self, turn: int) -> str:
        """Return an expression for a new value; another one at each turn, in a circle."""
        if turn % 3 == 2 and self.wrapper is WRAPPERS["optional"]:
            return "None"
        hashed = self.wrapper.hashed
        values = self.specimen.values if hashed else self.specimen.all
        first, second = values[turn % len(values)], values[(turn + 1) % len(values)]
        return self.around(first, second)

    def around(self, first: str, second: str) -> str:
        make = f"{record_name(self.key)}({second}, [1])"
        return self.wrapper.value.format(a=first, b=second, make=make)


def fields(wrapper: str) -> list[Field]:
    """Return a field for each specimen that the wrapper can be put around."""
    chosen = WRAPPERS[wrapper]
    return [
        Field(f"f_{key}", key, specimen, chosen)
        for key, specimen in SPECIMENS.items()
        if specimen.hashable or not chosen.hashed
        if key != "none" or wrapper != "optional"
    ]


# -- where a field stands


def _plain(body: str) -> Callable[[str, list[Field]], str]:
    def text(name: str, fields: list[Field]) -> str:
        lines = "".join(body.format(f=f, default=f.value(0)) for f in fields)
        return f"class {name}({name}SaveLoad):\n{lines}"

    return text


def _decorated(decorator: str) -> Callable[[str, list[Field]], str]:
    return lambda name, fields: f"{decorator}\n" + DECLARED(name, fields)


def _slots(name: str, fields: list[Field]) -> str:
    slots = ", ".join(f'"{field.name}"' for field in fields)
    return f"{DECLARED(name, fields)}    __slots__ = ({slots},)\n"


def _in_init(name: str, fields: list[Field]) -> str:
    assigned = "".join(
        f'        self.{f.name}: Annotated[{f.type}, Save()] = values["{f.name}"]\n'
        for f in fields
    )
    return (
        f"class {name}({name}SaveLoad):\n    def __init__(self, **values):\n{assigned}"
    )


def _inherited(name: str, fields: list[Field]) -> str:
    base = name.replace("Inherited", "Declared")
    bases = f"{name}SaveLoad, game.declared.{base}"
    return f"class {name}({bases}):\n    own: Saved[list[int]]\n"


def _inherited_init(name: str, fields: list[Field]) -> str:
    base = name.replace("InheritedInit", "InInit")
    return f"class {name}({name}SaveLoad, game.in_init.{base}):\n    pass\n"


DECLARED = _plain("    {f.name}: Saved[{f.type}]\n")

# Neighbours, three of them, are played by one process.
POSITIONS = {
    "declared": DECLARED,
    "dataclass": _decorated("@dataclass"),
    "attrs": _decorated("@attrs.define"),
    "defaulted": _plain("    {f.name}: Saved[{f.type}] = {default}\n"),
    "slots_dataclass": _decorated("@dataclass(slots=True)"),
    "frozen_slots": _decorated("@dataclass(frozen=True, slots=True, kw_only=True)"),
    "frozen_dataclass": _decorated("@dataclass(frozen=True, eq=False)"),
    "frozen_attrs": _decorated("@attrs.frozen"),
    "slots": _slots,
    "in_init": _in_init,
    "inherited": _inherited,
    "inherited_init": _inherited_init,
}

# What is written for a type inside another is the same wherever it stands; what differs is how
# whole fields are got and set, which `bare` tries of every type. Each of these positions takes
# a third of the others, so that every type in every wrapper is in two of them at least, one of
# them frozen, and in `declared`. Defaults and inheritance are tried with few of the wrappers.
# `make soak` takes all of them in all.
THIRDS = (
    *("dataclass", "slots_dataclass", "attrs"),
    *("frozen_dataclass", "frozen_slots", "frozen_attrs"),
    *("slots", "in_init"),
)

FEW = ("bare", "optional", "in_tuple")
CASES = [
    f"{position}/{wrapper}"
    for position in POSITIONS
    for wrapper in WRAPPERS
    if wrapper in FEW
    or position not in ("defaulted", "inherited", "inherited_init")
    or (SOAKING and position != "defaulted")
]


def _third(position: str, wrapper: str, found: list[Field]) -> list[Field]:
    if position not in THIRDS or wrapper == "bare" or SOAKING:
        return found
    first = (THIRDS.index(position) + list(WRAPPERS).index(wrapper)) % 3
    return found[first::3]


def class_name(position: str, wrapper: str) -> str:
    return f"{position}_{wrapper}".title().replace("_", "")


def fields_of(position: str, wrapper: str) -> list[Field]:
    """Return the fields of a case; as a default stands only what no object can change."""
    base = "in_init" if position == "inherited_init" else position
    found = _third(base, wrapper, fields(wrapper))
    if position == "inherited":
        return [*found, Field("own", "list", SPECIMENS["list"], WRAPPERS["bare"])]
    if position != "defaulted":
        return found
    return [field for field in found if field.specimen.fixed]


def _module(position: str) -> str:
    wrappers = [
        case.partition("/")[2] for case in CASES if case.startswith(f"{position}/")
    ]
    names = [class_name(position, wrapper) for wrapper in wrappers]
    mixins = ", ".join(f"{name}SaveLoad" for name in names)
    classes = [
        "@saveable\n" + POSITIONS[position](name, fields_of(position, wrapper))
        for name, wrapper in zip(names, wrappers, strict=True)
    ]
    imports = f"from game._savegen.components.{position} import {mixins}\n"
    bases = "import game.declared\nimport game.in_init\n" * ("inherited" in position)
    return "\n".join([HEAD, imports, bases, *classes])


def files() -> dict[str, str]:
    """Return the whole game, by path."""
    modules = {f"game/{position}.py": _module(position) for position in POSITIONS}
    return {
        "pyproject.toml": PYPROJECT,
        "game/__init__.py": "",
        "game/plain.py": "\n".join([PLAIN, *_records()]),
        "game/codecs.py": CODECS,
        "game/foes.py": FOES,
        **modules,
    }
