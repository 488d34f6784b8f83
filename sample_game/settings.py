"""What the player chose in the menu. It stands alone: it belongs to no level."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Annotated, Literal

from savegen import Save, Saved, saveable

from sample_game._savegen.components.settings import SettingsSaveLoad


class Action(Enum):
    """What a key can be bound to."""

    JUMP = "jump"
    FIRE = "fire"
    PAUSE = "pause"


@saveable
@dataclass(kw_only=True)
class Settings(SettingsSaveLoad):
    """The whole settings menu."""

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
        """Let a key do something, and nothing else."""
        for names in self.keys.values():
            if key in names:
                names.remove(key)
        self.keys.setdefault(action, []).append(key)
