"""Taking a snapshot of a world: packing the added objects and all objects that they reach."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import (
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from functools import partial
from operator import attrgetter
from typing import Any

from savegen.runtime.values import folds
from savegen.runtime.errors import SaveError, reason
from savegen.runtime.values.libraries.generators import state_of
from savegen.runtime.world.groups import typed_content
from savegen.runtime.values.basics.keys import (
    added_and_reached,
    describe_key,
    in_key_order,
)
from savegen.runtime.world.objects import GameObject
from savegen.runtime.snapshots.to_rows import (
    NO_OBJECT,
    Packed,
    pack_rows,
    give_types,
    own_row,
    take_out_misfits,
    typed_misfit,
)
from savegen.runtime.snapshots.hashing import hash_faults
from savegen.runtime.snapshots.partial import Selection
from savegen.runtime.values.references import References
from savegen.runtime.snapshots.recorder import record_all
from savegen.runtime.values.rows import UNSET, Key, Row, misfit
from savegen.runtime.reports import LostValue
from savegen.runtime.snapshots.snapshot import Snapshot
from savegen.runtime.snapshots.tables import Covers, Table, cells_with
from savegen.runtime.values.libraries.sprites import LastCapture, SpriteGroup
from savegen.runtime.values.folds import Typed
from savegen.runtime.world.world import World, in_order

_MIN_SHARE = 8
# The key of destroyed objects in new rows, until `pack` removes it.
_DESTROYED = NO_OBJECT


class _ObjectsByKey(dict[Key, Any]):
    """Objects by key. A stale key gives the dict itself, which differs from every object."""

    def __missing__(self, key: Key) -> Any:
        return self


class _KeyMap(dict[Any, Key]):
    """Keys by the objects themselves, which is twice as fast as by their `id`.

    No class of these objects may define its own hash: two equal objects would share a key.
    """

    def __init__(self, find: Callable[[Any], Key]) -> None:
        """`find` returns the key of an object that the map lacks."""
        super().__init__({None: 0})
        self._find = find

    def __missing__(self, obj: Any) -> Key:
        key = self._find(obj)
        if _DESTROYED < key < 0:  # a reached object, which is enqueued now
            self[obj] = key
        return key


class Capture(References):
    """Packs all added objects of a world, and all objects that they reach, into a snapshot.

    Objects of one class are packed together: first the added objects of all classes, then the
    reached ones. When packing reaches an object for the first time, the object is appended to
    the waiting objects of its class, which may be the class that is being packed.

    With a `base`, an earlier full snapshot, objects are compared with their rows in it, and only
    those that changed are packed.
    """

    # Generated code calls these for each reference, so they are the quickest functions there are.
    key_of: Callable[[Any], Key]
    get_component: Callable[[Key], Any]

    def __init__(
        self,
        world: World,
        part: Selection | None = None,
        base: Snapshot | None = None,
        rewound: bool = False,
    ) -> None:
        """Create the capture of a whole world, or of a `part` of it.

        With `rewound`, leave out the objects that a rewind leaves alone.
        """
        super().__init__(world.registry.values)
        self._world = world
        self._rewound = rewound
        self._unrewound: frozenset[Key] | None = None  # the keys that were left out
        self._part = part
        self._base = base
        self._keys = world.keys
        self._is_mapped = False  # whether keys are found by the objects themselves
        self._tables: dict[int, Table] = {}  # by class number
        self._classes: set[type] = set()  # of objects, if the build did not see all
        self._waiting = defaultdict[type, list[Any]](list)  # to be packed, by class
        # Added objects to be packed, and their keys, by class.
        self._added: dict[type, tuple[list[Any], list[Key]]] = {}
        # The keys of the reached objects so far: an item of a dict is set faster than one is added
        # to a set, which is a call.
        self._reached_keys: dict[Key, None] = {}
        self._generators: dict[int, Any] = {}  # states by key
        self._dangling_cells: set[tuple[Key, str]] = set()
        # The keys of reached objects that need not be packed any more: `_reached_keys`, except
        # for `find_reached`.
        self._known: Mapping[Key, Any] = self._reached_keys
        self._key_of_destroyed: Key = 0  # replaces a destroyed object in a row
        self._lost: list[LostValue] = []
        self._numpy: dict[str, None] = {}  # fields that contained numpy numbers
        self._as_base: set[str] = set()  # what is saved as its base: `Poison as Effect`
        self._state_values: dict[str, Typed] = {}
        self.grouped: set[Key] = set()  # keys of added objects with sprites in groups
        # `key_of` is a function of this capture's, so it is deleted at the end. It is that of a
        # map as soon as so many objects are packed that making the map is worth it.
        self.key_of = self._key_by_id
        self.get_component = world.at
        if base is not None:
            objects = _ObjectsByKey({0: None})
            for table in world.tables.values():
                objects.update(table)
            self.get_component = objects.__getitem__

    def run(
        self,
        states: Mapping[str, Callable[[], Any]],
        groups: Mapping[str, SpriteGroup] = {},
    ) -> Snapshot:
        """Return a snapshot of the world.

        Raises `SaveError` if a `save_data` of the game raises.
        """
        self._collect_added()
        if self._part is None:
            self._collect_states(states, groups)
        for cls, (objects, keys) in self._added.items():
            self._pack_class(cls, objects, keys)
        self._sort_waiting()
        self._pack_waiting()
        if self._part is not None:
            self._state_values = self._typed_groups(groups)
        self._sort()
        if self._part is None:
            self._world.keep_reached(self._reached_keys)
            self._world.prune_destroyed()
            self._world.generators.keep(self._generators)
        if self._rewound:
            self._leave_out()
        snapshot = self._snapshot()
        del self.key_of
        return snapshot

    def find_reached(self, objects: Iterable[Any]) -> list[Any]:
        """Give keys to all objects that some new objects reach; return those that had none.

        They are in key order.
        """
        self._known = self._world.reached
        for obj in filter(self._may_refer, objects):
            self._waiting[type(obj)].append(obj)
        self._pack_waiting()
        del self.key_of
        return [self._world.at(key) for key in in_key_order(self._reached_keys)]

    def _may_refer(self, obj: Any) -> bool:
        """Return whether an object may refer to objects other than its components."""
        if isinstance(obj, GameObject):
            return obj.parent is not None or bool(obj.children)
        entry = self._world.registry.entry_of(type(obj))
        return bool(entry.reference_fields or entry.saves_by_code)

    # -- the objects to pack

    def _collect_added(self) -> None:
        for cls, table in self._world.tables.items():
            keys, _ = added_and_reached(table)
            if self._part is not None:
                keys = [*filter(self._part.includes, keys)]
            if keys:
                objects = table.values() if keys == [*table] else map(table.get, keys)
                self._added[cls] = [*objects], keys

    def _collect_states(
        self,
        states: Mapping[str, Callable[[], Any]],
        groups: Mapping[str, SpriteGroup],
    ) -> None:
        """Take states and groups, and enqueue what unknown states and preserved data refer to."""
        unknown = self._unknown_states({*states, *groups})
        values = {
            name: self._read_state(name, partial(self._typed_state, name, get))
            for name, get in states.items()
        }
        self._state_values = values | self._typed_groups(groups) | unknown
        reached = []
        for state in unknown.values():
            reached += [key for key in folds.keys_of(*state) if key < 0]
            for number in folds.generators_of(*state):
                if (generator := self._world.generators.at(number)) is not None:
                    self._generator_key(generator)
        if self._world.preserved is not None:
            reached += self._world.preserved.referred_reached_keys()
        for key in reached:
            obj = self._world.at(key)
            if obj is not None and key not in self._reached_keys:
                self._enqueue(key, obj)

    def _sort_waiting(self) -> None:
        """Sort the waiting objects by key.

        The order in which they are packed is that in which the objects that only they refer to
        get keys. So it must not depend on which rows a `base` has.
        """
        entry_of = self._world.registry.entry_of
        for cls in sorted(self._waiting, key=lambda cls: entry_of(cls).number):
            waiting = self._waiting.pop(cls)
            table = self._world.tables.get(cls, {})
            if len(table) == len(waiting):  # these are all objects of the class
                self._waiting[cls] = [*in_order(table).values()]
                continue
            keys = self._keys_of_known(waiting)
            if keys != sorted(keys, reverse=True):
                places = sorted(range(len(keys)), key=keys.__getitem__, reverse=True)
                waiting = [waiting[place] for place in places]
            self._waiting[cls] = waiting

    def _pack_waiting(self) -> None:
        while self._waiting:
            cls = next(iter(self._waiting))
            self._pack_class(cls, self._waiting[cls])

    def _pack_class(
        self, cls: type, objects: list[Any], keys: list[Key] | None = None
    ) -> None:
        """Pack objects of a class into its table.

        Without `keys`, they are those that wait, to which more may be appended meanwhile.
        """
        entry = self._world.registry.entry_of(cls)
        table = self._tables.setdefault(entry.number, Table(entry))
        first = len(table.keys)
        # A `save_data` of the game may put keys into cells where `pack` does not look for them.
        self._key_of_destroyed = 0 if entry.wraps else _DESTROYED
        base = self._base_of(entry, objects)
        if base is None:
            packed = self.pack(entry, objects)
        else:
            packed = self._pack_changed(entry, [*objects], keys, base)
        self._key_of_destroyed = 0
        if keys is None:
            objects = self._dequeue(cls, len(packed.rows))
            keys = self._keys_of_known(objects)
        table.keys += keys
        table.rows += packed.rows
        if self._world.registry.bases:
            self._classes.update(map(type, objects))
        if packed.unfit or packed.lost or packed.too_deep:
            self._keep_misfits(table, first, packed)
        for place in range(first, len(table.rows)) if entry.untyped else ():
            give_types(entry, table.rows[place], self._keeping(table, place))
        if entry.behaviors:
            self._add_recordings(table, first, objects)

    def _keep_misfits(self, table: Table, first: int, packed: Packed) -> None:
        """Keep the values that do not fit the cells of rows; the first of these is at `first`."""
        entry = table.entry
        for place, values in packed.unfit.items():
            for cell, value in values.items():
                self._store_mismatch(table, first + place, cell, value)
        for place, fault in packed.lost.items():
            for cell in entry.untyped:
                self._add_lost(table, first + place, cell, fault)
        for place, cells in packed.too_deep.items():
            for cell in cells:
                fault = folds.depth_fault(entry.stored_by_cell[cell])
                self._add_lost(table, first + place, cell, fault, "…")

    def _keys_of_known(self, objects: list[Any]) -> list[Key]:
        return [*map(self._keys.__getitem__, map(id, objects))]

    def _dequeue(self, cls: type, count: int) -> list[Any]:
        """Remove the first `count` waiting objects of a class and return them."""
        objects = self._waiting.pop(cls)
        if len(objects) > count:
            self._waiting[cls] = objects[count:]
        return objects[:count]

    def _add_recordings(self, table: Table, first: int, objects: list[Any]) -> None:
        for place, obj in enumerate(objects, first):
            try:
                keeping = self._keeping(table, place)
                recording = record_all(obj, table.entry.behaviors, keeping)
            except SaveError as error:
                error.args = (f"{describe_key(table.keys[place])}: {error}",)
                raise
            if recording.dirty:
                table.recordings[place] = recording

    def _add_lost(
        self, table: Table, place: int, field: str, reason: str, path: str = ""
    ) -> None:
        key, registry = table.keys[place], self._world.registry
        self._lost.append(table.lost_value(key, field, reason, registry, path))

    def _sort(self) -> None:
        """Sort the tables, and the rows of each in key order, as added objects are already."""
        self._tables = {
            number: table.ordered() if table.keys[-1] < 0 else table
            for number, table in sorted(self._tables.items())
        }

    def _leave_out(self) -> None:
        """Leave out the objects that a rewind leaves alone, and generators only they refer to.

        They were packed to find the objects that they refer to.
        """
        tables, left_out, theirs = self._tables, set[Key](), set[int]()
        for number, table in [*tables.items()]:
            if not table.entry.rewinds:
                left_out.update(tables.pop(number).keys)
                theirs.update(_generators_in(table))
        self._unrewound = frozenset(left_out)
        self._lost = [each for each in self._lost if each.key not in left_out]
        # Few such objects have any, and looking at all other rows takes long.
        if theirs:
            used = {key for table in tables.values() for key in _generators_in(table)}
            for state in self._state_values.values():
                used.update(folds.generators_of(*state))
            states = self._generators.items()
            self._generators = {key: state for key, state in states if key in used}

    def reached_with_hooks(self) -> list[Any]:
        """Return the reached objects that have `@before_save` methods."""
        return [
            self._world.at(key)
            for table in self._tables.values()
            if table.entry.before_save
            for key in table.keys
            if key < 0
        ]

    # -- comparing with the base

    def _base_of(self, entry: Any, objects: list[Any]) -> Table | None:
        """Return the table of the base if objects of a class can be compared with its rows."""
        if self._base is None:
            return None
        table = self._base.tables.get(entry.number)
        if self._keys[id(objects[0])] < 0 and table is not None:
            # Comparing is not worth it for the members of a chain, which are reached one by one.
            if len(objects) * _MIN_SHARE < len(table.keys):
                return None
        if entry.saves_by_code or entry.has_generators:
            return None
        return None if table is None or table.extras or self._base.lost else table

    def _pack_changed(
        self, entry: Any, objects: list[Any], keys: list[Key] | None, base: Table
    ) -> Packed:
        """Pack the objects that are new, or may differ from their rows in the base.

        The other objects keep these rows. `objects` does not grow while objects are packed.
        """
        if keys is None:
            keys = self._keys_of_known(objects)
        rows: list[Any] = base.rows.copy()
        new = set[int]()
        if keys != base.keys:
            rows = [*map(dict(zip(base.keys, base.rows)).get, keys)]
            new = {n for n, row in enumerate(rows) if row is None}
        merged = Packed(rows)
        changed = self._find_changed(entry, objects, rows, new)
        packed = self.pack(entry, [objects[n] for n in changed])
        for place, row in zip(changed, packed.rows):
            merged.rows[place] = row
        merged.unfit = {changed[n]: values for n, values in packed.unfit.items()}
        merged.too_deep = {changed[n]: cells for n, cells in packed.too_deep.items()}
        if entry.reference_fields and self._world.reached:
            self._enqueue_reached(entry, merged.rows)
        return merged

    def _find_changed(
        self, entry: Any, objects: list[Any], rows: list[Any], new: set[int]
    ) -> list[int]:
        """Return the positions of `new` objects, and of those that may differ from their rows."""
        dangling = self._dangling
        old = [n for n in range(len(rows)) if n not in new] if new else range(len(rows))
        if new:
            objects, rows = [objects[n] for n in old], [rows[n] for n in old]
        try:
            differing = [old[n] for n in entry.differing(objects, rows, self)]
        except Exception:  # for example, an attribute is not set
            differing = [*old]
        self._dangling = dangling
        return sorted(new.union(differing))

    def _enqueue_reached(self, entry: Any, rows: list[Row]) -> None:
        """Enqueue the reached objects that rows refer to."""
        for cell, stored in entry.reference_fields.items():
            for key in folds.keys_in(stored, map(attrgetter(cell), rows)):
                if key < 0 and key not in self._reached_keys:
                    self._enqueue(key, self._world.at(key))

    # -- cells that need more than packing

    def pack(self, entry: Any, objects: list[Any]) -> Packed:
        """Return the rows of objects of one class, and the values that do not fit their cells."""
        dangling = self._dangling
        if entry.reference_fields and len(objects) * _MIN_SHARE > len(self._keys):
            self._map_keys()
        packed = pack_rows(entry, objects, self)
        take_out_misfits(entry, packed, objects)
        self._numpy |= packed.numpy
        if entry.wraps:
            self._take_out_unknown_generators(entry, packed)
            packed.rows = [own_row(row, entry.lent) for row in packed.rows]
        elif dangling != self._dangling:
            for place, cell in _remove_destroyed(entry, packed.rows):
                self._dangling_cells.add((self._keys[id(objects[place])], cell))
        return packed

    def _take_out_unknown_generators(self, entry: Any, packed: Packed) -> None:
        """Move cells out of rows if a `save_data` of the game put other numbers into them."""
        types = entry.stored_by_cell.items() if entry.has_generators else ()
        for cell, stored in types:
            for place, row in enumerate(packed.rows):
                value = getattr(row, cell)
                keys = [] if value is UNSET else folds.generators_of(stored, value)
                if not all(map(self._includes_generator, keys)):
                    setattr(row, cell, UNSET)
                    packed.unfit.setdefault(place, {})[cell] = value

    def _includes_generator(self, key: int) -> bool:
        """Return whether the snapshot has a generator with a key; add it if the world has it."""
        generator = self._world.generators.at(key)
        return generator is not None and self._generator_key(generator) == key

    def _store_mismatch(self, table: Table, place: int, cell: str, value: Any) -> None:
        """Store a value that does not fit its cell as an extra; report what a file loses of it."""
        setattr(table.rows[place], cell, UNSET)
        typed = typed_misfit(table.entry, cell, value, self._keeping(table, place))
        table.extras.setdefault(place, {})[cell] = typed

    def _keeping(self, table: Table, place: int) -> Callable[[str, Any], Typed]:
        """Return `_kept` for the values of one object; it takes a cell or behaviour, and a value."""
        return partial(self._kept, partial(self._add_lost, table, place))

    def _kept(
        self, add_lost: Callable[[str, str, str], object], name: str, value: Any
    ) -> Typed:
        """Return a value without a declared type; report what a file would lose of it.

        `add_lost` gets the name, a reason, and the path of the part that is lost.
        """
        typed, losses = folds.kept(value, self)
        for loss in losses:
            if loss.base is None:
                add_lost(name, loss.fault, loss.path)
            else:
                self._as_base.add(loss.as_base)
        return typed

    # -- the snapshot

    def _snapshot(self) -> Snapshot:
        world, part = self._world, self._part
        tables, placements = self._tables, world.placements
        covers = None if part is None else part.covers
        if covers is not None:
            world.begin_lineage()
            inside = self._packed_keys()
            placements = {k: p for k, p in placements.items() if k in inside}
        unrewound = self._unrewound
        if unrewound:
            placements = {k: p for k, p in placements.items() if k not in unrewound}
        return Snapshot(
            tables=tables,
            placements={**placements},
            slots=world.slots.state(),
            next_reached=world.next_reached,
            generators=self._generators,
            states=self._state_values,
            tombstones=self._tombstones(covers),
            dangling=self._dangling,
            dangling_cells=self._dangling_cells,
            lost=tuple(self._lost),
            numpy=(*self._numpy,),
            as_base=(
                *world.registry.saved_as_base(self._classes),
                *sorted(self._as_base),
            ),
            preserved=None if covers else world.preserved,
            covers=covers,
            lineage=world.lineage or "",
            world=world,
            restarts=world.restarts,
            unrewound=unrewound,
            unhashable=hash_faults(tables.values(), self),
        )

    def _tombstones(self, covers: Covers | None) -> dict[str, str | None]:
        """Return the destroyed placement ids that are covered, with their levels."""
        tombstones = self._world.tombstones
        if covers is None or covers.classes is not None:
            return {**tombstones}
        if covers.level is None:
            return {}
        return {id: level for id, level in tombstones.items() if level == covers.level}

    def _packed_keys(self) -> set[Key]:
        return {key for table in self._tables.values() for key in table.keys}

    def _typed_state(self, name: str, get: Callable[[], Any]) -> Typed:
        def add_lost(name: str, reason: str, path: str) -> None:
            self._lost.append(LostValue(0, "", name, reason, path=path))

        return self._kept(add_lost, name, get())

    def _typed_groups(self, groups: Mapping[str, SpriteGroup]) -> dict[str, Typed]:
        """Return the content of groups by the names of their states."""
        return {
            name: self._read_state(name, partial(self._typed_group, group))
            for name, group in groups.items()
        }

    def _typed_group(self, group: SpriteGroup) -> Typed:
        everything = group.content()
        if self._part is None:
            last = group.unchanged(everything, self._world.epoch)
            if last is not None and last.reached is not None:
                if self._reached_keys.keys().isdisjoint(last.reached):
                    self._reached_keys |= dict.fromkeys(last.reached)
                    if last.reached:
                        self._waiting[type(last.sprites[0])] += last.sprites
                    return last.typed
        content = everything.saveable()
        if self._part is not None:  # only the sprites that the snapshot has
            keys = [*map(self._world.key_of, content.sprites)]
            packed = self._packed_keys()
            content = content.chosen(n for n, key in enumerate(keys) if key in packed)
            return typed_content([k for k in keys if k in packed], content.layers)
        keys = self._keys_of(content.sprites)
        typed = typed_content(keys, content.layers)
        added = frozenset(self._world.owner_of(key) for key in keys if key > 0)
        reached = frozenset(key for key in keys if key < 0)
        is_simple = not (added and reached) and len({*map(type, content.sprites)}) < 2
        group.last = LastCapture(
            everything,
            content.sprites,
            added,
            reached if is_simple else None,
            typed,
            self._world.epoch,
        )
        self.grouped |= added
        return typed

    def _unknown_states(self, states: Collection[str]) -> dict[str, Typed]:
        """Return the states of the loaded save that the game has not added."""
        unknown = self._world.unknown_states.items()
        return {name: state for name, state in unknown if name not in states}

    def _read_state(self, name: str, read: Callable[[], Typed]) -> Typed:
        try:
            return read()
        except Exception as error:
            raise SaveError(
                f"the state {name!r} cannot be saved: {reason(error)}"
            ) from error

    # -- references

    def _map_keys(self) -> None:
        """Find keys by the objects themselves from now on, if no class has its own hash."""
        if self._is_mapped or not self._world.registry.hash_by_identity:
            return
        self._is_mapped, keys = True, _KeyMap(self._key_by_id)
        for table in self._world.tables.values():
            if not self._world.reached:
                keys.update(zip(table.values(), table))
            else:
                keys.update((obj, key) for key, obj in table.items() if key > 0)
        self.key_of = keys.__getitem__

    def _key_by_id(self, component: Any) -> Key:
        try:
            key = self._keys[id(component)]
        except KeyError:
            return self._reach(component)
        if key < 0 and key not in self._known:  # `_enqueue` inlined, for speed
            self._reached_keys[key] = None
            self._waiting[type(component)].append(component)
        return key

    def _keys_of(self, sprites: Sequence[Any]) -> list[Key]:
        """Return the keys of the sprites of a group, and enqueue those that are reached."""
        self._world.give_keys(sprites)
        return [*map(self.key_of, sprites)]

    def _reach(self, component: Any) -> Key:
        """Give a key to an object, enqueue it to be packed, and return the key.

        Return `_key_of_destroyed` for a destroyed object, and raise `Misfit` for one that is
        not saveable.
        """
        if component in self._world.destroyed:
            self._dangling += 1
            return self._key_of_destroyed
        try:
            key = self._world.key_of(component)
        except SaveError:  # not an object of a saveable class
            misfit(component)
        self._enqueue(key, component)
        return key

    def _enqueue(self, key: Key, obj: Any) -> None:
        self._reached_keys[key] = None
        self._waiting[type(obj)].append(obj)

    def id_of(self, asset: Any, /) -> str:
        try:
            return self._world.assets.id_of(asset)
        except SaveError:
            misfit(asset)

    def asset(self, id: str, /) -> Any:
        return self._world.assets[id]

    def _generator_key(self, generator: Any, /) -> int:
        key = self._world.generators.key_of(generator)
        if key not in self._generators:
            self._generators[key] = state_of(generator)
        return key

    def _class_at(self, number: int, /) -> Any:
        return self._world.registry[number].load_class()

    def _generator(self, key: int, /) -> Any:
        return self._world.generators.at(key)


def _remove_destroyed(entry: Any, rows: list[Any]) -> Iterator[tuple[int, str]]:
    """Remove references to destroyed objects from containers; replace other ones by `None`.

    Yield the position of the row and the cell of each.
    """
    for place, row in enumerate(rows):
        for cell, stored, value in cells_with({_DESTROYED}, entry, row):
            setattr(row, cell, folds.without(stored, value, {_DESTROYED}))
            yield place, cell


def _generators_in(table: Table) -> Iterator[int]:
    """Yield the keys of the random generators that rows refer to."""
    for cell, stored in table.entry.numbered_fields.items():
        for row in () if folds.has_only_keys(stored) else table.rows:
            value = getattr(row, cell)
            if value is not UNSET:
                yield from folds.generators_of(stored, value)
    for _, typed in table.typed_values():
        yield from folds.generators_of(*typed)
