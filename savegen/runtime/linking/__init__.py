"""Pass 3: the generated program builds every prefab once and says what came of it.

`link_prefabs.py` imports this, and no game does. The command line reads the one JSON object
that the program prints; all else that is printed while it runs goes to stderr.
"""

from __future__ import annotations

import json
import random
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import IntEnum
from functools import partial
from typing import Any, NamedTuple, NoReturn, TypeVar

from savegen.runtime.components import SaveLoadable
from savegen.runtime.linking import _streams
from savegen.runtime.linking._failures import Failures, Project
from savegen.runtime.linking._forms import written
from savegen.runtime.linking._level import Entry, schema_of, template_of
from savegen.runtime.objects import GameObject
from savegen.runtime.prefabs import Prefab, PrefabInfo
from savegen.runtime.registry import Registry
from savegen.runtime.serializers import PrefabSerializer

FORMAT = 1  # of what is printed
T = TypeVar("T")
_Mapping = tuple[str, str, str, int]
_Serializer = type[PrefabSerializer]  # in `PrefabLink` the word `type` is taken


class ComponentLink(NamedTuple):
    """What was written of one component class.

    `mappings` is what its `get_param_name_mappings()` must say; `forms` gives for each name
    in them a function from a component to what a level file would say. What cannot be said
    there is `UNSET`, or an attribute that is missing.

    >>> link = ComponentLink("game.guns:Gun", (), {"shots": lambda it: it.shots})
    >>> class Gun:
    ...     shots = 3
    >>> link.forms["shots"](Gun())
    3
    """

    cls: str  # `module:qualname`
    mappings: tuple[_Mapping, ...]
    forms: Mapping[str, Callable[[Any], Any]]


class PartLink(NamedTuple):
    """One part of a prefab: its class, and what `.show` calls the parameters; `None` hides.

    >>> gun = ComponentLink("game.guns:Gun", (), {"shots": lambda it: it.shots})
    >>> PartLink(gun, {"shots": "left_shots"}).shown_as("shots")
    'left_shots'
    """

    component: ComponentLink
    shown: Mapping[str, str | None] = {}

    def shown_as(self, name: str) -> str | None:
        """Return what level authors call a parameter; `None` if they do not see it."""
        return self.shown.get(name, name)


class PrefabLink(NamedTuple):
    """One prefab: its type, its serializer, and its parts by number.

    >>> class Tank(PrefabSerializer, tag="TankSerializer"): ...
    >>> kinds = IntEnum("PrefabType", {"TANK": 7})
    >>> PrefabLink(kinds.TANK, Tank, {}).tag
    'TankSerializer'
    """

    type: IntEnum
    serializer: _Serializer
    parts: Mapping[int, PartLink]

    @property
    def tag(self) -> str:
        """What a level file calls the prefab."""
        return str(self.serializer.__struct_config__.tag)


def link(
    info: PrefabInfo, prefabs: Iterable[PrefabLink], registry: Registry
) -> NoReturn:
    """Build every prefab, print what came of it as JSON on the real stdout, and end.

    A prefab that fails is told of, and the others are built all the same. The program ends
    with 0 even so; threads that the game has left running do not hold it up. A
    `KeyboardInterrupt` ends it with 130, and nothing is printed.
    """
    stdout = _streams.take_stdout()
    random.seed(0)  # what a constructor rolls is the same in each run
    try:
        text = json.dumps(_Linking(info, registry).told(prefabs), separators=(",", ":"))
        _streams.write(stdout, text.encode() + b"\n")
    except KeyboardInterrupt:
        _streams.end(130)
    except BaseException:
        traceback.print_exc()
        _streams.end(1)
    _streams.end(0)


