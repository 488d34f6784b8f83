"""An older version of the game: its lock, read from git or from a folder."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import NamedTuple

import msgspec

from savegen import disk
from savegen.build import process
from savegen.cli._lock_file import LOCK_FILE, parse_lock
from savegen.build.config import Config
from savegen.build.lock import Lock
from savegen.build.lock.file import released_version
from savegen.findings import SavegenError

INFO = "prefab_info.json"
_Read = Callable[[str], bytes | None]


class OlderVersion(NamedTuple):
    """An older version of the game."""

    lock: Lock
    settable: dict[int, set[str]]  # parameters that levels could set, by prefab number
    save_version: int | None = None  # `None` if unknown


class _Prefab(msgspec.Struct):
    number: int
    defaults: dict[str, msgspec.Raw] = {}


class _Info(msgspec.Struct):
    prefabs: dict[str, _Prefab]


def older_version(config: Config, named: str) -> OlderVersion:
    """Return the version that a lock file, a release folder or a git ref names.

    Raises `SavegenError` if `named` is none of these, or its lock cannot be read.
    """
    if named and disk.exists(disk.join(named, LOCK_FILE)):
        return _from_folder(named, LOCK_FILE)
    found = disk.status(disk.resolve(named)) if named else None
    if found is not None and found.kind == "file":
        return _from_folder(
            disk.parent(os.path.abspath(named)), os.path.basename(named)
        )
    return _from_git(config, named)


def _from_folder(folder: str, name: str) -> OlderVersion:
    def read(path: str) -> bytes | None:
        place = disk.join(folder, path)
        return disk.read(place) if disk.exists(place) else None

    data = disk.read(disk.join(folder, name))
    lock = parse_lock(data, disk.join(folder, name))
    version = released_version(data.decode("utf-8-sig"))
    return OlderVersion(lock, _settable(read(INFO)), version)


def _from_git(config: Config, ref: str) -> OlderVersion:
    commit = _commit(config, ref)

    def read(path: str) -> bytes | None:
        try:
            return process.output(["git", "show", f"{commit}:./{path}"], config.root)
        except process.Failed:
            return None

    data = read(LOCK_FILE)
    if data is None:
        raise SavegenError(f"{ref} has no {LOCK_FILE}")
    return OlderVersion(
        parse_lock(data, f"{LOCK_FILE} of {ref}"),
        _settable(read(f"{config.output}/{INFO}")),
        _save_version(read("pyproject.toml")),
    )


def _commit(config: Config, ref: str) -> str:
    words = (
        "rev-parse",
        "--verify",
        "--quiet",
        "--end-of-options",
        f"{ref}^{{commit}}",
    )
    try:
        return process.output(["git", *words], config.root).decode().strip()
    except process.Failed:
        raise SavegenError(
            f"{ref} is not a lock file, a folder with a lock file, or a commit of this"
            " repository; in a shallow clone, fetch the commit first:"
            " `git fetch --depth 1 origin tag NAME`"
        ) from None


def _save_version(data: bytes | None) -> int | None:
    import tomllib

    try:
        table = tomllib.loads((data or b"").decode())["tool"]["savegen"]
        found = table.get("save_version", 0)
    except (ValueError, KeyError, TypeError, AttributeError):
        return None  # the settings were elsewhere or had another form
    return found if type(found) is int else None


def _settable(data: bytes | None) -> dict[int, set[str]]:
    try:
        info = msgspec.json.decode(data or b"{}", type=_Info)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return {}  # missing, or broken by a merge
    return {each.number: set(each.defaults) for each in info.prefabs.values()}
