"""`savegen.lock` on disk, and the game that it is for."""

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
    """Read `savegen.lock`. Raises `SavegenError` if it cannot be read."""
    from savegen.build.lock import Lock

    path = disk.join(root, LOCK_FILE)
    if not disk.exists(path):
        return Lock()
    try:
        data = disk.read(path)
    except OSError as error:
        raise SavegenError(f"cannot read {LOCK_FILE}: {error.strerror}") from None
    return parsed(data, LOCK_FILE)


def parsed(data: bytes, name: str) -> Lock:
    """Return what a lock file says that is called `name`. Raises `SavegenError`."""
    from savegen.build.lock import LockError, parse

    try:
        return parse(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise SavegenError(f"{name}: line {line} is not UTF-8") from None
    except LockError as error:
        raise SavegenError(f"{name}: {error}") from None


def known_config(console: Console) -> Config:
    """Return the settings; without any, those of the game that the nearest lock is for.

    Raises `SavegenError` if there is neither.
    """
    if config := config_of(console, console.root(LOCK_FILE)):
        return config
    raise SavegenError(f"no source file that {LOCK_FILE} names exists")


def config_of(console: Console, root: str) -> Config | None:
    """Return the settings; for a game without any, its files are where the lock says."""
    from savegen.build.config import bare

    if config := console.settings():
        return config
    classes = read_lock(root).classes.values()
    modules = {entry.home.partition(":")[0] for entry in classes}
    stems = [disk.join(root, *module.split(".")) for module in sorted(modules)]
    files = [path for s in stems for path in (f"{s}.py", f"{s}/__init__.py")]
    there = list(filter(disk.exists, files))
    return bare(there) if there else None
