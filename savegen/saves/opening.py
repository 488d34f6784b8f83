"""Open saves by path: a file, or a slot with its generations."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from savegen import disk
from savegen.report import SavegenError
from savegen.saves import file
from savegen.saves.body import Body
from savegen.saves.file import Compression
from savegen.saves.journal.playback import play
from savegen.saves.limits import Guard, Limits
from savegen.saves.metadata import Metadata
from savegen.saves.slots import content
from savegen.saves.slots.shelf import Shelf
from savegen.saves.stores.folder import FolderStore
from savegen.saves.viewing import View

Progress = Callable[[int, int], object]  # how much is done, of how much


class Opened(NamedTuple):
    """A save that was read and verified, with its journal."""

    path: str
    size: int  # bytes of the file
    metadata: Metadata
    body: Body
    guard: Guard
    thumbnail: bytes
    notes: tuple[str, ...] = ()  # what was skipped, and why
    fault: str = ""  # what is wrong with the journal, if it is not only torn
    has_journal: bool = False  # `body` includes it
    compression: Compression = ""

    @property
    def view(self) -> View:
        """The objects of the save. Raises `SaveError` if they cannot be read."""
        return View(self.body, self.guard)


def opened(path: str, progress: Progress | None = None) -> Opened:
    """Read a save file, or the newest undamaged save of a slot.

    Raises `SavegenError` if the path leads to neither, and `SaveError` if it cannot be read.
    """
    if not is_slot(path):
        _check_file(path)
        return opened_file(path, progress)
    store = FolderStore(disk.parent(disk.resolve(path)))
    found = Shelf(store, Limits()).read(_name(path), progress=progress)
    info, (metadata, body, guard) = found.info, found.content
    picture = file.read_thumbnail(found.data)
    return Opened(
        disk.join(path, f"{info.generation}.sav"),
        info.size,
        metadata,
        body,
        guard,
        picture,
        info.notes,
        found.fault,
        found.has_journal,
        file.read_head(found.data).compression,
    )


def opened_file(path: str, progress: Progress | None = None) -> Opened:
    """Read a save file, and the journal that stands beside a numbered one.

    Raises `SaveError` if the save cannot be read.
    """
    data = disk.read(path)
    metadata, body, guard = content.read(data, Limits(), progress)
    picture = file.read_thumbnail(data)
    found = Opened(path, len(data), metadata, body, guard, picture)
    found = found._replace(compression=file.read_head(data).compression)
    journal = f"{path.removesuffix('.sav')}.journal"
    look = disk.look(journal) if journal != path else None
    if look is None:
        return found
    name = journal.rpartition("/")[2]
    if look.kind != "file":
        fault = f"{name} is not a regular file"
        return found._replace(notes=(fault,), fault=fault)
    records = disk.read(journal)
    guard.size += len(records)
    played = play(body, metadata, records, file.digest_of(data), guard)
    notes = tuple(f"{name}: {note}" for note in played.notes)
    return found._replace(
        metadata=played.metadata,
        body=played.body,
        notes=notes,
        fault=notes[0] if played.is_damaged else "",
        has_journal=played.records > 0,
    )


def is_slot(path: str) -> bool:
    """Return whether a path is that of a folder with save files."""
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
    folder, _, last = name.rpartition("/")
    number = last.partition(".")[0]
    return folder, int(number) if number.isdecimal() else 0, last


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


def _name(path: str) -> str:
    resolved = disk.resolve(path)
    return disk.relative(resolved, disk.parent(resolved))
