"""Pass 3: the generated program builds every prefab once and prints the results.

Only `link_prefabs.py` imports this, never a game. The command line reads the one JSON object
that the program prints; all other output goes to stderr.
"""

from __future__ import annotations

import json
import random
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, NoReturn, TypeVar

from savegen.runtime.components import SaveLoadable
from savegen.runtime.linking import _streams
from savegen.runtime.linking._defaults import Defaults
from savegen.runtime.linking._failures import Failures, Project
from savegen.runtime.linking._level import Entry, schema_of, template_of
from savegen.runtime.objects import GameObject
from savegen.runtime.prefabs import Prefab, PrefabInfo
from savegen.runtime.registry import Registry
from savegen.runtime.spawning import Parameter, parameters_of

FORMAT = 1  # the format of the printed JSON
T = TypeVar("T")
# The result of `get_param_name_mappings` of each class at the last build, by number.
Mappings = Mapping[Any, tuple[tuple[str, str, str, int], ...]]


def link(info: PrefabInfo, registry: Registry, mappings: Mappings) -> NoReturn:
    """Build every prefab, print the results as JSON on the real stdout, and exit.

    A prefab that fails is reported, and the others are still built. The exit code is 0 even
    then. The program does not wait for threads of the game. After a `KeyboardInterrupt` it
    exits with 130 and prints nothing.
    """
    stdout = _streams.take_stdout()
    random.seed(0)  # random values in constructors are the same in each run
    try:
        found = _Linking(info, registry, mappings).run()
        text = json.dumps(found, separators=(",", ":"))
        _streams.write(stdout, text.encode() + b"\n")
    except KeyboardInterrupt:
        _streams.end(130)
    except BaseException:
        traceback.print_exc()
        _streams.end(1)
    _streams.end(0)


class _Linking:
    """One run of the program, and its failures so far."""

    def __init__(
        self, info: PrefabInfo, registry: Registry, mappings: Mappings
    ) -> None:
        self._info = info
        self._registry = registry
        self._mappings = mappings
        self._defaults = Defaults(registry)
        self._project = Project.of_main()
        self._failures = Failures(self._project)
        self._unimportable: set[str] = set()
        self._compared: dict[type, bool] = {}

    def run(self) -> dict[str, Any]:
        """Build every prefab and return the object that the program prints."""
        entries = [self._entry(each) for each in self._info.serializers]
        return {
            "format": FORMAT,
            "prefabs": {entry.prefab.type.name: _summary(entry) for entry in entries},
            "failures": self._failures.found,
            "schema": schema_of(entries),
            "template": template_of(entries),
            "loaded": self._project.loaded(),
        }

    def _entry(self, serializer: Any) -> Entry:
        prefab = self._info[serializer().get_prefab_type()]
        entry = Entry(prefab, serializer, str(serializer.__struct_config__.tag))
        built = self._built(prefab) if self._is_importable(prefab) else None
        if built is None or not self._is_known(prefab, built):
            return entry
        defaults, error = _outcome(lambda: dict(self._values(entry, built)))
        if error is not None:
            self._failures.add(prefab.name, "raised", error)
        return entry._replace(defaults=defaults or {})

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

    def _values(self, entry: Entry, built: GameObject) -> Iterator[tuple[str, Any]]:
        """Yield the parameters that a level file would set to get the built object."""
        names = entry.serializer.__struct_encode_fields__
        for each in parameters_of(built, self._entry_of, entry.prefab.declared):
            if each.name in names:
                for value in self._read(entry, each):
                    yield each.name, value

    def _entry_of(self, cls: Any) -> Any:
        return self._registry[int(cls.save_type)]

    def _read(self, entry: Entry, parameter: Parameter) -> list[Any]:
        """Return a list of the JSON of a parameter; empty if it has no JSON form."""
        written = partial(self._defaults.written, entry.serializer, parameter)
        found, error = _outcome(written)
        if error is None:
            return [found]
        # If the error is not from the game's code, the value merely has no JSON form.
        is_missing = isinstance(error, AttributeError)
        if not is_missing and self._project.place_of(error) is not None:
            self._failures.add(entry.prefab.name, "unreadable", error)
        return []

    def _is_known(self, prefab: Prefab, built: GameObject) -> bool:
        """Return whether every part is a component of the class at the last build."""
        return all([self._compare(prefab, each) for each in built.components])

    def _compare(self, prefab: Prefab, component: Any) -> bool:
        """Return whether `get_param_name_mappings` is unchanged since the build; report changes."""
        cls = type(component)
        if cls not in self._compared:
            self._compared[cls] = self._is_as_generated(prefab, component)
        return self._compared[cls]

    def _is_as_generated(self, prefab: Prefab, component: Any) -> bool:
        cls = type(component)
        found, error = _outcome(lambda: _mappings(component))
        if error is not None:
            self._failures.add(prefab.name, "mapping", error)
            return False
        wanted = [*self._mappings[int(cls.save_type)]]
        if found != wanted:
            text = f"`{cls.__qualname__}` {_difference(found or [], wanted)}"
            method = component.get_param_name_mappings
            self._failures.add_at(prefab.name, "mapping", text, method)
        return found == wanted


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
    """Return a description of the first difference between two lists of mappings."""
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
