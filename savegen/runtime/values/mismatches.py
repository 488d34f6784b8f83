"""Counts and finds values that do not fit their field while objects are packed into rows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from operator import attrgetter
from types import MethodType
from typing import Any

from savegen.runtime.errors import EXHAUSTED, exhausted
from savegen.runtime.values.fields import set_field
from savegen.runtime.values.rows import Mismatch, Row, _collecting


class _NotSet:
    """The type of `NOT_SET`, which no field of a game declares."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "<not set>"


NOT_SET: Any = _NotSet()
"""Stands for an attribute that is not set."""


def collected() -> AbstractContextManager[None]:
    """Within the context, let `rows.mismatch` return a `Mismatch` for a value that does not fit."""
    return _counted_from(0)


def refused() -> AbstractContextManager[None]:
    """Within the context, let `rows.mismatch` raise an error, as it does without a capture."""
    return _counted_from(None)


@contextmanager
def _counted_from(count: int | None) -> Iterator[None]:
    previous = _collecting.count
    try:
        _collecting.count = count
        yield
    finally:
        _collecting.count = previous


def count() -> int:
    """Return the number of mismatches that were counted so far."""
    return _collecting.count or 0


def count_row() -> None:
    """Count a row that holds `NOT_SET`."""
    _collecting.count = count() + 1


def holds_mismatch(cell: Any) -> bool:
    """Return whether a cell contains a `Mismatch` at any depth.

    >>> holds_mismatch([(1, Mismatch("a"))]), holds_mismatch([(1, 2)])
    (True, False)
    """
    cls = type(cell)
    if cls is Mismatch or cell is NOT_SET:
        return True
    if cls is list or cls is tuple:
        return any(map(holds_mismatch, cell))
    if cls is dict:
        return any(map(holds_mismatch, [*cell, *cell.values()]))
    if isinstance(cell, Row):
        return any(holds_mismatch(getattr(cell, n)) for n in cell.__struct_fields__)
    return False


class Probe:
    """A stand-in for an object that cannot be packed directly.

    Attributes that are not set read as `NOT_SET`, whose type fits no field. The
    probe remembers the last attribute read: if packing fails, that one is the cause.

    >>> class Door: ...
    >>> probe = Probe(Door(), set())
    >>> probe.width is NOT_SET, last_read(probe)
    (True, 'width')
    """

    __slots__ = ("_last", "_skipped", "_obj")

    def __init__(self, obj: Any, skipped: set[str]) -> None:
        """The `skipped` attributes always read as `NOT_SET`."""
        object.__setattr__(self, "_obj", obj)
        object.__setattr__(self, "_skipped", skipped)
        object.__setattr__(self, "_last", "")

    def __getattribute__(self, name: str) -> Any:
        object.__setattr__(self, "_last", name)
        if name in object.__getattribute__(self, "_skipped"):
            return NOT_SET
        obj = object.__getattribute__(self, "_obj")
        if (
            name == "save_data_"
        ):  # called by the game's `save_data`; it reads this probe, too
            return MethodType(type(obj).save_data_, self)
        try:
            return getattr(obj, name)
        except AttributeError:
            return NOT_SET
        except EXHAUSTED as error:
            raise exhausted(f"`{type(obj).__qualname__}.{name}`", error) from error


def last_read(probe: Probe) -> str:
    """Return the attribute of a probe that was read last."""
    name: str = object.__getattribute__(probe, "_last")
    return name


def value_of(obj: Any, attribute: str) -> Any:
    """Return the value of an attribute; `NOT_SET` if it is not set, or if reading it raises.

    Raises `ExhaustedError` if reading it runs out of memory, or of nested calls.
    """
    try:
        return attrgetter(attribute)(obj)
    except EXHAUSTED as error:
        where = f"`{type(obj).__qualname__}.{attribute}`"
        raise exhausted(where, error) from error
    except Exception:  # by a property or `__getattr__` of the game
        return NOT_SET


def set_value(obj: Any, attribute: str, value: Any) -> None:
    """Set an attribute to exactly the given value; `NOT_SET` deletes it."""
    owner, _, name = attribute.rpartition(".")
    target = attrgetter(owner)(obj) if owner else obj
    if value is not NOT_SET:
        set_field(target, name, value)
        return
    try:
        object.__delattr__(target, name)
    except AttributeError:  # it is not set, or is an attribute of the class
        pass
