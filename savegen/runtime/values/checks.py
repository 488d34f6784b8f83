"""Functions that generated code calls to compare cells, and to check the types of values."""

from __future__ import annotations

from collections.abc import Iterable
from operator import is_
from typing import Any

from msgspec import Struct, msgpack

from savegen.runtime.values.saveable import SaveLoadable, has_own_mixin
from savegen.runtime.values.stored import StoredType
from savegen.runtime.values.libraries.standard_types import is_path as is_path

_encode = msgpack.Encoder().encode


def differ(left: Any, right: Any) -> bool:
    """Return whether two cells of one stored type differ in a type or a bit.

    >>> differ([1, 0.0], [1, -0.0]), differ((1, 2), (True, 2)), differ([1, None], [1, None])
    (True, True, False)
    """
    if left is right:
        return False
    try:
        return _encode(left) != _encode(right)
    except Exception:  # MessagePack cannot encode a long int, a lone surrogate, `UNSET`
        return differ_in_parts(left, right)


def members_differ(value: Any, cell: list[Any]) -> bool:
    """Return whether a value is not a list of the very members of a cell.

    >>> name = "sword"
    >>> members_differ([name], [name]), members_differ((name,), [name]), members_differ([1], [1.0])
    (False, True, True)
    """
    if type(value) is not list or len(value) != len(cell):
        return True
    return not all(map(is_, value, cell))


def differ_in_parts(left: Any, right: Any) -> bool:
    """Return whether two values differ in the type or a bit of any part."""
    if left is right:
        return False
    if type(left) is not type(right):
        return True
    if isinstance(left, Struct):
        left, right = _cells(left), _cells(right)
    if type(left) is dict:
        left = [part for entry in left.items() for part in entry]
        right = [part for entry in right.items() for part in entry]
    if type(left) in (list, tuple):
        return len(left) != len(right) or any(map(differ_in_parts, left, right))
    if type(left) is float:
        return _encode(left) != _encode(right)
    return type(left) not in (int, str, bytes) or left != right


def _cells(row: Struct) -> tuple[Any, ...]:
    return tuple(getattr(row, name) for name in row.__struct_fields__)


def ordered(cells: Iterable[Any]) -> list[Any]:
    """Return the cells of a set's members in an order that depends only on the cells.

    >>> ordered([(2, "b"), (1, "c")])
    [(1, 'c'), (2, 'b')]
    """
    members = [*cells]
    try:
        if {*map(type, members)} in _SORTABLE:
            return sorted(members)
        return sorted(members, key=_encode)
    except Exception:  # a long int or a lone surrogate
        return sorted(members, key=_repr) if all(map(_is_plain, members)) else members


_SORTABLE = ({int}, {str}, {bytes})


def _repr(cell: Any) -> bytes:
    return ascii(cell).encode()


def _is_plain(cell: Any) -> bool:
    """Return whether `repr` of a cell runs no code of the game."""
    if type(cell) in (list, tuple):
        return all(map(_is_plain, cell))
    return cell is None or type(cell) in (bool, int, float, str, bytes, StoredType)


def has_keys(value: Any, *names: str) -> bool:
    """Return whether a value is a dict that has no keys other than `names`.

    >>> has_keys({"a": 1}, "a", "b"), has_keys({"c": 1}, "a", "b")
    (True, False)
    """
    if type(value) is not dict or not value.keys() <= {*names}:
        return False
    return all(type(key) is str for key in value)


def is_literal(value: Any, *constants: Any) -> bool:
    """Return whether a value equals one of the constants and has the same type.

    >>> is_literal(1, 1, "a"), is_literal(True, 1, "a")
    (True, False)
    """
    return any(type(c) is type(value) and c == value for c in constants)


def is_class(value: Any, *bases: Any) -> bool:
    """Return whether a value is a saveable class that derives from one of the `bases`.

    >>> class DoorSaveLoad(SaveLoadable):
    ...     save_type = 7
    >>> class Door(DoorSaveLoad): ...
    >>> class Gate(Door): ...
    >>> is_class(Door, object), is_class(Gate, Door), is_class(Door, Gate)
    (True, False, False)
    """
    if not isinstance(value, type) or not issubclass(value, SaveLoadable):
        return False
    if not has_own_mixin(value):
        return False  # an unmarked subclass has only the number of its base
    try:
        return issubclass(value, bases)
    except TypeError:  # `issubclass` does not work with a protocol that has attributes
        return True
