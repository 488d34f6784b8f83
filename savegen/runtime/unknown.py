"""What becomes of what a game does not know any more."""

from __future__ import annotations

from enum import Enum


class OnUnknown(Enum):
    """What becomes of saved things that the game does not know any more.

    >>> OnUnknown("drop")
    <OnUnknown.DROP: 'drop'>
    """

    ERROR = "error"  # nothing is loaded
    PLACEHOLDER = "placeholder"  # they are kept as they were saved
    DROP = "drop"  # they are left out, and references to them are None


class MissingAsset:
    """Stands for an asset that the game does not know any more.

    >>> MissingAsset("axe")
    <missing asset 'axe'>
    """

    def __init__(self, id: str) -> None:
        self.id = id

    def __repr__(self) -> str:
        return f"<missing asset {self.id!r}>"
