"""What a document says of classes that the game knows: their tables, as a snapshot has them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from savegen.runtime.components import CommonFields
from savegen.runtime.errors import SaveApplyError, SaveCorruptError
from savegen.runtime.generators import GeneratorState
from savegen.runtime.keys import SaveLoadKey, SlotKey
from savegen.runtime.objects import GAME_OBJECT
from savegen.runtime.recorder import EMPTY as NOTHING_RECORDED
from savegen.runtime.recorder import Recording
from savegen.runtime.registry import ClassEntry
from savegen.runtime.saves.world import early
from savegen.runtime.saves.world.asides import Asides
from savegen.runtime.saves.world.attic import Dormant
from savegen.runtime.saves.world.converting import as_in_rows
from savegen.runtime.saves.world.data import UNSET, WithKeys, by_member
from savegen.runtime.saves.document import DATA, RECORDED, Document
from savegen.runtime.saves.world.generating import Generators
from savegen.runtime.saves.world.members import Group, Members
from savegen.runtime.saves.world.placing import check_families
from savegen.runtime.saves.world.reading import ClassReader, Found
from savegen.runtime.saves.wire import Things, Wires
from savegen.runtime.snapshot import Table
from savegen.runtime.supplying import MISSING
from savegen.runtime.world import World


class Known(Things):
    """What numbers of a document stand for, in today's game."""

    def __init__(
        self,
        members: Members,
        objects: Sequence[Any],
        world: World,
        generators: Generators,
    ) -> None:
        self.objects = objects
        self.may_be_lost = bool(members.absent)
        self._members = members
        self._world = world
        self._generators = generators

    def asset(self, id: str, /) -> Any:
        return self._world.assets[id]

    def generator(self, place: int, /) -> GeneratorState:
        return self._generators.at(place)

    def class_of(self, number: int, /) -> type:
        return self._world.registry[number].load_class()

    def key(self, named: int | tuple[int, ...], /) -> SaveLoadKey | None:
        if isinstance(named, int):
            return self._members.key_of(named)
        if len(named) != 3:
            raise SaveCorruptError("the save has a key that is none")
        index, generation, component = named
        return SaveLoadKey(SlotKey(index, generation), component)


