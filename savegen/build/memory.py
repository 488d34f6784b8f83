"""Store the results of scanning and resolving by module, so that the next run can reuse them.

If the stored file is missing, a build only takes longer. It is plain data: a manipulated file
can cause wrong results, but cannot run code.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from savegen import disk

FILES = _MEMORY, _SOURCES = "memory", "sources"

# The same type as in `savegen.findings`, which this module must not import.
FindingFacts = tuple[tuple[str, int, int, int, int], str, int, str, str | None, str]


class ResolvedModule(msgspec.Struct, array_like=True):
    """The result of resolving one module, and the files that the result depends on."""

    digest: str  # of the module's file
    dependencies: dict[str, str]  # other module → its digest, "" if it does not exist
    ancestors: tuple[str, ...]  # the classes from which classes of the module inherit
    saved: bytes  # an encoded `SavedModule`
    inputs: bytes = b""  # digest of its `pass_1_inputs`
    saveable: tuple[str, ...] = ()  # the simple names of its saveable classes
    imports: tuple[str, ...] = ()  # what it imports: modules, and names in them
    mixins: tuple[str, ...] = ()  # the names of their generated base classes
    has_prefabs: bool = False
    findings: list[FindingFacts] = []
    has_ignore_comments: bool = False
    shared: bytes = b"\x90"  # encoded `SharedAttribute`s
    counters: bytes = b"\x90"  # encoded `UnsavedCounter`s


class Memory(msgspec.Struct, array_like=True):
    """The stored results of a run, by module."""

    key: str
    paths: dict[str, str]  # module → its file
    all_ancestors: tuple[str, ...] = ()  # those of all modules
    search: bytes = b""  # result of the search for marked modules
    declarations: dict[str, tuple[str, bytes]] = {}  # file's digest, encoded `Module`
    resolved: dict[str, ResolvedModule] = {}
    # The text before and after black, by path, of generated files for the whole project.
    formatted: dict[str, tuple[str, str]] = {}
    project_findings: list[FindingFacts] = []  # those that need the whole project
    shared: bytes = b""  # digest of the `shared_inputs` of the model
    lock: tuple[bytes, bytes] = b"", b""  # the digest of its file, encoded `Lock`
    assignments: bytes = (
        b""  # result of the search for assignments to shared attributes
    )


def load(root: str, key: str, paths: dict[str, str]) -> Memory:
    """Return the stored memory; an empty one if it is absent, damaged or has another `key`.

    It is also empty if the file of a module in `paths` has moved, such as from `orc.py` to
    `orc/__init__.py`.
    """
    new = Memory(key, paths)
    try:
        # The checksum protects the `bytes` fields, too, which are decoded later.
        data = disk.read_checked(disk.join(root, disk.CACHE, _MEMORY))
        memory = msgspec.msgpack.decode(data, type=Memory)
    except (OSError, msgspec.DecodeError, RecursionError):
        return new
    before, memory.paths = memory.paths, paths
    has_moved = any(before.get(name, path) != path for name, path in paths.items())
    return new if has_moved or memory.key != key else memory


def save(root: str, memory: Memory) -> None:
    """Write the memory for the next run. Raises `OSError`."""
    folder, data = disk.cache_folder(root), msgspec.msgpack.encode(memory)
    disk.write_checked(disk.join(folder, _MEMORY), data)


def save_sources(
    root: str,
    memory: Memory,
    paths: Mapping[str, str],
    stamps: Mapping[str, disk.Stamp],
) -> None:
    """Write the stamps of the source modules, by which a running game notices changes.

    `paths` maps modules to files, and `stamps` maps files to their stamps. Raises `OSError`.
    """
    sources = {
        name: (path, entry.digest, stamp.size, stamp.mtime_ns)
        for name, entry in memory.resolved.items()
        if (path := paths.get(name)) and (stamp := stamps.get(path))
    }
    path = disk.join(disk.cache_folder(root), _SOURCES)
    disk.write(path, msgspec.json.encode(sources, order="sorted"))
