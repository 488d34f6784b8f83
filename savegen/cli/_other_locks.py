"""Read the locks of other versions of the game: from git, from releases, or from any folder.

`shared_locks` returns those whose numbers other people may use. `older_version` returns the one
that `savegen breaking` compares with.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from savegen import disk
from savegen.build import process
from savegen.cli._lock_file import LOCK_FILE
from savegen.build.config import Config
from savegen.findings import SavegenError

if TYPE_CHECKING:
    from savegen.build.breaking import OldPrefab
    from savegen.build.lock import Lock

PREFAB_INFO = "prefab_info.json"
# The current commit, and the commit that a merge, rebase or cherry-pick is adding.
_REFS = ("HEAD", "MERGE_HEAD", "REBASE_HEAD", "CHERRY_PICK_HEAD")


def shared_locks(config: Config) -> list[Lock] | None:
    """Return the committed locks and those of releases.

    Return `None` if no lock is committed or one of them cannot be read.
    """
    from savegen.build.lock import read

    try:
        committed = [read(data) for data in _committed_locks(config)]
        released = [
            read(disk.read(disk.join(config.root, path)), path)
            for path in released_locks(config.root)
        ]
    except SavegenError:
        return None
    return [*committed, *released] if committed else None


def _committed_locks(config: Config) -> Iterator[bytes]:
    for ref in _REFS:
        data = _file_in_git(config, ref, LOCK_FILE)
        if data is not None:
            yield data
        elif ref == "HEAD":
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


class OlderVersion(NamedTuple):
    """An older version of the game."""

    lock: Lock
    prefabs: dict[int, OldPrefab]  # by number; empty if unknown
    save_version: int | None = None  # `None` if unknown


class _Prefab(msgspec.Struct):
    number: int
    static: bool = False
    defaults: dict[str, msgspec.Raw] = {}


class _PrefabInfo(msgspec.Struct):
    prefabs: dict[str, _Prefab]


def older_version(config: Config, name: str) -> OlderVersion:
    """Return the version that a lock file, a release folder or a git ref names.

    Raises `SavegenError` if `name` is none of these, or its lock cannot be read.
    """
    if name and disk.exists(disk.join(name, LOCK_FILE)):
        return _version_in_folder(name, LOCK_FILE)
    status = disk.status(disk.resolve(name)) if name else None
    if status is not None and status.kind == "file":
        folder = disk.parent(os.path.abspath(name))
        return _version_in_folder(folder, os.path.basename(name))
    return _version_in_git(config, name)


def _version_in_folder(folder: str, lock_name: str) -> OlderVersion:
    from savegen.build.lock.file import read_older, released_version

    path = disk.join(folder, lock_name)
    data = disk.read(path)
    lock = read_older(data, path)
    version = released_version(data.decode("utf-8-sig"))
    info = disk.join(folder, PREFAB_INFO)
    info_data = disk.read(info) if disk.exists(info) else None
    return OlderVersion(lock, _prefabs(info_data), version)


def _version_in_git(config: Config, ref: str) -> OlderVersion:
    from savegen.build.lock.file import read_older

    commit = _commit(config, ref)
    data = _file_in_git(config, commit, LOCK_FILE)
    if data is None:
        raise SavegenError(f"{ref} has no {LOCK_FILE}")
    info = _file_in_git(config, commit, f"{config.output}/{PREFAB_INFO}")
    settings = _file_in_git(config, commit, "pyproject.toml")
    lock = read_older(data, f"{LOCK_FILE} of {ref}")
    return OlderVersion(lock, _prefabs(info), _save_version(settings))


def _file_in_git(config: Config, ref: str, path: str) -> bytes | None:
    """Return a file of a commit by its path in the project; `None` if either is missing."""
    try:
        return process.output(["git", "show", f"{ref}:./{path}"], config.root)
    except process.Failed:
        return None


def _commit(config: Config, ref: str) -> str:
    options = ("--verify", "--quiet", "--end-of-options")
    command = ["git", "rev-parse", *options, f"{ref}^{{commit}}"]
    try:
        return process.output(command, config.root).decode().strip()
    except process.Failed:
        raise SavegenError(
            f"{ref} is not a lock file, a folder with a lock file, or a commit of this"
            " repository; in a shallow clone, fetch the commit first:"
            " `git fetch --depth 1 origin tag NAME`"
        ) from None


def _save_version(pyproject: bytes | None) -> int | None:
    import tomllib

    try:
        table = tomllib.loads((pyproject or b"").decode())["tool"]["savegen"]
        version = table.get("save_version", 0)
    except (ValueError, KeyError, TypeError, AttributeError):
        return None  # the settings were elsewhere or had another form
    return version if type(version) is int else None


def _prefabs(prefab_info: bytes | None) -> dict[int, OldPrefab]:
    from savegen.build.breaking import OldPrefab

    try:
        info = msgspec.json.decode(prefab_info or b"{}", type=_PrefabInfo)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return {}  # missing, or broken by a merge
    return {
        prefab.number: OldPrefab(frozenset(prefab.defaults), prefab.static)
        for prefab in info.prefabs.values()
    }
