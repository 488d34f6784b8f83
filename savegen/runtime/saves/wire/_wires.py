"""The wire of each check of a game."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from savegen.runtime import checks
from savegen.runtime.checks import Check, EnumMember, Keys, Literals, Member, UserType
from savegen.runtime.errors import SaveError
from savegen.runtime.saves.document import Form
from savegen.runtime.saves.wire._base import Wire
from savegen.runtime.saves.wire._classes import KeysWire, RecordWire
from savegen.runtime.saves.wire._containers import ItemsWire, PlacesWire
from savegen.runtime.saves.wire._dynamic import Dynamic
from savegen.runtime.saves.wire._enums import enum_wire, full_name
from savegen.runtime.saves.wire._leaves import (
    LiteralsWire,
    PathWire,
    ReferenceWire,
    ScalarWire,
    TimeWire,
)
from savegen.runtime.saves.wire._library import (
    AssetWire,
    ClassWire,
    ForeignWire,
    GeneratorWire,
    PrefabWire,
)
from savegen.runtime.saves.wire._mappings import EntriesWire
from savegen.runtime.saves.wire._numpy import NdarrayWire, NumpyScalarWire
from savegen.runtime.saves.wire._unions import union_wire

_C = TypeVar("_C", bound=Check)
_Make = Callable[[Any, Any], Wire]

_OF_ONE: dict[int, _Make] = {
    id(checks.REFERENCE): ReferenceWire,
    id(checks.WEAK_REFERENCE): ReferenceWire,
    id(checks.DATE): TimeWire,
    id(checks.TIME): TimeWire,
    id(checks.DATETIME): TimeWire,
}
WIRES: Mapping[type[Check], _Make] = {
    type(checks.INT): ScalarWire,
    type(checks.FLOAT): ScalarWire,
    type(checks.BYTEARRAY): ScalarWire,
    type(checks.PATH): PathWire,
    type(checks.REFERENCE): ReferenceWire,
    type(checks.WEAK_REFERENCE): ReferenceWire,
    type(checks.CLASS): ClassWire,
    type(checks.NDARRAY): NdarrayWire,
    type(checks.RANDOM): GeneratorWire,
    type(checks.list_of(checks.INT)): ItemsWire,
    checks.Items: ItemsWire,
    checks.Entries: EntriesWire,
    checks.Places: PlacesWire,
    checks.AnyOf: union_wire,
    checks.Asset: AssetWire,
    checks.Foreign: ForeignWire,
    checks.NumpyScalar: NumpyScalarWire,
    Member: PrefabWire,
    Literals: LiteralsWire,
    EnumMember: enum_wire,
    UserType: RecordWire,
    Keys: KeysWire,
}


class Wires:
    """The wires of a game: one for each check.

    `known` are the checks of its fields: only the classes that these know are made of what a
    save says in words. `numbers` are the enumerations whose members stand for plain numbers.
    `shapes` has what the forms of the wires name, as far as they were asked for.

    >>> wires = Wires()
    >>> wires.of(checks.list_of(checks.INT)).form
    ['list', 'int']
    """

    def __init__(
        self, known: Iterable[Check] = (), numbers: Iterable[type] = ()
    ) -> None:
        self.numbers = frozenset(numbers)
        self.shapes: dict[str, list[tuple[str, Form]]] = {}
        # A form is made once, whichever thread asks first.
        self.lock = threading.RLock()
        self.dynamic = Dynamic(self)
        self.prefabs: Member | None = None
        self._wires: dict[int, Wire] = {}
        self._checks: dict[str, list[Check]] = {}  # of the game's classes, by name
        self._seen: dict[int, Check] = {}
        for check in known:
            self._learn(check)

    def of(self, check: Check) -> Wire:
        """Return the wire of a check. Raises `SaveError` if a class cannot be imported."""
        found = self._wires.get(id(check))
        if found is None:
            with self.lock:
                self._learn(check)
                make = _OF_ONE.get(id(check)) or WIRES[type(check)]
                found = self._wires.setdefault(id(check), make(check, self))
        return found

    def _learn(self, top: Check) -> None:
        """Take note of a check, and of all that it is made of."""
        waiting = [top]
        while waiting:
            check = waiting.pop()
            if id(check) in self._seen:
                continue
            self._seen[id(check)] = check
            waiting += check.checks()
            if isinstance(check, Member):
                self.prefabs = check
            elif name := _name_of(check):
                self._checks.setdefault(name, []).append(check)

    # -- classes by name

    def named_check(self, name: Any, cls: type[_C]) -> _C:
        """Return a check of a kind by the name of its class.

        Raises `SaveError` if no field of the game has one.
        """
        for check in self._checks.get(name, ()) if type(name) is str else ():
            if isinstance(check, cls):
                if cls is EnumMember or not isinstance(check, EnumMember):
                    return check
        raise SaveError(
            f"the save has a {_shown(name)}, which no field of the game holds"
        )

    def known(self, value: Any) -> Check | None:
        """Return the check of the class of a value, if some field has one."""
        cls = type(value)
        if self.prefabs is not None and self.prefabs.fits(value):
            return self.prefabs
        for module in (cls.__module__, None):
            for check in self._of_class(module, cls.__qualname__):
                if check.fits(value):
                    return check
        return None

    def _of_class(self, module: str | None, qualname: str) -> Iterator[Check]:
        """Yield the checks of a class; of any module, if the class is of `__main__`."""
        if module is not None:
            yield from self._checks.get(f"{module}:{qualname}", ())
            return
        for name, found in self._checks.items():
            if name.endswith(f":{qualname}"):
                yield from found

    # -- shapes

    def named(
        self,
        word: str,
        check: Check,
        name: str,
        shape: Callable[[], list[tuple[str, Form]]],
    ) -> Form:
        """Return the form of a shape, which is made when it is named for the first time.

        Classes of one name that differ, two specialisations say, are told apart.
        """
        signatures = {_signature(each) for each in self._checks[name]}
        if len(signatures) > 1:
            digest = hashlib.blake2b(_signature(check).encode(), digest_size=4)
            name = f"{name}#{digest.hexdigest()}"
        if name not in self.shapes:
            self.shapes[name] = []  # it may lead back to itself
            try:
                self.shapes[name] = shape()
            except BaseException:
                del self.shapes[name]
                raise
        return [word, name]


def _shown(name: Any) -> str:
    return f"`{name[:80]}`" if type(name) is str else "value without a name"


def _name_of(check: Check) -> str | None:
    if isinstance(check, UserType):
        return full_name(check)
    if isinstance(check, checks.Foreign):
        return check.name
    return check.wanted if isinstance(check, Keys) else None


def _signature(check: Check, above: tuple[Check, ...] = ()) -> str:
    """Return a text that two checks share if their values are written alike."""
    for steps, each in enumerate(reversed(above)):
        if each is check:
            return f"^{steps}"
    below = (*above, check)
    if isinstance(check, (UserType, Keys)):
        inner = [f"{n}:{_signature(c, below)}" for n, c in check.fields.items()]
    else:
        inner = [_signature(each, below) for each in check.checks()]
    return f"{type(check).__name__} {check.wanted}({','.join(inner)})"
