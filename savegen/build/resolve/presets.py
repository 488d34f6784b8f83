"""Codecs, base classes and transient types of known game libraries, which are not imported.

tests/build/test_presets.py compares every entry with the libraries themselves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from savegen.build.kinds import Codec

_RUNTIME = "savegen.runtime.presets"


class Library(NamedTuple):
    """The types of one library, by the names under which games import them."""

    codecs: Mapping[str, Codec] = {}
    bases: Mapping[str, str | bool] = {}  # as in the configuration
    properties: Mapping[str, frozenset[str]] = {}  # by base class
    read_only: Mapping[str, frozenset[str]] = {}  # the properties without a setter
    # Groups of properties that hold the same state: saving one of a group is enough.
    state: tuple[frozenset[str], ...] = ()
    transient: frozenset[str] = frozenset()  # types, and functions that return them


def library_of(name: str) -> str | None:
    """Return the preset that a dotted name belongs to.

    >>> library_of("pygame.math.Vector2"), library_of("mygame.Vec2")
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


def _within(module: str, names: str) -> list[str]:
    return [f"{module}.{name}" for name in names.split()]


def _everywhere(package: str, module: str, names: str) -> list[str]:
    """Return the full names of objects in a package and in the module that defines them."""
    return _within(package, names) + _within(f"{package}.{module}", names)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# -- pygame-ce

_MUTABLE = Codec(f"{_RUNTIME}:Sequence", hashable=False)
_DRAWN = _words("image layer rect")

_PYGAME = Library(
    codecs={
        **dict.fromkeys(_everywhere("pygame", "math", "Vector2 Vector3"), _MUTABLE),
        **dict.fromkeys(_everywhere("pygame", "rect", "Rect FRect"), _MUTABLE),
        **dict.fromkeys(_everywhere("pygame", "color", "Color"), _MUTABLE),
    },
    bases=dict.fromkeys(_within("pygame.sprite", "Sprite DirtySprite"), True),
    properties={
        "pygame.sprite.Sprite": _DRAWN,
        "pygame.sprite.DirtySprite": _DRAWN | {"visible"},
    },
    state=(_words("rect"), _words("layer _layer"), _words("visible")),
    transient=frozenset(
        [
            *_everywhere("pygame", "surface", "Surface"),
            *_everywhere("pygame", "mask", "Mask"),
            *_within("pygame", "Channel Clock Font Joystick Sound Window"),
            *_within("pygame.display", "get_surface set_mode"),
            *_within("pygame.font", "Font SysFont"),
            *_within("pygame.freetype", "Font SysFont"),
            *_within("pygame.image", "load"),
            *_within("pygame.joystick", "Joystick"),
            *_within("pygame.mask", "from_surface"),
            *_within("pygame.mixer", "Channel Sound find_channel"),
            *_within("pygame.sprite", "AbstractGroup Group GroupSingle"),
            *_within("pygame.sprite", "LayeredDirty LayeredUpdates"),
            *_within("pygame.sprite", "OrderedUpdates RenderUpdates"),
            *_within("pygame.time", "Clock"),
            *_within(
                "pygame.transform", "flip grayscale rotate rotozoom scale scale2x"
            ),
            *_within("pygame.transform", "chop scale_by smoothscale smoothscale_by"),
        ]
    ),
)

# -- arcade, and pyglet below it

_VALUE = Codec(f"{_RUNTIME}:Value", immutable=True)
_BASIC = _words(
    "alpha bottom center_x center_y color depth height hit_box left position rect rgb right"
    " scale scale_x scale_y size texture top visible width"
)
_SPRITE = _BASIC | _words("angle change_x change_y properties radians velocity")
_SPRITES = [
    *_everywhere("arcade", "sprite", "Sprite SpriteCircle SpriteSolidColor"),
    *_everywhere("arcade", "sprite", "TextureAnimationSprite"),
    "arcade.sprite.sprite.Sprite",
]
_BASIC_SPRITES = _everywhere("arcade", "sprite", "BasicSprite")

_ARCADE = Library(
    codecs=dict.fromkeys(
        [
            *_within("pyglet.math", "Mat3 Mat4 Quaternion Vec2 Vec3 Vec4"),
            *_everywhere("arcade", "math", "Rect Vec2 Vec3"),
            *_everywhere("arcade.types", "color", "Color"),
            *_everywhere("arcade.types", "rect", "Rect"),
        ],
        _VALUE,
    ),
    bases={
        **dict.fromkeys(_SPRITES, True),
        **dict.fromkeys(
            _everywhere("arcade", "sprite", "SpriteCircle"),
            f"{_RUNTIME}:prepare_circle",
        ),
        **dict.fromkeys(
            _everywhere("arcade", "sprite", "SpriteSolidColor"),
            f"{_RUNTIME}:prepare_solid_color",
        ),
        **dict.fromkeys(_BASIC_SPRITES, f"{_RUNTIME}:prepare_basic_sprite"),
    },
    properties={
        **dict.fromkeys(_SPRITES, _SPRITE),
        **dict.fromkeys(
            _everywhere("arcade", "sprite", "TextureAnimationSprite"),
            _SPRITE | {"animation", "time"},
        ),
        **dict.fromkeys(_BASIC_SPRITES, _BASIC),
    },
    read_only={
        **dict.fromkeys(_SPRITES, frozenset(["rect"])),
        **dict.fromkeys(_BASIC_SPRITES, frozenset(["hit_box", "rect"])),
    },
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
        _within("arcade.camera", "Camera2D")
        + _within("arcade.gui", "UIManager")
        + _within(
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
        **dict.fromkeys(_within(_CORE, " ".join(_vectors())), _MUTABLE),
        **dict.fromkeys(
            _within(_CORE, " ".join(_matrices())),
            Codec(f"{_RUNTIME}:Matrix", hashable=False),
        ),
    },
    transient=frozenset(
        _within(_CORE, "AudioSound Loader NodePath PandaNode TextNode Texture")
        + _within("direct.actor.Actor", "Actor")
    ),
)

LIBRARIES: Mapping[str, Library] = {
    "pygame-ce": _PYGAME,
    "arcade": _ARCADE,
    "panda3d": _PANDA,
    "numpy": Library(),  # the array kind handles its arrays and numbers
}
