"""Find refused types in fields, and in the plain classes that fields hold."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from savegen.build.kinds import Kind
from savegen.build.model import SavedClass, SavedModule, reached
from savegen.findings import Span


class Refused(NamedTuple):
    """One type that cannot be saved."""

    span: Span
    path: str  # `trail`, `stats.callback`
    text: str
    kind: Kind
    is_inside: bool  # a container or the like, not the value of the field itself


def refused(cls: SavedClass, module: SavedModule, reason: str) -> Iterator[Refused]:
    """Yield the types that were refused for one reason.

    Inherited fields are included and reported at their own place: the base need not be
    saveable, and a type variable may stand for another type there.
    """
    for field in cls.fields if module.refused else ():
        if field.override:
            continue
        wholes: dict[str, Kind] = {}
        for path, kind in reached(field, module):
            whole = wholes.setdefault(path, kind)
            if kind.kind == "refused" and kind.name == reason:
                is_inside = kind is not whole and kind not in _members(whole)
                yield Refused(field.span, path, kind.values[0], kind, is_inside)


def _members(kind: Kind) -> tuple[Kind, ...]:
    """Return the members of a union."""
    return kind.parts if kind.kind == "union" else ()
