"""Do the values of a field fit its annotation? Are two of them the same?

A check is built once, when a generated module is imported, from the annotation that the
generator read. Asked for a value it returns nothing, or the first `Fault` that it finds.

It also knows values as they are in rows, where an object stands for itself: it compares two
exactly, writes one as bytes, finds the objects in it, and puts others in their place.
"""

from __future__ import annotations

import datetime
import decimal
import fractions
import pathlib
import sys
import uuid
import weakref
from array import array
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import copy
from functools import cached_property
from itertools import chain
from operator import is_
from typing import Any, NamedTuple, TypeAlias

from msgspec import Struct

from savegen.runtime import plain
from savegen.runtime.copying import Unhashed, blank, set_field
from savegen.runtime.errors import SaveError, a
from savegen.runtime.components import SaveLoadable

_Resolve: TypeAlias = Callable[[Any], Any]


class Fault(NamedTuple):
    """A value that does not fit: where below the field it is, and what it should have been."""

    path: str  # `[3].x`; empty for the field's own value
    found: str
    wanted: str

    def below(self, step: str) -> Fault:
        """Return the fault as it is seen from one step further up."""
        return self._replace(path=step + self.path)


_UNSET = object()


class Check:
    """What a field may hold."""

    def __init__(self, wanted: str) -> None:
        self.wanted = wanted

    def fault(self, value: Any) -> Fault | None:
        """Return the first fault in `value`, or `None` if it fits."""
        if self.fits(value):
            return None
        return Fault("", a(type(value).__qualname__), self.wanted)

    def fits(self, value: Any) -> bool:
        """Tell whether `value` itself is of the right type; its parts are not looked at."""
        raise NotImplementedError

    def same(self, left: Any, right: Any) -> bool:
        """Tell whether nobody could tell two values apart."""
        return plain.same(left, right)

    # Whether rows hold a copy of each value, never the value itself.
    copies = False

    def compare(self, left: list[Any], right: list[Any]) -> bytes:
        """Return for each pair of values whether they are the same, as ones and zeros."""
        return bytes(map(self.same, left, right))

    def write(self, value: Any, name: plain.Name) -> bytes:
        """Return bytes that stand for a value; `name` gives those of an object in it."""
        return plain.write(value, name)

    def parts(self, value: Any) -> Iterable[tuple[Check, Any]]:
        """Return what a value is made of, each part with its check."""
        return ()

    @cached_property
    def refers(self) -> bool:
        """Whether a value can refer to objects."""
        return any(isinstance(check, _Reference) for check in _all(self))

    def checks(self) -> Iterable[Check]:
        """Return the checks of all parts that a value can have."""
        return ()

    def reach(self, values: list[Any]) -> list[Any]:
        """Return every object that some values refer to; `None` may be among them."""
        if not (self.refers and values):
            return []
        parts: dict[Check, list[Any]] = {}
        for check, part in chain.from_iterable(map(self.parts, values)):
            if check.refers:
                parts.setdefault(check, []).append(part)
        return [each for check, found in parts.items() for each in check.reach(found)]

    def relink(self, value: Any, resolve: _Resolve) -> Any:
        """Return the value with what `resolve` gives for each object in it.

        What refers to no object may be shared with it.
        """
        return self._relink(value, resolve) if self.refers else value

    def _relink(self, value: Any, resolve: _Resolve) -> Any:
        raise NotImplementedError

    def changeable(self, value: Any) -> Iterator[Any]:
        """Yield all that can change and is part of a field's value; objects are no parts."""
        for check, part in self.parts(value):
            yield from check.changeable(part)


def _all(top: Check) -> Iterator[Check]:
    """Yield a check and those of all parts; they may lead back to it."""
    seen = {id(top)}
    waiting = [top]
    while waiting:
        check = waiting.pop()
        yield check
        for inner in check.checks():
            if id(inner) not in seen:
                seen.add(id(inner))
                waiting.append(inner)


