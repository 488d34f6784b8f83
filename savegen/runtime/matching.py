"""Who is who: for each object of a snapshot the one of today, or a new one."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from operator import is_
from typing import Any

from savegen.runtime.errors import SaveApplyError
from savegen.runtime.keys import SlotKey
from savegen.runtime.objects import GameObject, SlotMapReference
from savegen.runtime.snapshot import Snapshot
from savegen.runtime.unknown import OnUnknown
from savegen.runtime.world import World


class Match:
    """What a load is going to do with each object. Nothing of the world is changed yet."""

    def __init__(
        self,
        world: World,
        snapshot: Snapshot,
        build: Callable[[int], Any],
        on_unknown: OnUnknown,
    ) -> None:
        self._world = world
        self._snapshot = snapshot
        self._build = build
        self._on_unknown = on_unknown
        self.is_here = snapshot.world is world
        # Read from a file: its objects live from now on, if nothing else stands for them.
        self.is_fresh = snapshot.is_fresh
        self.makes_copies = False  # of everything; else objects stay who they are
        # By `id` of what the snapshot holds: what stands for it today. What is not in it
        # stands for itself.
        self.stand_ins: dict[int, Any] = {}
        # Everything that is new, by `id`; of what was read, only what stands for others.
        self.made: dict[int, Any] = {}
        self.created: list[tuple[SlotMapReference, Any]] = []
        self.kept: list[tuple[SlotMapReference, SlotMapReference]] = []  # saved, live
        self.gone: list[SlotMapReference] = []  # to be destroyed
        # Those that were not added yet, only referred to.
        self.released: list[SlotMapReference] = []
        self.extra: list[SlotMapReference] = []  # that the snapshot knows nothing of
        self.dropped: list[str] = []  # placements that the level has no more
        self.replaced: list[str] = []  # placements where the level has another prefab
        self.lost: set[SlotKey] = set()  # of these, the keys of those left out
        self.reparted: list[GameObject] = []  # with other components than today
        self.gone_parts: list[Any] = []
        # Of an object with components that the save knows nothing of: these, and their
        # numbers, by the `id` of what the object is today.
        self.new_parts: dict[int, tuple[tuple[int, Any], ...]] = {}

    @cached_property
    def is_trivial(self) -> bool:
        """Whether the very same objects are there, with the same components.

        To be asked once they are matched.
        """
        lists = (self.created, self.gone, self.released, self.extra, self.reparted)
        moved = any(saved is not live for saved, live in self.kept)
        return not self.is_fresh and not moved and not self.made and not any(lists)

    def by_key(self) -> Match:
        """Match the objects by key, or by placement; make those that are missing.

        What was read from a file is matched by placement alone: its keys are of another day.
        """
        saved, live = self._snapshot.records, self._world.slots.values
        if self.is_fresh:
            self._match_placements([*live])
        elif not self._snapshot.is_of_today:
            if not (len(live) == len(saved) and all(map(is_, live, saved))):
                self._match_records([*live])
        self._match_parts()
        self._revive()
        return self

    def as_copies(self) -> Match:
        """Make every object of the snapshot anew."""
        self.makes_copies = True
        self.is_here = self.is_here and not self.is_fresh
        self.is_fresh = False
        for record in self._snapshot.records:
            self._create(record)
        self._match_parts()
        for table in self._snapshot.tables.values():
            for each in table.objects:
                if id(each) in self._snapshot.adopted:
                    self._stand_in(each)
        if self._snapshot.world is self._world:
            self._resolve_outside()
        else:  # the same keys lead to others here
            self.stand_ins |= dict.fromkeys(self._snapshot.outside)
        return self

    def _match_records(self, live: list[SlotMapReference]) -> None:
        world, placed, levels = self._world, _placed(live), self._levels(live)
        used: set[SlotKey] = set()
        for record in self._snapshot.records:
            key = self._snapshot.moved.get(record.key, record.key)
            found = world.slots.get(record.key) or world.slots.get(key)
            if found is None and record.placement is not None:
                found = placed.get(record.placement)
                if found and self._is_replaced(record, found):
                    continue
            if found and type(found.object) is type(record.object):
                if found.key not in used:
                    used.add(found.key)
                    self._keep(record, found)
                    continue
            if self._is_wanted(record, levels):
                self._create(record)
        self._leave_out([record for record in live if record.key not in used])

    def _match_placements(self, live: list[SlotMapReference]) -> None:
        placed, levels = _placed(live), self._levels(live)
        used: set[SlotKey] = set()
        saved = self._snapshot.records
        built = [r for r in saved if r.placement is not None or r.prefab is not None]
        for record in built:  # all others stand for themselves
            found = placed.get(record.placement)
            if found and self._is_replaced(record, found):
                continue
            if found and type(found.object) is type(record.object):
                used.add(found.key)
                self._keep(record, found)
            elif self._is_wanted(record, levels):
                self._create(record)
        self._leave_out([record for record in live if record.key not in used])

    def _is_replaced(self, record: SlotMapReference, found: SlotMapReference) -> bool:
        """Tell whether the level has another prefab now; then the save's is built."""
        saved, today = record.prefab, {found.prefab, found.built_from}
        if saved is None or found.prefab is None or saved in today:
            return False
        self.replaced.append(str(record.placement))
        self._create(record)
        return True

    def _levels(self, live: list[SlotMapReference]) -> set[str | None]:
        """Return the levels of which it is known what they place."""
        levels = {record.level for record in live if record.placement is not None}
        return levels | {*self._world.tombstones.values()}

    @property
    def count_created(self) -> int:
        if not self.is_fresh:
            return len(self.created)
        return len(self._snapshot.records) - len(self.kept) - len(self.lost)

    @cached_property
    def old(self) -> frozenset[int]:
        """The `id` of every object of today that stands for what was read."""
        tokens = (id(each) for each in self.stand_ins.values() if each is not None)
        return frozenset(token for token in tokens if token not in self.made)

    def _keep(self, record: SlotMapReference, found: SlotMapReference) -> None:
        if found.object is not record.object:
            self.stand_ins[id(record.object)] = found.object
        self.kept.append((record, found))

    def _create(self, record: SlotMapReference) -> None:
        made = self._make(record)
        self.made[id(made)] = made
        if made is not record.object:
            self.stand_ins[id(record.object)] = made
        # From the pool of its prefab, if there is one.
        self.created.append((record, made))

    def _make(self, record: SlotMapReference) -> Any:
        cls = type(record.object)
        if record.prefab is None:
            return record.object if self.is_fresh else self._blank(cls)
        made = self._build(record.prefab)
        if type(made) is not cls:
            raise SaveApplyError(
                f"prefab {record.prefab!r} builds a {type(made).__qualname__}, the"
                f" snapshot holds a {cls.__qualname__}"
            )
        return made

    def _blank(self, cls: Any) -> Any:
        return (
            GameObject() if cls is GameObject else self._world.entry_of(cls).blank(cls)
        )

    def _stand_in(self, saved: Any) -> Any:
        if self.is_fresh:
            return saved
        made = self._blank(type(saved))
        self.made[id(made)] = self.stand_ins[id(saved)] = made
        return made

    # -- placed objects: was it destroyed, or has its level no such any more?

    def _is_wanted(self, record: SlotMapReference, levels: set[str | None]) -> bool:
        placement = record.placement
        if placement is None or record.level not in levels:
            return True
        if placement in self._world.tombstones:
            return True
        if self._on_unknown is OnUnknown.ERROR:
            raise SaveApplyError(
                f"the level {record.level!r} places no {placement!r} any more; say with"
                " `on_unknown=` what becomes of it"
            )
        self.dropped.append(placement)
        if self._on_unknown is OnUnknown.DROP:
            self._lose(record)
        return self._on_unknown is OnUnknown.PLACEHOLDER

    def _lose(self, record: SlotMapReference) -> None:
        parts = (part for _, part in self._snapshot.numbered(record.object))
        self.stand_ins |= dict.fromkeys(map(id, (record.object, *parts)))
        self.lost.add(record.key)

    def _leave_out(self, others: list[SlotMapReference]) -> None:
        """Decide on the objects of today that the snapshot does not have."""
        snapshot = self._snapshot
        taken = {record.placement for record, _ in self.created}
        for record in others:
            if snapshot.covers is not None and not snapshot.covers_now(record):
                continue
            placement = record.placement
            if id(record.object) in snapshot.adopted:
                self.released.append(record)
            elif placement is None or snapshot.knows_destroyed(placement):
                self.gone.append(record)
            elif placement in taken:
                self.gone.append(record)  # it was something else than it is today
            else:
                self.extra.append(record)  # a level that is newer than the snapshot

    # -- the components of objects that are made of several

    def _match_parts(self) -> None:
        snapshot = self._snapshot
        table = snapshot.tables.get(GameObject)
        if self.is_fresh and not self.stand_ins:
            return
        for thing in table.objects if table else ():
            stand_in = self.stand_ins.get(id(thing), thing)
            saved = snapshot.numbered(thing)
            if stand_in is None or id(thing) in snapshot.adopted:
                continue
            if self.is_fresh and stand_in is thing:
                continue
            if stand_in is not thing or thing.numbered is not saved:
                self._match_numbers(saved, snapshot.retired(thing), stand_in)

    def _match_numbers(
        self,
        saved: tuple[tuple[int, Any], ...],
        retired: tuple[int, ...],
        thing: GameObject,
    ) -> None:
        have = dict(thing.numbered)
        for number, component in saved:
            found = have.get(number)
            if found is None or type(found) is not type(component):
                self._stand_in(component)
                continue
            del have[number]
            if found is not component:
                self.stand_ins[id(component)] = found
        if self.is_fresh:
            self._keep_new(retired, thing, have)
        self.gone_parts += have.values()
        self.reparted.append(thing)

    def _keep_new(
        self, retired: tuple[int, ...], thing: GameObject, have: dict[int, Any]
    ) -> None:
        """Keep the components that a newer version of the game gives to an object."""
        new = [number for number in have if number not in retired]
        if new:
            kept = tuple((number, have.pop(number)) for number in new)
            self.new_parts[id(thing)] = kept

    # -- what was only referred to

    def _revive(self) -> None:
        """Make again what was destroyed since; look up what is outside of the snapshot."""
        graveyard = self._world.graveyard
        if graveyard:
            for table in self._snapshot.tables.values():
                for each in table.objects:
                    if each in graveyard and id(each) not in self.stand_ins:
                        self._stand_in(each)
        self._resolve_outside()

    def _resolve_outside(self) -> None:
        for token, (saved, key) in self._snapshot.outside.items():
            found = self._world.component_at(key)
            if found is not saved:
                self.stand_ins[token] = found


def _placed(records: list[SlotMapReference]) -> dict[str | None, SlotMapReference]:
    return {r.placement: r for r in records if r.placement is not None}
