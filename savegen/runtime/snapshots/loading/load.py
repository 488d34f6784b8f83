"""`Load`: applies or merges a snapshot, step by step; if a step fails, it undoes all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import repeat
from typing import Any, TypeVar

from msgspec.structs import replace

from savegen.runtime.world.garbage_collector import PausedCollector
from savegen.runtime.values.saveable import is_saveable_object
from savegen.runtime.errors import SaveApplyError, describe_error
from savegen.runtime.world.game import Game
from savegen.runtime.snapshots.loading.from_rows import RowLoader
from savegen.runtime.world.groups import content_of
from savegen.runtime.marks import Activation
from savegen.runtime.snapshots.hashing import rehash
from savegen.runtime.snapshots.loading.matching import Match
from savegen.runtime.world.objects import GameObject, SlotMapReference, with_components
from savegen.runtime.generated.registry import Registry
from savegen.runtime.reports import (
    LoadReport,
    Merged,
    MismatchedValue,
    by_key,
    counted,
)
from savegen.runtime.values.basics.keys import (
    added_and_reached,
    in_key_order,
    slots_of,
)
from savegen.runtime.values.rows import Key
from savegen.runtime.world.slots import SlotState
from savegen.runtime.world.placements import Placement
from savegen.runtime.snapshots.snapshot import Snapshot
from savegen.runtime.values.libraries.sprites import Content
from savegen.runtime.snapshots.recorder import UNAVAILABLE
from savegen.runtime.snapshots.loading.undo import Undo, all_or_nothing
from savegen.runtime.snapshots.history.unrewound import KeptLinks, slots_around
from savegen.runtime.world.world import in_order

T = TypeVar("T")


class Load:
    """One load or merge of a snapshot."""

    def __init__(self, game: Game, snapshot: Snapshot, changed_only: bool) -> None:
        self._game = game
        self._world = game.world
        self._original = snapshot
        # Later, without the objects that `on_unknown` leaves out.
        self._snapshot = snapshot
        self._changed_only = changed_only
        # Key in the snapshot → key in the world, for objects that this load adds.
        self._new_keys: dict[Key, Key] = {}
        # Components and reached objects that the load removes.
        self._gone: list[Any] = []
        # Of the removed objects that a prefab or a level created.
        self._removed: list[SlotMapReference] = []
        # The objects left alone by a rewind of which a reference was linked anew.
        self._linked: list[Any] = []
        self._moved_untouched: dict[Key, Key] = {}  # new keys of objects left alone

    def apply(self) -> LoadReport:
        """Bring the world to the state of the snapshot, and return a report.

        If it raises `SaveApplyError`, the world is unchanged.
        """
        if self._snapshot.world not in (None, self._world):
            raise SaveApplyError(
                "the snapshot was taken by another manager: use `merge` to add copies of its"
                " objects"
            )
        is_full = self._snapshot.covers is None
        original = self._original
        before = original.world, original.restarts, original.moved
        try:
            # A full load replaces the dicts of the world.
            self._game.groups.look()  # also the sprites that are new there may have to leave
            return self._run(self._apply, shares=is_full)
        except BaseException:
            original.world, original.restarts, original.moved = before
            raise

    def merge(self) -> Merged:
        """Add copies of all objects in the snapshot; return their keys by the saved keys.

        If it raises `SaveApplyError`, the world is unchanged.
        """
        origin = self._snapshot.world
        if origin is not None and origin.registry is not self._world.registry:
            raise SaveApplyError(
                "the snapshot was taken by a manager with another registry: save it to a file,"
                " and read the file with this manager's registry"
            )
        return self._run(self._merge)

    def _run(self, steps: Callable[[Undo], T], shares: bool = False) -> T:
        game = self._game

        def guarded(undo: Undo) -> T:
            with PausedCollector():
                game.is_busy = True
                undo.hooks_ran = bool(game.before_load)
                game.call(game.before_load)
                result = steps(undo)
                game.is_busy = False
                game.run_requests()
                return result

        return all_or_nothing(game, guarded, self._snapshot, shares)

    def _apply(self, undo: Undo) -> LoadReport:
        match = Match(self._game, self._snapshot).by_key()
        self._snapshot = match.snapshot
        added = tuple(
            str(self._world.placements[key].placement) for key in match.newer_in_level
        )
        self._deactivate(match, undo)
        former_keys = self._renew_reused(match)
        links = KeptLinks(self._world, match.untouched) if match.untouched else None
        for entry, objects in links.objects().items() if links else ():
            undo.remember(entry, objects)
        loader = RowLoader(self._game, match)
        loader.compare(undo, exactly=self._changed_only)
        if self._snapshot.covers is None:
            self._replace_world(match)
        else:
            self._add_missing(match)
        for key in former_keys:
            self._world.by_former_key.discard(key)
        if links is not None:
            self._linked = links.link()
        self._fill(match, loader, undo)
        self._finish(match)
        report = self._report(match, loader, added)
        if self._original.world is None:
            # From now on, the keys of the snapshot are keys of this world.
            self._original.world = self._world
            self._original.restarts = self._world.restarts
        return report

    def _merge(self, undo: Undo) -> Merged:
        match = Match(self._game, self._snapshot).as_copies()
        self._snapshot = match.snapshot
        loader = RowLoader(self._game, match)
        loader.compare(None)
        self._add_missing(match)
        self._fill(match, loader, undo)
        preserved = self._snapshot.preserved
        return Merged(self._new_keys, {} if preserved is None else preserved.counts)

    def _fill(self, match: Match, loader: RowLoader, undo: Undo) -> None:
        """Fill the objects, which have their keys, and call the hooks."""
        put_back = self._game.groups.suspend(loader.hashed_by_fields())
        loader.set_fields()
        self._add_new_components(match)
        self._store_generators(match, loader)
        if not match.is_unchanged:
            undo.remember_families()
            self._world.repair_families()
        to_activate = self._to_activate(match, loader)
        first = loader.hashed_first()
        self._activate(
            match, {k: to_activate.pop(k) for k in first & to_activate.keys()}, undo
        )
        put_back()
        loader.fill_hashing()
        self._set_groups(match)
        if not match.makes_copies:
            self._set_states(loader)
        self._activate_others(match, to_activate, undo)
        if undo.hooks_ran:
            rehash(self._game)
        undo.hooks_ran = undo.hooks_ran or bool(self._game.after_load)
        self._game.call(self._game.after_load)

    # -- the objects in the world

    def _renew_reused(self, match: Match) -> list[Key]:
        """Let reused objects be like new ones, and return the keys that they and their parts had.

        They are other objects from now on, so nobody finds them under these keys. An object
        whose components were changed by an `@on_deactivate` cannot be reused any more.
        """
        keys, reused, world = [], {}, self._world
        for key, obj in match.reused.items():
            pool = self._game.pools[world.built_from[key]]
            if pool.can_keep(obj):
                reused[key] = obj
                keys += [world.keys[id(part)] for part in with_components(obj)]
                pool.renew(obj)
        match.reuse_only(reused)
        return keys

    def _replace_world(self, match: Match) -> None:
        """Replace the objects of the world; keep those that a newer version of the level placed."""
        world, snapshot = self._world, self._snapshot
        newer = [
            (world.at(key), world.placements[key], world.built_from.get(key))
            for key in match.newer_in_level
        ]
        untouched = [key for table in match.untouched.values() for key in table]
        kept = {k: world.placements[k] for k in untouched if k in world.placements}
        if not match.is_unchanged:
            built_from = world.built_from
            self._remember_removed(match)
            tables = {match.classes[n]: table for n, table in match.tables.items()}
            slots = snapshot.slots
            if snapshot.unrewound is not None:
                slots, tables = self._around_untouched(match, tables)
            world.replace_content(tables, match.owners, slots)
            for slot in slots_of(in_key_order(match.left_out)):
                world.slots.release(slot)
            world.next_reached = max(world.next_reached, snapshot.next_reached)
            for key, old_key in match.kept_keys.items() if built_from else ():
                if old_key in built_from:
                    world.built_from[key] = built_from[old_key]
            for key in untouched if built_from else ():
                if key in built_from:
                    moved = self._moved_untouched.get(key, key)
                    world.built_from[moved] = built_from[key]
        if snapshot.world is None:
            world.lineage = snapshot.lineage or None
        world.preserved = snapshot.preserved
        world.tombstones = self._tombstones()
        moved_keys = self._moved_untouched
        self._replace_placements(match, {moved_keys.get(k, k): kept[k] for k in kept})
        for obj, placement, prefab in newer:
            [key] = world.add_all([obj])
            world.store_placement(key, placement)
            if prefab is not None:
                world.built_from[key] = prefab
        world.set_watchers()

    def _around_untouched(
        self, match: Match, tables: dict[type, dict[Key, Any]]
    ) -> tuple[SlotState, dict[type, dict[Key, Any]]]:
        """Return the slots and tables of a step, with those of the objects that it leaves alone."""
        world = self._world
        slots, moved = slots_around(self._snapshot, match.untouched, world.slots.count)
        for cls, table in match.untouched.items():
            tables[cls] = in_order({moved.get(k, k): obj for k, obj in table.items()})
        self._moved_untouched = moved
        number_of = {cls: world.registry.entry_of(cls).number for cls in tables}
        return slots, dict(sorted(tables.items(), key=lambda item: number_of[item[0]]))

    def _tombstones(self) -> dict[str, str | None]:
        """Return the tombstones of the snapshot, and those of objects that it leaves alone."""
        snapshot, world = self._snapshot, self._world
        if snapshot.unrewound is None:
            return {**snapshot.tombstones}
        then, now, ids = snapshot.tombstones, world.tombstones, world.unrewound_ids
        tombstones = {id: level for id, level in then.items() if id not in ids}
        return tombstones | {id: level for id, level in now.items() if id in ids}

    def _replace_placements(
        self, match: Match, untouched: dict[Key, Placement]
    ) -> None:
        world, placements = self._world, {**self._snapshot.placements, **untouched}
        world.placements = placements
        world.placed = {
            placement.placement: key
            for key, placement in placements.items()
            if placement.placement is not None
        }
        for key in match.from_prefab & placements.keys():
            world.built_from[key] = placements[key].prefab

    def _add_missing(self, match: Match) -> None:
        """Add the objects that a merge or a partial snapshot creates; leave all other keys."""
        world = self._world
        self._remember_removed(match)
        # In an order that does not depend on when the objects were added: it is that of free slots.
        for key in in_key_order(match.removed):
            world.remove(key)
        for part in match.removed_parts:
            world.remove_single(part)
        new = {k: o for k, o in match.objects.items() if id(o) not in world.keys}
        world.destroyed.discard_all({*map(id, new.values())})
        added, reached = added_and_reached(new)
        self._new_keys = dict(zip(added, world.store([new[key] for key in added])))
        if match.is_same_world:
            world.remember_remade(self._new_keys)
        for key in reached:
            keeps_key = match.is_same_world and key not in world.reached
            if keeps_key:
                world.store_reached(key, new[key])
            self._new_keys[key] = key if keeps_key else world.key_of(new[key])
        if not (match.makes_copies or match.is_same_world):
            objects = match.objects.items()
            self._original.moved = {key: world.keys[id(obj)] for key, obj in objects}
        for key, (owner, number) in match.owners.items():
            if key in self._new_keys:
                owner = self._new_keys.get(owner, match.kept_keys.get(owner, owner))
                world.owners[self._new_keys[key]] = owner, number
        self._store_placements(match)
        world.set_watchers()

    def _store_placements(self, match: Match) -> None:
        """Store the placements of the objects that were added."""
        for key, placement in self._snapshot.placements.items():
            if key not in self._new_keys:
                continue
            if match.makes_copies:
                placement = replace(placement, placement=None)
            self._world.store_placement(self._new_keys[key], placement)
            if key in match.from_prefab:
                self._world.built_from[self._new_keys[key]] = placement.prefab

    def _add_new_components(self, match: Match) -> None:
        """Add components that are newer than the snapshot to their restored objects."""
        for owner, parts in match.new_parts.items():
            for number, name, component in parts:
                if id(component) in self._world.keys:
                    continue
                obj, watcher = match.objects[owner], match.objects[owner].watcher
                obj.watcher = None
                obj.add_component(component, part=name, number=number)
                obj.watcher = watcher
                self._world.adding_component(obj, component, number)

    def _remember_removed(self, match: Match) -> None:
        world = self._world
        keys = world.placements.keys() | world.built_from.keys()
        for key in keys & match.removed.keys():
            self._removed.append(world.record_at(key))
        for key in world.tables.get(GameObject, {}).keys() & match.removed.keys():
            match.removed[key].watcher = None

    def _store_generators(self, match: Match, loader: RowLoader) -> None:
        for key, generator in loader.generators.items():
            if match.makes_copies:
                self._world.generators.key_of(generator)
            else:
                self._world.generators.store(key, generator)

    def _set_states(self, loader: RowLoader) -> None:
        saved, added = self._snapshot.states, self._game.states
        # In the order in which the game added them.
        states = {n: loader.state(n, saved[n]) for n in added if n in saved}
        if self._snapshot.covers is None:
            known = {*added, *self._game.groups.by_state()}
            unknown = {n: typed for n, typed in saved.items() if n not in known}
            self._world.unknown_states = unknown
        self._game.set_states({n: v for n, v in states.items() if v is not UNAVAILABLE})

    def _set_groups(self, match: Match) -> None:
        """Let each group have the sprites that it had, and take the removed ones out of all groups.

        Sprites that are not of the snapshot stay in a group if they are in the world, or will be:
        a newer version of the level, for example, has placed them, or a hook has spawned them.
        """
        world, snapshot, groups = self._world, self._snapshot, self._game.groups
        reused = [obj for obj in self._gone if id(obj) in world.keys]
        groups.leave(reused)
        has_all = snapshot.covers is None and not match.makes_copies
        expected = self._game.waiting()
        for name, group in groups.by_state().items():
            typed = snapshot.states.get(name)
            if typed is None and not has_all:
                continue
            if match.is_unchanged:
                last = group.unchanged(group.content(), world.epoch)
                if last is not None and last.typed is typed:
                    continue
            saved = Content()
            if typed is not None:
                saved = content_of(name, typed, match.objects.get, group)
            if match.untouched:  # a rewind does not put them into groups
                saved = saved.chosen(
                    n
                    for n, sprite in enumerate(saved.sprites)
                    if not world.is_unrewound(sprite)
                )

            def stays(sprite: Any) -> bool:
                if not is_saveable_object(sprite) or id(sprite) in expected:
                    return True
                if match.untouched and world.is_unrewound(sprite):
                    return True
                if typed is not None and id(sprite) in match.object_ids:
                    return False
                return id(sprite) in world.keys or not has_all

            try:
                group.refill(saved, stays)
            except Exception as error:
                raise SaveApplyError(
                    f"the state {name!r} cannot be set: {describe_error(error)}"
                ) from error
        gone = [obj for obj in self._gone if id(obj) not in world.keys]
        groups.leave(gone)
        if not match.makes_copies:
            keys = {key for table in match.untouched.values() for key in table}
            keys &= groups.grouped
            groups.forget({*match.kept_keys.values()} if not has_all else None)
            groups.grouped |= {self._moved_untouched.get(key, key) for key in keys}
        for group in groups.all():
            group.repaint()

    # -- hooks

    def _deactivate(self, match: Match, undo: Undo) -> None:
        """Call `@on_deactivate` of the components that the load removes, in key order."""
        world = self._world
        components = world.with_hook("on_deactivate")
        remaining = match.objects if match.is_same_world else {}
        removes_reached = self._snapshot.covers is None and not match.is_unchanged
        parts = {world.keys[id(part)] for part in match.removed_parts}
        reached = world.reached if removes_reached else ()
        kept = {*match.kept_keys.values()} if reached else ()
        gone = {key for key in reached if key not in remaining and key not in kept}
        self._gone = [world.at(key) for key in in_key_order(gone)]
        for obj in match.removed.values():
            self._gone += with_components(obj)
        self._gone += match.removed_parts
        removed = [
            key
            for key in components
            if world.owner_of(key) in match.removed or key in parts or key in gone
        ]
        if removed:
            undo.hooks_ran = True
            self._game.deactivate([components[key] for key in removed])
        if undo.hooks_ran and self._snapshot.covers is None:
            built = {
                id(part)
                for obj in match.objects.values()
                for part in with_components(obj)
            }
            new = self._game.groups.without_keys()  # created by a hook
            expected = built | self._game.waiting()
            self._gone += [sprite for sprite in new if id(sprite) not in expected]

    def _to_activate(self, match: Match, loader: RowLoader) -> dict[Key, Any]:
        """Return the loaded components that have an `@on_activate`, by key in the snapshot."""
        loaded: dict[Key, Any] = {}
        for number, table in self._snapshot.tables.items():
            if table.entry.on_activate:
                keys = table.keys
                if self._changed_only:
                    keys = [keys[place] for place in loader.changed[number]]
                loaded.update((key, match.objects[key]) for key in keys)
        return loaded

    def _activate(self, match: Match, loaded: dict[Key, Any], undo: Undo) -> None:
        """Call `@on_activate` of loaded components, in key order."""
        undo.hooks_ran = undo.hooks_ran or bool(loaded)
        for key in in_key_order(loaded):
            is_new = key in match.created
            reason = Activation.RESTORED if is_new else Activation.RELOADED
            self._game.activate([loaded[key]], reason)

    def _activate_others(
        self, match: Match, loaded: dict[Key, Any], undo: Undo
    ) -> None:
        """Call `@on_activate` of the other components, in key order, then of newer ones."""
        for table in self._snapshot.tables.values():
            if table.entry.on_deactivate and not table.entry.on_activate:
                keys = [key for key in table.keys if key in match.created]
                self._game.remember_active(match.objects[key] for key in keys)
        for obj in self._linked:
            if self._world.registry.entry_of(type(obj)).on_activate:
                loaded[self._world.keys[id(obj)]] = obj
        self._activate(match, loaded, undo)
        undo.hooks_ran = undo.hooks_ran or bool(match.new_parts)
        activated = {*map(id, loaded.values())}
        for owner, parts in match.new_parts.items():
            is_new = owner in match.created
            reason = Activation.RESTORED if is_new else Activation.RELOADED
            newer = [part for _, _, part in parts if id(part) not in activated]
            self._game.activate(newer, reason)

    # -- the end

    def _finish(self, match: Match) -> None:
        """Remember the removed objects as destroyed, and return them to their pools."""
        world, removed = self._world, match.removed
        parts = [part for obj in removed.values() for part in with_components(obj)]
        parts += match.removed_parts
        world.destroyed.add_all(parts)
        for record in self._removed:
            if record.key in match.reused:
                world.remember_destroyed(record)
            else:
                self._game.discard(record)
        if self._snapshot.covers is None:
            # It knows which placed objects were destroyed; others were not placed yet.
            world.tombstones = self._tombstones()
        # Some may be in the world again: from a pool, or as components that are still reached.
        world.destroyed.discard_all(world.keys.keys())

    def _report(
        self, match: Match, loader: RowLoader, added: tuple[str, ...]
    ) -> LoadReport:
        snapshot, tables = self._original, self._snapshot.tables.values()
        objects = _count(self._snapshot) - len(match.owners)
        kept = objects if match.is_unchanged else len(match.kept_keys)
        containers = len(snapshot.tables[-1].keys) if -1 in snapshot.tables else 0
        report = LoadReport(
            kept=kept,
            created=objects - kept,
            removed=len(match.removed),
            objects=len(snapshot),
            components=_count(snapshot) - containers,
            changed=sum(map(len, loader.changed.values())),
            dangling=snapshot.dangling,
            added_by_level=added,
            removed_by_level=tuple(match.not_in_level),
            replaced_in_level=tuple(match.replaced),
            mismatches=by_key(_mismatches(snapshot, self._world.registry)),
            # In memory, a snapshot still has what a file would lose.
            lost=by_key([*(() if snapshot.world else snapshot.lost), *loader.lost]),
            defaulted=loader.defaulted,
        )
        # From reading the file, if the snapshot was read from one.
        report = replace(report, **snapshot.report or {})
        notes = tuple(_notes_on_static(match.static))
        return replace(report, notes=(*report.notes, *notes)) if notes else report


def _notes_on_static(names: Iterable[str]) -> Iterator[str]:
    for name, count in Counter(names).items():
        objects = counted(count, "object")
        yield f"{objects} of the prefab {name}, which is static today, left out"


def _count(snapshot: Snapshot) -> int:
    """Return the number of all objects and components in a snapshot."""
    return sum([len(table.keys) for table in snapshot.tables.values()])


def _mismatches(snapshot: Snapshot, registry: Registry) -> list[MismatchedValue]:
    """Return the values in a snapshot that do not fit their fields."""
    if not any(table.extras for table in snapshot.tables.values()):
        return []
    values, numbers = list[MismatchedValue](), dict[Key, int]()
    for table in snapshot.tables.values():
        numbers.update(zip(table.keys, repeat(table.number)))
    class_of = numbers.get
    for table in snapshot.tables.values():
        for place, cell, found in table.mismatches(registry.values, class_of):
            values.append(
                MismatchedValue(
                    table.keys[place],
                    table.entry.display_name,
                    table.entry.names_by_cell[cell],
                    registry.text(found.typed, class_of),
                    registry.annotation(found.declared),
                    found.path,
                )
            )
    return values