class _OneOf(Check):
    """Exactly these types: an instance of a subclass would not come back the same."""

    def __init__(self, wanted: str, *types: type) -> None:
        super().__init__(wanted)
        self._types = types

    def fits(self, value: Any) -> bool:
        cls = type(value)
        for each in self._types:  # not `in`: that would ask a metaclass of the game's
            if cls is each:
                return True
        return False


class _Changing(_OneOf):
    def changeable(self, value: Any) -> Iterator[Any]:
        if self.fits(value):
            yield value


class _InstanceOf(Check):
    def __init__(self, wanted: str, cls: type) -> None:
        super().__init__(wanted)
        self._class = cls

    def fits(self, value: Any) -> bool:
        return isinstance(value, self._class)


class _Reference(Check):
    """An object: there is only one of it."""

    def fits(self, value: Any) -> bool:
        return isinstance(value, SaveLoadable)

    def same(self, left: Any, right: Any) -> bool:
        return left is right

    def write(self, value: Any, name: plain.Name) -> bytes:
        return plain.framed("reference", () if value is None else [name(value)])

    def reach(self, values: list[Any]) -> list[Any]:
        return values

    def _relink(self, value: Any, resolve: _Resolve) -> Any:
        return None if value is None else resolve(value)


class _WeakReference(_Reference):
    def fits(self, value: Any) -> bool:
        return type(value) is weakref.ref


NONE = _OneOf("None", type(None))
BOOL = _OneOf("bool", bool)
INT = _OneOf("int", int, bool)
FLOAT = _OneOf("float", float, int, bool)
COMPLEX = _OneOf("complex", complex, float, int, bool)
STR = _OneOf("str", str)
BYTES = _OneOf("bytes", bytes)
BYTEARRAY = _Changing("bytearray", bytearray)
DECIMAL = _OneOf("Decimal", decimal.Decimal)
FRACTION = _OneOf("Fraction", fractions.Fraction)
DATE = _OneOf("date", datetime.date, datetime.datetime)
TIME = _OneOf("time", datetime.time)
DATETIME = _OneOf("datetime", datetime.datetime)
TIMEDELTA = _OneOf("timedelta", datetime.timedelta)
UUID = _OneOf("UUID", uuid.UUID)
PATH = _InstanceOf("path", pathlib.PurePath)
ARRAY = _Changing("array", array)
REFERENCE = _Reference("saveable object")
WEAK_REFERENCE = _WeakReference("weak reference")


_IS_LITERAL = _OneOf("literal", str, int, bool, bytes, type(None))


class Literals(Check):
    """One of a few constants, of the very type that was written."""

    def __init__(self, *values: Any) -> None:
        super().__init__("one of " + ", ".join(map(repr, values)))
        self._values = frozenset((type(value), value) for value in values)

    def fits(self, value: Any) -> bool:
        return _IS_LITERAL.fits(value) and (type(value), value) in self._values


