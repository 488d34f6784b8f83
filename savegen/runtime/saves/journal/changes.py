"""What has changed in a world since it was last written, as a delta: rows, not the world.

Objects are told apart by numbers that they keep. A class whose rows need nothing else is compared
in memory, and only what differs is packed. All the others, which games have few of, are packed
and compared as a whole.
"""

from __future__ import annotations

from collections.abc import Mapping

from savegen.runtime.saves.journal.comparing import Delta
from savegen.runtime.saves.document import Document
from savegen.runtime.saves.journal.written import Renumbered, Written
from savegen.runtime.snapshot import Snapshot


class Changes:
    """What has been written of a world, and what differs from that."""

    def __init__(self, snapshot: Snapshot) -> None:
        """`snapshot` is what a save holds as a whole."""
        packing = Renumbered(snapshot, None)
        self._now = Written(snapshot, packing, packing.document())

    def since(
        self, after: Snapshot, places: Mapping[type, list[int]]
    ) -> Document | None:
        """Return what differs in `after`; nothing if nothing does. It is what is compared next.

        `places` is what `SaveLoadManager.track` has returned with it. Raises `SaveError` as
        `pack` does; then the last snapshot is still the one that is compared.
        """
        before = self._now
        packing = Renumbered(after, before)
        document = packing.document()
        now = Written(after, packing, document)
        found = Delta(before, now, packing, places).of(document)
        self._now = now
        return found
