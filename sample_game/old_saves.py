"""Converters and migrations for saves of older versions. Loads find and call them.

Renamed classes and fields carry `was=` where they are declared; new fields have defaults.
"""

from __future__ import annotations

from savegen import converter, migration
from savegen.saves import RawSave

from sample_game.settings import Settings
from sample_game.weapons import PlayerGun


@migration(to=1)
def gamepads_have_buttons(save: RawSave) -> None:
    """Keep the only button of a gamepad that older versions could bind: the one for jumping."""
    for settings in save["Settings"]:
        button = settings.pop("gamepad")
        settings["buttons"] = {} if button is None else {"JUMP": button}


@migration(to=2, handles=["Enemy.Mood.PATROL"])
def enemies_on_patrol_are_on_guard(save: RawSave) -> None:
    """Rename the enum member PATROL to GUARD."""
    for name in "Bat", "Goblin", "GoblinChief":
        for enemy in save[name]:
            if enemy["mood"] == "PATROL":
                enemy["mood"] = "GUARD"


@converter(Settings, "volume")
def in_percent(volume: float) -> int:
    """Convert the volume, which was a fraction from 0 to 1, to percent."""
    return round(volume * 100)


@converter(Settings, "scale")
def to_scale(window: tuple[int, int]) -> int:
    """Convert the size of the window, which could be any, to a scale."""
    width, _ = window
    return min(max(1, round(width / 640)), 3)


@converter(PlayerGun, "wait")
def until_ready(ready: bool) -> int:
    """Convert whether the gun was ready to the frames until it is."""
    return 0 if ready else PlayerGun.PAUSE
