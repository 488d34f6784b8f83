"""A mark whose name the file does not import marks no field."""

from __future__ import annotations

from collections import Counter
from typing import Annotated

from savegen import saveable

from _savegen.components.game import HeroSaveLoad


@saveable
class Hero(HeroSaveLoad):
    kills: Saved[Counter]
    hp: Annotated[int, Save(ge=0)] = 1
    mp: Annotated[int, "no mark"] = 1

    def __init__(self) -> None:
        self.kills = Counter()
        self.gold: Annotated[int, Save()] = 0
        self.forgotten = 1
