"""The base class of generated mixins, and the `References` that they save and load with."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from enum import IntEnum
from functools import wraps
from typing import Any, ClassVar, NamedTuple, TypeVar

from savegen.runtime.errors import SaveError, with_article
from savegen.runtime.generated.named import imported, module_named, name_of
from savegen.runtime.values.rows import Key, Row, cells_of, wrong_row
from savegen.runtime.values.values import NO_VALUES, Values

M = TypeVar("M", bound="type[SaveLoadable]")


class CommonFields(IntEnum):
    """Field numbers that are the same for all components; 5 to 15 are reserved.

    >>> CommonFields.SAVE_LOAD_ID
    <CommonFields.SAVE_LOAD_ID: 1>
    """

    TYPE = 0
    SAVE_LOAD_ID = 1
    TRANSFORM_POSITION = 2
    TRANSFORM_SCALE = 3
    TRANSFORM_ROTATION = 4


class ParamNameMapping(NamedTuple):
    """A field that level authors can set: its name in the class and in levels, type and number.

    >>> ParamNameMapping("bounds", "Vec2", "area", 1201).prefab_field_name
    'area'
    """

    component_field_name: str
    component_field_type: str
    prefab_field_name: str
    component_field_index: int


class References:
    """Translates objects, assets, generators and classes to keys, ids and numbers, and back.

    Subclasses, such as the manager, have the objects of a world. Methods raise `SaveError` for
    an unknown object, key, id or number. The key of `None` is 0.

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

    values: Values = NO_VALUES  # the game's classes of values

    def key_of(self, component: Any, /) -> Key:
        """Return the key of an object or a component."""
        if component is None:
            return 0
        raise SaveError(
            f"a reference to {with_article(type(component).__qualname__)} cannot be saved without a"
            " manager; pass one as `references`"
        )

    def get_component(self, key: Key, /) -> Any:
        """Return the object or component with a key."""
        if key == 0:
            return None
        raise _unknown("component", key)

    def id_of(self, asset: Any, /) -> str:
        """Return the registered id of an asset."""
        raise SaveError(
            f"{with_article(type(asset).__qualname__)} is an asset, and cannot be saved without a"
            " manager; pass one as `references`"
        )

    def asset(self, id: str, /) -> Any:
        """Return the asset with an id."""
        raise _unknown("asset", id)

    def _generator_key(self, generator: Any, /) -> int:
        """Return the key of a random generator."""
        raise SaveError(
            f"{with_article(type(generator).__qualname__)} cannot be saved without a manager; pass one"
            " as `references`"
        )

    def _generator(self, key: int, /) -> Any:
        """Return the random generator with a key."""
        raise _unknown("generator", key)

    def _class_number(self, cls: Any, /) -> int:
        """Return the stable number of a saveable class.

        >>> NO_REFERENCES._class_number(int)
        Traceback (most recent call last):
            ...
        savegen.runtime.errors.SaveError: `int` is not a saveable class
        """
        number = getattr(cls, "save_type", None)
        if number is None:
            raise SaveError(f"`{cls.__qualname__}` is not a saveable class")
        return int(number)

    def _class_at(self, number: int, /) -> Any:
        """Return the saveable class with a stable number."""
        raise _unknown("class", number)

    def _missing_method(self, obj: Any, name: str, /) -> Any:
        """Return what replaces a method that a row names, but the object does not have.

        Only a load replaces it; this base class raises `SaveError`.
        """
        raise SaveError(no_method(obj, name))

    def _check(self, component: Any, row: Row, /) -> None:
        """Raise `SaveError` if a reference in a row does not fit the type of its field.

        It is called when a game calls `save_data` or `load_data` of a component. This base class
        checks nothing; the manager overrides it.
        """

    def _set_of(self, keys: Iterable[Key], /) -> set[Any]:
        """Return a set of the objects with the given keys.

        During a load it is filled later, since the hash of an object may depend on its fields.
        """
        objects: set[Any] = set()
        self._when_filled(lambda: objects.update(map(self.get_component, keys)))
        return objects

    def _stays_in_group(self, sprite: Any, /) -> bool:
        """Return whether a sprite that a saved group did not have stays in it during a load."""
        return not is_saveable_object(sprite)

    def _when_filled(self, step: Callable[[], object], /) -> None:
        """Run a step that hashes objects; during a load, after all objects have their fields."""
        step()


def _unknown(kind: str, key: int | str) -> SaveError:
    return SaveError(
        f"the {kind} {key!r} cannot be found without a manager; pass one as `references`"
    )


def no_method(obj: Any, name: str) -> str:
    """Return the text about a method that an object does not have any more."""
    cls = type(obj).__qualname__
    return (
        f"`{cls}` has no method `{name}`; if you renamed it, add `{name} = <new name>` to the"
        " class, below the method"
    )


