"""A save into a world: everything is read and checked before anything is changed."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from savegen.runtime.collecting import Paused
from savegen.runtime.load import LoadReport
from savegen.runtime.manager import SaveLoadManager
from savegen.runtime.saves.world.attic import attic_of
from savegen.runtime.saves.document import Document
from savegen.runtime.saves.older.migrate import migrate
from savegen.runtime.saves.world.unpack import unpack


def apply(
    manager: SaveLoadManager,
    document: Document,
    levels: Callable[[], object] | None = None,
    *,
    read_only: bool = False,
) -> LoadReport:
    """Make the world of a manager what a document says.

    An older document is migrated first, a copy of it. With `levels` the world is cleared, and
    `levels` is called to start the level that the save was made in. A save of a newer version
    of the game is loaded only if it is `read_only`: what is not known of it is not kept.

    Raises `SaveError`; the world is then as it was before.
    """
    with Paused():  # once, however many steps pause it too
        return _applied(manager, document, levels, read_only)


def _applied(
    manager: SaveLoadManager,
    document: Document,
    levels: Callable[[], object] | None,
    read_only: bool,
) -> LoadReport:
    registry = manager.world.registry
    today = migrate(document, registry, read_only=read_only)
    snapshot = unpack(today, manager, is_once=True)
    aside = attic_of(snapshot.aside).counts()
    if levels is None:
        report = manager.apply_snapshot(snapshot)
    else:
        report = manager.restart(levels, snapshot)
    versions = range(document.save_version + 1, today.save_version + 1)
    return replace(report, kept_aside=aside, migrations=tuple(versions))
