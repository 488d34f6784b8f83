"""List the slots of a store, and read the newest undamaged save of one."""

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
from savegen.saves import coding, file
from savegen.saves.coding import VerifiedSave
from savegen.saves.file import Progress
from savegen.saves.limits import Limits
from savegen.saves.journal import last_metadata, play
from savegen.saves.slots.info import SaveErrorContext, SaveInfo, info_of
from savegen.saves.slots.save_files import (
    SaveFile,
    files_by_slot,
    files_of,
    generations,
    is_journal,
    look,
    number_of,
)
from savegen.saves.slots.names import check_no_twin, slot_name
from savegen.saves.stores import durable
from savegen.saves.stores.store import Store

_TRIES = (
    5  # how often a slot is listed again because one of its files was removed meanwhile
)


class SlotSave(msgspec.Struct, frozen=True):
    """A verified save."""

    info: SaveInfo
    content: VerifiedSave
    snapshot: Any = None  # set once it is decoded

    def whole(self, limits: Limits) -> bytes:
        """Return the save and its journal as one file."""
        found = self.content
        return found.written(limits) if found.records else found.data


class SlotReader:
    """Lists and reads the slots of a store."""

    def __init__(self, store: Store, limits: Limits) -> None:
        self.store = store
        self.limits = limits

    # -- what there is

    def saves(self, slot: str) -> list[SaveFile]:
        """Return the saves of a slot, the newest first. Raises `NoSuchSave` if it has none."""
        if found := self._present(slot, files_of(slot, self.store)):
            return found
        raise NoSuchSave(f"there is no save in {slot!r}")

    def every(self) -> Iterator[tuple[str, list[SaveFile]]]:
        """Yield the slots that have a save, by name."""
        for slot, files in sorted(files_by_slot(self.store.names()).items()):
            if saves := self._present(slot, files):
                yield slot, saves

    def _present(self, slot: str, files: list[str]) -> list[SaveFile]:
        """Return the saves among the files of a slot; list again if one was removed meanwhile."""
        for _ in range(_TRIES):
            found = generations(self.store, files)
            if len(found) == sum(name.endswith(".sav") for name in files):
                break  # none was removed meanwhile
            files = files_of(slot, self.store)
        return found if any(each.is_file for each in found) else []

    def info(self, slot: str, saves: list[SaveFile]) -> SaveInfo:
        """Return the information on the newest save of a slot with a readable header."""
        info, save = self._newest(slot, saves)
        if info.fault:
            return info
        try:
            journal = self.store.appended(save.journal)
        except SaveError as error:
            return replace(info, notes=(*info.notes, f"{save.journal}: {error}"))
        metadata = last_metadata(journal, save.digest, save.metadata)
        return replace(info, metadata=metadata)

    def verified(self, slot: str, saves: list[SaveFile]) -> SaveInfo:
        """Return the information on the newest save of a slot, after verifying all of it."""
        try:
            found = self.read(slot)
        except SaveError as error:
            info = self.info(slot, saves)
            return replace(info, fault=info.fault or str(error))
        return replace(found.info, fault=found.content.fault)

    def _newest(self, slot: str, saves: list[SaveFile]) -> tuple[SaveInfo, SaveFile]:
        notes: list[str] = []
        for each in saves:
            if not each.fault and not each.is_copy:
                return info_of(slot, each, saves, tuple(notes)), each
            notes.append(f"{each.name}: {each.fault or 'is a second one'}")
        return info_of(slot, saves[0], saves, tuple(notes)), saves[0]

    def thumbnail(self, slot: str) -> bytes:
        """Return the thumbnail of the save that `info` describes."""
        _, save = self._newest(slot, self.saves(slot))
        head, _ = look(self.store, save.name)
        return file.read_thumbnail(self.store.read(save.name, 0, head.body))

    def rotation(self, kind: str, many: int) -> dict[str, int]:
        """Return the newest generation in each of the slots `kind-1`, `kind-2` …"""
        by_slot = files_by_slot(self.store.names())
        slots = [slot_name(f"{kind}-{number}") for number in range(1, many + 1)]
        return {
            slot: max(map(number_of, by_slot.get(slot, ())), default=0)
            for slot in slots
        }

    def files(self, slot: str) -> list[str]:
        """Return the files of a slot. Raises `SaveError` if another slot has a similar name."""
        by_slot = files_by_slot(self.store.names())
        check_no_twin(slot, by_slot)
        return by_slot.get(slot, [])

    def check_free(self, slot: str) -> int:
        """Return the number of the first save of an empty slot.

        Raises `SaveError` if the slot has saves, or if the name of another one is too similar.
        """
        files = self.files(slot)
        saves = generations(self.store, files)
        if any(map(is_journal, files)) or any(each.is_file for each in saves):
            raise SaveError(f"the slot {slot!r} is not empty: delete its saves first")
        return max(map(number_of, files), default=0) + 1

    # -- reading

    def read(
        self,
        slot: str,
        generation: int | None = None,
        progress: Progress | None = None,
        decode: Callable[[VerifiedSave], object] | None = None,
    ) -> SlotSave:
        """Return the newest undamaged save, or the one of a generation.

        `decode` returns the snapshot. Raises `NoSuchSave`, and `SaveCorruptError` if all saves
        are damaged. Only damaged saves are skipped: a save that is too new, too large or not
        readable at the moment raises an error.
        """
        for _ in range(_TRIES):
            saves = self.saves(slot)
            wanted = _wanted(slot, saves, generation)
            notes: list[str] = []
            try:
                for each in wanted:
                    info = info_of(slot, each, saves, tuple(notes))
                    try:
                        with SaveErrorContext(info):
                            found = self._found(each, info, progress)
                            return self._decoded(found, decode) if decode else found
                    except SaveCorruptError as error:
                        notes.append(f"{each.name}: {error}")
            except NoSuchSave:  # removed by a writer, so there is a newer save
                continue
            words = "; ".join(notes)
            raise SaveCorruptError(f"no save in {slot!r} can be read: {words}")
        raise SaveError(f"{slot!r} changes faster than it can be read")

    def _found(
        self, save: SaveFile, info: SaveInfo, progress: Progress | None
    ) -> SlotSave:
        head, _ = look(self.store, save.name)
        if head.size > self._most:
            raise SaveLimitError("the size of the file", self._most, head.size)
        data = self.store.read(save.name, 0, head.size + 1)
        found = coding.read(data, self.limits, progress)
        return self._with_journal(info, found, save.journal)

    @property
    def _most(self) -> int:
        """The most bytes to read of a file, from the limits for uncompressed data."""
        return 2 * self.limits.size + self.limits.thumbnail

    def _with_journal(self, info: SaveInfo, found: VerifiedSave, name: str) -> SlotSave:
        """Return a save with the valid records of its journal applied."""
        try:
            records = self.store.appended(name)
        except SaveCorruptError as error:  # the save itself is undamaged
            fault = f"{name}: {error}"
            found = replace(found, notes=(fault,), fault=fault)
        else:
            found = play(found, records, name) if records else found
        notes = (*info.notes, *found.notes)
        return SlotSave(replace(info, metadata=found.metadata, notes=notes), found)

    def _decoded(
        self, found: SlotSave, decode: Callable[[VerifiedSave], object]
    ) -> SlotSave:
        """Return a save with its snapshot; ignore its journal if that is inconsistent."""
        try:
            return replace(found, snapshot=decode(found.content))
        except SaveCorruptError as error:
            if not found.content.records:
                raise
            note = f"the journal cannot be loaded: {error}"
        alone = coding.read(found.content.data, self.limits)
        notes = (*found.info.notes, note)
        info = replace(found.info, metadata=alone.metadata, notes=notes)
        return SlotSave(info, alone, decode(alone))

    def read_file(self, path: str) -> SlotSave:
        """Return a save from a file outside of any store."""
        data = durable.read_followed(path, self._most + 1)
        found = coding.read(data, self.limits)
        about = found.metadata
        info = SaveInfo(slot="", generation=1, metadata=about, size=len(data))
        return SlotSave(info, found)


def _wanted(slot: str, saves: list[SaveFile], generation: int | None) -> list[SaveFile]:
    found = [
        each for each in saves if not each.is_copy and generation in (None, each.number)
    ]
    if found:
        return found
    numbers = ", ".join(str(each.number) for each in saves)
    what = "a save" if generation is None else f"a generation {generation}"
    raise NoSuchSave(f"{slot!r} does not have {what}: there are {numbers}")
