"""A game of any size, always the same for a seed: half its files hold a saveable class.

The other half are neighbours without a mark, some of which import the marked ones. A marked file
is about 1.8 KB: a class with eight fields of varied kinds, four methods with ordinary bodies,
docstrings and imports, already wired to its mixin.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

PYPROJECT = '[tool.savegen]\nsource = "game"\noutput = "game/_savegen"\n'
MARKED_PER_FOLDER = 50

SHAPES = '''"""Values and enumerations that the whole game shares."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple


class Facing(Enum):
    """Which way somebody looks."""

    NORTH = 1
    EAST = 2
    SOUTH = 3
    WEST = 4


@dataclass(frozen=True)
class Vec2:
    """A point or a direction."""

    x: float = 0.0
    y: float = 0.0

    def __add__(self, other: Vec2) -> Vec2:
        return Vec2(self.x + other.x, self.y + other.y)


class Tile(NamedTuple):
    """A square of the map."""

    column: int
    row: int


@dataclass
class Stats:
    """What changes in a fight."""

    strength: int = 10
    wounds: list[int] = field(default_factory=list)
'''

# Annotation and value; `{name}` is the field's, `{other}` a saveable class of another file.
_FIELDS = (
    ("Saved[int]", "{number}"),
    ("Saved[int]", "{number}"),
    ("Saved[float]", "{number}.5"),
    ("Saved[bool]", "False"),
    ("Saved[str]", '"{name}"'),
    ("Saved[Vec2]", "Vec2({number}, 0)"),
    ("Saved[Vec2]", "Vec2()"),
    ("Saved[Facing]", "Facing.EAST"),
    ("Saved[Tile]", "Tile({number}, 1)"),
    ("Saved[Stats]", None),
    ("Saved[list[int]]", None),
    ("Saved[list[Vec2]]", None),
    ("Saved[dict[str, int]]", None),
    ("Saved[set[str]]", None),
    ("Saved[tuple[int, ...]]", "()"),
    ("Saved[list[tuple[str, Vec2]]]", None),
    ("Saved[Vec2 | None]", "None"),
    ('Annotated[float, Save("max_{name}", ge=0)]', "{number}.0"),
    ("Annotated[int, Save(editor=False)]", "0"),
    ("Saved[{other} | None]", "None"),
    ("Saved[list[{other}]]", None),
)
_EMPTY = {"list": "[]", "dict": "{}", "set": "set()", "Stats": "Stats()"}

_METHODS = (
    '''
    def {verb}_{noun}(self, amount: int) -> int:
        """Return what is left of {noun}."""
        left = max(0, amount - {number})
        for step in range(left):
            if step % {number} == 0 and random.random() < 0.5:
                left -= step
        return left or math.floor(amount / 2)
''',
    '''
    def {verb}_{noun}(self, names: list[str]) -> dict[str, int]:
        """Count {noun} by name."""
        found: dict[str, int] = {{}}
        for name in names:
            found[name] = found.get(name, 0) + {number}
        return {{name: n for name, n in found.items() if n > 1}}
''',
    """
    def {verb}_{noun}(self, elapsed: float) -> tuple[float, str]:
        # The faster it goes, the less {noun} counts.
        speed = math.hypot(elapsed, {number}) * 0.25
        if speed > {number}.0:
            speed, elapsed = {number}.0, 0.0
        return (speed + elapsed, f"{noun} {{speed:.2f}}")
""",
    '''
    def {verb}_{noun}(self) -> str:
        """Say how {noun} does."""
        parts = [str(part) for part in ({number}, "{verb}", self)]
        try:
            return ", ".join(sorted(parts, key=len))
        except TypeError as error:
            return f"no {noun}: {{error}}"
