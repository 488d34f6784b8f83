"""Play one of the games: `python driver.py GAME straight|save|load TURNS…`.

It prints a digest of the whole state after each number of turns. The digest knows nothing of
savegen: it follows the attributes of the objects.
"""

from __future__ import annotations

import enum
import hashlib
import importlib
import json
import random
import sys
import weakref
from collections import deque
from collections.abc import Iterable
from typing import Any

import numpy as np

ATOMS = (bool, int, float, str, bytes, type(None), enum.Enum, type, np.generic)
GAMES = {
    "rogue": ("rogue.engine", "new_game", "turn", [7]),
    "colony": ("colony.colony", "new_colony", "step", [7, 1200]),
}


def digest(root: object) -> str:
    """Return a digest of all objects that `root` reaches, and of how they are connected."""
    shapes = {id(value): shape(value) for value in reached(root)}
    names = {key: label for key, (label, _, _) in shapes.items()}
    for _ in range(6):  # each round tells apart what lies one object further away
        names = {key: named(shapes[key], names) for key in shapes}
    return f"{len(names)} objects, {hashed(sorted(names.values()))}"


def reached(root: object) -> list[object]:
    found, known = [root], {id(root)}
    for value in found:
        for part in flat(shape(value)[2]):
            if not isinstance(part, ATOMS) and id(part) not in known:
                known.add(id(part))
                found.append(part)
    return found


def shape(value: Any) -> tuple[str, bool, list[Any]]:
    """Return what a value is, whether its parts have an order, and its parts."""
    label = type(value).__name__
    if isinstance(value, dict | weakref.WeakKeyDictionary):
        is_ordered = isinstance(value, dict)
        return label, is_ordered, [pair for pair in value.items()]
    if isinstance(value, list | deque):
        return f"{label} {getattr(value, 'maxlen', '')}", True, [*value]
    if isinstance(value, set):
        return label, False, [*value]
    if isinstance(value, np.ndarray):
        text = f"{value.dtype} {value.shape} {value.flags.f_contiguous}"
        return f"{text} {hashed(value.tobytes())}", True, []
    if isinstance(value, random.Random):
        return hashed(value.getstate()), True, []
    if isinstance(value, np.random.Generator):
        return hashed(value.bit_generator.state), True, []
    state = vars(value)
    return f"{label} {sorted(state)}", True, [state[name] for name in sorted(state)]


def flat(parts: Iterable[Any]) -> Iterable[Any]:
    """Yield the parts, with those of tuples in place of the tuples."""
    for part in parts:
        if isinstance(part, tuple):
            yield from flat(part)
        else:
            yield part


def named(shape: tuple[str, bool, list[Any]], names: dict[int, str]) -> str:
    label, ordered, parts = shape
    texts = [text(part, names) for part in parts]
    return hashed([label, *(texts if ordered else sorted(texts))])


def text(part: Any, names: dict[int, str]) -> str:
    if isinstance(part, tuple):
        return f"{type(part).__name__}({[text(inner, names) for inner in part]})"
    return f"{type(part)}{part!r}" if isinstance(part, ATOMS) else names[id(part)]


def hashed(value: object) -> str:
    return hashlib.sha256(repr(value).encode()).hexdigest()


def manager(game: str) -> Any:
    from savegen.runtime import SaveLoadManager

    registry = importlib.import_module(f"{game}._savegen.registry")
    return SaveLoadManager(registry.REGISTRY)


def start(game: str) -> Any:
    module, make, _, arguments = GAMES[game]
    return getattr(importlib.import_module(module), make)(*arguments)


def loaded(game: str) -> tuple[Any, Any]:
    """Return the root of the game from its save, and the report of the load."""
    from savegen.saves import SaveSlots

    module, make, _, _ = GAMES[game]
    made = importlib.import_module(module)
    world = manager(game)
    report = SaveSlots("saves").load("slot", world)
    (root,) = world.find(made.Engine if game == "rogue" else made.Colony)
    world.create_snapshot(strict=True)  # raises if a value does not fit its mark
    return root, report


def main(game: str, verb: str, *turns: str) -> None:
    from savegen.saves import SaveSlots

    root, report = loaded(game) if verb == "load" else (start(game), None)
    digests = [digest(root)] if verb == "load" else []
    total = sum_of_renamed(root)
    for count in turns:
        for _ in range(int(count)):
            getattr(root, GAMES[game][2])()
        digests.append(digest(root))
    if verb != "straight":
        world = manager(game)
        world.add(root)
        world.create_snapshot(strict=True)
        if verb == "save":
            SaveSlots("saves").save("slot", world)
    print(json.dumps(digests))
    if report is not None:
        print(json.dumps([total, report.defaulted, report.preserved]))


def sum_of_renamed(root: object) -> int:
    """Return the sum of the attributes that the second versions rename, of all objects."""
    names = ("base_power", "power", "depth", "dug")
    attributes = [vars(value) for value in reached(root) if hasattr(value, "__dict__")]
    return sum(state.get(name, 0) for state in attributes for name in names)


if __name__ == "__main__":
    main(*sys.argv[1:])
