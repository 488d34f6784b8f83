"""A frozen dataclass is filled around its own `__setattr__`."""

from __future__ import annotations

from dataclasses import dataclass

from savegen import Saved, saveable

from _savegen.components.game import BadgeSaveLoad, OwnerSaveLoad, SealSaveLoad


@saveable
@dataclass(frozen=True)
class Badge(BadgeSaveLoad):
    number: Saved[int]
    names: Saved[tuple[str, ...]] = ()
    owner: Saved[Owner | None] = None
    note: str = ""


@saveable
@dataclass(frozen=True, slots=True)
class Seal(SealSaveLoad):
    marks: Saved[list[int]]


@saveable
class Owner(OwnerSaveLoad):
    """Guards its attributes itself."""

    name: Saved[str] = ""

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(name)
