"""The files of a slot, and their lineages: series of saves, each of which follows the previous one.

Only the beginnings and ends of files are read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import msgspec
from msgspec.structs import replace

from savegen.runtime.errors import NoSuchSave, SaveCorruptError, SaveError
from savegen.saves import file
from savegen.saves.file import Metadata
from savegen.saves.slots.names import is_slot_name
from savegen.saves.stores.store import NotAFileError, Store

TRASH = ".trash"  # not a valid name of a slot

MOST = 10**18 - 1  # the highest generation that the pattern below allows

_SAVE = re.compile(r"(\d{1,18})(.*)\.sav", re.DOTALL)
_NUMBER = re.compile(r"\d{1,18}")
_JOURNAL = re.compile(r"(\d{1,18})\.journal(\.\d+)?")
_END = 64  # the last bytes of a file, with its digest


class SaveFile(msgspec.Struct, frozen=True, kw_only=True):
    """One save file, as described by its header and its last bytes."""

    name: str  # its name in the store
    number: int
    metadata: Metadata = Metadata()
    digest: str = ""  # of the whole file; saves that follow it name it as their parent
    size: int = 0  # bytes
    fault: str = ""  # why the header cannot be read
    is_damaged: bool = False  # if not, another version or a later attempt may read it
    is_file: bool = True  # a folder, a pipe or a link is no save, whatever its name
    # A second file of that generation, renamed by a synchronisation program. It is read only on
    # request, and never removed.
    is_copy: bool = False

    @property
    def journal(self) -> str:
        """The name of its journal."""
        return f"{self.name.removesuffix('.sav')}.journal"


# -- names


def files_of(slot: str, store: Store) -> list[str]:
    """Return the saves and journals of a slot."""
    return files_by_slot(store.names()).get(slot, [])


def files_by_slot(names: Iterable[str]) -> dict[str, list[str]]:
    """Return the saves and journals among the names of a store, by slot."""
    found: dict[str, list[str]] = {}
    for name in names:
        slot, _, file = name.partition("/")
        if is_slot_name(slot) and (_SAVE.fullmatch(file) or _JOURNAL.fullmatch(file)):
            found.setdefault(slot, []).append(name)
    return found


def file_of(name: str) -> str:
    """Return the name of a file within its slot, also of one in the trash.

    >>> file_of("slot-1/3.sav"), file_of(".trash/slot-1~2~3.sav")
    ('3.sav', '3.sav')
    """
    folder, _, file = name.partition("/")
    return file.split("~", 2)[-1] if folder == TRASH else file


def number_of(name: str) -> int:
    """Return the generation that a file of a slot belongs to.

    >>> number_of("slot-1/3.sav"), number_of("slot-1/12.journal")
    (3, 12)
    """
    found = _NUMBER.match(file_of(name))
    return int(found[0]) if found else 0


def is_journal(name: str) -> bool:
    return bool(_JOURNAL.fullmatch(file_of(name)))


# -- headers


def generations(store: Store, files: Iterable[str]) -> list[SaveFile]:
    """Return the saves among the files of a slot, the newest first."""
    found = []
    for name in files:
        if match := _SAVE.fullmatch(file_of(name)):
            number = int(match[1])
            is_copy = match[0] != f"{number}.sav"
            try:
                found.append(_generation(store, name, number, is_copy))
            except NoSuchSave:  # removed in the meantime
                continue
    return sorted(found, key=lambda each: (-each.number, each.is_copy, each.name))


def _generation(store: Store, name: str, number: int, is_copy: bool) -> SaveFile:
    save = SaveFile(name=name, number=number, is_copy=is_copy)
    try:
        head, digest = look(store, name)
    except NoSuchSave:
        raise
    except SaveError as error:
        is_file = not isinstance(error, NotAFileError)
        is_damaged = is_file and isinstance(error, SaveCorruptError)
        fault = str(error)
        return replace(save, fault=fault, is_damaged=is_damaged, is_file=is_file)
    return replace(save, metadata=head.metadata, digest=digest, size=head.size)


def look(store: Store, name: str) -> tuple[file.Head, str]:
    """Return the head and the digest of a file. Raises `SaveError` if it cannot be read."""
    first = store.read(name, 0, file.HEAD_SIZE)
    head = file.read_head(first)
    start = max(0, head.size - _END)
    last = store.read(name, start, _END + 1)
    if start + len(last) != head.size:
        raise SaveCorruptError("the file is not as long as its header says", head.size)
    return head, file.digest_of(last)


# -- which save follows which


def heads(saves: Sequence[SaveFile]) -> list[SaveFile]:
    """Return the saves that no other save follows: one, unless the slot has diverged."""
    parents = {each.metadata.parent for each in saves}
    replaced = {lineage for each in saves for lineage in each.metadata.replaces}
    return [
        each
        for each in saves
        if each.digest
        and each.digest not in parents
        and each.metadata.lineage not in replaced
    ]


def kept(saves: Sequence[SaveFile], keep: int) -> set[str]:
    """Return the names of the saves to keep after `saves[0]` was written.

    These are the newest `keep` saves of its lineage, and at most `keep` others: saves that no
    other save follows, the newest save of each other lineage, and the newest others while the
    lineage is shorter than `keep`. Damaged saves that are older than the lineage are not kept.
    """
    good = [each for each in saves if not each.fault and not each.is_copy]
    lineage = saves[0].metadata.lineage
    mine = [each for each in good if each.metadata.lineage == lineage][:keep]
    names = {each.name for each in mine}
    newest = {each.metadata.lineage: each.name for each in reversed(good)}
    ends = {each.name for each in heads(good)} | {*newest.values()}
    others = [
        each
        for each in good
        if each.name not in names and (each.name in ends or len(mine) < keep)
    ]
    others.sort(key=lambda each: each.name not in ends)
    names.update(each.name for each in others[:keep])
    oldest = min(each.number for each in mine)
    return names | {
        each.name
        for each in saves
        if each.is_copy or each.fault and (not each.is_damaged or each.number > oldest)
    }