NO_REFERENCES = References()


class SaveLoadable:
    """The base class of generated mixins, which save and load the fields of an object.

    >>> from savegen.runtime.values.rows import Row
    >>> class DoorData(Row):
    ...     width: float
    >>> class DoorSaveLoad(SaveLoadable):  # shorter than the generated one
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
    # The methods that a field may hold; set by the registry.
    SaveLoadMethods: ClassVar[tuple[str, ...]] = ()

    def save_data(self, references: References = NO_REFERENCES) -> Row:
        """Return a row with the saved fields of `self`.

        Each call returns a new row, which shares no mutable value with `self`. `references`
        provides the keys of objects that fields refer to.

        Raises `SaveError` if a value does not fit the annotation of its field, and
        `AttributeError` if a field is not set. If the manager calls it, such values are not
        errors: they are saved separately from the row.
        """
        raise NotImplementedError

    def load_data(self, data: Row, references: References = NO_REFERENCES) -> None:
        """Set the fields that `data` contains; leave fields unchanged whose cell is `UNSET`.

        Raises `SaveError` if `data` is of another class, or if a reference cannot be resolved.
        """
        raise NotImplementedError

    @classmethod
    def get_param_name_mappings(cls) -> tuple[ParamNameMapping, ...]:
        """Return the fields that level authors may set, in source order."""
        return ()


def checks_rows(row: type[Row]) -> Callable[[M], M]:
    """Return a decorator that adds checks to `save_data` and `load_data` of a generated mixin.

    `load_data` raises `SaveError` for rows of another class, and both methods call
    `references._check`. savegen itself calls the methods `unchecked`, because it checks all rows
    of a class together.

    >>> class OnlyRow(References):
    ...     def _check(self, component, row, /):
    ...         print("checked:", row)
    >>> @checks_rows(Row)
    ... class DoorSaveLoad(SaveLoadable):
    ...     def save_data(self, references=NO_REFERENCES):
    ...         return Row()
    >>> row = DoorSaveLoad().save_data(OnlyRow())
    checked: Row()
    >>> row = unchecked(DoorSaveLoad.save_data)(DoorSaveLoad(), OnlyRow())
    """

    def add_checks(mixin: M) -> M:
        # The names with `_` are called by a `save_data` or `load_data` of the game.
        for name in ("save_data", "save_data_", "load_data", "load_data_"):
            if name in vars(mixin):
                method = vars(mixin)[name]
                checked: Any = _checked_load(method, row)
                if name.startswith("save"):
                    checked = _checked_save(method)
                checked.unchecked = method
                setattr(mixin, name, checked)
        return mixin

    return add_checks


def _checked_save(save: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(save)
    def save_data(self: Any, references: References = NO_REFERENCES) -> Row:
        row: Row = save(self, references)
        references._check(self, row)
        return row

    return save_data


def _checked_load(load: Callable[..., Any], row: type[Row]) -> Callable[..., Any]:
    @wraps(load)
    def load_data(self: Any, data: Row, references: References = NO_REFERENCES) -> None:
        if type(data) is not row:
            raise wrong_row(self, data)
        references._check(self, data)
        load(self, data, references)

    return load_data


# The attributes of a mixin, which a class without its own base for it gets as copies.
_MEMBERS = (
    "save_type",
    "SaveLoadFields",
    "save_load_field_names",
    "get_param_name_mappings",
    "save_data",
    "save_data_",
    "load_data",
    "load_data_",
)


def gives_mixins(mixins: Mapping[str, str]) -> Callable[[M], M]:
    """Return a decorator for a generated mixin that gives each subclass its own mixin.

    `mixins` contains for each class (`module:qualname`) its mixin, which is imported when the
    class is created. The class gets copies of its methods, since Python cannot add a base then.

    >>> @gives_mixins({"mygame.orcs:Orc": "mygame._savegen.components.orcs:OrcSaveLoad"})
    ... class EnemySaveLoad(SaveLoadable): ...
    >>> EnemySaveLoad.subclass_mixins["mygame.orcs:Orc"]
    'mygame._savegen.components.orcs:OrcSaveLoad'
    """

    def add_hook(mixin: M) -> M:
        base: Any = mixin

        def __init_subclass__(cls: type, /, **keywords: Any) -> None:
            super(base, cls).__init_subclass__(**keywords)
            give_mixin(cls)

        base.subclass_mixins = mixins
        base.__init_subclass__ = classmethod(__init_subclass__)
        return mixin

    return add_hook


def give_mixin(cls: type) -> None:
    """Copy the members of its own mixin to a class that gets it from a base.

    The mixin calls this when the class is created, unless the `__init_subclass__` of another
    base hides that of the mixin.
    """
    # `@dataclass(slots=True)` creates the class again, with these members.
    mixin = vars(cls).get("own_mixin") or _own_mixin(cls)
    if mixin is None or mixin in cls.__mro__:
        return
    for name in _MEMBERS:
        if name in vars(mixin) and name not in vars(cls):
            setattr(cls, name, vars(mixin)[name])
    setattr(cls, "own_mixin", mixin)
    mixin.given_to = cls


def _own_mixin(cls: type) -> Any:
    mixins: Mapping[str, str] = getattr(cls, "subclass_mixins", {})
    name = name_of(cls)
    if cls.__module__ == "__main__":  # the mixins are listed under the name of its file
        ending = f":{cls.__qualname__}"
        names = (name for name in mixins if name.endswith(ending))
        main = sys.modules["__main__"]
        name = next((n for n in names if module_named(n[: -len(ending)]) is main), name)
    return imported(mixins[name]) if name in mixins else None


def give_mixins() -> None:
    """Give their mixins to the classes that were created without it."""
    waiting: list[type] = [SaveLoadable]
    while waiting:
        cls = waiting.pop()
        give_mixin(cls)
        waiting += type.__subclasses__(cls)


def unchecked(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method without the check that `checks_rows` may have added."""
    original: Callable[..., Any] = getattr(method, "unchecked", method)
    return original


