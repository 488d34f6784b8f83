"""Names of files: which of them are one name on some system."""

from __future__ import annotations

import unicodedata


def same_on_disk(name: str) -> str:
    """Return what is the same for names that some file system takes for one.

    >>> same_on_disk("Straße") == same_on_disk("STRASSE")
    True
    """
    folded = unicodedata.normalize("NFC", name.upper().casefold())
    return unicodedata.normalize("NFC", folded.casefold())
