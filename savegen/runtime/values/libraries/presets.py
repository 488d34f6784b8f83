"""Codecs and initialisers that generated code uses for pygame-ce, panda3d and arcade.

This module imports none of these libraries before the game does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any


class Sequence:
    """The codec of values that are sequences of numbers: vectors, rectangles, colours, quaternions.

    >>> codec = Sequence(range)
    >>> codec.encode(codec.decode((1, 4)))
    (1, 2, 3)
    """

    is_per_class = True  # generated code creates one codec for each class

    def __init__(self, cls: Any) -> None:
        self._class = cls

    def encode(self, value: Any, /) -> tuple[Any, ...]:
        return tuple(value)

    def decode(self, data: Iterable[Any], /) -> Any:
        return self._class(*data)


class Value(Sequence):
    """The codec of classes whose objects are immutable sequences of numbers."""


class Matrix(Sequence):
    """The codec of matrices, which are stored row by row."""

    def encode(self, value: Any, /) -> tuple[Any, ...]:
        return tuple(cell for row in value for cell in row)


# -- initialisers of arcade sprites, whose `__init__` needs arguments; the load then sets the fields


def prepare_basic_sprite(sprite: Any) -> None:
    """Initialise an `arcade.BasicSprite` with arcade's default texture."""
    from arcade import BasicSprite
    from arcade.texture import get_default_texture

    BasicSprite.__init__(sprite, get_default_texture())


def prepare_solid_color(sprite: Any) -> None:
    """Initialise an `arcade.SpriteSolidColor` of one pixel."""
    from arcade import SpriteSolidColor

    SpriteSolidColor.__init__(sprite, 1, 1)


def prepare_circle(sprite: Any) -> None:
    """Initialise an `arcade.SpriteCircle` of one pixel."""
    from arcade import SpriteCircle

    SpriteCircle.__init__(sprite, 1, (255, 255, 255, 255))


# -- attributes of the libraries' sprites, for the search for attributes that a load would lose

SPRITE_LIBRARIES = ("arcade", "pygame")  # setting their properties has no side effects
# Private attributes that the library sets when the game sets others, or adds a sprite to a group.
REBUILT: Mapping[str, tuple[str, ...]] = {
    "pygame.sprite.Sprite": ("_Sprite__g",),
    "pygame.sprite.DirtySprite": ("dirty",),
    "arcade.sprite.base.BasicSprite": (
        *("_height", "_hit_box", "_width", "physics_engines", "pymunk"),
        *("sprite_lists", "textures"),
    ),
}
LAYER = "_layer"  # of a sprite of pygame: a group with layers sets it, and saves it
# Attributes whose values are the same only if they are one object.
COMPARED_BY_IDENTITY = frozenset(["_texture"])


# -- values of the libraries, wherever they stand, and subclasses of their classes

# By module: the beginnings of the names of classes whose values are sequences of numbers.
VALUES: Mapping[str, tuple[str, ...]] = {
    "pygame.math": ("Vector2", "Vector3"),
    "pygame.rect": ("Rect", "FRect"),
    "pygame.color": ("Color",),
    "pyglet.math": ("Vec2", "Vec3", "Vec4"),
    "panda3d.core": (
        *("LVecBase", "LVector", "LPoint", "LQuaternion", "LRotation"),
        *("LOrientation", "LColor", "LTexCoord"),
    ),
}


def stored_type_of(cls: type) -> str:
    """Return the stored type of a value class of a library; "" for any other class."""
    name = cls.__name__
    if not name.startswith(VALUES.get(cls.__module__, ("\0",))):
        return ""
    number = "float"
    if cls.__module__.startswith("pyglet"):
        number = "union<int | float>"
    elif name in ("Rect", "Color") or name.endswith("i"):
        number = "int"
    return f"codec {cls.__module__}.{name}<tuple<{number}>>"


def is_value(cls: type) -> bool:
    """Return whether a class is a value class of a library, which `copy` copies."""
    names = VALUES.get(cls.__module__, ()) + ("LMatrix",)
    return cls.__module__ in VALUES and cls.__name__.startswith(names)


def content_of(label: str, value: Any) -> Any:
    """Return a value of a subclass of a library's class as a value of the class itself."""
    base = _base_of(label, type(value))
    numbers = base.__iter__(value) if hasattr(base, "__iter__") else _items(base, value)
    return base(*numbers)


def made_as(label: str, cls: Any, plain: Any) -> Any:
    """Return a value of a subclass of a library's class; its own `__init__` does not run."""
    base = _base_of(label, cls)
    made = base.__new__(cls, *plain) if isinstance(plain, tuple) else base.__new__(cls)
    base.__init__(made, *plain)
    return made


def _items(base: Any, value: Any) -> list[Any]:
    return [base.__getitem__(value, n) for n in range(base.__len__(value))]


def _base_of(label: str, cls: type) -> Any:
    name = label.rpartition(".")[2]
    return next(base for base in cls.__mro__[1:] if base.__name__ == name)
