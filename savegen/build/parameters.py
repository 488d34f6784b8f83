"""The parameters of a prefab: the fields of its parts that levels can set, and their names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from savegen.build.model import Field, Model, PrefabPart, PrefabClass, SavedClass


class Parameter(NamedTuple):
    """A field of a part that levels can set under `name`."""

    name: str
    part: PrefabPart
    cls: SavedClass
    field: Field


def parameters(prefab: PrefabClass, model: Model) -> Iterator[Parameter]:
    """Yield the parameters of a prefab, part by part, in source order.

    A part whose class is not in the model has no parameters.
    """
    for part in prefab.parts:
        if cls := model.class_named(part.cls):
            for name, field in parameters_of_part(part, cls):
                yield Parameter(name, part, cls, field)


def parameters_of_part(
    part: PrefabPart, cls: SavedClass
) -> Iterator[tuple[str, Field]]:
    """Yield the parameter name and the field of each parameter of one part."""
    shown = dict(part.shown)
    for field in cls.fields:
        name = shown.get(field.name, field.exposed)
        if name is not None:
            yield name, field
