"""What a project says about types that savegen does not read."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import NamedTuple

from savegen.kinds import Codec
from savegen.resolve.presets import LIBRARIES, Library, library_of


class Settings(NamedTuple):
    """Types by their dotted names, as the configuration has them, and the presets."""

    codecs: Mapping[str, str] = {}  # type → `module:name`
    # Class → the function that prepares a new object, `module:name`; or whether its own
    # `__init__` does, called without arguments.
    bases: Mapping[str, str | bool] = {}
    transient: tuple[str, ...] = ()  # types whose values are never saved
    presets: tuple[str, ...] = tuple(LIBRARIES)
    types_module: str = ""  # as the game imports it

    def codec(self, name: str) -> Codec | None:
        """Return the codec of a class, by its dotted name."""
        dotted = name.replace(":", ".")
        if dotted in self.codecs:
            return Codec(self.codecs[dotted])
        library = self._library(dotted)
        return library.codecs.get(dotted) if library else None

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
        library = self._library(name)
        return name in self.transient or bool(library and name in library.transient)

    def _library(self, name: str) -> Library | None:
        found = library_of(name)
        return LIBRARIES[found] if found in self.presets else None
