"""A mark inside a type, or one that is written wrongly, does not mark the field."""

from __future__ import annotations

from typing import Annotated, ClassVar, Optional

import savegen
from savegen import Save, Saved, saveable

from _savegen.components.game import HeroSaveLoad

Marked = Saved[int]
Opt = Saved[int] | None
Whole = Save[int]
Endless = list["Endless"]
Several = Saved[str, int]


@saveable(transient=("good_part", "plain", "hidden"))
class Hero(HeroSaveLoad):
    maybe: Saved[int] | None = None
    flat: None | Saved[int | str] = None
    optional: Optional[Saved[int]] = None
    inside: list[Saved[int]]
    dotted: dict[str, savegen.Saved[list[int]]]
    quoted: "Saved[int] | None" = None
    bare: Saved | None = None
    annotated: Annotated[int, Save(ge=0)] | None = None
    without: list[Annotated[int, Save(), "hp"]]
    subscript: Save[int] = 1
    call: Saved(int) = 1
    dotted_call: savegen.Saved(list[int])
    metadata: Annotated[int, Saved] = 1
    nested: Save[int] | None = None
    alias: Opt = None
    in_alias: list[Opt]
    alias_whole: Whole = 1
    class_variable: ClassVar[Saved[int]] = 0
    with_name: Save("health") = 1
    good_alias: Marked = 1
    good_part: Optional[Marked] = None
    endless: Saved[int] | Endless
    good: Saved[int | None] = None
    plain: Annotated[int, "Saved"] | None = None
    hidden: Save | None = None
    two: Saved[str, int] = ""
    with_limit: Saved[int, Save(ge=0)] = 0
    no_brackets: Saved[dict, str, int]
    behind_alias: Several = 0
    assigned = Saved[int]
    assigned_call = Save("health")
    assigned_annotated = Annotated[int, Save(ge=0)]
    default: int = Save()
    no_call: Save = 0

    def __init__(self) -> None:
        self.inside: list[int] = []
        self.in_method: Saved[int] | None = None
        self.assigned_in_method = Saved[int]

    @property
    def speed(self) -> Saved[float] | None:
        return 1.0

    @speed.setter
    def speed(self, value: float | None) -> None: ...
