"""How saves of older versions become today's: nothing here is called, a load finds it.

Renamed classes and fields say so where they are (`was=`), and new ones have their defaults.
"""

from __future__ import annotations

from savegen import converter, migration
from savegen.saves import RawSave

from sample_game.settings import Settings


@migration(to=1)
def gamepads_have_buttons(save: RawSave) -> None:
    """Keep the one button of a gamepad that could be chosen: for jumping."""
    for settings in save["Settings"]:
        button = settings.pop("gamepad")
        settings["buttons"] = {} if button is None else {"JUMP": button}


@migration(to=2, handles=["Enemy.Mood.PATROL"])
def enemies_on_patrol_are_on_guard(save: RawSave) -> None:
    """Rename a member of an enumeration."""
    for name in "Bat", "Goblin", "GoblinChief":
        for enemy in save[name]:
            if enemy["mood"] == "PATROL":
                enemy["mood"] = "GUARD"


@converter(Settings, "volume")
def in_percent(volume: float) -> int:
    """The volume went from 0 to 1."""
    return round(volume * 100)