class UserType(Check):
    """A class of the game's, found when the first value arrives: not imported from here."""

    def __init__(self, module: str, qualname: str, /, **parts: Check) -> None:
        super().__init__(qualname)
        self._module = module
        self._parts = parts
        self._seen: type | None = None  # the class, once a value of it was met

    def holds(self, /, **parts: Check) -> None:
        """Say what the fields hold, where they may lead back to the class itself."""
        self._parts = parts

    def fits(self, value: Any) -> bool:
        cls = type(value)
        if cls is not self._seen and self._is(cls):
            self._seen = cls
        return cls is self._seen

    def _is(self, cls: type) -> bool:
        if self._in(self._module) is cls:
            return True
        # The file that Python was started with is `__main__`, whatever it is called; modules
        # that import it all the same have its classes once more, under its name.
        return cls.__module__ == "__main__" and self._in("__main__") is cls

    def _in(self, module: str) -> Any:
        """Return what a module has under the name of the class, if it is loaded."""
        found: Any = sys.modules.get(module)
        for name in self.wanted.split("."):
            found = getattr(found, name, None)
        return found

    def fault(self, value: Any) -> Fault | None:
        if not self.fits(value):
            return super().fault(value)
        for name, check in self._parts.items():
            try:
                part = getattr(value, name)
            except AttributeError:
                return Fault(f".{name}", "nothing", check.wanted)
            if fault := check.fault(part):
                return fault.below(f".{name}")
        return None

    def same(self, left: Any, right: Any) -> bool:
        if left is right or type(left) is not type(right):
            return left is right
        pairs = zip(self.parts(left), self.parts(right))
        return all(a is b or check.same(a, b) for (check, a), (_, b) in pairs)

    def write(self, value: Any, name: plain.Name) -> bytes:
        parts = (
            b"" if part is _UNSET else check.write(part, name)
            for check, part in self.parts(value)
        )
        return plain.framed(f"{self._module}:{self.wanted}", parts)

    def parts(self, value: Any) -> Iterable[tuple[Check, Any]]:
        checks = self._parts.items()
        return [(check, getattr(value, name, _UNSET)) for name, check in checks]

    def checks(self) -> Iterable[Check]:
        return self._parts.values()

    def _relink(self, value: Any, resolve: _Resolve) -> Any:
        made = {
            name: check.relink(getattr(value, name), resolve)
            for name, check in self._parts.items()
        }
        return _remade(value, made)

    def changeable(self, value: Any) -> Iterator[Any]:
        if not self.fits(value):
            return
        if not _is_frozen(type(value)):
            yield value
        yield from super().changeable(value)


def _remade(value: Any, fields: dict[str, Any]) -> Any:
    """Return an object of the class of `value` with these fields."""
    if isinstance(value, tuple):
        return value._replace(**fields)  # type: ignore[attr-defined]
    made = copy(value) if isinstance(value, Struct) else blank(value)
    for name, part in fields.items():
        set_field(made, name, part)
    return made


def _is_frozen(cls: Any) -> bool:
    """Tell whether objects of a plain class cannot change."""
    config = getattr(cls, "__dataclass_params__", None)
    config = config or getattr(cls, "__struct_config__", None)
    if config is not None:
        return bool(config.frozen)
    guard = getattr(cls.__setattr__, "__name__", "")
    return issubclass(cls, tuple) or guard == "_frozen_setattrs"  # of attrs


class EnumMember(UserType):
    """A member of an enumeration of the game's; of a flag, any combination."""

    def fault(self, value: Any) -> Fault | None:
        return Check.fault(self, value)

    def same(self, left: Any, right: Any) -> bool:
        return left is right

    def write(self, value: Any, name: plain.Name) -> bytes:
        tag = f"{self._module}:{self.wanted}"
        return plain.framed(tag, [plain.member(value)])

    def changeable(self, value: Any) -> Iterator[Any]:
        return iter(())


class Keys(Check):
    """A `TypedDict`: a plain dict with these keys and no others."""

    def __init__(self, wanted: str) -> None:
        super().__init__(wanted)
        self._required: dict[str, Check] = {}
        self._parts: dict[str, Check] = {}

    def holds(
        self, required: Mapping[str, Check], optional: Mapping[str, Check]
    ) -> None:
        """Say what the keys hold."""
        self._required = dict(required)
        self._parts = {**required, **optional}

    def fits(self, value: Any) -> bool:
        return type(value) is dict

    def fault(self, value: Any) -> Fault | None:
        if type(value) is not dict:
            return super().fault(value)
        for name, check in self._required.items():
            if name not in value:
                return Fault(f"[{name!r}]", "nothing", check.wanted)
        for key, part in value.items():
            if type(key) is not str or key not in self._parts:
                return Fault("", f"a key {_show(key)}", self.wanted)
            if fault := self._parts[key].fault(part):
                return fault.below(f"[{key!r}]")
        return None

    def same(self, left: Any, right: Any) -> bool:
        if not (type(left) is type(right) is dict) or [*left] != [*right]:
            return False
        return all(self._parts[key].same(left[key], right[key]) for key in left)

    def write(self, value: Any, name: plain.Name) -> bytes:
        entries = (
            part
            for key in value
            for part in (key.encode(), self._parts[key].write(value[key], name))
        )
        return plain.framed(self.wanted, entries)

    def parts(self, value: Any) -> Iterable[tuple[Check, Any]]:
        return [(self._parts[key], part) for key, part in value.items()]

    def checks(self) -> Iterable[Check]:
        return self._parts.values()

    def _relink(self, value: Any, resolve: _Resolve) -> Any:
        parts = self._parts
        return {key: parts[key].relink(part, resolve) for key, part in value.items()}

    def changeable(self, value: Any) -> Iterator[Any]:
        if self.fits(value):
            yield value
            yield from super().changeable(value)


