"""Find the types that savegen cannot save, in fields and in the records that fields hold."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from savegen.build.kinds import Kind
from savegen.build.model import SavedClass, SavedModule, kinds_in
from savegen.findings import Span


class RefusedType(NamedTuple):
    """One type that cannot be saved."""

    span: Span
    path: str  # `trail`, `stats.callback`
    text: str
    kind: Kind
    is_inside: bool  # the type of an element, and not of the whole field


def refused_types(
    cls: SavedClass, module: SavedModule, reason: str
) -> Iterator[RefusedType]:
    """Yield the types in the fields of a class that were refused for one reason.

    Inherited fields are included, because the base may not be saveable, or a type variable may
    have another value there. They are reported at their own place.
    """
    for field in cls.fields if module.has_refused_type else ():
        if field.override:
            continue
        outermost: dict[str, Kind] = {}
        for path, kind in kinds_in(field, module):
            whole = outermost.setdefault(path, kind)
            if kind.kind == "refused" and kind.name == reason:
                is_inside = kind is not whole and kind not in _members(whole)
                yield RefusedType(field.span, path, kind.values[0], kind, is_inside)


def _members(kind: Kind) -> tuple[Kind, ...]:
    """Return the members of a union."""
    return kind.parts if kind.kind == "union" else ()
