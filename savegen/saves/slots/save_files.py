"""List the save files of a slot, and decide by their lineages which of them to keep.

Only the beginning and the end of each file are read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress

import msgspec
from msgspec.structs import replace

from savegen.runtime.errors import NoSuchSave, SaveCorruptError, SaveError
from savegen.saves import file
from savegen.saves.file import Metadata
from savegen.saves.slots.names import is_slot_name
from savegen.saves.stores.store import NotAFileError, Store

TRASH = ".trash"  # not a valid name of a slot

MAX_GENERATION = 10**18 - 1  # that the patterns below match

_SAVE = re.compile(r"(\d{1,18})(.*)\.sav", re.DOTALL)
_LEADING_NUMBER = re.compile(r"\d{1,18}")
_JOURNAL = re.compile(r"(\d{1,18})\.journal(\.\d+)?")
_OF_SLOT = re.compile(rf"[^/]+/(?:{_SAVE.pattern}|{_JOURNAL.pattern})", re.DOTALL)
_TAIL_SIZE = 64  # bytes at the end of a file, with its digest


class SaveFile(msgspec.Struct, frozen=True, kw_only=True):
    """One save file of a slot, described by its header and its digest."""

    name: str  # its name in the store
    generation: int
    metadata: Metadata = Metadata()
    digest: str = (
        ""  # of the whole file; it is the `parent` of the save that follows it
    )
    size: int = 0  # bytes
    error: SaveError | None = None  # why the header cannot be read
    # Whether it is a second file of its generation, which a synchronisation program has renamed.
    # Such a file is neither read nor removed.
    is_copy: bool = False

    @property
    def journal(self) -> str:
        """The name of its journal."""
        return f"{self.name.removesuffix('.sav')}.journal"

    @property
    def fault(self) -> str:
        return str(self.error) if self.error else ""

    @property
    def is_file(self) -> bool:
        """Whether it is not a folder, a pipe or a link."""
        return not isinstance(self.error, NotAFileError)

    @property
    def is_damaged(self) -> bool:
        """Whether no later attempt and no newer game can read its header."""
        return self.is_file and isinstance(self.error, SaveCorruptError)


# -- names


def files_of(slot: str, store: Store) -> list[str]:
    """Return the names of the saves and journals of a slot.

    Raises `SaveError` if they cannot be listed. Other slots are not read.
    """
    return listed(files_by_slot(store, slot.__eq__).get(slot, []))


def listed(files: list[str] | SaveError) -> list[str]:
    """Return the files of a slot, or raise the reason why it cannot be listed."""
    if isinstance(files, SaveError):
        raise files
    return files


def files_by_slot(
    store: Store, wanted: Callable[[str], bool] = lambda slot: True
) -> dict[str, list[str] | SaveError]:
    """Return the saves and journals of slots, or why a slot cannot be listed.

    Slots without any are left out.
    """
    found = store.names_by_slot(lambda slot: wanted(slot) and is_slot_name(slot))
    by_slot: dict[str, list[str] | SaveError] = {}
    for slot, names in found.items():
        if isinstance(names, SaveError):
            by_slot[slot] = names
        elif files := [name for name in names if _OF_SLOT.fullmatch(name)]:
            by_slot[slot] = files
    return by_slot


def file_name(name: str) -> str:
    """Return the name of a file in its slot or, for a file in the trash, in its former slot.

    >>> file_name("slot-1/3.sav"), file_name(".trash/slot-1~3.sav")
    ('3.sav', '3.sav')
    """
    folder, _, file = name.partition("/")
    return file.split("~", 1)[-1] if folder == TRASH else file


def generation_of(name: str) -> int:
    """Return the generation that a file of a slot belongs to.

    >>> generation_of("slot-1/3.sav"), generation_of("slot-1/12.journal")
    (3, 12)
    """
    match = _LEADING_NUMBER.match(file_name(name))
    return int(match[0]) if match else 0


def is_journal(name: str) -> bool:
    return bool(_JOURNAL.fullmatch(file_name(name)))


# -- headers


def save_files(store: Store, files: Iterable[str]) -> list[SaveFile]:
    """Return the saves among the files of a slot, the newest first."""
    saves = []
    for name in files:
        if match := _SAVE.fullmatch(file_name(name)):
            generation = int(match[1])
            is_copy = match[0] != f"{generation}.sav"
            save = SaveFile(name=name, generation=generation, is_copy=is_copy)
            with suppress(NoSuchSave):  # removed in the meantime
                saves.append(_with_header(save, store))
    return sorted(saves, key=lambda save: (-save.generation, save.is_copy, save.name))


def _with_header(save: SaveFile, store: Store) -> SaveFile:
    """Return a save with the content of its header, or the error of reading it."""
    try:
        header = file.read_header(store.read(save.name, 0, file.MAX_HEADER_SIZE))
        start = max(0, header.size - _TAIL_SIZE)
        tail = store.read(save.name, start, _TAIL_SIZE + 1)
        if start + len(tail) != header.size:
            message = "the file does not have the length that its header gives"
            raise SaveCorruptError(message, header.size)
    except NoSuchSave:
        raise
    except SaveError as error:
        return replace(save, error=error.with_traceback(None))
    digest = file.digest_of(tail)
    return replace(save, metadata=header.metadata, digest=digest, size=header.size)


# -- lineages


def heads(saves: Sequence[SaveFile]) -> list[SaveFile]:
    """Return one save of each content that no other save follows or was merged from.

    Unlike `tips`, it also returns those of lineages that a new start has replaced.
    """
    seen = {each.metadata.parent for each in saves}
    seen.update(digest for each in saves for digest in each.metadata.replaces)
    result = []
    for each in saves:
        if each.digest and each.digest not in seen:
            seen.add(each.digest)
            result.append(each)
    return result


def tips(saves: Sequence[SaveFile]) -> list[SaveFile]:
    """Return the saves that no other save follows. A slot that has diverged has several."""
    parents = {each.metadata.parent for each in saves}
    replaced = {lineage for each in saves for lineage in each.metadata.replaces}
    return [
        each
        for each in saves
        if each.digest
        and each.digest not in parents
        and each.digest not in replaced
        and each.metadata.lineage not in replaced
    ]


def names_to_keep(saves: Sequence[SaveFile], keep: int) -> set[str]:
    """Return the names of the saves to keep after `saves[0]` was written.

    These are the newest `keep` saves of its lineage, and at most `keep` others: the newest save
    of each other lineage comes first, then further ones if the lineage is shorter than `keep`.
    Copies and unreadable saves are kept too, except damaged saves that are older than the kept
    lineage.
    """
    readable = [save for save in saves if not save.fault and not save.is_copy]
    lineage = saves[0].metadata.lineage
    in_lineage = [save for save in readable if save.metadata.lineage == lineage][:keep]
    names = {save.name for save in in_lineage}
    newest = {save.metadata.lineage: save.name for save in reversed(readable)}
    last_saves = {save.name for save in tips(readable)} | {*newest.values()}
    others = [
        save
        for save in readable
        if save.name not in names
        and (save.name in last_saves or len(in_lineage) < keep)
    ]
    others.sort(key=lambda save: save.name not in last_saves)
    names.update(save.name for save in others[:keep])
    oldest = min(save.generation for save in in_lineage)
    return names | {
        save.name
        for save in saves
        if save.is_copy
        or save.fault
        and (not save.is_damaged or save.generation > oldest)
    }
