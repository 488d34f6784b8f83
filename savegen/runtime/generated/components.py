"""The decorators and functions of generated mixins."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, TypeVar

from savegen.runtime.errors import SaveError
from savegen.runtime.generated.field_by_field import first_fault
from savegen.runtime.values.references import NO_REFERENCES, References
from savegen.runtime.values.rows import Row, cells_of, wrong_row
from savegen.runtime.values.saveable import ParamNameMapping, SaveLoadable, give_mixin

M = TypeVar("M", bound="type[SaveLoadable]")


def checks_rows(row: type[Row]) -> Callable[[M], M]:
    """Return a decorator that adds checks to `save_data` and `load_data` of a generated mixin.

    `load_data` raises `SaveError` for rows of another class, and both methods call
    `references._check`. savegen itself calls the methods `unchecked`, because it checks all rows
    of a class together.

    >>> from savegen.runtime.values.saveable import unchecked
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
        try:
            row: Row = save(self, references)
        except Exception as error:
            packed = references._rescue(self, error)
            if packed is not None:
                return packed
            fault = (
                first_fault(self, references) if isinstance(error, SaveError) else None
            )
            raise fault or error
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


def field_names(row: type[Row], /, **other_names: str) -> dict[str, int]:
    """Return the field numbers of a class by attribute name.

    An attribute has the name of its cell, unless `other_names` has another name for that cell.

    >>> from enum import IntEnum
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
