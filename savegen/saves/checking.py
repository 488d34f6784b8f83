"""Check a save for contradictions, without its game."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import msgpack

from savegen.runtime.cells import keys_in
from savegen.runtime.errors import SaveCorruptError
from savegen.runtime.keys import describe_key
from savegen.runtime.rows import Key
from savegen.runtime.stored import parse
from savegen.saves.body import Body, RawRow, RawTable, check_keys
from savegen.saves.limits import Guard


def faults(body: Body, guard: Guard) -> Iterator[str]:
    """Yield what contradicts itself in a save. Raises `SaveError` if it cannot be read."""
    tables = [(table, [*table.rows(guard)]) for table in body.tables]
    class_of: dict[Key, int] = {}
    for table, rows in tables:
        for row in rows:
            if class_of.setdefault(row.key, table.number) != table.number:
                yield f"two objects have {describe_key(row.key)}"
    try:
        check_keys(body, [[*class_of]])
    except SaveCorruptError as error:
        yield error.what
    for key in body.placements.keys() - class_of.keys():
        yield f"an object that is not in the save is placed: {describe_key(key)}"
    for table, rows in tables:
        yield from _lost_references(table, rows, class_of)


def _lost_references(
    table: RawTable, rows: list[RawRow], class_of: dict[Key, int]
) -> Iterator[str]:
    for field in table.fields:
        stored = parse(field.stored)
        for row in rows:
            if field.number not in row.cells:
                continue
            cell = msgpack.decode(row.cells[field.number])
            for key in sorted(keys_in(stored, [cell]) - class_of.keys()):
                place = f"{table.name}.{field.name} of {describe_key(row.key)}"
                yield f"{place} refers to {describe_key(key)}, which is not in the save"
