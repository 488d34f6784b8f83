"""Checks of file names: names that collide on some systems, and names that Windows reserves."""

from __future__ import annotations

import re
import unicodedata

_DEVICES = re.compile(r"con|prn|aux|nul|(conin|conout|clock)\$?|(com|lpt)[\d¹²³]")


def comparable_name(name: str) -> str:
    """Return a form of a name; names with equal forms may be one file on some systems.

    >>> comparable_name("Straße") == comparable_name("STRASSE")
    True
    """
    folded = unicodedata.normalize("NFC", name.upper().casefold())
    return unicodedata.normalize("NFC", folded.casefold())


def is_device(name: str) -> bool:
    """Return whether a name, without its extension, is that of a device on Windows.

    >>> is_device("Con .png"), is_device("LPT1.tar.gz"), is_device("console")
    (True, True, False)
    """
    stem = name.partition(".")[0].rstrip().lower()
    return _DEVICES.fullmatch(stem) is not None
