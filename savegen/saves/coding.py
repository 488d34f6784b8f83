"""Turn snapshots into the bytes of save files and back, without slots or folders."""

from __future__ import annotations

from collections.abc import Container
from typing import TYPE_CHECKING, Any

import msgspec

from savegen.runtime.errors import SaveApplyError, SaveCorruptError, check_argument
from savegen.runtime.world.garbage_collector import PausedCollector
from savegen.runtime.generated.registry import Registry
from savegen.runtime.snapshots.snapshot import Snapshot
from savegen.saves import file
from savegen.saves.arguments import check_arguments, check_manager
from savegen.saves.body import Body, check_slots, read_body
from savegen.saves.consistency import faults
from savegen.saves.file import Compression, Metadata, Progress
from savegen.saves.limits import Guard, Limits, enough_memory, out_of_memory
from savegen.saves.preserved import preserve_recordings
from savegen.saves.reading import (
    has_changed_parts,
    is_current,
    snapshot_of,
    unused_values,
)
from savegen.saves.reports import SaveReport, add_to_report
from savegen.saves.writing import SnapshotWriter

if TYPE_CHECKING:
    from savegen.runtime.manager import SaveLoadManager


@enough_memory
def encode(
    snapshot: Snapshot,
    metadata: Metadata = Metadata(),
    *,
    thumbnail: bytes = b"",
    compress: Compression = "",
    compression_level: int | None = None,
    strict: bool = False,
    limits: Limits = Limits(),
    registry: Registry | None = None,
) -> bytes:
    """Return a snapshot as the bytes of a save file.

    A value that does not fit its field is saved as it is; with `strict`, it raises `SaveError`.
    `compression_level` is from 0 to 9; higher levels give smaller files and take longer. The
    default is 6, and 3 for zstd. A
    snapshot that was decoded but not applied needs the `registry`.

    >>> from savegen.runtime import GameObject, SaveLoadManager
    >>> from savegen.runtime.generated.registry import FORMAT, Registry
    >>> manager = SaveLoadManager(Registry(FORMAT, ()))
    >>> camp = manager.add(GameObject(position=(3.0, 4.0, 0.0)))
    >>> data = encode(manager.create_snapshot())
    >>> manager.clear()
    >>> _ = manager.apply_snapshot(decode(data, manager))
    >>> [thing.transform.position for thing in manager.objects]
    [(3.0, 4.0, 0.0)]
    """
    check_arguments(
        snapshot=snapshot,
        thumbnail=thumbnail,
        compression_level=compression_level,
        limits=limits,
    )
    check_argument("registry", registry, Registry | None, "the generated `REGISTRY`")
    check_argument("metadata", metadata, Metadata, "a `Metadata`")
    with PausedCollector():
        parts, _ = encoded(
            snapshot,
            metadata,
            thumbnail,
            registry=registry,
            compress=compress,
            compression_level=compression_level,
            strict=strict,
            limits=limits,
        )
    return b"".join(parts)


def encoded(
    snapshot: Snapshot,
    metadata: Metadata,
    thumbnail: bytes = b"",
    step: Progress | None = None,
    **options: Any,
) -> tuple[list[bytes], SaveReport]:
    """Return a save file in parts, and the report of the save.

    `options` are those of `SnapshotWriter`. `step` is called after every 1,000 rows or fewer,
    with the number of encoded rows and of all rows.
    """
    with PausedCollector():
        writer = SnapshotWriter(snapshot, **options)
    steps = writer.steps()
    while True:
        # A garbage collection would delay the thread of the game without freeing anything.
        with PausedCollector():
            done = next(steps, None)
            if done is None:
                return writer.finish(metadata, thumbnail), writer.report
        if step is not None:
            step(done, writer.total)


def decode(
    data: bytes, manager: SaveLoadManager | Registry, *, limits: Limits = Limits()
) -> Snapshot:
    """Return the snapshot in a save file, for `apply_snapshot` or `merge`.

    An older save is migrated first. The world of the manager does not change. Raises
    `SaveError` for a file that is damaged, or that the game cannot read.
    """
    try:
        check_arguments(data=data, limits=limits)
        if not isinstance(manager, Registry):
            check_manager(manager)
        save = read(data, limits)
        if isinstance(manager, Registry):
            snapshot = decode_body(save.body, manager, save.guard)
        else:
            snapshot = save.snapshot(manager)
        if save.notes:
            add_to_report(snapshot, {}, save.notes)
        return snapshot
    except MemoryError:
        raise out_of_memory() from None


