"""Frozen classes of immutable things: the object itself is its own copy, in a list too."""

from __future__ import annotations

from dataclasses import KW_ONLY, InitVar, dataclass
from enum import Enum
from typing import ClassVar, NamedTuple

import attrs
import msgspec
from attrs import frozen

from savegen import Saved, saveable

from _savegen.components.game import MapSaveLoad


class Unit(Enum):
    METRE = 1
    FOOT = 2


@dataclass(frozen=True)
class Vec2:
    zero: ClassVar[Vec2]
    x: float = 0.0
    y: float = 0.0
    scale: InitVar[float] = 1.0


@dataclass(frozen=True, slots=True)
class Line:
    start: Vec2
    end: Vec2
    _: KW_ONLY
    unit: Unit = Unit.METRE


@dataclass(frozen=True)
class Thick(Line):
    width: float = 1.0


class Tile(NamedTuple):
    row: int
    column: int
    name: str | None = None


class Pair(tuple[int, int]):
    """Seen, although no field is declared to hold one."""


@frozen
class Corner:
    at: Vec2
    tags: frozenset[str] = frozenset()


@attrs.define(frozen=True)
class Crossing:
    tiles: tuple[Tile, ...]


class Mark(msgspec.Struct, frozen=True):
    at: Vec2
    note: str = ""


@dataclass(frozen=True)
class Path:
    """Leads to itself, and is a value all the same."""

    at: Vec2
    before: Path | None = None


@saveable
class Map(MapSaveLoad):
    origin: Saved[Vec2] = Vec2()
    line: Saved[Line]
    thick: Saved[Thick]
    tile: Saved[Tile] = Tile(0, 0)
    corner: Saved[Corner]
    crossing: Saved[Crossing]
    mark: Saved[Mark]
    path: Saved[Path | None] = None
    lines: Saved[list[Line]]
    named: Saved[dict[Tile, Vec2]]
    tiles: Saved[frozenset[Tile]] = frozenset()
