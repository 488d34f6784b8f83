"""The numbers of classes and prefabs, for generated code and for the game."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.build.emit._environment import render
from savegen.build.emit._paths import HEADER, Layout
from savegen.build.model import Model


def of_project(model: Model, layout: Layout) -> Iterator[tuple[str, str]]:
    """Yield path and text of `types.py`."""
    classes = sorted((cls.member, cls.number) for cls in model.classes)
    text = render(
        "types.jinja",
        header=HEADER.format("savegen.lock"),
        classes=classes,
        prefabs=model.prefab_types,
    )
    yield layout.path("types.py"), text


of_prefabs = of_project  # their numbers stand beside those of classes
