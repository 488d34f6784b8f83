"""Do the values of a field fit its annotation? Generated code asks before it saves.

A check is built once, when a generated module is imported, from the annotation that the
generator read. Asked for a value it returns nothing, or the first `Fault` that it finds.
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
from collections.abc import Mapping
from typing import Any, NamedTuple

from savegen.runtime.errors import SaveError, a
from savegen.runtime.components import SaveLoadable


class Fault(NamedTuple):
    """A value that does not fit: where below the field it is, and what it should have been."""

    path: str  # `[3].x`; empty for the field's own value
    found: str
    wanted: str

    def below(self, step: str) -> Fault:
        """Return the fault as it is seen from one step further up."""
        return self._replace(path=step + self.path)


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


class _InstanceOf(Check):
    def __init__(self, wanted: str, cls: type) -> None:
        super().__init__(wanted)
        self._class = cls

    def fits(self, value: Any) -> bool:
        return isinstance(value, self._class)


NONE = _OneOf("None", type(None))
BOOL = _OneOf("bool", bool)
INT = _OneOf("int", int, bool)
FLOAT = _OneOf("float", float, int, bool)
COMPLEX = _OneOf("complex", complex, float, int, bool)
STR = _OneOf("str", str)
BYTES = _OneOf("bytes", bytes)
BYTEARRAY = _OneOf("bytearray", bytearray)
DECIMAL = _OneOf("Decimal", decimal.Decimal)
FRACTION = _OneOf("Fraction", fractions.Fraction)
DATE = _OneOf("date", datetime.date, datetime.datetime)
TIME = _OneOf("time", datetime.time)
DATETIME = _OneOf("datetime", datetime.datetime)
TIMEDELTA = _OneOf("timedelta", datetime.timedelta)
UUID = _OneOf("UUID", uuid.UUID)
PATH = _InstanceOf("path", pathlib.PurePath)
ARRAY = _OneOf("array", array)
REFERENCE = _InstanceOf("saveable object", SaveLoadable)
WEAK_REFERENCE = _OneOf("weak reference", weakref.ref)


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


class EnumMember(UserType):
    """A member of an enumeration of the game's; of a flag, any combination."""

    def fault(self, value: Any) -> Fault | None:
        return Check.fault(self, value)


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


class Items(Check):
    """A container of one type whose members are all alike."""

    def __init__(self, cls: type, item: Check) -> None:
        super().__init__(f"{cls.__name__}[{item.wanted}]")
        self._class = cls
        self._item = item

    def fits(self, value: Any) -> bool:
        return type(value) is self._class

    def fault(self, value: Any) -> Fault | None:
        if not self.fits(value):
            return super().fault(value)
        for index, item in enumerate(value):
            if fault := self._item.fault(item):
                ordered = self._class not in (set, frozenset)
                return fault.below(f"[{index}]" if ordered else "{}")
        return None


class Entries(Check):
    """A mapping of one type, whose keys are alike and whose values are alike."""

    def __init__(self, cls: type, key: Check, value: Check) -> None:
        super().__init__(f"{cls.__name__}[{key.wanted}, {value.wanted}]")
        self._class = cls
        self._key = key
        self._value = value

    def fits(self, value: Any) -> bool:
        return type(value) is self._class

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


class AnyOf(Check):
    """A value of one of several types."""

    def __init__(self, *members: Check) -> None:
        super().__init__(" | ".join(member.wanted for member in members))
        self._members = members

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


def optional(check: Check) -> Check:
    """A value or `None`."""
    return AnyOf(check, NONE)


def list_of(item: Check) -> Check:
    return Items(list, item)


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
