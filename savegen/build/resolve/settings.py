"""Types of libraries: as the configuration and the presets describe them."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import NamedTuple

from savegen.build.kinds import Codec
from savegen.build.resolve.presets import LIBRARIES, Library, library_of

# Types and functions of the standard library whose objects cannot be saved.
_HANDLES = frozenset(
    "logging.getLogger threading.Lock threading.RLock threading.Event threading.Thread"
    " threading.Condition queue.Queue socket.socket builtins.open".split()
)


class Settings(NamedTuple):
    """The configured codecs, bases and transient types, by dotted name, and the presets."""

    codecs: Mapping[str, str] = {}  # type → `module:name`
    # Class → the function that prepares a new object, `module:name`; or `True` if its
    # `__init__`, called without arguments, does.
    bases: Mapping[str, str | bool] = {}
    transient: tuple[str, ...] = ()  # types whose values are never saved
    presets: tuple[str, ...] = tuple(LIBRARIES)
    types_module: str = ""  # the generated types, under the name that the game imports
    save_version: int = 0  # of the saves that the game writes

    def codec(self, name: str) -> Codec | None:
        """Return the codec of a class, or `None`. A configured one replaces that of a preset."""
        dotted = name.replace(":", ".")
        library = self._library(dotted)
        preset = library.codecs.get(dotted) if library else None
        named = self.codecs.get(dotted) or (preset and self._under_another_name(dotted))
        return Codec(named) if named else preset

    def _under_another_name(self, dotted: str) -> str | None:
        """Return the codec that is configured for another name of the same type.

        `pygame.Vector2` is also `pygame.math.Vector2`, for example.
        """
        library, simple = library_of(dotted), dotted.rpartition(".")[2]
        alike = (
            codec
            for name, codec in self.codecs.items()
            if name.endswith(f".{simple}") and library_of(name) == library
        )
        return next(alike, None)

    def base(self, name: str) -> str | bool | None:
        """Return how objects of a base class are prepared, as in `bases`; `None` if unknown."""
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

    def state(self, name: str, saved: Set[str]) -> frozenset[str]:
        """Return the properties of a base class that hold state which `saved` does not cover."""
        library = self._library(name) or Library()
        groups = (group for group in library.state if group.isdisjoint(saved))
        properties, _ = self.properties(name)
        return properties & frozenset().union(*groups)

    def is_transient(self, name: str) -> bool:
        """Return whether the game creates values of a type, or results of a function, again.

        Pictures, sounds and locks are not saved, for example.
        """
        name = name.replace(":", ".")
        library = self._library(name)
        preset = library.transient if library else _HANDLES
        return name in self.transient or name in preset

    def _library(self, name: str) -> Library | None:
        preset = library_of(name)
        return LIBRARIES[preset] if preset in self.presets else None
