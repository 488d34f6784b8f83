"""The closed table of saveable classes."""

from __future__ import annotations

import builtins
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import count
from typing import NamedTuple

from savegen.build.emit._environment import render
from savegen.build.emit._paths import HEADER, Layout
from savegen.build.emit._records import Records
from savegen.build.emit._types import spelled, tuple_of
from savegen.build.emit._views import differs_function, row_name, taken_names
from savegen.build.model import HOOKS, Field, Model, SavedClass, SavedModule
from savegen.build.stored_types import StoredTypes

# The names of the file itself.
_OWN = "ClassEntry FORMAT Foreign PrefabType REGISTRY Registry value_entry".split()


def of_project(model: Model, layout: Layout) -> Iterator[tuple[str, str]]:
    """Yield path and text of `registry.py`."""
    made = any(
        cls.unsaved or any(field.initial for field in cls.fields)
        for cls in model.classes
    )
    taken = {*_OWN, "imported", *dir(builtins)} if made else set(_OWN)
    saved = (module for module in model.modules.values() if module.classes)
    types = StoredTypes.of_model(model)
    alike = Counter(cls.qualname for cls in model.classes)
    modules = [_Module(module, layout, taken, model, types, alike) for module in saved]
    text = render(
        "registry.jinja",
        header=HEADER.format("the project's source"),
        modules=modules,
        imports=_needs_names(modules),
        values=sorted(_values(modules, types), key=lambda value: value.name),
        save_version=model.save_version,
        migrations=[(each.to, each.function) for each in model.migrations],
        retired=tuple_of(map(str, model.retired)),
    )
    yield layout.path("registry.py"), text


def _needs_names(modules: list[_Module]) -> bool:
    """Return whether something is imported by its name on first use."""
    entries = (entry for module in modules for entry in module.classes)
    return any(
        "imported(" in code
        for entry in entries
        for _, code in (*entry.initial, *entry.unsaved)
    )


def _values(modules: list[_Module], types: StoredTypes) -> Iterator[_Value]:
    """Yield each class of values that fields hold, with the functions of one module."""
    seen: set[str] = set()
    for module in modules:
        for value in module.values(types):
            if value.name not in seen:
                seen.add(value.name)
                yield value


class _Value(NamedTuple):
    """One class of values: an enumeration, one that is its fields, or one with a codec."""

    name: str
    stored: str
    codec: str = ""

    @property
    def text(self) -> str:
        stored = spelled(self.stored)
        if self.codec:
            names = f"{spelled(self.name)}, {spelled(self.codec)}"
            return f"Foreign({names}).entry({stored}),"
        return f"value_entry({spelled(self.name)}, {stored}),"


class _Module:
    """A module of mixins, under a name that no other has in the registry."""

    def __init__(
        self,
        module: SavedModule,
        layout: Layout,
        taken: set[str],
        model: Model,
        types: StoredTypes,
        alike: Mapping[str, int],
    ) -> None:
        """`alike` is how many classes have each name."""
        self.name = module.name
        dotted = layout.relative(module)
        package, _, last = dotted.rpartition(".")
        self.alias = _free(_alias(dotted), taken)
        self.package = ".components" + (f".{package}" if package else "")
        if not dotted:
            self.package, last = ".", "components"
        self.import_name = last if last == self.alias else f"{last} as {self.alias}"
        self.function = f"_import_{self.alias}"
        self.classes = [_Entry(cls, model, types) for cls in module.classes]
        for entry, cls in zip(self.classes, module.classes, strict=True):
            if alike[cls.qualname] > 1:
                entry.name = cls.name.replace(":", ".")
        self._module = module

    def values(self, types: StoredTypes) -> Iterator[_Value]:
        """Yield the enumerations and plain classes that the fields of the module hold."""
        records = Records(self._module, taken_names(self._module.classes))
        fields = (f for cls in self._module.classes for f in cls.fields)
        held = {k for f in fields if not f.override for k in records.reached(f.kind)}
        for kind in held:
            if kind.kind == "enum" and kind.name != "Literal":
                yield _Value(kind.name, types.stored(kind))
            elif kind.kind == "foreign":
                yield _Value(kind.name, types.stored(kind), kind.values[0])
        for record in records.used:
            if record.style != "typeddict":
                yield _Value(record.name, types.record(record.kind))


class _Entry:
    """One class: what the registry names of its mixin, and its methods that are called."""

    def __init__(self, cls: SavedClass, model: Model, types: StoredTypes) -> None:
        self.mixin = cls.mixin
        self.row = row_name(cls)
        self.differs = differs_function(cls)
        self.fields = [
            f"({spelled(field.attribute)}, {spelled(types.of(field))}),"
            for field in cls.fields
        ]
        methods = {hook: [m for mark, m in cls.hooks if mark == hook] for hook in HOOKS}
        self.hooks = [
            (hook, _quoted(found)) for hook, found in methods.items() if found
        ]
        self.prepared = _quoted(cls.prepared)
        self.limits = [(f.number, _bounds(f)) for f in cls.fields if f.limits]
        self.behaviors = [(key, _quoted(pair)) for key, *pair in cls.behaviors]
        # What a class saves itself is its own to begin with, too.
        fields = [field for field in cls.fields if not field.override]
        self.initial = [(f.number, f.initial) for f in fields if f.initial]
        self.unsaved = [(spelled(n), _function(code)) for n, code in cls.unsaved]
        found = model.converted(cls)
        self.converters = [(field.number, each.function) for field, each in found]
        self.retired = tuple_of(map(str, cls.retired))
        self.former = cls.former
        self.name = ""


def _function(code: str) -> str:
    return f"lambda cls: {code}" if code else "None"


def _bounds(field: Field) -> str:
    """Return the limits of a field as a dict that is written out."""
    bounds = (f'"{word}": {bound}' for word, bound in field.limits)
    return f"{{{', '.join(bounds)}}}"


def _quoted(names: Iterable[str]) -> str:
    return tuple_of(f'"{name}"' for name in names)


def _alias(dotted: str) -> str:
    """Return a name for a module that leaves room for the rest of a line."""
    names = (dotted.replace(".", "_") or "components", dotted.rpartition(".")[2])
    return next((name for name in names if len(name) <= 60), "module")


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
