"""Deleted saves, which can be restored."""

from __future__ import annotations

import builtins
import re

from savegen.runtime.errors import NoSuchSave, SaveWriteError
from savegen.saves.slots.info import SaveInfo
from savegen.saves.slots.save_files import (
    TRASH,
    file_name,
    files_of,
    listed,
    save_files,
    generation_of,
)
from savegen.saves.slots.reader import SlotReader
from savegen.saves.slots.writer import SlotWriter
from savegen.saves.stores import durable

_NAME = re.compile(r"\.trash/([^~]+)~.+", re.DOTALL)


class Trash:
    """The files of the latest deletion of each slot, under the names `.trash/<slot>~<file>`."""

    def __init__(self, reader: SlotReader, writer: SlotWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._store = reader.store

    def put(self, slot: str, generation: int | None = None) -> None:
        """Move a slot, or one of its saves, to the trash; the newest save is moved last.

        So a load still finds the newest save if the move is interrupted. What the slot has in the
        trash is removed. Raises `NoSuchSave`.
        """
        with self._store.lock(slot), self._store.lock(TRASH):
            deleted = _oldest_first(self._files(slot), generation)
            if not deleted:
                missing = (
                    "a save" if generation is None else f"a generation {generation}"
                )
                raise NoSuchSave(f"{slot!r} does not have {missing}")
            self._remove(self._deletions().get(slot, []))
            for name in deleted:
                self._move(name, f"{TRASH}/{slot}~{file_name(name)}")
        if generation is None:
            self._writer.start_new_lineage(slot)

    def _files(self, slot: str) -> builtins.list[str]:
        """Return the names of files in a slot, without folders, pipes and links."""
        names = files_of(slot, self._store)
        saves = save_files(self._store, names)
        not_files = {save.name for save in saves if not save.is_file}
        return [name for name in names if name not in not_files]

    def list(self) -> builtins.list[SaveInfo]:
        """Return the deletions that can be undone, by the names of the slots."""
        infos = []
        for slot, names in sorted(self._deletions().items()):
            if saves := save_files(self._store, names):
                infos.append(self._reader.info(slot, saves))
        return infos

    def restore(self, slot: str, to: str) -> None:
        """Move the latest deletion of a slot back, the newest save first.

        Raises `NoSuchSave`, and `SaveError` if `to` has saves.
        """
        with self._store.lock(to), self._store.lock(TRASH):
            self._reader.first_generation(to)  # raises an error if `to` has saves
            names = self._deletions().get(slot)
            if names is None:
                raise NoSuchSave(f"{slot!r} is not in the trash")
            for name in reversed(_oldest_first(names, None)):
                self._move(name, f"{to}/{file_name(name)}")

    def _move(self, name: str, to: str) -> None:
        try:
            self._store.move(name, to)
        except SaveWriteError as error:  # some files may already be moved
            raise durable.with_committed(error, committed=False) from None

    def empty(self) -> None:
        with self._store.lock(TRASH):
            for names in self._deletions().values():
                self._remove(names)

    def _remove(self, names: builtins.list[str]) -> None:
        for name in names:
            self._store.remove(name)

    def _deletions(self) -> dict[str, builtins.list[str]]:
        """Return the names of the files in the trash, by slot."""
        deletions: dict[str, builtins.list[str]] = {}
        for name in listed(self._store.names_by_slot(TRASH.__eq__).get(TRASH, [])):
            if match := _NAME.fullmatch(name):
                deletions.setdefault(match[1], []).append(name)
        return deletions


def _oldest_first(names: list[str], generation: int | None) -> list[str]:
    """Return the files of a slot or of one save, oldest first, saves before their journals."""
    chosen = [name for name in names if generation in (None, generation_of(name))]
    return sorted(
        chosen, key=lambda name: (generation_of(name), not name.endswith(".sav"), name)
    )
