"""The valid names of slots: those that every system accepts as the name of a folder."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from savegen.runtime.errors import SaveError
from savegen.runtime.filenames import is_device, same_on_disk

MOST = 64  # letters
# In UTF-8: a file's name may have 255 bytes, and temporary names are longer.
_MOST_BYTES = 160
# Letters that are invisible.
_UNSEEN = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0")
_ALLOWED = "letters, digits, spaces, and '-', '_' and '.' inside"


def slot_name(name: str) -> str:
    """Return the normalised name of a slot. Raises `SaveError` for a forbidden name.

    >>> slot_name("Zoe\\u0308 2") == "Zo\\u00eb 2"
    True
    >>> slot_name("../x")
    Traceback (most recent call last):
        ...
    savegen.runtime.errors.SaveError: a slot cannot be called '../x': '/' is not among letters, digits, spaces, and '-', '_' and '.' inside
    """
    if not isinstance(name, str):
        raise SaveError(f"a slot's name is a text, not {name!r}")
    normal = unicodedata.normalize("NFC", name)
    if fault := _fault(normal):
        raise SaveError(f"a slot cannot be called {name!r}: {fault}")
    return normal


def is_slot_name(name: str) -> bool:
    return not _fault(name) and unicodedata.is_normalized("NFC", name)


def _fault(name: str) -> str:
    if not name:
        return "it is empty"
    for letter in name:
        if letter not in " -." and not _is_end(letter):
            return f"{letter!r} is not among {_ALLOWED}"
    if not _is_end(name[0]) or not _is_end(name[-1]):
        return "it must begin and end with a letter or a digit"
    if len(name) > MOST or len(name.encode()) > _MOST_BYTES:
        return f"it is longer than {MOST} letters"
    if is_device(name):
        return "Windows has a device of that name"
    return ""


def _is_end(letter: str) -> bool:
    """Return whether a name may begin and end with a character: a letter, its mark, or a digit."""
    kind = unicodedata.category(letter)
    is_variant = "\ufe00" <= letter <= "\ufe0f" or letter >= "\U000e0000"
    if letter in _UNSEEN or is_variant:
        return False
    return kind[0] in "LM" or kind == "Nd" or letter == "_"


def check_no_twin(slot: str, slots: Iterable[str]) -> None:
    """Raise `SaveError` if a slot would share the folder of another slot on some system."""
    for other in slots:
        if other != slot and same_on_disk(other) == same_on_disk(slot):
            raise SaveError(
                f"a slot cannot be called {slot!r}: the slot {other!r} exists, and some systems"
                " do not distinguish the two names"
            )
