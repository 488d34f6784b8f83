"""Find refused types in fields, and in the plain classes that fields hold."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from savegen.kinds import Kind
from savegen.model import SavedClass, SavedModule, reached
from savegen.report import Span


class Refused(NamedTuple):
    """One type that cannot be saved."""

    span: Span
    path: str  # `trail`, `stats.callback`
    text: str
    kind: Kind


def refused(cls: SavedClass, module: SavedModule, reason: str) -> Iterator[Refused]:
    """Yield the types that were refused for one reason.

    Inherited fields are included and reported at their own place: the base need not be
    saveable, and a type variable may stand for another type there.
    """
    for field in cls.fields if module.refused else ():
        if field.override:
            continue
        for path, kind in reached(field, module):
            if kind.kind == "refused" and kind.name == reason:
                yield Refused(field.span, path, kind.values[0], kind)
