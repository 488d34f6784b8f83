"""Warns, when a game starts, if a source has changed since `savegen build`."""

from __future__ import annotations

import hashlib
import os
import sys
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from savegen.runtime.values.saveable import SaveLoadable
from savegen.runtime.values.basics.named import module_named

# The file in which a build stores the stamps of the sources.
_STAMPS = Path(".savegen_cache", "sources")

# By generated module: how many modules the process had loaded when its project was checked.
_checked: dict[str, int] = {}


class _Stamp(NamedTuple):
    """A source at the last build: its path below the project, its digest, size and time."""

    path: str
    digest: str
    size: int
    mtime_ns: int


def warn_of_forgotten_build(mixin: type[SaveLoadable]) -> None:
    """Warn, once in a process, if a module of the game has changed since the last build.

    `mixin` is any generated class of the game. A game that was installed or frozen, or was never
    built here, is not checked. Files are read only if their size or time has changed.
    """
    try:
        changed = sorted(_changed(mixin))
    except Exception:  # a game must start without its sources, too
        return
    if changed:
        have = "has" if len(changed) == 1 else "have"
        text = f"{', '.join(changed)} {have} changed since savegen ran last: run `savegen build`"
        warnings.warn(text, stacklevel=3)


def _changed(mixin: type) -> Iterator[str]:
    """Yield the loaded modules whose source files have changed; skip missing files."""
    file = getattr(sys.modules.get(mixin.__module__), "__file__", None)
    if file is None or _checked.get(file, 0) >= len(sys.modules):
        return
    _checked[file] = len(sys.modules)
    for root in Path(file).absolute().parents:
        if (root / _STAMPS).is_file():
            for name in _changed_below(root):
                _checked[file] = sys.maxsize  # one warning is enough
                yield name
            return


def _changed_below(root: Path) -> Iterator[str]:
    for name, stamp in _read_stamps(root).items():
        if _has_changed(module_named(name), str(root / stamp.path), stamp):
            yield name


def _read_stamps(root: Path) -> Mapping[str, _Stamp]:
    """Return the stamps of the sources at the last build, by module."""
    return msgspec.json.decode((root / _STAMPS).read_bytes(), type=dict[str, _Stamp])


def _has_changed(module: Any, path: str, stamp: _Stamp) -> bool:
    file = getattr(module, "__file__", None) or ""
    # An installed copy of the game may have the same modules.
    if os.path.abspath(file) != os.path.normpath(path):
        return False
    try:
        status = os.stat(path)
        if (status.st_size, status.st_mtime_ns) == (stamp.size, stamp.mtime_ns):
            return False
        return hashlib.sha256(Path(path).read_bytes()).hexdigest() != stamp.digest
    except OSError:
        return False
