"""Choose the names of prefabs in generated code, and select the fields that levels can set."""

from __future__ import annotations

import keyword
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from savegen.build.model import Field, Model, Part, Prefab, SavedClass
from savegen.build.parameters import parameters_of_part
from savegen.build.json_forms import JsonForms

ANY = "AnySerializer"  # the union of all serializers
# The attributes of a serializer that are not parameters.
_RESERVED = frozenset(
    [
        *("former_names", "former_tags", "placement_id"),
        *("get_component_snapshots", "get_prefab_type"),
    ]
)


class ShownField(NamedTuple):
    """One field of a part, with its name in levels."""

    name: str
    field: Field


class Component(NamedTuple):
    """A class with the fields that levels can set; parts with the same names for them share it."""

    cls: SavedClass
    shown: tuple[ShownField, ...]  # those that have a JSON form
    renamed: bool  # a part renames or hides fields by `.show(…)`


class Prefabs:
    """The prefabs of a project, and their components without duplicates."""

    def __init__(self, model: Model) -> None:
        self.all = list(model.prefabs)
        self.json_forms = JsonForms(model)
        self._model = model
        self._components: dict[tuple[str, object], Component | None] = {}
        self.serializers = self._serializers()

    def component(self, part: Part) -> Component | None:
        """Return the fields of a part that levels can set; None if its class is unknown."""
        key = (part.cls, part.shown)
        if key not in self._components:
            self._components[key] = self._component(part)
        return self._components[key]

    def components(self) -> list[Component]:
        """Return the components of all prefabs, without duplicates."""
        components = (self.component(p) for prefab in self.all for p in prefab.parts)
        return list({id(each): each for each in components if each}.values())

    def _component(self, part: Part) -> Component | None:
        cls = self._model.class_named(part.cls)
        if cls is None:
            return None
        shown = tuple(
            ShownField(name, field)
            for name, field in parameters_of_part(part, cls)
            if not self.json_forms.unsupported_part(field.kind)
        )
        return Component(cls, shown, bool(part.shown))

    def _serializers(self) -> dict[str, str]:
        """Return the name of the serializer of each prefab, which is also its tag in JSON."""
        counts = Counter(prefab.simple_name for prefab in self.all)
        prefabs: dict[str, str] = {}  # name of a prefab, by tag
        for prefab in self.all:
            tag = f"{_unique_name(prefab, counts)}Serializer"
            while tag in prefabs:
                tag += "_"
            prefabs[tag] = prefab.name
        return {name: tag for tag, name in prefabs.items()}

    def former_tags(self, prefab: Prefab) -> list[str]:
        """Return the tags from former names of a prefab that no other prefab has or had."""
        taken = {*self.serializers.values()}
        counts = Counter(t for each in self.all for t in {*_former_tags(each)})
        former = _former_tags(prefab)
        return [tag for tag in former if counts[tag] == 1 and tag not in taken]


def _former_tags(prefab: Prefab) -> dict[str, None]:
    names = (name.rpartition(".")[2] for name in prefab.former_names)
    return dict.fromkeys(f"{name}Serializer" for name in names)


def former_names(components: Iterable[Component]) -> dict[str, str]:
    """Return the parameters of a prefab by former name, without ambiguous names."""
    shown = [each for component in components for each in component.shown]
    counts = Counter(name for each in shown for name in {*each.field.former_names})
    taken = {each.name for each in shown}
    return {
        name: each.name
        for each in shown
        for name in each.field.former_names
        if counts[name] == 1 and name not in taken
    }


def _unique_name(prefab: Prefab, counts: Mapping[str, int]) -> str:
    """Return the simple name of a prefab, or its member name if others share the simple name."""
    if counts[prefab.simple_name] == 1:
        return prefab.simple_name
    return "".join(word.title() for word in prefab.enum_member.split("_"))


def class_name(tag: str) -> str:
    """Return the Python name of the serializer with this tag."""
    return f"{tag}_" if tag == ANY else tag


def attributes(names: Iterable[str]) -> dict[str, str]:
    """Return a valid and unique attribute of a struct for each name.

    >>> attributes(["class", "class_", "hp"])
    {'class': 'class__', 'class_': 'class_', 'hp': 'hp'}
    """
    taken = set(names)
    attributes: dict[str, str] = {}
    for name in sorted(taken):
        attribute = name
        if name.startswith("__"):  # Python would mangle it
            attribute = f"{name.strip('_')}_"
        while _is_reserved(attribute) or (attribute != name and attribute in taken):
            attribute += "_"
        attributes[name] = attribute
        taken.add(attribute)
    return attributes


def _is_reserved(name: str) -> bool:
    return keyword.iskeyword(name) or name in _RESERVED or not name.isidentifier()
