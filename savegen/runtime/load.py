"""Making a world what a snapshot says: everything or nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from operator import is_
from typing import Any, TypeVar

import msgspec

from savegen.runtime import hooks, plain
from savegen.runtime.capture import Capture
from savegen.runtime.collecting import Paused
from savegen.runtime.errors import SaveApplyError, SaveError, told
from savegen.runtime.filling import Filling
from savegen.runtime.generators import Moment
from savegen.runtime.keys import SlotKey
from savegen.runtime.marks import Activation
from savegen.runtime.matching import Match
from savegen.runtime.objects import GameObject, SlotMapReference, components_of
from savegen.runtime.pools import ObjectPool
from savegen.runtime.snapshot import Snapshot, Table
from savegen.runtime.supplying import Supply, settled
from savegen.runtime.unknown import OnUnknown
from savegen.runtime.world import World

T = TypeVar("T")


class LoadReport(msgspec.Struct, frozen=True):
    """What a load did, in numbers of objects.

    >>> LoadReport(kept=3, created=1).created
    1
    """

    kept: int = 0  # alive before and after, as the very same objects
    created: int = 0  # built anew, or taken from a pool
    removed: int = 0
    changed: int = 0  # components that were written: not everything was the very same
    dangling: int = 0  # references to what was destroyed before the snapshot
    added_by_level: tuple[str, ...] = ()  # placements the snapshot does not know: kept
    removed_by_level: tuple[str, ...] = ()  # placements that the level has no more
    # Placements that the level has another prefab for: the save's was built.
    replaced_in_level: tuple[str, ...] = ()
    # Of a save of another version of the game: objects, by field, that have taken a default…
    defaulted: dict[str, int] = {}
    # … and what the game does not know, by class or field; the next save has it again.
    kept_aside: dict[str, int] = {}
    migrations: tuple[int, ...] = ()  # the versions that it was brought to


class Game(msgspec.Struct, eq=False):
    """What a load needs of a manager."""

    world: World
    pools: dict[Any, ObjectPool]
    build: Callable[[int], Any]  # a new object of a prefab
    discard: Callable[[SlotMapReference], None]  # what becomes of an object in the end
    on_unknown: OnUnknown
    has_prefabs: bool
    hold: Callable[[bool], None]  # whether what hooks ask for must wait
    settle: Callable[[], None]  # do what hooks have asked for
    forget: Callable[[], None]  # do not
    states: dict[str, tuple[Callable[[], Any], Callable[[Any], object]]] = {}
    before_load: list[Callable[[], object]] = []
    after_load: list[Callable[[], object]] = []

    def getters(self) -> dict[str, Callable[[], Any]]:
        return {name: get for name, (get, _) in self.states.items()}

    def capture(self) -> Snapshot:
        """Return the world as it is, no hook called."""
        return Capture(self.world).run(self.getters(), strict=False)

    def may_run(self, snapshot: Snapshot, as_copies: bool) -> bool:
        """Tell whether anything of the game's own may run while a snapshot is loaded."""
        if self.states or self.before_load or self.after_load:
            return True
        if self.has_prefabs and (as_copies or not self._has_all_of(snapshot)):
            return True
        entries = [table.entry for table in snapshot.tables.values()]
        tables = [*self.world.tables.items()]
        entries += [self.world.entry_of(cls) for cls, table in tables if table]
        return any(
            entry.on_activate
            or entry.on_deactivate
            or entry.behaviors
            or (entry.rows and entry.rows.gather)  # then `__hash__` is called
            for entry in entries
        ) or any(table.rows is None for table in snapshot.tables.values())

    def _has_all_of(self, snapshot: Snapshot) -> bool:
        """Tell whether the very objects of a snapshot are there: none has to be built."""
        live, saved = self.world.slots.values, snapshot.records
        return len(live) == len(saved) and all(map(is_, live, saved))

    def call(self, callbacks: Iterable[Callable[[], object]]) -> None:
        """Call what lives outside. Raises `SaveApplyError` that names the one that raised."""
        for callback in list(callbacks):
            try:
                callback()
            except Exception as error:
                name = getattr(callback, "__qualname__", type(callback).__qualname__)
                raise SaveApplyError(f"`{name}` raised {told(error)}") from error

    def set_states(self, states: dict[str, Any]) -> None:
        """Raises `SaveApplyError` that names the state that could not be set."""
        for name, value in states.items():
            try:
                self.states[name][1](plain.copy(value))
            except Exception as error:
                text = f"the state {name!r} cannot be set: {told(error)}"
                raise SaveApplyError(text) from error


