"""One file of mixins for each source file with saveable classes."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.emit._environment import render
from savegen.emit._expressions import Expressions
from savegen.emit._names import Names, growing
from savegen.emit._paths import HEADER, Layout
from savegen.emit._views import CheckView, ClassView, RecordView
from savegen.model import SavedModule, walk


def of_module(module: SavedModule, layout: Layout) -> Iterator[tuple[str, str]]:
    """Yield path and text of the mixins of a module, if it has any."""
    if module.classes:
        yield layout.mixins(module), _mixins(module, layout)


def _mixins(module: SavedModule, layout: Layout) -> str:
    taken = {name for cls in module.classes for name in ClassView.names(cls)}
    names = Names(taken, layout.types_module(module))
    records = {record.name: record for record in module.records}
    expressions = Expressions(names, records, _told_apart(module))
    classes = [ClassView(cls, names, expressions) for cls in module.classes]
    body = render("components.jinja", classes=classes, n=names)
    body += "".join(_copying(expressions, names))
    body += render(
        "checks.jinja", checks=_checks(expressions), classes=classes, n=names
    )
    return render(
        "module.jinja",
        header=HEADER.format(module.path),
        module=module.name,
        imports=names.imports,
        checker_imports=names.checker_imports,
        n=names,
        body=body.rstrip("\n"),
    )


def _told_apart(module: SavedModule) -> frozenset[str]:
    """Return the classes that share a union with others: no type checker knows which it is."""
    kinds = [field.kind for cls in module.classes for field in cls.fields]
    kinds += [kind for record in module.records for _, kind, _ in record.fields]
    unions = (kind for outer in kinds for kind in walk(outer) if kind.kind == "union")
    members = ([p.name for p in union.parts if p.name != "None"] for union in unions)
    return frozenset(name for names in members if len(names) > 1 for name in names)


def _copying(expressions: Expressions, names: Names) -> Iterator[str]:
    """Yield the functions that copy records."""
    for (name, way), function in growing(expressions.functions):
        record = expressions.record(name)
        view = RecordView(record, way, function, names, expressions)
        yield render("record.jinja", record=view, n=names)


def _checks(expressions: Expressions) -> list[CheckView]:
    """Return the checks of the game's own types."""
    return [CheckView(name, expressions) for name, _ in growing(expressions.types)]
