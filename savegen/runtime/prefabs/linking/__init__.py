"""Pass 3 of a build, inside the game's Python: build every prefab once and print the results.

The generated program `link_prefabs.py` calls `link`; a running game never imports this. The command
line starts the program and reads the one JSON object that it prints to stdout.
"""

from __future__ import annotations

import json
import random
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, NoReturn, TypeVar

from savegen.runtime.values.saveable import SaveLoadable
from savegen.runtime.prefabs.linking import _streams
from savegen.runtime.prefabs.linking._defaults import Defaults
from savegen.runtime.prefabs.linking._failures import Failures, GameFiles
from savegen.runtime.prefabs.level_schema import PrefabEntry, schema_of, template_of
from savegen.runtime.world.objects import GameObject
from savegen.runtime.prefabs.prefabs import Prefab, PrefabInfo
from savegen.runtime.generated.registry import Registry
from savegen.runtime.prefabs.spawning import SpawnParameter, parameters_of

FORMAT = 1  # the format of the printed JSON
T = TypeVar("T")
_PLACE = (1.5, 2.5, 0.0)  # where a prefab with a position is put once
# By class number: what `get_param_name_mappings` returned at the last build.
Mappings = Mapping[Any, tuple[tuple[str, str, str, int], ...]]


def link(info: PrefabInfo, registry: Registry, mappings: Mappings) -> NoReturn:
    """Build every prefab, print the results as JSON on the real stdout, and exit.

    If a prefab fails, the failure is in the results, the other prefabs are still built, and the
    exit code is 0. The program does not wait for threads of the game. After a
    `KeyboardInterrupt` it prints nothing and exits with code 130.
    """
    stdout = _streams.take_stdout()
    random.seed(0)  # random values in constructors are the same in each run
    try:
        results = _Linker(info, registry, mappings).run()
        text = json.dumps(results, separators=(",", ":"))
        _streams.write(stdout, text.encode() + b"\n")
    except KeyboardInterrupt:
        _streams.end(130)
    except BaseException:
        traceback.print_exc()
        _streams.end(1)
    _streams.end(0)


