"""Who is who in a load: for each key of a snapshot the object of today, or a new one."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from itertools import repeat
from typing import Any

from savegen.runtime.assets import OnUnknown
from savegen.runtime.errors import SaveApplyError
from savegen.runtime.objects import GameObject
from savegen.runtime.rows import Key
from savegen.runtime.snapshot import Placement, Snapshot, Table
from savegen.runtime.world import NO_PLACEMENT, World, in_order


class Match:
    """What a load is going to do with each object. Nothing in the world is changed yet."""

    def __init__(
        self,
        world: World,
        snapshot: Snapshot,
        build: Callable[[Any], Any],
        on_unknown: OnUnknown,
    ) -> None:
        self._world = world
        self._snapshot = snapshot
        self._build = build
        self._on_unknown = on_unknown
        # Whether the keys of the snapshot are those of this world.
        self.is_here = snapshot.world is world
        self.makes_copies = False
        # Whether the very same objects are there, under the same keys.
        self.is_trivial = False
        self.things: dict[Key, Any] = {0: None}  # by the keys of the snapshot
        self.classes = {
            table.number: _class_of(table) for table in snapshot.tables.values()
        }
        self.owners = snapshot.component_keys()
        self.made: set[Key] = set()  # of everything that is new
        self.built: set[Key] = set()  # objects that a prefab or a pool made
        self.created: list[Key] = []  # objects, by the keys of the snapshot
        self.kept: dict[Key, Key] = {}  # of objects: key of the snapshot → key of today
        self.gone: dict[Key, Any] = {}  # objects of today that are destroyed
        self.extra: list[Key] = []  # objects of today that stay beside the snapshot
        self.dropped: list[str] = []  # placements that the level has no more
        self.replaced: list[str] = []  # placements where the level has another prefab
        self.lost: set[Key] = set()  # of the snapshot: left out by policy
        self.gone_parts: list[Any] = []
        self.new_parts: dict[Key, list[tuple[int, str | None, Any]]] = {}

    def by_key(self) -> Match:
        """Match objects by key, or by placement if the keys are of another world."""
        if self._is_unchanged():
            self.is_trivial = True
            for table in self._snapshot.tables.values():
                self.things.update(self._world.tables[self.classes[table.number]])
            return self
        self._match_objects()
        self._match_parts()
        self._leave_out()
        return self

    def as_copies(self) -> Match:
        """Make every object of the snapshot anew."""
        self.makes_copies = True
        for table in self._snapshot.tables.values():
            for key in table.keys:
                if key not in self.owners:
                    self._create(table, key)
        self._match_parts()
        return self

    def _is_unchanged(self) -> bool:
        """Return whether the world has exactly the keys of the snapshot."""
        snapshot, world = self._snapshot, self._world
        if not self.is_here or snapshot.covers is not None:
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

    # -- objects

    def _match_objects(self) -> None:
        levels, owners = self._levels(), self.owners
        for table in self._snapshot.tables.values():
            cls = self.classes[table.number]
            if self._is_all_new(table):
                self._make_all(cls, table)
                continue
            for key in table.keys:
                if key in owners:
                    continue
                found = self._live(key, cls)
                if found is not None:
                    self.things[key] = found
                    self.kept[key] = self._world.keys.get(id(found), 0)
                elif self._is_wanted(key, levels):
                    self._create(table, key)

    def _is_all_new(self, table: Table) -> bool:
        """Return whether all objects of a class stand alone and come from no prefab or level."""
        return not (self.is_here or self._snapshot.placements or self.owners)

    def _make_all(self, cls: Any, table: Table) -> None:
        entry = table.entry
        if cls is GameObject or entry.needs_setting:
            made = [entry.blank(cls) for _ in table.keys]
        else:
            made = [*map(cls.__new__, repeat(cls, len(table.keys)))]
        self.things.update(zip(table.keys, made))
        self.made.update(table.keys)
        self.created += [key for key in table.keys if key > 0]

    def _live(self, key: Key, cls: type) -> Any:
        """Return the object of today for a key of the snapshot; `None` if it is not there."""
        world = self._world
        if self.is_here:
            found = world.at(self._snapshot.moved.get(key, key))
            if found is None:
                found = world.former.get(key)
            if type(found) is cls and found not in world.graveyard:
                return found
        saved = self._snapshot.placements.get(key, NO_PLACEMENT)
        today = world.placed.get(saved.placement, 0) if saved.placement else 0
        if not today or self._is_replaced(saved, today):
            return None
        found = world.at(today)
        return found if type(found) is cls else None

    def _is_replaced(self, saved: Placement, found: Key) -> bool:
        """Return whether the level has another prefab there today; the save's is built then."""
        today = self._world.placements.get(found, NO_PLACEMENT).prefab
        built = self._world.built_from.get(found)
        if saved.prefab is None or today is None or saved.prefab in (today, built):
            return False
        self.replaced.append(str(saved.placement))
        return True

    def _create(self, table: Table, key: Key) -> None:
        cls = self.classes[table.number]
        prefab = self._snapshot.placements.get(key, NO_PLACEMENT).prefab
        if prefab is None:
            made = table.entry.blank(cls)
        else:
            made = self._build(prefab)
            self.built.add(key)
            if type(made) is not cls:
                raise SaveApplyError(
                    f"prefab {prefab!r} builds a {type(made).__qualname__}, the"
                    f" snapshot holds a {cls.__qualname__}"
                )
        self.things[key] = made
        self.made.add(key)
        if key > 0:
            self.created.append(key)

    # -- placed objects: was one destroyed, or does its level place it no more?

    def _levels(self) -> set[str | None]:
        """Return the levels of which it is known what they place."""
        live = self._world.placements.values()
        levels = {each.level for each in live if each.placement is not None}
        return levels | {*self._world.tombstones.values()}

    def _is_wanted(self, key: Key, levels: set[str | None]) -> bool:
        saved = self._snapshot.placements.get(key, NO_PLACEMENT)
        if saved.placement is None or saved.level not in levels:
            return True
        if saved.placement in self._world.tombstones:
            return True
        if saved.placement in self.replaced:
            return True
        if self._on_unknown is OnUnknown.ERROR:
            raise SaveApplyError(
                f"the level {saved.level!r} places no {saved.placement!r} any more;"
                " choose with `on_unknown=` what becomes of it"
            )
        self.dropped.append(saved.placement)
        if self._on_unknown is OnUnknown.PLACEHOLDER:
            return True
        self.lost.add(key)
        self.lost |= {part for part, (owner, _) in self.owners.items() if owner == key}
        self.things.update(dict.fromkeys(self.lost))
        return False

    def _leave_out(self) -> None:
        """Decide on the objects of today that the snapshot does not have."""
        world, snapshot = self._world, self._snapshot
        left = world.objects()
        for key in self.kept.values():
            left.pop(key, None)
        if snapshot.covers is not None:
            left = {key: left[key] for key in left if self._is_covered(key)}
        self.gone = left
        for key, known in world.placements.items() if left else ():
            if key in left and self._is_newer(known.placement):
                self.extra.append(key)
                del left[key]

    def _is_newer(self, placement: str | None) -> bool:
        """Return whether a level has placed something that it had not at the time."""
        snapshot = self._snapshot
        if placement is None or placement in self._placed_anew:
            return False
        return not (placement in snapshot.tombstones or placement in snapshot.destroyed)

    @cached_property
    def _placed_anew(self) -> set[str | None]:
        """The placement ids of what is made anew."""
        saved = self._snapshot.placements
        return {saved[key].placement for key in self.created if key in saved}

    def _is_covered(self, key: Key) -> bool:
        """Return whether a partial snapshot would have had an object that it does not have.

        One that was alive then was left out on purpose.
        """
        snapshot, slot = self._snapshot, key & 0xFFFFFFFF
        generations = snapshot.slots.generations
        was_alive = (
            self.is_here
            and slot <= len(generations)
            and generations[slot - 1] == (key >> 32) + 1
            and slot - 1 not in snapshot.slots.free
        )
        assert snapshot.covers is not None
        return bool(snapshot.covers(self._world.record_at(key))) and not was_alive

    # -- the components of game objects

    def _match_parts(self) -> None:
        objects = self._snapshot.tables.get(int(GameObject.save_type))
        if objects is None:
            return
        found = {
            key: dict(self.things[key].numbered)
            for key in objects.keys
            if self.things.get(key) is not None
        }
        tables = {
            key: table
            for table in self._snapshot.tables.values()
            for key in table.keys
            if key in self.owners
        }
        for key, (owner, number) in self.owners.items():
            if owner not in found or key not in tables:
                continue
            have, cls = found[owner], self.classes[tables[key].number]
            component = have.get(number)
            if type(component) is cls:
                del have[number]
            else:
                component = tables[key].entry.blank(cls)
                self.made.add(key)
            self.things[key] = component
        for key, row in zip(objects.keys, objects.rows):
            if found.get(key):
                self._keep_new(key, row.retired, found[key])

    def _keep_new(self, owner: Key, retired: list[int], have: dict[int, Any]) -> None:
        """Decide on components that the snapshot does not know.

        Those that a newer version of the game gives to an object stay.
        """
        thing, is_newer = self.things[owner], not self.is_here and not self.makes_copies
        names = {number: name for name, number in thing.part_numbers.items()}
        for number, component in have.items():
            if is_newer and number not in retired:
                new = number, names.get(number), component
                self.new_parts.setdefault(owner, []).append(new)
            elif owner not in self.made:
                self.gone_parts.append(component)


def _class_of(table: Table) -> type:
    found: type = table.entry.load_class()
    return found
