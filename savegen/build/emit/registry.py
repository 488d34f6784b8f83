"""Generate the registry of saveable classes."""

from __future__ import annotations

import builtins
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from itertools import count
from typing import NamedTuple

from savegen.build.emit._environment import render
from savegen.build.emit._paths import HEADER, Layout
from savegen.build.emit._types import as_code, tuple_of
from savegen.build.emit.components import differs_function, row_name
from savegen.build.model import (
    HOOKS,
    METHOD,
    Field,
    Model,
    SavedClass,
    SavedModule,
    walk,
)
from savegen.build.stored_types import StoredTypes

# The names that the file itself defines or imports.
_DEFINED = (
    "ClassEntry FORMAT CodecAdapter METHODS PrefabType REGISTRY Registry"
    " value_entry".split()
)


def of_project(model: Model, layout: Layout) -> Iterator[tuple[str, str]]:
    """Yield the path and text of `registry.py`."""
    has_lambdas = any(
        cls.initial_values or any(field.default_code for field in cls.fields)
        for cls in model.classes
    )
    taken = set(_DEFINED)
    if has_lambdas:  # the code of defaults may call builtins
        taken |= {"imported", *dir(builtins)}
    with_classes = (module for module in model.modules.values() if module.classes)
    types = StoredTypes.of_model(model)
    values = sorted(_values(model, types), key=lambda value: value.name)
    codecs = ["CodecAdapter"] if any(value.codec for value in values) else []
    if any(value.name == METHOD for value in values):
        codecs.append(_METHODS)
    counts = Counter(cls.qualname for cls in model.classes)
    modules = [
        _Module(module, layout, taken, model, types, counts) for module in with_classes
    ]
    text = render(
        "registry.jinja",
        header=HEADER.format("the project's source"),
        modules=modules,
        imports=_uses_imported(modules),
        values=values,
        codecs=codecs,
        save_version=model.save_version,
        migrations=[(each.to, each.function) for each in model.migrations],
        retired=tuple_of(map(str, model.retired)),
    )
    yield layout.path("registry.py"), text


def _uses_imported(modules: list[_Module]) -> bool:
    """Return whether a default calls the function `imported`."""
    entries = (entry for module in modules for entry in module.classes)
    return any(
        "imported(" in code
        for entry in entries
        for _, code in (*entry.defaults, *entry.initial_of_unsaved)
    )


def _values(model: Model, types: StoredTypes) -> Iterator[_ValueClass]:
    """Yield the enumerations, plain classes and classes with codecs in fields."""
    records = {each.name: each for m in model.modules.values() for each in m.records}
    fields = (field for cls in model.classes for field in cls.fields)
    waiting = [*{field.kind for field in fields if not field.override}]
    seen: set[tuple[str, str]] = set()
    while waiting:
        for kind in walk(waiting.pop()):
            if (kind.kind, kind.name) in seen:
                continue
            seen.add((kind.kind, kind.name))
            if kind.kind == "enum" and kind.name != "Literal":
                yield _ValueClass(kind.name, types.stored(kind))
            elif kind.kind == "foreign":
                yield _ValueClass(kind.name, types.stored(kind), kind.values[0])
            elif kind.kind == "method":
                yield _ValueClass(kind.name, types.stored(kind))
            elif kind.kind in ("record", "value"):
                record = records[kind.name]
                waiting += [part for _, part, _ in record.fields]
                if record.style != "typeddict":
                    yield _ValueClass(kind.name, types.record(record.kind))


_METHODS = "METHODS"  # in `savegen.runtime.codecs`


class _ValueClass(NamedTuple):
    """One class of values: an enumeration, a plain class, or a class with a codec.

    The name of bound methods is `METHOD`.
    """

    name: str
    stored: str
    codec: str = ""

    @property
    def text(self) -> str:
        if self.name == METHOD:
            return f"{_METHODS},"
        stored = as_code(self.stored)
        if self.codec:
            names = f"{as_code(self.name)}, {as_code(self.codec)}"
            return f"CodecAdapter({names}).entry({stored}),"
        return f"value_entry({as_code(self.name)}, {stored}),"


