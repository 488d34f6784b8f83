"""The slots of a save while a migration adds and removes objects."""

from __future__ import annotations

from collections.abc import Iterable

from savegen.runtime.saves.document import EMPTIES, FREE, RECORDS, Document, Table
from savegen.runtime.saves.world.surroundings import system_table
from savegen.runtime.slots import LAST_GENERATION


class Vacancies:
    """Which slots are filled, and which can be."""

    def __init__(self, document: Document) -> None:
        self._empties: dict[int, int] = dict(
            zip(*document.table(EMPTIES).all_values(), strict=True)
        )
        self._free: list[int] = document.table(FREE).values(0)
        _, slots, generations, *_ = document.table(RECORDS).all_values()
        self._filled = dict(zip(slots, generations, strict=True))

    def fill(self) -> tuple[int, int]:
        """Return slot and generation of a new object."""
        if self._free:
            slot = self._free.pop()
            generation = self._empties.pop(slot)
        else:
            slot, generation = len(self._filled) + len(self._empties), 1
        self._filled[slot] = generation
        return slot, generation

    def tables(self, filled: Iterable[int]) -> list[Table]:
        """Return the tables of empty and of free slots, when these are filled."""
        known = {*filled}
        for slot, generation in self._filled.items():
            if slot not in known:
                self._empties[slot] = generation + 1
                if generation < LAST_GENERATION:
                    self._free.append(slot)
        empties = sorted(self._empties.items())
        columns = [*map(list, zip(*empties))] or [[], []]
        return [system_table(EMPTIES, columns), system_table(FREE, [self._free])]
