"""Shared things: never copied, saved by their id."""

from typing import Annotated

from pygame import Surface
from pygame.mixer import Sound

from savegen import Asset, Save, Saved, saveable

from _savegen.components.game import HeroSaveLoad

Image = Annotated[Surface, Asset()]


@saveable
class Hero(HeroSaveLoad):
    icon: Saved[Image]
    cry: Annotated[Sound | None, Save(editor=False), Asset()] = None
    frames: Saved[dict[str, list[Image]]]
