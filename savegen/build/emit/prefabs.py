"""Generate the serializers of prefabs, which convert their JSON form in levels to rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from savegen.build.emit._docs import docstring
from savegen.build.emit._environment import render
from savegen.build.emit._forms import Forms, StructField
from savegen.build.emit._functions import FunctionView, parts_of
from savegen.build.emit._names import Names, growing_items
from savegen.build.emit._paths import HEADER, Layout
from savegen.build.emit._prefabs import (
    ANY,
    Component,
    Prefabs,
    attributes,
    class_name,
    former_names,
)
from savegen.build.emit._types import as_code, tuple_of
from savegen.build.json_forms import LIBRARY_FIELDS, library_form
from savegen.build.model import Kind, Model, Prefab, upper_snake, walk


def of_prefabs(model: Model, layout: Layout) -> Iterator[tuple[str, str]]:
    """Yield the path and text of `prefabs.py`."""
    prefabs = Prefabs(model)
    shown = {s.name for c in prefabs.components() for s in c.shown}
    records = prefabs.json_forms.records.values()
    inner = {part.name for record in records for part in parts_of(record)}
    in_json = attributes(shown | inner | LIBRARY_FIELDS)
    classes = {class_name(tag) for tag in prefabs.serializers.values()}
    names = Names(classes | {ANY, *in_json.values()}, ".types")
    forms = Forms(names, prefabs.json_forms, prefabs.serializers, in_json)
    components = {
        id(each): _ComponentView(each, names, forms, model, layout)
        for each in prefabs.components()
        if each.shown
    }
    # The serializers are prepared before the functions and structs that they need.
    serializers = [_SerializerView(p, prefabs, components) for p in prefabs.all]
    functions = growing_items(forms.functions)
    text = render(
        "prefabs.jinja",
        header=HEADER.format("the project's prefabs"),
        serializers=serializers,
        components=[*components.values()],
        functions=[FunctionView(kind, name, forms) for kind, name in functions],
        structs=_Structs(forms).all(),
        forms=forms,
        n=names,
    )
    yield layout.path("prefabs.py"), text


class _ComponentView:
    """The parameters of a class, and the function that collects those that a level sets."""

    def __init__(
        self,
        component: Component,
        names: Names,
        forms: Forms,
        model: Model,
        layout: Layout,
    ) -> None:
        cls = component.cls
        self.name = cls.qualname
        self.function = names.unique(
            f"_{upper_snake(cls.qualname.replace('.', '_')).lower()}"
        )
        self.refers = any(forms.refers(field.kind) for _, field in component.shown)
        home = layout.mixins_module(model.modules[cls.module])
        self.mixin = names.imported_from(home, cls.mixin)
        self.values = []  # attribute in the struct, field and value
        for shown, field in component.shown:
            attribute = forms.attributes[shown]
            value = forms.from_json(field.kind, f"it.{attribute}")
            value = forms.checked(shown, field, value)
            self.values.append((attribute, as_code(field.name), value))
        self.parameters = [forms.parameter(*shown) for shown in component.shown]


class _SerializerView:
    """The names and parts of the serializer of one prefab."""

    def __init__(
        self, prefab: Prefab, prefabs: Prefabs, components: dict[int, _ComponentView]
    ) -> None:
        tag = prefabs.serializers[prefab.name]
        self.name = class_name(tag)
        self.tag = as_code(tag)
        self.doc = docstring(prefab.doc, 4)
        self.member = prefab.enum_member
        self.former_tags = tuple_of(map(as_code, prefabs.former_tags(prefab)))
        parts = [(part, prefabs.component(part)) for part in prefab.parts]
        shown = [(part, each) for part, each in parts if each and each.shown]
        renamed = former_names(each for _, each in shown)
        self.former_names = [f"{as_code(a)}: {as_code(b)}" for a, b in renamed.items()]
        self.parts = [
            (part.number, components[id(each)], _comment(part.name))
            for part, each in shown
        ]


def _comment(text: str) -> str:
    return f"  # {text}" if text.isascii() else ""


class _Struct(NamedTuple):
    """A struct that decodes the JSON form of a plain class."""

    name: str
    fields: list[StructField]


class _Structs:
    """Writes the structs that decode plain classes; each struct follows those that it uses."""

    def __init__(self, forms: Forms) -> None:
        self._forms = forms
        self._done: dict[Kind, _Struct] = {}
        self._started: set[Kind] = set()

    def all(self) -> Iterator[_Struct]:
        """Yield the structs that the annotations use."""
        for kind, _ in growing_items(self._forms.structs):
            self._write(kind)
        yield from self._done.values()

    def _write(self, kind: Kind) -> None:
        if kind in self._started:
            return
        self._started.add(kind)
        fields = list(self._fields(kind))
        self._done[kind] = _Struct(self._forms.struct(kind), fields)

    def _members(self, kind: Kind) -> Iterator[tuple[str, Kind, bool]]:
        """Yield the name and kind of each field of a struct, and whether it is optional."""
        if record := self._forms.record(kind):
            for part in parts_of(record):
                yield part.name, part.kind, part.optional
        elif library := library_form(kind):
            number = Kind("scalar", f"builtins.{library.number}")
            yield from ((name, number, False) for name in library.fields)

    def _fields(self, kind: Kind) -> Iterator[StructField]:
        for name, inner, optional in self._members(kind):
            self._forms.json_type(inner)
            used = [each for each in walk(inner) if each in self._forms.structs]
            for each in used:
                self._write(each)
            undefined = any(each not in self._done for each in used)
            yield self._forms.member(name, inner, optional, undefined)
