"""Types of the game that are called as generated code calls other things."""

from __future__ import annotations

from collections import deque as queue
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from savegen import Saved, saveable

from _savegen.components.game import (
    GoblinFieldsSaveLoad,
    GoblinSaveLoad,
    ReferencesSaveLoad,
    SaveLoadableSaveLoad,
)


class IntEnum(Enum):
    ONE = 1


class Any(NamedTuple):
    x: int = 0


@dataclass
class Mapping:
    inside: list[Any] = field(default_factory=list)


@dataclass
class deque:
    checks: IntEnum = IntEnum.ONE
    blank: list[int] = field(default_factory=list)


class Goblins:
    @dataclass
    class Checks:
        hp: int = 0


@dataclass
class Goblins_Checks:
    """In capitals it would be the same as the other."""

    hp: int = 0


@saveable
class References(ReferencesSaveLoad):
    any: Saved[Any] = Any()
    mapping: Saved[Mapping]
    enum: Saved[IntEnum] = IntEnum.ONE
    line: Saved[deque]
    queue: Saved[queue[deque]]
    checks: Saved[Goblins.Checks]
    more_checks: Saved[Goblins_Checks]


@saveable
class SaveLoadable(SaveLoadableSaveLoad):
    references: Saved[References | None] = None
    either: Saved[SaveLoadable | Mapping | None] = None


@saveable
class Goblin(GoblinSaveLoad):
    fields: Saved[GoblinFields | None] = None


@saveable
class GoblinFields(GoblinFieldsSaveLoad):
    goblin: Saved[Goblin | None] = None
