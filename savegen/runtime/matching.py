"""Who is who in a load: for each key of a snapshot the object of today, or a new one."""

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


class _Things(dict[Key, Any]):
    """Objects by the keys of a snapshot; `None` for what is not part of it.

    Of a partial snapshot of this very world, that is what the key names today.
    """

    def __init__(self, rest: Callable[[Key], Any]) -> None:
        super().__init__({0: None})
        self._rest = rest

    def __missing__(self, key: Key) -> Any:
        return self._rest(key)


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
        self._build = build
        self._on_unknown = on_unknown
        self.snapshot = snapshot  # in the end, without what is left out by policy
        # Whether the keys of the snapshot are those of this world.
        self.is_here = snapshot.world is world
        self.makes_copies = False
        # Whether the very same objects are there, under the same keys; or none of them is.
        self.is_trivial = False
        self.is_all_new = False
        is_part_of_it = self.is_here and snapshot.covers is not None
        self.objects = _Things(world.at if is_part_of_it else _nothing)
        self.classes: dict[int, type] = {
            number: table.entry.load_class()
            for number, table in snapshot.tables.items()
        }
        self.owners = snapshot.component_keys()
        self.made: Any = set()  # of everything that is new
        self.built: set[Key] = set()  # objects that a prefab or a pool made
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
            for cls in self.classes.values():
                self.objects.update(self._world.tables[cls])
            return self
        if self.is_here or self.snapshot.placements or self.owners:
            self._match_objects()
        else:
            self._make_all()
        self._match_parts()
        self._leave_out()
        if dead := self.lost | self._gone_outside():
            self._drop_references(dead)
        return self

    def as_copies(self) -> Match:
        """Make every object of the snapshot anew."""
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

    @cached_property
    def tables(self) -> dict[int, dict[Key, Any]]:
        """The objects by key, in the order of their rows; by class number."""
        at = self.objects.__getitem__
        return {
            number: dict(zip(table.keys, map(at, table.keys)))
            for number, table in self.snapshot.tables.items()
        }

    # -- objects

    def _make_all(self) -> None:
        """Make objects that all stand alone and come from no prefab or level."""
        self.tables = {}
        for number, table in self.snapshot.tables.items():
            cls: Any = self.classes[number]
            if cls is GameObject or table.entry.needs_setting:
                made = [table.entry.blank(cls) for _ in table.keys]
            else:
                made = [*map(cls.__new__, repeat(cls, len(table.keys)))]
            self.tables[number] = dict(zip(table.keys, made))
            self.objects.update(self.tables[number])
        self.made = self.objects.keys()
        self.is_all_new = True

    def _match_objects(self) -> None:
        for number, table in self.snapshot.tables.items():
            for key in table.keys:
                if key in self.owners:
                    continue
                found = self._live(key, self.classes[number])
                if found is not None:
                    self.objects[key] = found
                    self.kept[key] = self._world.keys.get(id(found), 0)
                elif self._is_wanted(key):
                    self._create(table, key)
                else:
                    self.lost.add(key)
        if self.lost:
            self._drop_lost()

    def _drop_lost(self) -> None:
        """Go on as if the snapshot did not have what is left out, and its components."""
        is_lost = self.lost.__contains__
        self.lost |= {part for part, (key, _) in self.owners.items() if is_lost(key)}
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

    def _gone_outside(self) -> set[Key]:
        """Return what a partial snapshot leaves out, refers to, and is no more."""
        if self.snapshot.covers is None or not self.is_here:
            return set()
        named = {
            key
            for table in self.snapshot.tables.values()
            for cell, stored in table.entry.referring.items()
            for key in keys_in(stored, map(attrgetter(cell), table.rows))
        }
        at = self._world.at
        return {key for key in named - self.objects.keys() if at(key) is None}

    def _drop_references(self, dead: set[Key]) -> None:
        """Take references to what is gone out of rows, as a save does."""
        tables = {n: _without(table, dead) for n, table in self.snapshot.tables.items()}
        self.snapshot = replace(self.snapshot, tables=tables)

    def _live(self, key: Key, cls: type) -> Any:
        """Return the object of today for a key of the snapshot; `None` if it is not there."""
        world = self._world
        if self.is_here:
            found = world.at(self.snapshot.moved.get(key, key))
            if found is None:
                found = world.former.get(key)
            if type(found) is cls and found not in world.graveyard:
                return found
        saved = self.snapshot.placements.get(key, NO_PLACEMENT)
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
        prefab = self.snapshot.placements.get(key, NO_PLACEMENT).prefab
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
        self._note_made(key, made)

    def _note_made(self, key: Key, made: Any) -> None:
        self.objects[key] = made
        self.made.add(key)

    # -- placed objects: was one destroyed, or does its level place it no more?

    @cached_property
    def _levels(self) -> set[str | None]:
        """The levels of which it is known what they place."""
        live = self._world.placements.values()
        levels = {each.level for each in live if each.placement is not None}
        return levels | {*self._world.tombstones.values()}

    def _is_wanted(self, key: Key) -> bool:
        saved = self.snapshot.placements.get(key, NO_PLACEMENT)
        if saved.placement is None or saved.level not in self._levels:
            return True
        if (
            saved.placement in self._world.tombstones
            or saved.placement in self.replaced
        ):
            return True
        if self._on_unknown is OnUnknown.ERROR:
            raise SaveApplyError(
                f"the level {saved.level!r} places no {saved.placement!r} any more;"
                " choose with `on_unknown=` what becomes of it"
            )
        self.dropped.append(saved.placement)
        return self._on_unknown is OnUnknown.PLACEHOLDER

    def _leave_out(self) -> None:
        """Decide on the objects of today that the snapshot does not have."""
        world, snapshot = self._world, self.snapshot
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
        snapshot = self.snapshot
        if placement is None or placement in self._placed_anew:
            return False
        return not (placement in snapshot.tombstones or placement in snapshot.destroyed)

    @cached_property
    def _placed_anew(self) -> set[str | None]:
        """The placement ids of what is made anew."""
        placements = self.snapshot.placements.items()
        return {each.placement for key, each in placements if key in self.made}

    def _is_covered(self, key: Key) -> bool:
        """Return whether a partial snapshot would have had an object that it does not have.

        One that was alive then was left out on purpose.
        """
        covers = self.snapshot.covers
        assert covers is not None
        is_covered = bool(covers(self._world.record_at(key)))
        return is_covered and not (self.is_here and key in self._alive_then)

    @cached_property
    def _alive_then(self) -> set[Key]:
        """The keys of all that was in the world when the snapshot was taken."""
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
                    self._note_made(key, table.entry.blank(self.classes[number]))
        for key, row in zip(game_objects.keys, game_objects.rows):
            if have[key]:
                self._keep_new(key, row.retired, have[key])

    def _keep_new(self, owner: Key, retired: list[int], have: dict[int, Any]) -> None:
        """Decide on components that the snapshot does not know.

        Those that a newer version of the game gives to an object stay.
        """
        obj, is_newer = self.objects[owner], not self.is_here and not self.makes_copies
        names = {number: name for name, number in obj.part_numbers.items()}
        for number, component in have.items():
            if is_newer and number not in retired:
                new = number, names.get(number), component
                self.new_parts.setdefault(owner, []).append(new)
            elif owner not in self.made:
                self.gone_parts.append(component)


def _nothing(key: Key) -> None:
    """Return what a key leads to that nobody knows."""


def _without(table: Table, dead: set[Key]) -> Table:
    rows = [*table.rows]
    for cell, stored in table.entry.referring.items():
        for place, row in enumerate(rows):
            held = getattr(row, cell)
            if held is not UNSET and not dead.isdisjoint(keys_of(stored, held)):
                rows[place] = copy(row)  # the row belongs to the snapshot
                setattr(rows[place], cell, without(stored, held, dead))
    return replace(table, rows=rows)
