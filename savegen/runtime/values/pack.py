"""Functions that generated code calls to pack the value of a field into a cell of a row.

Each function is named after a type; those of the standard library and of numpy use
`standard_types.py` and `arrays.py`. For a value of another type, it returns a `mismatch`.
Containers pack their members with the `member` function; without one, the members stay as
they are. Bools,
numbers, texts, references and records need no function; generated code packs them itself.
"""

from __future__ import annotations

import weakref as _weakref
from collections import defaultdict as _defaultdict
from collections import deque as _deque
from collections.abc import Callable
from itertools import repeat as _repeat
from operator import is_
from typing import Any, TypeAlias

from savegen.runtime.values import arrays, standard_types
from savegen.runtime.values.references import References
from savegen.runtime.values.checks import differ, is_class, is_literal, is_path, ordered
from savegen.runtime.values.methods import saved_name
from savegen.runtime.values.rows import mismatch
from savegen.runtime.values.sprites import sprite_group

_Pack: TypeAlias = Callable[[Any], Any]
# Functions below hide these builtins.
_list, _tuple, _set, _frozenset = list, tuple, set, frozenset


# -- containers


def list(value: Any, member: _Pack | None = None) -> Any:
    """Return the packed members of a list.

    >>> list([1, 2]), list([1, 2], str)
    ([1, 2], ['1', '2'])
    """
    if type(value) is not _list:
        return mismatch(value)
    return [*value] if member is None else [member(x) for x in value]


def list_differs(cell: Any, value: Any, member: _Pack | None = None) -> bool:
    """Return whether a list differs from its cell.

    >>> list_differs([1, 2], [1, 2]), list_differs([1], [True]), list_differs(["1"], [1], str)
    (False, True, False)
    """
    if member is None and type(value) is _list and len(value) == len(cell):
        if all(map(is_, value, cell)):
            return False
    return differ(list(value, member), cell)


def tuple(value: Any, member: _Pack | None = None) -> Any:
    """Return the packed members of a tuple of any length."""
    if type(value) is not _tuple:
        return mismatch(value)
    return value if member is None else _tuple([member(x) for x in value])


def fixed(value: Any, length: int) -> Any:
    """Return a tuple of `length` native values."""
    if type(value) is not _tuple or len(value) != length:
        return mismatch(value)
    return value


def parts(value: Any, *members: _Pack | None) -> Any:
    """Return a tuple, each member packed by its own function.

    >>> parts((1, 2), None, str)
    (1, '2')
    """
    if type(value) is not _tuple or len(value) != len(members):
        return mismatch(value)
    pairs = zip(members, value)
    return _tuple([member(x) if member else x for member, x in pairs])


def set(value: Any, member: _Pack | None = None) -> Any:
    """Return the packed members of a set, sorted as in `ordered`.

    >>> set({2, 1})
    [1, 2]
    """
    if type(value) is not _set:
        return mismatch(value)
    if not value:
        return []
    return ordered(value if member is None else [member(x) for x in value])


def frozenset(value: Any, member: _Pack | None = None) -> Any:
    """Return the packed members of a frozenset, sorted as in `ordered`."""
    if type(value) is not _frozenset:
        return mismatch(value)
    return ordered(value if member is None else [member(x) for x in value])


def set_differs(cell: Any, value: Any, member: _Pack | None = None) -> bool:
    """Return whether a set differs from its cell.

    >>> set_differs([1, 2], {2, 1}), set_differs([], _set())
    (False, False)
    """
    if not value and not cell and type(value) is _set:
        return False
    return differ(set(value, member), cell)


def frozenset_differs(cell: Any, value: Any, member: _Pack | None = None) -> bool:
    """Return whether a frozenset differs from its cell."""
    if not value and not cell and type(value) is _frozenset:
        return False
    return differ(frozenset(value, member), cell)


def deque(value: Any, member: _Pack | None = None) -> Any:
    """Return the `maxlen` of a deque and its packed members.

    >>> deque(_deque([1, 2], 5))
    (5, [1, 2])
    """
    if type(value) is not _deque:
        return mismatch(value)
    return value.maxlen, [*value] if member is None else [member(x) for x in value]


def mapping(
    value: Any,
    cls: Any,
    key: _Pack | None = None,
    item: _Pack | None = None,
    factory: Any = None,
) -> Any:
    """Return a mapping of class `cls` as a dict of packed keys and values.

    A `defaultdict` must have the given `factory`, which is not stored.

    >>> mapping({1: 2}, dict), mapping({1: 2}, dict, item=str)
    ({1: 2}, {1: '2'})
    """
    if type(value) is not cls or not _has_factory(value, cls, factory):
        return mismatch(value)
    if key is None:
        return {**value} if item is None else {k: item(x) for k, x in value.items()}
    return {key(k): item(x) if item else x for k, x in value.items()}


