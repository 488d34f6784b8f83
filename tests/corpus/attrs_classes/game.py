"""Saveable classes of attrs have values on no class, and their own `__setattr__`."""

from __future__ import annotations

import attr
import attrs
from attrs import define, field, frozen

from savegen import Saved, saveable

from _savegen.components.game import (
    ArrowSaveLoad,
    BowSaveLoad,
    OldSaveLoad,
    QuiverSaveLoad,
)


@saveable
@define
class Arrow(ArrowSaveLoad):
    length: Saved[float] = 1.0
    marks: Saved[list[int]] = field(factory=list)
    bent: bool = False


@saveable
@frozen
class Bow(BowSaveLoad):
    strength: Saved[int] = 3


@saveable
@attrs.define(slots=False)
class Quiver(QuiverSaveLoad):
    arrows: Saved[list[Arrow]] = attrs.field(factory=list)


@saveable
@attr.s(auto_attribs=True)
class Old(OldSaveLoad):
    age: Saved[int] = 0
