"""Values as level authors write them: what generated serializers and links cannot say alone."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import Flag
from typing import Any

import msgspec

from savegen.runtime.assets import AssetRegistry
from savegen.runtime.errors import SaveError, a


def asset_of(assets: AssetRegistry | None, id: str) -> Any:
    """Return the asset that a level names. Raises `SaveError` if nobody knows it.

    >>> asset_of(None, "sword")
    Traceback (most recent call last):
        ...
    savegen.runtime.errors.SaveError: the level names the asset 'sword', but no asset registry was given
    """
    if assets is None:
        raise SaveError(
            f"the level names the asset {id!r}, but no asset registry was given"
        )
    return assets[id]


def matching(text: str, pattern: str) -> str:
    """Return what a level says. Raises `SaveError` if it does not look as it must.

    >>> matching("1/2", "^[0-9]+/[0-9]+$")
    '1/2'
    """
    if re.search(pattern, text) is None:
        raise SaveError(f"{text!r} must match {pattern}")
    return text


class PlacedId(str):
    """The `$id` of something in a level: where a field wants a component, until it is there.

    `wanted` are the classes that the field allows, by name.

    >>> PlacedId("vault", ("game.doors:Door",)) == "vault"
    True
    """

    __slots__ = ("wanted",)
    wanted: tuple[str, ...]

    def __new__(cls, id: str, wanted: tuple[str, ...]) -> PlacedId:
        made = super().__new__(cls, id)
        made.wanted = wanted
        return made


def named(id: str | None, *wanted: str) -> PlacedId | None:
    """Return what stands for a component of one of some classes; `None` for `None`.

    >>> named("vault", "game.doors:Door").wanted, named(None, "game.doors:Door")
    (('game.doors:Door',), None)
    """
    return None if id is None else PlacedId(id, wanted)


def unnamed(value: Any) -> Any:
    """Return `None` for `None`. Raises `SaveError` for anything else: it has no id yet.

    >>> unnamed(None) is None
    True
    """
    if value is not None:
        raise SaveError(
            f"{a(type(value).__qualname__)} has no id until a level assigns one"
        )


def flag_names(flags: Flag) -> list[str]:
    """Return the names of the members that are combined in a value.

    Raises `SaveError` if one of its bits has no name.

    >>> class Doors(Flag):
    ...     NORTH = 1
    ...     SOUTH = 2
    >>> flag_names(Doors.NORTH | Doors.SOUTH), flag_names(Doors(0))
    (['NORTH', 'SOUTH'], [])
    """
    members = list(flags)
    if sum(member.value for member in members) != flags.value:
        raise SaveError(f"{flags!r} has a bit without a name")
    return [str(member.name) for member in members]


def in_order(members: Iterable[Any]) -> list[Any]:
    """Return what a set holds, as JSON, in an order that is always the same.

    >>> in_order({"b", "a"})
    ['a', 'b']
    """
    return sorted(members, key=msgspec.json.encode)
