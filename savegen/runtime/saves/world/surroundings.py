"""The tables of a save that are of no class: who is in the world, and what belongs to it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter
from typing import Any

from savegen.runtime.errors import SaveError
from savegen.runtime.generators import GeneratorState
from savegen.runtime.keys import SlotKey
from savegen.runtime.objects import SlotMapReference
from savegen.runtime.saves.world.attic import Attic, Entry
from savegen.runtime.saves.document import (
    EMPTIES,
    FREE,
    GENERATORS,
    NAMES,
    RECORDS,
    ROWS_OF_A_PIECE,
    STATES,
    SYSTEM,
    Piece,
    TOMBSTONES,
    Table,
)
from savegen.runtime.saves.world.lanes import Pieces
from savegen.runtime.saves.world.order import Order, woven
from savegen.runtime.saves.world.records import record_lanes, texts
from savegen.runtime.saves.wire import Names
from savegen.runtime.saves.wire._dynamic import Dynamic
from savegen.runtime.saves.wire.forms import from_plain, relink
from savegen.runtime.slots import EMPTY, LAST_GENERATION
from savegen.runtime.snapshot import Snapshot
from savegen.runtime.world import World

_PLACEMENT = attrgetter("placement")


def system_table(number: int, columns: Sequence[Sequence[Any]]) -> Table:
    """Return one of the tables that every save has, of all its values."""
    count = len(columns[0])
    pieces = [
        [[*column[start : start + ROWS_OF_A_PIECE]] for column in columns]
        for start in range(0, count, ROWS_OF_A_PIECE)
    ]
    return Table(number, NAMES[number], [*SYSTEM[number]], count, pieces)


def surroundings(
    snapshot: Snapshot, attic: Attic, order: Order, dynamic: Dynamic, names: Names
) -> list[Table]:
    """Return the tables beside those of classes. Raises `SaveError` for what cannot be loaded."""
    return [
        *slot_map(snapshot, attic, order),
        tombstones(snapshot),
        states_table(snapshot, attic, order, dynamic, names),
    ]


def slot_map(snapshot: Snapshot, attic: Attic, order: Order) -> list[Table]:
    """Return what was added to the world, and the slots that are empty."""
    return [_records(snapshot, attic, order), *_slots(snapshot, attic)]


def _records(snapshot: Snapshot, attic: Attic, order: Order) -> Table:
    records: Sequence[SlotMapReference | Entry] = snapshot.records
    if attic.records:
        taken = {*map(_PLACEMENT, records)}
        waiting = [(each.place, _unplaced(each, taken)) for each in attic.records]
        records = woven([*records], [*waiting])
    pieces = Pieces(len(records), record_lanes(records, snapshot, order))
    columns = [*SYSTEM[RECORDS]]
    return Table(RECORDS, NAMES[RECORDS], columns, len(records), pieces)


def _unplaced(entry: Entry, taken: set[str | None]) -> Entry:
    """Return a record that waits, without its place if somebody else was put there."""
    if entry.placement is None or entry.placement not in taken:
        return entry
    return entry._replace(placement=None)


def _slots(snapshot: Snapshot, attic: Attic) -> list[Table]:
    """Return the empty slots, and those that can be filled."""
    generations, places, free = snapshot.indices
    waiting = {entry.key.index for entry in attic.records}
    empties = [
        (slot, generations[slot])
        for slot, place in enumerate(
            places if len(snapshot.records) < len(places) else ()
        )
        if place == EMPTY and slot not in waiting
    ]
    if snapshot.covers is not None:
        filled = {record.key.index for record in snapshot.records}
        left = [s for s, p in enumerate(places) if p != EMPTY and s not in filled]
        empties = sorted([*empties, *((slot, generations[slot] + 1) for slot in left)])
        usable = (slot for slot in left if generations[slot] < LAST_GENERATION)
        free = (*reversed([*usable]), *free)
    columns = [*map(list, zip(*empties))] or [[], []]
    return [system_table(EMPTIES, columns), system_table(FREE, [[*free]])]


def tombstones(snapshot: Snapshot) -> Table:
    found = snapshot.tombstones
    return system_table(TOMBSTONES, [texts(found), texts(found.values())])


def states_table(
    snapshot: Snapshot, attic: Attic, order: Order, dynamic: Dynamic, names: Names
) -> Table:
    states = snapshot.states
    values = [*dynamic.pack([*states.values()], names)]
    others = {name: v for name, v in attic.states.items() if name not in states}
    values += relink("any", {}, [*others.values()], order.number_or_none)
    return system_table(STATES, [texts([*states, *others]), values])


def generator_table(
    states: Sequence[GeneratorState], dynamic: Dynamic, names: Names
) -> Table:
    """Return the random generators that values are places of."""
    kinds = [
        "random" if type(each.state) is tuple else "numpy_random" for each in states
    ]
    packed = dynamic.pack([each.state for each in states], names)
    return system_table(GENERATORS, [kinds, [*packed]])
