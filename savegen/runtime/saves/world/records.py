"""The table of records: what was added to a world, in the order of its slot map."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from operator import attrgetter, eq, is_
from typing import Any

from savegen.runtime.errors import SaveError
from savegen.runtime.objects import SlotMapReference
from savegen.runtime.saves.document import RECORDS, SYSTEM
from savegen.runtime.saves.wire.forms import from_plain
from savegen.runtime.saves.world.attic import Entry
from savegen.runtime.saves.world.lanes import Cells, Lane
from savegen.runtime.saves.world.order import Order
from savegen.runtime.snapshot import Snapshot
from savegen.runtime.world import World

_KEY, _OBJECT = attrgetter("key"), attrgetter("object")
_PREFAB, _PLACEMENT = attrgetter("prefab"), attrgetter("placement")
_LEVEL = attrgetter("level")


_Records = Sequence[SlotMapReference | Entry]


def record_lanes(records: _Records, snapshot: Snapshot, order: Order) -> list[Lane]:
    """Return the columns of the table, their values made when they are wanted.

    Most worlds were never left by anybody and have no levels: then there is no need to look at
    each record once more. Raises `SaveError` for an object that no load could build.
    """
    for part in order.parts(snapshot.records):
        _check_prefabs({*map(_PREFAB, part)} - {None}, snapshot.world)
    cells = [
        _numbers(records, order),
        *_keys(records, snapshot, order),
        _some(records, _PREFAB, _prefabs, order),
        _some(records, _PLACEMENT, texts, order),
        _some(records, _LEVEL, texts, order),
    ]
    return [*map(Lane, SYSTEM[RECORDS], cells)]


def _numbers(records: _Records, order: Order) -> Cells:
    if order.is_as_met and len(records) == order.count:
        objects = chain.from_iterable(group.objects for group in order.classes)
        same = (map(is_, map(_OBJECT, part), objects) for part in order.parts(records))
        if all(map(all, same)):
            return range
    return lambda start, end: order.numbers_of(map(_OBJECT, records[start:end]))


def _keys(records: _Records, snapshot: Snapshot, order: Order) -> tuple[Cells, Cells]:
    """Return the slots, and their generations."""
    generations, places, _ = snapshot.indices
    if records is snapshot.records and _are_filled(places, len(records), order):
        return range, lambda start, end: generations[start:end]
    return (
        lambda start, end: [key.index for key in map(_KEY, records[start:end])],
        lambda start, end: [key.generation for key in map(_KEY, records[start:end])],
    )


def _are_filled(places: Sequence[int], count: int, order: Order) -> bool:
    """Tell whether each slot has the record of its own place."""
    places_of_records = iter(range(count))
    same = (map(eq, part, places_of_records) for part in order.parts(places))
    return len(places) == count and all(map(all, same))


def _some(
    records: _Records,
    get: Callable[[Any], Any],
    write: Callable[[Iterable[Any]], list[Any]],
    order: Order,
) -> Cells:
    if all({*map(get, part)} <= {None} for part in order.parts(records)):
        return lambda start, end: [None] * (end - start)
    return lambda start, end: write(map(get, records[start:end]))


def _prefabs(types: Iterable[int | None]) -> list[int | None]:
    return [None if each is None else int(each) for each in types]


def texts(values: Iterable[str | None]) -> list[Any]:
    """Return texts as they are written."""
    found = [*values]
    if {*map(type, found)} <= {type(None)}:
        return found
    return from_plain(["optional", "str"], {}, found)


def _check_prefabs(prefabs: Iterable[Any], world: World) -> None:
    """Raise `SaveError` for an object that no load could build."""
    known = world.prefabs
    for prefab in prefabs:
        if not isinstance(prefab, int):
            raise SaveError(f"the prefab {prefab!r} has no number: it cannot be saved")
        if prefab not in known:
            raise SaveError(
                f"there is no prefab {prefab!r}: what is said to be built from it could"
                " not be loaded again"
            )
