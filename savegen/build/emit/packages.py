"""Generate an `__init__.py` in every output folder, so that each is an ordinary package."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.build.emit._paths import HEADER, Layout
from savegen.build.model import Model


def of_project(model: Model, layout: Layout) -> Iterator[tuple[str, str]]:
    """Yield the path and text of each `__init__.py` that contains no mixins."""
    header = HEADER.format("the project's source")
    for path in layout.packages(model):
        yield path, f"{header}\n"
