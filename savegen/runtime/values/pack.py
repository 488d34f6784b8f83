"""Functions that generated code calls to pack the value of a field into a cell of a row.

Each function is named after a type; those of the standard library and of numpy use
`standard_types.py` and `arrays.py`. For a value of another type, it raises `Misfit`. Containers
pack each member with a function; members of a native type (`bool`, `int`, `float`, `str`, `bytes`)
stay as they are, and this type stands for the function. Generated code packs other numbers, texts,
references and records itself.
"""

from __future__ import annotations

import weakref as _weakref
from collections import defaultdict as _defaultdict
from collections import deque as _deque
from collections.abc import Callable
from itertools import repeat as _repeat
from typing import Any, TypeAlias

from savegen.runtime.values.libraries import arrays, standard_types
from savegen.runtime.values.factories import is_same
from savegen.runtime.values.references import References
from savegen.runtime.values.checks import is_class, is_literal, is_path, ordered
from savegen.runtime.values.libraries.methods import saved_name
from savegen.runtime.values.rows import misfit
from savegen.runtime.values.libraries.sprites import sprite_group

_Pack: TypeAlias = Callable[[Any], Any]
# Functions below hide these builtins.
_list, _tuple, _set, _frozenset = list, tuple, set, frozenset


# -- containers

_NATIVE = _frozenset([bool, int, float, str, bytes])


def _check_native(members: Any, member: Any) -> None:
    """Raise `Misfit` for the first member that is not of a native type."""
    for x in members:
        # Type checkers accept an int as a float.
        if type(x) is not member and (member is not float or type(x) is not int):
            misfit(x)


def list(value: Any, member: _Pack) -> Any:
    """Return the packed members of a list.

    >>> list([1, 2], int), list([1, 2], lambda x: (x,))
    ([1, 2], [(1,), (2,)])
    """
    if type(value) is not _list:
        misfit(value)
    for x in value:
        if type(x) is not member:
            break
    else:
        return [*value]
    if member not in _NATIVE:
        return [member(x) for x in value]
    _check_native(value, member)
    return [*value]


def tuple(value: Any, member: _Pack) -> Any:
    """Return the packed members of a tuple of any length."""
    if type(value) is not _tuple:
        misfit(value)
    if member not in _NATIVE:
        return _tuple([member(x) for x in value])
    _check_native(value, member)
    return value


def pair(value: Any, first: _Pack, second: _Pack) -> Any:
    """Return what `fixed` returns for a tuple of two, which it finds faster.

    >>> pair((1, "a"), int, str), pair((1, 2), int, lambda x: [x])
    ((1, 'a'), (1, [2]))
    """
    if type(value) is _tuple and len(value) == 2:
        if type(value[0]) is first and type(value[1]) is second:
            return value
    return fixed(value, first, second)


def fixed(value: Any, *members: _Pack) -> Any:
    """Return a tuple with one type, or one function that packs, for each member.

    >>> fixed((1, "a"), int, str), fixed((1, 2), int, lambda x: [x])
    ((1, 'a'), (1, [2]))
    """
    if type(value) is not _tuple:
        misfit(value)
    if (*map(type, value),) == members:
        return value
    if len(value) != len(members):
        misfit(value)
    return _tuple([_packed(x, member) for x, member in zip(value, members)])


def _packed(x: Any, member: _Pack) -> Any:
    if member not in _NATIVE:
        return member(x)
    _check_native((x,), member)
    return x


def set(value: Any, member: _Pack) -> Any:
    """Return the packed members of a set, sorted as in `ordered`.

    >>> set({2, 1}, int)
    [1, 2]
    """
    if type(value) is not _set:
        misfit(value)
    return _sorted(value, member) if value else []


def frozenset(value: Any, member: _Pack) -> Any:
    """Return the packed members of a frozenset, sorted as in `ordered`."""
    if type(value) is not _frozenset:
        misfit(value)
    return _sorted(value, member) if value else []


def set_of(value: Any, cls: Any, references: References, classes: Any) -> Any:
    """Return the keys of the objects in a set or frozenset, in ascending order.

    The set is of class `cls`, and each object of one of the `classes`.

    >>> class Keys(References):
    ...     def key_of(self, component, /):
    ...         return {"goblin": 7, "orc": 2}[component]
    >>> set_of({"goblin", "orc"}, _set, Keys(), str)
    [2, 7]
    """
    if type(value) is not cls:
        misfit(value)
    if not value:
        return []
    for x in value:
        if not isinstance(x, classes):
            misfit(x)
    keys = [*map(references.key_of, value)]
    keys.sort()
    return keys


def _sorted(members: Any, member: _Pack) -> Any:
    if member not in _NATIVE:
        return ordered([member(x) for x in members])
    _check_native(members, member)
    return ordered(members)


