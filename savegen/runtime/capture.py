"""Taking a snapshot: everything in the world, and what it refers to."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from savegen.runtime import cells, mismatches
from savegen.runtime.errors import SaveError, describe_error
from savegen.runtime.generators import state_of
from savegen.runtime.keys import added_and_reached, in_key_order
from savegen.runtime.objects import GameObject, SlotMapReference
from savegen.runtime.to_rows import Packed, Packer, own_row, take_out_misfits
from savegen.runtime.recorder import record_all
from savegen.runtime.rows import UNSET, Key, mismatch
from savegen.runtime.snapshot import LostValue, Snapshot, Table
from savegen.runtime.tagged import ABSENT, Lost, Tag, tag, tag_as_native
from savegen.runtime.tagged import keys_of as tagged_keys
from savegen.runtime.world import World

Covers = Callable[[SlotMapReference], bool]
# Stands in a new row where a reference leads to a destroyed object, until `pack` takes it out.
_DEAD: Key = -(1 << 62)


class Capture(Packer):
    """One walk over a world: it packs every object that was added, and what they reach.

    The objects of a class are packed in one loop over a list. What a row is the first to refer
    to is put at the end of the list of its own class, which may be the one that is packed.
    """

    def __init__(self, world: World, covers: Covers | None = None) -> None:
        self._world = world
        self._covers = covers
        self._keys = world.keys
        self.tables: dict[type, Table] = {}
        self.objects: dict[type, list[Any]] = {}  # beside the rows of each table
        self._waiting = defaultdict[type, list[Any]](list)  # to be packed, by class
        self._seen: set[Key] = set()  # reached keys that something refers to
        self._generators: dict[int, Any] = {}  # states by key
        self._dead = 0  # references to destroyed objects
        self._stand_in: Key = 0  # for one of them
        self._lost: list[LostValue] = []
        self._numpy: dict[str, None] = {}  # fields that held numbers of numpy's
        self._state_values: dict[str, Any] = {}  # tagged

    def run(self, states: Mapping[str, Callable[[], Any]], strict: bool) -> Snapshot:
        """Return the world as it is now.

        Raises `SaveError` if a `save_data` of the game's raises, or if `strict` finds a value
        that would not come back as it is.
        """
        with mismatches.collected():
            self._note_added()
            if self._covers is None:
                self._note_states(states)
            self._pack_waiting()
        self._sort()
        if self._covers is None:
            self._world.keep_reached(self._seen)
            self._world.graveyard.prune()
            self._world.former.prune()
            self._world.generators.keep(self._generators)
        snapshot = self._snapshot()
        if strict:
            from savegen.runtime.strict_capture import check

            check(snapshot, self.objects, self._world)
        return snapshot

    # -- what there is

    def _note_added(self) -> None:
        for cls, table in self._world.tables.items():
            keys, _ = added_and_reached(table)
            if self._covers is not None:
                keys = [*filter(self._is_covered, keys)]
            if keys:
                self._waiting[cls] = [*map(table.__getitem__, keys)]

    def _note_states(self, states: Mapping[str, Callable[[], Any]]) -> None:
        """Tag the states, and note what they and preserved objects refer to."""
        self._state_values = self._states(states)
        kept = []
        for state in self._unknown_states(states).values():
            kept += [key for key in tagged_keys(state) if key < 0]
            for number in tagged_keys(state, (Tag.GENERATOR,)):
                if (generator := self._world.generators.at(number)) is not None:
                    self.generator_key(generator)
        if self._world.preserved is not None:
            kept += self._world.preserved.reached_keys()
        for key in kept:
            obj = self._world.at(key)
            if obj is not None and key not in self._seen:
                self._see(key, obj)

    def _is_covered(self, key: Key) -> bool:
        assert self._covers is not None
        owner = self._world.owners.get(key, (key, 0))[0]
        return self._covers(self._world.record_at(owner))

    def _pack_waiting(self) -> None:
        while self._waiting:
            self._take(next(iter(self._waiting)))

    def _take(self, cls: type) -> None:
        """Pack what waits of a class."""
        table = self.tables.get(cls)
        if table is None:
            table = self.tables[cls] = Table(self._world.entry_of(cls))
            self.objects[cls] = []
        first = len(table.keys)
        # A class with a `save_data` of its own may put keys where none is looked for.
        self._stand_in = 0 if table.entry.wraps else _DEAD
        packed = self.pack(table.entry, self._waiting[cls])
        self._stand_in = 0
        objects = self._packed(cls, len(packed.rows))
        table.keys += map(self._keys.__getitem__, map(id, objects))
        table.rows += packed.rows
        self.objects[cls] += objects
        for place, unfit in packed.unfit.items():
            for cell, value in unfit.items():
                self._put_aside(table, first + place, cell, value)
        if table.entry.untyped:
            self._tag_cells(table, first)
        if table.entry.behaviors:
            self._record(table, first, objects)

    def _packed(self, cls: type, count: int) -> list[Any]:
        """Return the first objects that waited; the others still do."""
        objects = self._waiting.pop(cls)
        if len(objects) > count:
            self._waiting[cls] = objects[count:]
        return objects[:count]

    def _record(self, table: Table, first: int, objects: list[Any]) -> None:
        for place, obj in enumerate(objects, first):

            def report(where: str, reason: str) -> None:
                self._lose(table, place, where, reason)

            recording = record_all(obj, table.entry.behaviors, self.tagged, report)
            if recording.dirty:
                table.recordings[place] = recording

    def _lose(self, table: Table, place: int, field: str, reason: str) -> None:
        entry, key = table.entry, table.keys[place]
        stored = entry.stored_by_cell.get(field)
        declared = self._world.registry.annotation(stored) if stored else ""
        self._lost.append(LostValue(key, entry.called, field, reason, declared))

    def _sort(self) -> None:
        """Put what was reached in the order in which it was met first."""
        for cls, table in self.tables.items():
            ordered = in_key_order(table.keys)
            if ordered != table.keys:
                places = {key: place for place, key in enumerate(table.keys)}
                chosen = [places[key] for key in ordered]
                self.tables[cls] = table.chosen(chosen)
                self.objects[cls] = [self.objects[cls][n] for n in chosen]

    def mark(self) -> int:
        return self._dead

    def go_back(self, mark: int) -> None:
        self._dead = mark

    def reached_with_hooks(self) -> list[Any]:
        """Return what was only reached and has a `@before_save`."""
        return [
            obj
            for cls, table in self.tables.items()
            if table.entry.before_save
            for key, obj in zip(table.keys, self.objects[cls])
            if key < 0
        ]

    # -- cells that need more than packing

    def pack(self, entry: Any, objects: list[Any]) -> Packed:
        """Return the rows, and beside them whatever does not fit its cell."""
        dead = self._dead
        packed = super().pack(entry, objects)
        numpy = take_out_misfits(entry, objects, packed, self)
        self._numpy |= dict.fromkeys(numpy)
        if entry.wraps:
            packed.rows = [own_row(row, entry.lent) for row in packed.rows]
        elif dead != self._dead:
            _take_out_dead(entry, packed.rows)
        return packed

    def _put_aside(self, table: Table, place: int, cell: str, value: Any) -> None:
        """Keep a value beside the table: its cell cannot hold it."""
        setattr(table.rows[place], cell, UNSET)
        try:
            is_set = value is not mismatches.NOT_SET
            tagged = self.tagged(value) if is_set else ABSENT
        except Lost as lost:
            try:
                tagged = self._as_native(table, cell, value)
            except Lost:
                self._lose(table, place, cell, str(lost))
                return
        table.mismatches.setdefault(place, {})[cell] = tagged

    def _as_native(self, table: Table, cell: str, value: Any) -> Any:
        """Tag a value in which there are numbers or texts of classes that nothing declares.

        Raises `Lost` if there is something else, or if the cell declares nothing either.
        """
        if cell in table.entry.untyped:
            raise Lost
        with mismatches.refused():
            tagged = tag_as_native(value, self, self._world.registry.values)
        if type(tagged) not in (tuple, list):
            self._numpy[f"{table.entry.called}.{cell} ({type(value).__name__})"] = None
        return tagged

    def _tag_cells(self, table: Table, first: int) -> None:
        """Tag what a class with a `save_data` of its own put into cells without a type."""
        for place, row in enumerate(table.rows[first:], first):
            for cell in table.entry.untyped:
                value = getattr(row, cell)
                if value is not UNSET:
                    try:
                        setattr(row, cell, self.tagged(value))
                    except Lost:
                        self._put_aside(table, place, cell, value)

    def tagged(self, value: Any) -> Any:
        """Return plain data for a value without a declared type. Raises `Lost`."""
        with mismatches.refused():
            return tag(value, self, self._world.registry.values)

    # -- the snapshot

    def _snapshot(self) -> Snapshot:
        world, covers = self._world, self._covers
        tables = {table.number: table for table in self.tables.values()}
        placements = world.placements
        if covers is not None:
            inside = {key for table in tables.values() for key in table.keys}
            placements = {k: p for k, p in placements.items() if k in inside}
        return Snapshot(
            tables=dict(sorted(tables.items())),
            placements={**placements},
            slots=world.slots.state(),
            next_reached=world.next_reached,
            generators=self._generators,
            states=self._state_values,
            tombstones={} if covers else {**world.tombstones},
            dangling=self._dead,
            lost=tuple(self._lost),
            numpy=(*self._numpy,),
            preserved=None if covers else world.preserved,
            covers=covers,
            destroyed=frozenset(world.tombstones) if covers else (),
            world=world,
        )

    def _states(self, states: Mapping[str, Callable[[], Any]]) -> dict[str, Any]:
        left = self._unknown_states(states)
        return {n: self._state(n, get) for n, get in states.items()} | left

    def _unknown_states(self, states: Mapping[str, object]) -> dict[str, Any]:
        """Return what a save had, tagged, that the game does not know."""
        found = self._world.unknown_states.items()
        return {name: state for name, state in found if name not in states}

    def _state(self, name: str, get: Callable[[], Any]) -> Any:
        try:
            return self.tagged(get())
        except Exception as error:
            text = f"the state {name!r} cannot be saved: {describe_error(error)}"
            raise SaveError(text) from error

    # -- references

    def key_of(self, component: Any, /) -> Key:
        key = self._keys.get(id(component))
        if key is None:
            return self._reach(component)
        if key < 0 and key not in self._seen:  # as in `_see`, without another call
            self._seen.add(key)
            self._waiting[type(component)].append(component)
        return key

    def _reach(self, component: Any) -> Key:
        """Give a key to something that nobody has met; it is packed later."""
        if component in self._world.graveyard:
            self._dead += 1
            return self._stand_in
        try:
            key = self._world.reach(component)
        except SaveError:  # not an object of a saveable class
            found: Key = mismatch(component)
            return found
        self._see(key, component)
        return key

    def _see(self, key: Key, obj: Any) -> None:
        self._seen.add(key)
        self._waiting[type(obj)].append(obj)

    def get_component(self, key: Key, /) -> Any:
        return self._world.at(key)

    def id_of(self, asset: Any, /) -> str:
        try:
            return self._world.assets.id_of(asset)
        except SaveError:
            found: str = mismatch(asset)
            return found

    def asset(self, id: str, /) -> Any:
        return self._world.assets[id]

    def generator_key(self, generator: Any, /) -> int:
        key = self._world.generators.key_of(generator)
        if key not in self._generators:
            self._generators[key] = state_of(generator)
        return key

    def class_at(self, number: int, /) -> Any:
        return self._world.registry[number].load_class()

    def generator(self, key: int, /) -> Any:
        return self._world.generators.at(key)


def _take_out_dead(entry: Any, rows: list[Any]) -> None:
    """Take references to destroyed objects out of containers; elsewhere they lead to nothing."""
    for row in rows:
        for cell, stored in entry.referring.items():
            found = getattr(row, cell)
            if found is not UNSET and _DEAD in cells.keys_in(stored, [found]):
                setattr(row, cell, cells.without(stored, found, {_DEAD}))


class Meeting(Capture):
    """Gives keys to everything that some objects are the first to lead to."""

    def of(self, objects: Iterable[Any]) -> list[Any]:
        """Return what nobody had met before, in the order of keys."""
        with mismatches.collected():
            for obj in filter(self._leads_on, objects):
                self._waiting[type(obj)].append(obj)
            self._pack_waiting()
        return [self._world.at(key) for key in in_key_order(self._seen)]

    def _leads_on(self, obj: Any) -> bool:
        """Return whether an object may lead to others than its own components."""
        if isinstance(obj, GameObject):
            return obj.parent is not None or bool(obj.children)
        entry = self._world.entry_of(type(obj))
        return bool(entry.referring or entry.saves_by_code)

    def key_of(self, component: Any, /) -> Key:
        key = self._keys.get(id(component))
        return self._reach(component) if key is None else key
