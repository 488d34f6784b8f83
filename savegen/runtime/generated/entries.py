"""`ClassEntry`: what the generated registry knows of one saveable class."""

from __future__ import annotations

from collections.abc import (
    Callable,
    Collection,
    Container,
    Mapping,
    Sequence,
)
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property
from itertools import chain, repeat
from operator import attrgetter
from types import BuiltinFunctionType, MemberDescriptorType
from typing import Any, NamedTuple, TypeAlias

from savegen.runtime.values.folds import has_keys, has_numbers
from savegen.runtime.generated.comparing import Compared, compared, differing
from savegen.runtime.values.references import References
from savegen.runtime.values.saveable import (
    SaveLoadable,
    add_stand_in,
    class_of,
    give_mixins,
    has_own_hash,
)
from savegen.runtime.errors import SaveError, describe_error, with_article
from savegen.runtime.values.libraries.fields import Default, default_of, set_field
from savegen.runtime.values.folds import (
    QuickCheck,
    is_packed_unchecked,
    quick_check,
    quick_check_of_cells,
)
from savegen.runtime.values.kinds import KINDS
from savegen.runtime.values.libraries.caches import HASH_CACHES, cached_properties
from savegen.runtime.values.mismatches import NOT_SET, value_of
from savegen.runtime.values.libraries.methods import LABEL
from savegen.runtime.values.basics.named import imported
from savegen.runtime.values.rows import Row, cells_of
from savegen.runtime.generated.stand_ins import stand_in_faults
from savegen.runtime.values.libraries.sprites import GROUP_LABEL
from savegen.runtime.values.stored import (
    GENERATORS,
    MAPPINGS,
    SETS,
    StoredType,
    declared,
)

HASHING_TYPES = MAPPINGS | SETS


# Returns whether an object that the `__new__` of a game returned is another one already.
IsTaken: TypeAlias = Callable[[Any], bool]


def is_none(obj: Any) -> bool:
    """Return whether there is no object."""
    return obj is None


class OpenCell(NamedTuple):
    """A cell whose value may not fit its stored type."""

    name: str
    stored: StoredType
    get: Callable[[Row], Any]
    quick_check: QuickCheck


