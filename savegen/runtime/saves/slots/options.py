"""What may be said of a save, and that nothing else is."""

from __future__ import annotations

from math import isfinite
from typing import Any, TypedDict, get_args

from savegen.runtime.errors import SaveError, nearest
from savegen.runtime.saves.container.container import Format


class SaveOptions(TypedDict, total=False):
    """What may be said of a save, beside its slot."""

    title: str
    playtime: float  # seconds
    thumbnail: bytes  # a picture, PNG say
    level: str | None  # that is to be loaded before it
    level_digest: str
    extra: dict[str, Any]  # plain JSON, for the game's own list
    compress: bool  # a smaller file, that takes longer
    format: Format  # "json" for people
    new_lineage: bool  # begin anew, beside what is in the slot


_KINDS: dict[str, tuple[type, ...]] = {
    "title": (str,),
    "playtime": (int, float),
    "thumbnail": (bytes,),
    "level": (str, type(None)),
    "level_digest": (str,),
    "extra": (dict,),
    "compress": (bool,),
    "format": (str,),
    "new_lineage": (bool,),
}


def check_options(options: SaveOptions) -> None:
    """Raise `SaveError` for an option that there is not, or that is of another kind.

    Ignored, a misspelt `title` would be missed only when a player looks for the save.
    """
    for name, value in options.items():
        if name not in _KINDS:
            raise SaveError(f"a save has no option {nearest(name, _KINDS)}")
        _check_kind(name, value)
    if not isfinite(options.get("playtime", 0.0)):
        raise SaveError("the option `playtime` of a save is a number of seconds")
    known, asked = get_args(Format), options.get("format", "msgpack")
    if asked not in known:
        raise SaveError(f"a save has no format {nearest(asked, known)}")


def _check_kind(name: str, value: object) -> None:
    kinds = _KINDS[name]
    if not isinstance(value, kinds) or type(value) is bool and bool not in kinds:
        wanted = " or ".join(kind.__name__ for kind in kinds)
        found = type(value).__name__
        raise SaveError(f"the option `{name}` of a save is {wanted}, not {found}")
