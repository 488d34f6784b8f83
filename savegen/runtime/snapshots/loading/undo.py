"""`Undo`: remembers the state of a game before a load, and restores it if the load fails."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from savegen.runtime.values.saveable import is_saveable_object
from savegen.runtime.errors import SaveApplyError, SaveError, describe_error, reason
from savegen.runtime.world.game import Game
from savegen.runtime.world.garbage_collector import PausedCollector
from savegen.runtime.generated.entries import hashes_change
from savegen.runtime.values.libraries.generators import (
    can_set_state,
    generator_from,
    set_state,
    state_of,
)
from savegen.runtime.world.hooks import Attempts
from savegen.runtime.world.interrupts import DelayedInterrupt
from savegen.runtime.marks import Activation
from savegen.runtime.world.objects import GameObject
from savegen.runtime.snapshots.loading.remembered import (
    RememberedCaches,
    RememberedRecording,
    RememberedRows,
    RememberedState,
    RememberedValues,
    LiveValues,
)
from savegen.runtime.snapshots.hashing import rehash
from savegen.runtime.snapshots.snapshot import Snapshot
from savegen.runtime.values.libraries.sprites import SpriteGroup
from savegen.runtime.snapshots.to_rows import only, pack_own_rows
from savegen.runtime.world.building import LocalKeys

T = TypeVar("T")


def _runs_code(game: Game, snapshot: Snapshot) -> bool:
    """Return whether loading a snapshot may run code of the game."""
    if game.states or game.before_load or game.after_load or snapshot.placements:
        return True
    world = game.world
    entries = {table.entry for table in snapshot.tables.values()}
    entries |= {world.registry.entry_of(cls) for cls, t in world.tables.items() if t}
    return any([entry.runs_code for entry in entries]) or hashes_change(entries)


class Undo:
    """The state of a game before a load: its objects with their fields, its states and pools.

    It can be restored even if the world cannot be saved, because references and values that do
    not fit their fields are kept as Python objects.
    """

    def __init__(
        self, game: Game, snapshot: Snapshot | None = None, shares: bool = False
    ) -> None:
        """Remember the state of a game, before `snapshot` is loaded or anything else happens.

        If no code of the game runs during the load, only the objects are remembered for which
        it calls `remember`. The dicts of the world are then not copied if it `shares` them; it
        must replace them, not change them.
        """
        everything = snapshot is None or _runs_code(game, snapshot)
        # Whether hooks and callbacks of the game have run, so that they must run again.
        self.hooks_ran = snapshot is None
        self._game = game
        self._world = world = game.world
        self._state = world.state(shares and not everything)
        self._references = LocalKeys(values=world.registry.values, takes_all=True)
        self._values = LiveValues(self._references)
        self._attempts = Attempts()
        self._remembered: list[RememberedRows | RememberedValues] = []
        self._recordings: list[RememberedRecording] = []
        # The parents and children of game objects that the load may repair.
        self._families: list[tuple[GameObject, Any, Any]] = []
        self._generators = [(g, state_of(g)) for g in world.generators.all()]
        self._random = random.getstate()
        self._packed: set[int] | None = None  # the `id` of each object that has a row
        for cls, table in world.tables.items():
            entry = world.registry.entry_of(cls)
            if entry.caches:
                caches = RememberedCaches(entry, [*table.values()])
                self._remembered.append(caches)
            if everything:
                self._remember_all(entry, [*table.values()])
        if everything:
            self._packed = {*world.keys}
        self._states = self._read_states()
        # By group: its content, before hooks or the load change it.
        self._groups = {group: group.content() for group in game.groups.all()}
        self._grouped = {*game.groups.grouped}
        self._pools = {prefab: pool.waiting for prefab, pool in game.pools.items()}

    def _read_states(self) -> dict[str, RememberedState]:
        states = {}
        for name, get in self._game.getters().items():
            try:
                states[name] = RememberedState(get, self._values)
            except Exception as error:
                self._attempts.notes.append(
                    f"the state {name!r} was not restored: {describe_error(error)}"
                )
        return states

    def remember(self, entry: Any, objects: list[Any]) -> None:
        """Remember the field values of some objects of one class."""
        if self._packed is not None:
            objects = [obj for obj in objects if id(obj) not in self._packed]
            self._packed.update(map(id, objects))
            self._remember_all(entry, objects)
        elif not self._remember_values(entry, objects):
            self._remember_rows(entry, objects)

    def _remember_all(self, entry: Any, objects: list[Any]) -> None:
        """Remember the fields of objects that code of the game may change itself."""
        if not (entry.is_immutable and self._remember_values(entry, objects, True)):
            self._remember_rows(entry, objects)
        for obj in objects if entry.behaviors else ():
            self._recordings.append(RememberedRecording(obj, entry, self._values))

    def _remember_values(
        self, entry: Any, objects: list[Any], code_runs: bool = False
    ) -> bool:
        """Remember the values themselves if that is enough; return whether it is."""
        try:
            remembered = RememberedValues(entry, objects)
        except Exception:  # for example, an attribute is not set
            return False
        if code_runs and remembered.holds_lists():
            return False
        self._remembered.append(remembered)
        return True

    def remember_families(self) -> None:
        """Remember parents and children, before those of any objects are repaired."""
        objects = self._world.tables.get(GameObject, {}).values()
        self._families = [(obj, obj._parent, obj._children) for obj in objects]

    def remember_group(self, group: SpriteGroup) -> None:
        """Remember the content of a group, before it changes."""
        if group not in self._groups:
            self._groups[group] = group.content()

    def _remember_rows(self, entry: Any, objects: list[Any]) -> None:
        """Remember copies of all fields; of some objects only, if a `save_data` raises."""
        try:
            remembered = RememberedRows(entry, objects, self._references)
        except Exception as error:
            for obj in objects if len(objects) > 1 else ():
                self._remember_rows(entry, [obj])
            if len(objects) == 1:
                name = type(objects[0]).__qualname__
                self._attempts.notes.append(f"a `{name}` was not restored: {error}")
        else:
            self._remembered.append(remembered)

    def restore(self) -> Attempts:
        """Restore the game, and return messages about state that could not be restored."""
        game = self._game
        try:
            game.is_busy = True
            self._deactivate_new()
            with PausedCollector():
                self._restore_world()
            for prefab, pool in game.pools.items():
                pool.waiting = self._pools.get(prefab, [])
            self._restore_states()
            if self.hooks_ran:
                self._call_hooks()
            self._attempts.run("restoring the world", partial(rehash, game))
            return self._attempts
        finally:
            game.drop_requests()

    def _deactivate_new(self) -> None:
        """Deactivate what was activated, and is not in the world that is restored."""
        keys = self._state["keys"]
        activated = [*(self._game.activated or {}).values()]
        new = [component for component in activated if id(component) not in keys]
        self._game.deactivate_new(new, self._attempts)

    def _call_hooks(self) -> None:
        game, attempts = self._game, self._attempts
        for callback in [*game.before_load]:
            attempts.run("restoring the world", partial(game.call, [callback]))
        for obj in self._world.with_hook("on_activate").values():
            step = partial(game.activate, [obj], Activation.RELOADED)
            attempts.run("restoring the world", step)
        for callback in [*game.after_load]:
            attempts.run("restoring the world", partial(game.call, [callback]))

    def _restore_world(self) -> None:
        """Restore the world, the fields of its objects, and the random generators."""
        run = self._attempts.run
        for group in self._groups:
            run("restoring a group", group.take_hashed)
        self._world.restore(self._state)
        for obj, parent, children in self._families:
            obj._parent, obj._children = parent, children
        for remembered in self._remembered:
            for place, obj in enumerate(remembered.objects):
                what = f"restoring a `{type(obj).__qualname__}`"
                run(what, partial(remembered.restore, place))
        for step in self._references.postponed():
            run("restoring the world", step)
        for remembered in self._remembered:
            run("restoring the world", remembered.refill)
        for recording in self._recordings:
            recording.restore(self._attempts)
        new: list[Any] = []
        for group, content in self._groups.items():
            former = {*map(id, content.sprites)}
            new += [s for s in group.content().sprites if id(s) not in former]
            run("restoring a group", partial(group.set, content))
        keys = self._world.keys
        self._game.groups.leave(
            s for s in new if id(s) not in keys and is_saveable_object(s)
        )
        self._game.groups.grouped = self._grouped
        run("restoring a counter", self._restore_generators)
        random.setstate(self._random)

    def _restore_generators(self) -> None:
        """Set the generators back. A counter cannot be: its objects get a new one."""
        references, has_new = self._references, False
        for generator, state in self._generators:
            if can_set_state(generator, state):
                set_state(generator, state)
            else:
                new, has_new = generator_from(state), True
                self._world.generators.store(
                    self._world.generators.key_of(generator), new
                )
                references.replace(references._generator_key(generator), new)
        for cls, table in self._world.tables.items() if has_new else ():
            entry = self._world.registry.entry_of(cls)
            types = entry.stored_by_cell.items() if entry.has_generators else ()
            cells = [cell for cell, stored in types if "count" in stored.names_inside]
            for obj in table.values() if cells else ():
                row = pack_own_rows(entry, [obj], references).rows[0]
                if not entry.wraps:
                    row = only(row, cells)
                entry.marked_class().load_data(obj, row, references)
        references.finish()

    def _restore_states(self) -> None:
        for name, state in self._states.items():
            if name in self._game.states and state.has_changed():
                step = partial(self._set_state, name, state)
                self._attempts.run("restoring the world", step)

    def _set_state(self, name: str, state: RememberedState) -> None:
        self._game.set_states({name: state.restored()})


def all_or_nothing(
    game: Game,
    steps: Callable[[Undo], T],
    snapshot: Snapshot | None = None,
    shares: bool = False,
) -> T:
    """Run `steps`, and return their result. If they raise, the game is restored first.

    The steps load a `snapshot`, see `Undo`, and every exception is then a `SaveApplyError`.
    Without one they may change anything, and only exceptions that are no `SaveError` become one.
    Ctrl-C waits until the game is restored.
    """
    expected = SaveError if snapshot is None else SaveApplyError
    undo, outer = None, game.activated
    watchers = game.groups.watchers
    outer_count = len(watchers)
    activated = {} if outer is None else outer
    try:
        with PausedCollector():
            undo = game.run_hooks(partial(Undo, game, snapshot, shares))
        game.activated = activated
        watchers.append(undo.remember_group)
        result = steps(undo)
        game.activated = outer
        del watchers[outer_count:]
        return result
    except BaseException as error:
        with DelayedInterrupt():
            game.activated = activated
            attempts = Attempts() if undo is None else undo.restore()
            game.drop_requests()  # those of code that ran before the first step
            game.activated = outer
            del watchers[outer_count:]
            failure = error
            if isinstance(error, Exception) and not isinstance(error, expected):
                failure = SaveApplyError(reason(error))
            attempts.report(failure)
            if failure is error:
                raise
            raise failure from error
