"""A small game without generated code: what tests of wires are made of."""

from __future__ import annotations

import random
from array import array
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum, Flag, IntEnum
from fractions import Fraction
from pathlib import PurePosixPath
from typing import Any, NamedTuple
from uuid import UUID
from zoneinfo import ZoneInfo

import numpy
from msgspec import msgpack

from savegen.runtime import SaveLoadable, SaveLoadKey, SlotKey, checks
from savegen.runtime.checks import Check, EnumMember, Keys, UserType
from savegen.runtime.errors import SaveError
from savegen.runtime.generators import GeneratorState, kept
from savegen.runtime.saves.document import Form
from savegen.runtime.saves.wire import (
    Names,
    Shapes,
    Things,
    Wires,
    decoder,
    used_shapes,
)

HERE = __name__


class Foe(SaveLoadable):
    pass


class Kinds(IntEnum):
    GOBLIN = 7


class GoblinSaveLoad(SaveLoadable):
    save_type = Kinds.GOBLIN


class Goblin(GoblinSaveLoad):
    pass


class Mood(Enum):
    CALM = 1
    ANGRY = 2
    RAGING = 2


class Doors(Flag):
    NORTH = 1
    SOUTH = 2


class Prefabs(IntEnum):
    ORC = 16


class Vec2(NamedTuple):
    x: float
    y: float = 0.5


@dataclass
class Stats:
    hp: int
    tags: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Tree:
    hp: int
    left: Tree | None = None


class Hex:
    def __init__(self, q: int, r: int) -> None:
        self.q, self.r = q, r


class HexCodec:
    def copy(self, value: Hex) -> Hex:
        return Hex(value.q, value.r)

    def encode(self, value: Hex) -> Any:
        return {"q": value.q, "r": (value.r,)}

    def decode(self, data: Any) -> Hex:
        return Hex(data["q"], *data["r"])


CODEC = HexCodec()

VEC2 = UserType(HERE, "Vec2", x=checks.FLOAT, y=checks.FLOAT)
STATS = UserType(HERE, "Stats", hp=checks.INT, tags=checks.list_of(checks.STR))
TREE = UserType(HERE, "Tree")
TREE.holds(hp=checks.INT, left=checks.optional(TREE))
MOOD = EnumMember(HERE, "Mood")
DOORS = EnumMember(HERE, "Doors")
HEX = checks.Foreign(f"{HERE}:Hex", f"{HERE}:CODEC")
BAG = Keys("Bag")
BAG.holds({"coins": checks.INT}, {"names": checks.list_of(checks.STR)})
PREFAB = checks.Member(Prefabs)

FOES = [Foe() for _ in range(4)]
DICE = random.Random(1)
NUMPY_DICE = numpy.random.default_rng(1)
PICTURES = {"hero": object()}


class Game(Names, Things):
    """Both sides in one: objects are found again where they are."""

    objects: Sequence[Any] = FOES

    def __init__(self) -> None:
        self.states: list[GeneratorState] = [kept(DICE), kept(NUMPY_DICE)]

    def refs(self, objects: Any, /) -> list[int | None]:
        places = {id(each): place for place, each in enumerate(FOES)}
        try:
            return [None if each is None else places[id(each)] for each in objects]
        except KeyError:
            raise SaveError("that is no object") from None

    def asset(self, thing: Any, /) -> Any:
        if isinstance(thing, str):
            return PICTURES[thing]
        return next(id for id, each in PICTURES.items() if each is thing)

    def generator(self, state: Any, /) -> Any:
        if isinstance(state, int):
            return self.states[state]
        return self.states.index(state)

    def class_of(self, number: int, /) -> type:
        return {7: Goblin}[number]

    def key(self, key: Any, /) -> Any:
        if isinstance(key, SaveLoadKey):
            index = key.object.index
            return index if index < len(FOES) else (*key.object, key.component)
        if isinstance(key, int):
            return SaveLoadKey(SlotKey(key, 1), 0)
        return SaveLoadKey(SlotKey(key[0], key[1]), key[2])


