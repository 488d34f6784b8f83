"""The settings of the player. They belong to no level, so they are a saveable object on its own."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Annotated, Literal

from savegen import Save, Saved, saveable

from sample_game._savegen.components.settings import SettingsSaveLoad


class Action(Enum):
    """An action that a key can be bound to."""

    JUMP = "jump"
    FIRE = "fire"
    PAUSE = "pause"


@saveable
@dataclass(kw_only=True)
class Settings(SettingsSaveLoad):
    """All settings of the menu."""

    volume: Annotated[int, Save(ge=0, le=100)] = 80  # percent
    language: Saved[Literal["en", "de", "pl"]] = "en"
    window: Saved[tuple[int, int]] = (1280, 720)
    frame_limit: Saved[int | Literal["unlimited"]] = 60
    subtitles: Saved[bool] = True
    screenshots: Saved[Path] = Path("screenshots")
    keys: Saved[dict[Action, list[str]]] = field(
        default_factory=lambda: {Action.JUMP: ["space"], Action.FIRE: ["x"]}
    )
    buttons: Saved[dict[Action, str]] = field(default_factory=dict)  # of a gamepad

    def bind(self, action: Action, key: str) -> None:
        """Bind a key to an action, in place of its previous one."""
        for names in self.keys.values():
            if key in names:
                names.remove(key)
        self.keys.setdefault(action, []).append(key)
