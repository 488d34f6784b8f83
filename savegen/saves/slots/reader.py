"""List the slots of a store, and read the newest undamaged save of a slot."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import msgspec
from msgspec.structs import replace

from savegen.runtime.errors import (
    NoSuchSave,
    SaveCorruptError,
    SaveError,
    SaveLimitError,
)
from savegen.runtime.values.basics.filenames import comparable_name
from savegen.saves import coding, file
from savegen.saves.coding import VerifiedSave
from savegen.saves.file import Progress
from savegen.saves.limits import MAX_THUMBNAIL, Limits
from savegen.saves.journal import apply_journal, last_metadata
from savegen.saves.slots.info import SaveErrorContext, SaveInfo, info_of
from savegen.saves.slots.save_files import (
    SaveFile,
    files_by_slot,
    files_of,
    generation_of,
    is_journal,
    listed,
    save_files,
)
from savegen.saves.slots.names import check_distinct, slot_name
from savegen.saves.stores import durable
from savegen.saves.stores.store import Store

# How often a slot is listed again because one of its files was removed in the meantime.
_MAX_TRIES = 5


class SlotSave(msgspec.Struct, frozen=True):
    """A verified save with the information on it that games get."""

    info: SaveInfo
    save: VerifiedSave
    snapshot: Any = None  # of the save, if it was decoded

    def to_bytes(self, limits: Limits) -> bytes:
        """Return the save and its journal as one file."""
        return self.save.to_bytes(limits) if self.save.records else self.save.data


class SlotReader:
    """Lists and reads the slots of a store."""

    def __init__(self, store: Store, limits: Limits) -> None:
        self.store = store
        self.limits = limits

    # -- listing

    def saves(self, slot: str) -> list[SaveFile]:
        """Return the saves of a slot, the newest first. Raises `NoSuchSave` if it has none."""
        if saves := self._saves_among(files_of(slot, self.store), slot):
            return saves
        raise NoSuchSave(f"there is no save in {slot!r}")

    def infos(self, verify: bool) -> Iterator[SaveInfo]:
        """Yield the information on each slot, sorted by name."""
        by_slot = files_by_slot(self.store)
        for slot in sorted(by_slot):
            try:
                saves = self._saves_among(listed(by_slot[slot]), slot)
            except SaveError as error:
                yield SaveInfo(slot=slot, generation=0, fault=str(error))
                continue
            if saves:
                info_of_slot = self.verified_info if verify else self.info
                yield info_of_slot(slot, saves)

    def _saves_among(self, files: list[str], slot: str) -> list[SaveFile]:
        """Return the saves among files; list the slot again if one was removed meanwhile."""
        for _ in range(_MAX_TRIES):
            saves = save_files(self.store, files)
            if len(saves) == sum(name.endswith(".sav") for name in files):
                break  # none was removed meanwhile
            files = files_of(slot, self.store)
        return saves if any(save.is_file for save in saves) else []

    def info(self, slot: str, saves: list[SaveFile]) -> SaveInfo:
        """Return the information on the newest save with a readable header."""
        info, save = self._newest(slot, saves)
        if info.fault:
            return info
        try:
            journal = self.store.appended(save.journal)
        except SaveError as error:
            return replace(info, notes=(*info.notes, f"{save.journal}: {error}"))
        metadata = last_metadata(journal, save.digest, save.metadata)
        return replace(info, metadata=metadata)

    def verified_info(self, slot: str, saves: list[SaveFile]) -> SaveInfo:
        """Return the information on the newest undamaged save, after verifying all its bytes."""
        try:
            newest = self.read(slot)
        except SaveError as error:
            info = self.info(slot, saves)
            return replace(info, fault=info.fault or str(error))
        return replace(newest.info, fault=newest.save.fault)

    def _newest(self, slot: str, saves: list[SaveFile]) -> tuple[SaveInfo, SaveFile]:
        notes: list[str] = []
        for save in saves:
            if not save.fault and not save.is_copy:
                return info_of(slot, save, saves, tuple(notes)), save
            reason = save.fault or "it is a copy of another save"
            notes.append(f"{save.name}: {reason}")
        return info_of(slot, saves[0], saves, tuple(notes)), saves[0]

    def thumbnail(self, slot: str) -> bytes:
        """Return the thumbnail of the save that `info` describes."""
        _, save = self._newest(slot, self.saves(slot))
        header = file.read_header(self.store.read(save.name, 0, file.MAX_HEADER_SIZE))
        return file.read_thumbnail(self.store.read(save.name, 0, header.body_offset))

    def rotation(self, kind: str, count: int) -> dict[str, int | SaveError]:
        """Return the newest generation in each of the slots `kind-1`, `kind-2` …

        In place of the one in a slot that cannot be listed, it returns the reason.
        """
        slots = [slot_name(f"{kind}-{number}") for number in range(1, count + 1)]
        by_slot = files_by_slot(self.store, slots.__contains__)
        return {slot: _newest_among(by_slot.get(slot, [])) for slot in slots}

    def files(self, slot: str) -> list[str]:
        """Return the files of a slot. Raises `SaveError` if another slot has a similar name."""
        name = comparable_name(slot)
        by_slot = files_by_slot(
            self.store, lambda other: comparable_name(other) == name
        )
        check_distinct(slot, by_slot)
        return listed(by_slot.get(slot, []))

    def first_generation(self, slot: str) -> int:
        """Return the generation for the first save in an empty slot.

        Raises `SaveError` if the slot has saves, or if another slot has a similar name.
        """
        files = self.files(slot)
        saves = save_files(self.store, files)
        if any(map(is_journal, files)) or any(each.is_file for each in saves):
            raise SaveError(f"the slot {slot!r} is not empty: delete its saves first")
        return max(map(generation_of, files), default=0) + 1

    # -- reading

    def read(
        self,
        slot: str,
        generation: int | None = None,
        progress: Progress | None = None,
        decode: Callable[[VerifiedSave], object] | None = None,
        may_choose: bool = True,
    ) -> SlotSave:
        """Return the newest undamaged save, or the one of a generation.

        `decode` returns the snapshot. With `may_choose`, errors may name another generation to
        load. Raises `NoSuchSave`, and `SaveCorruptError` if all saves
        are damaged. Only damaged saves are skipped: a save that is too new, too large or not
        readable at the moment raises an error.
        """
        for _ in range(_MAX_TRIES):
            saves = self.saves(slot)
            requested = _requested(slot, saves, generation)
            notes: list[str] = []
            try:
                for save_file in requested:
                    info = info_of(slot, save_file, saves, tuple(notes))
                    try:
                        with SaveErrorContext(info, may_choose):
                            save = self._read(save_file, info, progress)
                            return self._decode(save, decode) if decode else save
                    except SaveCorruptError as error:
                        notes.append(f"{save_file.name}: {error}")
            except NoSuchSave:  # removed by a writer, so there is a newer save
                continue
            reasons = "; ".join(notes)
            raise SaveCorruptError(f"no save in {slot!r} can be read: {reasons}")
        raise SaveError(f"{slot!r} changes faster than it can be read; try again")

    def read_one(
        self, slot: str, save: SaveFile, decode: Callable[[VerifiedSave], object]
    ) -> SlotSave:
        """Return one save of a slot, which may be a copy that a program has renamed."""
        return self._decode(self._read(save, info_of(slot, save, [save]), None), decode)

    def _read(
        self, save_file: SaveFile, info: SaveInfo, progress: Progress | None
    ) -> SlotSave:
        """Return a save with the valid records of its journal applied."""
        if save_file.error:
            raise save_file.error
        journal, size = save_file.journal, save_file.size
        if size > self._max_size:
            raise SaveLimitError("the size of the file", self._max_size, size)
        data = self.store.read(save_file.name, 0, size + 1)
        save = coding.read(data, self.limits, progress)
        found = tuple(f"{save_file.name}: {note}" for note in save.notes)
        save = replace(save, notes=found)
        try:
            records = self.store.appended(journal)
        except SaveCorruptError as error:  # the save itself is undamaged
            fault = f"{journal}: {error}"
            save = replace(save, notes=(*found, fault), fault=fault)
        else:
            save = apply_journal(save, records, journal) if records else save
        notes = (*info.notes, *save.notes)
        return SlotSave(replace(info, metadata=save.metadata, notes=notes), save)

    @property
    def _max_size(self) -> int:
        """The maximum size of a file, derived from the limits for uncompressed data."""
        return 2 * self.limits.size + MAX_THUMBNAIL

    def _decode(
        self, slot_save: SlotSave, decode: Callable[[VerifiedSave], object]
    ) -> SlotSave:
        """Return a save with its snapshot; ignore its journal if that is inconsistent."""
        try:
            return replace(slot_save, snapshot=decode(slot_save.save))
        except SaveCorruptError as error:
            if not slot_save.save.records:
                raise
            note = f"the journal cannot be loaded: {error}"
        save = coding.read(slot_save.save.data, self.limits)
        notes = (*slot_save.info.notes, note)
        info = replace(slot_save.info, metadata=save.metadata, notes=notes)
        return SlotSave(info, save, decode(save))

    def read_file(self, path: str) -> SlotSave:
        """Return a save from a file outside of any store."""
        data = durable.read_followed(path, self._max_size + 1)
        save = coding.read(data, self.limits)
        info = SaveInfo(slot="", generation=1, metadata=save.metadata, size=len(data))
        return SlotSave(info, save)


def _newest_among(files: list[str] | SaveError) -> int | SaveError:
    if isinstance(files, SaveError):
        return files
    return max(map(generation_of, files), default=0)


def _requested(
    slot: str, saves: list[SaveFile], generation: int | None
) -> list[SaveFile]:
    """Return the saves of a generation, or all of them. Raises `NoSuchSave` if there are none."""
    requested = [
        save
        for save in saves
        if not save.is_copy and generation in (None, save.generation)
    ]
    if requested:
        return requested
    generations = ", ".join(str(save.generation) for save in saves)
    missing = "a save" if generation is None else f"a generation {generation}"
    raise NoSuchSave(f"{slot!r} does not have {missing}: there are {generations}")
