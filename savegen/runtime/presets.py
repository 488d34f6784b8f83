"""Codecs for values of other libraries, and what prepares objects of their classes.

Generated code names them; none of the libraries is imported before a game has.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


class Sequence:
    """Values that are made of their members: vectors, rectangles, colours, quaternions.

    >>> codec = Sequence(range)
    >>> codec.encode(codec.decode((1, 4)))
    (1, 2, 3)
    """

    of_class = True  # made for each class that it is named for

    def __init__(self, cls: Any) -> None:
        self._class = cls

    def encode(self, value: Any, /) -> tuple[Any, ...]:
        return tuple(value)

    def decode(self, data: Iterable[Any], /) -> Any:
        return self._class(*data)


class Value(Sequence):
    """Values like these that cannot change."""


class Matrix(Sequence):
    """Matrices, taken apart row by row."""

    def encode(self, value: Any, /) -> tuple[Any, ...]:
        return tuple(cell for row in value for cell in row)


# -- objects of arcade's classes whose `__init__` wants arguments; fields are set later


def prepare_basic_sprite(sprite: Any) -> None:
    """Prepare an `arcade.BasicSprite` with arcade's default texture."""
    from arcade import BasicSprite
    from arcade.texture import get_default_texture

    BasicSprite.__init__(sprite, get_default_texture())


def prepare_solid_color(sprite: Any) -> None:
    """Prepare an `arcade.SpriteSolidColor` of one pixel."""
    from arcade import SpriteSolidColor

    SpriteSolidColor.__init__(sprite, 1, 1)


def prepare_circle(sprite: Any) -> None:
    """Prepare an `arcade.SpriteCircle` of one pixel."""
    from arcade import SpriteCircle

    SpriteCircle.__init__(sprite, 1, (255, 255, 255, 255))
