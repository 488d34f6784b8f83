"""The table of records: what was added to a world, in the order of its slot map."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from operator import attrgetter, is_
from typing import Any

from savegen.runtime.errors import SaveError
from savegen.runtime.objects import SlotMapReference
from savegen.runtime.saves.document import ROWS_OF_A_PIECE, Piece
from savegen.runtime.saves.wire.forms import from_plain
from savegen.runtime.saves.world.attic import Entry
from savegen.runtime.saves.world.order import Order
from savegen.runtime.snapshot import Snapshot
from savegen.runtime.world import World

Cells = Callable[[int, int], list[Any]]  # of some records

_KEY, _OBJECT = attrgetter("key"), attrgetter("object")
_PREFAB, _PLACEMENT = attrgetter("prefab"), attrgetter("placement")
_LEVEL = attrgetter("level")


class RecordPieces:
    """The pieces of the table of records, made when they are wanted.

    Most worlds were never left by anybody and have no levels: then there is no need to look at
    each record once more.
    """

    def __init__(
        self,
        records: Sequence[SlotMapReference | Entry],
        snapshot: Snapshot,
        order: Order,
    ) -> None:
        self._records = records
        self._snapshot = snapshot
        self._order = order
        _check_prefabs({*map(_PREFAB, snapshot.records)} - {None}, snapshot.world)

    def __iter__(self) -> Iterator[Piece]:
        columns = [
            self._numbers(),
            *self._keys(),
            self._some(
                _PREFAB, lambda found: [None if p is None else int(p) for p in found]
            ),
            self._some(_PLACEMENT, texts),
            self._some(_LEVEL, texts),
        ]
        for start in range(0, len(self._records), ROWS_OF_A_PIECE):
            end = min(start + ROWS_OF_A_PIECE, len(self._records))
            yield [cells(start, end) for cells in columns]

    def _numbers(self) -> Cells:
        records, order = self._records, self._order
        if order.is_as_met and len(records) == order.count:
            objects = chain.from_iterable(group.objects for group in order.classes)
            if all(map(is_, map(_OBJECT, records), objects)):
                return _range
        return lambda start, end: order.numbers_of(map(_OBJECT, records[start:end]))

    def _keys(self) -> tuple[Cells, Cells]:
        records, indices = self._records, self._snapshot.indices
        is_whole = records is self._snapshot.records
        if is_whole and indices.places == (*range(len(records)),):
            return _range, lambda start, end: [*indices.generations[start:end]]
        return (
            lambda start, end: [key.index for key in map(_KEY, records[start:end])],
            lambda start, end: [
                key.generation for key in map(_KEY, records[start:end])
            ],
        )

    def _some(
        self, get: Callable[[Any], Any], write: Callable[[Iterable[Any]], list[Any]]
    ) -> Cells:
        records = self._records
        if {*map(get, records)} <= {None}:
            return lambda start, end: [None] * (end - start)
        return lambda start, end: write([*map(get, records[start:end])])


def _range(start: int, end: int) -> list[Any]:
    return [*range(start, end)]


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
