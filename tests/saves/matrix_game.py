"""A game with a field of every kind, which has another kind in its next version.

`python -m tests.saves.matrix_game save|load FILE` plays the version in the present folder.
"""

from __future__ import annotations

import ast
import importlib
import pickle
import random
import sys
import weakref
from array import array
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import date, time, timedelta
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from pathlib import Path, PurePath
from typing import Any, NamedTuple
from uuid import UUID

from msgspec.structs import replace

from savegen.runtime import SaveApplyError, SaveLoadManager
from savegen.runtime.values.folds import NOT_SET
from savegen.saves.body import Body, RawRow, RawTable
from savegen.saves.coding import decode_body, encode, read
from savegen.saves.limits import Guard

ENGINE = """
class Picture:
    pass


class Hex:
    def __init__(self, q, r):
        self.q, self.r = q, r
"""
CODECS = """
from engine import Hex


class HexCodec:
    def copy(self, value: Hex) -> Hex:
        return Hex(value.q, value.r)

    def encode(self, value: Hex) -> tuple[int, int]:
        return value.q, value.r

    def decode(self, data: tuple[int, int]) -> Hex:
        return Hex(*data)


hexes = HexCodec()
"""
SETTINGS = """
[tool.savegen]
source = ["game"]

[tool.savegen.codecs]
"engine.Hex" = "codecs_:hexes"
"""
HEAD = """
from __future__ import annotations

import weakref
from array import array
from collections import Counter, OrderedDict, defaultdict, deque
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum, Flag, IntEnum
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Annotated, Literal, NamedTuple, NotRequired, TypedDict
from uuid import UUID

import numpy as np
import numpy.typing as npt

from engine import Hex, Picture
from savegen import Asset, Save, Saved, saveable
from savegen.runtime import GameObject
"""
TYPES = """
from game._savegen.components.types_ import AnimalSaveLoad, CampSaveLoad, CatSaveLoad, DogSaveLoad, RockSaveLoad

Image = Annotated[Picture, Asset()]


@saveable
class Animal(AnimalSaveLoad):
    label: Saved[str] = ""


@saveable
class Dog(DogSaveLoad, Animal):
    pass


@saveable
class Cat(CatSaveLoad{cat}):
    {cats}


@saveable
class Rock(RockSaveLoad):
    label: Saved[str] = ""


@saveable(prefab=True)
class Camp(CampSaveLoad):
    label: Saved[str] = ""


class Mood(Enum):
    CALM = 1
    ANGRY = 2
    {mood}


class Rank(IntEnum):
    LOW = 1


class Gone(Enum):
    HERE = 1
    {gone}


class Way(Flag):
    NORTH = 1
    EAST = 2


class Lost(Flag):
    HERE = 1
    {lost}


class Point(NamedTuple):
    x: int
    y: int


@dataclass
class Alike:
    x: float
    y: float


@dataclass
class Partly:
    x: int
    z: int = 3


@dataclass
class Stats:
    {stats}


@dataclass
class Wider:
    {wider}


@dataclass
class Bare:
    {bare}


@dataclass
class Less:
    {less}


@dataclass
class Node:
    hp: int
    next: Node | None = None


class Bag(TypedDict):
    {bag}


class Strict(TypedDict):
    {strict}
"""
CHANGES = {  # what stands in braces, in both versions
    "cat": (", Animal", ""),
    "cats": ("pass", 'label: Saved[str] = ""'),
    "mood": ("", "GLAD = 3"),
    "gone": ("GONE = 2", ""),
    "lost": ("GONE = 2", ""),
    "stats": ("hp: int", 'health: Annotated[int, Save(was="hp")]'),
    "wider": (
        "hp: int",
        "hp: float\n    new: list[int] = field(default_factory=list)\n"
        "    huge: int = 2**70\n    text: str = '\\ud800'",
    ),
    "bare": ("hp: int", "hp: int\n    new: int"),
    "less": ("hp: int\n    mana: int = 4", "hp: int"),
    "bag": (
        "coins: int\n    name: NotRequired[str]",
        "coins: NotRequired[int]\n    name: NotRequired[str]\n    new: NotRequired[int]",
    ),
    "strict": ("coins: NotRequired[int]", "coins: int"),
}
# By its annotation, values of each kind: every one that some change could refuse.
KINDS = {
    "bool": "True, False",
    "int": "0, 7, -(2**53)",
    "float": "0.5, -3.0",
    "complex": "0.5 + 1j,",
    "str": "'', 'a'",
    "bytes": "b'a',",
    "None": "None,",
    "Decimal": "Decimal('1.50'),",
    "Fraction": "Fraction(1, 3),",
    "date": "date(2024, 1, 31),",
    "time": "time(10, 30),",
    "datetime": "datetime(2024, 1, 31, 10), datetime(2024, 1, 31)",
    "timedelta": "timedelta(1, 2, 3),",
    "UUID": "UUID(int=7),",
    "Path": "Path('a/b'),",
    "bytearray": "bytearray(b'a'),",
    "array[float]": "array('d', [0.5]),",
    "np.ndarray": "np.array([1, 2]), np.array([0.5])",
    "npt.NDArray[np.int64]": "np.array([1, 2]),",
    "np.float32": "np.float32(0.5),",
    "np.floating": "np.float32(0.5), np.float64(0.5)",
    "Random": "Random(3),",
    "np.random.Generator": "np.random.default_rng(3),",
    "PrefabType": "PrefabType.CAMP,",
    "Image": "picture,",
    "Hex": "Hex(1, 2),",
    "Animal": "dog, cat, animal",
    "Dog": "dog,",
    "Cat": "cat,",
    "Dog | Rock": "dog, rock",
    "weakref.ref[Dog]": "weakref.ref(dog),",
    "GameObject": "thing,",
    "type[Dog]": "Dog,",
    "type[Animal]": "Dog, Cat, Animal",
    "Rank": "Rank.LOW,",
    "Mood": "Mood.CALM, Mood.ANGRY",
    "Gone": "Gone.HERE, Gone.GONE",
    "Way": "Way.NORTH, Way.NORTH | Way.EAST, Way(0)",
    "Lost": "Lost.HERE, Lost.GONE",
    "Literal['a', 1, None]": "'a', 1, None",
    "Literal['a', None]": "'a', None",
    "Literal['a', 1]": "'a', 1",
    "Literal['a']": "'a',",
    "Point": "Point(1, 2),",
    "Alike": "Alike(0.5, 1.5),",
    "Partly": "Partly(1, 2),",
    "Stats": "Stats(3),",
    "Wider": "Wider(3),",
    "Bare": "Bare(3),",
    "Less": "Less(3),",
    "Node": "Node(1, Node(2)),",
    "Bag": "{'coins': 1}, {'coins': 1, 'name': 'a'}",
    "Strict": "{}, {'coins': 1}",
    "list[int]": "[], [1]",
    "list[str]": "['a'],",
    "tuple[int, ...]": "(1,),",
    "set[int]": "{1},",
    "frozenset[int]": "frozenset({1}),",
    "set[date]": "{date(2024, 1, 31)},",
    "frozenset[datetime]": "frozenset({datetime(2024, 1, 31)}),",
    "deque[int]": "deque([1]), deque([1], 3)",
    "tuple[int]": "(1,),",
    "tuple[int, int]": "(1, 2),",
    "dict[str, int]": "{'a': 1},",
    "dict[int, int]": "{1: 1},",
    "defaultdict[str, int]": "defaultdict(int, a=1),",
    "OrderedDict[str, int]": "OrderedDict(a=1),",
    "Counter[str]": "Counter('a'),",
    "int | str": "1, 'a'",
    "float | str": "0.5, 1, 'a'",
    "int | list[int]": "1, [1]",
}
NAMES = [*KINDS]
AROUND = {  # how a kind is contained, and a value
    "Bare": ("{}", lambda value: value),
    "Optional": ("{} | None", lambda value: value),
    "List": ("list[{}]", lambda value: [value]),
    "Dict": ("dict[str, {}]", lambda value: {"a": value}),
    "Places": ("tuple[int, {}]", lambda value: (1, value)),
}


