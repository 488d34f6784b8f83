"""Generate the program that builds every prefab once, to find the default values of parameters."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.build.emit._environment import render
from savegen.build.emit._paths import HEADER, Layout
from savegen.build.emit._prefabs import ProjectPrefabs
from savegen.build.emit._types import annotation, as_code
from savegen.build.model import Field, Model, SavedClass


def of_prefabs(model: Model, layout: Layout) -> Iterator[tuple[str, str]]:
    """Yield the path and text of `link_prefabs.py`."""
    classes = {each.cls.name: each.cls for each in ProjectPrefabs(model).components}
    text = render(
        "link_prefabs.jinja",
        header=HEADER.format("the project's prefabs"),
        classes=[(cls, _mappings(cls)) for cls in classes.values()],
    )
    yield layout.path("link_prefabs.py"), text


def _mappings(cls: SavedClass) -> list[str]:
    """Return the code of each item that `get_param_name_mappings` of a class returns."""
    return [_mapping(field) for field in cls.fields if field.exposed is not None]


def _mapping(field: Field) -> str:
    texts = map(as_code, (field.name, annotation(field.type), field.exposed))
    return f"({', '.join(texts)}, {field.number})"
