"""A name that levels knew a field by must not be another's now: it could mean either."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.lock.faults import WasStillThere
from savegen.model import SavedClass, SavedModule
from savegen.report import Finding


def in_class(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    shown = {f.exposed: f.attribute for f in cls.fields if f.exposed is not None}
    for field in cls.fields:
        for was in field.was:
            if shown.get(was, field.attribute) != field.attribute:
                yield WasStillThere(field.span, field.name, was, "field")
