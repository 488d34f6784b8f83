"""Warns, with `SaveLoadManager(check=True)`, if a source has changed since `savegen build`."""

from __future__ import annotations

import hashlib
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from savegen.runtime.components import SaveLoadable
from savegen.runtime.named import module_named

# The file in which a build stores the digests of the sources.
_DIGESTS = Path(".savegen_cache", "sources")

_warned: set[Path] = set()  # projects for which a warning was already given


def warn_of_forgotten_build(mixins: Iterable[type[SaveLoadable]]) -> None:
    """Warn, once in a process, if a module of the game has changed since the last build.

    A game that was installed, or was never built here, is not checked.
    """
    root = next(filter(None, map(_root_of, mixins)), None)
    if root is None or root in _warned:
        return
    changed = sorted(_changed(_read_digests(root)))
    if changed:
        _warned.add(root)
        have = "has" if len(changed) == 1 else "have"
        text = f"{', '.join(changed)} {have} changed since savegen ran last: run `savegen build`"
        warnings.warn(text, stacklevel=3)


def _root_of(mixin: type) -> Path | None:
    """Return the folder of the project in which a mixin was generated."""
    file = getattr(sys.modules.get(mixin.__module__), "__file__", None)
    folders = Path(file).absolute().parents if file else ()
    return next((f for f in folders if (f / _DIGESTS).is_file()), None)


def _read_digests(root: Path) -> Mapping[str, str]:
    """Return the digests of the sources at the last build, by module."""
    try:
        data = (root / _DIGESTS).read_bytes()
        return msgspec.json.decode(data, type=dict[str, str])
    except (OSError, msgspec.DecodeError, UnicodeError, RecursionError):
        return {}


def _changed(digests: Mapping[str, str]) -> Iterator[str]:
    """Yield the loaded modules whose source files have changed; skip missing files."""
    for name, digest in digests.items():
        data = _source_of(module_named(name))
        if data is not None and hashlib.sha256(data).hexdigest() != digest:
            yield name


def _source_of(module: Any) -> bytes | None:
    file = getattr(module, "__file__", None) or ""
    try:
        return Path(file).read_bytes() if file.endswith(".py") else None
    except OSError:
        return None