class Load:
    """One load, and what it needs to undo itself at any line."""

    def __init__(self, game: Game, snapshot: Snapshot, changed_only: bool) -> None:
        self._game = game
        self._world = game.world
        self._snapshot = snapshot
        self._changed_only = changed_only
        self._as_copies = False
        self._undo: Undo | None = None
        self._made: dict[int, Any] = {}  # everything that is new, by `id`
        self._called = False  # whether any code of the game's has run
        self._moment = Moment()  # in which the generators are set back
        self._keys: dict[SlotKey, SlotKey] = {}  # of today, by those saved
        self._is_fresh = snapshot.is_fresh
        self._tables = snapshot.tables
        self._defaulted: dict[str, int] = {}

    def apply(self) -> LoadReport:
        """Become the snapshot. Raises `SaveApplyError`; the world is then as it was."""
        if self._snapshot.world is not self._world:
            raise SaveApplyError("the snapshot is of another manager: use `merge`")
        match = self._matcher(self._game.on_unknown)
        return self._done(lambda undo: self._apply(self._whole(match.by_key()), undo))

    def merge(self) -> dict[SlotKey, SlotKey]:
        """Add copies of everything in the snapshot; return their keys by those saved.

        Raises `SaveApplyError`; the world is then as it was.
        """
        if self._snapshot.world.registry is not self._world.registry:
            raise SaveApplyError("the snapshot is of another registry")
        match = self._matcher(OnUnknown.PLACEHOLDER)
        self._as_copies = True
        return self._done(lambda _: self._merge(self._whole(match.as_copies())))

    def _matcher(self, on_unknown: OnUnknown) -> Match:
        match = Match(self._world, self._snapshot, self._game.build, on_unknown)
        self._made = match.made
        return match

    def _whole(self, match: Match) -> Match:
        """Complete what an old save does not say."""
        if any(table.lacks for table in self._tables.values()):
            supply = Supply(match)
            self._tables = supply.of(self._tables)
            self._defaulted = {**supply.defaulted}
        return match

    def _done(self, steps: Callable[[Undo], T]) -> T:
        """Take the steps, or none of them."""
        game = self._game
        try:
            with Paused():
                self._undo = undo = Undo(
                    game, game.may_run(self._snapshot, self._as_copies)
                )
            game.hold(True)
            self._called = bool(game.before_load)
            game.call(game.before_load)
            done = steps(undo)
            game.hold(False)
            game.settle()
            return done
        except BaseException as error:
            notes = self._take_back()
            if not isinstance(error, Exception):
                raise
            text = str(error) if isinstance(error, SaveError) else told(error)
            failure = SaveApplyError(text)
            for note in notes:
                failure.add_note(note)
            raise failure from error

    def _take_back(self) -> list[str]:
        """Make the world what it was; forget what hooks have asked for."""
        try:
            self._game.hold(True)
            made = self._made.values()
            table = self._tables.get(GameObject) if self._is_fresh else None
            for each in (*made, *(table.objects if table else ())):
                if isinstance(each, GameObject):
                    each.watcher = None
            notes = self._undo.run(self._called) if self._undo else []
            self._moment.undo()
            return notes
        finally:
            self._game.forget()
            self._game.hold(False)

    def _apply(self, match: Match, undo: Undo) -> LoadReport:
        self._deactivate(match)
        with Paused(), self._moment:
            filling = self._filling(match)
            filling.compare(exactly=self._changed_only)
            undo.keep(filling)
            if not match.is_trivial:
                self._leave(match)
            self._restore_slots(match)
            filling.fill(lambda: self._enter(match))
            self._game.set_states(self._snapshot.states)
            if self._snapshot.covers is None:
                self._world.tombstones = {**self._snapshot.tombstones}
                self._set_aside(match)
        self._activate(filling)
        self._game.call(self._game.after_load)
        return self._finish(match, filling)

    def _merge(self, match: Match) -> dict[SlotKey, SlotKey]:
        with Paused(), self._moment:
            filling = self._filling(match)
            filling.compare()
            self._insert_copies(match)
            filling.fill(lambda: self._enter_copies(match))
        self._activate(filling)
        self._game.call(self._game.after_load)
        self._finish(match, filling)
        return self._keys

    def _insert_copies(self, match: Match) -> None:
        for record in self._snapshot.records:
            copied = record.built(match.stand_ins[id(record.object)]).unplaced()
            self._keys[record.key] = self._world.insert(copied)
        for key, thing in self._snapshot.met.items():
            self._keys[key] = self._world.met.add(match.stand_ins[id(thing)])

    def _filling(self, match: Match) -> Filling:
        return Filling(self._world, self._tables.values(), match, self._keys)

    def _set_aside(self, match: Match) -> None:
        """Keep what the game does not know of the snapshot, and nothing else."""
        aside = self._snapshot.aside
        if aside is not None and match.stand_ins:
            aside = aside.relinked(match.stand_ins)
        self._world.aside = aside

    def _finish(self, match: Match, filling: Filling) -> LoadReport:
        for record in match.gone:
            self._game.discard(record)
            if record.placement in self._world.placements:  # by something else
                self._world.tombstones.pop(record.placement, None)
        for part in match.gone_parts:
            self._world.graveyard.add(part)
        if match.gone or match.gone_parts:
            # Some may have been components, and are only referred to again.
            for table in filling.tables:
                self._world.graveyard.forget_all({*map(id, table.objects)})
        if self._is_fresh and not self._as_copies:
            # From now on it is a snapshot like any other.
            tables = {cls: settled(table) for cls, table in self._tables.items()}
            self._snapshot.is_fresh, self._snapshot.tables = False, tables
        created, removed = match.count_created, len(match.gone)
        return LoadReport(
            kept=len(self._snapshot.records) - created - len(match.lost),
            created=created,
            removed=removed,
            changed=sum(map(len, filling.changed)),
            dangling=self._snapshot.dangling,
            added_by_level=tuple(str(r.placement) for r in match.extra),
            removed_by_level=tuple(match.dropped),
            replaced_in_level=tuple(match.replaced),
            defaulted=self._defaulted,
        )

    # -- hooks

    def _deactivate(self, match: Match) -> None:
        for record in match.gone:
            self._called = True
            hooks.deactivate(self._world, components_of(record.object))
        if match.gone_parts:
            self._called = True
            hooks.deactivate(self._world, match.gone_parts)

    def _activate(self, filling: Filling) -> None:
        self._called = True
        reason = Activation.RESTORED if self._is_fresh else Activation.RELOADED
        for table, places in zip(filling.tables, filling.changed, strict=True):
            if table.entry.on_activate:
                objects = table.objects
                if self._changed_only:
                    objects = [objects[place] for place in places]
                hooks.activate(self._world, objects, reason)

    # -- who is in the world

    def _leave(self, match: Match) -> None:
        """Forget all that goes, and all that will have another key or other components."""
        world = self._world
        leaving = [r.object for r in (*match.gone, *match.released, *match.extra)]
        leaving += [live.object for saved, live in match.kept if saved.key != live.key]
        leaving += match.reparted
        for thing in leaving:
            if id(thing) in world.owners:
                world.leave(thing)

    def _restore_slots(self, match: Match) -> None:
        snapshot, world = self._snapshot, self._world
        if snapshot.covers is not None:
            self._restore_some(match)
            return
        records = snapshot.records
        is_same = match.is_trivial or match.is_fresh and not match.stand_ins
        if not is_same or match.lost:
            records = [self._today(record, match) for record in records]
        as_before = (
            match.is_trivial
            and not match.lost
            and (snapshot.is_of_today or world.slots.indices() == snapshot.indices)
        )
        if not as_before:
            world.version += 1
            world.slots.restore(snapshot.indices, records)
        for key in match.lost:
            world.slots.remove(key)
        met = self._snapshot.met.items()
        today = {key: match.stand_ins.get(id(thing), thing) for key, thing in met}
        world.met.become(today)

    def _restore_some(self, match: Match) -> None:
        """Leave every key that others have; what is missing gets its own, if it is free."""
        world = self._world
        world.version += 1
        for record in (*match.gone, *match.released):
            world.slots.remove(record.key)
        for record, made in match.created:
            key = self._keys[record.key] = world.put_back(record.built(made))
            self._snapshot.moved[record.key] = key
            if record.placement is not None:
                world.tombstones.pop(record.placement, None)
        for saved, live in match.kept:
            self._keys[saved.key] = live.key
        for key, thing in self._snapshot.met.items():
            today = match.stand_ins.get(id(thing), thing)
            self._keys[key] = world.met.add(today, key)

    def _today(self, record: SlotMapReference, match: Match) -> SlotMapReference:
        thing = match.stand_ins.get(id(record.object), record.object)
        if thing is record.object:
            return record
        made = id(thing) in match.made
        return record.built(thing) if made else record.with_object(thing)

    def _enter(self, match: Match) -> None:
        """Note all that came, now that objects have the components that were saved."""
        world, snapshot = self._world, self._snapshot
        if match.is_trivial and snapshot.covers is None:
            if not snapshot.is_of_today:
                world.put_in_order(snapshot.tables, {})
            return
        if match.is_fresh:
            came, owners = [*world.slots], world.owners
            if owners:
                came = [record for record in came if id(record.object) not in owners]
            world.enter_all(came)
        else:
            self._enter_known(match)
        for record in match.extra:
            is_partial = snapshot.covers is not None
            key = record.key if is_partial else world.insert(record)
            world.enter(record.object, key)
        if snapshot.covers is None:
            world.put_in_order(snapshot.tables, match.stand_ins)
        if match.stand_ins or match.extra or not match.is_fresh:
            world.mend_families({id(record.object) for record in match.gone})
        world.index_placements()

    def _enter_known(self, match: Match) -> None:
        world = self._world
        for record in self._snapshot.records:
            thing = match.stand_ins.get(id(record.object), record.object)
            if thing is not None and id(thing) not in world.owners:
                world.enter(thing, self._keys.get(record.key, record.key))

    def _enter_copies(self, match: Match) -> None:
        for record, made in match.created:
            self._world.enter(made, self._keys[record.key])
        self._world.mend_families(())


