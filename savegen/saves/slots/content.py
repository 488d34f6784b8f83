"""What slots do with the content of save files."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from savegen.runtime.collecting import Paused
from savegen.runtime.reports import LoadReport
from savegen.runtime.snapshot import Snapshot
from savegen.saves import coding, file
from savegen.saves.body import Body
from savegen.saves.file import Compression, FileWriter, Progress
from savegen.saves.limits import Guard, Limits
from savegen.saves.metadata import Metadata
from savegen.saves.reports import SaveReport
from savegen.saves.schema import fingerprint
from savegen.saves.writing import Writer

if TYPE_CHECKING:
    from savegen.runtime import SaveLoadManager


class Content(NamedTuple):
    """A save file that was verified, and not decoded yet."""

    metadata: Metadata
    body: Body
    guard: Guard  # of the memory that reading it takes


def read(data: bytes, limits: Limits, progress: Progress | None = None) -> Content:
    """Return the content of a file; every byte of it is verified.

    Raises `SaveCorruptError`, `SaveLimitError` and `SaveVersionError`.
    """
    guard = Guard(limits, len(data))
    body = coding.read(data, limits, progress, guard=guard)
    return Content(file.read_head(data).metadata, body, guard)


def write(content: Content, like: bytes, limits: Limits) -> bytes:
    """Return content as a file, with the thumbnail and the compression of another file."""
    writer = FileWriter(file.read_head(like).compression, limits=limits)
    for section in content.body.sections():
        writer.add(section)
    return b"".join(writer.finish(content.metadata, file.read_thumbnail(like)))


def encode(
    snapshot: Snapshot,
    metadata: Metadata,
    thumbnail: bytes,
    compress: Compression,
    limits: Limits,
    step: Progress | None = None,
) -> tuple[list[bytes], SaveReport]:
    """Return a file in parts, and the report of what was wrong with the world.

    `step` is called after at most 1,000 rows each, with the rows that are done, and of all.
    """
    with Paused():
        writer = Writer(snapshot, compress=compress, limits=limits)
    steps = writer.steps()
    while True:
        # A collection now would stop the game's thread, and would not find anything.
        with Paused():
            done = next(steps, None)
        if done is None:
            return writer.finish(metadata, thumbnail), writer.report
        if step is not None:
            step(done, writer.total)


def decode(content: Content, manager: SaveLoadManager, read_only: bool) -> Snapshot:
    """Return the snapshot in a file, brought to the version of the game."""
    registry, guard = manager.world.registry, content.guard
    return coding.decode_body(
        content.body, registry, guard, prefabs=manager.prefabs, read_only=read_only
    )


def apply(
    manager: SaveLoadManager,
    snapshot: Snapshot,
    levels: Callable[[], object] | None,
) -> LoadReport:
    """Make the world of a manager what a snapshot says; `levels` are started first."""
    if levels is None:
        return manager.apply_snapshot(snapshot)
    return manager.restart(levels, snapshot)


def stamp(manager: SaveLoadManager) -> tuple[int, str]:
    """Return the save version of a game, and a digest of what it saves of its classes."""
    registry = manager.world.registry
    return registry.save_version, fingerprint(registry)
