"""Which save follows which: the files of a slot, told apart by their first and last bytes."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence

import msgspec

from savegen.runtime.errors import (
    NoSuchSave,
    SaveCorruptError,
    SaveError,
    SaveLimitError,
)
from savegen.runtime.saves.container import container
from savegen.runtime.saves.metadata import Metadata
from savegen.runtime.saves.stores.names import is_slot_name
from savegen.runtime.saves.stores.store import Store

TRASH = ".trash"  # no slot can be called that

MOST = 10**18 - 1  # generations: what a name has room for

_SAVE = re.compile(r"(\d{1,18})(.*)\.sav", re.DOTALL)
_NUMBER = re.compile(r"\d{1,18}")
_END = 64  # bytes that say what a file is, and those that hold its digest
_JOURNAL = re.compile(r"(\d{1,18})\.journal(\.\d+)?")


class Generation(msgspec.Struct, frozen=True, kw_only=True):
    """One save file, as far as can be told without reading it all."""

    name: str  # in the store
    number: int
    metadata: Metadata = Metadata()
    digest: str = ""  # of the whole file: the parent of those that follow it
    size: int = 0  # bytes
    thumbnail_size: int = 0  # bytes
    fault: str = ""  # why nothing can be told of it
    is_damaged: bool = False  # else only this game, or this moment, cannot read it
    # A second file of that number, under a name that a cloud's program made up. Nobody
    # reads it unasked, and nobody removes it.
    is_copy: bool = False


def files_by_slot(names: Iterable[str]) -> dict[str, list[str]]:
    """Return the names in a store by slot; the trash, and what is none of ours, left out."""
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


def generations(store: Store, files: Iterable[str], most: int) -> list[Generation]:
    """Return the saves among the files of a slot, the newest first.

    One in JSON is read as a whole to be looked at; if it is longer than `most` bytes it is
    taken for broken.
    """
    found = []
    for name in files:
        if match := _SAVE.fullmatch(file_of(name)):
            number = int(match[1])
            is_copy = match[0] != f"{number}.sav"
            try:
                found.append(_looked_at(store, name, number, is_copy, most))
            except NoSuchSave:  # its writer has just removed it
                continue
    return sorted(found, key=lambda each: (-each.number, each.is_copy, each.name))


def number_of(name: str) -> int:
    """Return the generation that a file of a slot belongs to.

    >>> number_of("slot-1/3.sav"), number_of("slot-1/12.journal")
    (3, 12)
    """
    found = _NUMBER.match(file_of(name))
    return int(found[0]) if found else 0


def journals(files: Iterable[str]) -> dict[int, list[str]]:
    """Return the journals among the files of a slot, by generation."""
    found = defaultdict(list)
    for name in files:
        if _JOURNAL.fullmatch(file_of(name)):
            found[number_of(name)].append(name)
    return found


def _looked_at(
    store: Store, name: str, number: int, is_copy: bool, most: int
) -> Generation:
    try:
        head, size, digest = look(store, name, most)
    except NoSuchSave:
        raise
    except SaveError as error:
        is_damaged = isinstance(error, SaveCorruptError)
        fault = str(error)
        return Generation(
            name=name,
            number=number,
            fault=fault,
            is_damaged=is_damaged,
            is_copy=is_copy,
        )
    return Generation(
        name=name,
        number=number,
        metadata=head.metadata,
        digest=digest,
        size=size,
        thumbnail_size=head.thumbnail_size or 0,
        is_copy=is_copy,
    )


def look(store: Store, name: str, most: int) -> tuple[container.Head, int, str]:
    """Return head, size and digest of a file. Raises `SaveError` if it is cut short, say."""
    first = store.read(name, 0, container.HEAD_SIZE)
    head = container.read_head(first)
    if head.size is None:
        data = store.read(name, 0, most + 1)
        if len(data) > most:
            raise SaveLimitError("the size of the file", most, len(data))
        return head, len(data), container.digest_of(data)
    start = max(0, head.size - _END)
    last = store.read(name, start, _END + 1)
    if start + len(last) != head.size:
        raise SaveCorruptError("the file is not as long as it should be", head.size)
    return head, head.size, container.digest_of(first[:_END] + last)


# -- who comes of whom


def heads(saves: Sequence[Generation]) -> list[Generation]:
    """Return the saves that no other one follows: one, unless the slot has diverged."""
    parents = {each.metadata.parent for each in saves}
    replaced = {lineage for each in saves for lineage in each.metadata.replaces}
    return [
        each
        for each in saves
        if each.digest
        and each.digest not in parents
        and each.metadata.lineage not in replaced
    ]


def kept(saves: Sequence[Generation], keep: int) -> set[str]:
    """Return the names of the saves that stay when `saves[0]` has just been written.

    These are the newest of its lineage. Beside them, as many others at most: whatever nothing
    follows, and the newest of other lineages. And what cannot be read, unless it is old and
    damaged.
    """
    good = [each for each in saves if not each.fault and not each.is_copy]
    lineage = saves[0].metadata.lineage
    mine = [each for each in good if each.metadata.lineage == lineage][:keep]
    names = {each.name for each in mine}
    others = {each.name: each for each in heads(good)}
    for each in reversed(good):
        if each.metadata.lineage != lineage:
            others[each.metadata.lineage] = each
    rest = {
        each.name: each.number for each in others.values() if each.name not in names
    }
    names.update(sorted(rest, key=lambda name: -rest[name])[:keep])
    oldest = min(each.number for each in mine)
    return names | {
        each.name
        for each in saves
        if each.is_copy or each.fault and (not each.is_damaged or each.number > oldest)
    }
