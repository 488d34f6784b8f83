"""A game as it was before a load, so that a load that fails changes nothing."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from operator import attrgetter
from typing import Any, TypeVar

import msgspec

from savegen.runtime import hooks, mismatches
from savegen.runtime.assets import OnUnknown
from savegen.runtime.capture import Capture
from savegen.runtime.collecting import Paused
from savegen.runtime.errors import SaveApplyError, SaveError, reason, describe_error
from savegen.runtime.generators import set_state, state_of
from savegen.runtime.marks import Activation
from savegen.runtime.objects import GameObject
from savegen.runtime.to_rows import Live, Packed
from savegen.runtime.registry import hashes_change
from savegen.runtime.rows import Key
from savegen.runtime.snapshot import Snapshot
from savegen.runtime.tagged import untag
from savegen.runtime.world import World, in_order

T = TypeVar("T")


class Game(msgspec.Struct, eq=False):
    """What a load needs of a manager."""

    world: World
    pools: dict[Any, Any]
    build: Callable[[Any], Any]  # makes a new object of a prefab
    discard: Callable[[Any, Any], None]  # takes an object that left, and its prefab
    on_unknown: OnUnknown
    hold: Callable[[bool], None]  # whether what hooks ask for must wait
    settle: Callable[[], None]  # do what hooks have asked for
    forget: Callable[[], None]  # do not
    states: dict[str, tuple[Callable[[], Any], Callable[[Any], object]]] = {}
    before_load: list[Callable[[], object]] = []
    after_load: list[Callable[[], object]] = []

    def getters(self) -> dict[str, Callable[[], Any]]:
        """Return what reads each state."""
        return {name: get for name, (get, _) in self.states.items()}

    def call(self, callbacks: Iterable[Callable[[], object]]) -> None:
        """Call callbacks. Raises `SaveApplyError` that names the one that raised."""
        for callback in list(callbacks):
            try:
                callback()
            except Exception as error:
                name = getattr(callback, "__qualname__", type(callback).__qualname__)
                raise SaveApplyError(
                    f"`{name}` raised {describe_error(error)}"
                ) from error

    def set_states(self, values: dict[str, Any]) -> None:
        """Set states to values. Raises `SaveApplyError` that names the state."""
        for name, value in values.items():
            try:
                self.states[name][1](value)
            except Exception as error:
                text = f"the state {name!r} cannot be set: {describe_error(error)}"
                raise SaveApplyError(text) from error

    def runs_code(self, snapshot: Snapshot) -> bool:
        """Return whether a load of the snapshot may run code of the game's."""
        if self.states or self.before_load or self.after_load or snapshot.placements:
            return True
        live = [self.world.entry_of(c) for c, t in self.world.tables.items() if t]
        entries = [*live, *(table.entry for table in snapshot.tables.values())]
        return any(entry.runs_code for entry in entries) or hashes_change(entries)