@dataclass(frozen=True, eq=False)
class ClassEntry:
    """One saveable class: its mixin, how to import it, its row, and its marked methods.

    >>> class DoorSaveLoad(SaveLoadable):
    ...     pass
    >>> class Door(DoorSaveLoad):
    ...     pass
    >>> ClassEntry(DoorSaveLoad, lambda: None).load_class().__name__
    'Door'
    """

    mixin: type[SaveLoadable]
    import_module: Callable[[], object]
    row: type[Row] = Row
    # The attribute and the stored type of each field, in the order of the row.
    fields: tuple[tuple[str, str], ...] = ()
    # Returns whether a field of an object is not the object in its row, or the one of its key.
    differs: Callable[[Any, Any, References], bool] | None = None
    # The cells that it does not compare.
    apart: tuple[str, ...] = ()
    before_save: tuple[str, ...] = ()
    on_activate: tuple[str, ...] = ()
    on_deactivate: tuple[str, ...] = ()
    # The methods that fields of the type `Method` may hold.
    methods: tuple[str, ...] = ()
    # By behaviour of a `Recorder`: the names of its serializer and deserializer.
    behaviors: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    # Names of library classes whose `__init__` initialises a new object, or of functions that do.
    prepared: tuple[str, ...] = ()
    # The fields that level authors may set: number → bounds by "ge", "gt", "le" or "lt".
    limits: Mapping[int, Mapping[str, float]] = field(default_factory=dict)
    # Defaults for fields that a save lacks, by number, if the class declares none.
    initial: Mapping[int, Default] = field(default_factory=dict)
    # Attributes that need not be saved: declared transient, or assigned by a method that a load
    # calls; "*" stands for all.
    transient: tuple[str, ...] = ()
    # Defaults of attributes that are not saved; `None` if the class declares the default.
    unsaved: Mapping[str, Default | None] = field(default_factory=dict)
    # Functions that convert values of older saves: field number → `module:function`.
    converters: Mapping[int, str] = field(default_factory=dict)
    # The numbers of fields that were removed for good.
    retired: frozenset[int] = frozenset()
    # The number of a field in older saves → its number today.
    former: Mapping[int, int] = field(default_factory=dict)
    name: str = ""  # the name in saves and reports, if two classes share a name
    rewinds: bool = (
        True  # False for `@saveable(rewind=False)`: `History` leaves it as it is
    )
    of: str = (
        ""  # the name of the library's class, if the marked class is a stand-in for it
    )

    @property
    def save_type(self) -> IntEnum:
        return self.mixin.save_type

    @cached_property
    def number(self) -> int:
        """The number of the class."""
        return int(self.save_type)

    @property
    def takes_subclasses(self) -> bool:
        """Whether objects of subclasses that the build did not see are saved as this class."""
        return hasattr(self.marked_class(), "subclass_mixins")

    @property
    def display_name(self) -> str:
        """The name of the class in saves and reports."""
        return self.name or self.marked_class().__qualname__

    @property
    def attributes(self) -> dict[int, str]:
        """The attributes of the fields, by number."""
        numbers = self.mixin.save_load_field_names.values()
        return {number: name for number, (name, _) in zip(numbers, self.fields)}

    # -- computed from the fields above

    @cached_property
    def attributes_by_cell(self) -> dict[str, str]:
        """The attributes of the fields, by the cells of the row."""
        return dict(zip(self.row.__struct_fields__, [name for name, _ in self.fields]))

    def value_of(self, obj: Any, cell: str) -> Any:
        """Return the value of a field as its stored type describes it; `NOT_SET` if it is not set."""
        return value_of(obj, self.attributes_by_cell[cell])

    @cached_property
    def names_by_cell(self) -> dict[str, str]:
        """The names of the fields in the source, by the cells of the row."""
        return dict(zip(self.row.__struct_fields__, self.mixin.save_load_field_names))

    def title(self, cell: str) -> str:
        """Return the class and the field of a cell, as reports name them: `Hero._hp`."""
        return f"{self.display_name}.{self.names_by_cell.get(cell, cell)}"

    @cached_property
    def stored_by_cell(self) -> dict[str, StoredType]:
        """The stored types of the fields, by the cells of the row."""
        types = [declared(text) for _, text in self.fields]
        return dict(zip(self.row.__struct_fields__, types))

    @cached_property
    def reference_fields(self) -> dict[str, StoredType]:
        """The stored types that can contain object keys, by cell."""
        return {
            n: stored for n, stored in self.stored_by_cell.items() if has_keys(stored)
        }

    @cached_property
    def numbered_fields(self) -> dict[str, StoredType]:
        """The stored types that can contain keys of objects or random generators, by cell."""
        types = self.stored_by_cell.items()
        return {name: stored for name, stored in types if has_numbers(stored)}

    @cached_property
    def group_fields(self) -> tuple[str, ...]:
        """The attributes that hold sprite groups."""
        types = self.reference_fields.items()
        return tuple(
            self.attributes_by_cell[cell]
            for cell, stored in types
            if any(part.label == GROUP_LABEL for part in stored.walk())
        )

    @cached_property
    def class_limited(self) -> dict[str, StoredType]:
        """The stored types that restrict the classes of referenced objects, by cell."""
        return {
            cell: stored
            for cell, stored in self.stored_by_cell.items()
            if any(part.name in ("ref", "class") for part in stored.walk())
        }

    @cached_property
    def shared_attributes(self) -> tuple[str, ...]:
        """The attributes that other code may share, such as lists: a load sets them to new values.

        Those of properties are not included.
        """
        cls = self.load_class()
        cells = self.stored_by_cell.items()
        return tuple(
            name
            for cell, stored in cells
            if any(KINDS[part.name].may_be_shared for part in stored.walk())
            and not _is_computed(cls, name := self.attributes_by_cell[cell])
        )

    @cached_property
    def is_immutable(self) -> bool:
        """Whether no code can change the value of a field itself, so that it need not be copied."""
        cls = self.load_class()
        types = (part for each in self.stored_by_cell.values() for part in each.walk())
        return not self.saves_by_code and (
            not any(KINDS[part.name].is_mutable for part in types)
            and not any(_is_computed(cls, name) for name, _ in self.fields)
        )

    @cached_property
    def compared(self) -> Compared:
        """The fields that `differs` does not compare, by how they are compared."""
        cls, names = self.load_class(), self.attributes_by_cell
        return compared(
            (names[cell], cell, None if _is_computed(cls, names[cell]) else stored)
            for cell, stored in self.stored_by_cell.items()
            if self.differs is None or cell in self.apart
        )

    @cached_property
    def untyped(self) -> tuple[str, ...]:
        """The cells without a declared type, which the `save_data` of the game fills."""
        types = self.stored_by_cell.items()
        return tuple(cell for cell, stored in types if stored.name == "any")

    @cached_property
    def open_cells(self) -> tuple[OpenCell, ...]:
        """The cells whose values are not checked when they are packed.

        A class with its own `save_data` may put any value into any of its cells.
        """
        quick = quick_check_of_cells if self.wraps else quick_check
        return tuple(
            OpenCell(cell, stored, attrgetter(cell), quick(stored))
            for cell, stored in self.stored_by_cell.items()
            if (self.wraps and stored.name != "any") or is_packed_unchecked(stored)
        )

    @cached_property
    def lent(self) -> tuple[str, ...]:
        """The cells of containers that the game's own `load_data` may keep and change."""
        types = self.stored_by_cell.items() if self.wraps else ()
        return tuple(
            cell
            for cell, stored in types
            if not stored.is_scalar and stored.name != "any"
        )

    @cached_property
    def has_generators(self) -> bool:
        """Whether a field holds a random generator or a counter."""
        return not self._type_names.isdisjoint(GENERATORS)

    @cached_property
    def has_numpy_generators(self) -> bool:
        """Whether a field is declared as a random generator of numpy."""
        return "generator" in self._type_names

    @cached_property
    def has_assets(self) -> bool:
        """Whether a field holds assets, which are saved by id."""
        return "asset" in self._type_names

    @cached_property
    def has_methods(self) -> bool:
        """Whether a field holds bound methods."""
        types = self.stored_by_cell.values()
        return any(p.label == LABEL for stored in types for p in stored.walk())

    @cached_property
    def _type_names(self) -> set[str]:
        types = self.stored_by_cell.values()
        return {name for stored in types for name in stored.names_inside}

    @cached_property
    def wraps(self) -> bool:
        """Whether the class overrides the generated `save_data`."""
        return hasattr(self.mixin, "save_data_")

    @cached_property
    def saves_by_code(self) -> bool:
        """Whether the game's own methods save and load a part of an object.

        If so, comparing its row with its attributes does not show whether it has changed.
        """
        return bool(self.wraps or self.behaviors)

    @cached_property
    def runs_code(self) -> bool:
        """Whether loading an object may run the game's code."""
        called = self.on_activate or self.on_deactivate
        return bool(called or self.saves_by_code or self.prepared)

    @cached_property
    def hashes_objects(self) -> bool:
        """Whether a field holds objects in a set or a group, or as keys of a dict."""
        return bool(self._hashed_types)

    @cached_property
    def hashes_values(self) -> bool:
        """Whether a field hashes other values that refer to objects."""
        return not {stored.name for stored in self._hashed_types} <= {"ref"}

    @cached_property
    def _hashed_types(self) -> list[StoredType]:
        """The types of set members, sprites and dict keys that contain references."""
        hashed = []
        for stored in self.reference_fields.values():
            for part in stored.walk():
                if part.label == GROUP_LABEL:
                    hashed += [each for each in part.walk() if each.name == "ref"]
                elif part.name in HASHING_TYPES and part.parts:
                    hashed.append(part.parts[0])
        return [stored for stored in hashed if has_keys(stored)]

    @cached_property
    def has_own_hash(self) -> bool:
        """Whether the class defines its own hash or equality."""
        return has_own_hash(self.load_class())

    @cached_property
    def caches(self) -> dict[str, Any]:
        """The attributes with computed values, each with what it has before: perhaps `NOT_SET`.

        These are cached properties, and those in which `__hash__` keeps its result.
        """
        cls = self.load_class()
        caches = {**HASH_CACHES[cls], **dict.fromkeys(cached_properties(cls), NOT_SET)}
        defaults = dict(self._unsaved_defaults)
        for cell, default in self.defaults_by_cell.items():
            defaults[self.attributes_by_cell[cell]] = default
        saved = {name: cell for cell, name in self.attributes_by_cell.items()}
        for name in HASH_CACHES[cls]:
            if name in defaults:
                caches[name] = defaults[name](cls)
            elif name in saved:
                caches[name] = None
        return caches

    @cached_property
    def defaults_by_cell(self) -> dict[str, Default]:
        """The default of each field that declares one, as a factory, by cell."""
        cells = cells_of(self.row)
        return {cells[n]: make for n, make in self.defaults.items() if n in cells}

    @property
    def defaults(self) -> dict[int, Default]:
        """The default of each field that declares one, as a factory, by number.

        A factory takes the game's class. Raises `SaveError` if this class does not exist.

        >>> class DoorSaveLoad(SaveLoadable):
        ...     save_load_field_names = {"is_open": 16, "key": 17}
        >>> class Door(DoorSaveLoad):
        ...     is_open = False
        >>> fields = (("is_open", "bool"), ("key", "int"))
        >>> entry = ClassEntry(DoorSaveLoad, lambda: None, fields=fields)
        >>> {number: default(Door) for number, default in entry.defaults.items()}
        {16: False}
        """
        cls = self.load_class()
        declared = {n: self._declared(cls, name) for n, name in self.attributes.items()}
        return {n: make for n, make in declared.items() if make} | {**self.initial}

    def _declared(self, cls: type, name: str) -> Default | None:
        """Return the default that a class declares, or the stand-in for it or for a base."""
        stand_ins = filter(None, map(_STAND_INS.get, cls.__mro__))
        classes = chain([cls], (entry.marked_class() for entry in stand_ins))
        return next(filter(None, (default_of(each, name) for each in classes)), None)

    @cached_property
    def _unsaved_defaults(self) -> list[tuple[str, Default]]:
        cls = self.load_class()
        unsaved = self.unsaved.items()
        defaults = ((n, make or self._declared(cls, n)) for n, make in unsaved)
        return [(name, make) for name, make in defaults if make]

    def differing(
        self, objects: Sequence[Any], rows: Sequence[Any], references: References
    ) -> list[int]:
        """Return the indices of objects that differ from their rows, and perhaps of some others.

        Raises an exception if, for example, an attribute is not set.
        """
        if self.wraps:
            return [*range(len(rows))]
        return differing(self, objects, rows, references)

    def blank(self, cls: Any, is_taken: IsTaken = is_none) -> Any:
        """Return a new object of the game's class without running its `__init__`."""
        return self.blanks(cls, 1, is_taken)[0]

    def blanks(
        self,
        cls: Any,
        number: int,
        is_taken: IsTaken = is_none,
        known: Container[int] = (),
    ) -> list[Any]:
        """Return new objects of the game's class without running its `__init__`.

        A `__new__` of the game may return an object that exists already; if it `is_taken`,
        another one is made without this `__new__`. Base classes from libraries are initialized.
        Attributes that are not saved get the constants that `__init__` assigns to them, except
        for objects whose `id` is `known`. Raises `SaveError` if one of these fails.
        """
        objects = new_objects(cls, number, is_taken)
        for obj in objects if self.prepared or self.unsaved else ():
            if id(obj) not in known:
                self._prepare(obj)
        return objects

    @cached_property
    def has_own_new(self) -> bool:
        """Whether the `__new__` of the class is code of the game."""
        return not isinstance(self.load_class().__new__, BuiltinFunctionType)

    @cached_property
    def needs_arguments(self) -> bool:
        """Whether only the game can make an object, because `__new__` needs arguments."""
        cls: Any = self.load_class()
        new = cls.__new__
        if new is object.__new__:
            return False
        from inspect import signature  # imported here, because few games need it

        try:
            signature(new).bind(cls)
        except TypeError:
            return True
        except ValueError:  # the class is written in C
            pass
        return False

    def _prepare(self, obj: Any) -> None:
        cls = type(obj)
        for name in self.prepared:
            try:
                initialiser = imported(name)
                if isinstance(initialiser, type):
                    initialiser = getattr(initialiser, "__init__")
                initialiser(obj)
            except Exception as error:
                raise _not_made(
                    cls, f"`{name}` raised {describe_error(error)}"
                ) from error
        for name, default in self._unsaved_defaults:
            try:
                set_field(obj, name, default(cls))
            except Exception as error:
                fault = f"`{name}` cannot be set: {describe_error(error)}"
                raise _not_made(cls, f"{fault}; run `savegen build`") from error

    def load_class(self) -> type:
        """Return the class of the objects, importing its module if necessary.

        Raises `SaveError` if the module does not define it.
        """
        return self._library_class if self.of else self.marked_class()

    @cached_property
    def _library_class(self) -> type:
        stand_in = f"the stand-in `{self.mixin.__name__.removesuffix('SaveLoad')}`"
        try:
            cls: type = imported(self.of)
        except ImportError as error:
            raise SaveError(f"{stand_in} is for `{self.of}`: {error}") from error
        names = [*self.attributes.values()]
        hooks = bool(self.before_save), bool(self.on_activate)
        for fault in stand_in_faults(cls, self.of, names, *hooks):
            raise SaveError(f"{stand_in} {fault}")
        add_stand_in(cls, self.mixin)
        _STAND_INS[cls] = self
        return cls

    def marked_class(self) -> Any:
        """Return the class marked `@saveable`, which has the methods that save and load.

        It is the class of the objects, or a stand-in for it. Its module is imported if necessary.
        Raises `SaveError` if the module no longer defines it.
        """
        cls = class_of(self.mixin)
        if cls is None:
            self.import_module()
            give_mixins()
            cls = class_of(self.mixin)
        if cls is None:
            raise SaveError(
                f"no class inherits from {self.mixin.__qualname__}; run `savegen build`"
            )
        return cls


