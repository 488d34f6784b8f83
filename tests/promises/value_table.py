"""Types of fields with values that are hard to keep, and the source of a game that has them all.

The game has a class for each row, `Row0`, `Row1` …, with a field of the type itself, and others of
the types that are made of it.
"""

from __future__ import annotations

from typing import NamedTuple


class Row(NamedTuple):
    """A type, values of it, and whether they can stand in a set or as keys."""

    type: str
    values: tuple[str, ...]
    hashable: bool = False


def fixed(type: str, *values: str) -> Row:
    return Row(type, values, hashable=True)


def changing(type: str, *values: str) -> Row:
    return Row(type, values)


TABLE = {
    # scalars
    "bool": fixed("bool", "True", "False"),
    "int": fixed(
        "int", "0", "-1", "2**63 - 1", "2**63", "2**64", "-(2**70)", "10**400"
    ),
    "bool in int": fixed("int", "True", "1", "False", "0"),
    "float": fixed("float", "0.0", "-0.0", "5e-324", "1.7976931348623157e308"),
    "no number": fixed("float", "nan(0)", "nan(7)", "-nan(0)", "math.inf", "-math.inf"),
    "int in float": fixed("float", "1", "2**60 + 1", "False", "1.0"),
    "complex": fixed("complex", "complex(-0.0, nan(3))", "complex(0.0, -0.0)", "1.5j"),
    "str": fixed("str", "''", "'a'", "'e\\u0301'", "'\\0\\r\\n'", "'x' * 100_000"),
    "surrogates": fixed("str", "'\\ud800 \\udcff'", "'\\ud800\\udc00'", "'\\\\ud800'"),
    "bytes": fixed("bytes", "b''", "bytes(range(256))", "b'\\xff' * 5"),
    "None": fixed("None", "None"),
    "Decimal": fixed("Decimal", "Decimal('1.00')", "Decimal('-0')", "Decimal('1E+2')"),
    "no Decimal": fixed("Decimal", "Decimal('NaN123')", "Decimal('-Infinity')"),
    "signalling Decimal": changing("Decimal", "Decimal('sNaN7')"),
    "Fraction": fixed("Fraction", "Fraction(-1, 3)", "Fraction(2**80)", "Fraction(0)"),
    "date": fixed("date", "date.min", "date.max"),
    "time": fixed("time", "time(1, fold=1)", "time(2, 3, 4, 5, timezone.utc)"),
    "datetime": fixed(
        "datetime", "datetime.min", "datetime.max", "datetime(2020, 1, 1)"
    ),
    "zoned": fixed(
        "datetime",
        "datetime(2020, 10, 25, 2, 30, fold=1, tzinfo=ZoneInfo('Europe/Paris'))",
        "datetime(2020, 10, 25, 2, 30, tzinfo=ZoneInfo('Europe/Paris'))",
        "datetime(2020, 1, 1, tzinfo=timezone(timedelta(hours=-3), 'x'))",
        "datetime(2020, 1, 1, tzinfo=timezone(timedelta(microseconds=1)))",
        "datetime(2020, 1, 1, fold=1)",
    ),
    "timedelta": fixed(
        "timedelta", "timedelta.min", "timedelta.max", "timedelta(0, 0, 1)"
    ),
    "UUID": fixed("UUID", "UUID(int=0)", "UUID(int=1, is_safe=SafeUUID.safe)"),
    "Path": fixed("pathlib.Path", "pathlib.Path('a')", "pathlib.Path()"),
    "PurePath": fixed(
        "PurePath", "PureWindowsPath('c:/x')", "PurePosixPath('a/\\udc80')"
    ),
    # enumerations
    "Enum": fixed("Mood", "Mood.CALM", "Mood.ANGRY", "Mood.RAGING"),
    "IntEnum": fixed("Level", "Level.ONE", "Level.TWO"),
    "StrEnum": fixed("Word", "Word.YES", "Word.NO"),
    "Flag": fixed("Doors", "Doors(0)", "Doors.NORTH | Doors.SOUTH"),
    "IntFlag": fixed("Bits", "Bits(0)", "Bits(64)", "Bits.A | Bits(8)"),
    "enum of lists": fixed("Heavy", "Heavy.LIST", "Heavy.DICT"),
    "inner enum": fixed("Outer.Inner", "Outer.Inner.A"),
    "Literal": fixed("Literal['left', 1, b'x', None]", "'left'", "1", "b'x'", "None"),
    # plain classes
    "NamedTuple": fixed("Vec2", "Vec2(-0.0, 1.0)", "Vec2(1.0, 2.0)"),
    # In a set, their order is not yet the same in equal worlds: see `test_values`.
    "NamedTuple of no number": changing("Vec2", "Vec2(-0.0, 1.0)", "Vec2(1, nan(2))"),
    "frozen dataclass": fixed("Line", "Line(Vec2(0.0, 1.0), (Vec2(2.0, 3.0),))"),
    "tree": fixed("Tree", "Tree(1, Tree(2))", "Tree(1, Tree(2, Tree(3)))"),
    "dataclass": changing("Stats", "Stats(1, ['a'])", "Stats(2, [], Vec2(1.0, 2.0))"),
    "slots": changing("SlotStats", "SlotStats(1, ['a', 'b'])"),
    "Struct": changing("StructStats", "StructStats(1, ['a'])"),
    "NamedTuple of a list": changing("TupleHolder", "TupleHolder(1, [2])"),
    "TypedDict": changing(
        "Bag", "{'coins': 1, 'names': ['x']}", "{'coins': 2, 'names': []}"
    ),
    "TypedDict, partial": changing("PartialBag", "{}", "{'names': [1]}"),
    "linked": changing("Node", "Node(1, [2], Node(3, [], Node(4, [5])))"),
    # containers
    "list": changing("list[int]", "[]", "[1, 2**70, True]", "[*range(5000)]"),
    "deep": changing("list[list[list[set[int]]]]", "[[[{1}, set()], []]]"),
    "set": changing("set[str]", "{'b', 'a', '\\ud800'}", "set()"),
    "set of tuples": changing("set[tuple[int, Vec2]]", "{(1, Vec2(2.0, 3.0))}"),
    "frozenset": fixed("frozenset[int]", "frozenset({1, 2**70})", "frozenset()"),
    "dict": changing("dict[str, int]", "{'b': 1, 'a': 2}", "{'\\ud800': 1, '': 2}"),
    "dict of numbers": changing("dict[int, float]", "{2: nan(1), 1: -0.0, 2**70: 0.5}"),
    "dict of tuples": changing(
        "dict[tuple[int, str], bytes]", "{(1, 'a'): b'x', (0, ''): b''}"
    ),
    "dict of dicts": changing(
        "dict[Mood, dict[int, list[float]]]", "{Mood.CALM: {1: [nan(1)], 0: []}}"
    ),
    "bytearray": changing("bytearray", "bytearray(b'ab')", "bytearray()"),
    "array": changing(
        "array", "array('H', [1, 2])", "array('d', [nan(1)])", "array('u', 'ab')"
    ),
    "deque": changing("deque[int]", "deque([1, 2], 5)", "deque()", "deque([], 0)"),
    "deque of lists": changing("deque[list[int]]", "deque([[1], []], maxlen=2)"),
    "defaultdict": changing(
        "defaultdict[str, list[int]]",
        "defaultdict(list, b=[1], a=[])",
        "defaultdict(None, a=[1])",
    ),
    "OrderedDict": changing(
        "OrderedDict[str, int]", "OrderedDict(b=1, a=2)", "OrderedDict(a=2, b=1)"
    ),
    "Counter": changing("Counter[str]", "Counter(b=-1, a=0)", "Counter('abcab')"),
    "pair": fixed("tuple[int, str]", "(1, 'a')", "(2**70, '\\ud800')"),
    "empty tuple": fixed("tuple[()]", "()"),
    "tuple of any length": fixed("tuple[int, ...]", "()", "(1, True, 2**64)"),
    "tuple of a list": changing("tuple[list[int], int]", "([1, 2], 3)"),
    # optional and union
    "optional of optional": fixed("int | None", "None", "2**70", "0"),
    "int or str": fixed("int | str", "1", "'1'", "True", "'\\ud800'"),
    "str or datetime": fixed("str | datetime", "'2020-01-01'", "datetime(2020, 1, 1)"),
    "two enums": fixed("Mood | Level", "Mood.CALM", "Level.ONE"),
    "two tuples": fixed(
        "tuple[int, str] | tuple[Mood, ...]", "(1, 'a')", "(Mood.CALM,)"
    ),
    "list or tuple or set": changing(
        "list[int] | tuple[int, ...] | set[int]", "[1]", "(1,)", "{1}"
    ),
    "bytes or bytearray": changing("bytes | bytearray", "b'a'", "bytearray(b'a')"),
    "two dataclasses": changing("Stats | Node", "Stats(1, ['a'])", "Node(1, [2])"),
    "many": changing(
        "None | bool | str | Vec2 | Stats | list[Vec2] | dict[str, Mood]",
        "None",
        "False",
        "'a'",
        "Vec2(1.0, 2.0)",
        "Stats(1, [])",
        "[Vec2(1.0, 2.0)]",
        "{'a': Mood.CALM}",
    ),
    "union in containers": changing(
        "dict[str, list[int | str | None]]", "{'a': [1, '1', None, True], 'b': []}"
    ),
    # arrays
    "array of any dtype": changing(
        "np.ndarray",
        "np.arange(6).reshape(2, 3)",
        "np.asfortranarray([[1, 2], [3, 4]])",
        "np.arange(9)[::2]",
        "np.arange(24).reshape(2, 3, 4).transpose(2, 0, 1)",
        "np.array(5, '>i2')",
        "np.zeros((0, 2), 'S3')",
        "np.zeros((2, 0, 3))",
        "np.array([nan(3), -0.0])",
        "np.array([1 + 2j], 'c8')",
        "np.array([True, False])",
        "np.array(['a', 'bcd'])",
        "np.array(['2020-01-01', 'NaT'], 'M8[us]')",
        "np.array([1, 2], 'm8[s]')",
        "np.array([1.5], 'f2')",
        "np.array([1], '<u8')",
        "np.array([b'a\\0b', b''], 'V3')",
    ),
    "structured array": changing(
        "np.ndarray",
        "np.array([(1, 2.5)], [('a', 'u1'), ('b', 'f8', 2)])",
        "np.array([(1, (2, 3))], [('a', '>i2'), ('b', [('x', 'i4'), ('y', 'i4')])])",
    ),
    "array of floats": changing(
        "npt.NDArray[np.float32]",
        "np.ones(3, 'f4')",
        "np.zeros(0, 'f4')",
        "np.arange(9, dtype='f4')[::2]",
        "np.array([1.5], '>f4')",
        "np.asfortranarray([[1, 2], [3, 4]], 'f4')",
        "np.array(1.5, 'f4')",
    ),
    "array of bytes": changing("npt.NDArray[np.uint8]", "np.arange(3, dtype='u1')"),
    "array of a kind": changing(
        "npt.NDArray[np.floating]", "np.ones(3, 'f4')", "np.ones(2)"
    ),
    "array or number": changing(
        "npt.NDArray[np.int16] | list[npt.NDArray[np.int16]] | int",
        "np.ones(3, 'i2')",
        "[np.ones(2, 'i2'), np.ones((2, 1), 'i2')]",
        "3",
    ),
    "number of numpy": fixed("np.float32", "np.float32(1.5)", "np.float32('nan')"),
    "any number of numpy": fixed("np.number[Any]", "np.int8(3)", "np.complex64(1j)"),
    # references and classes
    "reference": fixed("Foe", "foes[0]", "foes[1]"),
    "class": fixed("type[Foe | Door]", "Foe", "Door"),
    "reference or value": fixed("Foe | int", "foes[0]", "3"),
    "list of references": changing("list[Foe]", "[foes[1], foes[0], foes[1]]", "[]"),
    "keys": changing(
        "dict[Foe, list[Foe | None]]", "{foes[1]: [foes[0], None], foes[0]: []}"
    ),
    "set of references": changing("set[Foe]", "{foes[0], foes[1]}", "set()"),
    "references in a set of tuples": changing(
        "set[tuple[Foe, int]]", "{(foes[0], 1), (foes[1], 2)}"
    ),
    "references in a dataclass": changing("Link", "Link(foes[0], [foes[1], foes[0]])"),
    # bound methods
    "method": fixed(
        "Method[[], int]", "foes[0].roar", "foes[1].roar", "foes[1].hidden()"
    ),
    "method or value": fixed("Method[..., object] | int | None", "foes[1].flee", "3"),
    "heap of methods": changing(
        "list[tuple[int, int, Method]]", "[(1, 2, foes[1].flee), (7, 1, foes[0].roar)]"
    ),
    # generators
    "Random": changing("random.Random", "dice(1)", "dice(2)"),
    "Generator": changing(
        "np.random.Generator", "np_dice('PCG64')", "np_dice('MT19937')"
    ),
    "list of generators": changing(
        "list[random.Random]", "[dice(1), dice(2), dice(1)]"
    ),
}
PLACES = {key: place for place, key in enumerate(TABLE)}

