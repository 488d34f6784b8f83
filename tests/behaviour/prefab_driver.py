"""Runs in the game's own process: takes every value of the bestiary through JSON.

Prints, as JSON, for each wrapper what became of its fields: values that came back the same,
values that have no form (with what was raised), parameters that do not exist, and failures.
"""

from __future__ import annotations

import importlib
import json
import sys
import traceback
from collections import defaultdict
from typing import Any

import msgspec

from savegen.runtime.prefabs.linking._defaults import Defaults
from savegen.runtime.world.building import LocalKeys
from savegen.runtime.prefabs.spawning import SpawnParameter
from tests.behaviour.driver import Case, assign, same
from tests.oracle import difference

TURNS = 4


class Told:
    """What became of the fields of one class."""

    def __init__(self) -> None:
        self.kept: set[str] = set()
        self.unsaid: defaultdict[str, set[str]] = defaultdict(set)
        self.hidden: set[str] = set()
        self.failures: list[str] = []

    def as_json(self) -> dict[str, Any]:
        return {
            "kept": sorted(self.kept),
            "unsaid": {name: sorted(why) for name, why in self.unsaid.items()},
            "hidden": sorted(self.hidden),
            "failures": self.failures,
        }


def play(position: str, wrapper: str) -> Told:
    case, told = Case.of(position, wrapper), Told()
    prefabs: Any = importlib.import_module("game._savegen.prefabs")
    registry: Any = importlib.import_module("game._savegen.registry")
    serializer = getattr(prefabs, f"{case.cls.__name__}Serializer")
    defaults = Defaults(registry.REGISTRY)
    for field in case.fields:
        if field.name not in serializer.__struct_encode_fields__:
            told.hidden.add(field.name)
            continue
        for turn in range(TURNS):
            value = case.evaluate(field.value(turn), case.world)
            try:
                keep(case, serializer, field.name, value, defaults, told)
            except Exception:
                told.failures.append(
                    f"{field.name}, turn {turn}: {traceback.format_exc()}"
                )
    return told


def keep(
    case: Case,
    serializer: Any,
    name: str,
    value: Any,
    defaults: Defaults,
    told: Told,
) -> None:
    """Take one value through JSON and back into an object."""
    thing, new = case.blank(), case.blank()
    assign(thing, name, value)
    entry_of = case.cls.save_type
    parameter = SpawnParameter(
        name, None, thing, name, defaults.registry[int(entry_of)]
    )
    try:
        written = msgspec.json.encode({name: defaults.form_of(serializer, parameter)})
    except Exception as error:
        told.unsaid[name].add(f"{type(error).__name__}: {error}")
        return
    try:
        entry = msgspec.json.decode(written, type=serializer)
    except msgspec.ValidationError as error:
        told.unsaid[name].add(f"{error}")
        return
    keys = LocalKeys()
    (row,) = entry.get_component_snapshots(keys).values()
    cells = [getattr(row, cell) for cell in row.__struct_fields__]
    assert len(cells) - cells.count(msgspec.UNSET) == 1
    new.load_data(row, keys)
    keys.finish()
    again = msgspec.json.decode(msgspec.json.encode(entry), type=serializer)
    assert again == entry, "JSON does not come back the same"
    found = difference(getattr(new, name), value, same)
    if found is not None:
        told.failures.append(f"{name}: {found}")
    else:
        told.kept.add(name)


if __name__ == "__main__":
    position, *wrappers = sys.argv[1:]
    print(json.dumps({w: play(position, w).as_json() for w in wrappers}))
