"""How values and records are converted: field by field, by number."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from savegen.runtime.stored import Field
from savegen.saves.older._rules import (
    Conversion,
    Convert,
    NoConversion,
    Rule,
    Rules,
    Type,
    changed,
    joined,
)


def _record(rules: Rules, old: Type, new: Type) -> Conversion:
    return rules.recursively(old, new, lambda: _fields(rules, old, new))


def _fields(rules: Rules, old: Type, new: Type) -> Conversion:
    places = {number: place for place, number in enumerate(old.stored.numbers)}
    before = old.stored.fields
    if new.stored.numbers and places and places.keys().isdisjoint(new.stored.numbers):
        raise changed(old, new)
    makers: list[Callable[[Any], Any]] = []
    parts = []
    for field in new.stored.fields:
        if field.number not in places:
            makers.append(_default(rules, new, field))
            continue
        place = places[field.number]
        part = _field(rules, (old, before[place]), (new, field))
        parts.append(part)
        makers.append(_at(place, part))
    loses = not places.keys() <= {*new.stored.numbers}
    is_same = old.stored.numbers == new.stored.numbers
    found = joined(parts, lambda cell: [make(cell) for make in makers])
    if is_same and found.convert is None:
        return found
    return Conversion(
        lambda cell: [make(cell) for make in makers],
        found.loses or loses,
        found.refuses,
    )


def _at(place: int, part: Conversion) -> Convert:
    return lambda cell: part(cell[place])


def _default(rules: Rules, record: Type, field: Field) -> Convert:
    if field.may_be_absent:
        return lambda cell: []
    make = rules.defaults(record.stored, field)
    if make is None:
        label = record.stored.label.rpartition(".")[2]
        raise NoConversion(
            f"`{label}` has a new field `{field.name}` without a default"
        )
    return lambda cell: make()


def _field(
    rules: Rules, old: tuple[Type, Field], new: tuple[Type, Field]
) -> Conversion:
    """Return how one field of a record is converted."""
    before, after = old[1], new[1]
    label = new[0].stored.label.rpartition(".")[2]
    if before.may_be_absent and not after.may_be_absent:
        raise NoConversion(f"`{label}` needs a key {after.name!r} now")
    try:
        part = rules.of(old[0].inner(before.type), new[0].inner(after.type))
    except NoConversion as error:
        if str(error).startswith("of `"):
            raise
        raise NoConversion(f"of `{label}.{after.name}` {error}") from None
    if before.may_be_absent:
        return joined([part], lambda cell: [part(each) for each in cell])
    if after.may_be_absent:
        return Conversion(lambda cell: [part(cell)], part.loses, part.refuses)
    return part


RULES: dict[tuple[str, str], Rule] = {
    (old, new): _record for old in ("value", "record") for new in ("value", "record")
}
