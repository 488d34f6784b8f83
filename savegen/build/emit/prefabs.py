"""Generate the serializers of prefabs, which convert their JSON form in levels to rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from savegen.build.emit._docs import docstring
from savegen.build.emit._environment import render
from savegen.build.emit._fields import Fields
from savegen.build.emit._forms import Forms
from savegen.build.emit._functions import FunctionView, parts_of
from savegen.build.emit._layout import signature, with_comment, wrap
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
from savegen.build.model import (
    Field,
    Kind,
    Model,
    Prefab,
    SavedClass,
    upper_snake,
    walk,
)
from savegen.build.json_forms import LIBRARY_FIELDS, library_form

# Number types whose limits msgspec cannot check.
_UNCHECKED = frozenset(["decimal.Decimal", "fractions.Fraction"])


def of_prefabs(model: Model, layout: Layout) -> Iterator[tuple[str, str]]:
    """Yield the path and text of `prefabs.py`."""
    text = _Module(Prefabs(model), model, layout).text()
    yield layout.path("prefabs.py"), text


class _Serializer(NamedTuple):
    """The names and lines of the serializer of one prefab."""

    name: str
    tag: str
    doc: str
    former: list[str]  # the lines with former names of the prefab and its parameters
    member: str
    blocks: list[str]  # the lines of the parameters of each part
    calls: list[str]  # the lines that create the row of each part


class _Struct(NamedTuple):
    """A struct that decodes the JSON form of a plain class."""

    name: str
    lines: list[str]


class _Module:
    """Writes the text of `prefabs.py`.

    The serializers are written first, because they decide which functions and structs must
    be defined before them.
    """

    def __init__(self, prefabs: Prefabs, model: Model, layout: Layout) -> None:
        self._prefabs = prefabs
        self._model = model
        self._layout = layout
        shown = {s.name for c in prefabs.components() for s in c.shown}
        records = prefabs.json_forms.records.values()
        inner = {part.name for record in records for part in parts_of(record)}
        self._attributes = attributes(shown | inner | LIBRARY_FIELDS)
        classes = {class_name(tag) for tag in prefabs.serializers.values()}
        taken = classes | {ANY, *self._attributes.values()}
        self._names = Names(taken, ".types")
        self._forms = Forms(self._names, prefabs.json_forms, prefabs.serializers)
        self._fields = Fields(self._names, self._forms, self._attributes)
        self._functions: dict[int, str] = {}  # by component
        self._blocks: dict[int, str] = {}

    def text(self) -> str:
        components = self._prefabs.components()
        parts = [self._part(component) for component in components]
        serializers = [self._serializer(prefab) for prefab in self._prefabs.all]
        functions = list(self._value_functions())
        body = render(
            "serializers.jinja",
            structs=list(_Structs(self._forms, self._fields, self._prefabs).all()),
            functions=functions,
            parts=parts,
            serializers=serializers,
            n=self._names,
            **self._method_heads(),
        )
        aliases = render(
            "aliases.jinja", aliases=self._forms.aliases.items(), n=self._names
        )
        return render(
            "prefabs.jinja",
            header=HEADER.format("the project's prefabs"),
            body=(aliases + body).rstrip("\n"),
            imports=self._names.imports,
        )

    def _method_heads(self) -> dict[str, str]:
        """Return the `def` lines of the methods, which are the same in all serializers."""
        n = self._names
        parameters = ["self", f"references: {n.References} = {n.NO_REFERENCES}"]
        rows = f"{n.dict}[{n.int}, {n.Row}]"
        return {
            "head_of_type": signature("get_prefab_type", 4, ["self"], n.PrefabType),
            "head_of_snapshots": signature(
                "get_component_snapshots", 4, parameters, rows
            ),
        }

    # -- one function per component

    def _part(self, component: Component) -> str:
        """Return the function that collects the values set in a component; "" without fields."""
        if not component.shown:
            return ""
        cls = component.cls
        name = upper_snake(cls.qualname.replace(".", "_")).lower()
        function = self._functions[id(component)] = self._names.unique(f"_{name}")
        values = [
            (
                attribute,
                as_code(field.name),
                self._value(shown, field, f"it.{attribute}"),
            )
            for shown, field in component.shown
            for attribute in [self._attributes[shown]]
        ]
        return render(
            "part.jinja",
            function=function,
            parameters=self._parameters(self._refers(component)),
            class_name=cls.qualname,
            values=values,
            n=self._names,
        )

    def _value(self, name: str, field: Field, json: str) -> str:
        """Return an expression that creates the value of a field and checks its limits."""
        value = self._forms.from_json(field.kind, json)
        if not field.limits or not self._checks_later(field.kind):
            return value
        limits = (f"{word}={bound}" for word, bound in field.limits)
        return f"{self._names.within}({as_code(name)}, {value}, {', '.join(limits)})"

    def _checks_later(self, kind: Kind) -> bool:
        """Return whether the limits of a kind are checked after msgspec has decoded it."""
        kinds = kind.parts if kind.kind == "union" else (kind,)
        unchecked = not _UNCHECKED.isdisjoint(each.name for each in kinds)
        return unchecked or self._forms.checks_later(kind)

    def _mixin(self, cls: SavedClass) -> str:
        home = self._layout.mixins_module(self._model.modules[cls.module])
        return self._names.generated(home, cls.mixin)

    def _refers(self, component: Component) -> bool:
        return any(self._forms.refers(field.kind) for _, field in component.shown)

    def _parameters(self, refers: bool) -> list[str]:
        n = self._names
        return [f"it: {n.Any}", *[f"references: {n.References}"] * refers]

    # -- the serializers

    def _serializer(self, prefab: Prefab) -> _Serializer:
        tag = self._prefabs.serializers[prefab.name]
        components = [(part, self._prefabs.component(part)) for part in prefab.parts]
        shown = [(part, each) for part, each in components if each and each.shown]
        return _Serializer(
            class_name(tag),
            as_code(tag),
            docstring(prefab.doc, 4),
            list(self._former_name_lines(prefab, [each for _, each in shown])),
            prefab.enum_member,
            [self._block(component) for _, component in shown],
            [
                with_comment(
                    wrap(f"{part.number}: {self._call(component)},", 16), part.name
                )
                for part, component in shown
            ],
        )

    def _former_name_lines(
        self, prefab: Prefab, shown: list[Component]
    ) -> Iterator[str]:
        """Yield the lines with former names of a prefab and its parameters."""
        if tags := self._prefabs.former_tags(prefab):
            yield wrap(f"former_tags = {tuple_of(map(as_code, tags))}", 4)
        if renamed := former_names(shown):
            pairs = (f"{as_code(old)}: {as_code(new)}" for old, new in renamed.items())
            yield wrap(f"former_names = {{{', '.join(pairs)}}}", 4)

    def _call(self, component: Component) -> str:
        references = ", references" if self._refers(component) else ""
        values = f"{self._functions[id(component)]}(self{references})"
        return f"({self._mixin(component.cls)}, {values})"

    def _block(self, component: Component) -> str:
        """Return the lines of a component's parameters."""
        key = id(component)
        if key not in self._blocks:
            lines = [self._fields.parameter(*shown) for shown in component.shown]
            self._blocks[key] = "\n".join(lines)
        return self._blocks[key]

    # -- the functions that create values

    def _value_functions(self) -> Iterator[str]:
        """Yield the functions that the expressions call."""
        for kind, function in growing_items(self._forms.functions):
            view = FunctionView(kind, function, self._forms, self._attributes)
            parameters = self._parameters(self._forms.refers(kind))
            yield render(
                "from_json.jinja", f=view, parameters=parameters, n=self._names
            )
        if self._forms.saved_class_function:
            name = self._forms.saved_class_function
            yield render("saved_class.jinja", function=name, n=self._names)


class _Structs:
    """Writes the structs that decode plain classes; each struct follows those that it uses."""

    def __init__(self, forms: Forms, fields: Fields, prefabs: Prefabs) -> None:
        self._forms = forms
        self._fields = fields
        self._json_forms = prefabs.json_forms
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
        lines = list(self._lines(kind))
        self._done[kind] = _Struct(self._forms.struct(kind), lines)

    def _members(self, kind: Kind) -> Iterator[tuple[str, Kind, bool]]:
        """Yield the name and kind of each field of a struct, and whether it is optional."""
        if record := self._forms.record(kind):
            for part in parts_of(record):
                yield part.name, part.kind, part.optional
        elif library := library_form(kind):
            number = Kind("scalar", f"builtins.{library.number}")
            yield from ((name, number, False) for name in library.fields)

    def _lines(self, kind: Kind) -> Iterator[str]:
        for name, inner, optional in self._members(kind):
            self._forms.json_type(inner)
            used = [each for each in walk(inner) if each in self._forms.structs]
            for each in used:
                self._write(each)
            undefined = any(each not in self._done for each in used)
            yield self._fields.member(name, inner, optional, undefined)
