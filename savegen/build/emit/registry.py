"""Generate the registry of saveable classes."""

from __future__ import annotations

import builtins
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from functools import cache
from itertools import count
from typing import NamedTuple

from savegen.build.emit._environment import render
from savegen.build.emit._paths import HEADER, Layout
from savegen.build.emit._types import as_code, tuple_of
from savegen.build.emit.components import cells_apart, differs_function, row_name
from savegen.build.model import (
    HOOKS,
    METHOD,
    Field,
    Model,
    SavedClass,
    SavedModule,
    all_records,
    walk,
)
from savegen.build.stored_types import StoredTypes

# The names that the file itself defines or imports.
_DEFINED = (
    "ClassEntry FORMAT CodecAdapter METHODS PrefabType REGISTRY Registry"
    " value_entry".split()
)


class Earlier(NamedTuple):
    """The registry that the last run wrote, and the modules whose entries are still right."""

    text: str = ""
    modules: Container[str] = ()

    def entries(self, codec_import: str, module_imports: str) -> dict[str, str]:
        """Return its entries by generated base; none if its imports differ.

        An entry contains the aliases of modules, which the imports define.
        """
        head, *texts = self.text.split(_ENTRY_START)
        has_codecs = (
            f"\n{codec_import}\n" in head if codec_import else _CODECS not in head
        )
        is_same = has_codecs and f"\n\n{module_imports}\nFORMAT" in head
        entries = (text.partition(_ENTRY_END)[0] for text in texts if is_same)
        return {
            entry.strip().partition(",")[0]: f"{_ENTRY_START}{entry}{_ENTRY_END}"
            for entry in entries
        }


_ENTRY_START, _ENTRY_END = "        ClassEntry(\n", "\n        ),\n"
_CODECS = "from savegen.runtime.values.codecs"


def of_project(
    model: Model, layout: Layout, earlier: Earlier = Earlier()
) -> Iterator[tuple[str, str]]:
    """Yield the path and text of `registry.py`; entries in `earlier` are not written again."""
    has_lambdas = any(
        cls.initial_values or any(field.default_code for field in cls.fields)
        for cls in model.classes
    )
    taken = set(_DEFINED)
    if has_lambdas:  # the code of defaults may call builtins
        taken |= {"imported", *dir(builtins)}
    types = StoredTypes.of_model(model)
    values = sorted(_values(model, types), key=lambda value: value.name)
    codecs = ["CodecAdapter"] if any(value.codec for value in values) else []
    if any(value.name == METHOD for value in values):
        codecs.append(_METHODS)
    codec_import = f"{_CODECS} import {', '.join(codecs)}" if codecs else ""
    counts = Counter(cls.qualname for cls in model.classes)
    context = model, types, counts, _METHODS in codecs
    marked = [module for module in model.modules.values() if module.classes]
    modules = [_Module(module, layout, taken) for module in marked]
    module_imports = "".join(f"{each.import_statement}\n" for each in modules)
    written = earlier.entries(codec_import, module_imports)
    for module, each in zip(marked, modules, strict=True):
        is_same = module.name in earlier.modules
        for cls in module.classes:
            entry = written.get(f"{each.alias}.{cls.mixin}") if is_same else None
            each.entries.append(entry or _entry(cls, each, *context))
    text = render(
        "registry.jinja",
        header=HEADER.format("the project's source"),
        modules=modules,
        codec_import=codec_import,
        imports=any(map(_calls_imported, model.classes)),
        values=values,
        save_version=model.save_version,
        migrations=[(each.to, each.function) for each in model.migrations],
        retired=tuple_of(map(str, model.retired)),
    )
    yield layout.path("registry.py"), text


def _calls_imported(cls: SavedClass) -> bool:
    """Return whether a default of a class calls the function `imported`."""
    codes = [field.default_code for field in cls.fields]
    codes += [code for _, code in cls.initial_values]
    return any("imported(" in code for code in codes)


def _values(model: Model, types: StoredTypes) -> Iterator[_ValueClass]:
    """Yield the enumerations, plain classes and classes with codecs in fields.

    Those of fields that the class saves itself count, because its rows may hold their values.
    """
    records = all_records(model)
    waiting = [*{field.kind for cls in model.classes for field in cls.fields}]
    waiting += [record.kind for record in records.values()]
    waiting += [k for m in model.modules.values() for k in m.undeclared_kinds]
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
            elif kind.kind == "subclass":
                yield _ValueClass(kind.name, types.stored(records[kind.name].kind))
            elif kind.kind == "method":
                yield _ValueClass(kind.name, types.stored(kind))
            elif kind.kind in ("record", "value"):
                record = records[kind.name]
                waiting += [part for _, part, _ in record.fields]
                yield _ValueClass(kind.name, types.record(record.kind))


_METHODS = "METHODS"  # in `savegen.runtime.values.codecs`


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

    def __init__(self, module: SavedModule, layout: Layout, taken: set[str]) -> None:
        self.name = module.name
        dotted = layout.relative(module)
        package, _, last = dotted.rpartition(".")
        self.alias = _unique_alias(_alias(dotted), taken)
        package = ".components" + (f".{package}" if package else "")
        if not dotted:
            package, last = ".", "components"
        name = last if last == self.alias else f"{last} as {self.alias}"
        self.import_statement = f"from {package} import {name}"
        self.function = f"_import_{self.alias}"
        self.entries: list[str] = []  # texts of `ClassEntry(…)`


def _entry(
    cls: SavedClass,
    module: _Module,
    model: Model,
    types: StoredTypes,
    counts: Mapping[str, int],
    has_methods: bool,
) -> str:
    """Return the text of one `ClassEntry`. `counts` tells how many classes have each name."""
    methods = {hook: [m for mark, m in cls.hooks if mark == hook] for hook in HOOKS}
    converted = model.converted_fields(cls)
    return render(
        "registry_entry.jinja",
        module=module,
        mixin=cls.mixin,
        row=row_name(cls),
        differs=differs_function(cls),
        apart=_tuple_of_names(cells_apart(cls)),
        of=as_code(cls.of[0]) if cls.of else "",
        fields=[
            f"({_quoted(field.attribute)}, {_quoted(types.of(field))}),"
            for field in cls.fields
        ],
        hooks=[
            (hook, _tuple_of_names(names)) for hook, names in methods.items() if names
        ],
        prepared=_tuple_of_names(cls.prepared_by),
        methods=_tuple_of_names(cls.methods) if has_methods else "",
        rewinds=cls.rewinds,
        behaviors=[(key, _tuple_of_names(pair)) for key, *pair in cls.behaviors],
        limits=[(f.number, _bounds(f)) for f in cls.fields if f.limits],
        defaults=[(f.number, f.default_code) for f in cls.fields if f.default_code],
        transient=_tuple_of_names(cls.transient_attributes),
        unsaved=[(as_code(n), _function(code)) for n, code in cls.initial_values],
        converters=[(field.number, each.function) for field, each in converted],
        former=cls.former_numbers,
        # The full name, if two classes share the short one.
        full_name=cls.name.replace(":", ".") if counts[cls.qualname] > 1 else "",
        retired=tuple_of(map(str, cls.retired)),
    )


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
