"""Check a save for contradictions, without its game."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import msgpack

from savegen.runtime.errors import SaveCorruptError
from savegen.runtime.fits import Rules, check_of
from savegen.runtime.keys import describe_key
from savegen.runtime.rows import Key
from savegen.runtime.stored import parse
from savegen.saves.body import Body, RawRow, RawTable, check_keys
from savegen.saves.limits import Guard


def faults(body: Body, guard: Guard) -> Iterator[str]:
    """Yield what contradicts itself in a save. Raises `SaveError` if it cannot be read."""
    rows = [(table, [*table.rows(guard)]) for table in body.tables]
    class_of: dict[Key, int] = {}
    own: list[list[Key]] = (
        []
    )  # the keys of each class; a second table has keys of the first
    for number in dict.fromkeys(table.number for table in body.tables):
        keys = [
            row.key for table, some in rows if table.number == number for row in some
        ]
        class_of |= dict.fromkeys(keys, number)
        first = next(some for table, some in rows if table.number == number)
        known = {row.key for row in first}
        own.append([row.key for row in first] + [k for k in keys if k not in known])
    try:
        check_keys(body, own)
    except SaveCorruptError as error:
        yield error.what
    for key in body.placements:
        if key not in class_of:
            yield f"{describe_key(key)} is placed, but is not in the save"
    rules = Rules(class_of.get, dangling=True)
    for table, some in rows:
        yield from _misfits(table, some, rules)


def _misfits(table: RawTable, rows: list[RawRow], rules: Rules) -> Iterator[str]:
    for field in table.fields:
        having = [row for row in rows if field.number in row.cells]
        cells = [msgpack.decode(row.cells[field.number]) for row in having]
        for place in check_of(parse(field.stored))(cells, rules):
            where = f"`{table.name}.{field.name}` of {describe_key(having[place].key)}"
            yield f"{where} does not fit its type `{field.stored}`"
