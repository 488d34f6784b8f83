"""What every generated mixin is, and what it needs of its surroundings."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import Any, ClassVar, NamedTuple

from savegen.runtime.errors import SaveError, a
from savegen.runtime.keys import SaveLoadKey


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
    """Gives components their keys, and finds components by key. A subclass answers both.

    What every component has in common passes through here too, because only the world knows
    it: `save_common` begins a component's data, `load_common` takes its part of it.

    >>> from savegen.runtime import SlotKey
    >>> class World(References):
    ...     components = ["goblin", "orc"]
    ...     def key_of(self, component, /):
    ...         return SaveLoadKey(SlotKey(self.components.index(component), 1), 0)
    ...     def get_component(self, key, /):
    ...         return self.components[key.object.index]
    >>> world = World()
    >>> world.get_component(world.key_of("orc"))
    'orc'
    """

    def key_of(self, component: Any, /) -> SaveLoadKey | None:
        """Return the key of `component`; `None` for `None`.

        Raises `SaveError` if the component is not of this world.
        """
        raise NotImplementedError

    def get_component(self, key: Any, /) -> Any:
        """Return the component that `key` names; `None` for `None`.

        Raises `SaveError` if there is none.
        """
        raise NotImplementedError

    def save_common(self, component: SaveLoadable, /) -> dict[int, Any]:
        """Return new data that holds what is not a field of `component`: its type."""
        return {CommonFields.TYPE: component.save_type}

    def load_common(self, component: SaveLoadable, data: Mapping[int, Any], /) -> None:
        """Check that `data` is of the type of `component`; raises `SaveError` if not."""
        saved_type = data.get(CommonFields.TYPE, component.save_type)
        if saved_type != component.save_type:
            raise SaveError(
                f"data of {a(str(getattr(saved_type, 'name', saved_type)))} cannot be"
                f" loaded into {a(type(component).__qualname__)}"
            )


class _NoReferences(References):
    """Knows no component: only `None` can be saved or loaded as a reference."""

    def key_of(self, component: Any, /) -> SaveLoadKey | None:
        if component is None:
            return None
        raise SaveError(
            f"a reference to {a(type(component).__qualname__)} needs something that knows"
            " its key; pass it as `references`"
        )

    def get_component(self, key: Any, /) -> Any:
        if key is None:
            return None
        raise SaveError(
            f"{key} needs something that knows its component; pass it as `references`"
        )


NO_REFERENCES: References = _NoReferences()


class SaveLoadable:
    """The base of every generated mixin: it can save its fields and load them again.

    >>> class DoorSaveLoad(SaveLoadable):  # shorter than what is generated
    ...     def save_data(self, references=NO_REFERENCES):
    ...         return {12: self.width}
    ...     def load_data(self, data, references=NO_REFERENCES):
    ...         self.width = data[12]
    >>> class Door(DoorSaveLoad):
    ...     width = 1.5
    >>> wide, narrow = Door(), Door()
    >>> wide.load_data({12: 3.0})
    >>> wide.save_data(), narrow.save_data()
    ({12: 3.0}, {12: 1.5})
    """

    __slots__ = ()

    save_type: ClassVar[IntEnum]
    SaveLoadFields: ClassVar[type[IntEnum]]
    save_load_field_names: ClassVar[Mapping[str, int]]

    def save_data(self, references: References = NO_REFERENCES) -> dict[int, Any]:
        """Return what is saved of `self`, by field number.

        The dict is new at each call and shares no mutable value with `self`. A field that is
        not set is absent. A reference is a `SaveLoadKey`.

        Raises `SaveError` if a field holds what its annotation does not allow.
        """
        raise NotImplementedError

    def load_data(
        self, data: Mapping[int, Any], references: References = NO_REFERENCES
    ) -> None:
        """Take what `data` holds; a number that is absent leaves its field alone.

        Raises `SaveError` if a reference cannot be resolved.
        """
        raise NotImplementedError

    @classmethod
    def get_param_name_mappings(cls) -> tuple[ParamNameMapping, ...]:
        """Return the fields that level authors may set, in source order."""
        raise NotImplementedError


def class_of(mixin: type) -> type | None:
    """Return the class that inherits directly from a generated mixin, if it was defined."""
    # Python keeps the list: `__init_subclass__` of a game's base may not pass the news on.
    children: list[type] = type.__subclasses__(mixin)
    # The last one: `@dataclass(slots=True)` makes each class twice.
    return children[-1] if children else None
