"""Read `savegen.lock`, and find the configuration of the game that it belongs to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from savegen import disk
from savegen.build.config import Config
from savegen.findings import SavegenError

if TYPE_CHECKING:
    from savegen.cli._console import Console
    from savegen.build.lock import Lock

LOCK_FILE = "savegen.lock"


def read_lock(root: str) -> Lock:
    """Return the content of `savegen.lock`; an empty lock if the file is missing.

    Raises `SavegenError` if it cannot be read.
    """
    from savegen.build.lock import read

    return read(lock_data(root))


def lock_data(root: str) -> bytes:
    """Return the bytes of `savegen.lock`; b"" if the file is missing. Raises `SavegenError`."""
    path = disk.join(root, LOCK_FILE)
    try:
        return disk.read(path) if disk.exists(path) else b""
    except OSError as error:
        raise SavegenError(f"cannot read {LOCK_FILE}: {error.strerror}") from None


def find_config(console: Console) -> Config:
    """Return the configuration; if there is none, a default one for the nearest lock's files.

    Raises `SavegenError` if there is neither.
    """
    if config := config_for_lock(console, console.root(LOCK_FILE)):
        return config
    raise SavegenError(
        f"none of the source files in {LOCK_FILE} exists: restore them, or run"
        " `savegen build` with the files of your game"
    )


def config_for_lock(console: Console, root: str) -> Config | None:
    """Return the configuration; if there is none, a default one for the files in the lock.

    Return `None` if there is no such file.
    """
    from savegen.build.config import bare

    if config := console.config_or_none():
        return config
    classes = read_lock(root).classes.values()
    modules = {entry.location.partition(":")[0] for entry in classes}
    stems = [disk.join(root, *module.split(".")) for module in sorted(modules)]
    candidates = [path for s in stems for path in (f"{s}.py", f"{s}/__init__.py")]
    files = list(filter(disk.exists, candidates))
    return bare(files) if files else None
