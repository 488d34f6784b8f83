"""What the modules of prefabs have in common: names, and who shows what to level authors."""

from __future__ import annotations

import keyword
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from savegen.build.model import Field, Model, Part, Prefab, SavedClass
from savegen.build.parameters import shown_by
from savegen.build.writable import Writing

ANY = "AnySerializer"  # the union of them all
# What a serializer has besides its parameters.
_RESERVED = frozenset(
    [
        *("former_names", "former_tags", "placement_id"),
        *("get_component_snapshots", "get_prefab_type"),
    ]
)


class Shown(NamedTuple):
    """One field as level authors know it in some part."""

    name: str
    field: Field


class Component(NamedTuple):
    """A class as it is shown in the parts that rename the same fields."""

    cls: SavedClass
    shown: tuple[Shown, ...]  # what JSON has a form for
    renamed: bool


class Prefabs:
    """The prefabs of a project, and their components, each kept once."""

    def __init__(self, model: Model) -> None:
        self.all = list(model.prefabs)
        self.writing = Writing(model)
        self._model = model
        self._components: dict[tuple[str, object], Component | None] = {}
        self.serializers = self._serializers()

    def component(self, part: Part) -> Component | None:
        """Return what level authors see of a part; None if its class is not known."""
        key = (part.cls, part.shown)
        if key not in self._components:
            self._components[key] = self._seen(part)
        return self._components[key]

    def components(self) -> list[Component]:
        """Return every component of every prefab, once."""
        found = (self.component(part) for prefab in self.all for part in prefab.parts)
        return list({id(each): each for each in found if each}.values())

    def _seen(self, part: Part) -> Component | None:
        cls = self._model.class_named(part.cls)
        if cls is None:
            return None
        shown = tuple(
            Shown(name, field)
            for name, field in shown_by(part, cls)
            if not self.writing.fault(field.kind)
        )
        return Component(cls, shown, bool(part.shown))

    def _serializers(self) -> dict[str, str]:
        """Return what the serializer of each prefab is called, and its tag in JSON."""
        counts = Counter(prefab.simple_name for prefab in self.all)
        found: dict[str, str] = {}  # prefabs by tag
        for prefab in self.all:
            tag = f"{_told_apart(prefab, counts)}Serializer"
            while tag in found:
                tag += "_"
            found[tag] = prefab.name
        return {name: tag for tag, name in found.items()}

    def former_tags(self, prefab: Prefab) -> list[str]:
        """Return the tags that a prefab had under its former names, if no other has them."""
        taken = {*self.serializers.values()}
        had = Counter(tag for each in self.all for tag in {*_had(each)})
        return [tag for tag in _had(prefab) if had[tag] == 1 and tag not in taken]


def _had(prefab: Prefab) -> dict[str, None]:
    names = (name.rpartition(".")[2] for name in prefab.was)
    return dict.fromkeys(f"{name}Serializer" for name in names)


def former_names(components: Iterable[Component]) -> dict[str, str]:
    """Return what the parameters of a prefab were called, where that can be only one now."""
    shown = [each for component in components for each in component.shown]
    had = Counter(name for each in shown for name in {*each.field.was})
    taken = {each.name for each in shown}
    return {
        name: each.name
        for each in shown
        for name in each.field.was
        if had[name] == 1 and name not in taken
    }


def _told_apart(prefab: Prefab, counts: Mapping[str, int]) -> str:
    """Return a name for a prefab that no other has."""
    if counts[prefab.simple_name] == 1:
        return prefab.simple_name
    return "".join(word.title() for word in prefab.member.split("_"))


def class_name(tag: str) -> str:
    """Return what a serializer is called in Python."""
    return f"{tag}_" if tag == ANY else tag


def attributes(names: Iterable[str]) -> dict[str, str]:
    """Return what Python can call each of some names as a field of a struct.

    >>> attributes(["class", "class_", "hp"])
    {'class': 'class__', 'class_': 'class_', 'hp': 'hp'}
    """
    taken = set(names)
    found: dict[str, str] = {}
    for name in sorted(taken):
        attribute = name
        if name.startswith("__"):  # it would be mangled
            attribute = f"{name.strip('_')}_"
        while _is_reserved(attribute) or (attribute != name and attribute in taken):
            attribute += "_"
        found[name] = attribute
        taken.add(attribute)
    return found


def _is_reserved(name: str) -> bool:
    return keyword.iskeyword(name) or name in _RESERVED or not name.isidentifier()
