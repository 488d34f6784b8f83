"""Runs in the game's own process: saves objects with surprises in all fields, and reads them.

Prints, as JSON, what went wrong, by case. With `--damaged`, a file loses what is beside its rows.
"""

from __future__ import annotations

import json
import random
import sys
import traceback
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from savegen.runtime import SaveLoadManager
from savegen.saves import decode, encode
from savegen.saves.body import NO_EXTRAS, Types
from tests.behaviour.driver import Case, assign, registry
from tests.soaking import SOAKING

WORLDS = 400 if SOAKING else 8  # for each case
OBJECTS = 6
LOST = ["print", "object()", "lambda: 0"]  # no kind can hold them
LONG = ["2**64", "-(2**70)", "'\\ud800'", "['\\udfff', 2**99]"]


def worlds(case: Case) -> Iterator[Any]:
    """Yield managers with objects that have values of any type in some of their fields."""
    values = [text for field in case.fields for text in field.specimen.all]
    for seed in range(WORLDS):
        dice = random.Random(seed)
        manager: Any = SaveLoadManager(registry())
        for turn in range(OBJECTS):
            thing = manager.add(case.make(seed + turn))
            for field in dice.sample(case.fields, dice.choice([0, 1, 4])):
                text = dice.choice(dice.choice([values, values, LONG, LOST]))
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
    other: Any = SaveLoadManager(registry())
    other.apply_snapshot(found)
    again = other.create_snapshot()
    assert not again.lost
    assert encode(again) == data


def failures(name: str) -> Iterator[str]:
    case = Case.of(*name.split("/"))
    for number, manager in enumerate(worlds(case)):
        try:
            check(manager)
        except Exception:
            yield f"world {number}\n{traceback.format_exc()}"


if __name__ == "__main__":
    names = sys.argv[1:]
    if names[0] == "--damaged":
        Types.encoded_extras = lambda self, extras: NO_EXTRAS  # type: ignore[method-assign]
        del names[0]
    print(json.dumps({name: [*failures(name)] for name in names}))
