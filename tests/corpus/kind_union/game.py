"""Optionals and unions: what must be copied is told apart, the rest passes as it is."""

from __future__ import annotations

from array import array
from collections import Counter, OrderedDict, defaultdict, deque
from dataclasses import dataclass, field
from enum import Enum
from typing import Literal, Optional, Union

from savegen import Saved, saveable

from _savegen.components.game import DoorSaveLoad


class Colour(Enum):
    RED = "red"


@dataclass(frozen=True)
class Point:
    x: int = 0


@dataclass
class Bolt:
    length: float = 1.0
    marks: list[int] = field(default_factory=list)


@dataclass
class Chain:
    links: int = 0


@saveable
class Door(DoorSaveLoad):
    # Nothing to copy.
    maybe: Saved[int | None] = None
    optional: Saved[Optional[str]] = None
    either: Saved[int | str | float] = 0
    union: Saved[Union[int, str, None]] = None
    same: Saved[Union[int, int]] = 0
    nested: Saved[Optional[Union[int, Optional[str]]]] = None
    limit: Saved[int | Literal["unlimited"]] = 0
    colour: Saved[Colour | str] = ""
    point: Saved[Point | tuple[int, int] | None] = None

    # One member to copy.
    names: Saved[list[str] | None] = None
    name_or_names: Saved[str | list[str]] = ""
    bolt: Saved[Bolt | None] = None
    bolt_or_name: Saved[Bolt | str] = ""

    # Several.
    bolt_or_chain: Saved[Bolt | Chain]
    all_of_it: Saved[
        list[int]
        | dict[str, int]
        | set[int]
        | deque[int]
        | bytearray
        | array[int]
        | Counter[str]
        | OrderedDict[str, int]
        | defaultdict[str, int]
        | tuple[list[int], ...]
        | None
    ] = None
    door_or_name: Saved[Door | str] = ""
    doors_or_bolt: Saved[list[Door] | Bolt | Door | None] = None
    fixtures: Saved[list[Bolt | Chain | None]]
    by_part: Saved[dict[str, list[int] | str]]
    rows_or_row: Saved[list[int] | tuple[int, list[int]]]
