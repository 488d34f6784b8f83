"""Values of the game's own classes, known by their fields or their members."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from operator import attrgetter, is_
from typing import Any

from savegen.runtime import plain
from savegen.runtime.checks._base import Check, Fault, Resolve, all_of, types_of
from savegen.runtime.checks._show import show
from savegen.runtime.copying import is_frozen, remade
from savegen.runtime.errors import SaveError
from savegen.runtime.named import imported

_UNSET = object()


class UserType(Check):
    """A class of the game's, found when the first value arrives: not imported from here."""

    def __init__(self, module: str, qualname: str, /, **parts: Check) -> None:
        super().__init__(qualname)
        self.module = module
        self.fields = parts
        self.former: Mapping[str, str] = {}  # names in older saves → those of today
        self._seen: type | None = None  # the class, once a value of it was met

    def holds(self, /, **parts: Check) -> None:
        """Say what the fields hold, where they may lead back to the class itself."""
        self.fields = parts

    def formerly(self, names: Mapping[str, str]) -> None:
        """Say what the fields were called."""
        self.former = names

    def fits(self, value: Any) -> bool:
        cls = type(value)
        if cls is not self._seen and self._is(cls):
            self._seen = cls
        return cls is self._seen

    def game_class(self) -> type:
        """Return the class, its module imported first if nothing has yet.

        Raises `SaveError` if there is none.
        """
        if self._seen is None:
            try:
                found = imported(f"{self.module}:{self.wanted}")
            except ImportError as error:
                raise SaveError(f"`{self.wanted}` cannot be found: {error}") from error
            if not isinstance(found, type):
                raise SaveError(f"`{self.wanted}` of `{self.module}` is no class")
            self._seen = found
        return self._seen

    def _is(self, cls: type) -> bool:
        if self._in(self.module) is cls:
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
        for name, check in self.fields.items():
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

    def compare(self, left: list[Any], right: list[Any]) -> bytes:
        if len(types_of(left, right)) > 1 or not (self.fields and self.fits(left[0])):
            return super().compare(left, right)
        parts = [(attrgetter(name), check) for name, check in self.fields.items()]
        try:
            columns = [
                check.compare([*map(part, left)], [*map(part, right)])
                for part, check in parts
            ]
        except AttributeError:  # not set in some
            return super().compare(left, right)
        return all_of(columns)

    def write(self, value: Any, name: plain.Name) -> bytes:
        parts = (
            b"" if part is _UNSET else check.write(part, name)
            for check, part in self.parts(value)
        )
        return plain.framed(f"{self.module}:{self.wanted}", parts)

    def parts(self, value: Any) -> Iterable[tuple[Check, Any]]:
        checks = self.fields.items()
        return [(check, getattr(value, name, _UNSET)) for name, check in checks]

    def checks(self) -> Iterable[Check]:
        return self.fields.values()

    def _relink(self, value: Any, resolve: Resolve) -> Any:
        made = {
            name: check.relink(getattr(value, name), resolve)
            for name, check in self.fields.items()
        }
        return remade(value, made)

    def changeable(self, value: Any) -> Iterator[Any]:
        if not self.fits(value):
            return
        if not is_frozen(type(value)):
            yield value
        yield from super().changeable(value)


class EnumMember(UserType):
    """A member of an enumeration of the game's; of a flag, any combination."""

    def fault(self, value: Any) -> Fault | None:
        return Check.fault(self, value)

    def compare(self, left: list[Any], right: list[Any]) -> bytes:
        return bytes(map(is_, left, right))

    def same(self, left: Any, right: Any) -> bool:
        return left is right

    def write(self, value: Any, name: plain.Name) -> bytes:
        tag = f"{self.module}:{self.wanted}"
        return plain.framed(tag, [plain.member(value)])

    def changeable(self, value: Any) -> Iterator[Any]:
        return iter(())


class Keys(Check):
    """A `TypedDict`: a plain dict with these keys and no others."""

    def __init__(self, wanted: str) -> None:
        super().__init__(wanted)
        self.required: dict[str, Check] = {}
        self.fields: dict[str, Check] = {}
        self.former: Mapping[str, str] = {}  # keys in older saves → those of today

    def holds(
        self, required: Mapping[str, Check], optional: Mapping[str, Check]
    ) -> None:
        """Say what the keys hold."""
        self.required = dict(required)
        self.fields = {**required, **optional}

    def formerly(self, names: Mapping[str, str]) -> None:
        """Say what the keys were called."""
        self.former = names

    def fits(self, value: Any) -> bool:
        return type(value) is dict

    def fault(self, value: Any) -> Fault | None:
        if type(value) is not dict:
            return super().fault(value)
        for name, check in self.required.items():
            if name not in value:
                return Fault(f"[{name!r}]", "nothing", check.wanted)
        for key, part in value.items():
            if type(key) is not str or key not in self.fields:
                return Fault("", f"a key {show(key)}", self.wanted)
            if fault := self.fields[key].fault(part):
                return fault.below(f"[{key!r}]")
        return None

    def same(self, left: Any, right: Any) -> bool:
        if not (type(left) is type(right) is dict) or [*left] != [*right]:
            return False
        return all(self.fields[key].same(left[key], right[key]) for key in left)

    def write(self, value: Any, name: plain.Name) -> bytes:
        entries = (
            part
            for key in value
            for part in (key.encode(), self.fields[key].write(value[key], name))
        )
        return plain.framed(self.wanted, entries)

    def parts(self, value: Any) -> Iterable[tuple[Check, Any]]:
        return [(self.fields[key], part) for key, part in value.items()]

    def checks(self) -> Iterable[Check]:
        return self.fields.values()

    def _relink(self, value: Any, resolve: Resolve) -> Any:
        parts = self.fields
        return {key: parts[key].relink(part, resolve) for key, part in value.items()}

    def changeable(self, value: Any) -> Iterator[Any]:
        if self.fits(value):
            yield value
            yield from super().changeable(value)
