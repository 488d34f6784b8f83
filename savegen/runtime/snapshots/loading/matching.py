"""`Match`: finds the existing object for each key of a snapshot, or creates a new one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Set
from copy import copy
from functools import cached_property
from operator import attrgetter
from typing import Any

from msgspec.structs import replace

from savegen.runtime.world.assets import OnUnknown
from savegen.runtime.values.folds import keys_in, without
from savegen.runtime.errors import SaveApplyError
from savegen.runtime.generated.entries import ClassEntry
from savegen.runtime.world.game import Game
from savegen.runtime.values.basics.keys import in_key_order
from savegen.runtime.world.objects import GAME_OBJECT
from savegen.runtime.values.rows import Key
from savegen.runtime.snapshots.partial import covered
from savegen.runtime.world.placements import NO_PLACEMENT, Placement
from savegen.runtime.snapshots.snapshot import Snapshot
from savegen.runtime.snapshots.tables import Table, cells_with
from savegen.runtime.world.world import in_order


class _Objects(dict[Key, Any]):
    """Objects by their keys in a snapshot; `default` returns the object for any other key."""

    def __init__(self, default: Callable[[Key], Any]) -> None:
        super().__init__({0: None})
        self._default = default

    def __missing__(self, key: Key) -> Any:
        return self._default(key)


class Match:
    """The plan of a load: which objects it keeps, creates and removes.

    Matching changes nothing in the world, but it may build objects.
    """

    def __init__(
        self, game: Game, snapshot: Snapshot, apart: Collection[int] = ()
    ) -> None:
        """The `id`s of objects that the load must not use are `apart`."""
        self._game = game
        self._apart = apart
        self._world = world = game.world
        # After `by_key`, without the objects that `on_unknown` leaves out.
        self.snapshot = snapshot
        # Whether the keys of the snapshot are keys of this world.
        self.is_same_world = snapshot.world is world or self._is_part_of_world()
        # Whether it was taken since levels were last unloaded, so that none is a newer version.
        self.has_same_levels = (
            snapshot.world is world and snapshot.restarts == world.restarts
        )
        self.makes_copies = False
        self.is_unchanged = False  # whether world and snapshot have the same keys
        # A partial snapshot of this world may refer to objects outside of it.
        is_partial = self.is_same_world and snapshot.covers is not None
        self.objects = _Objects(world.at if is_partial else _return_none)
        # The objects that a step of a `History` leaves alone.
        self.untouched: dict[type, dict[Key, Any]] = {}
        if snapshot.unrewound is not None:
            self.objects = _Objects(self._unrewound)
            self.untouched = world.unrewound_tables()
            for table in self.untouched.values():
                self.objects.update(table)
        self.classes: dict[int, type] = {
            number: table.entry.load_class()
            for number, table in snapshot.tables.items()
        }
        self.owners = snapshot.component_keys()
        # The keys in the snapshot of all created objects and components.
        self.created: set[Key] = set()
        # Those of them that a prefab built, or that were in a pool.
        self.from_prefab: set[Key] = set()
        # Those of them that were in a pool, or may have been.
        self.from_pool: set[Key] = set()
        # Of kept objects: key in the snapshot → key in the world.
        self.kept_keys: dict[Key, Key] = {}
        self.removed: dict[Key, Any] = {}  # objects in the world that the load removes
        # Those of them that it uses again for objects that it creates, by the key they had.
        self.reused: dict[Key, Any] = {}
        # The keys in the world of objects that only a newer version of the level placed.
        self.newer_in_level: list[Key] = []
        self.not_in_level: list[str] = []  # placement ids that the level no longer has
        self.replaced: list[str] = []  # placement ids with another prefab in the level
        # Keys in the snapshot of objects that the load does not create: `on_unknown` decided it,
        # or their prefab is static today.
        self.left_out: set[Key] = set()
        self.static: list[str] = []  # the names of these prefabs, one for each object
        self.removed_parts: list[Any] = []  # components that the load removes
        # Components newer than the snapshot, by the key of their object: number, name, component.
        self.new_parts: dict[Key, list[tuple[int, str | None, Any]]] = {}

    def _is_part_of_world(self) -> bool:
        """Return whether a partial snapshot, read from a file, has the keys of this world."""
        snapshot = self.snapshot
        is_file = snapshot.covers is not None and snapshot.world is None
        return is_file and self._world.has_keys_of(snapshot.lineage)

    def by_key(self) -> Match:
        """Match objects by key, or by placement id for a snapshot of another world."""
        if self._has_same_keys():
            self.is_unchanged = True
            for table in self.tables.values():
                self.objects.update(table)
        else:
            self._match_objects()
            self._match_parts()
        if removed := self.left_out | self._stale_references():
            self._remove_references(removed)
        return self

    def _unrewound(self, key: Key) -> Any:
        """Return the object with a key if a rewind leaves it alone; `None` for any other key."""
        world = self._world
        obj = world.at(key)
        if obj is None:
            obj = world.by_former_key.get(key)
        is_left_alone = obj is not None and world.is_unrewound(obj)
        return obj if is_left_alone and obj not in world.destroyed else None

    def as_copies(self) -> Match:
        """Create a new object for each object of the snapshot."""
        self.makes_copies, self.is_same_world = True, False
        for table in self.snapshot.tables.values():
            keys = [key for key in self._object_keys(table) if not self._is_static(key)]
            self.created.update(keys)
            self._create(table, keys)
        if self.left_out:
            self._remove_left_out()
        self._match_parts()
        if self.left_out:
            self._remove_references(self.left_out)
        return self

    @property
    def is_all_new(self) -> bool:
        """Whether all objects of the snapshot are created."""
        return len(self.created) == len(self.objects) - 1  # without `None`

    def _has_same_keys(self) -> bool:
        """Return whether the world has exactly the keys of the snapshot."""
        snapshot, world = self.snapshot, self._world
        if not self.is_same_world or snapshot.covers is not None:
            return False
        live = {
            cls: table
            for cls, table in world.tables.items()
            if table and cls not in self.untouched
        }
        if (
            len(live) != len(snapshot.tables)
            or world.owners != self.owners
            or world.slots.state() != snapshot.slots
        ):
            return False
        tables = {}
        for number, saved in snapshot.tables.items():
            table = live.get(self.classes[number], {})
            if [*table] != saved.keys:
                if in_key_order(table) != saved.keys:
                    return False
                table = in_order(table)
            tables[number] = table
        self.tables = tables
        return True

    @cached_property
    def object_ids(self) -> set[int]:
        """The `id` of each object of the snapshot."""
        return {*map(id, self.objects.values())}

    @cached_property
    def tables(self) -> dict[int, dict[Key, Any]]:
        """By class number, the objects by key, in the order of their rows."""
        at = self.objects.__getitem__
        return {
            number: dict(zip(table.keys, map(at, table.keys)))
            for number, table in self.snapshot.tables.items()
        }

    # -- objects

    def _object_keys(self, table: Table) -> list[Key]:
        """Return the keys in a table, without those of components."""
        if not self.owners:
            return table.keys
        return [key for key in table.keys if key not in self.owners]

    def _match_objects(self) -> None:
        may_exist = self.is_same_world or bool(self.snapshot.placements)
        missing: list[tuple[Table, list[Key]]] = []
        has_keys = self.snapshot.world is self._world and not self.snapshot.moved
        for number, table in self.snapshot.tables.items():
            keys = self._object_keys(table)
            if may_exist:
                cls = self.classes[number]
                if has_keys:
                    keys = self._match_all(keys, self._world.tables.get(cls, {}))
                keys = [key for key in keys if not self._match_one(key, cls)]
            missing.append((table, keys))
            self.created.update(keys)
        self._classify_extra_objects()
        for table, keys in missing:
            self._create(table, keys)
        if self.left_out:
            self._remove_left_out()

    def _match_all(self, keys: list[Key], table: dict[Key, Any]) -> list[Key]:
        """Match keys with the objects of their class that have them; return the other keys."""
        objects = [*map(table.get, keys)]
        self.objects.update(zip(keys, objects))
        self.kept_keys.update(zip(keys, keys))
        if table.keys() >= {*keys}:
            return keys[:0]
        missing = [key for key in keys if key not in table]
        for key in missing:
            del self.objects[key], self.kept_keys[key]
        return missing

    def _match_one(self, key: Key, cls: type) -> bool:
        """Match a key with an existing object, or leave it out; otherwise return `False`."""
        if self._is_static(key):
            return True
        obj = self._existing(key, cls)
        if obj is not None:
            self.objects[key] = obj
            self.kept_keys[key] = self._world.keys.get(id(obj), 0)
        elif self._must_create(key):
            return False
        else:
            self.left_out.add(key)
        return True

    def _is_static(self, key: Key) -> bool:
        """Return whether the prefab of an object is static today; if so, leave the object out."""
        static, saved = self._game.static, self.snapshot.placements.get(key)
        if not static or saved is None or saved.prefab not in static:
            return False
        self.left_out.add(key)
        type: Any = self._world.prefab_types[saved.prefab]
        self.static.append(getattr(type, "name", str(type)))
        return True

    def _remove_left_out(self) -> None:
        """Remove the left out objects and their components from the snapshot."""
        is_left_out = self.left_out.__contains__
        self.left_out |= {
            part for part, (key, _) in self.owners.items() if is_left_out(key)
        }
        self.owners = {k: o for k, o in self.owners.items() if not is_left_out(k)}
        placements = self.snapshot.placements.items()
        self.snapshot = replace(
            self.snapshot,
            tables={
                number: table.chosen(
                    [n for n, k in enumerate(table.keys) if not is_left_out(k)]
                )
                for number, table in self.snapshot.tables.items()
            },
            placements={k: p for k, p in placements if not is_left_out(k)},
        )

    def _stale_references(self) -> set[Key]:
        """Return the keys of destroyed objects that occur only in references of the snapshot."""
        unrewound = self.snapshot.unrewound
        if unrewound is not None:
            return {key for key in unrewound if self.objects[key] is None}
        if self.snapshot.covers is None or not self.is_same_world:
            return set()
        referenced = {
            key
            for table in self.snapshot.tables.values()
            for cell, stored in table.entry.reference_fields.items()
            for key in keys_in(stored, map(attrgetter(cell), table.rows))
        }
        at = self._world.at
        return {key for key in referenced - self.objects.keys() if at(key) is None}

    def _remove_references(self, removed: set[Key]) -> None:
        """Remove the references to the given objects from the rows, as a save does."""
        tables = {
            n: _without_references(table, removed)
            for n, table in self.snapshot.tables.items()
        }
        self.snapshot = replace(self.snapshot, tables=tables)

    def _existing(self, key: Key, cls: type) -> Any:
        """Return the existing object for a key of the snapshot; `None` if there is none."""
        world = self._world
        if self.is_same_world:
            obj = self._at(key)
            if self._is_saved_as(obj, cls) and obj not in world.destroyed:
                return obj
        saved = self.snapshot.placements.get(key, NO_PLACEMENT)
        placed_key = world.placed.get(saved.placement, 0) if saved.placement else 0
        if not placed_key or self._note_if_replaced(saved, placed_key):
            return None
        obj = world.at(placed_key)
        return obj if self._is_saved_as(obj, cls) else None

    def _at(self, key: Key) -> Any:
        """Return the object that has a key of the snapshot in the world, or had it."""
        world, snapshot = self._world, self.snapshot
        key = snapshot.moved.get(key, key)
        obj = world.at(key)
        if obj is None and key in world.remade:
            return world.at(world.remade[key])
        if obj is None:
            return world.by_former_key.get(key)
        # In a game that went on elsewhere, another object may have got the key.
        if snapshot.world is None and self._placement_of(key, world.placements) != (
            self._placement_of(key, snapshot.placements)
        ):
            return None
        return obj

    def _placement_of(self, key: Key, placements: dict[Key, Placement]) -> str | None:
        return placements.get(key, NO_PLACEMENT).placement

    def _is_saved_as(self, obj: Any, cls: type) -> bool:
        """Return whether an object is saved in the rows of `cls`.

        They contain objects of the class itself, and of classes that are saved as this base.
        """
        if type(obj) is cls or not isinstance(obj, cls):
            return type(obj) is cls
        return self._world.registry.entry_of(type(obj)).load_class() is cls

    def _note_if_replaced(self, saved: Placement, key: Key) -> bool:
        """Return whether the placed object with a key has another prefab than the save.

        If so, add its placement id to `replaced`.
        """
        prefab = self._world.placements.get(key, NO_PLACEMENT).prefab
        built_from = self._world.built_from.get(key)
        if (
            saved.prefab is None
            or prefab is None
            or saved.prefab in (prefab, built_from)
        ):
            return False
        self.replaced.append(str(saved.placement))
        return True

    def _create(self, table: Table, keys: list[Key]) -> None:
        """Create the objects of a table that have the given keys."""
        cls, placements = self.classes[table.number], self.snapshot.placements
        prefabs = {
            key: placements[key].prefab
            for key in (keys if placements else ())
            if key in placements and placements[key].prefab is not None
        }
        blank = [key for key in keys if key not in prefabs] if prefabs else keys
        objects = self._blanks(table.entry, cls, len(blank))
        self.objects.update(zip(blank, objects))
        for key, obj in zip(blank, objects) if table.entry.has_own_new else ():
            if id(obj) in self._world.keys:
                self._keep(key, obj)
        for key, prefab in prefabs.items():
            if prefab in self._game.pools:
                self.from_pool.add(key)
            obj = self._reuse(prefab)
            if obj is None:
                obj = self._game.build_for_load(prefab)
            self.objects[key] = obj
            if not self._is_saved_as(obj, cls):
                raise SaveApplyError(
                    f"prefab {prefab!r} builds a {type(obj).__qualname__}, but the"
                    f" snapshot contains a {cls.__qualname__} that was built from it"
                )
        self.from_prefab.update(prefabs)

    def _blanks(self, entry: ClassEntry, cls: type, number: int) -> list[Any]:
        if not entry.has_own_new:
            return entry.blanks(cls, number)
        return entry.blanks(cls, number, self._is_taken, self._world.keys)

    def _is_taken(self, obj: Any) -> bool:
        """Return whether an object that a `__new__` of the game returned has another key.

        A singleton of the world is the one of the snapshot, too; but two objects that share a
        flyweight's pool stay two. If the object is free, it has a key from now on.
        """
        is_taken = id(obj) in self._taken
        self._taken.add(id(obj))
        return is_taken

    @cached_property
    def _taken(self) -> set[int]:
        """The `id` of each object that keeps its key, or has got one."""
        world, taken = self._world, {*map(id, self.objects.values()), *self._apart}
        taken.update(id(world.at(key)) for key in (*world.owners, *self.newer_in_level))
        if self.makes_copies or self.snapshot.covers is not None:
            taken.update(world.keys.keys() - {*map(id, self.removed.values())})
        return taken

    def _keep(self, key: Key, obj: Any) -> None:
        """Keep an object of the world, which the `__new__` of its class has returned."""
        world_key = self._world.keys[id(obj)]
        self.created.discard(key)
        self.removed.pop(world_key, None)
        self.kept_keys[key] = world_key

    def _reuse(self, prefab: Any) -> Any:
        """Return an object that the load removes and its pool can keep; `None` if there is none.

        The waiting objects of the pool come first.
        """
        pool = self._game.pools.get(prefab)
        if pool is None or len(pool):
            return None
        candidates = self._reusable.get(prefab, [])
        while candidates:
            key = candidates.pop()
            if pool.can_keep(self.removed[key]):
                self.reused[key] = self.removed[key]
                return self.reused[key]
        return None

    @cached_property
    def _reusable(self) -> dict[Any, list[Key]]:
        """The keys of removed objects that prefabs built, by prefab, the lowest key last."""
        keys: dict[Any, list[Key]] = {}
        for key, prefab in self._world.built_from.items():
            if key in self.removed:
                keys.setdefault(prefab, []).append(key)
        return {prefab: in_key_order(keys[prefab])[::-1] for prefab in keys}

    def reuse_only(self, reused: dict[Key, Any]) -> None:
        """Build new objects instead of those of `self.reused` that are not in `reused`."""
        dropped = {id(obj) for key, obj in self.reused.items() if key not in reused}
        self.reused = reused
        if not dropped:
            return
        keys = {key for key, obj in self.objects.items() if id(obj) in dropped}
        for key in in_key_order(keys):
            prefab = self.snapshot.placements[key].prefab
            self.objects[key] = self._game.build_for_load(prefab)
        self._match_parts(keys)

    # -- placed objects that were destroyed, or removed from their level

    def _must_create(self, key: Key) -> bool:
        """Return whether a missing object is created.

        If the object is no longer in its level, `on_unknown` decides: raise `SaveApplyError`, or
        add the placement id to `not_in_level` and create the object or not.
        """
        saved = self.snapshot.placements.get(key, NO_PLACEMENT)
        if saved.placement is None or self.has_same_levels:
            return True
        if saved.level not in self._world.levels:
            return True
        if (
            saved.placement in self._world.tombstones
            or saved.placement in self.replaced
        ):
            return True
        if self._game.on_unknown is OnUnknown.ERROR:
            raise SaveApplyError(
                f"the level {saved.level!r} no longer places {saved.placement!r}; pass"
                " `on_unknown=` to the manager to choose what happens to such objects"
            )
        self.not_in_level.append(saved.placement)
        return self._game.on_unknown is OnUnknown.PLACEHOLDER

    def _classify_extra_objects(self) -> None:
        """Find the objects that the load removes, and those that only a newer level placed."""
        world, snapshot = self._world, self.snapshot
        kept = {*self.kept_keys.values()}
        kept.update(key for table in self.untouched.values() for key in table)
        extra = {key: obj for key, obj in world.objects().items() if key not in kept}
        if snapshot.covers is not None:
            extra = {key: extra[key] for key in extra if self._is_covered(key)}
        self.removed = extra
        for key, placement in world.placements.items() if extra else ():
            if key in extra and self._is_newer_in_level(placement):
                self.newer_in_level.append(key)
                del extra[key]
        self.newer_in_level = in_key_order(self.newer_in_level)

    def _is_newer_in_level(self, placed: Placement) -> bool:
        """Return whether the level did not place an object when the snapshot was taken."""
        snapshot, placement = self.snapshot, placed.placement
        if placement is None or placement in self._created_placements:
            return False
        if placed.level not in self._world.levels:
            return False
        if snapshot.covers is not None and snapshot.covers.keys is not None:
            return False
        if self.has_same_levels and snapshot.covers is None:
            return False
        return placement not in snapshot.tombstones

    @cached_property
    def _created_placements(self) -> set[str | None]:
        """The placement ids of created objects."""
        placements = self.snapshot.placements.items()
        return {p.placement for key, p in placements if key in self.created}

    def _is_covered(self, key: Key) -> bool:
        """Return whether a partial snapshot covers an object that it lacks.

        It leaves alone what existed at the capture and was of no class then that it covers.
        """
        covers = self.snapshot.covers
        if covers is None or not self._covers(key):
            return False
        if not self.is_same_world:
            return covers.keys is None  # its keys are of another world
        return covers.keys is not None or key not in self._keys_at_capture

    @cached_property
    def _covers(self) -> Callable[[Key], bool]:
        assert self.snapshot.covers is not None
        return covered(self.snapshot.covers, self._world)

    @cached_property
    def _keys_at_capture(self) -> set[Key]:
        """The keys of all objects in the world when the snapshot was taken."""
        slots = self.snapshot.slots
        filled = slots.filled()
        return {key for slot, key in enumerate(slots.keys()) if slot in filled}

    # -- the components of game objects

    def _match_parts(self, only: Set[Key] | None = None) -> None:
        """Match the components of all game objects, or `only` of those with the given keys."""
        game_objects = self.snapshot.tables.get(GAME_OBJECT.number)
        if game_objects is None:
            return
        keys = game_objects.keys if only is None else only
        if only is None and self.is_same_world and not self.snapshot.moved:
            keys = self._match_parts_by_key(keys)
            if not keys:
                return
        unmatched = {key: dict(self.objects[key].numbered) for key in keys}
        for number, table in self.snapshot.tables.items() if self.owners else ():
            for key in table.keys:
                owner, component_number = self.owners.get(key, (0, 0))
                if owner not in unmatched:
                    continue
                component = unmatched[owner].get(component_number)
                if self._is_saved_as(component, self.classes[number]):
                    self.objects[key] = unmatched[owner].pop(component_number)
                    if owner in self.created:
                        self.created.add(key)
                        self.from_prefab.add(key)
                        if owner in self.from_pool:
                            self.from_pool.add(key)
                else:
                    [new] = self._blanks(table.entry, self.classes[number], 1)
                    self.objects[key] = new
                    self.created.add(key)
        for key, row in zip(game_objects.keys, game_objects.rows):
            if unmatched.get(key):
                used = {*row.retired, *(number for number, _ in row.components)}
                self._keep_new_parts(key, used, unmatched[key])

    def _match_parts_by_key(self, keys: Iterable[Key]) -> list[Key]:
        """Match the components that have their keys; return the objects with other components."""
        world, owners = self._world, self.owners
        others = {key for key in keys if key < 0 or key in self.created}
        if world.owners != owners:
            differing = world.owners.items() ^ owners.items()
            others.update(owner for _, (owner, _) in differing)
        for number, table in self.snapshot.tables.items() if owners else ():
            live = self._world.tables.get(self.classes[number], {})
            parts = [key for key in table.keys if key in owners]
            if others or not live.keys() >= {*parts}:
                others.update(owners[key][0] for key in parts if key not in live)
                parts = [key for key in parts if owners[key][0] not in others]
            self.objects.update(zip(parts, map(live.__getitem__, parts)))
        return [key for key in keys if key in others] if others else []

    def _keep_new_parts(
        self, owner: Key, used: set[int], unmatched: dict[int, Any]
    ) -> None:
        """Keep the components that a newer version of the prefab has added; remove the others.

        `used` are the numbers that a component of the saved object has or had.
        """
        obj = self.objects[owner]
        may_be_newer = self.snapshot.world is not self._world and not self.makes_copies
        parts = self._parts_of_prefab(owner) if self.is_same_world else None
        names = {number: name for name, number in obj.part_numbers.items()}
        for number, component in unmatched.items():
            is_part = parts is None or number in parts
            if may_be_newer and is_part and number not in used:
                new = number, names.get(number), component
                self.new_parts.setdefault(owner, []).append(new)
            elif owner not in self.created:
                self.removed_parts.append(component)

    def _parts_of_prefab(self, owner: Key) -> Collection[int]:
        """Return the numbers of the parts that the prefab of an object has today."""
        prefabs = self._game.prefabs
        prefab = self.snapshot.placements.get(owner, NO_PLACEMENT).prefab
        if prefab is None or isinstance(prefabs, Mapping) or prefab not in prefabs:
            return ()
        parts: dict[str, int] = prefabs.get_prefab(prefab).parts
        return parts.values()


def _return_none(key: Key) -> None:
    """Return `None`: the snapshot has no object with this key."""


def _without_references(table: Table, removed: set[Key]) -> Table:
    rows = [*table.rows]
    for place, row in enumerate(table.rows):
        for cell, stored, value in cells_with(removed, table.entry, row):
            if rows[place] is row:  # which belongs to the snapshot
                rows[place] = copy(row)
            setattr(rows[place], cell, without(stored, value, removed))
    return replace(table, rows=rows)
