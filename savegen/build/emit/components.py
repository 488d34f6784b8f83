"""Generate a file of mixins for each source file with saveable classes."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.build.emit._cells import CellTypes
from savegen.build.emit._environment import render
from savegen.build.emit._expressions import Expressions
from savegen.build.emit._names import Names, growing_items
from savegen.build.emit._paths import HEADER, Layout
from savegen.build.emit._records import Records
from savegen.build.emit._views import ClassView, RecordView, UnionView, taken_names
from savegen.build.model import SavedModule


def of_module(module: SavedModule, layout: Layout) -> Iterator[tuple[str, str]]:
    """Yield the path and text of the mixins of a module, if it has saveable classes."""
    if module.classes:
        yield layout.mixins(module), _mixins(module, layout)


def _mixins(module: SavedModule, layout: Layout) -> str:
    taken = taken_names(module.classes)
    records = Records(module, taken)
    names = Names(taken, layout.types_module(module))
    expressions, cells = Expressions(names, records), CellTypes(names, records)
    classes = [ClassView(cls, expressions, cells) for cls in module.classes]
    body = render("components.jinja", classes=classes, n=names)
    for record in records.used:
        view = RecordView(record, expressions)
        body += render("record.jinja", r=view, n=names)
    for kind, suffix in growing_items(expressions.unions):
        union = UnionView(kind, suffix, expressions)
        body += render("union.jinja", u=union, n=names)
    head = render("cells.jinja", cells=cells, e=expressions, n=names)
    return render(
        "module.jinja",
        header=HEADER.format(module.path),
        module=module.name,
        imports=names.imports,
        checker_imports=names.checker_imports,
        n=names,
        body=(head + body).rstrip("\n"),
    )
