"""The closed table of saveable classes: nothing but what was generated can be made by a load."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import IntEnum
from typing import Any, NamedTuple

from savegen.runtime.checks import Check
from savegen.runtime.components import SaveLoadable, class_of
from savegen.runtime.defaults import Default, declared
from savegen.runtime.errors import SaveError, a, told
from savegen.runtime.named import imported
from savegen.runtime.rows import Rows as Rows

FORMAT = 4  # of generated registries; raised when this runtime cannot read older ones


class ClassEntry(NamedTuple):
    """One saveable class: its mixin, its home, its rows, and its methods that are called.

    >>> class DoorSaveLoad(SaveLoadable):
    ...     pass
    >>> class Door(DoorSaveLoad):
    ...     pass
    >>> ClassEntry(DoorSaveLoad, lambda: None).load_class().__name__
    'Door'
    """

    mixin: type[SaveLoadable]
    import_module: Callable[[], object]
    rows: Rows | None = None  # without rows, each object is saved by its `save_data`
    before_save: tuple[str, ...] = ()
    on_activate: tuple[str, ...] = ()
    on_deactivate: tuple[str, ...] = ()
    behaviors: Mapping[str, tuple[str, str]] = {}  # saving and loading methods, by name
    # What prepares a new object: classes, whose `__init__` does, and functions.
    prepared: tuple[str, ...] = ()
    # What level authors may set: by field number, "ge", "gt", "le" or "lt" with a bound.
    limits: Mapping[int, Mapping[str, float]] = {}
    # What a field is where a save lacks it, by number, where the class does not tell that.
    initial: Mapping[int, Default] = {}
    # What turns the value of an older save into today's: by number, `module:function`.
    converters: Mapping[int, str] = {}
    retired: frozenset[int] = frozenset()  # fields that are gone for good
    former: Mapping[int, int] = {}  # numbers in older saves → the fields of today
    name: str = ""  # in saves and reports, where two classes have one name
    checks: Mapping[str, Check] = {}  # of fields, in a class without rows

    @property
    def save_type(self) -> IntEnum:
        return self.mixin.save_type

    @property
    def called(self) -> str:
        """The name of the class in saves and reports."""
        return self.name or self.load_class().__qualname__

    def check_of(self, field: str) -> Check | None:
        """Return what a field may hold; `None` in a class that saves itself."""
        if self.rows is None:
            return None
        place = [*self.mixin.save_load_field_names].index(field)
        return [*self.rows.checks.values()][place]

    @property
    def attributes(self) -> dict[int, str]:
        """The attributes of the fields, by number."""
        names = self.mixin.save_load_field_names
        return dict(zip(names.values(), self.rows.checks if self.rows else names))

    @property
    def defaults(self) -> dict[int, Default]:
        """What makes a new default of each field that declares one, by number.

        It is given the game's class. Raises `SaveError` if that is not there.

        >>> class DoorSaveLoad(SaveLoadable):
        ...     save_load_field_names = {"is_open": 16, "key": 17}
        >>> class Door(DoorSaveLoad):
        ...     is_open = False
        >>> entry = ClassEntry(DoorSaveLoad, lambda: None)
        >>> {number: default(Door) for number, default in entry.defaults.items()}
        {16: False}
        """
        return declared(self.load_class(), self.attributes, self.initial)

    def blank(self, cls: Any) -> Any:
        """Make an object of the game's class without running its `__init__`.

        What it inherits from outside the game is prepared. Raises `SaveError` if that fails.
        """
        made = cls.__new__(cls)
        for name in self.prepared:
            try:
                found = imported(name)
                is_class = isinstance(found, type)
                prepare = getattr(found, "__init__") if is_class else found
                prepare(made)
            except Exception as error:
                raise SaveError(
                    f"{a(cls.__qualname__)} cannot be made: `{name}` raised {told(error)}"
                ) from error
        return made

    def load_class(self) -> type:
        """Return the game's class, its module imported first if nothing has yet.

        Raises `SaveError` if the module does not define it any more.
        """
        found = class_of(self.mixin)
        if found is None:
            self.import_module()
            found = class_of(self.mixin)
        if found is None:
            raise SaveError(
                f"no class inherits from {self.mixin.__qualname__}; run `savegen wire`"
            )
        return found


class Registry:
    """The saveable classes of a game, by number; and how older saves come to be today's.

    `save_version` is that of today's saves. `migrations` lead there: each with the version of
    what it makes, and its function as `module:function`, in order. A class or a prefab whose
    number is `retired` is gone for good.

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
    ) -> None:
        """Raises `SaveError` if `format` is not the one that this runtime reads."""
        if format != FORMAT:
            raise SaveError(
                f"the generated registry has format {format}, this savegen reads {FORMAT};"
                " run `savegen components` again"
            )
        self.save_version = save_version
        self.migrations = migrations
        self.retired = frozenset(retired)
        self._entries = {int(entry.save_type): entry for entry in entries}

    def __iter__(self) -> Iterator[ClassEntry]:
        return iter(self._entries.values())

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, number: object) -> bool:
        """Tell whether a saveable class has the number."""
        return number in self._entries

    def __getitem__(self, number: int) -> ClassEntry:
        """Return the entry of a class by its number; raises `SaveError` if there is none."""
        try:
            return self._entries[number]
        except KeyError:
            raise SaveError(f"no saveable class has the number {number}") from None

    def new(self, number: int) -> Any:
        """Make an object of a class without running its `__init__`."""
        entry = self[number]
        return entry.blank(entry.load_class())