class VerifiedSave(msgspec.Struct, frozen=True):
    """A save file whose digests were verified, with its journal. Rows are not decoded yet."""

    data: bytes  # the bytes of the file, without the journal
    metadata: Metadata
    body: Body
    guard: Guard  # counts the memory that reading takes
    path: str = ""
    records: int = 0  # records of the journal; `metadata` and `body` include them
    notes: tuple[str, ...] = ()  # which damaged parts were skipped, and why
    fault: str = (
        ""  # the damage of the journal; a last record that is cut short is none
    )

    def snapshot(self, manager: SaveLoadManager, read_only: bool = False) -> Snapshot:
        """Return the snapshot, migrated to the version of the game."""
        registry, prefabs = manager._world.registry, manager._game.prefabs
        return decode_body(
            self.body, registry, self.guard, prefabs=prefabs, read_only=read_only
        )

    @property
    def thumbnail(self) -> bytes:
        """The thumbnail; empty if it is damaged."""
        try:
            return file.read_thumbnail(self.data)
        except SaveCorruptError:
            return b""

    def to_bytes(self, limits: Limits) -> bytes:
        """Return a save file with this metadata and body, and with the original thumbnail."""
        return file.save_file(
            self.body.sections(),
            self.metadata,
            self.thumbnail,
            file.read_header(self.data).compression,
            limits,
        )


def read(
    data: bytes,
    limits: Limits = Limits(),
    progress: Progress | None = None,
    guard: Guard | None = None,
) -> VerifiedSave:
    """Return the save in a file after verifying its digests.

    `progress` is called with the number of bytes verified and the number of all bytes. Raises
    `SaveCorruptError`, `SaveLimitError` and `SaveVersionError`.
    """
    is_complete = guard is None  # not a record of a journal
    guard = guard or Guard(limits, len(data))
    header = file.verify(data, limits, progress)
    body = read_body(file.sections(data, header, guard), guard)
    if is_complete:
        check_slots(body)
    fault = file.thumbnail_fault(data, header)
    notes = (fault,) if fault else ()
    return VerifiedSave(data, header.metadata, body, guard, notes=notes)


def decode_body(
    body: Body,
    registry: Registry,
    guard: Guard,
    *,
    prefabs: Container[Any] | None = None,
    read_only: bool = False,
) -> Snapshot:
    """Return the snapshot of a body; a body of an older version is migrated first.

    `prefabs` are the numbers of the prefabs of the game; objects of other prefabs are preserved.
    With `read_only`, as much as possible is read of a save from a newer version of the game.
    """
    with PausedCollector():
        snapshot = None
        if is_current(body, registry, prefabs):
            snapshot = snapshot_of(body, registry, guard)
        if snapshot is None or has_changed_parts(snapshot, registry, prefabs):
            snapshot = _updated(body, registry, guard, prefabs, read_only)
        preserve_recordings(snapshot)
        counts, notes = unused_values(body, snapshot)
        if counts:
            add_to_report(snapshot, counts, notes)
        return snapshot


def _updated(
    body: Body,
    registry: Registry,
    guard: Guard,
    prefabs: Container[Any] | None,
    read_only: bool,
) -> Snapshot:
    """Return the snapshot of a save from another version of the game."""
    # Imported here, because most saves have the current version.
    from savegen.saves import older

    try:
        updated = older.updated(
            body, registry, guard, prefabs=prefabs, read_only=read_only
        )
        snapshot = snapshot_of(updated.body, registry, guard, updated.preserved)
    except SaveCorruptError as error:
        is_migrated = body.world.save_version < registry.save_version
        if not is_migrated or any(faults(body, guard)):
            raise
        # The file is undamaged, so no older save is better.
        raise SaveApplyError(
            f"the migrations from version {body.world.save_version} to"
            f" {registry.save_version} left an inconsistent save: {error}; correct them"
        ) from error
    snapshot.report = updated.report
    has_changed_parts(snapshot, registry, prefabs)  # gives parts their names
    return snapshot
