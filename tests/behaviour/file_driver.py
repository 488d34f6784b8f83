"""Runs in the game's own process: saves objects with surprises in all fields, and reads them.

Prints, as JSON, what went wrong, by case. With `--damaged`, a file loses what is beside its rows.
With `--packed`, nothing is saved: what generated code has packed is checked as `encode` would.
With `--unchecked` as well, generated code lets through what does not fit.
"""

from __future__ import annotations

import importlib
import json
import math
import random
import struct
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from savegen.runtime import SaveLoadManager
from savegen.runtime.values.folds import wrong as misfits
from savegen.saves import decode, encode
from savegen.saves.body import NO_EXTRAS, Types
from savegen.saves.schema import row_schema_of
from tests.behaviour.driver import Case, assign, registry
from tests.soaking import SOAKING

WORLDS = 400 if SOAKING else 8  # for each case
SURPRISES = 100 if SOAKING else 4  # for each field
OBJECTS = 6
LOST = ["print", "object()", "lambda: 0"]  # no kind can hold them
LONG = ["2**64", "-(2**70)", "'\\ud800'", "['\\udfff', 2**99]"]


def new_manager() -> Any:
    """Return a manager that knows the assets that objects have."""
    manager = SaveLoadManager(registry())
    manager.assets["math"], manager.assets["struct"] = math, struct
    return manager


def worlds(case: Case) -> Iterator[Any]:
    """Yield managers with objects that have values of any type in some of their fields."""
    values = [text for field in case.fields for text in field.specimen.all]
    for seed in range(WORLDS):
        dice = random.Random(seed)
        manager = new_manager()
        for turn in range(OBJECTS):
            thing = manager.add(case.make(seed + turn))
            for field in dice.sample(case.fields, dice.choice([0, 1, 4])):
                text = dice.choice(dice.choice([values, values, LONG, LOST]))
                text = dice.choice([text, field.around(text, text)])
                with suppress(TypeError):  # it cannot stand in a set
                    assign(thing, field.name, case.evaluate(text, case.world))
            if dice.random() < 0.2:
                with suppress(AttributeError):
                    delattr(thing, dice.choice(case.names))
        yield manager


def check(manager: Any) -> None:
    """Check that a file has exactly what a snapshot has, as far as a file can hold it."""
    snapshot = manager.create_snapshot()
    data = encode(snapshot)
    found = decode(data, manager)
    assert encode(found, registry=registry()) == data
    if not snapshot.lost:
        assert found.digest() == snapshot.digest()
    other = new_manager()
    other.apply_snapshot(found)
    again = other.create_snapshot()
    assert not again.lost
    assert encode(again) == data


def check_packed(case: Case) -> None:
    """Check that what a save of a new snapshot leaves unchecked fits its fields."""
    columns = [c for c in row_schema_of(case.entry).columns if not c.needs_check]
    fields = {field.name: field for field in case.fields}
    values = [text for field in case.fields for text in field.specimen.all]
    dice, manager = random.Random(1), new_manager()
    for field in [fields[column.name] for column in columns if column.name in fields]:
        wrong = [text for text, *_ in field.specimen.wrong]
        for _ in range(SURPRISES):
            # After one surprise in an object, the table of kinds packs all its fields.
            thing = manager.add(case.make(0))
            text = dice.choice(dice.choice([values, LONG, wrong or values]))
            with suppress(TypeError):  # it cannot stand in a set
                value = case.evaluate(field.around(text, text), case.world)
                assign(thing, field.name, value)
    for table in manager.create_snapshot().tables.values():
        for column in columns if table.entry is case.entry else ():
            cells = [*map(column.get, table.rows)]
            assert not misfits(column.stored, cells), (column.name, column.stored)


def check_worlds(case: Case) -> None:
    for number, manager in enumerate(worlds(case)):
        try:
            check(manager)
        except Exception as error:
            error.add_note(f"in world {number}")
            raise


def failure(name: str, check: Callable[[Case], None]) -> str:
    """Return what went wrong with a case; "" if nothing did."""
    try:
        check(Case.of(*name.split("/")))
    except Exception:
        return traceback.format_exc()
    return ""


if __name__ == "__main__":
    names = [name for name in sys.argv[1:] if not name.startswith("--")]
    if "--damaged" in sys.argv:
        Types.encoded_extras = lambda self, extras: NO_EXTRAS  # type: ignore[method-assign]
    if "--unchecked" in sys.argv:
        for name in names:
            path = "game._savegen.components." + name.partition("/")[0]
            module: Any = importlib.import_module(path)
            module.misfit = lambda value: value
    chosen = check_packed if "--packed" in sys.argv else check_worlds
    print(json.dumps({name: failure(name, chosen) for name in names}))
