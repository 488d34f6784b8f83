"""The lock files that other people may use: committed ones and those of releases."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from savegen import disk
from savegen.build import process
from savegen.cli._lock_file import LOCK_FILE, parse_lock
from savegen.build.config import Config
from savegen.findings import SavegenError

if TYPE_CHECKING:
    from savegen.build.lock import Lock

# The current commit, and the commit that a merge, rebase or cherry-pick is adding.
_REFS = ("HEAD", "MERGE_HEAD", "REBASE_HEAD", "CHERRY_PICK_HEAD")


def shared_locks(config: Config) -> list[Lock] | None:
    """Return the committed locks and those of releases.

    Return `None` if no lock is committed or one of them cannot be read.
    """
    try:
        found = [parse_lock(data, LOCK_FILE) for data in _of_git(config)]
        kept = [
            parse_lock(_read(config, path), path)
            for path in released_locks(config.root)
        ]
    except SavegenError:
        return None
    return [*found, *kept] if found else None


def _of_git(config: Config) -> Iterator[bytes]:
    for ref in _REFS:
        command = ["git", "show", f"{ref}:./{LOCK_FILE}"]
        try:
            yield process.output(command, config.root)
        except process.Failed:
            if ref == _REFS[0]:
                return


def released_locks(root: str) -> list[str]:
    """Return the paths of the lock files that `savegen release` copied."""
    from savegen.build.lock import is_released

    return [
        path
        for path in sorted(disk.files_below(root))
        if path.rpartition("/")[2] == LOCK_FILE
        and is_released(disk.read(disk.join(root, path)).decode(errors="replace"))
    ]


def _read(config: Config, path: str) -> bytes:
    return disk.read(disk.join(config.root, path))
