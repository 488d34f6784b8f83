"""The worlds that are measured: a generated game of small classes, and many objects of them."""

from __future__ import annotations

import importlib
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

SEED = 1
HEAD = """
from __future__ import annotations
from savegen import Saved, saveable
"""
GAME = """

@saveable
class {name}:
    {slots}
    position: Saved[tuple[float, float]]
    name: Saved[str]
    hp: Saved[int]
    speed: Saved[float]
    alive: Saved[bool]
    mood: Saved[str | None]
    trail: Saved[list[int]]
    foe: Saved[{name} | None]{more}

    def __init__(self, number: int) -> None:
        self.position = (number * 0.5, 1.0)
        self.name = f"unit {{number}}"
        self.hp = number
        self.speed = number / 7
        self.alive = True
        self.mood = None
        self.trail = [number, number + 1, number + 2]
        self.foe = None{none}
"""
SLOTS = "position name hp speed alive mood trail foe".split()
LINKED = """

@saveable
class Node:
    next: Saved[Node | None] = None
"""


def game_class(name: str, slots: str = "", more: tuple[str, ...] = ()) -> str:
    """Return the source of a class with eight fields, and `more` references."""
    declared = "".join(f"\n    {field}: Saved[{name} | None]" for field in more)
    assigned = "".join(f"\n        self.{field} = None" for field in more)
    return GAME.format(name=name, slots=slots, more=declared, none=assigned)


def write_game(folder: Path) -> None:
    """Write the game that is measured, and generate for it."""
    plain = game_class("Unit")
    slots = ", ".join(f'"{name}"' for name in SLOTS)
    slotted = game_class("Slotted", f"__slots__ = ({slots})")
    branch = game_class("Branch", more=("left", "right"))
    (folder / "units.py").write_text(HEAD + plain + slotted + branch + LINKED)
    for command in ("wire", "components"):
        subprocess.run(
            [sys.executable, "-m", "savegen", command, "units.py"],
            cwd=folder,
            env=environment(folder),
            stdout=subprocess.DEVNULL,
            check=True,
        )


def environment(folder: Path) -> dict[str, str]:
    root = Path(__file__).parents[2]
    return {"PYTHONPATH": f"{folder}:{root}", "PYTHONHASHSEED": "0"}


class Arena:
    """A world of units, some of which refer to others."""

    def __init__(self, count: int, name: str = "Unit") -> None:
        from savegen.runtime import SaveLoadManager

        self.game = importlib.import_module("units")
        registry: Any = importlib.import_module("_savegen.registry")
        self.manager = SaveLoadManager(registry.REGISTRY)
        self.other = SaveLoadManager(registry.REGISTRY)
        cls = getattr(self.game, name)
        self.units = [cls(number) for number in range(count)]
        dice = random.Random(SEED)
        for unit in self.units:
            unit.foe = dice.choice(self.units)

    def added(self) -> Arena:
        for unit in self.units:
            self.manager.add(unit)
        return self

    def change(self, share: float) -> None:
        dice = random.Random(SEED)
        for unit in dice.sample(self.units, int(len(self.units) * share)):
            unit.hp += 1
            unit.position = (unit.position[0] + 1.0, 2.0)


class Tree(Arena):
    """A world that only one object was added to: each of the others has three below it."""

    def __init__(self, count: int) -> None:
        super().__init__(0)
        nodes = [self.game.Branch(number) for number in range(count)]
        for number, node in enumerate(nodes):
            below = nodes[3 * number + 1 : 3 * number + 4]
            for name, other in zip(("foe", "left", "right"), below, strict=False):
                setattr(node, name, other)
        self.units = nodes[:1]
        self.manager.add(nodes[0])


class Chain(Arena):
    """A list of nodes, each of which knows only the next."""

    def __init__(self, count: int) -> None:
        super().__init__(0)
        self.first = node = self.game.Node()
        for _ in range(count - 1):
            node.next = self.game.Node()
            node = node.next
        self.manager.add(self.first)