class Tables:
    """Makes the tables of a snapshot. What is not in the game's world is set aside."""

    def __init__(
        self,
        document: Document,
        members: Members,
        wires: Wires,
        things: Things,
        asleep: Things,
        asides: Asides,
        is_once: bool,
    ) -> None:
        """To what is not in the world everything is there: `asleep`.

        What is made is applied `once`, to the manager's world: new objects may be filled at once.
        """
        self._document = document
        self._members = members
        self._wires = wires
        self._things = things
        self._asleep = asleep
        self._asides = asides
        self._is_once = is_once

    def read(self) -> Iterator[Table]:
        """Yield them. Raises `SaveError` for what cannot be read, or makes no sense."""
        for group in self._members.groups:
            if group.entry is None:
                self._asides.add_class(group)
            elif group.table.count:
                table = self._table(group, group.entry)
                if table.objects:
                    yield table

    def _table(self, group: Group, entry: ClassEntry) -> Table:
        recordings, known = None, set[int]()
        if entry.behaviors:
            recordings, known = self._recordings(group), {RECORDED}
        if entry.rows is None:
            self._asides.add_fields(group, known | {DATA})
            return self._own(group, entry, recordings)
        reader = ClassReader(self._document, group.table, entry, self._wires)
        self._asides.add_fields(group, known | {number for number, _ in reader.fields})
        if self._is_once and not self._asides.has(group):
            if early.may_fill(reader, self._members):
                return early.filled(group, reader, self._things)
        return self._of_fields(group, reader, recordings)

    # -- classes with fields

    def _of_fields(
        self, group: Group, reader: ClassReader, recordings: list[Recording] | None
    ) -> Table:
        found = reader.read(self._things)
        here = self._here(group)
        if here is not None:
            self._wake(group, reader, found)
        self._asides.cut(group, reader, found)
        self._default(group, reader, found)
        table = Table(
            reader.entry, group.objects, found.rows, None, recordings, found.lacks
        )
        if here is not None:
            self._set_aside(group, table, here)
            table = chosen(table, here)
        if reader.entry is GAME_OBJECT:
            self._check_objects(table)
        if found.has_unset:
            table.data, table.rows = [*self._data(table)], None
        return table

    def _here(self, group: Group) -> list[int] | None:
        """Return the places of what is in the world; `None` if all is."""
        absent = self._members.absent
        if absent.isdisjoint(group.numbers):
            return None
        return [place for place, n in enumerate(group.numbers) if n not in absent]

    def _wake(self, group: Group, reader: ClassReader, found: Found) -> None:
        """Read again what is not in the world: to that, everything is there."""
        rows, width = reader.read(self._asleep).rows, reader.width
        for place, number in enumerate(group.numbers):
            if number in self._members.absent:
                cells = slice(place * width, (place + 1) * width)
                found.rows[cells] = rows[cells]

    def _default(self, group: Group, reader: ClassReader, found: Found) -> None:
        """Give what the save does not say its default, where there is one."""
        defaults = reader.entry.defaults if found.lacks else {}
        cls = type(group.objects[0])
        for at, lack in found.lacks.items():
            if lack.number not in defaults:
                continue
            check, name = (
                reader.checks[at],
                f"{cls.__qualname__}.{reader.fields[at][1]}",
            )
            for place in lack.places or range(len(group.objects)):
                value = defaults[lack.number](cls)
                if fault := check.fault(value):
                    text = (
                        f"the default of `{name}` is {fault.found}, not {fault.wanted}"
                    )
                    raise SaveApplyError(text)
                found.rows[place * reader.width + at] = as_in_rows(check, value)

    def _check_objects(self, table: Table) -> None:
        """Check that objects belong together as they can."""
        assert table.rows is not None
        if self._members.absent:
            components = table.rows[3 :: table.width]
            table.rows[3 :: table.width] = [
                tuple(part for part in parts if part[1] is not None)
                for parts in components
            ]
        check_families(table)

    def _set_aside(self, group: Group, table: Table, here: list[int]) -> None:
        """Keep the objects of a class that are not in the world, unless they are gone for good."""
        there, known = self._members.dropped, {*here}
        places = [
            place
            for place, number in enumerate(group.numbers)
            if place not in known and number not in there
        ]
        if places:
            self._asides.add_dormant(
                group.table.number,
                Dormant(
                    table.entry,
                    places,
                    [table.objects[place] for place in places],
                    (
                        [_settled(table.row(place)) for place in places]
                        if table.rows is not None
                        else []
                    ),
                    table.data and [table.data[place] for place in places],
                    table.recordings and [table.recordings[place] for place in places],
                ),
            )

    # -- classes that save themselves, and what was recorded

    def _own(
        self, group: Group, entry: ClassEntry, recordings: list[Recording] | None
    ) -> Table:
        numbers = [column.number for column in group.table.columns]
        if DATA not in numbers:
            raise SaveApplyError(
                f"`{group.table.name}` saves itself today, and did not when it was saved: a"
                " `@migration` can say what becomes of its fields"
            )
        found = self._dynamic(group.table.values(numbers.index(DATA)), group)
        if any(type(each) is not dict for each in found):
            raise SaveCorruptError(f"the data of a `{group.table.name}` is no dict")
        data = [by_member(each, entry) for each in found]
        self._asides.cut_data(group, DATA, "data", data)
        table = Table(entry, group.objects, None, data, recordings)
        here = self._here(group)
        if here is None:
            return table
        self._set_aside(group, table, here)
        return chosen(table, here)

    def _recordings(self, group: Group) -> list[Recording]:
        numbers = [column.number for column in group.table.columns]
        if RECORDED not in numbers:
            return [NOTHING_RECORDED] * group.table.count
        values = group.table.values(numbers.index(RECORDED))
        found = [*map(_recording, self._dynamic(values, group))]
        self._asides.cut_data(group, RECORDED, "recorded", found)
        return found

    def _dynamic(self, values: list[Any], group: Group) -> list[Any]:
        read = self._wires.dynamic.read
        found = read(values, self._things)
        if not self._members.absent.isdisjoint(group.numbers):
            for place, number in enumerate(group.numbers):
                if number in self._members.absent:
                    (found[place],) = read([values[place]], self._asleep)
        return found

    # -- attributes that are not set

    def _data(self, table: Table) -> Iterator[dict[int, Any]]:
        """Yield what objects hold by number: what is not there is not set."""
        numbers = {id(each): n for n, each in enumerate(self._members.objects)}
        keyed = WithKeys(lambda thing: self._members.key_of(numbers[id(thing)]))
        fields = [*table.entry.mixin.save_load_field_names.values()]
        for place in range(len(table.objects)):
            data: dict[int, Any] = {CommonFields.TYPE: table.entry.save_type}
            for field, cell in zip(fields, table.row(place), strict=True):
                if cell is not UNSET and cell is not MISSING:
                    data[field] = keyed.copy(cell)
            yield data


def chosen(table: Table, places: list[int]) -> Table:
    """Return a table of some of the objects."""
    rows, data, recordings = table.rows, table.data, table.recordings
    return Table(
        table.entry,
        [table.objects[place] for place in places],
        (
            None
            if rows is None
            else [cell for place in places for cell in table.row(place)]
        ),
        data and [data[place] for place in places],
        recordings and [recordings[place] for place in places],
        {at: lack.chosen(places) for at, lack in table.lacks.items()},
    )


def _settled(row: list[Any]) -> list[Any]:
    return [UNSET if cell is MISSING else cell for cell in row]


def _recording(value: Any) -> Recording:
    """Return what was recorded. Raises `SaveCorruptError` if it is nothing of the kind."""
    if value is None:
        return NOTHING_RECORDED
    if type(value) is tuple and [*map(type, value)] == [tuple, dict]:
        dirty, values = value
        if {*map(type, (*dirty, *values))} <= {str}:
            return Recording(dirty, values)
    raise SaveCorruptError("what a Recorder has recorded makes no sense")