class Items(Check):
    """A container of one type whose members are all alike."""

    def __init__(self, cls: type, item: Check) -> None:
        super().__init__(f"{cls.__name__}[{item.wanted}]")
        self._class = cls
        self._item = item

    def fits(self, value: Any) -> bool:
        return type(value) is self._class or Unhashed.holds(value, self._class)

    def fault(self, value: Any) -> Fault | None:
        if not self.fits(value):
            return super().fault(value)
        for index, item in enumerate(value):
            if fault := self._item.fault(item):
                return fault.below(f"[{index}]" if self.is_ordered else "{}")
        return None

    @property
    def is_ordered(self) -> bool:
        return self._class not in (set, frozenset)

    def same(self, left: Any, right: Any) -> bool:
        if not self.fits(left) or not self.fits(right) or len(left) != len(right):
            return False
        if self._class is deque and left.maxlen != right.maxlen:
            return False
        if all(map(is_, left, right)):
            return True
        if self.is_ordered:
            return all(map(self._item.same, left, right))
        return self._bytes(left) == self._bytes(right)

    def _bytes(self, value: Any) -> bytes | None:
        try:
            return self.write(value, plain.identity)
        except SaveError:  # what the game put there is not plain
            return None

    def write(self, value: Any, name: plain.Name) -> bytes:
        parts = [self._item.write(item, name) for item in value]
        if not self.is_ordered:
            parts.sort()
        if self._class is deque:
            parts.append(plain.limit(value.maxlen))
        return plain.framed(self._class.__name__, parts)

    def parts(self, value: Any) -> Iterable[tuple[Check, Any]]:
        return ((self._item, item) for item in value)

    def checks(self) -> Iterable[Check]:
        return (self._item,)

    def reach(self, values: list[Any]) -> list[Any]:
        return self._item.reach([*chain.from_iterable(values)])

    def _relink(self, value: Any, resolve: _Resolve) -> Any:
        made = [self._item.relink(item, resolve) for item in value]
        if type(value) is Unhashed:
            return Unhashed(value.cls, made)
        if self._class is deque:
            return deque(made, value.maxlen)
        return self._class(made)

    def changeable(self, value: Any) -> Iterator[Any]:
        if self.fits(value):
            if self._class not in (tuple, frozenset):
                yield value
            yield from super().changeable(value)


class ListItems(Items):
    """A list: what games hold most, and so what is compared most."""

    copies = True

    def same(self, left: Any, right: Any) -> bool:
        if type(left) is type(right) is list and len(left) == len(right):
            return all(map(is_, left, right)) or all(map(self._item.same, left, right))
        return False

    def compare(self, left: list[Any], right: list[Any]) -> bytes:
        # All lists at once, as if they were one: nearly always nothing has changed.
        alike = [*map(len, left)] == [*map(len, right)] and all(
            map(is_, chain.from_iterable(left), chain.from_iterable(right))
        )
        if alike and {*map(type, left), *map(type, right)} <= {list}:
            return b"\1" * len(left)
        return super().compare(left, right)


