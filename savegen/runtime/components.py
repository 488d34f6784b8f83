"""What every generated mixin is, and what it needs of its surroundings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import IntEnum
from functools import wraps
from typing import Any, ClassVar, NamedTuple, TypeVar

from savegen.runtime.errors import SaveError, a
from savegen.runtime.rows import Key, Row, cells_of, wrong_row

M = TypeVar("M", bound="type[SaveLoadable]")


class CommonFields(IntEnum):
    """The numbers that every component's data shares; 5 to 15 are kept free.

    >>> CommonFields.SAVE_LOAD_ID
    <CommonFields.SAVE_LOAD_ID: 1>
    """

    TYPE = 0
    SAVE_LOAD_ID = 1
    TRANSFORM_POSITION = 2
    TRANSFORM_SCALE = 3
    TRANSFORM_ROTATION = 4


class ParamNameMapping(NamedTuple):
    """One field that level authors see: its names on both sides, its type and its number.

    >>> ParamNameMapping("bounds", "Vec2", "area", 1201).prefab_field_name
    'area'
    """

    component_field_name: str
    component_field_type: str
    prefab_field_name: str
    component_field_index: int


class References:
    """Gives what is not plain data its key, id or number, and finds it by that again.

    A subclass, such as the manager, knows the objects of a world. Each method raises `SaveError`
    for what it does not know; `None` has key 0.

    >>> class World(References):
    ...     components = [None, "goblin", "orc"]
    ...     def key_of(self, component, /):
    ...         return self.components.index(component)
    ...     def get_component(self, key, /):
    ...         return self.components[key]
    >>> world = World()
    >>> world.get_component(world.key_of("orc"))
    'orc'
    """

    def key_of(self, component: Any, /) -> Key:
        """Return the key of an object or a component."""
        if component is None:
            return 0
        raise SaveError(
            f"a reference to {a(type(component).__qualname__)} needs something that knows"
            " its key; pass it as `references`"
        )

    def get_component(self, key: Key, /) -> Any:
        """Return the object or the component that a key names."""
        if key == 0:
            return None
        raise _unknown("component", key)

    def id_of(self, asset: Any, /) -> str:
        """Return the registered id of an asset."""
        raise SaveError(
            f"{a(type(asset).__qualname__)} needs something that knows its id; pass it as"
            " `references`"
        )

    def asset(self, id: str, /) -> Any:
        """Return the asset that is registered under an id."""
        raise _unknown("asset", id)

    def generator_key(self, generator: Any, /) -> int:
        """Return the key of a random generator."""
        raise SaveError(
            f"{a(type(generator).__qualname__)} needs something that keeps its state; pass it"
            " as `references`"
        )

    def generator(self, key: int, /) -> Any:
        """Return the random generator that a key names."""
        raise _unknown("generator", key)

    def class_number(self, cls: Any, /) -> int:
        """Return the stable number of a saveable class.

        >>> NO_REFERENCES.class_number(int)
        Traceback (most recent call last):
            ...
        savegen.runtime.errors.SaveError: `int` is not a saveable class
        """
        number = getattr(cls, "save_type", None)
        if number is None:
            raise SaveError(f"`{cls.__qualname__}` is not a saveable class")
        return int(number)

    def class_at(self, number: int, /) -> Any:
        """Return the saveable class of a number."""
        raise _unknown("class", number)

    def check(self, component: Any, row: Row, /) -> None:
        """Raise `SaveError` if a reference in a row leads to what its field may not hold.

        It is called where a game saves or loads a component by itself. Most references know
        nothing of that.
        """

    def set_of(self, keys: Iterable[Key], /) -> set[Any]:
        """Return a set of what keys name; it is filled when that has its other fields.

        >>> NO_REFERENCES.set_of([0])
        {None}
        """
        found: set[Any] = set()
        self.when_filled(lambda: found.update(map(self.get_component, keys)))
        return found

    def when_filled(self, step: Callable[[], object], /) -> None:
        """Run a step as soon as every object has its fields: it hashes some of them."""
        step()


def _unknown(what: str, key: int | str) -> SaveError:
    return SaveError(
        f"{key!r} needs something that knows its {what}; pass it as `references`"
    )


NO_REFERENCES = References()


class SaveLoadable:
    """The base of every generated mixin: it can save its fields and load them again.

    >>> from savegen.runtime.rows import Row
    >>> class DoorData(Row):
    ...     width: float
    >>> class DoorSaveLoad(SaveLoadable):  # shorter than what is generated
    ...     def save_data(self, references=NO_REFERENCES):
    ...         return DoorData(width=self.width)
    ...     def load_data(self, data, references=NO_REFERENCES):
    ...         self.width = data.width
    >>> class Door(DoorSaveLoad):
    ...     width = 1.5
    >>> wide, narrow = Door(), Door()
    >>> wide.load_data(DoorData(width=3.0))
    >>> wide.save_data(), narrow.save_data()
    (DoorData(width=3.0), DoorData(width=1.5))
    """

    __slots__ = ()

    save_type: ClassVar[IntEnum]
    SaveLoadFields: ClassVar[type[IntEnum]]
    save_load_field_names: ClassVar[Mapping[str, int]]

    def save_data(self, references: References = NO_REFERENCES) -> Row:
        """Return what is saved of `self`.

        The row is new at each call and shares no mutable value with `self`. A reference is a
        key, given by `references`.

        Raises `SaveError` if a field holds what cannot be packed as its annotation says, and
        `AttributeError` if it is not set. A manager calls it too; then such a value is kept
        beside the row.
        """
        raise NotImplementedError

    def load_data(self, data: Row, references: References = NO_REFERENCES) -> None:
        """Set the fields that `data` contains; a cell that is `UNSET` leaves its field alone.

        Raises `SaveError` if `data` is of another class, or if a reference cannot be resolved.
        """
        raise NotImplementedError

    @classmethod
    def get_param_name_mappings(cls) -> tuple[ParamNameMapping, ...]:
        """Return the fields that level authors may set, in source order."""
        return ()


def checks_rows(row: type[Row]) -> Callable[[M], M]:
    """Return a decorator of generated mixins, which check the rows that they make and load.

    Data of another class is refused; what is referred to is for `references` to check.
    savegen itself calls the methods `unchecked`, and checks the rows of a class together.

    >>> class OnlyRow(References):
    ...     def check(self, component, row, /):
    ...         print("checked:", row)
    >>> @checks_rows(Row)
    ... class DoorSaveLoad(SaveLoadable):
    ...     def save_data(self, references=NO_REFERENCES):
    ...         return Row()
    >>> row = DoorSaveLoad().save_data(OnlyRow())
    checked: Row()
    >>> row = unchecked(DoorSaveLoad.save_data)(DoorSaveLoad(), OnlyRow())
    """

    def checked(mixin: M) -> M:
        # Those with `_` have a method of the game's around them.
        for name in ("save_data", "save_data_", "load_data", "load_data_"):
            if name in vars(mixin):
                method = vars(mixin)[name]
                is_save = name.startswith("save")
                made: Any = (
                    _checked_save(method) if is_save else _checked_load(method, row)
                )
                made.unchecked = method
                setattr(mixin, name, made)
        return mixin

    return checked


def _checked_save(save: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(save)
    def save_data(self: Any, references: References = NO_REFERENCES) -> Row:
        row: Row = save(self, references)
        references.check(self, row)
        return row

    return save_data


def _checked_load(load: Callable[..., Any], row: type[Row]) -> Callable[..., Any]:
    @wraps(load)
    def load_data(self: Any, data: Row, references: References = NO_REFERENCES) -> None:
        if type(data) is not row:
            raise wrong_row(self, data)
        references.check(self, data)
        load(self, data, references)

    return load_data


def unchecked(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return what a method does without the check around it."""
    found: Callable[..., Any] = getattr(method, "unchecked", method)
    return found


