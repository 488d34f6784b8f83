"""The world as it was before a load, so that a load that fails changes nothing."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from operator import attrgetter
from typing import Any, NamedTuple

from savegen.runtime import mismatches
from savegen.runtime.errors import told
from savegen.runtime.generators import set_state, state_of
from savegen.runtime.packer import Live, Packed
from savegen.runtime.world import World


class _Values(NamedTuple):
    """What the attributes of some objects of one class were."""

    things: list[Any]
    columns: dict[str, list[Any]]  # by attribute

    def steps(self) -> Iterable[tuple[Any, Callable[[], object]]]:
        """Yield what puts the values back, with the object of each."""
        for name, values in self.columns.items():
            for thing, value in zip(self.things, values):
                yield thing, lambda: mismatches.set_value(thing, name, value)


class _Rows(NamedTuple):
    """What some objects of one class held, as rows: later changes of it do not matter."""

    entry: Any
    things: list[Any]
    packed: Packed
    dirty: list[Any]  # the dirty sets of recorders
    references: Live

    def steps(self) -> Iterable[tuple[Any, Callable[[], object]]]:
        """Yield what puts the values back, with the object of each."""
        for place, thing in enumerate(self.things):
            yield thing, lambda: self._put_back(place, thing)

    def _put_back(self, place: int, thing: Any) -> None:
        thing.load_data(self.packed.rows[place], self.references)
        for cell, value in self.packed.unfit.get(place, {}).items():
            attribute = self.entry.attributes_by_cell[cell]
            mismatches.set_value(thing, attribute, value)
        if self.dirty:
            mismatches.set_value(thing, "_savegen_dirty", self.dirty[place])


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
        self._kept: list[_Values | _Rows] = []
        self._generators = [(each, state_of(each)) for each in world.generators.found()]
        self._notes: list[str] = []
        self._random = random.getstate()
        self._packed: set[int] | None = None  # the `id` of each object that has a row
        if everything:
            self._packed = set()
            for cls, table in world.tables.items():
                self.keep(world.entry_of(cls), [*table.values()])

    def keep(self, entry: Any, things: list[Any]) -> None:
        """Keep what some objects of one class hold."""
        if self._packed is None:
            try:
                self._kept.append(_Values(things, _columns(entry, things)))
                return
            except Exception:  # an attribute is not set, say
                pass
        else:
            things = [thing for thing in things if id(thing) not in self._packed]
            self._packed.update(map(id, things))
        with mismatches.collected():
            try:
                packed = self._live.pack(entry, things)
            except Exception:  # a `save_data` of the game's raised
                things, packed = self._pack_one_by_one(entry, things)
        recorders = things if entry.behaviors else ()
        dirty = [thing._savegen_dirty for thing in recorders]
        self._kept.append(_Rows(entry, things, packed, dirty, self._live))

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
                self._notes.append(f"a `{name}` was not put back: {error}")
                continue
            for cells in packed.unfit.values():
                all_packed.unfit[len(kept)] = cells
            kept.append(thing)
            all_packed.rows += packed.rows
        return kept, all_packed

    def run(self) -> list[str]:
        """Put everything back; return what could not be."""
        notes = [*self._notes]
        self._world.reset(self._state)
        for kept in self._kept:
            for thing, step in kept.steps():
                _attempt(notes, thing, step)
        _attempt(notes, self._world, self._live.finish)
        for generator, state in self._generators:
            set_state(generator, state)
        random.setstate(self._random)
        return notes


def _columns(entry: Any, things: list[Any]) -> dict[str, list[Any]]:
    """Return the values of all fields: a load replaces them, and changes none of them."""
    names = entry.attributes_by_cell.values()
    return {name: [*map(attrgetter(name), things)] for name in names}


def _attempt(notes: list[str], thing: Any, step: Callable[[], object]) -> None:
    try:
        step()
    except Exception as error:
        name = type(thing).__qualname__
        notes.append(f"while a `{name}` was put back: {told(error)}")
