"""A snapshot as the bytes of a save file, and back, without any folder."""

from __future__ import annotations

from msgspec.structs import replace

from savegen.runtime.manager import SaveLoadManager
from savegen.runtime.saves.container import container
from savegen.runtime.saves.older import migrate
from savegen.runtime.saves.world import pack, unpack
from savegen.runtime.saves.container.container import Format
from savegen.runtime.saves.container.limits import Limits
from savegen.runtime.saves.metadata import Metadata
from savegen.runtime.snapshot import Snapshot


def encode(
    snapshot: Snapshot,
    metadata: Metadata = Metadata(),
    *,
    thumbnail: bytes = b"",
    compress: bool = False,
    format: Format = "msgpack",
) -> bytes:
    """Return a snapshot as a save file, in bytes.

    Raises `SaveError` for what `decode` would refuse: it names object and field.

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
    document = pack.pack(snapshot)
    about = replace(metadata, save_version=document.save_version)
    return b"".join(
        container.write(document, about, thumbnail, compress=compress, format=format)
    )


def decode(
    data: bytes, manager: SaveLoadManager, *, limits: Limits = Limits()
) -> Snapshot:
    """Return the snapshot that a save file holds, for `apply_snapshot` or `merge`.

    An older save is migrated first. The world of the manager is as it was. Raises
    `SaveError` for a file that is damaged, or that the game cannot read.
    """
    _, document = container.read(data, limits)
    today = migrate.migrate(document, manager.world.registry)
    return unpack.unpack(today, manager)
