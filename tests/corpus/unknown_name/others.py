"""Names that something else has."""

import typing

import pygame.sprite as sg
import savegen
from savegen import levels

if typing.TYPE_CHECKING:
    from savegen import Saved, Savde


def group(sg: sg.Group) -> None:
    sg.add(savegen.__name__)


def shadowed(savegen: object) -> None:
    savegen.load()


def checked() -> object:
    assert hasattr(levels, "newest")
    return levels.newest


levels.custom = 3
print(levels.custom, levels.quuz)
print(levels.quux)  # savegen: ignore[SG108]
