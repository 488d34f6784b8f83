"""Checks of the names of slots, each of which must be a valid folder name on every system."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from pathlib import Path

from savegen.runtime.errors import SaveError
from savegen.runtime.values.basics.filenames import comparable_name, is_device

SHARED = "_shared"  # the folder of the saves that all slots share
MAX_LENGTH = 64  # letters
# In UTF-8. Names of files may have 255 bytes, and names in the trash contain that of the slot.
_MAX_BYTES = 160
_INVISIBLE_LETTERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0")
_ALLOWED = "letters, digits, '_', and inside also spaces, '-' and '.'"


def slot_name(name: str, what: str = "a slot") -> str:
    """Return the normalised name of a slot. Raises `SaveError` for a forbidden name.

    `what` says in the error what has the name.

    >>> slot_name("Zoe\\u0308 2") == "Zo\\u00eb 2"
    True
    >>> slot_name("../x")
    Traceback (most recent call last):
        ...
    savegen.runtime.errors.SaveError: a slot cannot be called '../x': '/' is not allowed; use letters, digits, '_', and inside also spaces, '-' and '.'
    """
    if not isinstance(name, str):
        raise SaveError(f"the name of {what} must be a str, not {name!r}")
    normal = unicodedata.normalize("NFC", name)
    if fault := _fault(normal):
        raise SaveError(f"{what} cannot be called {name!r}: {fault}")
    return normal


def app_folder(name: str) -> Path:
    """Return the folder in which the operating system keeps the data of an app for its user.

    The name must be allowed for a slot, too. Raises `ValueError`, and `SaveError` if the home of
    the user is unknown.

    >>> app_folder("../x")
    Traceback (most recent call last):
        ...
    ValueError: an app cannot be called '../x': '/' is not allowed; use letters, digits, '_', and inside also spaces, '-' and '.'
    """
    if not isinstance(name, str):
        raise ValueError(f"the name of an app must be a str, not {name!r}")
    normal = unicodedata.normalize("NFC", name)
    if fault := _fault(normal):
        raise ValueError(f"an app cannot be called {name!r}: {fault}")
    # Imported here, because a game that names the folder itself does not need it.
    import platformdirs

    try:
        folder = platformdirs.user_data_path(normal, appauthor=False)
    except RuntimeError as error:
        reason = str(error)
    else:
        if not str(folder).startswith("~"):  # as older versions of platformdirs return
            return folder
        reason = "the home folder of the user is unknown; set the variable HOME"
    raise SaveError(f"there is no folder for the saves of {name!r}: {reason}")


def is_slot_name(name: str) -> bool:
    return not _fault(name) and unicodedata.is_normalized("NFC", name)


def _fault(name: str) -> str:
    if not name:
        return "it is empty"
    for letter in name:
        if letter not in " -." and not _may_be_at_end(letter):
            return f"{letter!r} is not allowed; use {_ALLOWED}"
    if not _may_be_at_end(name[0]) or not _may_be_at_end(name[-1]):
        return "it must begin and end with a letter, a digit or '_'"
    if len(name) > MAX_LENGTH:
        return f"it is longer than {MAX_LENGTH} letters"
    if len(name.encode()) > _MAX_BYTES:
        return f"it is longer than {_MAX_BYTES} bytes in UTF-8"
    if is_device(name):
        return "Windows has a device of that name"
    if comparable_name(name) == SHARED:
        return "the saves that all slots share have that name"
    return ""


def _may_be_at_end(letter: str) -> bool:
    """Return whether a name may begin and end with a character: a letter, an accent or a digit."""
    if letter.isascii():  # most are
        return letter.isalnum() or letter == "_"
    category = unicodedata.category(letter)
    is_variation_selector = "\ufe00" <= letter <= "\ufe0f" or letter >= "\U000e0000"
    if letter in _INVISIBLE_LETTERS or is_variation_selector:
        return False
    return category[0] in "LM" or category == "Nd"


def check_distinct(slot: str, slots: Iterable[str]) -> None:
    """Raise `SaveError` if a slot would share the folder of another slot on some system."""
    for other in slots:
        if other != slot and comparable_name(other) == comparable_name(slot):
            raise SaveError(
                f"a slot cannot be called {slot!r}: the slot {other!r} exists, and some systems"
                " do not distinguish the two names"
            )