def deque(value: Any, member: _Pack) -> Any:
    """Return the `maxlen` of a deque and its packed members.

    >>> deque(_deque([1, 2], 5), int)
    (5, [1, 2])
    """
    if type(value) is not _deque:
        misfit(value)
    return value.maxlen, list([*value], member)


def mapping(value: Any, cls: Any, key: _Pack, item: _Pack, factory: Any = None) -> Any:
    """Return a mapping of class `cls` as a dict of packed keys and values.

    A `defaultdict` must have the given `factory`, or one that makes the same values; it is not
    stored.

    >>> mapping({1: 2}, dict, int, int), mapping({1: 2}, dict, int, lambda x: [x])
    ({1: 2}, {1: [2]})
    """
    if type(value) is not cls or not _has_factory(value, cls, factory):
        misfit(value)
    if key in _NATIVE:
        _check_native(value, key)
        if item not in _NATIVE:
            return {k: item(x) for k, x in value.items()}
        _check_native(value.values(), item)
        return {**value}
    if item not in _NATIVE:
        return {key(k): item(x) for k, x in value.items()}
    _check_native(value.values(), item)
    return {key(k): x for k, x in value.items()}


def pairs(value: Any, cls: Any, key: _Pack, item: _Pack, factory: Any = None) -> Any:
    """Return a mapping of class `cls` as a list of packed keys and values.

    >>> pairs({1: 2}, dict, lambda k: (k,), int)
    [((1,), 2)]
    """
    if type(value) is not cls or not _has_factory(value, cls, factory):
        misfit(value)
    # Two keys may have one cell, so a dict would lose entries.
    keys, items = list([*value], key), list([*value.values()], item)
    return [*zip(keys, items)]


def _has_factory(value: Any, cls: Any, factory: Any) -> bool:
    return (
        cls is not _defaultdict
        or value.default_factory is factory
        or is_same(value.default_factory, factory)
    )


# -- enumerations and constants


def flag(value: Any, cls: Any) -> Any:
    """Return the names of the members that are combined in a flag."""
    return standard_types.pack_flag(value) if type(value) is cls else misfit(value)


def prefab(value: Any, cls: Any) -> Any:
    """Return the number of a prefab."""
    return int(value) if type(value) is cls else misfit(value)


def literal(value: Any, *constants: Any) -> Any:
    """Return a value that is one of the given constants."""
    for constant in constants:
        if value is constant:
            return value
    return value if is_literal(value, *constants) else misfit(value)


# -- packed with the help of `references`


def weak(value: Any, references: References, *classes: Any) -> Any:
    """Return the key of the object of a weak reference; 0 if the object is gone.

    The object is of one of the `classes`; without any, of any saveable class.
    """
    if type(value) is not _weakref.ref:
        misfit(value)
    obj = value()
    if obj is not None and classes and not isinstance(obj, classes):
        misfit(obj)
    return references.key_of(obj)


def generator(value: Any, cls: Any, references: References) -> Any:
    """Return the key of a random generator of class `cls`."""
    has_type = type(value) is cls
    return references._generator_key(value) if has_type else misfit(value)


def group(value: Any, references: References) -> Any:
    """Return the key and the layer of each saveable sprite in a group; `None` for no layer."""
    found = sprite_group(value)
    if found is None:
        return misfit(value)
    sprites, layers = found.content().saveable()
    keys = map(references.key_of, sprites)
    return [*zip(keys, _repeat(None) if layers is None else layers)]


def class_(value: Any, references: References, *bases: Any) -> Any:
    """Return the number of a saveable class that derives from one of the `bases`."""
    has_type = is_class(value, *bases)
    return references._class_number(value) if has_type else misfit(value)


def method(value: Any, references: References) -> Any:
    """Return the key of the object of a bound method, and the name of the method."""
    name = saved_name(value)
    if name is None:
        return misfit(value)
    return references.key_of(value.__self__), name


# -- other types, of the standard library and of numpy


def _pack_function(name: str) -> _Pack:
    """Return a function that packs values of exactly the named class of the standard library."""
    cls, pack, *_ = standard_types.STANDARD_TYPES[name]

    def packed(value: Any) -> Any:
        return pack(value) if type(value) is cls else misfit(value)

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
    return standard_types.pack_path(value, flavour) if is_path(value) else misfit(value)


def ndarray(value: Any, members: str = "generic") -> Any:
    """Return a numpy array as data, if its members are of the named numpy class."""
    has_type = arrays.is_array(value, members)
    return arrays.pack_ndarray(value, members) if has_type else misfit(value)


def number(value: Any, name: str) -> Any:
    """Return a numpy scalar of the named class as data."""
    has_type = arrays.is_number(value, name)
    return arrays.pack_number(value) if has_type else misfit(value)


def numbers(value: Any, cls: Any) -> Any:
    """Return the numbers in a vector, a rectangle or a colour, if its class is `cls`."""
    return (*value,) if type(value) is cls else misfit(value)