def pairs(
    value: Any,
    cls: Any,
    key: _Pack | None = None,
    item: _Pack | None = None,
    factory: Any = None,
) -> Any:
    """Return a mapping of class `cls` as a list of packed keys and values.

    >>> pairs({1: 2}, dict, key=str)
    [('1', 2)]
    """
    if type(value) is not cls or not _has_factory(value, cls, factory):
        return mismatch(value)
    entries = value.items()
    return [(key(k) if key else k, item(x) if item else x) for k, x in entries]


def _has_factory(value: Any, cls: Any, factory: Any) -> bool:
    return cls is not _defaultdict or value.default_factory is factory


# -- enumerations and constants


def enum(value: Any, cls: Any) -> Any:
    """Return the name of a member of an enumeration."""
    return value._name_ if type(value) is cls else mismatch(value)


def flag(value: Any, cls: Any) -> Any:
    """Return the names of the members that are combined in a flag."""
    return standard_types.pack_flag(value) if type(value) is cls else mismatch(value)


def prefab(value: Any, cls: Any) -> Any:
    """Return the number of a prefab."""
    return int(value) if type(value) is cls else mismatch(value)


def literal(value: Any, *constants: Any) -> Any:
    """Return a value that is one of the given constants."""
    return value if is_literal(value, *constants) else mismatch(value)


# -- packed with the help of `references`


def weak(value: Any, references: References) -> Any:
    """Return the key of the object of a weak reference; 0 if the object is gone."""
    is_weak = type(value) is _weakref.ref
    return references.key_of(value()) if is_weak else mismatch(value)


def generator(value: Any, cls: Any, references: References) -> Any:
    """Return the key of a random generator of class `cls`."""
    has_type = type(value) is cls
    return references._generator_key(value) if has_type else mismatch(value)


def group(value: Any, references: References) -> Any:
    """Return the key and the layer of each saveable sprite in a group; `None` for no layer."""
    found = sprite_group(value)
    if found is None:
        return mismatch(value)
    sprites, layers = found.content().saveable()
    keys = map(references.key_of, sprites)
    return [*zip(keys, _repeat(None) if layers is None else layers)]


def class_(value: Any, references: References, *bases: Any) -> Any:
    """Return the number of a saveable class that derives from one of the `bases`."""
    has_type = is_class(value, *bases)
    return references._class_number(value) if has_type else mismatch(value)


def method(value: Any, references: References) -> Any:
    """Return the key of the object of a bound method, and the name of the method."""
    name = saved_name(value)
    if name is None:
        return mismatch(value)
    return references.key_of(value.__self__), name


# -- other types, of the standard library and of numpy


def _pack_function(name: str) -> _Pack:
    """Return a function that packs values of exactly the named class of the standard library."""
    cls, pack, _ = standard_types.STANDARD_TYPES[name]

    def packed(value: Any) -> Any:
        return pack(value) if type(value) is cls else mismatch(value)

    return packed


array = _pack_function("array")
bytearray = _pack_function("bytearray")
complex = _pack_function("complex")
date = _pack_function("date")
datetime = _pack_function("datetime")
decimal = _pack_function("decimal")
fraction = _pack_function("fraction")
time = _pack_function("time")
timedelta = _pack_function("timedelta")
uuid = _pack_function("uuid")


def path(value: Any, flavour: str) -> Any:
    """Return a path as text, prefixed with its flavour; `flavour` is that of the declared type.

    Only a path of the system, in a field declared `Path`, has no prefix.
    """
    return (
        standard_types.pack_path(value, flavour) if is_path(value) else mismatch(value)
    )


def ndarray(value: Any, members: str = "generic") -> Any:
    """Return a numpy array as data, if its members are of the named numpy class."""
    has_type = arrays.is_array(value, members)
    return arrays.pack_ndarray(value, members) if has_type else mismatch(value)


def number(value: Any, name: str) -> Any:
    """Return a numpy scalar of the named class as data."""
    has_type = arrays.is_number(value, name)
    return arrays.pack_number(value) if has_type else mismatch(value)


def numbers(value: Any, cls: Any) -> Any:
    """Return the numbers in a vector, a rectangle or a colour, if its class is `cls`."""
    return (*value,) if type(value) is cls else mismatch(value)