_STAND_INS: dict[type, ClassEntry] = {}  # by class of a library


def new_objects(cls: Any, number: int, is_taken: IsTaken = is_none) -> list[Any]:
    """Return new objects of a class, on which no `__init__` was called.

    Raises `SaveError` if the class cannot make one without arguments.
    """
    try:
        if isinstance(cls.__new__, BuiltinFunctionType):
            return [*map(cls.__new__, repeat(cls, number))]
        return [_new_object(cls, is_taken) for _ in range(number)]
    except SaveError:
        raise
    except Exception as error:
        fault = f"`__new__` raised {describe_error(error)}"
        raise _not_made(cls, fault) from error


def _new_object(cls: Any, is_taken: IsTaken) -> Any:
    obj = cls.__new__(cls)
    if type(obj) is cls and not is_taken(obj):
        return obj
    functions = (vars(base).get("__new__") for base in cls.__mro__)
    return next(f for f in functions if isinstance(f, BuiltinFunctionType))(cls)


def _is_computed(cls: type, name: str) -> bool:
    """Return whether an attribute is a property, or another descriptor that runs code."""
    values = (vars(base)[name] for base in cls.__mro__ if name in vars(base))
    descriptor = type(next(values, None))
    return hasattr(descriptor, "__set__") and descriptor is not MemberDescriptorType


def _not_made(cls: type, fault: str) -> SaveError:
    return SaveError(f"{with_article(cls.__qualname__)} cannot be made: {fault}")


def hashes_change(entries: Collection[ClassEntry]) -> bool:
    """Return whether a set or dict hashes objects whose hash depends on their fields."""
    hashing = [entry for entry in entries if entry.hashes_objects]
    if not hashing:
        return False
    has_own_hash = any(entry.has_own_hash for entry in entries)
    return has_own_hash or any(entry.hashes_values for entry in hashing)
