"""The closed table of saveable classes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from savegen.emit._environment import render
from savegen.emit._lines import width_of
from savegen.emit._paths import HEADER, Layout
from savegen.emit._rows import Rows
from savegen.model import HOOKS, Field, Model, SavedClass, SavedModule

_OWN = ("ClassEntry", "FORMAT", "REGISTRY", "Registry")  # the names of the file itself


def of_project(model: Model, layout: Layout) -> Iterator[tuple[str, str]]:
    """Yield path and text of `registry.py`."""
    taken = set(_OWN)
    modules = [_Module(m, layout, taken) for m in model.modules.values() if m.classes]
    header = HEADER.format("the project's source")
    text = render("registry.jinja", header=header, modules=modules)
    yield layout.path("registry.py"), text


class _Module:
    """A module of mixins, under a name that no other has in the registry."""

    def __init__(self, module: SavedModule, layout: Layout, taken: set[str]) -> None:
        self.name = module.name
        dotted = layout.relative(module)
        package, _, last = dotted.rpartition(".")
        self.alias = _free(_alias(dotted), taken)
        self.package = ".components" + (f".{package}" if package else "")
        if not dotted:
            self.package, last = ".", "components"
        self.import_name = last if last == self.alias else f"{last} as {self.alias}"
        self.function = f"_import_{self.alias}"
        self.classes = [_Entry(cls) for cls in module.classes]


class _Entry:
    """One class: what the registry names of its mixin, and its methods that are called."""

    def __init__(self, cls: SavedClass) -> None:
        rows = Rows(cls)
        self.mixin = rows.mixin
        self.table = rows.table
        methods = {hook: [m for mark, m in cls.hooks if mark == hook] for hook in HOOKS}
        self.hooks = [(hook, _tuple(found)) for hook, found in methods.items() if found]
        self.prepared = _tuple(list(cls.prepared)) if cls.prepared else ""
        self.limits = [(f.number, _bounds(f)) for f in cls.fields if f.limits]
        self.behaviors = [(key, _tuple(pair)) for key, *pair in cls.behaviors]


def _bounds(field: Field) -> str:
    """Return the limits of a field as a dict that is written out."""
    bounds = (f'"{word}": {bound}' for word, bound in field.limits)
    return f"{{{', '.join(bounds)}}}"


def _tuple(names: list[str]) -> str:
    texts = [f'"{name}"' for name in names]
    return f"({texts[0]},)" if len(texts) == 1 else f"({', '.join(texts)})"


def _alias(dotted: str) -> str:
    """Return a name for a module that leaves room for the rest of a line."""
    names = (dotted.replace(".", "_") or "components", dotted.rpartition(".")[2])
    return next((name for name in names if width_of(name) <= 60), "module")


def _free(name: str, taken: set[str]) -> str:
    """Return the first of `name`, `name_2`, … that is free; its function's name is too."""
    free = next(
        found
        for number in count(1)
        for found in [name if number == 1 else f"{name}_{number}"]
        if taken.isdisjoint((found, f"_import_{found}"))
    )
    taken |= {free, f"_import_{free}"}
    return free
