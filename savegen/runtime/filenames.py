"""Names of files: which of them are one name on some system, and which are no file's on any."""

from __future__ import annotations

import re
import unicodedata

_DEVICES = re.compile(r"con|prn|aux|nul|(conin|conout|clock)\$?|(com|lpt)[\d¹²³]")


def same_on_disk(name: str) -> str:
    """Return what is the same for names that some file system takes for one.

    >>> same_on_disk("Straße") == same_on_disk("STRASSE")
    True
    """
    folded = unicodedata.normalize("NFC", name.upper().casefold())
    return unicodedata.normalize("NFC", folded.casefold())


def is_device(name: str) -> bool:
    """Tell whether Windows takes a name for a device of its own, whatever its ending.

    >>> is_device("Con .png"), is_device("LPT1.tar.gz"), is_device("console")
    (True, True, False)
    """
    stem = name.partition(".")[0].rstrip().lower()
    return _DEVICES.fullmatch(stem) is not None
