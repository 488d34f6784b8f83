"""Store the results of scanning and resolving by module, so that the next run can reuse them.

Without this file a build only takes longer. It is plain data: a manipulated file can cause wrong
results, but cannot run code.
"""

from __future__ import annotations

import hashlib

import msgspec

from savegen import disk

FILES = _MEMORY, _SOURCES = "memory", "sources"
_DIGEST = 16  # bytes of the digest at the beginning of the file, which reveals damage

# The same type as in `savegen.findings`, which this module must not import.
FindingFacts = tuple[tuple[str, int, int, int, int], str, int, str, str | None, str]


class Resolved(msgspec.Struct, array_like=True):
    """The result of resolving one module, and the files that the result depends on."""

    digest: str
    asked: dict[str, str]  # other module → its digest, "" if absent
    ancestors: tuple[str, ...]
    saved: bytes
    findings: list[FindingFacts] = []
    silences: bool = False  # has ignore comments


class Memory(msgspec.Struct, array_like=True):
    """The stored results of a run, by module."""

    key: str
    all_ancestors: tuple[str, ...] = ()
    search: bytes = b""  # result of the search for marked modules
    declarations: dict[str, tuple[str, bytes]] = {}  # digest, declarations
    resolved: dict[str, Resolved] = {}
    # Text before and after black, of the generated files that every change affects.
    formatted: dict[str, tuple[str, str]] = {}


def load(root: str, key: str) -> Memory:
    """Return the stored memory; an empty one if it is absent, damaged or has another `key`."""
    try:
        held = disk.read(disk.join(root, disk.CACHE, _MEMORY))
        digest, data = held[:_DIGEST], held[_DIGEST:]
        # The nested bytes are decoded later, where errors are not handled.
        if digest == _digest(data):
            found = msgspec.msgpack.decode(data, type=Memory)
            return found if found.key == key else Memory(key)
    except (OSError, msgspec.DecodeError, RecursionError):
        pass
    return Memory(key)


def save(root: str, memory: Memory) -> None:
    """Write the memory for the next run. Raises `OSError`."""
    folder, data = disk.cache_folder(root), msgspec.msgpack.encode(memory)
    disk.put(disk.join(folder, _MEMORY), _digest(data) + data)


def save_sources(root: str, memory: Memory) -> None:
    """Write the digests of the source modules, so that a game can check for changes.

    Raises `OSError`.
    """
    digests = {name: entry.digest for name, entry in memory.resolved.items()}
    path = disk.join(disk.cache_folder(root), _SOURCES)
    disk.put(path, msgspec.json.encode(digests, order="sorted"))


def _digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=_DIGEST).digest()
