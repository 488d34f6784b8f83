"""Generate a file of mixins for each source file with saveable classes."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.build.emit._environment import render
from savegen.build.emit._names import Names, growing_items
from savegen.build.emit._paths import HEADER, Layout
from savegen.build.emit._values import Values
from savegen.build.emit._views import ClassView, RecordView, UnionView, taken_names
from savegen.build.model import SavedModule


def of_module(module: SavedModule, layout: Layout) -> Iterator[tuple[str, str]]:
    """Yield the path and text of the mixins of a module, if it has saveable classes."""
    if module.classes:
        yield layout.mixins(module), _mixins(module, layout)


def _mixins(module: SavedModule, layout: Layout) -> str:
    names = Names(taken_names(module.classes), layout.types_module(module))
    values = Values(module, names)
    unions = growing_items(values.unions)
    return render(
        "components.jinja",
        header=HEADER.format(module.path),
        module=module.name,
        classes=[ClassView(cls, values) for cls in module.classes],
        records=[RecordView(record, values) for record in values.records],
        unions=(UnionView(kind, suffix, values) for kind, suffix in unions),
        v=values,
        n=names,
    )
