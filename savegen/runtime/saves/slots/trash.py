"""What was deleted, for those who did not mean it."""

from __future__ import annotations

import builtins
import re

from savegen.runtime.errors import NoSuchSave, SaveWriteError
from savegen.runtime.saves.slots.info import SaveInfo
from savegen.runtime.saves.slots.lineage import TRASH, file_of, files_by_slot, number_of
from savegen.runtime.saves.slots.shelf import Shelf
from savegen.runtime.saves.slots.writer import Writer

MOST = 20  # deletions that can be undone
_NAME = re.compile(r"\.trash/([^~]+)~(\d{1,18})~.+", re.DOTALL)


class Trash:
    """The files of deleted slots, under the names `.trash/<slot>~<deletion>~<file>`."""

    def __init__(self, shelf: Shelf, writer: Writer) -> None:
        self._shelf = shelf
        self._writer = writer
        self._store = shelf.store

    def put(self, slot: str, generation: int | None = None) -> None:
        """Move a slot here, or one of its saves; the newest last.

        If that breaks off, the slot still has what it would load. Raises `NoSuchSave`.
        """
        with self._store.lock(slot), self._store.lock(TRASH):
            files = files_by_slot(self._store.names()).get(slot, [])
            gone = _oldest_first(files, generation)
            if not gone:
                what = "a save" if generation is None else f"a generation {generation}"
                raise NoSuchSave(f"{slot!r} does not have {what}")
            number = max(self._deletions(), default=0) + 1
            for name in gone:
                to = f"{TRASH}/{slot}~{number}~{file_of(name)}"
                self._move(name, to)
            self._forget(MOST)
        if generation is None:
            self._writer.leave(slot)

    def list(self) -> list[SaveInfo]:
        """Return what can be restored, the latest deletion first."""
        found = []
        for _, (slot, names) in sorted(self._deletions().items(), reverse=True):
            if saves := self._shelf.generations(names):
                found.append(self._shelf.info(slot, saves))
        return found

    def restore(self, slot: str, to: str) -> None:
        """Move the latest deletion of a slot back, the newest save first.

        Raises `NoSuchSave`, and `SaveError` if there are saves where they would come to.
        """
        with self._store.lock(to), self._store.lock(TRASH):
            self._shelf.check_free(to)
            deletions = self._deletions()
            numbers = [each for each, (was, _) in deletions.items() if was == slot]
            if not numbers:
                raise NoSuchSave(f"{slot!r} is not in the trash")
            _, names = deletions[max(numbers)]
            for name in reversed(_oldest_first(names, None)):
                self._move(name, f"{to}/{file_of(name)}")

    def _move(self, name: str, to: str) -> None:
        try:
            self._store.move(name, to)
        except SaveWriteError as error:  # one of several: that is not yet all
            number, stage, why = error.errno, error.stage, error.reason
            raise SaveWriteError(number, stage, False, why) from None

    def empty(self) -> None:
        """Remove all of it for good."""
        with self._store.lock(TRASH):
            self._forget(0)

    def _forget(self, keep: int) -> None:
        deletions = self._deletions()
        for number in sorted(deletions)[: max(0, len(deletions) - keep)]:
            for name in deletions[number][1]:
                self._store.remove(name)

    def _deletions(self) -> dict[int, tuple[str, builtins.list[str]]]:
        """Return slot and names of what was deleted, by number."""
        found: dict[int, tuple[str, builtins.list[str]]] = {}
        for name in self._store.names():
            if match := _NAME.fullmatch(name):
                found.setdefault(int(match[2]), (match[1], []))[1].append(name)
        return found


def _oldest_first(names: list[str], generation: int | None) -> list[str]:
    """Return the files of a slot, or those of a generation, each save before its journal."""
    chosen = [name for name in names if generation in (None, number_of(name))]
    return sorted(
        chosen, key=lambda name: (number_of(name), not name.endswith(".sav"), name)
    )