class Undo:
    """The world as it was before a load.

    Where nothing of the game's own can run, it is enough to keep what the load itself will
    write: `keep` is told of it. Else it is a whole snapshot.
    """

    def __init__(self, game: Game, whole: bool) -> None:
        self._game = game
        self._snapshot = game.capture() if whole else None
        self._kept: list[Table] = []
        world = game.world
        self._indices, self._records = world.slots.indices(), list(world.slots)
        self._owners, self._ids = {**world.owners}, {*world.ids}
        self._tables = {cls: {**table} for cls, table in world.tables.items()}
        self._met, self._tombstones = world.met.things(), {**world.tombstones}
        self._placements, self._aside = {**world.placements}, world.aside
        self._placed_with = world.placed_with
        self._graveyard = world.graveyard.copied()
        self._waiting = [(pool, pool.waiting) for pool in game.pools.values()]

    def keep(self, filling: Filling) -> None:
        """Remember what some objects hold before anything is written."""
        if self._snapshot is None and not filling.is_readable:
            self._snapshot = self._game.capture()  # the slower way
        self._kept = filling.before

    def run(self, called: bool) -> list[str]:
        """Bring it back; return what went wrong with that.

        If code of the game's had run, it is told that the world has changed again.
        """
        notes: list[str] = []
        with Paused():
            self._restore(notes)
        if called and self._snapshot is not None:
            self._tell(self._snapshot, notes)
        return notes

    def _restore(self, notes: list[str]) -> None:
        world, snapshot = self._game.world, self._snapshot
        world.version += 1
        world.owners, world.ids, world.tables = self._owners, self._ids, self._tables
        world.met.become(self._met)
        world.tombstones = self._tombstones
        world.placements, world.aside = self._placements, self._aside
        world.placed_with = self._placed_with
        world.slots.restore(self._indices, self._records)
        world.watch()
        for pool, waiting in self._waiting:
            pool.waiting = waiting
        tables = [*snapshot.tables.values()] if snapshot else self._kept
        world.graveyard = self._graveyard
        notes += Filling(world, tables).force()
        if snapshot is not None:
            states = snapshot.states
            self._attempt(notes, lambda: self._game.set_states(states))

    def _tell(self, snapshot: Snapshot, notes: list[str]) -> None:
        game = self._game
        self._attempt(notes, lambda: game.call(game.before_load))
        for table in snapshot.tables.values():
            for each in table.objects if table.entry.on_activate else ():
                step = partial(hooks.activate, game.world, [each], Activation.RELOADED)
                self._attempt(notes, step)
        self._attempt(notes, lambda: game.call(game.after_load))

    @staticmethod
    def _attempt(notes: list[str], step: Callable[[], object]) -> None:
        try:
            step()
        except Exception as error:
            notes.append(f"while the world was brought back: {error}")


def staged(game: Game, steps: Callable[[], T]) -> T:
    """Take steps that may do anything with the world: all of them, or none.

    Raises `SaveApplyError`, or what a step of savegen's raises; the world is then as it was.
    """
    with Paused():
        undo = Undo(game, whole=True)
    try:
        return steps()
    except BaseException as error:
        notes = _undone(game, undo)
        if not isinstance(error, Exception):
            raise
        failure = error if isinstance(error, SaveError) else SaveApplyError(told(error))
        for note in notes:
            failure.add_note(note)
        if failure is error:
            raise
        raise failure from error


def _undone(game: Game, undo: Undo) -> list[str]:
    game.hold(True)
    try:
        return undo.run(called=True)
    finally:
        game.forget()
        game.hold(False)
