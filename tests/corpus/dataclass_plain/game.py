"""A dataclass: its defaults may stand on the class, or be made for each object."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Annotated, ClassVar

from savegen import Save, Saved, saveable

from _savegen.components.game import GoblinSaveLoad, MonsterSaveLoad


@saveable
@dataclass
class Monster(MonsterSaveLoad):
    count: ClassVar[int] = 0
    hp: Saved[int]
    name: Saved[str] = ""
    trail: Saved[list[tuple[int, int]]] = field(default_factory=list)
    loot: Annotated[dict[str, int], Save(editor=False)] = dataclasses.field(
        default_factory=dict, repr=False
    )
    speed: float = 1.0


@saveable
@dataclass(eq=False)
class Goblin(GoblinSaveLoad, Monster):
    gold: Saved[int] = 0
    friends: Saved[list[Goblin]] = field(default_factory=list)
