"""What level authors see of a prefab: the exposed fields of its parts, under their names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from savegen.model import Field, Model, Part, Prefab, SavedClass


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
        cls = model.class_named(part.cls)
        shown = dict(part.shown)
        for field in cls.fields if cls else ():
            name = shown.get(field.name, field.exposed)
            if cls and name is not None:
                yield Parameter(name, part, cls, field)
