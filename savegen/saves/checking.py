"""Check a save for contradictions, without its game."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.runtime.errors import SaveError
from savegen.runtime.saves.document import (
    EMPTIES,
    FREE,
    RECORDS,
    Document,
)
from savegen.runtime.slots import EMPTY, SlotIndices, SlotMap
from savegen.saves.plain import plain_rows, references


def faults(document: Document) -> Iterator[str]:
    """Yield what contradicts itself in a save."""
    yield from _lost_references(document)
    yield from _added_twice(document)
    yield from _slots(document)


def _lost_references(document: Document) -> Iterator[str]:
    count = document.count
    for table in document.tables:
        for row in plain_rows(document, table, typed=True):
            for field, value in row.items():
                for path, number in references(value, f".{field}"):
                    if not 0 <= number < count:
                        yield f"{table.name}{path} refers to object {number}, but the save has {count}"


def _added_twice(document: Document) -> Iterator[str]:
    objects = document.table(RECORDS).values(0)
    if len({*objects}) != len(objects):
        yield "an object was added twice"


def _slots(document: Document) -> Iterator[str]:
    """Try to put the slots of the world together as a load does."""
    records, empties = document.table(RECORDS), document.table(EMPTIES)
    filled = [*zip(records.values(1), records.values(2), strict=True)]
    empty = [*empties.rows()]
    count = len(filled) + len(empty)
    generations, places = [0] * count, [EMPTY] * count
    for place, (slot, generation) in enumerate([*filled, *empty]):
        if not 0 <= slot < count or generations[slot]:
            yield f"slot {slot} occurs twice, or is not one of the {count} slots"
            return
        generations[slot] = generation
        places[slot] = place if place < len(filled) else EMPTY
    indices = SlotIndices(
        tuple(generations), tuple(places), tuple(document.table(FREE).values(0))
    )
    try:
        SlotMap[int]().restore(indices, range(len(filled)))
    except SaveError as error:
        yield str(error)
