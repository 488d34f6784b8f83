"""The program that builds every prefab once, to tell what levels need not say."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from savegen.emit._environment import render
from savegen.emit._forms import Forms
from savegen.emit._functions import FunctionView
from savegen.emit._layout import at, noted
from savegen.emit._lines import WIDTH, width_of
from savegen.emit._names import Names, growing
from savegen.emit._paths import HEADER, Layout
from savegen.emit._prefabs import Component, Prefabs, class_name
from savegen.emit._types import annotation, spelled
from savegen.emit._views import article
from savegen.model import Field, Model, Part, Prefab, SavedClass, upper_snake

_OWN = ("PREFABS", "prefabs")


def of_prefabs(model: Model, layout: Layout) -> Iterator[tuple[str, str]]:
    """Yield path and text of `link_prefabs.py`."""
    yield layout.path("link_prefabs.py"), _Module(Prefabs(model)).text()


class _Component(NamedTuple):
    """What is said of one class."""

    name: str
    home: str
    mappings: list[str]
    forms: list[str]


class _Link(NamedTuple):
    """What is said of one prefab."""

    member: str
    serializer: str
    parts: list[str]


class _Module:
    """The text of the program."""

    def __init__(self, prefabs: Prefabs) -> None:
        self._prefabs = prefabs
        self._names = Names(_OWN, ".types")
        self._forms = Forms(self._names, prefabs.writing, with_assets=False)
        self._classes: dict[str, str] = {}  # by class: the name of its table
        # Forms that are too long for a line: function, field, owner, value.
        self._long: list[tuple[str, str, str, str]] = []

    def text(self) -> str:
        found = self._shown_by_class()
        components = [self._component(cls, fields) for cls, fields in found]
        links = [self._link(prefab) for prefab in self._prefabs.all]
        functions = list(self._made())
        names = self._names
        body = render(
            "link_prefabs.jinja",
            header=HEADER.format("the project's prefabs"),
            functions=functions,
            long=self._long,
            components=components,
            prefabs=links,
            n=names,
            imports=self._imports(),
        )
        return body

    def _imports(self) -> dict[str, list[str]]:
        names = self._names
        for name in ("ComponentLink", "PrefabLink", "PrefabType", "link"):
            names[name]
        own = {
            ".": ["prefabs"],
            ".prefab_info": ["PREFAB_INFO"],
            ".registry": ["REGISTRY"],
        }
        return dict(sorted((names.imports | own).items()))

    def _shown_by_class(self) -> list[tuple[SavedClass, list[Field]]]:
        """Return each class that is a part, with the fields that any of its parts shows."""
        shown: dict[str, set[str]] = {}
        classes: dict[str, SavedClass] = {}
        for component in self._prefabs.components():
            cls = classes.setdefault(component.cls.name, component.cls)
            shown.setdefault(cls.name, set()).update(
                field.name for _, field in component.shown
            )
        return [
            (cls, [field for field in cls.fields if field.name in shown[name]])
            for name, cls in classes.items()
        ]

    def _component(self, cls: SavedClass, fields: list[Field]) -> _Component:
        name = upper_snake(cls.qualname.replace(".", "_"))
        self._classes[cls.name] = self._names.own(f"_{name}")
        return _Component(
            self._classes[cls.name],
            spelled(cls.name),
            [_mapping(field) for field in cls.fields if field.exposed is not None],
            [self._form(cls, field) for field in fields],
        )

    def _form(self, cls: SavedClass, field: Field) -> str:
        """Return the line for one field."""
        key = spelled(_key(cls, field))
        value = self._forms.to_json(field.kind, f"it.{field.attribute}")
        line = f"        {key}: lambda it: {value},"
        if width_of(line) <= WIDTH:
            return line
        # Where to break a lambda is a matter of opinion.
        function = self._names.own(_function(cls, field))
        owner = f"{article(cls.qualname)} `{cls.qualname}`"
        self._names["Any"]  # imports are told before the template asks
        self._long.append((function, field.attribute, owner, value))
        return f"        {key}: {function},"

    def _link(self, prefab: Prefab) -> _Link:
        pairs = ((part, self._prefabs.component(part)) for part in prefab.parts)
        return _Link(
            prefab.member,
            class_name(self._prefabs.serializers[prefab.name]),
            [
                noted(
                    at(f"{part.number}: {self._part(part, component)},", 12), part.name
                )
                for part, component in pairs
                if component
            ],
        )

    def _part(self, part: Part, component: Component) -> str:
        names = [self._classes[component.cls.name]]
        if component.renamed:
            fields = {field.name: field for field in component.cls.fields}
            shown = ", ".join(
                f"{spelled(_key(component.cls, fields[name]))}: "
                + ("None" if given is None else spelled(given))
                for name, given in part.shown
                if name in fields
            )
            names.append(f"{{{shown}}}")
        return f"{self._names.PartLink}({', '.join(names)})"

    def _made(self) -> Iterator[str]:
        """Yield the functions that were called."""
        for kind, function in growing(self._forms.functions):
            view = FunctionView(kind, function, self._forms, {})
            yield render("to_json.jinja", f=view, n=self._names)


def _function(cls: SavedClass, field: Field) -> str:
    """Return a name that leaves room for the rest of its line."""
    stem = upper_snake(cls.qualname.replace(".", "_")).lower()
    name = f"_{stem}_{field.name.strip('_')}"
    return name if width_of(name) <= 60 else f"_form_{field.number}"


def _key(cls: SavedClass, field: Field) -> str:
    """Return what a field is called in the tables: as levels know it, if they all do."""
    return field.exposed or f"{cls.simple_name}.{field.name}"


def _mapping(field: Field) -> str:
    texts = map(spelled, (field.name, annotation(field.type), field.exposed))
    return f"({', '.join(texts)}, {field.number})"