class _Linking:
    """One run, and what has failed so far."""

    def __init__(self, info: PrefabInfo, registry: Registry) -> None:
        self._info = info
        self._registry = registry
        self._project = Project.of_main()
        self._failures = Failures(self._project)
        self._unimportable: set[str] = set()
        self._compared: dict[int, ComponentLink] = {}  # by `id`

    def told(self, links: Iterable[PrefabLink]) -> dict[str, Any]:
        """Return what the program prints."""
        entries = [self._entry(each) for each in links]
        return {
            "format": FORMAT,
            "prefabs": {entry.prefab.type.name: _summary(entry) for entry in entries},
            "failures": self._failures.told,
            "schema": schema_of(entries),
            "template": template_of(entries),
            "loaded": self._project.loaded(),
        }

    def _entry(self, link: PrefabLink) -> Entry:
        prefab = self._info.get_prefab(link.type)
        entry = Entry(prefab, link.serializer, link.tag)
        built = self._built(prefab) if self._is_importable(prefab) else None
        if built is None:
            return entry
        return entry._replace(defaults=dict(self._defaults(prefab, link, built)))

    def _is_importable(self, prefab: Prefab) -> bool:
        if prefab.module in self._unimportable:
            return False
        error = _outcome(prefab.load_class)[1]
        if error is not None:
            name = prefab.name
            if prefab.module not in sys.modules:  # nothing in it can be had
                self._unimportable.add(prefab.module)
                name = prefab.module
            self._failures.add(name, "import", error)
        return error is None

    def _built(self, prefab: Prefab) -> GameObject | None:
        built, error = _outcome(partial(prefab.build, None, self._registry))
        if error is not None:
            self._failures.add(prefab.name, "raised", error)
        return built

    def _defaults(
        self, prefab: Prefab, link: PrefabLink, built: GameObject
    ) -> Iterator[tuple[str, Any]]:
        """Yield what a level file would say to get what was built."""
        names = link.serializer.__struct_encode_fields__
        for number, component in built.numbered:
            if number not in link.parts:
                continue
            part = link.parts[number]
            self._compare(prefab, part.component, component)
            for name, form in part.component.forms.items():
                shown = part.shown_as(name)
                if shown is None or shown not in names:
                    continue
                found = self._read(prefab, form, component)
                yield from written(link.serializer, link.tag, shown, found)

    def _read(
        self, prefab: Prefab, form: Callable[[Any], Any], component: Any
    ) -> list[Any]:
        """Return the form of a value; none if it has none."""
        found, error = _outcome(lambda: form(component))
        if error is None:
            return [found]
        # If no line of the game's raised, the value has no form, and that is all.
        is_missing = isinstance(error, AttributeError)
        if not is_missing and self._project.place_of(error) is not None:
            self._failures.add(prefab.name, "unreadable", error)
        return []

    def _compare(self, prefab: Prefab, link: ComponentLink, component: Any) -> None:
        """Refuse a class whose `get_param_name_mappings` is not what was generated."""
        if id(link) in self._compared:
            return
        self._compared[id(link)] = link
        found, error = _outcome(lambda: _mappings(component))
        wanted = [tuple(each) for each in link.mappings]
        if error is not None:
            self._failures.add(prefab.name, "mapping", error)
        elif found != wanted:
            text = f"`{link.cls.rpartition(':')[2]}` {_difference(found or [], wanted)}"
            method = component.get_param_name_mappings
            self._failures.add_at(prefab.name, "mapping", text, method)


def _outcome(step: Callable[[], T]) -> tuple[T | None, BaseException | None]:
    """Run something of the game's; return what it returned, or whatever it raised.

    The state of `random` is put back: building one prefab changes no other.
    """
    state = random.getstate()
    try:
        return step(), None
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return None, error
    finally:
        random.setstate(state)


def _summary(entry: Entry) -> dict[str, Any]:
    prefab = entry.prefab
    summary: dict[str, Any] = {
        "number": int(prefab.type),
        "name": prefab.qualname,
        "module": prefab.module,
        "serializer": entry.tag,
    }
    if prefab.max_count is not None:
        summary["max_count"] = prefab.max_count
    return {**summary, "defaults": entry.defaults}


def _mappings(component: SaveLoadable) -> list[tuple[Any, ...]]:
    return [tuple(each) for each in component.get_param_name_mappings()]


def _difference(found: list[Any], wanted: list[Any]) -> str:
    """Return the first thing in which two lists of mappings differ."""
    for each in found:
        if each not in wanted:
            return f"returns {_text(each)}, which savegen did not generate"
    for each in wanted:
        if each not in found:
            return f"does not return {_text(each)}"
    return "returns its parameters in a different order"


def _text(mapping: tuple[Any, ...]) -> str:
    if len(mapping) != 4:
        return repr(mapping)
    field, annotation, shown, number = mapping
    return f"`{field}: {annotation}` as {shown!r}, number {number}"
