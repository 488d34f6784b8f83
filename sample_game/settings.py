"""The settings of the player. They belong to no world: all slots share them."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Annotated, Literal

from savegen import Save, Saved, saveable

from sample_game._savegen.components.settings import SettingsSaveLoad


class Action(Enum):
    """An action that a key can be bound to."""

    LEFT = "left"
    RIGHT = "right"
    UP = "up"
    DOWN = "down"
    JUMP = "jump"
    FIRE = "fire"
    REWIND = "rewind"
    PAUSE = "pause"


def usual_keys() -> dict[Action, list[str]]:
    """Return the keys, by pygame's names."""
    return {
        Action.LEFT: ["left", "a"],
        Action.RIGHT: ["right", "d"],
        Action.UP: ["up", "w"],
        Action.DOWN: ["down", "s"],
        Action.JUMP: ["space"],
        Action.FIRE: ["x"],
        Action.REWIND: ["r"],
        Action.PAUSE: ["escape"],
    }


@saveable
@dataclass(kw_only=True)
class Settings(SettingsSaveLoad):
    """All settings of the menu."""

    volume: Annotated[int, Save(ge=0, le=100)] = 80  # percent
    sounds: Saved[bool] = True
    subtitles: Saved[bool] = True
    scale: Annotated[int, Save(was="window", ge=1, le=3)] = 2  # × 640 by 360 pixels
    frame_limit: Saved[int | Literal["unlimited"]] = 60
    keys: Saved[dict[Action, list[str]]] = field(default_factory=usual_keys)
    buttons: Saved[dict[Action, str]] = field(default_factory=dict)  # of a gamepad

    def bind(self, action: Action, key: str) -> None:
        """Bind a key to an action, in place of its previous one."""
        for names in self.keys.values():
            if key in names:
                names.remove(key)
        self.keys.setdefault(action, []).append(key)
