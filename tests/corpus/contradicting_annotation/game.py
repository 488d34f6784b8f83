"""A field is annotated twice: wherever the mark stands it holds, and the types must agree."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from savegen import Save, Saved, saveable

from _savegen.components.game import NpcSaveLoad, OrcSaveLoad


@saveable
class Orc(OrcSaveLoad):
    def __init__(self, name: str, rage: int) -> None:
        self.name: str = name
        self.rage: int = rage
        self.foe: Orc = self
        self.worth: int = 0
        self.anything: Any = 1
        self.bag: list[int] = []

    name: Saved[str]
    rage: Saved[float]
    foe: Saved[Orc | None]
    worth: Saved[str]
    anything: Saved[int]
    bag: Saved[list[str]]


@saveable
class Npc(NpcSaveLoad):
    made: ClassVar[int] = 0
    hp: Saved[int] = 3

    def __init__(self) -> None:
        self.hp: str = "3"
        self.mood: int = 2
        self.luck: float = 0.5

    def reset(self) -> None:
        self.mood: Annotated[int, Save("temper")] = 3
        self.luck: Saved[int] = 3