PLAIN = """
import math
import pathlib
import struct
from array import array
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import IntFlag, StrEnum
from fractions import Fraction
from pathlib import PurePath, PurePosixPath, PureWindowsPath
from typing import NotRequired, TypedDict
from uuid import UUID, SafeUUID
from zoneinfo import ZoneInfo

import msgspec
import numpy as np
import numpy.typing as npt

def nan(payload):
    return struct.unpack(">d", struct.pack(">Q", 0x7FF8000000000000 | payload))[0]

class Mood(Enum):
    CALM = 1
    ANGRY = 2
    RAGING = 2

class Level(IntEnum):
    ONE = 1
    TWO = 2

class Word(StrEnum):
    YES = "yes"
    NO = "no"

class Doors(Flag):
    NORTH = 1
    SOUTH = 2

class Bits(IntFlag):
    A = 1

class Heavy(Enum):
    LIST = [1]
    DICT = {"a": [1]}

class Outer:
    class Inner(Enum):
        A = 1

class Vec2(NamedTuple):
    x: float
    y: float

@dataclass(frozen=True)
class Line:
    start: Vec2
    rest: tuple[Vec2, ...]

@dataclass(frozen=True, slots=True)
class Tree:
    hp: int
    left: Tree | None = None

@dataclass
class Stats:
    hp: int
    tags: list[str]
    best: Vec2 | None = None

@dataclass(slots=True)
class SlotStats:
    hp: int
    tags: list[str]

class StructStats(msgspec.Struct):
    hp: int
    tags: list[str]

class TupleHolder(NamedTuple):
    hp: int
    items: list[int]

class Bag(TypedDict):
    coins: int
    names: list[str]
    lost: NotRequired[dict[str, list[int]]]

class PartialBag(TypedDict, total=False):
    names: list[int]

@dataclass
class Node:
    hp: int
    items: list[int]
    next: Node | None = None

@saveable
class Foe:
    hp: Saved[int] = 3

    def roar(self):
        return self.hp

    def flee(self, *others):
        return others

    def __hide(self):
        return self.hp

    def hidden(self):
        return self.__hide

@saveable
class Door:
    hp: Saved[int] = 9

@saveable
class Ballast:
    '''Makes a save larger than what is recorded behind it.'''

    numbers: Saved[list[int]]

    def __init__(self):
        self.numbers = [*range(1_000_000, 1_200_000)]

@dataclass
class Link:
    target: Foe | None
    others: list[Foe]
"""
# The fields of each class, by the type and the value; the last two only if it can be hashed.
FIELDS = {
    "it": ("{type}", "{value}"),
    "maybe": ("{type} | None", "{value}"),
    "many": ("list[{type}]", "[{value}, {other}, {value}]"),
    "by_name": ("dict[str, {type}]", "{{'a': {value}, 'b': {other}}}"),
    "pair": ("tuple[{type}, int]", "({value}, 1)"),
    "held": ("Held{place}", "Held{place}({other}, [{value}])"),
    "some": ("set[{type}]", "{{{value}, {other}}}"),
    "as_key": ("dict[{type}, list[int]]", "{{{value}: [1]}}"),
}
HASHED = ("some", "as_key")


def fields_of(key: str) -> list[str]:
    row = TABLE[key]
    return [
        name
        for name in FIELDS
        if row.hashable or name not in HASHED
        if name != "maybe" or "None" not in row.type.split(" | ")
    ]


def value_of(key: str, name: str, turn: int) -> str:
    """Return an expression for a value of a field; another one at each turn, in a circle."""
    values = TABLE[key].values
    first, second = (values[at % len(values)] for at in (turn, turn + 1))
    template = FIELDS[name][1]
    return template.format(value=first, other=second, place=PLACES[key])


def _class(key: str) -> str:
    place, row = PLACES[key], TABLE[key]
    types = {name: FIELDS[name][0] for name in fields_of(key)}
    lines = [
        f"    {name}: Saved[{text.format(type=row.type, place=place)}]"
        for name, text in types.items()
    ]
    held = f"@dataclass\nclass Held{place}:\n    it: {row.type}\n    more: list[{row.type}]\n"
    return f"{held}\n@saveable\nclass Row{place}:\n" + "\n".join(lines) + "\n"


SOURCE = PLAIN + "\n\n" + "\n\n".join(map(_class, TABLE))