class _Linker:
    """Builds every prefab and collects the failures."""

    def __init__(
        self, info: PrefabInfo, registry: Registry, mappings: Mappings
    ) -> None:
        self._info = info
        self._registry = registry
        self._mappings = mappings
        self._defaults = Defaults(registry)
        self._files = GameFiles.of_main()
        self._failures = Failures(self._files)
        self._unimportable: set[str] = set()  # modules
        self._is_unchanged: dict[type, bool] = {}  # see `_has_same_mappings`

    def run(self) -> dict[str, Any]:
        """Build every prefab and return the object that the program prints."""
        entries = [self._entry(serializer) for serializer in self._info.serializers]
        return {
            "format": FORMAT,
            "prefabs": {entry.prefab.type.name: _summary(entry) for entry in entries},
            "failures": self._failures.as_json,
            "schema": schema_of(entries),
            "template": template_of(entries),
            "loaded": self._files.imported(),
        }

    def _entry(self, serializer: Any) -> PrefabEntry:
        prefab = self._info[serializer().get_prefab_type()]
        entry = PrefabEntry(prefab, serializer, str(serializer.__struct_config__.tag))
        built = self._built(prefab) if self._is_importable(prefab) else None
        if built is None or not self._has_same_mappings(prefab, built):
            return entry
        defaults, error = _outcome(lambda: dict(self._default_values(entry, built)))
        if error is not None:
            self._failures.add(prefab.name, "raised", error)
        if prefab.place is not None:
            defaults = self._without_place(entry, built, defaults or {})
        return entry._replace(defaults=defaults or {})

    def _without_place(
        self, entry: PrefabEntry, built: GameObject, defaults: dict[str, Any]
    ) -> dict[str, Any]:
        """Return the defaults that the place where a level draws an object does not change."""
        prefab = entry.prefab
        error = _outcome(lambda: prefab.place_at(built, _PLACE, ()))[1]
        if error is not None:
            self._failures.add(prefab.name, "position", error)
        placed = _outcome(lambda: dict(self._default_values(entry, built)))[0] or {}
        name = prefab.position.partition(".")[0]
        return {
            key: value
            for key, value in defaults.items()
            if key != name and placed.get(key) == value
        }

    def _is_importable(self, prefab: Prefab) -> bool:
        if prefab.module in self._unimportable:
            return False
        error = _outcome(prefab.load_class)[1]
        if error is not None:
            name = prefab.name
            if prefab.module not in sys.modules:  # the module itself failed
                self._unimportable.add(prefab.module)
                name = prefab.module
            self._failures.add(name, "import", error)
        return error is None

    def _built(self, prefab: Prefab) -> GameObject | None:
        built, error = _outcome(partial(prefab.build, None, self._registry))
        if error is not None:
            self._failures.add(prefab.name, "raised", error)
        return built

    def _default_values(
        self, entry: PrefabEntry, built: GameObject
    ) -> Iterator[tuple[str, Any]]:
        """Yield the parameters of a built object with their values, as a level file sets them."""
        names = entry.serializer.__struct_encode_fields__
        for parameter in parameters_of(built, self._entry_of, entry.prefab.declared):
            if parameter.name in names:
                for value in self._json_of(entry, parameter):
                    yield parameter.name, value

    def _entry_of(self, cls: Any) -> Any:
        return self._registry[int(cls.save_type)]

    def _json_of(self, entry: PrefabEntry, parameter: SpawnParameter) -> list[Any]:
        """Return a list with the JSON of a parameter; an empty list if it has no JSON form."""
        value, error = _outcome(
            partial(self._defaults.json_of, entry.serializer, parameter)
        )
        if error is None:
            return [value]
        # An `AttributeError` means that the attribute is not set. Other errors of the game's code
        # are reported; errors of savegen mean that the value has no JSON form.
        is_unset = isinstance(error, AttributeError)
        if not is_unset and self._files.place_of(error) is not None:
            self._failures.add(entry.prefab.name, "unreadable", error)
        return []

    def _has_same_mappings(self, prefab: Prefab, built: GameObject) -> bool:
        """Return whether no class of a part has changed its mappings since the last build.

        Changes are added to the failures, once for each class.
        """
        for component in built.components:
            if type(component) not in self._is_unchanged:
                is_unchanged = self._compare(prefab, component)
                self._is_unchanged[type(component)] = is_unchanged
        return all(self._is_unchanged[type(part)] for part in built.components)

    def _compare(self, prefab: Prefab, component: Any) -> bool:
        cls = type(component)
        mappings, error = _outcome(lambda: _mappings(component))
        if error is not None:
            self._failures.add(prefab.name, "mapping", error)
            return False
        expected = [*self._mappings[int(cls.save_type)]]
        if mappings != expected:
            text = f"`{cls.__qualname__}` {_difference(mappings or [], expected)}"
            method = component.get_param_name_mappings
            self._failures.add_at(prefab.name, "mapping", text, method)
        return mappings == expected


def _outcome(step: Callable[[], T]) -> tuple[T | None, BaseException | None]:
    """Call the game's code and return its result, or the error that it raised.

    The state of `random` is restored, so that building one prefab does not affect another.
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


def _summary(entry: PrefabEntry) -> dict[str, Any]:
    prefab = entry.prefab
    summary: dict[str, Any] = {
        "number": int(prefab.type),
        "name": prefab.qualname,
        "module": prefab.module,
        "serializer": entry.tag,
    }
    if prefab.max_count is not None:
        summary["max_count"] = prefab.max_count
    if prefab.static:
        summary["static"] = True
    return {**summary, "defaults": entry.defaults}


def _mappings(component: SaveLoadable) -> list[tuple[Any, ...]]:
    return [tuple(each) for each in component.get_param_name_mappings()]


def _difference(mappings: list[Any], expected: list[Any]) -> str:
    """Return a description of the first difference between two lists of mappings."""
    for mapping in mappings:
        if mapping not in expected:
            return f"returns {_text(mapping)}, which savegen did not generate"
    for mapping in expected:
        if mapping not in mappings:
            return f"does not return {_text(mapping)}"
    return "returns its parameters in a different order"


def _text(mapping: tuple[Any, ...]) -> str:
    if len(mapping) != 4:
        return repr(mapping)
    field, annotation, name, number = mapping
    return f"`{field}: {annotation}` as {name!r}, number {number}"
