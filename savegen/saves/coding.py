"""A snapshot as the bytes of a save file, and back, without any folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from collections.abc import Container
from typing import Any

from savegen.runtime.collecting import Paused
from savegen.runtime.registry import Registry
from savegen.runtime.snapshot import Snapshot
from savegen.saves import file
from savegen.saves.body import Body, read_body
from savegen.saves.file import Compression, Progress
from savegen.saves.limits import Guard, Limits, out_of_memory
from savegen.saves.metadata import Metadata
from savegen.saves.reading import is_current, snapshot_of
from savegen.saves.writing import Writer

if TYPE_CHECKING:
    from savegen.runtime.manager import SaveLoadManager


def encode(
    snapshot: Snapshot,
    metadata: Metadata = Metadata(),
    *,
    thumbnail: bytes = b"",
    compress: Compression = "",
    level: int = 6,
    strict: bool = False,
    limits: Limits = Limits(),
    registry: Registry | None = None,
) -> bytes:
    """Return a snapshot as a save file, in bytes.

    A value that does not fit its field is saved all the same; `strict` raises `SaveError` for
    it. A snapshot that was decoded and not applied yet needs the `registry`.

    >>> from savegen.runtime import GameObject, SaveLoadManager
    >>> from savegen.runtime.registry import FORMAT, Registry
    >>> manager = SaveLoadManager(Registry(FORMAT, ()))
    >>> camp = manager.add(GameObject(position=(3.0, 4.0, 0.0)))
    >>> data = encode(manager.create_snapshot())
    >>> manager.clear()
    >>> _ = manager.apply_snapshot(decode(data, manager))
    >>> [thing.transform.position for thing in manager.objects]
    [(3.0, 4.0, 0.0)]
    """
    writer = Writer(
        snapshot,
        registry,
        compress=compress,
        level=level,
        strict=strict,
        limits=limits,
    )
    try:
        with Paused():
            for _ in writer.steps():
                pass
        return b"".join(writer.finish(metadata, thumbnail))
    except MemoryError:
        raise out_of_memory() from None


def decode(
    data: bytes, manager: SaveLoadManager | Registry, *, limits: Limits = Limits()
) -> Snapshot:
    """Return the snapshot that a save file holds, for `apply_snapshot` or `merge`.

    An older save is migrated first. The world of the manager is as it was. Raises
    `SaveError` for a file that is damaged, or that the game cannot read.
    """
    registry = manager if isinstance(manager, Registry) else manager.world.registry
    try:
        guard = Guard(limits, len(data))
        body = read(data, limits, guard=guard)
        prefabs = None if isinstance(manager, Registry) else manager.prefabs
        return decode_body(body, registry, guard, prefabs=prefabs)
    except MemoryError:
        raise out_of_memory() from None


def read(
    data: bytes,
    limits: Limits = Limits(),
    progress: Progress | None = None,
    *,
    guard: Guard | None = None,
) -> Body:
    """Return what a save file holds, its rows as bytes, after all digests were verified.

    Raises `SaveError`. `progress` is called with the bytes that were verified, and their
    number.
    """
    file.verify(data, limits, progress)
    guard = guard or Guard(limits, len(data))
    return read_body(file.sections(data, limits, guard), guard)


def decode_body(
    body: Body,
    registry: Registry,
    guard: Guard,
    *,
    prefabs: Container[Any] | None = None,
    read_only: bool = False,
) -> Snapshot:
    """Return the snapshot of a body; one of an older version is migrated first.

    `prefabs` are the numbers of those that the game has: what another one made is preserved.
    With `read_only`, a save of a newer version of the game is read as far as possible.
    """
    with Paused():
        if is_current(body, registry, prefabs):
            return snapshot_of(body, registry, guard)
        from savegen.saves import older  # only now: most saves are of today's version

        today = older.updated(
            body, registry, guard, prefabs=prefabs, read_only=read_only
        )
        snapshot = snapshot_of(today.body, registry, guard, today.preserved)
        snapshot.report = today.report
        return snapshot
