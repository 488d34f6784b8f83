"""What is done around saving leaves no trace in the mixin; what is transient is not saved."""

from __future__ import annotations

from typing import Any

from savegen import Activation, Saved, before_save, on_activate, on_deactivate, saveable

from _savegen.components.game import LampSaveLoad


@saveable(transient=("glow", "sprite"))
class Lamp(LampSaveLoad):
    lit: Saved[bool] = False
    glow = 0.0

    def __init__(self) -> None:
        self.sprite: Any = None

    @before_save
    def tidy(self) -> None:
        self.glow = 0.0

    @on_activate
    def wake(self, reason: Activation) -> None:
        self.sprite = str(reason)

    @on_deactivate
    def sleep(self) -> None:
        self.sprite = None
