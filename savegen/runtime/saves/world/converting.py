"""Values of old saves that a function of the game's turns into today's."""

from __future__ import annotations

import weakref
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

from savegen.runtime.checks import AnyOf, Check, Entries, Items
from savegen.runtime.copying import Unhashed
from savegen.runtime.errors import SaveApplyError, told
from savegen.runtime.generators import is_generator, kept
from savegen.runtime.named import imported
from savegen.runtime.saves.world.attic import Shapes
from savegen.runtime.saves.document import Form
from savegen.runtime.saves.wire import Things
from savegen.runtime.saves.wire.forms import to_plain, used_shapes

Read = Callable[[Sequence[Any], Things], list[Any]]


def is_as_today(form: Form, shapes: Shapes, today: Form, of_today: Shapes) -> bool:
    """Tell whether a form means what today's means."""
    if form != today:
        return False
    old, new = used_shapes([form], shapes), used_shapes([today], of_today)
    return {n: [*map(list, f)] for n, f in old.items()} == {
        n: [*map(list, f)] for n, f in new.items()
    }


class Converter:
    """Gives old values to a function of the game's, and checks what it returns."""

    loses = False

    def __init__(
        self, where: str, name: str, check: Check, form: Form, shapes: Shapes
    ) -> None:
        """`where` is the field; `name` that of the function, `module:function`."""
        self._where = where
        self._name = name
        self._check = check
        self._form = form
        self._shapes = shapes

    def __call__(self, values: Sequence[Any], things: Things) -> list[Any]:
        """Return today's values. Raises `SaveApplyError` that names field and function."""
        function = self._function()
        plain = to_plain(self._form, self._shapes, values, natural=True)
        return [self._converted(function, _linked(each, things)) for each in plain]

    def _function(self) -> Callable[[Any], Any]:
        try:
            found: Callable[[Any], Any] = imported(self._name)
            return found
        except ImportError as error:
            raise SaveApplyError(
                f"the converter `{self._name}` of `{self._where}` cannot be found: {error}"
            ) from error

    def _converted(self, function: Callable[[Any], Any], value: Any) -> Any:
        try:
            made = function(value)
        except Exception as error:
            raise SaveApplyError(
                f"the converter `{self._name}` of `{self._where}` raised {told(error)}"
            ) from error
        if fault := self._check.fault(made):
            raise SaveApplyError(
                f"the converter `{self._name}` of `{self._where}` returned {fault.found}"
                f"{' at ' + fault.path if fault.path else ''}, not {fault.wanted}"
            )
        return as_in_rows(self._check, made)


def _linked(plain: Any, things: Things) -> Any:
    """Return plain data with the objects that numbers in it stand for."""
    if type(plain) is list:
        return [_linked(each, things) for each in plain]
    if type(plain) is dict:
        if [*plain] == ["$ref"] and type(plain["$ref"]) is int:
            return things.objects[plain["$ref"]]
        return {key: _linked(each, things) for key, each in plain.items()}
    return plain


def as_in_rows(check: Check, value: Any) -> Any:
    """Return a value of the game's as a snapshot has it."""
    if not check.refers:
        return value
    if is_generator(value):
        return kept(value)
    if type(value) is weakref.ref:
        return value()
    if isinstance(check, AnyOf):
        member = next((each for each in check.members if each.fits(value)), None)
        return value if member is None else as_in_rows(member, value)
    if isinstance(check, Items):
        return _items(check, [as_in_rows(check.item, each) for each in value])
    if isinstance(check, Entries):
        return _entries(check, value)
    return value


def _items(check: Items, members: list[Any]) -> Any:
    if check.is_ordered:
        return check.cls(members)
    return Unhashed(check.cls, members)


def _entries(check: Entries, value: Any) -> Any:
    entries = [
        (as_in_rows(check.key, key), as_in_rows(check.value, each))
        for key, each in value.items()
    ]
    factory = value.default_factory if type(value) is defaultdict else None
    if check.key.refers:
        return Unhashed(check.cls, entries, factory)
    new: Any = check.cls
    return new(dict(entries)) if factory is None else new(factory, entries)
