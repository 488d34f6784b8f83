"""The properties that sprites inherit from an engine: their types, and which of them are saved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from savegen.build.adopt.definitions import GameClass
from savegen.build.adopt.types import BOOL, FLOAT, INT, InferredType
from savegen.build.resolve.presets import LIBRARIES, preset_name_of
from savegen.build.resolve.settings import Settings

_PAIR = InferredType("tuple", (FLOAT, FLOAT))

_TYPES: Mapping[str, Mapping[str, InferredType]] = {
    "arcade": {
        **dict.fromkeys(("center_x", "center_y", "left", "right", "top", "bottom"), FLOAT),
        **dict.fromkeys(("angle", "radians", "change_x", "change_y", "depth"), FLOAT),
        **dict.fromkeys(("width", "height", "scale_x", "scale_y"), FLOAT),
        **dict.fromkeys(("position", "size", "scale", "velocity"), _PAIR),
        "rgb": InferredType("tuple", (INT, INT, INT)),
        "color": InferredType("arcade.types.Color"),
        "alpha": INT,
        "visible": BOOL,
    },
    "pygame-ce": {"layer": INT, "visible": INT},
}  # fmt: skip

# What is saved: one property of those that hold the same state
_SAVED = {
    "arcade": "position angle scale velocity color visible depth".split(),
    "pygame-ce": "rect layer visible".split(),
}
# A load initialises the sprite without the arguments that the game passed.
_ALWAYS = {"arcade": ("position", "angle", "scale")}


def has_property(cls: GameClass, name: str) -> bool:
    """Return whether a class inherits a property from an engine."""
    return any(True for _ in _owners(cls, name))


def has_fixed_type(cls: GameClass, name: str) -> bool:
    """Return whether an engine decides the type of an attribute, whatever the game assigns."""
    return any(
        library == "arcade" or name in _TYPES.get(library, {})
        for library, _ in _owners(cls, name)
    )


def property_type(cls: GameClass, name: str) -> InferredType | None:
    """Return the type of a property with a fixed type; `None` if it is unknown."""
    for library, _ in _owners(cls, name):
        return _TYPES.get(library, {}).get(name)
    return None


def can_set_again(cls: GameClass, name: str) -> bool:
    """Return whether nothing happens when a property is set to the value that it has.

    pygame refuses a layer once the sprite is in a group.
    """
    return any(library == "arcade" for library, _ in _owners(cls, name))


def saved_property(settings: Settings, cls: GameClass, name: str) -> str | None:
    """Return the property that saves the state of another one; `None` if it has no state.

    The position of a sprite of arcade saves its `center_x`, for example.
    """
    for library, base in _owners(cls, name):
        if name in settings.unsaved_state(base, set()):
            for candidate in _SAVED[library]:
                if name not in settings.unsaved_state(base, {candidate}):
                    return candidate
    return None


def always_saved(cls: GameClass) -> Iterator[str]:
    """Yield the properties that are saved for all classes derived directly from an engine's."""
    for base in cls.foreign_bases:
        for name in _ALWAYS.get(preset_name_of(base) or "", ()):
            if has_property(cls, name):
                yield name


def properties(cls: GameClass) -> Iterator[str]:
    """Yield the properties that a class inherits directly from an engine."""
    for base in cls.foreign_bases:
        library = preset_name_of(base)
        if library:
            yield from sorted(LIBRARIES[library].properties.get(base, ()))


def _owners(cls: GameClass, name: str) -> Iterator[tuple[str, str]]:
    """Yield the libraries and base classes from which a class inherits a property."""
    for base in cls.all_foreign_bases:
        library = preset_name_of(base)
        if library and name in LIBRARIES[library].properties.get(base, ()):
            yield library, base
