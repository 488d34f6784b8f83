"""Choose the names of prefabs in generated code, and select the fields that levels can set."""

from __future__ import annotations

import keyword
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from msgspec.structs import replace

from savegen.build.model import Field, Model, PrefabPart, PrefabClass, SavedClass
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


class Component(NamedTuple):
    """A class with the fields that levels can set; parts with the same names for them share it."""

    cls: SavedClass
    shown: list[
        tuple[str, Field]
    ]  # those that have a JSON form, with their names in levels


class ProjectPrefabs:
    """The prefabs of a project, and their components without duplicates."""

    def __init__(self, model: Model) -> None:
        self.all = list(model.prefabs)
        self.json_forms = JsonForms(model)
        self._components: dict[tuple[str, object], Component] = {}
        for part in (part for prefab in self.all for part in prefab.parts):
            cls, key = model.class_named(part.cls), (part.cls, part.shown)
            if cls is not None and key not in self._components:
                self._components[key] = Component(cls, [*self._shown(part, cls)])
        self.components = [*self._components.values()]
        self.serializers = self._serializers()

    def component(self, part: PrefabPart) -> Component | None:
        """Return the fields of a part that levels can set; None if its class is unknown."""
        return self._components.get((part.cls, part.shown))

    def _shown(self, part: PrefabPart, cls: SavedClass) -> Iterator[tuple[str, Field]]:
        for name, field in parameters_of_part(part, cls):
            if not self.json_forms.unsupported_part(field.kind):
                kind = self.json_forms.without_subclasses(field.kind)
                yield name, field if kind == field.kind else replace(field, kind=kind)

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

    def former_tags(self, prefab: PrefabClass) -> list[str]:
        """Return the tags from former names of a prefab that no other prefab has or had."""
        taken = {*self.serializers.values()}
        counts = Counter(t for each in self.all for t in {*_former_tags(each)})
        former = _former_tags(prefab)
        return [tag for tag in former if counts[tag] == 1 and tag not in taken]


def _former_tags(prefab: PrefabClass) -> dict[str, None]:
    names = (name.rpartition(".")[2] for name in prefab.former_names)
    return dict.fromkeys(f"{name}Serializer" for name in names)


def former_names(components: Iterable[Component]) -> dict[str, str]:
    """Return the parameters of a prefab by former name, without ambiguous names."""
    shown = [each for component in components for each in component.shown]
    counts = Counter(name for _, field in shown for name in {*field.former_names})
    taken = {name for name, _ in shown}
    return {
        former: name
        for name, field in shown
        for former in field.former_names
        if counts[former] == 1 and former not in taken
    }


def _unique_name(prefab: PrefabClass, counts: Mapping[str, int]) -> str:
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