''',
)
_VERBS = "find count move drop open raise hold mend sell turn".split()
_NOUNS = "gold light armour anger hunger speed luck mana cold range power trust".split()
_NAMES = "Goblin Door Lamp Chest Tower Wolf Cart Bridge Spell Trap Ghost Mill".split()


def files(count: int, seed: int = 1) -> Iterator[tuple[str, str]]:
    """Yield path and text of a game with `count` marked files, and as many unmarked ones."""
    random = Random(seed)
    yield "pyproject.toml", PYPROJECT
    yield "game/__init__.py", ""
    yield "game/shapes.py", SHAPES
    for place in range(count):
        if place % MARKED_PER_FOLDER == 0:
            yield f"game/{_folder(place)}/__init__.py", ""
        yield marked_path(place), _marked(place, count, random)
        yield f"game/{_folder(place)}/help{place:05}.py", _unmarked(place, random)


def marked_path(place: int) -> str:
    return f"game/{_folder(place)}/part{place:05}.py"


def _folder(place: int) -> str:
    return f"area{place // MARKED_PER_FOLDER:03}"


def class_name(place: int) -> str:
    return f"{_NAMES[place % len(_NAMES)]}{place:05}"


def _module(place: int) -> str:
    return f"{_folder(place)}.part{place:05}"


def _marked(place: int, count: int, random: Random) -> str:
    name = class_name(place)
    # Every fourth class inherits from one in another file.
    base = place - 1 if place % 4 == 2 else None
    other = random.randrange(count)
    nouns = random.sample(_NOUNS, 12)
    own = "" if base is None else "own_"  # no name of the base's
    names = [f"{own}{noun}" for noun in nouns[:8]]
    fields = list(_fields(random, names, class_name(other)))
    text = "\n".join(line for line, _ in fields)
    imports = [f"from game._savegen.components.{_module(place)} import {name}SaveLoad"]
    if base is not None:
        imports.append(f"from game.{_module(base)} import {class_name(base)}")
    shapes = [s for s in ("Facing", "Stats", "Tile", "Vec2") if s in text]
    if shapes:
        imports.append(f"from game.shapes import {', '.join(shapes)}")
    if class_name(other) in text and other not in (base, place):
        imports.append("")
        imports.append("if TYPE_CHECKING:")
        imports.append(f"    from game.{_module(other)} import {class_name(other)}")
    bases = ", ".join([f"{name}SaveLoad", *([class_name(base)] if base else [])])
    made = "\n".join(f"        {line}" for _, line in fields if line) or "        pass"
    methods = "".join(
        random.choice(_METHODS).format(
            verb=random.choice(_VERBS), noun=noun, number=random.randrange(2, 90)
        )
        for noun in nouns[8:]
    )
    return f'''"""The {name} of the {_folder(place)}: one of the parts that a level is made of."""

from __future__ import annotations

import math
import random
from typing import TYPE_CHECKING, Annotated

from savegen import Save, Saved, saveable

{chr(10).join(imports)}


@saveable
class {name}({bases}):
    """Stands in a level, and answers to what happens around it."""

{text}

    def __init__(self) -> None:
{made}
{methods}'''


def _fields(
    random: Random, names: list[str], other: str
) -> Iterator[tuple[str, str | None]]:
    """Yield each field's declaration, and its assignment if it has no value there."""
    for name, (annotation, value) in zip(names, random.sample(_FIELDS, len(names))):
        words = {"name": name, "number": random.randrange(1, 90), "other": other}
        declared = f"    {name}: {annotation.format(**words)}"
        if value is None:
            outer = annotation.removeprefix("Saved[").partition("[")[0].rstrip("]")
            yield declared, f"self.{name} = {_EMPTY[outer]}"
        else:
            yield f"{declared} = {value.format(**words)}", None


def _unmarked(place: int, random: Random) -> str:
    """Return a file without marks; every second one imports a marked class."""
    imports = "import math\nimport random\n"
    if place % 2:
        imports += f"\nfrom game.{_module(place)} import {class_name(place)}\n"
    methods = "".join(
        random.choice(_METHODS).format(
            verb=random.choice(_VERBS), noun=noun, number=random.randrange(2, 90)
        )
        for noun in random.sample(_NOUNS, 4)
    )
    return f'''"""Helps with what happens at place {place}."""

from __future__ import annotations

{imports}

class Helper{place:05}:
    """Knows what others need not know."""
{methods}'''
