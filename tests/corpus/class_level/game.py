"""Marks at class level, with values and without, and all that is not marked."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Final

from savegen import Save, Saved, saveable

from _savegen.components.game import BareSaveLoad, EmptySaveLoad, TorchSaveLoad


@saveable(transient=("sprite",))
class Torch(TorchSaveLoad):
    """Burns."""

    with_value: Saved[float] = 1.0
    without_value: Saved[list[float]]
    annotated: Annotated[int, Save()] = 3
    uncalled: Annotated[int, Save] = 3
    among_others: Annotated[int, "a note", Save(), 3] = 3
    a_final: Final[Saved[int]] = 3

    # None of these is saved.
    unannotated = 0
    unmarked: int = 0
    other_notes: Annotated[int, "Save()"] = 0
    counter: ClassVar[int] = 0
    fuel: Saved[int] = 3
    _cache: dict[str, int]

    def __init__(self) -> None:
        self.without_value = []
        self.sprite: Any = None
        self._cache = {}

    def burn(self) -> None:
        smoke: Saved[int] = 3
        self.fuel -= smoke

    @property
    def bright(self) -> bool:
        return self.fuel > 0


@saveable
class Empty(EmptySaveLoad):
    """Saves nothing but that it is there."""


@saveable()
class Bare(BareSaveLoad):
    only: Saved[int] = 0
