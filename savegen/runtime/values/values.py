"""The table of the game's value classes: enumerations, records, and types with codecs.

A save refers to such a class by its full name. Only the names in the generated registry are ever
imported.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any, NamedTuple

from savegen.runtime.errors import SaveError
from savegen.runtime.values.basics.named import (
    alias,
    find_loaded,
    is_defined,
    module_named,
)
from savegen.runtime.values.libraries import presets
from savegen.runtime.values.stored import StoredType, declared


class ValueEntry(NamedTuple):
    """One class of values: its full name, how to get it, and its stored type.

    >>> from string import Template
    >>> ValueEntry("string.Template", lambda: Template, "codec string.Template<any>").type.name
    'codec'
    """

    name: str  # the module, a dot, and the qualified name
    load: Callable[[], Any]  # imports the class
    stored: str  # an enum, flag, value, record, codec or prefab
    # For a codec: functions that pack and unpack a value. They also get the references.
    pack: Callable[[Any, Any], Any] | None = None
    unpack: Callable[[Any, Any], Any] | None = None

    @property
    def type(self) -> StoredType:
        return declared(self.stored)


class Values:
    """The table of entries, by class and by full name.

    >>> from string import Template
    >>> entry = ValueEntry("string.Template", lambda: Template, "codec string.Template<any>")
    >>> values = Values([entry])
    >>> values.of(Template) is entry, values.of(int)
    (True, None)
    >>> values["random.Random"]
    Traceback (most recent call last):
        ...
    savegen.runtime.errors.SaveError: no saved field is declared to hold a `random.Random`; if the class was renamed, keep its former name: `Old = New`
    """

    def __init__(self, entries: Iterable[ValueEntry] = ()) -> None:
        self._by_name = {entry.name: entry for entry in entries}
        # By the `id` of the class, since a metaclass may make it unhashable; the pair keeps the
        # class alive.
        self._by_class: dict[int, tuple[Any, ValueEntry | None]] = {}

    def of(self, cls: type) -> ValueEntry | None:
        """Return the entry of a class, or `None`."""
        pair = self._by_class.get(id(cls))
        if pair is None:
            pair = self._by_class[id(cls)] = cls, self._find(cls)
        return pair[1]

    def get(self, name: str) -> ValueEntry | None:
        """Return the entry of exactly this name, or `None`."""
        entry = self._by_name.get(name)
        if entry is None and name.rpartition(".")[0] in presets.VALUES:
            cls = alias(name)
            entry = self.of(cls) if isinstance(cls, type) else None
        return entry

    def __getitem__(self, name: str) -> ValueEntry:
        """Return the entry with a full name. Raises `SaveError` if it does not exist.

        A class that was renamed is found if its former name still leads to it, and one that has
        moved by its simple name, if no other class has that name.
        """
        entry = self.get(name) if type(name) is str else None
        if entry is not None:
            return entry
        if type(name) is str and (entry := self._of_former_name(name)):
            return entry
        found = self._by_simple_name.get(str(name).rpartition(".")[2], ())
        if len(found) != 1:
            raise SaveError(
                f"no saved field is declared to hold a `{name}`; if the class was renamed, keep"
                " its former name: `Old = New`"
            )
        return found[0]

    def _of_former_name(self, name: str) -> ValueEntry | None:
        """Return the entry of the class that a name leads to in a module that is imported."""
        cls = alias(name)
        return self.of(cls) if isinstance(cls, type) else None

    @cached_property
    def _by_simple_name(self) -> dict[str, list[ValueEntry]]:
        found: dict[str, list[ValueEntry]] = {}
        for name, entry in self._by_name.items():
            found.setdefault(name.rpartition(".")[2], []).append(entry)
        return found

    @property
    def prefabs(self) -> ValueEntry | None:
        """The entry of the enumeration of prefabs."""
        entries = self._by_name.values()
        return next((entry for entry in entries if entry.stored == "prefab"), None)

    def _find(self, cls: type) -> ValueEntry | None:
        if cls.__module__ == "__main__":
            return self._in_main(cls)
        entry = self._by_name.get(f"{cls.__module__}.{cls.__qualname__}")
        if entry is None:
            return self._of_library(cls)
        # A class of the main script exists twice if another module imports the script.
        return entry if entry.load() is cls or is_defined(cls) else None

    def _of_library(self, cls: type) -> ValueEntry | None:
        """Return the entry of a library class that has several names, found by its codec."""
        for name, entry in self._by_name.items():
            if entry.pack is not None and find_loaded(name) is cls:
                return entry
        stored = presets.stored_type_of(cls)
        if not stored:
            return None
        codec = presets.Sequence(cls)
        return ValueEntry(
            f"{cls.__module__}.{cls.__name__}",
            lambda: cls,
            stored,
            lambda value, references: codec.encode(value),
            lambda data, references: codec.decode(data),
        )

    def _in_main(self, cls: type) -> ValueEntry | None:
        """Return the entry of a class in the main script, which may have any module name."""
        main = sys.modules["__main__"]
        for name, entry in self._by_name.items():
            module = name.removesuffix(f".{cls.__qualname__}")
            if module != name and module_named(module) is main:
                return entry
        return None


NO_VALUES = Values()
