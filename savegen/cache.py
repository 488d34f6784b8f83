"""What need not be read again. Losing it costs time, nothing else.

`State` tells which files are as they were, `Memory` what was found in them. Both are plain
data: a foreign cache can mislead, but not run code.
"""

from __future__ import annotations

import hashlib
from typing import TypeVar

import msgspec

from savegen import disk

FILES = _STATE, _MEMORY, _SOURCES = "state", "memory", "sources"
_DIGEST = 16  # bytes in front of a file, so that no damage is taken for content
_T = TypeVar("_T", bound=msgspec.Struct)

# As in `savegen.report`, which this file must not know.
FindingFacts = tuple[tuple[str, int, int, int, int], str, int, str, str | None, str]


# The stamp of a file that is to be looked at again whatever it holds.
NEVER = disk.Stamp(0, 0, 0, 0)


class State(msgspec.Struct, array_like=True):
    """How everything was when the last run ended well."""

    key: str  # of savegen itself and of the settings
    started_ns: int
    # Path → stamp, digest if it was read.
    sources: dict[str, tuple[disk.Stamp, str]] = {}
    outputs: dict[str, tuple[disk.Stamp, str]] = {}  # path → stamp, digest
    listing: list[str] = []  # of the output folder, whoever wrote what is there
    alone: bool = False  # there is no prefab, and nothing to be said of any

    def trusted_digests(self, found: dict[str, disk.Stamp]) -> dict[str, str]:
        """Return the digests of the files that are as they were."""
        return {
            path: known[1]
            for path, stamp in found.items()
            if (known := self.sources.get(path))
            and known[0] == stamp
            and stamp.ctime_ns < self.started_ns - disk.RACY_NS
            and known[1]
        }

    def of_outputs(self, key: str) -> State:
        """Return all that still holds when nothing may be taken for read: what was written."""
        known = {path: (NEVER, digest) for path, (_, digest) in self.outputs.items()}
        return State(key, 0, outputs=known)


class Resolved(msgspec.Struct, array_like=True):
    """What became of one module, and what that depended on."""

    digest: str
    asked: dict[str, str]  # other module → its digest, "" if it was not there
    ancestors: tuple[str, ...]
    saved: bytes
    findings: list[FindingFacts] = []
    silences: bool = False  # it holds a comment that silences a finding


class Memory(msgspec.Struct, array_like=True):
    """All that was found out about the files, by module."""

    key: str
    all_ancestors: tuple[str, ...] = ()
    search: bytes = b""  # what the search for marked files found
    declarations: dict[str, tuple[str, bytes]] = {}  # digest, declarations
    resolved: dict[str, Resolved] = {}
    # Texts before and after black, of the files that every change makes anew.
    formatted: dict[str, tuple[str, str]] = {}


def load_state(root: str, key: str) -> State:
    """Return the state of the last run: of another savegen's only what it wrote."""
    found = _load(root, _STATE, State)
    if found is None:
        return State(key, 0)
    return found if found.key == key else found.of_outputs(key)


def load_memory(root: str, key: str) -> Memory:
    """Return what is remembered, nothing if there is nothing to be used."""
    found = _load(root, _MEMORY, Memory)
    return found if found and found.key == key else Memory(key)


def save(root: str, state: State | None, memory: Memory | None) -> None:
    """Keep both for the next run; a folder that cannot be written to is no fault."""
    try:
        if memory is not None:
            _save(root, _MEMORY, memory)
        if state is not None:
            _save(root, _STATE, state)
        if memory is not None and state is not None:
            _tell_sources(root, memory)
    except OSError:
        pass


def _tell_sources(root: str, memory: Memory) -> None:
    """Write down what was generated from, for games that ask whether it still is so."""
    digests = {name: entry.digest for name, entry in memory.resolved.items()}
    path = disk.join(disk.cache_folder(root), _SOURCES)
    disk.put(path, msgspec.json.encode(digests, order="sorted"))


def _load(root: str, name: str, type: type[_T]) -> _T | None:
    try:
        held = disk.read(disk.join(root, disk.CACHE, name))
        digest, data = held[:_DIGEST], held[_DIGEST:]
        # What is inside is decoded later, where nobody expects that it is damaged.
        if digest != _digest(data):
            return None
        return msgspec.msgpack.decode(data, type=type)
    except (OSError, msgspec.DecodeError, RecursionError):
        return None


def _save(root: str, name: str, content: msgspec.Struct) -> None:
    folder, data = disk.cache_folder(root), msgspec.msgpack.encode(content)
    disk.put(disk.join(folder, name), _digest(data) + data)


def _digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=_DIGEST).digest()
