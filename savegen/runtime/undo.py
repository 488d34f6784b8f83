"""`Undo`: remembers the state of a game before a load, and restores it if the load fails."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import partial
from operator import attrgetter
from typing import Any, TypeVar

from savegen.runtime import hooks, mismatches
from savegen.runtime.capture import Capture
from savegen.runtime.game import Game
from savegen.runtime.garbage_collector import PausedCollector
from savegen.runtime.errors import SaveApplyError, SaveError, reason, describe_error
from savegen.runtime.generators import set_state, state_of
from savegen.runtime.marks import Activation
from savegen.runtime.to_rows import AnyObjectKeys
from savegen.runtime.snapshot import Snapshot
from savegen.runtime.tagged import untag

T = TypeVar("T")


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
        everything = snapshot is None or game.runs_code(snapshot)
        # Whether hooks and callbacks of the game have run, so that they must run again.
        self.hooks_ran = snapshot is None
        self._game = game
        self._world = world = game.world
        self._state = world.state(shares and not everything)
        self._references = AnyObjectKeys()
        # Lists of objects, each with a function that restores the object at a position.
        self._restorers: list[tuple[list[Any], Callable[[int], object]]] = []
        self._generators = [(g, state_of(g)) for g in world.generators.all()]
        self.notes: list[str] = []  # messages about state that cannot be restored
        self._random = random.getstate()
        self._packed: set[int] | None = None  # the `id` of each object that has a row
        if everything:
            self._packed = set()
            for cls, table in world.tables.items():
                self.remember(world.registry.entry_of(cls), [*table.values()])
        self._states = dict(self._read_states())
        self._pools = [(pool, pool.waiting) for pool in game.pools.values()]

    def _read_states(self) -> Iterator[tuple[str, Any]]:
        """Yield the name and a copy of each state that can be copied."""
        world = self._game.world
        capture = Capture(world)
        for name, get in self._game.getters().items():
            try:
                tagged = capture.tagged(get())
                value = untag(tagged, capture, world.registry.values)
            except Exception as error:
                self.notes.append(
                    f"the state {name!r} was not restored: {describe_error(error)}"
                )
            else:
                yield name, value

    def remember(self, entry: Any, objects: list[Any]) -> None:
        """Remember the field values of some objects of one class."""
        if self._packed is not None:
            objects = [obj for obj in objects if id(obj) not in self._packed]
            self._packed.update(map(id, objects))
            self._remember_rows(entry, objects)
        elif not self._remember_values(entry, objects):
            self._remember_rows(entry, objects)

    def _remember_rows(self, entry: Any, objects: list[Any]) -> None:
        """Remember copies of all fields; of some objects only, if a `save_data` raises."""
        try:
            with mismatches.collected():
                packed = self._references.pack(entry, objects)
        except Exception as error:
            for obj in objects if len(objects) > 1 else ():
                self._remember_rows(entry, [obj])
            if len(objects) == 1:
                name = type(objects[0]).__qualname__
                self.notes.append(f"a `{name}` was not restored: {error}")
            return
        dirty = [obj._savegen_dirty for obj in objects] if entry.behaviors else None

        def restore(place: int) -> None:
            obj = objects[place]
            entry.marked_class().load_data(obj, packed.rows[place], self._references)
            for cell, value in packed.unfit.get(place, {}).items():
                attribute = entry.attributes_by_cell[cell]
                mismatches.set_value(obj, attribute, value)
            if dirty is not None:
                mismatches.set_value(obj, "_savegen_dirty", dirty[place])

        self._restorers.append((objects, restore))

    def _remember_values(self, entry: Any, objects: list[Any]) -> bool:
        """Remember the values of all fields without a copy; return whether it was possible.

        It is not possible if, for example, an attribute is not set.
        """
        try:
            names = entry.attributes_by_cell.values()
            columns = [(name, [*map(attrgetter(name), objects)]) for name in names]
        except Exception:
            return False
        for name, values in columns:
            self._restorers.append(
                (objects, partial(_restore_value, objects, name, values))
            )
        return True

    def restore(self) -> list[str]:
        """Restore the game, and return messages about state that could not be restored."""
        game = self._game
        try:
            game.is_busy = True
            with PausedCollector():
                self._restore_world()
            for pool, waiting in self._pools:
                pool.waiting = waiting
            self._attempt("the world", lambda: game.set_states(self._states))
            if self.hooks_ran:
                self._call_hooks()
            return self.notes
        finally:
            game.drop_requests()

    def _call_hooks(self) -> None:
        game, world = self._game, self._game.world
        self._attempt("the world", lambda: game.call(game.before_load))
        for obj in world.with_hook("on_activate").values():
            step = partial(hooks.activate, world.registry, [obj], Activation.RELOADED)
            self._attempt("the world", step)
        self._attempt("the world", lambda: game.call(game.after_load))

    def _restore_world(self) -> None:
        """Restore the world, the fields of its objects, and the random generators."""
        self._world.restore(self._state)
        for objects, restore in self._restorers:
            for place, obj in enumerate(objects):
                name = f"a `{type(obj).__qualname__}`"
                self._attempt(name, partial(restore, place))
        self._attempt("the world", self._references.finish)
        for generator, state in self._generators:
            set_state(generator, state)
        random.setstate(self._random)

    def _attempt(self, target: str, step: Callable[[], object]) -> None:
        """Run one step of the undo; if it raises, add a message and continue."""
        try:
            step()
        except Exception as error:
            self.notes.append(f"while restoring {target}: {reason(error)}")


def _restore_value(
    objects: list[Any], name: str, values: list[Any], place: int
) -> None:
    mismatches.set_value(objects[place], name, values[place])


def all_or_nothing(
    game: Game,
    steps: Callable[[Undo], T],
    snapshot: Snapshot | None = None,
    shares: bool = False,
) -> T:
    """Run `steps`, and return their result. If they raise, the game is restored first.

    The steps load a `snapshot`, see `Undo`, and every exception is then a `SaveApplyError`.
    Without one they may change anything, and only exceptions that are no `SaveError` become one.
    """
    expected = SaveError if snapshot is None else SaveApplyError
    undo = None
    try:
        with PausedCollector():
            undo = Undo(game, snapshot, shares)
        return steps(undo)
    except BaseException as error:
        notes = [] if undo is None else undo.restore()
        if not isinstance(error, Exception):
            raise
        failure = (
            error if isinstance(error, expected) else SaveApplyError(reason(error))
        )
        for note in notes:
            failure.add_note(note)
        if failure is error:
            raise
        raise failure from error