class Entries(Check):
    """A mapping of one type, whose keys are alike and whose values are alike."""

    def __init__(self, cls: type, key: Check, value: Check) -> None:
        super().__init__(f"{cls.__name__}[{key.wanted}, {value.wanted}]")
        self._class = cls
        self._key = key
        self._value = value

    def fits(self, value: Any) -> bool:
        return type(value) is self._class or Unhashed.holds(value, self._class)

    def same(self, left: Any, right: Any) -> bool:
        if not self.fits(left) or not self.fits(right) or len(left) != len(right):
            return False
        if self._factory(left) is not self._factory(right):
            return False
        if all(map(is_, left, right)) and type(left) is type(right) is not Unhashed:
            if all(map(is_, left.values(), right.values())):
                return True
        pairs = zip(self._entries(left), self._entries(right))
        return all(
            (key is other or self._key.same(key, other))
            and (item is another or self._value.same(item, another))
            for (key, item), (other, another) in pairs
        )

    def write(self, value: Any, name: plain.Name) -> bytes:
        parts = [check.write(part, name) for check, part in self.parts(value)]
        if self._class is defaultdict:
            parts.append(plain.factory(self._factory(value)))
        return plain.framed(self._class.__name__, parts)

    def parts(self, value: Any) -> Iterable[tuple[Check, Any]]:
        for key, item in self._entries(value):
            yield self._key, key
            yield self._value, item

    def reach(self, values: list[Any]) -> list[Any]:
        entries = [*chain.from_iterable(map(self._entries, values))]
        return [
            *self._key.reach([key for key, _ in entries]),
            *self._value.reach([item for _, item in entries]),
        ]

    def checks(self) -> Iterable[Check]:
        return self._key, self._value

    def _relink(self, value: Any, resolve: _Resolve) -> Any:
        made = [
            (self._key.relink(key, resolve), self._value.relink(item, resolve))
            for key, item in self._entries(value)
        ]
        if type(value) is Unhashed:
            return Unhashed(value.cls, made, value.factory)
        if self._class is defaultdict:
            return defaultdict(value.default_factory, made)
        return self._class(dict(made))

    def changeable(self, value: Any) -> Iterator[Any]:
        if self.fits(value):
            yield value
            yield from super().changeable(value)

    @staticmethod
    def _entries(value: Any) -> Iterable[tuple[Any, Any]]:
        return value if type(value) is Unhashed else value.items()

    @staticmethod
    def _factory(value: Any) -> Any:
        if type(value) is Unhashed:
            return value.factory
        return value.default_factory if type(value) is defaultdict else None

    def fault(self, value: Any) -> Fault | None:
        if not self.fits(value):
            return super().fault(value)
        for key, item in value.items():
            if fault := self._key.fault(key):
                return fault.below(f" key {_show(key)}")
            if fault := self._value.fault(item):
                return fault.below(f"[{_show(key)}]")
        return None


class Places(Check):
    """A tuple of a fixed length, with a check for each place."""

    def __init__(self, *places: Check) -> None:
        super().__init__(f"tuple[{', '.join(p.wanted for p in places) or '()'}]")
        self._places = places

    def fits(self, value: Any) -> bool:
        return type(value) is tuple and len(value) == len(self._places)

    def fault(self, value: Any) -> Fault | None:
        if not self.fits(value):
            return super().fault(value)
        for index, place in enumerate(self._places):
            if fault := place.fault(value[index]):
                return fault.below(f"[{index}]")
        return None

    def same(self, left: Any, right: Any) -> bool:
        if left is right or not self.fits(left) or not self.fits(right):
            return left is right
        for check, one, other in zip(self._places, left, right, strict=True):
            if one is not other and not check.same(one, other):
                return False
        return True

    def write(self, value: Any, name: plain.Name) -> bytes:
        parts = (check.write(part, name) for check, part in self.parts(value))
        return plain.framed("tuple", parts)

    def parts(self, value: Any) -> Iterable[tuple[Check, Any]]:
        return zip(self._places, value, strict=True)

    def reach(self, values: list[Any]) -> list[Any]:
        return [
            each
            for index, place in enumerate(self._places)
            for each in place.reach([value[index] for value in values])
        ]

    def checks(self) -> Iterable[Check]:
        return self._places

    def _relink(self, value: Any, resolve: _Resolve) -> Any:
        return tuple(check.relink(part, resolve) for check, part in self.parts(value))

    def changeable(self, value: Any) -> Iterator[Any]:
        return super().changeable(value) if self.fits(value) else iter(())


