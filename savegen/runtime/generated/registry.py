"""`Registry`: the table of a game's saveable classes, with a `ClassEntry` for each.

A load creates objects of these classes only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from enum import IntEnum
from functools import cached_property, partial
from typing import Any

from savegen.runtime.values.saveable import (
    SaveLoadable,
    add_stand_in,
    class_of,
    give_mixin,
    has_own_hash,
    mixin_of,
)
from savegen.runtime.generated.entries import ClassEntry as ClassEntry
from savegen.runtime.errors import SaveError, with_article
from savegen.runtime.values.basics.keys import describe_key
from savegen.runtime.values.basics.named import imported, required
from savegen.runtime.values.folds import ANY, Typed, text
from savegen.runtime.values.libraries.sprites import GROUP_LABEL
from savegen.runtime.values.rows import Key
from savegen.runtime.values.stored import StoredType, annotation
from savegen.runtime.values.values import ValueEntry as ValueEntry
from savegen.runtime.values.values import Values

GAME_OBJECT_NUMBER = -1  # of a class that no generated registry has
FORMAT = 9  # the format of generated registries; incremented when older ones become unreadable


def value_entry(name: str, stored: str) -> ValueEntry:
    """Return the entry of an enumeration or a plain class, which is imported on first use.

    >>> value_entry("re:RegexFlag", "flag re.RegexFlag{IGNORECASE}").load().__name__
    'RegexFlag'
    """
    return ValueEntry(name.replace(":", "."), partial(required, name), stored)


class Registry:
    """The saveable classes of a game, by number, and the migrations of older saves.

    `save_version` is the version of new saves. `migrations` are in order; each consists of the
    version that it produces and its function as `module:function`. Classes and prefabs whose
    numbers are `retired` were removed for good. `prefabs` is the enumeration of prefabs;
    `values` are the classes of values that fields hold.

    >>> class DoorSaveLoad(SaveLoadable):
    ...     save_type = IntEnum("Kinds", {"DOOR": 7}).DOOR
    >>> class Door(DoorSaveLoad):
    ...     pass
    >>> registry = Registry(FORMAT, (ClassEntry(DoorSaveLoad, lambda: None),))
    >>> len(registry), type(registry.new(7)).__name__
    (1, 'Door')
    """

    def __init__(
        self,
        format: int,
        entries: tuple[ClassEntry, ...],
        *,
        save_version: int = 0,
        migrations: tuple[tuple[int, str], ...] = (),
        retired: Iterable[int] = (),
        prefabs: type[IntEnum] | None = None,
        values: Iterable[ValueEntry] = (),
    ) -> None:
        """Raises `SaveError` if `format` is not the one that this runtime reads."""
        if format != FORMAT:
            raise SaveError(
                f"the generated registry has format {format}, but this savegen reads {FORMAT};"
                " run `savegen build`"
            )
        self.save_version = save_version
        self.migrations = migrations
        self.retired = frozenset(retired)
        self.values = Values([*values, *_prefabs(prefabs)])
        self.prefab_types: dict[int, IntEnum] = {each: each for each in prefabs or ()}
        self._entries = {entry.number: entry for entry in entries}
        self._by_class: dict[type, ClassEntry] = {}
        # Class that the build did not see → the saveable base in whose table its objects are.
        self.bases: dict[type, type] = {}
        for entry in entries:
            if entry.methods:
                entry.mixin.SaveLoadMethods = entry.methods

    def __iter__(self) -> Iterator[ClassEntry]:
        return iter(self._entries.values())

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, number: object) -> bool:
        """Return whether a saveable class has the number."""
        return number in self._entries

    def __getitem__(self, number: int) -> ClassEntry:
        """Return the entry of a class by its number. Raises `SaveError` if it does not exist."""
        try:
            return self._entries[number]
        except KeyError:
            raise SaveError(f"no saveable class has the number {number}") from None

    # -- the classes of objects

    @cached_property
    def hooks(self) -> frozenset[str]:
        """The hooks for which any class has methods."""
        names = "before_save", "on_activate", "on_deactivate"
        return frozenset(n for n in names if any(getattr(entry, n) for entry in self))

    @cached_property
    def has_groups(self) -> bool:
        """Whether a field of any class holds a sprite group."""
        types = (stored for entry in self for _, stored in entry.fields)
        return any(GROUP_LABEL in stored for stored in types)

    @cached_property
    def stand_ins(self) -> dict[type, ClassEntry]:
        """The entries of stand-ins, by the class of the library, which is imported."""
        return {entry.load_class(): entry for entry in self if entry.of}

    def entry_of(self, cls: type) -> ClassEntry:
        """Return the registry entry of a class. Raises `SaveError` if it is not saveable."""
        entry = self._by_class.get(cls)
        if entry is None:
            entry = self._by_class[cls] = self._find_entry(cls)
        return entry

    def _find_entry(self, cls: type) -> ClassEntry:
        own = getattr(cls, "class_entry", None)
        if isinstance(own, ClassEntry):
            if own.load_class() is cls:
                return own
            raise SaveError(
                "a subclass of `GameObject` cannot be saved: use a `GameObject` with components"
            )
        for base in cls.__mro__:
            give_mixin(base)
        entry = self._nearest_entry(cls)
        if entry is None and not issubclass(cls, SaveLoadable):
            raise SaveError(
                f"{with_article(cls.__qualname__)} cannot be saved: mark the class `@saveable`"
                " and run `savegen build`"
            )
        if entry is not None and entry.takes_subclasses:
            self._store_base(cls, entry)
        elif entry is None or entry.load_class() is not cls:
            fault = "is not marked `@saveable`, but its base is: mark it too"
            if entry is not None and entry.of:
                fault = (
                    "has no stand-in, but its base has: write one for it, or mark that of"
                    " its base `subclasses=True`,"
                )
            raise SaveError(f"`{cls.__qualname__}` {fault} and run `savegen build`")
        return entry

    def _nearest_entry(self, cls: type) -> ClassEntry | None:
        """Return the entry of a class or its nearest saveable base, if it has one."""
        if issubclass(cls, SaveLoadable):
            save_type = getattr(cls, "save_type", None)
            return None if save_type is None else self[save_type]
        stand_ins = map(self.stand_ins.get, cls.__mro__)
        return next(filter(None, stand_ins), None)

    def _store_base(self, cls: type, entry: ClassEntry) -> None:
        """Remember that the objects of a class are saved as those of its saveable base."""
        base = entry.load_class()
        if base is not cls:
            if getattr(base, "__abstractmethods__", None):
                way_out = "define it in a file that `savegen build` reads"
                raise SaveError(
                    f"`{cls.__qualname__}` cannot be saved as an object of its base"
                    f" `{base.__qualname__}`, which is abstract;"
                    f" {'write a stand-in for it' if entry.of else way_out}"
                )
            self.bases[cls] = base
            if entry.of:
                add_stand_in(cls, entry.mixin)

    def table_class(self, cls: type) -> type:
        """Return the class whose table has the objects of a class: the class itself, or a base."""
        return self.bases.get(cls, cls)

    def saved_as_base(self, classes: set[type]) -> list[str]:
        """Return the classes whose objects are saved as those of a base: `Orc as Enemy`."""
        pairs = ((cls, self.bases[cls]) for cls in classes & self.bases.keys())
        return sorted(
            f"{cls.__qualname__} as {base.__qualname__}" for cls, base in pairs
        )

    @property
    def hash_by_identity(self) -> bool:
        """Whether no class of saveable objects defines its own hash or equality today."""
        if any(entry.of for entry in self):
            return False  # the classes of libraries are not looked at
        waiting = [cls for entry in self if (cls := class_of(entry.mixin)) is not None]
        while waiting:
            cls = waiting.pop()
            if has_own_hash(cls):
                return False
            waiting += type.__subclasses__(cls)
        return True

    # -- names and new objects

    def missing_prefab(self, prefab: Any) -> str:
        """Return what to do if a manager lacks a prefab; "" if the game does not have it either."""
        if prefab not in self.prefab_types:
            return ""
        return (
            f"the prefab `{self.prefab_types[prefab].name}`, which the manager does not have:"
            " pass the generated `PREFAB_INFO`, or a mapping with this prefab, as the argument"
            " `prefabs` of `SaveLoadManager`"
        )

    def annotation(self, stored: StoredType) -> str:
        """Return an approximate Python annotation for a stored type, with names of classes."""
        return annotation(stored, self._class_names, self._without_subclasses)

    def _without_subclasses(
        self, members: tuple[StoredType, ...]
    ) -> Iterable[StoredType]:
        """Return the members of a union; a class that has another one as its base is left out."""
        entries = [self.values.get(part.label) for part in members]
        classes = [entry and entry.load() for entry in entries]
        for part, cls in zip(members, classes):
            if cls is None or not {*map(id, cls.__mro__[1:])} & {*map(id, classes)}:
                yield part

    def text(self, typed: Typed, class_of: Callable[[Key], int | None]) -> str:
        """Return a value as `folds.text` does, with the names of the classes of the game."""

        def object_name(key: Key) -> str:
            number = class_of(key)
            if number is None or number not in self:
                return describe_key(key)
            return f"{self[number].display_name}, {describe_key(key)}"

        stored, cell = typed
        if stored.name == "class" and cell in self:
            return f"<class {self[cell].display_name}>"
        return text(ANY, typed, object_name)

    def _class_names(self, stored: StoredType) -> str:
        if 0 in stored.numbers:  # any class
            return "Any"
        has_game_objects = GAME_OBJECT_NUMBER in stored.numbers
        classes = [self[n].load_class() for n in stored.numbers if n in self]
        bases = [cls for cls in classes if not {*cls.__mro__[1:]} & {*classes}]
        names = [cls.__qualname__ for cls in bases] + ["GameObject"] * has_game_objects
        return " | ".join(names)

    def new(self, number: int) -> Any:
        """Return a new object of a class without running its `__init__`."""
        entry = self[number]
        return entry.blank(entry.load_class())


def _prefabs(cls: type[IntEnum] | None) -> list[ValueEntry]:
    if cls is None:
        return []
    return [ValueEntry(f"{cls.__module__}.{cls.__qualname__}", lambda: cls, "prefab")]


def registry_of(cls: Any) -> Registry | None:
    """Return the generated registry of a saveable class; `None` for a class without one.

    It is in the module `registry` beside the generated `types`, of which the class has its number.
    Only code that gets a class from a game, and neither a manager nor a registry, may ask: for
    another registry with the same classes, the answer is wrong.
    """
    number = getattr(mixin_of(cls), "save_type", None)
    package, _, module = type(number).__module__.rpartition(".")
    if module != "types" or not package:
        return None
    try:
        registry: Registry | None = imported(f"{package}.registry:REGISTRY", None)
    except ImportError:
        return None
    return registry
