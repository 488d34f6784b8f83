"""A snapshot as the bytes of a save file, and back, without any folder."""

from __future__ import annotations

from collections.abc import Container
from typing import TYPE_CHECKING, Any

import msgspec

from savegen.runtime.collecting import Paused
from savegen.runtime.registry import Registry
from savegen.runtime.snapshot import Snapshot
from savegen.saves import file
from savegen.saves.body import Body, read_body
from savegen.saves.file import Compression, Metadata, Progress
from savegen.saves.limits import Guard, Limits, enough_memory, out_of_memory
from savegen.saves.reading import is_current, snapshot_of
from savegen.saves.reports import SaveReport
from savegen.saves.writing import Writer

if TYPE_CHECKING:
    from savegen.runtime.manager import SaveLoadManager


@enough_memory
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
    with Paused():
        pieces, _ = encoded(
            snapshot,
            metadata,
            thumbnail,
            registry=registry,
            compress=compress,
            level=level,
            strict=strict,
            limits=limits,
        )
    return b"".join(pieces)


def encoded(
    snapshot: Snapshot,
    metadata: Metadata,
    thumbnail: bytes = b"",
    step: Progress | None = None,
    **options: Any,
) -> tuple[list[bytes], SaveReport]:
    """Return a file in parts, and the report of what was wrong with the world.

    `options` are those of `Writer`. `step` is called after at most 1,000 rows each, with the
    rows that are done, and of all.
    """
    with Paused():
        writer = Writer(snapshot, **options)
    steps = writer.steps()
    while True:
        # A collection now would stop the game's thread, and would not find anything.
        with Paused():
            done = next(steps, None)
            if done is None:
                return writer.finish(metadata, thumbnail), writer.report
        if step is not None:
            step(done, writer.total)


def decode(
    data: bytes, manager: SaveLoadManager | Registry, *, limits: Limits = Limits()
) -> Snapshot:
    """Return the snapshot that a save file holds, for `apply_snapshot` or `merge`.

    An older save is migrated first. The world of the manager is as it was. Raises
    `SaveError` for a file that is damaged, or that the game cannot read.
    """
    try:
        found = read(data, limits)
        if isinstance(manager, Registry):
            return decode_body(found.body, manager, found.guard)
        return found.snapshot(manager)
    except MemoryError:
        raise out_of_memory() from None


class Content(msgspec.Struct, frozen=True):
    """A save that was read and verified, with its journal; no row is decoded yet."""

    data: bytes  # of the file, without the journal
    metadata: Metadata
    body: Body
    guard: Guard  # of the memory that reading it takes
    path: str = ""
    records: int = 0  # of the journal, which `metadata` and `body` include
    notes: tuple[str, ...] = ()  # what was skipped, and why
    fault: str = ""  # what is wrong with the journal, if it is not only torn

    def snapshot(self, manager: SaveLoadManager, read_only: bool = False) -> Snapshot:
        """Return the snapshot, brought to the version of the game."""
        registry, prefabs = manager.world.registry, manager.prefabs
        return decode_body(
            self.body, registry, self.guard, prefabs=prefabs, read_only=read_only
        )

    def written(self, limits: Limits) -> bytes:
        """Return metadata and body as one file, with the thumbnail of the one that was read."""
        return file.written(
            self.body.sections(),
            self.metadata,
            file.read_thumbnail(self.data),
            file.read_head(self.data).compression,
            limits,
        )


def read(
    data: bytes,
    limits: Limits = Limits(),
    progress: Progress | None = None,
    guard: Guard | None = None,
) -> Content:
    """Return the content of a file, after all digests in it were verified.

    `progress` is called with the bytes that were verified, and their number. Raises
    `SaveCorruptError`, `SaveLimitError` and `SaveVersionError`.
    """
    guard = guard or Guard(limits, len(data))
    head = file.verify(data, limits, progress)
    body = read_body(file.sections(data, head, guard), guard)
    return Content(data, head.metadata, body, guard)


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