class _Module:
    """A module of mixins, with a unique alias in the registry."""

    def __init__(
        self,
        module: SavedModule,
        layout: Layout,
        taken: set[str],
        model: Model,
        types: StoredTypes,
        counts: Mapping[str, int],
    ) -> None:
        """`counts` tells how many classes have each name."""
        self.name = module.name
        dotted = layout.relative(module)
        package, _, last = dotted.rpartition(".")
        self.alias = _unique_alias(_alias(dotted), taken)
        self.package = ".components" + (f".{package}" if package else "")
        if not dotted:
            self.package, last = ".", "components"
        self.import_name = last if last == self.alias else f"{last} as {self.alias}"
        self.function = f"_import_{self.alias}"
        self.classes = [_Entry(cls, model, types) for cls in module.classes]
        for entry, cls in zip(self.classes, module.classes, strict=True):
            if (
                counts[cls.qualname] > 1
            ):  # the full name, because two share the short one
                entry.name = cls.name.replace(":", ".")


class _Entry:
    """The arguments of one `ClassEntry`, as code."""

    def __init__(self, cls: SavedClass, model: Model, types: StoredTypes) -> None:
        self.mixin = cls.mixin
        self.row = row_name(cls)
        self.differs = differs_function(cls)
        self.of = as_code(cls.of[0]) if cls.of else ""
        self.fields = [
            f"({_quoted(field.attribute)}, {_quoted(types.of(field))}),"
            for field in cls.fields
        ]
        methods = {hook: [m for mark, m in cls.hooks if mark == hook] for hook in HOOKS}
        self.hooks = [
            (hook, _tuple_of_names(names)) for hook, names in methods.items() if names
        ]
        self.methods = _tuple_of_names(cls.methods)
        self.prepared = _tuple_of_names(cls.prepared_by)
        self.limits = [(f.number, _bounds(f)) for f in cls.fields if f.limits]
        self.behaviors = [(key, _tuple_of_names(pair)) for key, *pair in cls.behaviors]
        # A class that saves a field itself also sets its initial value.
        fields = [field for field in cls.fields if not field.override]
        self.defaults = [(f.number, f.default_code) for f in fields if f.default_code]
        self.initial_of_unsaved = [
            (as_code(n), _function(code)) for n, code in cls.initial_values
        ]
        self.transient = _tuple_of_names(cls.transient_attributes)
        converted = model.converted_fields(cls)
        self.converters = [(field.number, each.function) for field, each in converted]
        self.retired = tuple_of(map(str, cls.retired))
        self.former = cls.former_numbers
        self.name = ""  # only needed if two classes share a name


def _function(code: str) -> str:
    return f"lambda cls: {code}" if code else "None"


def _bounds(field: Field) -> str:
    """Return the limits of a field as the source code of a dict."""
    bounds = (f'"{word}": {bound}' for word, bound in field.limits)
    return f"{{{', '.join(bounds)}}}"


_quoted: Callable[[str], str] = cache(as_code)  # most names and types occur many times


def _tuple_of_names(names: Iterable[str]) -> str:
    return tuple_of(f'"{name}"' for name in names)


def _alias(dotted: str) -> str:
    """Return a name for a module, of at most 60 characters, so that the registry's lines fit."""
    names = (dotted.replace(".", "_") or "components", dotted.rpartition(".")[2])
    return next((name for name in names if len(name) <= 60), "module")


def _unique_alias(name: str, taken: set[str]) -> str:
    """Return the first of `name`, `name_2`, … that is not taken, and add it to `taken`.

    The same holds for its function, `_import_<name>`.
    """
    alias = next(
        candidate
        for number in count(1)
        for candidate in [name if number == 1 else f"{name}_{number}"]
        if taken.isdisjoint((candidate, f"_import_{candidate}"))
    )
    taken |= {alias, f"_import_{alias}"}
    return alias
