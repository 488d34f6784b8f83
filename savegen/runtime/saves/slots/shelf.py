"""The slots of a store: what they hold, and the newest save that verifies."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

import msgspec

from savegen.runtime.errors import (
    NoSuchSave,
    SaveCorruptError,
    SaveError,
    SaveLimitError,
)
from savegen.runtime.saves.container import container
from savegen.runtime.saves.stores import durable
from savegen.runtime.saves.container.container import Progress
from savegen.runtime.saves.document import Document
from savegen.runtime.saves.slots.info import SaveInfo, info_of, told_of
from savegen.runtime.saves.container.limits import Limits
from savegen.runtime.saves.slots.lineage import (
    Generation,
    files_by_slot,
    generations,
    look,
    number_of,
)
from savegen.runtime.saves.metadata import Metadata
from savegen.runtime.saves.stores.names import check_no_twin, slot_name
from savegen.runtime.saves.journal.playback import last_said, playback
from savegen.runtime.saves.stores.store import Store

_LOOKS = 5  # how often a list of files is made again if one of them went in between


class FoundSave(msgspec.Struct, frozen=True):
    """A save that was read: verified, and not yet anybody's world."""

    info: SaveInfo
    document: Document
    data: bytes
    has_journal: bool = False  # something was recorded behind it

    def decoded(self) -> FoundSave:
        """Return it with all pieces decoded. Raises `SaveCorruptError`."""
        tables = [
            msgspec.structs.replace(table, pieces=[*table.pieces])
            for table in self.document.tables
        ]
        document = msgspec.structs.replace(self.document, tables=tables)
        return msgspec.structs.replace(self, document=document)

    def whole(self, limits: Limits) -> bytes:
        """Return it as one file, with its journal played back into it."""
        if not self.has_journal:
            return self.data
        head, picture = container.read_head(self.data), container.read_thumbnail(
            self.data
        )
        return b"".join(
            container.write(
                self.document,
                self.info.metadata,
                picture,
                compress=head.is_compressed,
                format=head.format,
                limits=limits,
            )
        )


def followed(
    found: FoundSave, metadata: Metadata, journal: bytes, limits: Limits
) -> FoundSave:
    """Return a save as it is after all that its journal holds."""
    if not journal:
        return found
    base = container.digest_of(found.data)
    played = playback(found.document, metadata, journal, base, limits)
    notes = tuple(
        f"{found.info.slot}/{found.info.generation}.journal: {n}" for n in played.notes
    )
    info = msgspec.structs.replace(
        found.info, metadata=played.metadata, notes=(*found.info.notes, *notes)
    )
    return FoundSave(info, played.document, found.data, has_journal=played.records > 0)


