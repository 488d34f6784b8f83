"""What level authors see of a prefab: the exposed fields of its parts, under their names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from savegen.build.model import Field, Model, Part, Prefab, SavedClass


class Parameter(NamedTuple):
    """One field of one part, as level authors know it."""

    name: str
    part: Part
    cls: SavedClass
    field: Field


def parameters(prefab: Prefab, model: Model) -> Iterator[Parameter]:
    """Yield what can be set of a prefab, part by part, in source order.

    A part whose class the model does not know has nothing to show.
    """
    for part in prefab.parts:
        if cls := model.class_named(part.cls):
            for name, field in shown_by(part, cls):
                yield Parameter(name, part, cls, field)


def shown_by(part: Part, cls: SavedClass) -> Iterator[tuple[str, Field]]:
    """Yield the fields of a part's class that level authors see, under their names."""
    shown = dict(part.shown)
    for field in cls.fields:
        name = shown.get(field.name, field.exposed)
        if name is not None:
            yield name, field
