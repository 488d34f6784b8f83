"""The table of values as an older save had them, that the game of today holds otherwise."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import msgspec
from msgspec import msgpack

from savegen.runtime.errors import SaveCorruptError
from savegen.runtime.saves.world.attic import Kept
from savegen.runtime.saves.document import KEPT, Document, Form, Table
from savegen.runtime.saves.world.order import Order
from savegen.runtime.saves.world.shapes import Shapes, Told
from savegen.runtime.saves.world.surroundings import system_table
from savegen.runtime.saves.wire import forms

encoded = msgpack.Encoder().encode


class Saved(NamedTuple):
    """One row of the table: a value is MessagePack, by the form that stands beside it."""

    object: int
    number: int
    name: str
    form: Form
    value: bytes
    now: bytes

    def values(self, shapes: Told) -> list[Any]:
        """Return the value, alone in a list. Raises `SaveError` if it is not of its form."""
        (column,) = forms.decoder([self.form], shapes)(b"\x91\x91" + self.value)
        return column

    def is_still(self, form: Form, value: Any) -> bool:
        """Tell whether a field holds just what it was given, whether or not it may be unset."""
        form, value = bare(form, value)
        return not _is_maybe(form) and encoded(value) == self.now


def bare(form: Form, value: Any) -> tuple[Form, Any]:
    """Return a wire value that is there as if it could not be missing, with its form.

    >>> bare(["maybe", "int"], [7]), bare("int", 7)
    (('int', 7), ('int', 7))
    """
    while _is_maybe(form) and value:
        form, value = form[1], value[0]
    return form, value


def bare_form(form: Form) -> Form:
    """Return the form of values that are there."""
    while _is_maybe(form):
        form = form[1]
    return form


def _is_maybe(form: Form) -> bool:
    return not isinstance(form, str) and form[0] == "maybe"


def kept_table(
    found: Iterable[tuple[Kept, Any]], shapes: Told, order: Order, told: Shapes
) -> Table:
    """Return the table: each value that is kept, with what the field holds, as it is written."""
    rows = []
    for kept, now in found:
        form = told.adopted(kept.form, shapes)
        values = forms.relink(kept.form, shapes, [kept.value], order.number_or_none)
        (number,) = order.numbers_of([kept.object])
        assert number is not None
        old, new = encoded(values[0]), encoded(now)
        rows.append(Saved(number, kept.number, kept.name, form, old, new))
    return saved_table(rows)


def saved_table(rows: list[Saved]) -> Table:
    """Return the table with these rows."""
    columns: list[list[Any]] = [*map(list, zip(*rows))] or [[]] * len(Saved._fields)
    objects, numbers, names, written, values, nows = columns
    texts = forms.from_plain("str", {}, names)
    told = _as_any([msgspec.json.encode(form).decode() for form in written])
    return system_table(
        KEPT, [objects, numbers, texts, told, _as_any(values), _as_any(nows)]
    )


def _as_any(values: list[Any]) -> list[Any]:
    return [encoded(value) for value in values]


def saved_values(document: Document) -> Iterator[Saved]:
    """Yield the rows of the table. Raises `SaveCorruptError` if they make no sense."""
    table = document.table(KEPT)
    columns = table.all_values()
    for number, field, name, form, value, now in zip(*columns, strict=True):
        told, old, new = (_decode(each) for each in (form, value, now))
        if number is None or type(told) is not str or {type(old), type(new)} != {bytes}:
            raise SaveCorruptError("a value that was kept makes no sense")
        try:
            made = msgspec.json.decode(told)
        except (msgspec.MsgspecError, RecursionError) as error:
            raise SaveCorruptError(
                f"a value that was kept has no form: {error}"
            ) from None
        forms.check_form(made, document.shapes)
        text = forms.to_plain("str", {}, [name], natural=True)[0]
        yield Saved(number, field, text, made, old, new)


def _decode(data: Any) -> Any:
    try:
        return msgpack.decode(data)
    except (msgspec.MsgspecError, RecursionError, TypeError) as error:
        raise SaveCorruptError(f"a value that was kept is broken: {error}") from None
