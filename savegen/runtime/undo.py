"""The world as it was before a load, so that a load that fails changes nothing."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, NamedTuple

from savegen.runtime import mismatches
from savegen.runtime.errors import told
from savegen.runtime.generators import set_state, state_of
from savegen.runtime.packer import Live, Packed
from savegen.runtime.world import World


class _Kept(NamedTuple):
    """What objects of one class held."""

    entry: Any
    things: list[Any]
    packed: Packed
    dirty: list[Any]  # the dirty sets of recorders


class Undo:
    """Who was in a world, and what the objects held that a load may change.

    The objects stand for themselves, and values of a wrong type are kept as they are: a world
    that could not be saved can still be put back.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._state = world.state()
        self._live = Live()
        self._kept: list[_Kept] = []
        self._generators = [(each, state_of(each)) for each in world.generators.found()]
        self._notes: list[str] = []
        self._random = random.getstate()

    def keep_everything(self) -> None:
        """Keep what every object holds: code of the game's may change any of it."""
        for cls, table in self._world.tables.items():
            self.keep(self._world.entry_of(cls), [*table.values()])

    def keep(self, entry: Any, things: list[Any]) -> None:
        """Keep what some objects of one class hold."""
        if not things:
            return
        with mismatches.collected():
            try:
                packed = self._live.pack(entry, things)
            except Exception:  # a `save_data` of the game's raised
                things, packed = self._keep_one_by_one(entry, things)
        dirty = [getattr(thing, "_savegen_dirty", None) for thing in things]
        self._kept.append(_Kept(entry, things, packed, dirty))

    def _keep_one_by_one(
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
            for place, thing in enumerate(kept.things):
                _attempt(notes, thing, lambda: self._put_back(kept, place))
        _attempt(notes, self._world, self._live.finish)
        for generator, state in self._generators:
            set_state(generator, state)
        random.setstate(self._random)
        return notes

    def _put_back(self, kept: _Kept, place: int) -> None:
        thing, row = kept.things[place], kept.packed.rows[place]
        thing.load_data(row, self._live)
        for cell, value in kept.packed.unfit.get(place, {}).items():
            attribute = kept.entry.attributes_by_cell[cell]
            mismatches.set_value(thing, attribute, value)
        dirty = kept.dirty[place]
        if dirty is not None:
            mismatches.set_value(thing, "_savegen_dirty", dirty)


def _attempt(notes: list[str], thing: Any, step: Callable[[], object]) -> None:
    try:
        step()
    except Exception as error:
        name = type(thing).__qualname__
        notes.append(f"while a `{name}` was put back: {told(error)}")
