"""Open saves by path for commands: a file, a slot, or all slots in a folder."""

from __future__ import annotations

from msgspec.structs import replace

from savegen import disk
from savegen.findings import SavegenError
from savegen.saves import coding
from savegen.saves.coding import VerifiedSave
from savegen.saves.journal import apply_journal
from savegen.saves.limits import Limits
from savegen.saves.slots.reader import SlotReader
from savegen.saves.stores.durable import system_message
from savegen.saves.stores.folder import FolderStore


def open_save(path: str) -> VerifiedSave:
    """Read a save file, or the newest undamaged save of a slot.

    Raises `SavegenError` if the path leads to neither, and `SaveError` if it cannot be read.
    """
    if not is_slot(path):
        _check_file(path)
        return open_file(path)
    folder = disk.resolve(path)
    reader = SlotReader(FolderStore(disk.parent(folder)), Limits())
    newest = reader.read(disk.name_of(folder))
    name = disk.join(path, f"{newest.info.generation}.sav")
    return replace(newest.save, path=name, notes=newest.info.notes)


def open_file(path: str) -> VerifiedSave:
    """Read a save file, and the journal next to it if there is one.

    Raises `SaveError` if the save cannot be read.
    """
    save = replace(coding.read(disk.read(path)), path=path)
    journal = f"{path.removesuffix('.sav')}.journal"
    status = disk.status(journal) if journal != path else None
    if status is None:
        return save
    name = disk.name_of(journal)
    if status.kind == "file":
        return apply_journal(save, disk.read(journal), name)
    fault = f"{name} is not a regular file"
    return replace(save, notes=(fault,), fault=fault)


def is_slot(path: str) -> bool:
    """Return whether a path is that of a folder with save files; false if it cannot be listed."""
    status = disk.status(path)
    if status is None or status.kind != "folder":
        return False
    try:
        return any(name.endswith(".sav") for name in disk.files_in(path))
    except OSError:
        return False


def files_of(path: str) -> tuple[list[str], dict[str, str]]:
    """Return the save files of a path, and why folders below it cannot be listed.

    These are the file itself, or all below a folder. Raises `SavegenError` if there is neither,
    and `OSError` if the folder itself cannot be listed.
    """
    status = disk.status(path)
    if status is None:
        raise SavegenError(f"{path} does not exist")
    if status.kind == "file":
        return [path], {}
    unlisted: dict[str, str] = {}

    def note(folder: str, error: OSError) -> None:
        if not folder:
            raise error
        fault = f"it cannot be listed: {system_message(error)}"
        unlisted[disk.join(path, folder)] = fault

    names = [name for name in disk.files_below(path, note) if name.endswith(".sav")]
    if not names and not unlisted:
        raise SavegenError(f"{path} contains no save files")
    ordered = sorted(names, key=_by_generation)
    return [disk.join(path, name) for name in ordered], unlisted


def _by_generation(name: str) -> tuple[str, int, str]:
    folder, _, last = name.rpartition("/")
    number = last.partition(".")[0]
    return folder, int(number) if number.isdecimal() else 0, last


def _check_file(path: str) -> None:
    status = disk.status(path)
    if status is None:
        raise SavegenError(f"{path} does not exist")
    if status.kind == "folder":
        slots = sorted(n for n in disk.names_in(path) if is_slot(disk.join(path, n)))
        advice = f": name one of its slots, {', '.join(slots)}" if slots else ""
        raise SavegenError(f"{path} is a folder, but not a slot{advice}")