def field_names(row: type[Row], /, **other_names: str) -> dict[str, int]:
    """Return the field numbers of a class by attribute name.

    An attribute has the name of its cell, unless `other_names` has another name for that cell.

    >>> class DoorFields(IntEnum):
    ...     IS_OPEN = 12
    >>> class DoorData(Row):
    ...     __numbers__ = DoorFields
    ...     is_open: bool
    >>> field_names(DoorData, is_open="_is_open")
    {'_is_open': <DoorFields.IS_OPEN: 12>}
    """
    names = [other_names.get(cell, cell) for cell in cells_of(row).values()]
    return dict(zip(names, row.__numbers__, strict=True))


def param_names(**fields: str | tuple[str, str]) -> Any:
    """Return the method `get_param_name_mappings` for a mixin.

    `fields` contains for each field its type, or its type and the name that levels use.

    >>> class DoorSaveLoad(SaveLoadable):
    ...     save_load_field_names = {"hp": 12, "bounds": 13}
    ...     get_param_name_mappings = param_names(hp="int", bounds=("Vec2", "area"))
    >>> [param.prefab_field_name for param in DoorSaveLoad.get_param_name_mappings()]
    ['hp', 'area']
    """

    def get_param_name_mappings(cls: Any) -> tuple[ParamNameMapping, ...]:
        """Return the fields that level authors may set, in source order."""
        return tuple(_mapping(cls, field, type) for field, type in fields.items())

    return classmethod(get_param_name_mappings)


def _mapping(mixin: Any, field: str, type: str | tuple[str, str]) -> ParamNameMapping:
    type, name = type if isinstance(type, tuple) else (type, field)
    number = mixin.save_load_field_names[field]
    return ParamNameMapping(field, type, name, number)


_STAND_INS: dict[type, type[SaveLoadable]] = {}  # class of a library → mixin


def add_stand_in(cls: type, mixin: type[SaveLoadable]) -> None:
    """Make `is_saveable_object` and `mixin_of` recognise a class of a library."""
    _STAND_INS[cls] = mixin


def mixin_of(cls: Any) -> Any:
    """Return the mixin of a class if it is not among its bases; for any other class, the class.

    It is that of the stand-in for a class of a library, or one that a base has given.
    """
    return _STAND_INS.get(cls) or vars(cls).get("own_mixin", cls)


def is_saveable_object(obj: object) -> bool:
    """Return whether the class of an object is saveable, itself or by a stand-in."""
    return is_saveable_class(type(obj))


def is_saveable_class(cls: type) -> bool:
    """Return whether a class is saveable, itself or by a stand-in."""
    return issubclass(cls, SaveLoadable) or cls in _STAND_INS


def has_own_hash(cls: Any) -> bool:
    """Return whether a class defines its own hash or equality."""
    return (cls.__hash__, cls.__eq__) != (object.__hash__, object.__eq__)


def class_of(mixin: type) -> type | None:
    """Return the class that has a generated mixin as a base, or its members, if it was defined."""
    # An `__init_subclass__` cannot be used: a base class of the game may not call `super()`.
    children: list[type] = type.__subclasses__(mixin)
    # `@dataclass(slots=True)` creates each class twice; the last one is used.
    return children[-1] if children else vars(mixin).get("given_to")


def has_own_mixin(cls: type) -> bool:
    """Return whether a class has a mixin of its own, not only that of a base."""
    for base in cls.__bases__:
        if "save_type" in vars(base) and "own_mixin" not in vars(base):
            return True
    give_mixin(cls)
    return "own_mixin" in vars(cls)