class AnyOf(Check):
    """A value of one of several types."""

    def __init__(self, *members: Check) -> None:
        super().__init__(" | ".join(member.wanted for member in members))
        self._members = members
        others = [member for member in members if member is not NONE]
        self._only = others[0] if len(others) == 1 else None  # beside None

    def fits(self, value: Any) -> bool:
        return any(member.fits(value) for member in self._members)

    def fault(self, value: Any) -> Fault | None:
        first = None
        for member in self._members:
            if member.fits(value):
                fault = member.fault(value)
                if fault is None:
                    return None
                first = first or fault
        return first or super().fault(value)

    def same(self, left: Any, right: Any) -> bool:
        return left is right or self._member(left).same(left, right)

    def write(self, value: Any, name: plain.Name) -> bytes:
        return self._member(value).write(value, name)

    def parts(self, value: Any) -> Iterable[tuple[Check, Any]]:
        return [(self._member(value), value)]

    def checks(self) -> Iterable[Check]:
        return self._members

    def _relink(self, value: Any, resolve: _Resolve) -> Any:
        return self._member(value).relink(value, resolve)

    def reach(self, values: list[Any]) -> list[Any]:
        if self._only is None:
            return super().reach(values)
        return self._only.reach([value for value in values if value is not None])

    def _member(self, value: Any) -> Check:
        if self._only is not None:
            return NONE if value is None else self._only
        found = [member for member in self._members if member.fits(value)]
        if len(found) > 1:  # two tuples, of which the members decide
            found = [member for member in found if not member.fault(value)] or found
        # In rows a weak reference is its object.
        return found[0] if found else REFERENCE


def optional(check: Check) -> Check:
    """A value or `None`."""
    return AnyOf(check, NONE)


def list_of(item: Check) -> Check:
    return ListItems(list, item)


def set_of(item: Check) -> Check:
    return Items(set, item)


def frozenset_of(item: Check) -> Check:
    return Items(frozenset, item)


def deque_of(item: Check) -> Check:
    return Items(deque, item)


def tuple_of(item: Check) -> Check:
    """A tuple of any length."""
    return Items(tuple, item)


def dict_of(key: Check, value: Check) -> Check:
    return Entries(dict, key, value)


def defaultdict_of(key: Check, value: Check) -> Check:
    return Entries(defaultdict, key, value)


def ordered_dict_of(key: Check, value: Check) -> Check:
    return Entries(OrderedDict, key, value)


def counter_of(key: Check) -> Check:
    return Entries(Counter, key, INT)


def check_fields(component: Any, checks: Mapping[str, Check]) -> None:
    """Raise `SaveError` if an attribute of `component` holds what it must not.

    An attribute that is not set is not looked at.

    >>> class Goblin:
    ...     hp = "7"
    >>> check_fields(Goblin(), {"hp": INT, "name": STR})
    Traceback (most recent call last):
    savegen.runtime.errors.SaveError: `Goblin.hp` holds a str, not int
    """
    for name, check in checks.items():
        try:
            value = getattr(component, name)
        except AttributeError:
            continue
        try:
            fault = check.fault(value)
        except RecursionError:
            where = _where(component, name)
            raise SaveError(f"{where}` holds itself, or is nested too deep") from None
        if fault is not None:
            where = _where(component, name) + fault.path
            raise SaveError(f"{where}` holds {fault.found}, not {fault.wanted}")


def _where(component: Any, name: str) -> str:
    return f"`{type(component).__qualname__}.{name}"


def _show(key: Any) -> str:
    # Only of plain types: a key's own `__repr__` is the game's code.
    if type(key) not in (str, int, float, bool, bytes):
        return type(key).__name__
    try:
        return repr(key)
    except ValueError:  # an int of thousands of digits
        return "int"
