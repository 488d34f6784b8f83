"""Setting aside, while a document is read, what the game of today does not know."""

from __future__ import annotations

from typing import Any


from savegen.runtime.errors import SaveError
from savegen.runtime.objects import GAME_OBJECT
from savegen.runtime.registry import Registry
from savegen.runtime.saves.world.attic import (
    Attic,
    Dormant,
    Entry,
    Kept,
    Lost,
    Part,
    Unknown,
    Was,
)
from savegen.runtime.saves.document import (
    Column,
    Document,
    Form,
)
from savegen.runtime.saves.world.kept import Saved, bare, saved_values
from savegen.runtime.saves.world.members import COMPONENTS, Group, Members
from savegen.runtime.saves.world.reading import ClassReader, Found, depth_of
from savegen.runtime.saves.wire import NoConversion, Things
from savegen.runtime.saves.wire.forms import refers, relink

CHILDREN = COMPONENTS - 1


class Asides:
    """What is kept of one document. Its references are the objects themselves."""

    def __init__(
        self, document: Document, members: Members, registry: Registry, things: Things
    ) -> None:
        self._document = document
        self._shapes = document.shapes
        self._members = members
        self._registry = registry
        self._things = things
        self._attic = Attic(shapes=document.shapes, lost={}, dormant={})
        self._attic.unknown, self._attic.kept, self._attic.parts = [], [], []
        # By the number of an object, then of its field.
        self._saved: dict[int, dict[int, Saved]] = {}
        for saved in saved_values(document):
            self._saved.setdefault(saved.object, {})[saved.number] = saved

    def attic(self, records: list[Entry], states: dict[str, Any]) -> Attic:
        """Return all that was set aside."""
        self._keep_the_rest()
        self._attic.records = records
        self._attic.states = {
            name: self._linked("any", [value])[0] for name, value in states.items()
        }
        return self._attic

    def _linked(self, form: Form, values: list[Any]) -> list[Any]:
        """Return wire values with objects for numbers; without what is gone for good."""
        return relink(form, self._shapes, values, self._object)

    def _object(self, number: Any) -> Any:
        thing = self._members.at(number)
        return None if number in self._members.dropped else thing

    # -- classes, and fields

    def add_class(self, group: Group) -> None:
        """Keep the objects of a class that the game does not know."""
        table = group.table
        if table.count and group.first not in self._members.dropped:
            values = [
                self._linked(column.form, table.values(place))
                for place, column in enumerate(table.columns)
            ]
            self._attic.unknown.append(
                Unknown(table.number, table.name, table.columns, group.objects, values)
            )

    def add_fields(self, group: Group, known: set[int]) -> None:
        """Keep the fields that a class does not have any more."""
        assert group.entry is not None
        for place, column in enumerate(group.table.columns):
            if column.number in known or column.number in group.entry.retired:
                continue
            values = self._linked(column.form, group.table.values(place))
            objects = group.objects
            if depth_of(column.form) == 2:  # newer objects never had it
                there = [n for n, value in enumerate(values) if value]
                values = [values[place][0] for place in there]
                objects = [objects[place] for place in there]
                column = Column(column.number, column.name, column.form[1])
            lost = self._attic.lost.setdefault(group.table.number, [])
            lost.append(Lost(column, objects, values))

    def add_dormant(self, number: int, dormant: Dormant) -> None:
        """Keep objects of a known class that are not in the world."""
        self._attic.dormant[number] = dormant

    # -- values that today's game cannot hold

    def has(self, group: Group) -> bool:
        """Tell whether the save has values of these objects that an older game could not hold."""
        return not self._saved.keys().isdisjoint(group.numbers)

    def cut(self, group: Group, reader: ClassReader, found: Found) -> None:
        """Keep the values that refer to what is not in the world, or say more than a class holds.

        Those that an older version could not hold are given back, if this one can.
        """
        is_cut = bool(self._members.absent) or bool(found.loses)
        if not is_cut and not self.has(group):
            return
        start = 0
        for piece in group.table.pieces:
            for at, place in reader.columns.items():
                self._cut_column(group, reader, found, at, piece[place], start)
            start += len(piece[0]) if piece else 0

    def cut_data(self, group: Group, number: int, name: str, given: list[Any]) -> None:
        """Likewise, for values that say themselves what they are."""
        columns = [column.number for column in group.table.columns]
        if not self._members.absent:
            return
        values = group.table.values(columns.index(number))
        for place in self._cut_places("any", values):
            if group.first + place not in self._members.absent:
                (kept,) = self._linked("any", [values[place]])
                thing = group.objects[place]
                self._attic.kept.append(
                    Kept(thing, number, name, "any", kept, given[place])
                )

    def _cut_column(
        self,
        group: Group,
        reader: ClassReader,
        found: Found,
        at: int,
        values: list[Any],
        start: int,
    ) -> None:
        number, name = reader.fields[at]
        form = group.table.columns[reader.columns[at]].form
        cut = self._cut_places(form, values)
        if at in found.loses:
            cut = {*range(len(values))}
        for turn, value in enumerate(values):
            place = start + turn
            saved = self._saved.get(group.first + place, {}).pop(number, None)
            thing, cell = group.objects[place], place * reader.width + at
            if group.first + place in self._members.absent:
                continue
            if saved is not None and saved.is_still(form, value):
                self._give_back(reader, found, at, thing, cell, saved)
            elif (
                turn in cut
                and group.entry is GAME_OBJECT
                and number in (COMPONENTS, CHILDREN)
            ):
                self._add_parts(thing, number, value)
            elif turn in cut:
                (kept,) = self._linked(form, [value])
                given = found.rows[cell]
                self._attic.kept.append(
                    Kept(thing, number, name, form, kept, given, reader.checks[at])
                )

    def _cut_places(self, form: Form, values: list[Any]) -> set[int]:
        """Return the places of values that refer to what is not in the world."""
        absent = self._members.absent - self._members.dropped
        if not absent or not refers(form, self._shapes):
            return set()
        if absent.isdisjoint(self._numbers(form, values)):
            return set()
        return {
            place
            for place, value in enumerate(values)
            if not absent.isdisjoint(self._numbers(form, [value]))
        }

    def _numbers(self, form: Form, values: list[Any]) -> list[int]:
        found: list[int] = []

        def note(number: Any) -> Any:
            found.append(number)
            return number

        relink(form, self._shapes, values, note)
        return found

    def _add_parts(self, owner: Any, number: int, cells: list[Any]) -> None:
        """Keep components and children that are not in the world, where they would stand."""
        for place, cell in enumerate(cells):
            one = cell[1] if number == COMPONENTS else cell
            if one in self._members.absent and one not in self._members.dropped:
                thing = self._members.at(one)
                item = (cell[0], thing) if number == COMPONENTS else thing
                self._attic.parts.append(Part(owner, number, place, item))

    def _give_back(
        self,
        reader: ClassReader,
        found: Found,
        at: int,
        thing: Any,
        cell: int,
        saved: Saved,
    ) -> None:
        """Give an object the value that it had, as far as today's game can hold it."""
        form, value = bare(saved.form, saved.values(self._shapes)[0])
        cuts, loses = self._cut_places(form, [value]), True
        try:
            read = reader.reader_of(at, form)
            found.rows[cell] = read([value], self._things)[0]
            loses = getattr(read, "loses", False)
        except (NoConversion, SaveError):
            pass  # it is kept until a version of the game can
        if cuts or loses:
            (kept,) = self._linked(form, [value])
            given = found.rows[cell]
            self._attic.kept.append(
                Kept(
                    thing,
                    saved.number,
                    saved.name,
                    form,
                    kept,
                    given,
                    reader.checks[at],
                )
            )

    def _keep_the_rest(self) -> None:
        """Keep what was kept of objects of unknown classes, as long as nobody changed them."""
        for group in self._members.groups:
            if group.entry is None:
                for number in group.numbers:
                    self._keep_again(group, number, self._saved.get(number, {}))

    def _keep_again(self, group: Group, number: int, saved: dict[int, Saved]) -> None:
        for place, column in enumerate(group.table.columns):
            found = saved.get(column.number)
            if found is None:
                continue
            now = group.table.values(place)[number - group.first]
            if found.is_still(column.form, now):
                values = self._linked(found.form, found.values(self._shapes))
                form, value = bare(column.form, now)
                given = Was(form, self._linked(form, [value])[0], self._shapes)
                thing = group.objects[number - group.first]
                self._attic.kept.append(
                    Kept(thing, found.number, found.name, found.form, values[0], given)
                )