def field_names(row: type[Row], /, **other_names: str) -> dict[str, int]:
    """Return the numbers of a class's fields by name: that of the cell, or another one.

    >>> class DoorFields(IntEnum):
    ...     IS_OPEN = 12
    >>> class DoorData(Row):
    ...     __numbers__ = DoorFields
    ...     is_open: bool
    >>> field_names(DoorData, is_open="_is_open")
    {'_is_open': <DoorFields.IS_OPEN: 12>}
    """
    cells = [other_names.get(cell, cell) for cell in cells_of(row).values()]
    return dict(zip(cells, row.__numbers__, strict=True))


def param_names(**shown: str | tuple[str, str]) -> Any:
    """Return the method `get_param_name_mappings` of a mixin.

    `shown` are types by field, each with the name that level authors see if that is another.

    >>> class DoorSaveLoad(SaveLoadable):
    ...     save_load_field_names = {"hp": 12, "bounds": 13}
    ...     get_param_name_mappings = param_names(hp="int", bounds=("Vec2", "area"))
    >>> [each.prefab_field_name for each in DoorSaveLoad.get_param_name_mappings()]
    ['hp', 'area']
    """

    def get_param_name_mappings(cls: Any) -> tuple[ParamNameMapping, ...]:
        """Return the fields that level authors may set, in source order."""
        return tuple(_mapping(cls, field, type) for field, type in shown.items())

    return classmethod(get_param_name_mappings)


def _mapping(mixin: Any, field: str, type: str | tuple[str, str]) -> ParamNameMapping:
    type, name = type if isinstance(type, tuple) else (type, field)
    number = mixin.save_load_field_names[field]
    return ParamNameMapping(field, type, name, number)


def class_of(mixin: type) -> type | None:
    """Return the class that inherits directly from a generated mixin, if it was defined."""
    # Python keeps the list: `__init_subclass__` of a game's base may not pass the news on.
    children: list[type] = type.__subclasses__(mixin)
    # The last one: `@dataclass(slots=True)` makes each class twice.
    return children[-1] if children else None
