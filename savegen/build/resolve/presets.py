"""Codecs, base classes and transient types of game libraries, without importing them.

tests/build/test_presets.py compares every entry with the libraries.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from savegen.build.kinds import DeclaredCodec

_RUNTIME = "savegen.runtime.values.libraries.presets"


class SpritePicture(NamedTuple):
    """How sprites of one base class hold their picture."""

    attribute: str
    # The methods of the base class that assign it.
    setters: frozenset[str] = frozenset()
    is_argument: bool = False  # of the constructor of the base class


class Library(NamedTuple):
    """The types of one library, by the names under which games import them."""

    codecs: Mapping[str, DeclaredCodec] = {}
    bases: Mapping[str, str | bool] = (
        {}
    )  # True: `__init__()`; False: none; else the initialiser
    properties: Mapping[str, frozenset[str]] = {}  # by base class
    # Properties without a setter, by base class.
    read_only: Mapping[str, frozenset[str]] = {}
    # Groups of properties. savegen does not report a property as forgotten if another of its
    # group is saved.
    state: tuple[frozenset[str], ...] = ()
    transient: frozenset[str] = frozenset()  # types, and functions that return them
    pictures: Mapping[str, SpritePicture] = {}  # by base class


def preset_name_of(name: str) -> str | None:
    """Return the preset for the package of a dotted name, or None.

    >>> preset_name_of("pygame.math.Vector2"), preset_name_of("mygame.Vec2")
    ('pygame-ce', None)
    """
    return _PACKAGES.get(name.partition(".")[0])


_PACKAGES = {
    "pygame": "pygame-ce",
    "panda3d": "panda3d",
    "direct": "panda3d",
    "arcade": "arcade",
    "pyglet": "arcade",
    "numpy": "numpy",
}


def _in_module(module: str, names: str) -> list[str]:
    return [f"{module}.{name}" for name in names.split()]


def _in_both(package: str, module: str, names: str) -> list[str]:
    """Return the names that objects have in a package, and in the module that defines them."""
    return _in_module(package, names) + _in_module(f"{package}.{module}", names)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# -- pygame-ce

_SEQUENCE_CODEC = DeclaredCodec(f"{_RUNTIME}:Sequence", hashable=False)
_SPRITE_PROPERTIES = _words("image layer rect")

_PYGAME = Library(
    codecs={
        **dict.fromkeys(_in_both("pygame", "math", "Vector2 Vector3"), _SEQUENCE_CODEC),
        **dict.fromkeys(_in_both("pygame", "rect", "Rect FRect"), _SEQUENCE_CODEC),
        **dict.fromkeys(_in_both("pygame", "color", "Color"), _SEQUENCE_CODEC),
    },
    bases=dict.fromkeys(_in_module("pygame.sprite", "Sprite DirtySprite"), True),
    properties={
        "pygame.sprite.Sprite": _SPRITE_PROPERTIES,
        "pygame.sprite.DirtySprite": _SPRITE_PROPERTIES | {"visible"},
    },
    pictures=dict.fromkeys(
        _in_module("pygame.sprite", "Sprite DirtySprite"), SpritePicture("image")
    ),
    state=(_words("rect"), _words("layer _layer"), _words("visible")),
    transient=frozenset(
        [
            *_in_both("pygame", "surface", "Surface"),
            *_in_both("pygame", "mask", "Mask"),
            *_in_module("pygame", "Channel Clock Font Joystick Sound Window"),
            *_in_module("pygame.display", "get_surface set_mode"),
            *_in_module("pygame.font", "Font SysFont"),
            *_in_module("pygame.freetype", "Font SysFont"),
            *_in_module("pygame.image", "load"),
            *_in_module("pygame.joystick", "Joystick"),
            *_in_module("pygame.mask", "from_surface"),
            *_in_module("pygame.mixer", "Channel Sound find_channel"),
            *_in_module("pygame.sprite", "AbstractGroup Group GroupSingle"),
            *_in_module("pygame.sprite", "LayeredDirty LayeredUpdates"),
            *_in_module("pygame.sprite", "OrderedUpdates RenderUpdates"),
            *_in_module("pygame.time", "Clock"),
            *_in_module(
                "pygame.transform", "flip grayscale rotate rotozoom scale scale2x"
            ),
            *_in_module("pygame.transform", "chop scale_by smoothscale smoothscale_by"),
        ]
    ),
)

# -- arcade, and pyglet, on which it is built

_VALUE_CODEC = DeclaredCodec(f"{_RUNTIME}:Value", immutable=True)
_BASIC_PROPERTIES = _words(
    "alpha bottom center_x center_y color depth height hit_box left position rect rgb right"
    " scale scale_x scale_y size texture top visible width"
)
_ALL_PROPERTIES = _BASIC_PROPERTIES | _words(
    "angle change_x change_y properties radians velocity"
)
_SPRITES = [
    *_in_both("arcade", "sprite", "Sprite SpriteCircle SpriteSolidColor"),
    *_in_both("arcade", "sprite", "TextureAnimationSprite"),
    "arcade.sprite.sprite.Sprite",
]
_BASIC_SPRITES = _in_both("arcade", "sprite", "BasicSprite")

_ARCADE = Library(
    codecs=dict.fromkeys(
        [
            *_in_module("pyglet.math", "Mat3 Mat4 Quaternion Vec2 Vec3 Vec4"),
            *_in_both("arcade", "math", "Rect Vec2 Vec3"),
            *_in_both("arcade.types", "color", "Color"),
            *_in_both("arcade.types", "rect", "Rect"),
        ],
        _VALUE_CODEC,
    ),
    bases={
        **dict.fromkeys(_SPRITES, True),
        **dict.fromkeys(
            _in_both("arcade", "sprite", "SpriteCircle"),
            f"{_RUNTIME}:prepare_circle",
        ),
        **dict.fromkeys(
            _in_both("arcade", "sprite", "SpriteSolidColor"),
            f"{_RUNTIME}:prepare_solid_color",
        ),
        **dict.fromkeys(_BASIC_SPRITES, f"{_RUNTIME}:prepare_basic_sprite"),
    },
    properties={
        **dict.fromkeys(_SPRITES, _ALL_PROPERTIES),
        **dict.fromkeys(
            _in_both("arcade", "sprite", "TextureAnimationSprite"),
            _ALL_PROPERTIES | {"animation", "time"},
        ),
        **dict.fromkeys(_BASIC_SPRITES, _BASIC_PROPERTIES),
    },
    read_only={
        **dict.fromkeys(_SPRITES, frozenset(["rect"])),
        **dict.fromkeys(_BASIC_SPRITES, frozenset(["hit_box", "rect"])),
    },
    pictures=dict.fromkeys(
        [*_in_both("arcade", "sprite", "Sprite BasicSprite"), _SPRITES[-1]],
        SpritePicture("texture", _words("set_texture"), is_argument=True),
    ),
    state=(
        _words("position center_x center_y left right top bottom"),
        _words("angle radians"),
        _words("scale scale_x scale_y size width height"),
        _words("velocity change_x change_y"),
        _words("color alpha rgb"),
        _words("visible"),
        _words("depth"),
    ),
    transient=frozenset(
        _in_module("arcade.camera", "Camera2D")
        + _in_module("arcade.gui", "UIManager")
        + _in_module(
            "arcade",
            "Camera2D PhysicsEnginePlatformer PhysicsEngineSimple PymunkPhysicsEngine Scene"
            " Sound SpriteList Text Texture TileMap load_sound load_spritesheet"
            " load_texture load_tilemap",
        )
    ),
)

# -- panda3d


def _vectors() -> Iterator[str]:
    """Yield the names of the vectors, points, quaternions and colours of panda3d."""
    for size in "234":
        for base in ("LVecBase", "LVector", "LPoint"):
            yield from (f"{base}{size}{letter}" for letter in ("", "f", "d", "i"))
        for base in ("Vec", "Point", "VBase"):
            yield from (f"{base}{size}{letter}" for letter in ("", "F", "D"))
    for base in ("LQuaternion", "LRotation", "LOrientation", "LColor", "LTexCoord"):
        yield from (f"{base}{letter}" for letter in ("", "f", "d"))
    yield from ("LTexCoord3", "LTexCoord3f", "LTexCoord3d", "Quat", "QuatF", "QuatD")


def _matrices() -> Iterator[str]:
    for size in "34":
        yield from (f"LMatrix{size}{letter}" for letter in ("", "f", "d"))
        yield from (f"Mat{size}{letter}" for letter in ("", "F", "D"))


_CORE = "panda3d.core"
_PANDA = Library(
    codecs={
        **dict.fromkeys(_in_module(_CORE, " ".join(_vectors())), _SEQUENCE_CODEC),
        **dict.fromkeys(
            _in_module(_CORE, " ".join(_matrices())),
            DeclaredCodec(f"{_RUNTIME}:Matrix", hashable=False),
        ),
    },
    transient=frozenset(
        _in_module(_CORE, "AudioSound Loader NodePath PandaNode TextNode Texture")
        + _in_module("direct.actor.Actor", "Actor")
    ),
)

LIBRARIES: Mapping[str, Library] = {
    "pygame-ce": _PYGAME,
    "arcade": _ARCADE,
    "panda3d": _PANDA,
    "numpy": Library(),  # the array kind handles its arrays and numbers
}
