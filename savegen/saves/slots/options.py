"""The options of a save."""

from __future__ import annotations

from math import isfinite
from typing import Any, TypedDict

from savegen.runtime.errors import SaveError, nearest
from savegen.saves.file import COMPRESSIONS, Compression


class SaveOptions(TypedDict, total=False):
    """What `SaveSlots.save` accepts beside the slot and the manager."""

    title: str
    playtime: float  # seconds
    thumbnail: bytes  # a picture, for example a PNG
    level: str | None  # to start before the save is applied
    level_digest: str
    extra: dict[str, Any]  # plain JSON, for the game's own list
    compress: Compression  # smaller files, which take longer
    new_lineage: bool  # begin anew, beside the saves in the slot


_TYPES: dict[str, tuple[type, ...]] = {
    "title": (str,),
    "playtime": (int, float),
    "thumbnail": (bytes,),
    "level": (str, type(None)),
    "level_digest": (str,),
    "extra": (dict,),
    "compress": (str,),
    "new_lineage": (bool,),
}


def check_options(options: SaveOptions) -> None:
    """Raise `SaveError` for an unknown option, or a value of another type.

    If it were ignored, a misspelt `title` would be missed only when a player looks for the save.
    """
    for name, value in options.items():
        if name not in _TYPES:
            raise SaveError(f"a save has no option {nearest(name, _TYPES)}")
        _check_type(name, value)
    if not isfinite(options.get("playtime", 0.0)):
        raise SaveError("the option `playtime` of a save is a number of seconds")
    asked = options.get("compress", "")
    if asked not in COMPRESSIONS:
        raise SaveError(f"a save has no compression {nearest(asked, COMPRESSIONS)}")


def _check_type(name: str, value: object) -> None:
    types = _TYPES[name]
    if not isinstance(value, types) or type(value) is bool and bool not in types:
        wanted = " or ".join(each.__name__ for each in types)
        found = type(value).__name__
        raise SaveError(f"the option `{name}` of a save is {wanted}, not {found}")
