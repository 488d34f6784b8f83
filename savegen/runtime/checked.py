"""`save_data` and `load_data` as a game calls them: a row is held against its class there."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from savegen.runtime.components import NO_REFERENCES, References, SaveLoadable
from savegen.runtime.rows import Row

M = TypeVar("M", bound=type[SaveLoadable])
_Method = Callable[..., Any]


def checks_references(mixin: M) -> M:
    """Return a generated mixin that has `references` check the rows it makes and loads.

    savegen itself calls its methods `unchecked`, and checks the rows of a class together.

    >>> class OnlyRow(References):
    ...     def check(self, component, row, /):
    ...         print("checked:", row)
    >>> @checks_references
    ... class DoorSaveLoad(SaveLoadable):
    ...     def save_data(self, references=NO_REFERENCES):
    ...         return Row()
    >>> row = DoorSaveLoad().save_data(OnlyRow())
    checked: Row()
    >>> row = unchecked(DoorSaveLoad.save_data)(DoorSaveLoad(), OnlyRow())
    """
    for name, checked in (("save_data", _checked_save), ("load_data", _checked_load)):
        for each in (
            name,
            f"{name}_",
        ):  # the second one has a method of the game's around it
            if each in vars(mixin):
                method = vars(mixin)[each]
                made: Any = wraps(method)(checked(method))
                made.unchecked = method
                setattr(mixin, each, made)
    return mixin


def _checked_save(save: _Method) -> _Method:
    def save_data(self: Any, references: References = NO_REFERENCES) -> Row:
        row: Row = save(self, references)
        references.check(self, row)
        return row

    return save_data


def _checked_load(load: _Method) -> _Method:
    def load_data(self: Any, data: Row, references: References = NO_REFERENCES) -> None:
        references.check(self, data)
        load(self, data, references)

    return load_data


def unchecked(method: _Method) -> _Method:
    """Return what a method does without the check around it."""
    found: _Method = getattr(method, "unchecked", method)
    return found
