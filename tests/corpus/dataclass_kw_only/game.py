"""Keyword-only fields are fields like others; markers of dataclasses are none."""

from __future__ import annotations

from dataclasses import KW_ONLY, InitVar, dataclass, field

from savegen import Saved, saveable

from _savegen.components.game import DoorSaveLoad, SettingsSaveLoad


@saveable
@dataclass(kw_only=True)
class Settings(SettingsSaveLoad):
    volume: Saved[float] = 0.8
    keys: Saved[dict[str, str]]


@saveable
@dataclass
class Door(DoorSaveLoad):
    width: Saved[int]
    _: KW_ONLY
    colour: Saved[str] = "red"
    locked: Saved[bool] = field(default=False, kw_only=True)
    scale: InitVar[float] = 1.0

    def __post_init__(self, scale: float) -> None:
        self.width = int(self.width * scale)
