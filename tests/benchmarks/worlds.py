"""The worlds that are measured: a generated game of small classes, and many objects of them.

`Actor`, `SlotActor` and `Unit` have eight fields each: scalars, a tuple, a list and a reference.
What is imported of savegen is public, so the same worlds measure any version of it.
"""

from __future__ import annotations

import importlib
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

SEED = 1
WORLDS = ("Actor", "SlotActor", "Unit")
KINDS = 30  # classes of the small world
SMALL = 120  # objects in it
HEAD = """
from __future__ import annotations
from savegen import Saved, saveable
"""
UNIT = """

@saveable
class {name}:
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
ACTOR = """

@saveable
class {name}:
    {slots}
    name: Saved[str]
    x: Saved[float]
    y: Saved[float]
    hp: Saved[int]
    alive: Saved[bool]
    facing: Saved[tuple[int, int]]
    items: Saved[list[str]]
    target: Saved[{name} | None]

    def __init__(self, number: int) -> None:
        self.name = f"actor {{number}}"
        self.x = number * 0.5
        self.y = number / 7
        self.hp = number
        self.alive = True
        self.facing = (number % 3 - 1, 1)
        self.items = ["sword", f"key {{number % 100}}"]
        self.target = None
"""
SLOTS = "name x y hp alive facing items target".split()
LINKED = """

@saveable
class Node:
    next: Saved[Node | None] = None


@saveable
class Lone:
    hp: Saved[int]
    name: Saved[str]
    foe: Saved[Lone | None]

    def __init__(self, number: int) -> None:
        self.hp, self.name, self.foe = number, f"lone {number}", None


@saveable
class Friendly:
    hp: Saved[int]
    name: Saved[str]
    foe: Saved[Friendly | None]
    friends: Saved[set[Friendly]]

    def __init__(self, number: int) -> None:
        self.hp, self.name, self.foe = number, f"friendly {number}", None
        self.friends = set()
"""
KIND = """

@saveable
class Kind{place}:
    hp: Saved[int]
    name: Saved[str]
    at: Saved[tuple[float, float]]
    own{place}: Saved[list[str]]
    other: Saved[Kind{next} | None]

    def __init__(self, number: int) -> None:
        self.hp, self.name, self.at = number, f"kind {{number}}", (number * 0.5, 1.0)
        self.own{place} = ["a", "b"]
        self.other = None
"""


def unit_class(name: str, more: tuple[str, ...] = ()) -> str:
    """Return the source of a class with eight fields, and `more` references."""
    declared = "".join(f"\n    {field}: Saved[{name} | None]" for field in more)
    assigned = "".join(f"\n        self.{field} = None" for field in more)
    return UNIT.format(name=name, more=declared, none=assigned)


def actor_class(name: str, slots: str = "") -> str:
    return ACTOR.format(name=name, slots=slots)


def kind_class(place: int) -> str:
    """Return the source of one of the classes of the small world."""
    return KIND.format(place=place, next=(place + 1) % KINDS)


def write_game(folder: Path) -> None:
    """Write the game that is measured, and generate for it."""
    slots = ", ".join(f'"{name}"' for name in SLOTS)
    source = [
        HEAD,
        unit_class("Unit"),
        unit_class("Branch", more=("left", "right")),
        actor_class("Actor"),
        actor_class("SlotActor", f"__slots__ = ({slots})"),
        LINKED,
        *map(kind_class, range(KINDS)),
    ]
    (folder / "units.py").write_text("".join(source))
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
    """A world of units, each of which refers to another one."""

    def __init__(self, count: int, name: str = "Unit") -> None:
        self.game = importlib.import_module("units")
        self.manager = self.new_manager()
        self.other = self.new_manager()
        cls = getattr(self.game, name)
        self.units = [cls(number) for number in range(count)]
        reference = "target" if name.endswith("Actor") else "foe"
        dice = random.Random(SEED)
        for unit in self.units:
            setattr(unit, reference, dice.choice(self.units))

    def new_manager(self) -> Any:
        from savegen.runtime import SaveLoadManager

        registry: Any = importlib.import_module("_savegen.registry")
        return SaveLoadManager(registry.REGISTRY)

    def added(self) -> Arena:
        for unit in self.units:
            self.manager.add(unit)
        return self

    def sample(self, share: float, seed: int) -> list[Any]:
        return random.Random(seed).sample(self.units, int(len(self.units) * share))

    def hurt(self, share: float, seed: int) -> None:
        """Change one field of a share of the objects."""
        for unit in self.sample(share, seed):
            unit.hp += 1

    def replace(self, place: int) -> None:
        """Destroy an object, and add another one."""
        self.manager.destroy(self.units[place])
        self.units[place] = type(self.units[place])(place)
        self.manager.add(self.units[place])

    def change(self, share: float) -> None:
        """Change two fields of a share of the objects."""
        for unit in self.sample(share, SEED):
            unit.hp += 1
            if hasattr(unit, "position"):
                unit.position = (unit.position[0] + 1.0, 2.0)
            elif hasattr(unit, "x"):
                unit.x += 1.0


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
    """A list of nodes, each of which knows only the next; one was added, or all of them."""

    def __init__(self, count: int, whole: bool = False) -> None:
        super().__init__(0)
        nodes = [self.game.Node() for _ in range(count)]
        for node, following in zip(nodes, nodes[1:], strict=False):
            node.next = following
        self.units = nodes
        for node in nodes if whole else nodes[:1]:
            self.manager.add(node)


class Friends(Arena):
    """A world of objects with a set of references: empty, or of two of the others."""

    def __init__(self, count: int, filled: bool) -> None:
        super().__init__(count, "Friendly")
        for place, unit in enumerate(self.units if filled else ()):
            unit.friends = {self.units[place - 1], self.units[place - 2]}


class Small(Arena):
    """A small world: a few objects of each of many classes."""

    def __init__(self) -> None:
        super().__init__(0)
        kinds = [getattr(self.game, f"Kind{number}") for number in range(KINDS)]
        self.units = [kinds[number % KINDS](number) for number in range(SMALL)]
        for number, unit in enumerate(self.units):
            unit.other = self.units[(number + 1) % SMALL]
