"""Generate the enumerations with the numbers of classes and prefabs."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.build.emit._environment import render
from savegen.build.emit._paths import HEADER, Layout
from savegen.build.model import Model


def of_project(model: Model, layout: Layout) -> Iterator[tuple[str, str]]:
    """Yield the path and text of `types.py`."""
    classes = sorted((cls.enum_member, cls.number) for cls in model.classes)
    text = render(
        "types.jinja",
        header=HEADER.format("savegen.lock"),
        classes=classes,
        prefabs=model.prefab_types,
    )
    yield layout.path("types.py"), text


of_prefabs = of_project  # pass 2 writes the file again, with the numbers of prefabs
