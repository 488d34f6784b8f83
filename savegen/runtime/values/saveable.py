"""`SaveLoadable`, the base class of generated mixins, and how to find the mixin of a class."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from enum import IntEnum
from typing import Any, ClassVar, NamedTuple

from savegen.runtime.values.basics.named import imported, module_named, name_of
from savegen.runtime.values.references import NO_REFERENCES, References
from savegen.runtime.values.rows import Row


class ParamNameMapping(NamedTuple):
    """A field that level authors can set: its name in the class and in levels, type and number.

    >>> ParamNameMapping("bounds", "Vec2", "area", 1201).prefab_field_name
    'area'
    """

    component_field_name: str
    component_field_type: str
    prefab_field_name: str
    component_field_index: int


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
    # By cell: the factories of the `defaultdict`s in a field that its stored type does not tell.
    field_factories: ClassVar[Mapping[str, Callable[[], tuple[Any, ...]]]] = {}
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


# The attributes of a mixin, which a class without its own base for it gets as copies.
_MEMBERS = (
    "save_type",
    "SaveLoadFields",
    "save_load_field_names",
    "get_param_name_mappings",
    "field_factories",
    "save_data",
    "save_data_",
    "load_data",
    "load_data_",
)


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


# By `id`, since a metaclass may not be hashable: a class of a library, and its mixin.
_STAND_INS: dict[int, tuple[type, type[SaveLoadable]]] = {}


def add_stand_in(cls: type, mixin: type[SaveLoadable]) -> None:
    """Make `is_saveable_object` and `mixin_of` recognise a class of a library."""
    _STAND_INS[id(cls)] = cls, mixin


def mixin_of(cls: Any) -> Any:
    """Return the mixin of a class if it is not among its bases; for any other class, the class.

    It is that of the stand-in for a class of a library, or one that a base has given.
    """
    stand_in = _STAND_INS.get(id(cls))
    return stand_in[1] if stand_in else vars(cls).get("own_mixin", cls)


def is_saveable_object(obj: object) -> bool:
    """Return whether the class of an object is saveable, itself or by a stand-in."""
    return is_saveable_class(type(obj))


def is_saveable_class(cls: type) -> bool:
    """Return whether a class is saveable, itself or by a stand-in."""
    return issubclass(cls, SaveLoadable) or id(cls) in _STAND_INS


def has_own_hash(cls: Any) -> bool:
    """Return whether a class defines its own hash or equality."""
    return (cls.__hash__, cls.__eq__) != (object.__hash__, object.__eq__)


def has_own_mixin(cls: type) -> bool:
    """Return whether a class has a mixin of its own, not only that of a base."""
    for base in cls.__bases__:
        if "save_type" in vars(base) and "own_mixin" not in vars(base):
            return True
    give_mixin(cls)
    return "own_mixin" in vars(cls)


def class_of(mixin: type) -> type | None:
    """Return the class that has a generated mixin as a base, or its members, if it was defined."""
    # An `__init_subclass__` cannot be used: a base class of the game may not call `super()`.
    children: list[type] = type.__subclasses__(mixin)
    # `@dataclass(slots=True)` creates each class twice; the last one is used.
    return children[-1] if children else vars(mixin).get("given_to")


def unchecked(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method without the check that `checks_rows` may have added."""
    original: Callable[..., Any] = getattr(method, "unchecked", method)
    return original
