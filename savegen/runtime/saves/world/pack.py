"""A snapshot as plain data: tables of columns, made piece by piece when they are wanted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple

from savegen.runtime import plain
from savegen.runtime.errors import SaveError
from savegen.runtime.generators import GeneratorState
from savegen.runtime.keys import SaveLoadKey
from savegen.runtime.objects import GAME_OBJECT
from savegen.runtime.recorder import EMPTY as NOTHING_RECORDED
from savegen.runtime.recorder import Recording
from savegen.runtime.saves.world.attic import Kept, attic_of
from savegen.runtime.saves.world.data import UNSET, WithObjects, by_number
from savegen.runtime.saves.document import (
    DATA,
    GAME_OBJECTS,
    RECORDED,
    Column,
    Document,
    Table,
)
from savegen.runtime.saves.world.lanes import Lane, fields_of, maybe, whole_lane
from savegen.runtime.saves.world.lanes import Pieces as Pieces
from savegen.runtime.saves.world.leftovers import Leftovers
from savegen.runtime.saves.world.order import Numbered, Order, woven
from savegen.runtime.saves.world.shapes import Shapes
from savegen.runtime.saves.world.surroundings import generator_table, surroundings
from savegen.runtime.saves.wire import Names, Unfit, Wire
from savegen.runtime.saves.wire._dynamic import Dynamic
from savegen.runtime.saves.world.wiring import wires_of
from savegen.runtime.snapshot import Snapshot
from savegen.runtime.snapshot import Table as Snapshotted


def pack(snapshot: Snapshot, pause: Callable[[], object] = bool) -> Document:
    """Return a snapshot as plain data.

    Its pieces are made when they are asked for, of the snapshot alone: on another thread,
    say, while the game goes on. `pause` is called now and then until then. A partial snapshot
    becomes a world of its own.

    Raises `SaveError`, at once or with a piece, for what no load could bring back: it names
    object and field.
    """
    return Packing(snapshot, pause).document()


_STEP = 20_000  # values


class Field(NamedTuple):
    """One field of a class: its column, as far as that has all values, and its wire."""

    column: Column
    wire: Wire | Dynamic


class Packing(Names):
    """One snapshot on its way: it gives numbers to all that is not written itself."""

    def __init__(self, snapshot: Snapshot, pause: Callable[[], object] = bool) -> None:
        if snapshot.outside:
            lost, _ = next(iter(snapshot.outside.values()))
            raise SaveError(
                f"the snapshot refers to a `{type(lost).__qualname__}` that its filter leaves"
                " out: it cannot be saved by itself"
            )
        self._snapshot = snapshot
        self._world = snapshot.world
        self._wires = wires_of(snapshot.world.registry)
        self._attic = attic_of(snapshot.aside)
        self._order = Order(snapshot, self._attic, pause)
        self._generators: dict[int, tuple[int, GeneratorState]] = {}
        self.shapes = Shapes()
        self._known = {
            group.number: self._fields(group)
            for group in self._order.classes
            if group.table is not None and group.table.entry.rows is not None
        }
        for field in chain.from_iterable(self._known.values()):
            self.shapes.use(field.column.form, self._wires.shapes)
        self._leftovers = Leftovers(self._attic, self._order, self.shapes)

    def document(self) -> Document:
        tables = [*map(self._table, self._order.classes)]
        around = self._surroundings()
        kept = [self._leftovers.kept(self._if_same)]
        states = [state for _, state in self._generators.values()]
        around += [generator_table(states, self._wires.dynamic, self), *kept]
        return Document(
            [*tables, *(table for table in around if table.count)],
            self._world.registry.save_version,
            self.shapes.used,
            self._snapshot.dangling,
        )

    def _surroundings(self) -> list[Table]:
        return surroundings(
            self._snapshot, self._attic, self._order, self._wires.dynamic, self
        )

    def let_go(self, pause: Callable[[], object]) -> None:
        """Give the memory back, some at a time, when neither document nor snapshot is needed."""
        self._order.let_go(pause)
        for table in self._snapshot.tables.values():
            while table.rows:
                del table.rows[-_STEP:]
                pause()

    # -- names

    def refs(self, objects: Sequence[Any], /) -> list[int | None]:
        return self._order.numbers_of(objects)

    def asset(self, thing: Any, /) -> str:
        return self._world.assets.id_of(thing)

    def generator(self, state: GeneratorState, /) -> int:
        token = id(state.generator)
        if token not in self._generators:
            self._generators[token] = (len(self._generators), state)
        return self._generators[token][0]

    def key(self, key: SaveLoadKey, /) -> int | None | tuple[int, int, int]:
        thing = self._snapshot.at(key)
        number = self._order.number_or_none(thing)
        if number is None and key.object.index >= 0:
            return (*key.object, key.component)
        return number

    # -- the tables of classes

    def _table(self, group: Numbered) -> Table:
        if group.unknown is not None:
            return self._leftovers.table(group.unknown)
        assert group.table is not None
        entry, count = group.table.entry, len(group.objects)
        if entry.rows is None:
            lanes, is_lazy = [self._own_lane(group)], False
        elif self._is_rare(group, group.table):
            lanes, is_lazy = self._rare_lanes(group), False
        else:
            lanes, is_lazy = self._lanes(group), not entry.rows.shares_state
        lanes += self._leftovers.lanes(group)
        if entry.behaviors:
            lanes.append(self._recorded_lane(group))
        lanes.sort(key=lambda lane: lane.column.number)
        name = _name(group)
        pieces = Pieces(count, lanes)
        # What holds generators is written at once: how many they are must be known.
        made = pieces if is_lazy else [*pieces]
        return Table(group.number, name, [lane.column for lane in lanes], count, made)

    def _is_rare(self, group: Numbered, table: Snapshotted) -> bool:
        """Tell whether the rows of a class are not simply those of its table."""
        has_parts = group.number == GAME_OBJECTS and bool(self._attic.parts)
        return bool(group.dormant or group.places or table.rows is None or has_parts)

    def _lanes(self, group: Numbered) -> list[Lane]:
        """Return the columns of a class whose rows need nothing else."""
        table = group.table
        assert table is not None and table.rows is not None
        rows, width, owner = table.rows, table.width, _name(group)

        def lane(place: int, field: Field) -> Lane:
            def cells(start: int, end: int) -> Sequence[Any]:
                values = rows[start * width + place : end * width : width]
                return self._packed(owner, field, values)

            return Lane(field.column, cells)

        return [
            lane(place, field) for place, field in enumerate(self._known[group.number])
        ]

    def _packed(self, owner: str, field: Field, values: Sequence[Any]) -> Sequence[Any]:
        where = f"{owner}.{field.column.name}"
        try:
            return field.wire.pack(values, self)
        except Unfit as error:
            fault = error.fault
            text = f"`{where}{fault.path}` holds {fault.found}, not {fault.wanted}"
            raise SaveError(text) from None
        except SaveError as error:
            error.add_note(f"while `{where}` was saved")
            raise

    def _fields(self, group: Numbered) -> list[Field]:
        """Return the fields of a class, in the order of its rows."""
        assert group.table is not None
        functions, mixin = group.table.entry.rows, group.table.entry.mixin
        assert functions is not None
        wires = [*map(self._wires.of, functions.checks.values())]
        numbers = fields_of(group.table.entry)
        return [
            Field(Column(number, name, wire.form), wire)
            for (number, name), wire in zip(numbers, wires, strict=True)
        ]

    def _rare_lanes(self, group: Numbered) -> list[Lane]:
        """Return the columns of a class of which some attributes are not set, or some objects
        are not in the world, or come in another order than they were met.
        """
        rows, fields = self._rows(group), self._known[group.number]
        return [
            self._rare_lane(_name(group), field, [row[place] for row in rows])
            for place, field in enumerate(fields)
        ]

    def _rare_lane(self, owner: str, field: Field, values: list[Any]) -> Lane:
        found = [value for value in values if value is not UNSET]
        made = self._packed(owner, field, found)
        if len(found) == len(values):
            return whole_lane(field.column, made)
        rest = iter(made)
        cells = [[] if value is UNSET else [next(rest)] for value in values]
        return whole_lane(maybe(field.column), cells)

    def _rows(self, group: Numbered) -> list[list[Any]]:
        """Return what each object of a class holds, one by one."""
        table = group.table
        assert table is not None
        if table.rows is not None:
            rows = [*map(table.row, _places(group))]
        else:
            assert table.data is not None
            rows = [self._row(table.data[place], group) for place in _places(group)]
        if group.dormant is not None:
            rows = woven(rows, [*zip(group.dormant.places, group.dormant.rows)])
        return self._with_parts(group, rows)

    def _row(self, data: dict[int, Any], group: Numbered) -> list[Any]:
        linked = WithObjects(self._snapshot.at)
        assert group.table is not None
        numbers = [number for number, _ in fields_of(group.table.entry)]
        return [linked.copy(data[n]) if n in data else UNSET for n in numbers]

    def _with_parts(self, group: Numbered, rows: list[list[Any]]) -> list[list[Any]]:
        """Put components and children back that the game does not know."""
        if group.number != GAME_OBJECTS or not self._attic.parts:
            return rows
        numbers = [number for number, _ in fields_of(GAME_OBJECT)]
        places = {id(each): place for place, each in enumerate(group.objects)}
        rows = [[*row] for row in rows]
        found: dict[tuple[int, int], list[tuple[int, Any]]] = {}
        for part in self._attic.parts:
            if id(part.owner) in places:
                key = places[id(part.owner)], numbers.index(part.number)
                found.setdefault(key, []).append((part.place, part.item))
        for (row, column), parts in found.items():
            rows[row][column] = tuple(woven([*rows[row][column]], parts))
        return rows

    def _own_lane(self, group: Numbered) -> Lane:
        """Return the one column of a class that saves itself."""
        table, dormant = group.table, group.dormant
        assert table is not None
        found = _of_all(group, table.data, dormant.data if dormant else None)
        values = [by_number(data, table.entry) for data in found]
        return self._open_lane(group, Column(DATA, "data", "any"), values)

    def _recorded_lane(self, group: Numbered) -> Lane:
        table, dormant = group.table, group.dormant
        assert table is not None
        asleep = dormant.recordings if dormant else None
        found = _of_all(group, table.recordings, asleep)
        column = Column(RECORDED, "recorded", "any")
        return self._open_lane(group, column, [*map(_recorded, found)])

    def _open_lane(self, group: Numbered, column: Column, values: list[Any]) -> Lane:
        """Return a column whose values say themselves what they are."""
        field = Field(column, self._wires.dynamic)
        return whole_lane(column, self._packed(_name(group), field, values))

    def _if_same(self, kept: Kept, group: Numbered) -> Iterator[Any]:
        """Yield what a field holds, as it is written, if that is just what it was given."""
        table, place = self._snapshot.places.get(id(kept.object), (None, 0))
        if table is None:
            return
        dynamic = self._wires.dynamic
        if kept.number == RECORDED and table.recordings:
            if table.recordings[place].same(kept.given):
                yield dynamic.pack([_recorded(table.recordings[place])], self)[0]
        elif kept.number == DATA and table.data:
            if plain.same(table.data[place], kept.given):
                data = by_number(table.data[place], table.entry)
                yield dynamic.pack([data], self)[0]
        else:
            yield from self._if_same_field(kept, group, table, place)

    def _if_same_field(
        self, kept: Kept, group: Numbered, table: Snapshotted, place: int
    ) -> Iterator[Any]:
        if table.data is not None:
            row = self._row(table.data[place], group)
        else:
            row = table.row(place)
        for field, cell in zip(self._known.get(group.number, ()), row, strict=True):
            if field.column.number == kept.number and cell is not UNSET:
                if kept.check is not None and kept.check.same(cell, kept.given):
                    yield field.wire.pack([cell], self)[0]


def _of_all(
    group: Numbered, here: list[Any] | None, dormant: list[Any] | None
) -> list[Any]:
    """Return what belongs to each object of a class, those not in the world among them."""
    assert group.table is not None
    found = [here[place] for place in _places(group)] if here else []
    if group.dormant is None or dormant is None:
        return found
    return woven(found, [*zip(group.dormant.places, dormant)])


def _places(group: Numbered) -> Sequence[int]:
    """Return where in its table each object of a class that is in the world stands."""
    assert group.table is not None
    return range(len(group.table.objects)) if group.places is None else group.places


def _name(group: Numbered) -> str:
    if found := group.table or group.dormant:
        return found.entry.name or type(group.objects[0]).__qualname__
    return type(group.objects[0]).__qualname__


def _recorded(recording: Recording) -> Any:
    if recording == NOTHING_RECORDED:
        return None
    return recording.dirty, recording.values
