"""Generate the serializers of prefabs, which convert their JSON form in levels to rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from savegen.build.emit._docs import docstring
from savegen.build.emit._environment import render
from savegen.build.emit._forms import (
    Forms,
    StructField,
    class_import,
    simple_name,
    style_of,
)
from savegen.build.emit._names import Names, growing_items
from savegen.build.emit._paths import HEADER, Layout
from savegen.build.emit._prefabs import (
    ANY,
    Component,
    ProjectPrefabs,
    attributes,
    class_name,
    former_names,
)
from savegen.build.emit._types import as_code, tuple_of
from savegen.build.json_forms import LIBRARY_FIELDS, library_form
from savegen.build.model import Kind, Model, PrefabClass, PlainRecord, upper_snake


def of_prefabs(model: Model, layout: Layout) -> Iterator[tuple[str, str]]:
    """Yield the path and text of `prefabs.py`."""
    prefabs = ProjectPrefabs(model)
    shown = {name for each in prefabs.components for name, _ in each.shown}
    records = prefabs.json_forms.records.values()
    inner = {part.name for record in records for part in _parts_of(record)}
    in_json = attributes(shown | inner | LIBRARY_FIELDS)
    classes = {class_name(tag) for tag in prefabs.serializers.values()}
    names = Names(classes | {ANY, *in_json.values()}, ".types")
    forms = Forms(names, prefabs.json_forms, prefabs.serializers, in_json)
    components = {
        id(each): _ComponentView(each, names, forms, model, layout)
        for each in prefabs.components
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
        functions=[_FunctionView(kind, name, forms) for kind, name in functions],
        structs=_structs(forms),
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
            value = forms.unpack(field.kind, f"it.{attribute}")
            value = forms.checked(shown, field, value)
            self.values.append((attribute, as_code(field.name), value))
        self.parameters = [forms.parameter(*shown) for shown in component.shown]


class _SerializerView:
    """The names and parts of the serializer of one prefab."""

    def __init__(
        self,
        prefab: PrefabClass,
        prefabs: ProjectPrefabs,
        components: dict[int, _ComponentView],
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


def _structs(forms: Forms) -> Iterator[_Struct]:
    """Yield the structs that annotations use, and those that they use themselves."""
    for kind, name in growing_items(forms.structs):
        yield _Struct(name, [forms.member(*each) for each in _members(kind, forms)])


def _members(kind: Kind, forms: Forms) -> Iterator[tuple[str, Kind, bool]]:
    """Yield the name and kind of each field of a struct, and whether it is optional."""
    if record := forms.record(kind):
        for part in _parts_of(record):
            yield part.name, part.kind, part.optional
    elif library := library_form(kind):
        number = Kind("scalar", f"builtins.{library.number}")
        yield from ((name, number, False) for name in library.fields)


# -- the functions that create values

# Names used inside these functions. A class of the game with one of these names is imported
# under another name.
_LOCAL = frozenset(
    "it result values name references Any Any_ UNSET UNSET_ dict str bytes set_field".split()
)


class _RecordPart(NamedTuple):
    """One field of a plain class."""

    name: str  # in JSON
    attribute: str  # that holds it in the object
    kind: Kind
    keyword: str  # of the constructor; "" if it has no such parameter
    optional: bool  # may be left out of a new object


def _parts_of(record: PlainRecord) -> list[_RecordPart]:
    """Return the fields of a plain class, with their names in JSON."""
    pairs = zip(record.fields, record.constructor_arguments)
    return [
        _RecordPart(_json_name(record, name, keyword), name, kind, keyword, optional)
        for (name, kind, _), (keyword, optional) in pairs
    ]


def _json_name(record: PlainRecord, name: str, keyword: str) -> str:
    if record.style == "typeddict":
        return name
    return name if not name.startswith("_") else keyword.lstrip("_") or name


class _FunctionView:
    """A function that creates a value from its JSON form."""

    def __init__(self, kind: Kind, function: str, forms: Forms) -> None:
        self.function = function
        self.refers = forms.refers(kind)
        self.name = simple_name(kind)
        self.style = style_of(kind, forms.record(kind))
        self.module, self.imported, self.cls = class_import(kind, self.style, _LOCAL)
        self.codec = as_code(kind.values[0]) if self.style == "codec" else ""
        library = library_form(kind) if self.style == "vector" else None
        self.members = [f"it.{name}" for name in library.fields] if library else []
        required: list[tuple[str, str]] = []
        # Arguments that may be absent: the attribute that holds them, names and values.
        self.optional: list[tuple[str, str, str]] = []
        # Fields that the constructor does not take, which are set after it.
        self.set_later: list[tuple[str, str, str]] = []
        record = forms.record(kind)
        for part in _parts_of(record) if record else ():
            attribute = forms.attributes[part.name]
            value = forms.unpack(part.kind, f"it.{attribute}")
            if not part.optional:
                required.append((part.keyword, value))
            elif part.keyword:
                self.optional.append((attribute, as_code(part.keyword), value))
            if not part.keyword:
                self.set_later.append((attribute, as_code(part.attribute), value))
        # The arguments of the constructor, and the same as entries of a dict.
        self.keywords = [f"{name}={value}" for name, value in required]
        self.entries = [f"{as_code(name)}: {value}" for name, value in required]
