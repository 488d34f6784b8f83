"""What a project says that stands in no source."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import NamedTuple

from savegen.build.kinds import Codec
from savegen.build.resolve.presets import LIBRARIES, Library, library_of

# What the standard library has that no save can hold.
_HANDLES = frozenset(
    "logging.getLogger threading.Lock threading.RLock threading.Event threading.Thread"
    " threading.Condition queue.Queue socket.socket builtins.open".split()
)


class Settings(NamedTuple):
    """Types by their dotted names, as the configuration has them, and the presets."""

    codecs: Mapping[str, str] = {}  # type → `module:name`
    # Class → the function that prepares a new object, `module:name`; or whether its own
    # `__init__` does, called without arguments.
    bases: Mapping[str, str | bool] = {}
    transient: tuple[str, ...] = ()  # types whose values are never saved
    presets: tuple[str, ...] = tuple(LIBRARIES)
    types_module: str = ""  # as the game imports it
    save_version: int = 0  # of the saves that the game writes

    def codec(self, name: str) -> Codec | None:
        """Return the codec of a class, by its dotted name."""
        dotted = name.replace(":", ".")
        library = self._library(dotted)
        known = library.codecs.get(dotted) if library else None
        named = self.codecs.get(dotted) or (known and self._under_another_name(dotted))
        return Codec(named) if named else known

    def _under_another_name(self, dotted: str) -> str | None:
        """Return a codec for `pygame.math.Vector2` where `pygame.Vector2` is written."""
        library, simple = library_of(dotted), dotted.rpartition(".")[2]
        alike = (
            codec
            for name, codec in self.codecs.items()
            if name.endswith(f".{simple}") and library_of(name) == library
        )
        return next(alike, None)

    def base(self, name: str) -> str | bool | None:
        """Return how objects of a base class are prepared; `None` if nobody has said."""
        if name in self.bases:
            return self.bases[name]
        library = self._library(name)
        return library.bases.get(name) if library else None

    def properties(self, name: str) -> tuple[frozenset[str], frozenset[str]]:
        """Return the known properties of a base class, and those of them without a setter."""
        library = self._library(name) or Library()
        found = (library.properties, library.read_only)
        known, read_only = (each.get(name, frozenset()) for each in found)
        return known, read_only

    def state(self, name: str, saved: Set[str]) -> frozenset[str]:
        """Return the properties of a base class that are state, and not among those saved."""
        library = self._library(name) or Library()
        groups = (group for group in library.state if group.isdisjoint(saved))
        properties, _ = self.properties(name)
        return properties & frozenset().union(*groups)

    def is_transient(self, name: str) -> bool:
        """Tell whether values of a type, or what a function returns, are made anew each time."""
        name = name.replace(":", ".")
        library = self._library(name)
        known = library.transient if library else _HANDLES
        return name in self.transient or name in known

    def _library(self, name: str) -> Library | None:
        found = library_of(name)
        return LIBRARIES[found] if found in self.presets else None
