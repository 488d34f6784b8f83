"""What a save may be, so that nobody's file can use up a player's machine."""

from __future__ import annotations

from dataclasses import dataclass

from savegen.runtime.errors import SaveLimitError

MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that a save may hold. A save that holds more is neither written nor read.

    Whatever they are, reading takes no more memory than 32 MiB and 16 times the size.

    >>> Limits(objects=2).allow("the number of objects", "objects", 3)
    Traceback (most recent call last):
        ...
    savegen.runtime.errors.SaveLimitError: the number of objects is 3; at most 2 are allowed
    """

    size: int = 1024 * MIB  # bytes, uncompressed
    thumbnail: int = 16 * MIB  # bytes
    tables: int = 10_000
    columns: int = 200_000  # of all tables
    objects: int = 50_000_000  # components and game objects included
    column: int = 256 * MIB  # bytes of one field of 1,000 objects, or of one text
    name: int = 4096  # characters in the name of a class or field
    depth: int = 512  # brackets within brackets in JSON

    def allow(self, what: str, limit: str, got: int) -> None:
        """Raise `SaveLimitError` if `got` is above the limit of that name."""
        most: int = getattr(self, limit)
        if got > most:
            raise SaveLimitError(what, most, got)
