"""The types of the specimens and some more, and the source of a game that has fields of them all.

The game has a class for each row, `Row0`, `Row1` …, with a field of the type itself, and others of
the types that are made of it.
"""

from __future__ import annotations

from tests.specimens import CLASSES, FOE_BODY, FUNCTIONS, SPECIMENS, Specimen


def fixed(type: str, *values: str) -> Specimen:
    return Specimen(type, values, "")


def changing(type: str, *values: str) -> Specimen:
    return Specimen(type, values, "", hashable=False)


# Values that are tried only here.
MORE = {
    "int": ("-1", "2**63 - 1", "2**64", "10**400", "1", "False"),
    "float": ("0.0", "nan(0)", "1.7976931348623157e308", "2**60 + 1", "1.0"),
    "complex": ("1.5j",),
    "str": ("'\\ud800\\udc00'", "'\\\\ud800'", "'x' * 100_000"),
    "bytes": ("b'\\xff' * 5",),
    "decimal": ("Decimal('1E+2')",),
    "fraction": ("Fraction(0)",),
    "datetime": (
        "datetime.min",
        "datetime(2020, 1, 1)",
        "datetime(2020, 10, 25, 2, 30, tzinfo=ZoneInfo('Europe/Paris'))",
        "datetime(2020, 1, 1, tzinfo=timezone(timedelta(microseconds=1)))",
        "datetime(2020, 1, 1, fold=1)",
    ),
    "timedelta": ("timedelta.max",),
    "pure_path": ("PurePosixPath('a/\\udc80')",),
    "mood": ("Mood.RAGING",),
    "bits": ("Bits.A | Bits(8)",),
    "vec": ("Vec2(1.0, 2.0)",),
    "tree": ("Tree(1, Tree(2, Tree(3)))",),
    "stats": ("Stats(2, [], Vec2(1.0, 2.0))",),
    "node": ("Node(1, [2], Node(3, [], Node(4, [5])))",),
    "list": ("[1, 2**70, True]", "[*range(1000)]"),
    "set": ("{'b', 'a', '\\ud800'}", "set()"),
    "dict": ("{'\\ud800': 1, '': 2}",),
    "bytearray": ("bytearray()",),
    "array": ("array('u', 'ab')",),
    "deque": ("deque([], 0)",),
    "defaultdict_of_lists": ("defaultdict(None, a=[1])",),
    "ordered": ("OrderedDict(a=2, b=1)",),
    "counter": ("Counter('abcab')",),
    "pair": ("(2**70, '\\ud800')",),
    "many": ("(1, True, 2**64)",),
    "frozenset": ("frozenset({1, 2**70})", "frozenset()"),
    "foes": ("[]",),
    "foe_set": ("set()",),
    "int_or_str": ("'1'", "True", "'\\ud800'"),
    "ndarray": (
        "np.arange(24).reshape(2, 3, 4).transpose(2, 0, 1)",
        "np.zeros((2, 0, 3))",
        "np.array([1 + 2j], 'c8')",
        "np.array([True, False])",
        "np.array(['a', 'bcd'])",
        "np.array(['2020-01-01', 'NaT'], 'M8[us]')",
        "np.array([1, 2], 'm8[s]')",
        "np.array([1.5], 'f2')",
        "np.array([1], '<u8')",
        "np.array([b'a\\0b', b''], 'V3')",
    ),
    "floats": (
        "np.zeros(0, 'f4')",
        "np.arange(9, dtype='f4')[::2]",
        "np.array(1.5, 'f4')",
    ),
}
# Types of other libraries need settings, assets a registry, and prefabs a prefab; no class can
# be made of a path of another system.
_ELSEWHERE = ("foreign", "asset", "prefab")
_LEFT_OUT = ("maybe_asset", "vector_or_list", "array_or_rng")
TABLE = {
    **{
        key: each._replace(values=each.values + MORE.get(key, ()))
        for key, each in SPECIMENS.items()
        if each.kind not in _ELSEWHERE and key not in _LEFT_OUT
    },
    # In a set, their order is not yet the same in equal worlds: see `test_values`.
    "vec of no number": changing("Vec2", "Vec2(-0.0, 1.0)", "Vec2(1, nan(2))"),
    "dict of numbers": changing("dict[int, float]", "{2: nan(1), 1: -0.0, 2**70: 0.5}"),
    "dict of tuples": changing(
        "dict[tuple[int, str], bytes]", "{(1, 'a'): b'x', (0, ''): b''}"
    ),
    "optional of optional": fixed("int | None", "None", "2**70", "0"),
    "str or datetime": fixed("str | datetime", "'2020-01-01'", "datetime(2020, 1, 1)"),
    "two enums": fixed("Mood | Level", "Mood.CALM", "Level.ONE"),
    "list or tuple or set": changing(
        "list[int] | tuple[int, ...] | set[int]", "[1]", "(1,)", "{1}"
    ),
    "literal with half a pair of surrogates": fixed(
        "Literal['a', '\\ud800']", "'a'", "'\\ud800'"
    ),
    "two dataclasses": changing("Stats | Node", "Stats(1, ['a'])", "Node(1, [2])"),
    "union of many": changing(
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
    "structured array": changing(
        "np.ndarray",
        "np.array([(1, 2.5)], [('a', 'u1'), ('b', 'f8', 2)])",
        "np.array([(1, (2, 3))], [('a', '>i2'), ('b', [('x', 'i4'), ('y', 'i4')])])",
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
    "reference or value": fixed("Foe | int", "foe(0)", "3"),
    "references in a set of tuples": changing(
        "set[tuple[Foe, int]]", "{(foe(0), 1), (foe(1), 2)}"
    ),
    "list of generators": changing("list[random.Random]", "[rng(1), rng(2), rng(1)]"),
}
PLACES = {key: place for place, key in enumerate(TABLE)}

PLAIN = f"""
import math
import pathlib
import struct
import weakref
from array import array
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import IntFlag, StrEnum
from fractions import Fraction
from pathlib import PurePath, PurePosixPath, PureWindowsPath
from typing import NewType, NotRequired, Protocol, TypedDict
from uuid import UUID, SafeUUID
from zoneinfo import ZoneInfo

import attrs
import msgspec
import numpy as np
import numpy.typing as npt
{CLASSES}{FUNCTIONS}

class Beast:
    pass

@saveable
class Foe(Beast):
{FOE_BODY}

@saveable
class Door:
    hp: Saved[int] = 9

@saveable
class Ballast:
    '''Makes a save larger than what is recorded behind it.'''

    data: Saved[bytes]

    def __init__(self):
        self.data = random.Random(1).randbytes(1_000_000)
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
        # Equal generators have no order in a set.
        if row.hashable and row.kind != "generator" or name not in HASHED
        if name != "maybe" or "None" not in row.type.split(" | ")
    ]


def value_of(key: str, name: str, turn: int) -> str:
    """Return an expression for a value of a field; another one at each turn, in a circle."""
    values = TABLE[key].values if name in HASHED else TABLE[key].all
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
