"""The configured and preset codecs, base classes and transient types of libraries."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Set
from typing import NamedTuple

from savegen.build.kinds import DeclaredCodec
from savegen.build.resolve.presets import (
    LIBRARIES,
    Library,
    SpritePicture,
    preset_name_of,
)

# Types and functions of the standard library that stand for resources of the system.
_SYSTEM_RESOURCES = frozenset(
    "logging.getLogger threading.Lock threading.RLock threading.Event threading.Thread"
    " threading.Condition queue.Queue socket.socket builtins.open".split()
)


class Settings(NamedTuple):
    """The configured codecs, bases and transient types, by dotted name, and the presets."""

    codecs: Mapping[str, str] = {}  # type → `module:name`
    # How a load initialises the attributes of a base class in a new object: `True`: by its
    # `__init__` without arguments; `False`: not at all; `module:name`: by this function.
    bases: Mapping[str, str | bool] = {}
    transient: tuple[str, ...] = ()  # types whose values are never saved
    presets: tuple[str, ...] = tuple(LIBRARIES)
    types_module: str = ""  # the generated types, under the name that the game imports
    save_version: int = 0  # of the saves that the game writes
    # The module with the generated bases of the classes in a file, by the file's path.
    mixins_module: Callable[[str], str] = str
    former_packages: tuple[str, ...] = ()  # output packages of the past

    @property
    def output_package(self) -> str:
        """The package of the generated code, under the name that the game imports."""
        return self.types_module.rpartition(".")[0]

    @property
    def output_packages(self) -> tuple[str, ...]:
        """The output packages, now and in the past."""
        return tuple(filter(None, (self.output_package, *self.former_packages)))

    def codec_of(self, name: str) -> DeclaredCodec | None:
        """Return the codec of a class, or `None`. A configured one replaces that of a preset."""
        dotted = name.replace(":", ".")
        library = self._library(dotted)
        preset = library.codecs.get(dotted) if library else None
        configured = self.codecs.get(dotted)
        if preset and not configured:
            configured = self._under_another_name(dotted)
        return DeclaredCodec(configured) if configured else preset

    def types_with_codecs(self) -> Iterator[str]:
        """Yield the types of libraries for which a preset has a codec."""
        for preset in self.presets:
            yield from LIBRARIES[preset].codecs

    def _under_another_name(self, dotted: str) -> str | None:
        """Return the codec that is configured for another name of the same type.

        `pygame.Vector2` is also `pygame.math.Vector2`, for example.
        """
        library, simple = preset_name_of(dotted), dotted.rpartition(".")[2]
        for name, codec in self.codecs.items():
            if name.endswith(f".{simple}") and preset_name_of(name) == library:
                return codec
        return None

    def initialisation_of(self, name: str) -> str | bool | None:
        """Return how a load initialises a base class, as in `bases`; `None` if unknown."""
        if name in self.bases:
            return self.bases[name]
        library = self._library(name)
        return library.bases.get(name) if library else None

    def properties(self, name: str) -> tuple[frozenset[str], frozenset[str]]:
        """Return the known properties of a base class, and which of them have no setter."""
        library = self._library(name) or Library()
        return (
            library.properties.get(name, frozenset()),
            library.read_only.get(name, frozenset()),
        )

    def unsaved_state(self, name: str, saved: Set[str]) -> frozenset[str]:
        """Return the properties of a base class whose state is lost if only `saved` is saved."""
        library = self._library(name) or Library()
        unsaved = (group for group in library.state if group.isdisjoint(saved))
        properties, _ = self.properties(name)
        return properties & frozenset().union(*unsaved)

    def picture_of(self, name: str) -> SpritePicture | None:
        """Return how sprites of a base class hold their picture; `None` for other classes."""
        library = self._library(name)
        return library.pictures.get(name) if library else None

    def is_transient(self, name: str) -> bool:
        """Return whether values of a type, or results of a function, are never saved.

        The game creates them again after a load: pictures, sounds and locks, for example.
        """
        name = name.replace(":", ".")
        library = self._library(name)
        preset = library.transient if library else _SYSTEM_RESOURCES
        return name in self.transient or name in preset

    def _library(self, name: str) -> Library | None:
        preset = preset_name_of(name)
        return LIBRARIES[preset] if preset in self.presets else None