class Shelf:
    """The slots of a store, to be looked at and read."""

    def __init__(self, store: Store, limits: Limits) -> None:
        self.store = store
        self.limits = limits

    # -- what is there

    def saves(self, slot: str) -> list[Generation]:
        """Return what a slot has, the newest first. Raises `NoSuchSave` if it has nothing."""
        files = files_by_slot(self.store.names()).get(slot, [])
        if found := self._whole(slot, files):
            return found
        raise NoSuchSave(f"there is no save in {slot!r}")

    def _whole(self, slot: str, files: list[str]) -> list[Generation]:
        """Return the saves among the files of a slot, or of what it has meanwhile."""
        for _ in range(_LOOKS):
            found = self.generations(files)
            if len(found) == sum(name.endswith(".sav") for name in files):
                break  # nothing has gone in between
            files = files_by_slot(self.store.names()).get(slot, [])
        return found

    def every(self) -> Iterator[tuple[str, list[Generation]]]:
        """Yield the slots that have a save, by name."""
        for slot, files in sorted(files_by_slot(self.store.names()).items()):
            if saves := self._whole(slot, files):
                yield slot, saves

    def generations(self, files: Iterable[str]) -> list[Generation]:
        """Return the saves among some files, the newest first."""
        return generations(self.store, files, self.limits.size)

    def info(self, slot: str, saves: list[Generation]) -> SaveInfo:
        """Return what is told of a slot: by its newest save whose head can be read, or later."""
        info, save = self._told(slot, saves)
        if info.fault:
            return info
        name = _journal_of(save)
        try:
            journal = self.store.appended(name)
        except SaveError as error:
            notes = (*info.notes, _note(name, str(error)))
            return msgspec.structs.replace(info, notes=notes)
        metadata = last_said(journal, save.digest, save.metadata)
        return msgspec.structs.replace(info, metadata=metadata)

    def _told(self, slot: str, saves: list[Generation]) -> tuple[SaveInfo, Generation]:
        notes: list[str] = []
        for each in saves:
            if not each.fault and not each.is_copy:
                return info_of(slot, each, saves, tuple(notes)), each
            notes.append(_note(each.name, each.fault or "is a second one"))
        return info_of(slot, saves[0], saves, tuple(notes)), saves[0]

    def verified(self, slot: str, saves: list[Generation]) -> SaveInfo:
        """Return what is told of a slot when every byte of its newest save was looked at."""
        try:
            found = self.read(slot)
            for table in found.document.tables:
                for _ in table.pieces:
                    pass
        except SaveError as error:
            info = self.info(slot, saves)
            return msgspec.structs.replace(info, fault=info.fault or str(error))
        return found.info

    def thumbnail(self, slot: str) -> bytes:
        """Return the picture of the save that `info` tells of."""
        saves = self.saves(slot)
        _, save = self._told(slot, saves)
        size = container.HEAD_SIZE + save.thumbnail_size
        head, whole, _ = look(self.store, save.name, self.limits.size)
        data = self.store.read(save.name, 0, whole if head.size is None else size)
        return container.read_thumbnail(data)

    def turn(self, kind: str, many: int) -> dict[str, int]:
        """Return the newest generation in each of the slots `kind-1`, `kind-2` …"""
        by_slot = files_by_slot(self.store.names())
        slots = [slot_name(f"{kind}-{number}") for number in range(1, many + 1)]
        return {
            slot: max(map(number_of, by_slot.get(slot, ())), default=0)
            for slot in slots
        }

    def check_free(self, slot: str) -> None:
        """Raise `SaveError` if a slot has saves, or if another one is too much like it."""
        by_slot = files_by_slot(self.store.names())
        check_no_twin(slot, by_slot)
        if slot in by_slot:
            raise SaveError(f"there is something in {slot!r}: delete it first")

    # -- reading

    def read(
        self,
        slot: str,
        generation: int | None = None,
        progress: Progress | None = None,
        passed: Mapping[int, str] = {},
    ) -> FoundSave:
        """Return the newest save that verifies, or the one of a generation.

        What is in `passed` was read before, and is broken for the reason given there. Raises
        `NoSuchSave`, and `SaveCorruptError` if none is whole. What is not broken is not passed
        over: a save that is too new, too large, or that the system will not let anybody read
        just now raises what it does.
        """
        for _ in range(_LOOKS):
            saves = self.saves(slot)
            try:
                wanted = _wanted(slot, saves, generation)
                return self._read(slot, wanted, saves, progress, passed)
            except _Gone:  # a writer has removed it; there is a newer one
                continue
        raise SaveError(f"{slot!r} changes faster than it can be read")

    def _read(
        self,
        slot: str,
        wanted: list[Generation],
        saves: list[Generation],
        progress: Progress | None,
        passed: Mapping[int, str],
    ) -> FoundSave:
        notes: list[str] = []
        for each in wanted:
            try:
                if each.number in passed:
                    raise SaveCorruptError(passed[each.number])
                info = info_of(slot, each, saves, tuple(notes))
                with told_of(info):
                    return self._found(each, info, progress)
            except NoSuchSave:
                raise _Gone from None
            except SaveCorruptError as error:
                notes.append(_note(each.name, str(error)))
        raise SaveCorruptError(f"no save in {slot!r} can be read: {'; '.join(notes)}")

    def _found(
        self, save: Generation, info: SaveInfo, progress: Progress | None
    ) -> FoundSave:
        data = self.data(save)
        metadata, document = container.read(data, self.limits, progress)
        name, journal = _journal_of(save), b""
        try:
            journal = self.store.appended(name)
        except SaveCorruptError as error:  # the save itself is none the worse
            notes = (*info.notes, _note(name, str(error)))
            info = msgspec.structs.replace(info, notes=notes)
        found = FoundSave(info, document, data)
        return followed(found, metadata, journal, self.limits)

    def data(self, save: Generation) -> bytes:
        """Return all of a file, which is as long as its head says.

        Raises what reading its head did, if that could not be read.
        """
        _, size, _ = look(self.store, save.name, self.limits.size)
        # What is in it is counted later.
        most = 2 * self.limits.size + self.limits.thumbnail
        if size > most:
            raise SaveLimitError("the size of the file", most, size)
        return self.store.read(save.name, 0, size + 1)

    def read_file(self, path: str) -> FoundSave:
        """Return a save from a file that is in no store."""
        most = 2 * self.limits.size + self.limits.thumbnail
        data = durable.read(os.path.abspath(path), 0, most + 1, path)
        metadata, document = container.read(data, self.limits)
        info = SaveInfo(slot="", generation=1, metadata=metadata, size=len(data))
        return FoundSave(info, document, data)


@contextmanager
def passing_over(found: FoundSave, passed: dict[int, str]) -> Iterator[None]:
    """Note of a save that it contradicts itself, though every byte is as it was written.

    Whatever else goes wrong names it.
    """
    try:
        with told_of(found.info):
            yield
    except SaveCorruptError as error:
        passed[found.info.generation] = str(error)


class _Gone(Exception):
    """A file that was listed is not there any more."""


def _wanted(
    slot: str, saves: list[Generation], generation: int | None
) -> list[Generation]:
    found = [
        each for each in saves if not each.is_copy and generation in (None, each.number)
    ]
    if found:
        return found
    numbers = ", ".join(str(each.number) for each in saves)
    what = "a save" if generation is None else f"a generation {generation}"
    raise NoSuchSave(f"{slot!r} does not have {what}: there are {numbers}")


def _journal_of(save: Generation) -> str:
    return f"{save.name.removesuffix('.sav')}.journal"


def _note(name: str, why: str) -> str:
    return f"{name}: {why}"
