"""Names that something else has."""

import typing

import pygame.sprite as sg
import savegen

if typing.TYPE_CHECKING:
    from savegen import Saved, Savde


def group(sg: sg.Group) -> None:
    sg.add(savegen.__name__)


def shadowed(savegen: object) -> None:
    savegen.load()
