"""Open saves by path: a file, or a slot with its generations."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from savegen import disk
from savegen.report import SavegenError
from savegen.runtime.saves.container import container
from savegen.runtime.saves.document import Document
from savegen.runtime.saves.stores.folder import FolderStore
from savegen.runtime.saves.container.limits import Limits
from savegen.runtime.saves.metadata import Metadata
from savegen.runtime.saves.slots.shelf import Shelf

Told = Callable[[int, int], object]  # how much is done, of how much


class Opened(NamedTuple):
    """A save that was read and verified; a slot's with its journal to the end."""

    path: str
    size: int  # bytes of the file
    metadata: Metadata
    document: Document
    thumbnail: bytes
    notes: tuple[str, ...] = ()  # what was passed over, and why


def opened(path: str, told: Told | None = None) -> Opened:
    """Read a save file, or the newest good save of a slot.

    Raises `SavegenError` if the path leads to neither, and `SaveError` if it cannot be read.
    """
    if is_slot(path):
        found = _shelf(path).read(_name(path), progress=told)
        info, picture = found.info, container.read_thumbnail(found.data)
        return Opened(
            path, info.size, info.metadata, found.document, picture, info.notes
        )
    _check_file(path)
    data = disk.read(path)
    metadata, document = container.read(data, Limits(), told)
    picture = container.read_thumbnail(data)
    return Opened(path, len(data), metadata, document, picture)


def file_of(path: str) -> tuple[str, tuple[str, ...]]:
    """Return the file of a save: of a slot, that of its newest good one. And what is to be told.

    Raises what `opened` does.
    """
    if not is_slot(path):
        _check_file(path)
        return path, ()
    found = _shelf(path).read(_name(path))
    name = f"{found.info.generation}.sav"
    notes = [f"skipped: {note}" for note in found.info.notes]
    if found.has_journal:
        notes.append(f"the journal after {name} is left out")
    return disk.join(path, name), tuple(notes)


def is_slot(path: str) -> bool:
    """Tell whether a path is that of a folder with save files."""
    return any(name.endswith(".sav") for name in disk.files_in(_folder(path)))


def files_of(path: str) -> Iterator[str]:
    """Yield the save files that a path leads to: itself, a slot's, or those of all slots.

    Raises `SavegenError` if there is none.
    """
    look = disk.look(path)
    if look is None:
        raise SavegenError(f"there is no {path}")
    if look.kind == "file":
        yield path
        return
    found = [name for name in disk.files_below(path) if name.endswith(".sav")]
    if not found:
        raise SavegenError(f"there is no save in {path}")
    yield from (disk.join(path, name) for name in sorted(found, key=_in_order))


def _in_order(name: str) -> tuple[str, int, str]:
    folder, _, file = name.rpartition("/")
    number = file.partition(".")[0]
    return folder, int(number) if number.isdecimal() else 0, file


def _check_file(path: str) -> None:
    look = disk.look(path)
    if look is None:
        raise SavegenError(f"there is no {path}")
    if look.kind == "folder":
        slots = sorted(n for n in disk.names_in(path) if is_slot(disk.join(path, n)))
        named = f": name one of its slots, {', '.join(slots)}" if slots else ""
        raise SavegenError(f"{path} is a folder, but not a slot{named}")


def _folder(path: str) -> str:
    look = disk.look(path)
    return path if look is not None and look.kind == "folder" else ""


def _shelf(path: str) -> Shelf:
    return Shelf(FolderStore(disk.parent(disk.resolve(path))), Limits())


def _name(path: str) -> str:
    resolved = disk.resolve(path)
    return disk.relative(resolved, disk.parent(resolved))
