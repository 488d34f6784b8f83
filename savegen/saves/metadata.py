"""What a save says about itself in its header: for the list that a player chooses from."""

from __future__ import annotations

from typing import Any

import msgspec

MOST = 64 * 1024  # bytes, as JSON


class Metadata(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The first part of a save file.

    >>> Metadata(title="At the gate", playtime=61.5).title
    'At the gate'
    """

    title: str = ""
    time: str = ""  # when it was saved, in UTC: "2026-01-31T18:05:09Z"
    playtime: float = 0.0  # seconds
    game_version: str = ""
    save_version: int = 0  # of the game that wrote it; migrations start there
    schema: str = ""  # changes when the saved fields of any class do
    level: str | None = None  # to start before the save is applied
    level_digest: str = ""
    slot: str = ""
    generation: int = 0  # within the slot
    lineage: str = ""  # shared by saves that follow each other
    parent: str = ""  # the digest of the save that this one follows
    # Lineages whose slot this one has taken over, latest first.
    replaces: tuple[str, ...] = ()
    extra: dict[str, Any] = {}  # plain JSON of the game's
