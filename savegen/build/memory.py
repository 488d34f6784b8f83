"""What was found in the sources, by module: what need not be read again.

Losing it costs time, nothing else. It is plain data: a foreign file can mislead, but not run code.
"""

from __future__ import annotations

import hashlib

import msgspec

from savegen import disk

FILES = _MEMORY, _SOURCES = "memory", "sources"
_DIGEST = 16  # bytes in front of a file, so that no damage is taken for content

# As in `savegen.findings`, which this file must not know.
FindingFacts = tuple[tuple[str, int, int, int, int], str, int, str, str | None, str]


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


def load(root: str, key: str) -> Memory:
    """Return what is remembered, nothing if there is nothing to be used."""
    try:
        held = disk.read(disk.join(root, disk.CACHE, _MEMORY))
        digest, data = held[:_DIGEST], held[_DIGEST:]
        # What is inside is decoded later, where nobody expects that it is damaged.
        if digest == _digest(data):
            found = msgspec.msgpack.decode(data, type=Memory)
            return found if found.key == key else Memory(key)
    except (OSError, msgspec.DecodeError, RecursionError):
        pass
    return Memory(key)


def save(root: str, memory: Memory) -> None:
    """Keep the memory for the next run. Raises `OSError`."""
    folder, data = disk.cache_folder(root), msgspec.msgpack.encode(memory)
    disk.put(disk.join(folder, _MEMORY), _digest(data) + data)


def tell_sources(root: str, memory: Memory) -> None:
    """Write down what was generated from, for games that ask whether it still is so.

    Raises `OSError`.
    """
    digests = {name: entry.digest for name, entry in memory.resolved.items()}
    path = disk.join(disk.cache_folder(root), _SOURCES)
    disk.put(path, msgspec.json.encode(digests, order="sorted"))


def _digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=_DIGEST).digest()
