"""The locks that somebody else may have: those of releases, and of git."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from savegen import disk
from savegen.build import process
from savegen.cli._lock_file import LOCK_FILE, parsed
from savegen.build.config import Config
from savegen.findings import SavegenError

if TYPE_CHECKING:
    from savegen.build.lock import Lock

# What is committed, and what a merge or a rebase is about to bring in.
_REFS = ("HEAD", "MERGE_HEAD", "REBASE_HEAD", "CHERRY_PICK_HEAD")


def committed(config: Config) -> list[Lock] | None:
    """Return the locks of releases and of git.

    `None` if git has none, or one that cannot be read: then nobody knows what others have.
    """
    try:
        found = [parsed(data, LOCK_FILE) for data in _of_git(config)]
        kept = [parsed(_held(config, path), path) for path in releases(config.root)]
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


def releases(root: str) -> list[str]:
    """Return the paths of the locks that are kept of versions that shipped."""
    from savegen.build.lock import is_released

    return [
        path
        for path in sorted(disk.files_below(root))
        if path.rpartition("/")[2] == LOCK_FILE
        and is_released(disk.read(disk.join(root, path)).decode(errors="replace"))
    ]


def _held(config: Config, path: str) -> bytes:
    return disk.read(disk.join(config.root, path))