class Pair(NamedTuple):
    """A field: its container, its kind in the old game, and in the new one."""

    around: str
    old: int
    new: int

    @property
    def cls(self) -> str:
        return f"K{self.old}{self.around}"

    @property
    def field(self) -> str:
        return f"f{self.new}"


def pairs(*, is_whole: bool) -> list[Pair]:
    """Return the fields; each pair bare, and in all containers, or every other in one."""
    others = [*AROUND][1:]
    found = []
    for old in range(len(NAMES)):
        for new in range(len(NAMES)):
            one = others[(old + new) % len(others)]
            some = ("Bare", one) if (old // 2 + new) % 2 or old == new else ("Bare",)
            for around in AROUND if is_whole else some:
                is_twice = "None" in (NAMES[old], NAMES[new]) and around == "Optional"
                if not is_twice:
                    found.append(Pair(around, old, new))
    return found


def files(version: int, found: Iterable[Pair]) -> dict[str, str]:
    """Return the game of a version, text by path."""
    classes: dict[int, dict[str, list[Pair]]] = {}
    for pair in found:
        classes.setdefault(pair.old, {}).setdefault(pair.cls, []).append(pair)
    changes = {name: texts[version] for name, texts in CHANGES.items()}
    made = {
        "engine.py": ENGINE,
        "codecs_.py": CODECS,
        "pyproject.toml": SETTINGS,
        "game/__init__.py": "",
        "game/types_.py": HEAD + TYPES.format(**changes),
    }
    names = "Alike, Animal, Bag, Bare, Cat, Dog, Gone, Image, Less, Lost, Mood, Node"
    names += ", Partly, Point, Rank, Rock, Stats, Strict, Way, Wider"
    for old, each in classes.items():
        text = HEAD + f"from game.types_ import {names}\n"
        text += "from game._savegen.types import PrefabType\n"
        mixins = ", ".join(f"{cls}SaveLoad" for cls in each)
        text += f"from game._savegen.components.kind{old} import {mixins}\n"
        for cls, fields in each.items():
            text += f"\n\n@saveable\nclass {cls}({cls}SaveLoad):\n"
            for pair in fields:
                kind = NAMES[pair.new if version else pair.old]
                text += (
                    f"    {pair.field}: Saved[{AROUND[pair.around][0].format(kind)}]\n"
                )
        made[f"game/kind{old}.py"] = text
    return made


# -- played


class Play:
    """The game in the present folder."""

    def __init__(self) -> None:
        sys.path.insert(0, "")
        self.types: Any = importlib.import_module("game.types_")
        registry: Any = importlib.import_module("game._savegen.registry")
        prefabs: Any = importlib.import_module("game._savegen.prefab_info")
        types: Any = importlib.import_module("game._savegen.types")
        self.tables = registry.REGISTRY, prefabs.PREFAB_INFO
        self.names = {**vars(self.types), "PrefabType": types.PrefabType}
        self.picture = self.types.Picture()

    def manager(self) -> SaveLoadManager:
        manager = SaveLoadManager(*self.tables)
        manager.assets["sword"] = self.picture
        return manager

    def cls(self, pair: Pair) -> Any:
        return getattr(importlib.import_module(f"game.kind{pair.old}"), pair.cls)

    def save(self, group: tuple[Pair, ...]) -> tuple[bytes, dict[Pair, list[Any]]]:
        """Save objects with the fields of one class; return their values, too."""
        manager, names = self.manager(), self.with_objects()
        samples = {pair: [*self.samples(pair, names)] for pair in group}
        for number in range(max(map(len, samples.values()))):
            thing = object.__new__(self.cls(group[0]))
            for pair, values in samples.items():
                setattr(thing, pair.field, values[number % len(values)])
            manager.add(thing)
        for name in ("thing", "animal", "dog", "cat", "rock"):
            manager.add(names[name])
        data = encode(manager.create_snapshot())
        return data, {pair: [*map(told, each)] for pair, each in samples.items()}

    def with_objects(self) -> dict[str, Any]:
        """Return the names of the game, and of an object of each class that fields refer to."""
        names = {**self.names, "picture": self.picture}
        names["thing"] = names["GameObject"](position=(3.0, 0.0, 0.0))
        for name in ("Animal", "Dog", "Cat", "Rock"):
            names[name.lower()] = names[name]()
            names[name.lower()].label = name.lower()
        return names

    def samples(
        self, pair: Pair, names: dict[str, Any], is_new: bool = False
    ) -> Iterator[Any]:
        """Yield values of a field, in the new game those that it still has."""
        (listed,) = ast.parse(f"[{KINDS[NAMES[pair.old]]}]").body
        assert isinstance(listed, ast.Expr) and isinstance(listed.value, ast.List)
        for each in listed.value.elts:
            with suppress(*([AttributeError, TypeError] if is_new else [])):
                yield AROUND[pair.around][1](eval(ast.unparse(each), names))
        if pair.around == "Optional":
            yield None

    def load(self, groups: Iterable[tuple[Pair, ...]], data: bytes) -> Iterator[Loaded]:
        """Load the save of a class again and again, each time with some of its fields."""
        found = read(data)
        body, guard = found.body, found.guard
        for group in groups:
            some = replace(
                body, tables=[cut(each, group, guard) for each in body.tables]
            )
            yield self.load_body(some, guard, group)

    def load_body(self, body: Body, guard: Guard, group: tuple[Pair, ...]) -> Loaded:
        manager = self.manager()
        try:
            registry = manager._world.registry
            snapshot = decode_body(body, registry, guard, prefabs=manager._game.prefabs)
            report = manager.apply_snapshot(snapshot)
        except SaveApplyError as error:
            return Loaded(refused=str(error))
        except Exception as error:
            return Loaded(refused=f"{type(error).__name__}: {error}")
        found = [*manager.find(self.cls(group[0]))]
        values = {p: [told(getattr(each, p.field)) for each in found] for p in group}
        wrong: dict[str, list[str]] = {}
        for each in report.mismatches:
            wrong.setdefault(each.field, []).append(str(each))
        cut = {
            field: rest
            for field, _, rest in (x.field.partition(".") for x in report.lost)
        }
        for lost in report.lost:
            wrong.setdefault(lost.field, []).append(str(lost))
        names = self.with_objects()
        for pair in group:
            kind = Pair(pair.around, pair.new, pair.new)
            samples = [*self.samples(kind, names, is_new=True)]
            for value in (getattr(each, pair.field) for each in found):
                if not is_of_type_of(value, samples):
                    wrong.setdefault(pair.field, []).append(
                        f"of another type: {value!r}"
                    )
        parts = frozenset(field for field, rest in cut.items() if rest)
        return Loaded(values, "", wrong, parts, report.preserved)


def is_of_type_of(value: Any, samples: list[Any]) -> bool:
    """Return whether a value, and all in it, is of a class that a sample of its kind is of."""
    alike = [each for each in samples if type(each) is type(value)]
    pool = [part for each in alike for part in parts_of(each)]
    return bool(alike) and all(is_of_type_of(each, pool) for each in parts_of(value))


def parts_of(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return [*value, *value.values()]
    return value if isinstance(value, (list, tuple, set, frozenset, deque)) else ()


def cut(table: RawTable, group: tuple[Pair, ...], guard: Guard) -> RawTable:
    """Return the table of a class in which only some fields are set."""
    if table.name != f"game.kind{group[0].old}.{group[0].cls}":
        return table
    kept = {
        field.number for field in table.fields if field.name in {p.field for p in group}
    }
    absent: dict[int | str, Any] = {
        field.number: NOT_SET for field in table.fields if field.number not in kept
    }
    made = RawTable(table.number, table.name, table.fields, table.types)
    made.add(
        [
            RawRow(
                row.key,
                {n: cell for n, cell in row.cells.items() if n in kept},
                absent | {n: each for n, each in row.extras.items() if n in kept},
            )
            for row in table.rows(guard)
        ]
    )
    return made


class Loaded(NamedTuple):
    """What a load did to the fields of one save."""

    values: dict[Pair, list[Any]] = {}
    refused: str = ""
    wrong: dict[str, list[str]] = {}  # by field
    cut: frozenset[str] = frozenset()  # fields that lost a part
    preserved: dict[str, int] = {}


_Number = bool, int, float, complex, Decimal, Fraction


def told(value: Any) -> Any:
    """Return a value in words that do not depend on the type that says the same."""
    if hasattr(value, "dtype"):
        return "array", value.tolist()
    if isinstance(value, Enum):
        return "member", value.name
    if isinstance(value, _Number):
        whole: Any = value
        return "number", *(str(Fraction(each)) for each in (whole.real, whole.imag))
    if isinstance(value, (str, type(None))):
        return value
    if isinstance(value, (bytes, bytearray)):
        return "bytes", bytes(value)
    if isinstance(value, (PurePath, UUID, date, time, timedelta)):
        return str(value)
    if isinstance(value, array):
        return "array", [*value]
    if fields := getattr(value, "_fields", None) or getattr(
        value, "__dataclass_fields__", None
    ):
        return "record", {name: told(getattr(value, name)) for name in fields}
    if isinstance(value, Mapping):
        return "dict", sorted((told(key), told(each)) for key, each in value.items())
    if isinstance(value, (list, tuple, deque)):
        return "items", [*map(told, value)]
    if isinstance(value, (set, frozenset)):
        return "set", sorted(map(told, value))
    if isinstance(value, weakref.ref):
        return told(value())
    if isinstance(value, type):
        return "class", value.__name__
    if isinstance(value, random.Random):
        return "random", value.getstate()
    if hasattr(value, "bit_generator"):
        return "generator", str(value.bit_generator.state)
    if hasattr(value, "q"):
        return "hex", value.q, value.r
    return "object", getattr(value, "label", type(value).__name__)


def main(word: str, path: str) -> None:
    play, place = Play(), Path(path)
    jobs = pickle.loads(place.read_bytes())
    if word == "save":
        done: Any = [play.save(group) for group in jobs]
    else:
        done = [[*play.load(groups, data)] for groups, data in jobs]
    place.write_bytes(pickle.dumps(done))


if __name__ == "__main__":
    # Pickled by one name in all processes.
    importlib.import_module("tests.saves.matrix_game").main(*sys.argv[1:])