class Undo:
    """Who was in a world, its states and pools, and what the objects held that a load may change.

    The objects stand for themselves, and values of a wrong type are kept as they are: a world
    that could not be saved can still be put back.
    """

    def __init__(self, game: Game, everything: bool, shares: bool = False) -> None:
        """With `everything`, code of the game's may run, and change any object in any way.

        `shares` is for a load that leaves the dicts of the world alone, or replaces them.
        """
        self._game = game
        self._world = world = game.world
        self._state = world.state(shares and not everything)
        self._live = Live()
        # Of some objects, what puts back what the one at a position held.
        self._kept: list[tuple[list[Any], Callable[[int], object]]] = []
        self._generators = [(each, state_of(each)) for each in world.generators.all()]
        self.notes: list[str] = []  # what could not be put back
        self._random = random.getstate()
        self._packed: set[int] | None = None  # the `id` of each object that has a row
        if everything:
            self._packed = set()
            for cls, table in world.tables.items():
                self.keep(world.entry_of(cls), [*table.values()])
        self._states = dict(self._read_states())
        self._pools = [(pool, pool.waiting) for pool in game.pools.values()]

    def _read_states(self) -> Iterator[tuple[str, Any]]:
        """Yield the present states, as values that later changes do not affect."""
        world = self._game.world
        capture = Capture(world)
        for name, get in self._game.getters().items():
            try:
                tagged = capture.tagged(get())
                value = untag(tagged, capture, world.registry.values)
            except Exception as error:
                self.notes.append(
                    f"the state {name!r} was not put back: {describe_error(error)}"
                )
            else:
                yield name, value

    def keep(self, entry: Any, objects: list[Any]) -> None:
        """Keep what some objects of one class hold."""
        if self._packed is not None:
            objects = [obj for obj in objects if id(obj) not in self._packed]
            self._packed.update(map(id, objects))
        elif self._keep_values(entry, objects):
            return
        with mismatches.collected():
            try:
                packed = self._live.pack(entry, objects)
            except Exception:  # a `save_data` of the game's raised
                objects, packed = self._pack_one_by_one(entry, objects)
        dirty = [each._savegen_dirty for each in objects] if entry.behaviors else None

        def put_back(place: int) -> None:
            obj = objects[place]
            obj.load_data(packed.rows[place], self._live)
            for cell, value in packed.unfit.get(place, {}).items():
                attribute = entry.attributes_by_cell[cell]
                mismatches.set_value(obj, attribute, value)
            if dirty is not None:
                mismatches.set_value(obj, "_savegen_dirty", dirty[place])

        self._kept.append((objects, put_back))

    def _keep_values(self, entry: Any, objects: list[Any]) -> bool:
        """Keep the values of all fields, which a load replaces and does not change.

        Return whether that is possible: an attribute may not be set.
        """
        try:
            names = entry.attributes_by_cell.values()
            columns = [(name, [*map(attrgetter(name), objects)]) for name in names]
        except Exception:
            return False
        for name, values in columns:
            self._kept.append((objects, partial(_put_back, objects, name, values)))
        return True

    def _pack_one_by_one(
        self, entry: Any, objects: list[Any]
    ) -> tuple[list[Any], Packed]:
        kept: list[Any] = []
        all_packed = Packed([])
        for obj in objects:
            try:
                packed = self._live.pack(entry, [obj])
            except Exception as error:
                name = type(obj).__qualname__
                self.notes.append(f"a `{name}` was not put back: {error}")
                continue
            for cells in packed.unfit.values():
                all_packed.unfit[len(kept)] = cells
            kept.append(obj)
            all_packed.rows += packed.rows
        return kept, all_packed

    def take_back(self, made: Iterable[Any], called: bool) -> list[str]:
        """Put everything back; return what could not be.

        If code of the game's had run, its hooks are told that the world has changed again.
        """
        game = self._game
        try:
            game.hold(True)
            for each in made:
                if isinstance(each, GameObject):
                    each.watcher = None
            with Paused():
                self._run()
            for pool, waiting in self._pools:
                pool.waiting = waiting
            self._attempt("the world", lambda: game.set_states(self._states))
            if called:
                self._tell()
            return self.notes
        finally:
            game.forget()
            game.hold(False)

    def _tell(self) -> None:
        game, world = self._game, self._game.world
        self._attempt("the world", lambda: game.call(game.before_load))
        for each in with_hook(world, "on_activate").values():
            step = partial(hooks.activate, world, [each], Activation.RELOADED)
            self._attempt("the world", step)
        self._attempt("the world", lambda: game.call(game.after_load))

    def _run(self) -> None:
        """Put everything back."""
        self._world.reset(self._state)
        for objects, put_back in self._kept:
            for place, obj in enumerate(objects):
                what = f"a `{type(obj).__qualname__}`"
                self._attempt(what, partial(put_back, place))
        self._attempt("the world", self._live.finish)
        for generator, state in self._generators:
            set_state(generator, state)
        random.setstate(self._random)

    def _attempt(self, what: str, step: Callable[[], object]) -> None:
        """Take a step back; note what it raises."""
        try:
            step()
        except Exception as error:
            self.notes.append(f"while {what} was put back: {reason(error)}")


def _put_back(objects: list[Any], name: str, values: list[Any], place: int) -> None:
    mismatches.set_value(objects[place], name, values[place])


def with_hook(world: World, hook: str) -> dict[Key, Any]:
    """Return everything that has methods for a hook, in the order of keys."""
    found: dict[Key, Any] = {}
    for cls, table in world.tables.items():
        if getattr(world.entry_of(cls), hook):
            found |= table
    return in_order(found)


def staged(game: Game, steps: Callable[[], T]) -> T:
    """Take steps that may do anything with the world: all of them, or none.

    Raises `SaveApplyError`, or what a step of savegen's raises; the world is then as it was.
    """
    with Paused():
        undo = Undo(game, everything=True)
    try:
        return steps()
    except BaseException as error:
        notes = undo.take_back((), called=True)
        if not isinstance(error, Exception):
            raise
        failure = (
            error
            if isinstance(error, SaveError)
            else SaveApplyError(describe_error(error))
        )
        for note in notes:
            failure.add_note(note)
        if failure is error:
            raise
        raise failure from error