# Each check with values of it: hard ones.
VALUES: list[tuple[Check, list[Any]]] = [
    (checks.NONE, [None]),
    (checks.BOOL, [True, False]),
    (checks.INT, [0, -1, True, 2**64 - 1, 2**64, -(2**63), -(2**63) - 1]),
    (checks.FLOAT, [0.0, -0.0, float("nan"), -float("inf"), 5e-324, 1, True, 2**70]),
    (checks.COMPLEX, [complex(-0.0, float("nan")), 1.5, 3, 2**70]),
    (checks.STR, ["", "a", "\ud800 \udcff", "\ud800\udc00", "\\ud800", "e\u0301"]),
    (checks.BYTES, [b"", bytes(range(256))]),
    (checks.BYTEARRAY, [bytearray(b"ab")]),
    (checks.ARRAY, [array("d", [float("nan")]), array("H", [1]), array("u", "ab")]),
    (
        checks.DECIMAL,
        [Decimal("-0"), Decimal("sNaN7"), Decimal("1E+2"), Decimal("1.00")],
    ),
    (checks.FRACTION, [Fraction(-1, 3), Fraction(2**80)]),
    (checks.DATE, [date.min, datetime(1, 1, 1), datetime(2020, 1, 1, fold=1)]),
    (checks.TIME, [time(1, fold=1), time(2, 3, 4, 5, timezone.utc)]),
    (
        checks.DATETIME,
        [
            datetime.max,
            datetime(2020, 10, 25, 2, 30, fold=1, tzinfo=ZoneInfo("Europe/Paris")),
            datetime(2020, 1, 1, tzinfo=timezone(timedelta(hours=-3), "x\ud800")),
            datetime(2020, 1, 1, tzinfo=timezone.utc),
        ],
    ),
    (checks.TIMEDELTA, [timedelta.min, timedelta.max]),
    (checks.UUID, [UUID(int=7)]),
    (checks.PATH, [PurePosixPath("a/\udc80")]),
    (checks.REFERENCE, [FOES[0], FOES[3]]),
    (checks.optional(checks.REFERENCE), [None, FOES[1]]),
    (checks.Literals("left", 1, b"x", None), ["left", 1, b"x", None]),
    (checks.CLASS, [Goblin]),
    (
        checks.NDARRAY,
        [numpy.arange(6).reshape(2, 3), numpy.asfortranarray([[1, 2], [3, 4]])],
    ),
    (checks.NumpyScalar("float32"), [numpy.float32(1.5)]),
    (checks.RANDOM, [kept(DICE)]),
    (checks.NUMPY_GENERATOR, [kept(NUMPY_DICE)]),
    (checks.Asset("builtins.object"), [*PICTURES.values()]),
    (PREFAB, [Prefabs.ORC]),
    (HEX, [Hex(1, 2)]),
    (MOOD, [Mood.CALM, Mood.ANGRY]),
    (DOORS, [Doors(0), Doors.NORTH | Doors.SOUTH, Doors.SOUTH]),
    (VEC2, [Vec2(1.0, -0.0), Vec2(True, 2)]),
    (STATS, [Stats(1), Stats(2, ["a"])]),
    (TREE, [Tree(1), Tree(1, Tree(2, Tree(3)))]),
    (BAG, [{"coins": 1}, {"names": ["a"], "coins": 2}]),
    (checks.list_of(VEC2), [[], [Vec2(1.0, 2.0)]]),
    (checks.list_of(checks.list_of(checks.INT)), [[[1], []]]),
    (checks.tuple_of(checks.INT), [(), (1, 2)]),
    (checks.set_of(checks.INT), [set(), {3, 1}]),
    (checks.frozenset_of(checks.STR), [frozenset("ba")]),
    (checks.deque_of(checks.INT), [deque([1], 3), deque()]),
    (checks.dict_of(checks.STR, checks.INT), [{"b": 1, "a": 2}, {"\ud800": 1}]),
    (checks.dict_of(checks.INT, VEC2), [{2: Vec2(1.0), 1: Vec2(2.0)}]),
    (checks.ordered_dict_of(checks.STR, checks.INT), [OrderedDict(b=1, a=2)]),
    (checks.counter_of(checks.STR), [Counter(b=-1, a=0)]),
    (
        checks.defaultdict_of(checks.STR, checks.list_of(checks.INT)),
        [defaultdict(list, b=[1]), defaultdict(None)],
    ),
    (checks.Places(checks.INT, checks.STR), [(1, "a")]),
    (checks.Places(), [()]),
    (checks.AnyOf(checks.INT, checks.STR, checks.NONE), [1, "a", None, "\ud800"]),
    (checks.AnyOf(checks.list_of(checks.INT), STATS), [[1], Stats(3)]),
    (checks.optional(STATS), [None, Stats(1)]),
]

NAMES = [check.wanted for check, _ in VALUES]


def through_bytes(
    check: Check, values: list[Any], wires: Wires | None = None
) -> list[Any]:
    """Return values as they come back from the bytes of a column."""
    wires = wires or Wires([check])
    form, shapes, data = packed(check, values, wires)
    (column,) = decoder([form], shapes)(data)
    return wires.of(check).reader(form, shapes)(column, Game())


def packed(check: Check, values: list[Any], wires: Wires) -> tuple[Form, Shapes, bytes]:
    """Return the form of a column, its shapes, and the bytes of a piece with it."""
    wire = wires.of(check)
    column = wire.pack(values, Game())
    form = wire.form
    return form, used_shapes([form], wires.shapes), msgpack.encode([column])
