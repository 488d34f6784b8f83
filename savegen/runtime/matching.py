"""Matching for a load: the existing object for each key of a snapshot, or a new one."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from functools import cached_property
from itertools import repeat
from operator import attrgetter
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from savegen.runtime.assets import OnUnknown
from savegen.runtime.cells import keys_in, keys_of, without
from savegen.runtime.errors import SaveApplyError
from savegen.runtime.objects import GAME_OBJECT, GameObject
from savegen.runtime.rows import Key
from savegen.runtime.snapshot import Placement, Snapshot, Table
from savegen.runtime.world import NO_PLACEMENT, World, in_order


class _Objects(dict[Key, Any]):
    """Objects by their keys in a snapshot; `rest` returns the value for any other key."""

    def __init__(self, rest: Callable[[Key], Any]) -> None:
        super().__init__({0: None})
        self._rest = rest

    def __missing__(self, key: Key) -> Any:
        return self._rest(key)


class Match:
    """The plan of a load: which objects it keeps, creates and removes.

    Matching changes nothing in the world, but it may build objects.
    """

    def __init__(
        self,
        world: World,
        snapshot: Snapshot,
        build: Callable[[Any], Any],
        on_unknown: OnUnknown,
    ) -> None:
        self._world = world
        self._build = build
        self._on_unknown = on_unknown
        self.snapshot = (
            snapshot  # in the end, without objects that `on_unknown` leaves out
        )
        # Whether the keys of the snapshot are keys of this world.
        self.is_same_world = snapshot.world is world
        self.makes_copies = False
        self.is_trivial = False  # whether world and snapshot have the same keys
        self.is_all_new = False  # whether all objects of the snapshot are created
        # A partial snapshot of this world may refer to objects outside of it.
        is_partial = self.is_same_world and snapshot.covers is not None
        self.objects = _Objects(world.at if is_partial else _return_none)
        self.classes: dict[int, type] = {
            number: table.entry.load_class()
            for number, table in snapshot.tables.items()
        }
        self.owners = snapshot.component_keys()
        self.created: Any = set()  # keys of all created objects and components
        self.from_prefab: set[Key] = (
            set()
        )  # those that a prefab built, or that a pool had
        self.kept: dict[Key, Key] = {}  # of objects: key in the snapshot → in the world
        self.removed: dict[Key, Any] = {}  # objects in the world that the load removes
        self.newer_in_level: list[Key] = (
            []
        )  # keys of objects that a newer level has placed: kept
        self.not_in_level: list[str] = []  # placement ids that the level no longer has
        self.replaced: list[str] = []  # placement ids with another prefab in the level
        self.left_out: set[Key] = (
            set()
        )  # keys in the snapshot that `on_unknown` leaves out
        self.removed_parts: list[Any] = []  # components that the load removes
        # By owner: number, name and component of those that are newer than the snapshot.
        self.new_parts: dict[Key, list[tuple[int, str | None, Any]]] = {}

    def by_key(self) -> Match:
        """Match objects by key, or by placement id for a snapshot of another world."""
        if self._is_unchanged():
            self.is_trivial = True
            for cls in self.classes.values():
                self.objects.update(self._world.tables[cls])
            return self
        if self.is_same_world or self.snapshot.placements or self.owners:
            self._match_objects()
        else:
            self._create_all()
        self._match_parts()
        self._sort_extra_objects()
        if removed := self.left_out | self._stale_references():
            self._remove_references(removed)
        return self

    def as_copies(self) -> Match:
        """Create a new object for each object of the snapshot."""
        self.makes_copies = self.is_all_new = True
        for table in self.snapshot.tables.values():
            for key in table.keys:
                if key not in self.owners:
                    self._create(table, key)
        self._match_parts()
        return self

    def _is_unchanged(self) -> bool:
        """Return whether the world has exactly the keys of the snapshot."""
        snapshot, world = self.snapshot, self._world
        if not self.is_same_world or snapshot.covers is not None:
            return False
        live = {cls: table for cls, table in world.tables.items() if table}
        return (
            len(live) == len(snapshot.tables)
            and all(
                table.keys == [*in_order(live.get(self.classes[n], {}))]
                for n, table in snapshot.tables.items()
            )
            and world.owners == self.owners
            and world.slots.state() == snapshot.slots
        )

    @cached_property
    def tables(self) -> dict[int, dict[Key, Any]]:
        """By class number, the objects by key, in the order of their rows."""
        at = self.objects.__getitem__
        return {
            number: dict(zip(table.keys, map(at, table.keys)))
            for number, table in self.snapshot.tables.items()
        }

    # -- objects

    def _create_all(self) -> None:
        """Create all objects of a snapshot that has no prefabs, placements or components."""
        self.tables = {}
        for number, table in self.snapshot.tables.items():
            cls: Any = self.classes[number]
            if cls is GameObject or table.entry.needs_setting:
                made = [table.entry.blank(cls) for _ in table.keys]
            else:
                made = [*map(cls.__new__, repeat(cls, len(table.keys)))]
            self.tables[number] = dict(zip(table.keys, made))
            self.objects.update(self.tables[number])
        self.created = self.objects.keys()
        self.is_all_new = True

    def _match_objects(self) -> None:
        for number, table in self.snapshot.tables.items():
            for key in table.keys:
                if key in self.owners:
                    continue
                obj = self._existing(key, self.classes[number])
                if obj is not None:
                    self.objects[key] = obj
                    self.kept[key] = self._world.keys.get(id(obj), 0)
                elif self._must_create(key):
                    self._create(table, key)
                else:
                    self.left_out.add(key)
        if self.left_out:
            self._remove_left_out()

    def _remove_left_out(self) -> None:
        """Remove the left out objects and their components from the snapshot."""
        is_lost = self.left_out.__contains__
        self.left_out |= {
            part for part, (key, _) in self.owners.items() if is_lost(key)
        }
        self.owners = {k: o for k, o in self.owners.items() if not is_lost(k)}
        placements = self.snapshot.placements.items()
        self.snapshot = replace(
            self.snapshot,
            tables={
                number: table.chosen(
                    [n for n, k in enumerate(table.keys) if not is_lost(k)]
                )
                for number, table in self.snapshot.tables.items()
            },
            placements={k: each for k, each in placements if not is_lost(k)},
        )

    def _stale_references(self) -> set[Key]:
        """Return keys of destroyed objects that a partial snapshot does not contain, but refers to."""
        if self.snapshot.covers is None or not self.is_same_world:
            return set()
        named = {
            key
            for table in self.snapshot.tables.values()
            for cell, stored in table.entry.referring.items()
            for key in keys_in(stored, map(attrgetter(cell), table.rows))
        }
        at = self._world.at
        return {key for key in named - self.objects.keys() if at(key) is None}

    def _remove_references(self, removed: set[Key]) -> None:
        """Remove references to objects that do not exist from the rows, as a save does."""
        tables = {
            n: _without_references(table, removed)
            for n, table in self.snapshot.tables.items()
        }
        self.snapshot = replace(self.snapshot, tables=tables)

    def _existing(self, key: Key, cls: type) -> Any:
        """Return the existing object for a key of the snapshot; `None` if there is none."""
        world = self._world
        if self.is_same_world:
            obj = world.at(self.snapshot.moved.get(key, key))
            if obj is None:
                obj = world.by_former_key.get(key)
            if type(obj) is cls and obj not in world.destroyed:
                return obj
        saved = self.snapshot.placements.get(key, NO_PLACEMENT)
        today = world.placed.get(saved.placement, 0) if saved.placement else 0
        if not today or self._is_replaced(saved, today):
            return None
        obj = world.at(today)
        return obj if type(obj) is cls else None

    def _is_replaced(self, saved: Placement, key: Key) -> bool:
        """Return whether the placed object with a key has another prefab than the save."""
        today = self._world.placements.get(key, NO_PLACEMENT).prefab
        built = self._world.built_from.get(key)
        if saved.prefab is None or today is None or saved.prefab in (today, built):
            return False
        self.replaced.append(str(saved.placement))
        return True

    def _create(self, table: Table, key: Key) -> None:
        cls = self.classes[table.number]
        prefab = self.snapshot.placements.get(key, NO_PLACEMENT).prefab
        if prefab is None:
            made = table.entry.blank(cls)
        else:
            made = self._build(prefab)
            self.from_prefab.add(key)
            if type(made) is not cls:
                raise SaveApplyError(
                    f"prefab {prefab!r} builds a {type(made).__qualname__}, but the"
                    f" snapshot contains a {cls.__qualname__}"
                )
        self._add_created(key, made)

    def _add_created(self, key: Key, made: Any) -> None:
        self.objects[key] = made
        self.created.add(key)

    # -- placed objects: destroyed, or removed from their level

    @cached_property
    def _loaded_levels(self) -> set[str | None]:
        """The names of the levels that are loaded."""
        live = self._world.placements.values()
        levels = {each.level for each in live if each.placement is not None}
        return levels | {*self._world.tombstones.values()}

    def _must_create(self, key: Key) -> bool:
        """Return whether a missing object is created; `on_unknown` decides if no level has it."""
        saved = self.snapshot.placements.get(key, NO_PLACEMENT)
        if saved.placement is None or saved.level not in self._loaded_levels:
            return True
        if (
            saved.placement in self._world.tombstones
            or saved.placement in self.replaced
        ):
            return True
        if self._on_unknown is OnUnknown.ERROR:
            raise SaveApplyError(
                f"the level {saved.level!r} no longer places {saved.placement!r}; pass"
                " `on_unknown=` to the manager to choose what happens to such objects"
            )
        self.not_in_level.append(saved.placement)
        return self._on_unknown is OnUnknown.PLACEHOLDER

    def _sort_extra_objects(self) -> None:
        """Sort the objects that the snapshot does not have into `removed` and `newer_in_level`."""
        world, snapshot = self._world, self.snapshot
        gone = world.objects()
        for key in self.kept.values():
            gone.pop(key, None)
        if snapshot.covers is not None:
            gone = {key: gone[key] for key in gone if self._is_covered(key)}
        self.removed = gone
        for key, placement in world.placements.items() if gone else ():
            if key in gone and self._is_newer_in_level(placement.placement):
                self.newer_in_level.append(key)
                del gone[key]

    def _is_newer_in_level(self, placement: str | None) -> bool:
        """Return whether a level has a placement id that it did not have when it was saved."""
        snapshot = self.snapshot
        if placement is None or placement in self._created_placements:
            return False
        return not (placement in snapshot.tombstones or placement in snapshot.destroyed)

    @cached_property
    def _created_placements(self) -> set[str | None]:
        """The placement ids of created objects."""
        placements = self.snapshot.placements.items()
        return {each.placement for key, each in placements if key in self.created}

    def _is_covered(self, key: Key) -> bool:
        """Return whether the filter of a partial snapshot selects an object that is newer.

        Objects that were in the world when the snapshot was taken were not selected then.
        """
        covers = self.snapshot.covers
        assert covers is not None
        is_covered = bool(covers(self._world.record_at(key)))
        return is_covered and not (self.is_same_world and key in self._keys_at_capture)

    @cached_property
    def _keys_at_capture(self) -> set[Key]:
        """The keys of all objects in the world when the snapshot was taken."""
        slots = self.snapshot.slots
        empty = {*slots.free}
        return {key for slot, key in enumerate(slots.keys()) if slot not in empty}

    # -- the components of game objects

    def _match_parts(self) -> None:
        game_objects = self.snapshot.tables.get(GAME_OBJECT.number)
        if game_objects is None:
            return
        have = {key: dict(self.objects[key].numbered) for key in game_objects.keys}
        for number, table in self.snapshot.tables.items() if self.owners else ():
            for key in table.keys:
                owner, place = self.owners.get(key, (0, 0))
                if owner not in have:
                    continue
                component = have[owner].get(place)
                if type(component) is self.classes[number]:
                    self.objects[key] = have[owner].pop(place)
                else:
                    self._add_created(key, table.entry.blank(self.classes[number]))
        for key, row in zip(game_objects.keys, game_objects.rows):
            if have[key]:
                self._keep_new_parts(key, row.retired, have[key])

    def _keep_new_parts(
        self, owner: Key, retired: list[int], have: dict[int, Any]
    ) -> None:
        """Keep or remove components of an object that the snapshot does not have.

        Components are kept if a newer version of the game has added them to its prefab.
        """
        obj, is_newer = (
            self.objects[owner],
            not self.is_same_world and not self.makes_copies,
        )
        names = {number: name for name, number in obj.part_numbers.items()}
        for number, component in have.items():
            if is_newer and number not in retired:
                new = number, names.get(number), component
                self.new_parts.setdefault(owner, []).append(new)
            elif owner not in self.created:
                self.removed_parts.append(component)


def _return_none(key: Key) -> None:
    """Return `None`: the snapshot has no object with this key."""


def _without_references(table: Table, removed: set[Key]) -> Table:
    rows = [*table.rows]
    for cell, stored in table.entry.referring.items():
        for place, row in enumerate(rows):
            held = getattr(row, cell)
            if held is not UNSET and not removed.isdisjoint(keys_of(stored, held)):
                rows[place] = copy(row)  # the row belongs to the snapshot
                setattr(rows[place], cell, without(stored, held, removed))
    return replace(table, rows=rows)
