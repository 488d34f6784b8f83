"""The world as it was before a load, so that a load that fails changes nothing."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from operator import attrgetter
from typing import Any

from savegen.runtime import mismatches
from savegen.runtime.errors import reason
from savegen.runtime.generators import set_state, state_of
from savegen.runtime.packer import Live, Packed
from savegen.runtime.world import World


class Undo:
    """Who was in a world, and what the objects held that a load may change.

    The objects stand for themselves, and values of a wrong type are kept as they are: a world
    that could not be saved can still be put back.
    """

    def __init__(self, world: World, everything: bool, shares: bool = False) -> None:
        """With `everything`, code of the game's may run, and change any object in any way.

        `shares` is for a load that leaves the dicts of the world alone, or replaces them.
        """
        self._world = world
        self._state = world.state(shares)
        self._live = Live()
        # Of some objects, what puts back what the one at a position held.
        self._kept: list[tuple[list[Any], Callable[[int], object]]] = []
        self._generators = [(each, state_of(each)) for each in world.generators.found()]
        self.notes: list[str] = []  # what could not be put back
        self._random = random.getstate()
        self._packed: set[int] | None = None  # the `id` of each object that has a row
        if everything:
            self._packed = set()
            for cls, table in world.tables.items():
                self.keep(world.entry_of(cls), [*table.values()])

    def keep(self, entry: Any, things: list[Any]) -> None:
        """Keep what some objects of one class hold."""
        if self._packed is not None:
            things = [thing for thing in things if id(thing) not in self._packed]
            self._packed.update(map(id, things))
        elif self._keep_values(entry, things):
            return
        with mismatches.collected():
            try:
                packed = self._live.pack(entry, things)
            except Exception:  # a `save_data` of the game's raised
                things, packed = self._pack_one_by_one(entry, things)
        dirty = [each._savegen_dirty for each in things] if entry.behaviors else None

        def put_back(place: int) -> None:
            thing = things[place]
            thing.load_data(packed.rows[place], self._live)
            for cell, value in packed.unfit.get(place, {}).items():
                attribute = entry.attributes_by_cell[cell]
                mismatches.set_value(thing, attribute, value)
            if dirty is not None:
                mismatches.set_value(thing, "_savegen_dirty", dirty[place])

        self._kept.append((things, put_back))

    def _keep_values(self, entry: Any, things: list[Any]) -> bool:
        """Keep the values of all fields, which a load replaces and does not change.

        Return whether that is possible: an attribute may not be set.
        """
        try:
            names = entry.attributes_by_cell.values()
            columns = [(name, [*map(attrgetter(name), things)]) for name in names]
        except Exception:
            return False
        for name, values in columns:
            self._kept.append((things, partial(_put_back, things, name, values)))
        return True

    def _pack_one_by_one(
        self, entry: Any, things: list[Any]
    ) -> tuple[list[Any], Packed]:
        kept: list[Any] = []
        all_packed = Packed([])
        for thing in things:
            try:
                packed = self._live.pack(entry, [thing])
            except Exception as error:
                name = type(thing).__qualname__
                self.notes.append(f"a `{name}` was not put back: {error}")
                continue
            for cells in packed.unfit.values():
                all_packed.unfit[len(kept)] = cells
            kept.append(thing)
            all_packed.rows += packed.rows
        return kept, all_packed

    def run(self) -> None:
        """Put everything back."""
        self._world.reset(self._state)
        for things, put_back in self._kept:
            for place, thing in enumerate(things):
                what = f"a `{type(thing).__qualname__}`"
                self.attempt(what, partial(put_back, place))
        self.attempt("the world", self._live.finish)
        for generator, state in self._generators:
            set_state(generator, state)
        random.setstate(self._random)

    def attempt(self, what: str, step: Callable[[], object]) -> None:
        """Take a step back; note what it raises."""
        try:
            step()
        except Exception as error:
            self.notes.append(f"while {what} was put back: {reason(error)}")


def _put_back(things: list[Any], name: str, values: list[Any], place: int) -> None:
    mismatches.set_value(things[place], name, values[place])
