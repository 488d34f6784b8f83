"""The oracle notices every sort of damage, and nothing else."""

from __future__ import annotations

import copy
import functools
import math
import random
import struct
import weakref
from array import array
from collections import Counter, OrderedDict, defaultdict, deque
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum, Flag
from fractions import Fraction
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any, NamedTuple
from uuid import UUID, SafeUUID
from zoneinfo import ZoneInfo

import attrs
import msgspec
import pytest

from savegen.runtime import SaveLoadable
from tests.oracle import difference, shares_mutable


class Mood(Enum):
    CALM = 1
    ANGRY = 2


class Doors(Flag):
    NORTH = 1
    SOUTH = 2


class Point(NamedTuple):
    x: float
    y: float


class Spot(NamedTuple):
    x: float
    y: float


@dataclass
class Stats:
    hp: int = 1
    tags: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Frozen:
    hp: int = 1
    tags: list[str] = field(default_factory=list)


@attrs.frozen
class FrozenAttrs:
    hp: int = 1


class Packed(msgspec.Struct):
    hp: int = 1


class Slotted:
    __slots__ = ("hp", "mana")

    def __init__(self, **values: int) -> None:
        for name, value in values.items():
            setattr(self, name, value)


class Hero(SaveLoadable):
    def __init__(self, name: str = "") -> None:
        self.name = name
        self.friend: Any = None


class Name(str):
    pass


class Plain:
    pass


class Hostile:
    """Raises whatever is asked of it."""

    def __init__(self) -> None:
        object.__setattr__(self, "hp", 1)

    def _refuse(self, *_: object) -> Any:
        raise AssertionError("the oracle called the game's code")

    __eq__ = __hash__ = __bool__ = __len__ = __repr__ = __iter__ = _refuse
    __getattr__ = __getattribute__ = __setattr__ = __call__ = __index__ = _refuse


def nan(bits: int) -> float:
    value: float = struct.unpack(">d", struct.pack(">Q", 0x7FF8000000000000 | bits))[0]
    return value


def ten(minutes: int, fold: int = 0, zone: Any = None) -> datetime:
    return datetime(2020, 10, 25, 2, minutes, fold=fold, tzinfo=zone)


def made(factory: Any, entries: dict[str, Any]) -> defaultdict[str, Any]:
    return defaultdict(factory, entries)


def titled(value: Any) -> Any:
    value.title = "Sir"
    return value


ONE_HOUR = timezone(timedelta(hours=1))

# What is left after damage differs from what was there: each pair is one sort of it.
DAMAGE: dict[str, tuple[Any, Any]] = {
    "an int became a bool": (1, True),
    "an int became a float": (1, 1.0),
    "an int changed": (2**70, 2**70 + 1),
    "a huge int changed": (10**5000, -(10**5000)),
    "None became something": (None, False),
    "a zero lost its sign": (-0.0, 0.0),
    "a complex zero lost its sign": (complex(0.0, -0.0), complex(0.0, 0.0)),
    "a float changed by one bit": (0.1, math.nextafter(0.1, 1)),
    "a NaN lost its payload": (nan(1), nan(2)),
    "a NaN lost its sign": (math.nan, -math.nan),
    "a string changed": ("a", "b"),
    "a string became its subclass": ("a", Name("a")),
    "a lone surrogate was replaced": ("\udc80", "?"),
    "a string was normalised": ("\u00e9", "e\u0301"),
    "bytes became a bytearray": (b"a", bytearray(b"a")),
    "a bytearray changed": (bytearray(b"a"), bytearray(b"b")),
    "a decimal lost its places": (Decimal("1.00"), Decimal("1.0")),
    "a decimal zero lost its sign": (Decimal("-0"), Decimal("0")),
    "a decimal NaN went quiet": (Decimal("sNaN1"), Decimal("NaN1")),
    "a fraction changed": (Fraction(1, 3), Fraction(1, 4)),
    "a datetime lost its fold": (ten(30, fold=1), ten(30)),
    "a datetime lost its zone": (ten(30, zone=timezone.utc), ten(30)),
    "a zone became an offset": (
        ten(30, zone=ZoneInfo("Europe/Paris")),
        ten(30, zone=ONE_HOUR),
    ),
    "a zone lost its name": (
        ten(30, zone=timezone(timedelta(hours=1), "CET")),
        ten(30, zone=ONE_HOUR),
    ),
    "a datetime moved to another zone": (
        ten(30, zone=ONE_HOUR),
        ten(30, zone=ONE_HOUR).astimezone(timezone.utc),
    ),
    "a datetime became a date": (datetime(2020, 1, 1), date(2020, 1, 1)),
    "a time lost its fold": (time(1, fold=1), time(1)),
    "a timedelta changed": (timedelta(0, 1), timedelta(0, 2)),
    "a UUID changed": (UUID(int=1), UUID(int=2)),
    "a UUID lost its safety": (UUID(int=1, is_safe=SafeUUID.safe), UUID(int=1)),
    "a path changed its system": (PurePosixPath("a"), PureWindowsPath("a")),
    "an enum member became another": (Mood.CALM, Mood.ANGRY),
    "an enum member became its value": (Mood.CALM, 1),
    "a flag lost a bit": (Doors.NORTH | Doors.SOUTH, Doors.NORTH),
    "a list lost its order": ([1, 2], [2, 1]),
    "a list grew": ([1], [1, 1]),
    "a list became a tuple": ([1], (1,)),
    "a named tuple became a tuple": (Point(1, 2), (1, 2)),
    "a named tuple became another": (Point(1, 2), Spot(1, 2)),
    "a tuple lost its order": ((1, 2), (2, 1)),
    "a dict lost its order": ({"a": 1, "b": 1}, {"b": 1, "a": 1}),
    "a dict's key changed its type": ({1: "a"}, {True: "a"}),
    "a dict's value changed": ({"a": [1]}, {"a": [2]}),
    "an ordered dict became a dict": (OrderedDict(a=1), {"a": 1}),
    "an ordered dict lost its order": (OrderedDict(a=1, b=2), OrderedDict(b=2, a=1)),
    "a counter became a dict": (Counter("a"), {"a": 1}),
    "a counter lost a zero": (Counter(a=0, b=1), Counter(b=1)),
    "a defaultdict lost its factory": (made(list, {}), made(None, {})),
    "a defaultdict changed its factory": (made(list, {}), made(dict, {})),
    "a deque lost its bound": (deque([1], 3), deque([1])),
    "a deque lost its order": (deque([1, 2]), deque([2, 1])),
    "a set lost a member": ({1, 2}, {1}),
    "a set's member changed": ({1, 2}, {1, 3}),
    "a set's member changed its type": ({1}, {True}),
    "a set's tuple changed": ({(1, 2)}, {(1, 3)}),
    "a set became a frozenset": ({1}, frozenset({1})),
    "a nested frozenset changed": ({frozenset({1})}, {frozenset({2})}),
    "an array changed its type code": (array("i", [1]), array("l", [1])),
    "an array changed": (array("i", [1]), array("i", [2])),
    "an object became another's": (Stats(), Frozen()),
    "an object's field changed": (Stats(1), Stats(2)),
    "an object's list changed": (Stats(1, ["a"]), Stats(1, ["b"])),
    "a frozen object's field changed": (Frozen(1), Frozen(2)),
    "an attrs field changed": (FrozenAttrs(1), FrozenAttrs(2)),
    "a struct's field changed": (Packed(1), Packed(2)),
    "a slot was filled": (Slotted(hp=1), Slotted(hp=1, mana=2)),
    "a slot changed": (Slotted(hp=1), Slotted(hp=2)),
    "an attribute appeared": (Hero(), titled(Hero())),
    "a subclass's attribute was lost": (
        titled(Name("a")),
        Name("a"),
    ),
    "a weak reference died": (weakref.ref(Mood), weakref.ref(Hero())),
    "a generator moved on": (random.Random(1), random.Random(2)),
    "a class became another": (Stats, Frozen),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_damage_is_found(damage):
    before, after = DAMAGE[damage]
    assert difference(before, after)
    assert difference(after, before)
    assert difference([{"here": (0, before)}], [{"here": (0, after)}])


@pytest.mark.parametrize("damage", DAMAGE)
def test_what_was_not_damaged_is_equal_to_its_copy(damage):
    for value in DAMAGE[damage]:
        assert difference(value, value) is None
        if not isinstance(value, weakref.ref):
            assert difference([value], copy.deepcopy([value])) is None


def test_a_difference_is_told_with_its_place():
    left = {"grid": [{"a": Stats(tags=["x", "y"])}]}
    right = {"grid": [{"a": Stats(tags=["x", "z"])}]}
    told = "['grid'][0]['a'].tags[1]: 'y' on one side, 'z' on the other"
    assert difference(left, right) == told


def test_the_first_difference_is_told():
    assert difference([1, 2, 3], [1, 9, 9]) == "[1]: 2 on one side, 9 on the other"
    assert difference(1, 2) == "the top: 1 on one side, 2 on the other"


def test_what_looks_alike_is_told_apart():
    assert difference(nan(1), nan(2)) is not None
    assert "x01" in str(difference(nan(1), nan(2)))
    assert "characters" in str(difference("a" * 99, "b" * 99))


# -- sharing


def test_one_list_that_became_two_is_found():
    trail = [1]
    told = "[1]: one list on one side is two on the other"
    assert difference([trail, trail], [[1], [1]]) == told


def test_two_lists_that_became_one_are_found():
    trail = [1]
    told = "[1]: two lists on one side are one on the other"
    assert difference([[1], [1]], [trail, trail]) == told


@pytest.mark.parametrize(
    "make",
    [list, dict, set, deque, bytearray, Stats, Hero, Slotted, Packed, random.Random],
)
def test_whatever_can_change_must_be_shared_alike(make):
    one = make()
    twins = [one, copy.deepcopy(one)]
    assert difference([one, one], twins)
    assert difference(twins, [one, one])
    assert difference([one, one], [twins[1], twins[1]]) is None


@pytest.mark.parametrize(
    "make",
    [
        lambda: Frozen(1, []),
        lambda: FrozenAttrs(1),
        lambda: Point(1.5, 2.5),
        lambda: "".join(["a", "b"]),
        lambda: frozenset({7.5}),
        lambda: 2**80,
    ],
)
def test_what_cannot_change_may_be_one_or_two(make):
    one = make()
    twins = [copy.copy(make()), copy.copy(make())]
    if not isinstance(one, Frozen):
        assert difference([one, one], twins) is None
        assert difference(twins, [one, one]) is None
    else:  # but the list in it is shared or not
        assert difference([one, one], [make(), make()])


def test_sharing_is_followed_through_objects_that_cannot_change():
    tags = ["a"]
    left = [(tags,), Frozen(1, tags)]
    assert difference(left, [(tags,), Frozen(1, tags)]) is None
    assert difference(left, [(["a"],), Frozen(1, ["a"])])


def test_objects_that_changed_places_are_found():
    a, b = Hero(), Hero()
    assert difference([a, b, a, b], [a, b, b, a])
    assert difference([a, b, a, b], [b, a, b, a]) is None


def test_circles_end():
    def circle(length: int) -> list[Any]:
        first: list[Any] = []
        last = first
        for _ in range(length - 1):
            last.append([])
            last = last[0]
        last.append((first, 1))
        return first

    assert difference(circle(3), circle(3)) is None
    assert difference(circle(3), circle(4))
    assert difference(circle(4), circle(3))


def test_a_long_chain_needs_no_recursion():
    def chain(end: int) -> Hero:
        first = last = Hero()
        for _ in range(20_000):
            last.friend = last = Hero()
        last.friend = end
        return first

    assert difference(chain(1), chain(1)) is None
    told = difference(chain(1), chain(2))
    assert told is not None and told.count(".friend") == 20_001


# -- sets


def test_sets_have_no_order():
    left = {str(n) for n in range(100)}
    right = set(sorted(left, reverse=True))
    assert difference(left, right) is None


def test_a_set_of_many_kinds_of_nothing():
    left = {0.0, False.__class__, "", b"", (), frozenset(), None, math.nan}
    assert difference(left, copy.deepcopy(left)) is None


def test_members_of_sets_are_the_objects_they_are_elsewhere():
    def world(cross: bool) -> list[Any]:
        heroes = [Hero("a"), Hero("a")]
        heroes[0].friend = heroes[1] if cross else heroes[0]
        return [{heroes[0]}, heroes]

    assert difference(world(False), world(False)) is None
    assert difference(world(True), world(True)) is None
    assert difference(world(True), world(False))
    swapped = world(True)
    swapped[0] = {swapped[1][1]}
    assert difference(world(True), swapped)


def test_a_set_of_tuples_of_objects():
    a, b = Hero("a"), Hero("b")
    x, y = Hero("a"), Hero("b")
    assert difference({(1, a), (1, b)}, {(1, y), (1, x)}) is None
    assert difference({(1, a), (2, b)}, {(1, y), (2, x)})


# -- references


def test_references_lead_to_their_counterparts():
    left, right = Hero("left"), Hero("left")
    a, b = Hero("a"), Hero("not like a")
    left.friend, right.friend = a, b
    assert difference(left, right)
    assert difference(left, right, {a: b}.get) is None
    told = ".friend: a reference to another object"
    assert difference(left, right, lambda hero: hero) == told


def test_references_in_containers_lead_to_their_counterparts():
    a, b = Hero("a"), Hero("b")
    left = {(1, a): {a}, "x": [frozenset({a})]}
    right = {(1, b): {b}, "x": [frozenset({b})]}
    assert difference(left, right, {a: b}.get) is None
    assert difference(left, right, lambda hero: hero)


def test_the_top_is_no_reference():
    assert difference(Hero("a"), Hero("b"), lambda hero: hero)
    assert difference(Hero("a"), Hero("a"), lambda hero: hero) is None


def test_weak_references_are_followed():
    a, b = Hero("a"), Hero("b")
    assert difference(weakref.ref(a), weakref.ref(b))
    assert difference([a, weakref.ref(a)], [b, weakref.ref(b)], {a: b}.get) is None
    assert difference(weakref.ref(Hero()), weakref.ref(Hero())) is None


# -- what can be looked into


def test_the_code_of_the_game_is_never_called():
    assert difference([Hostile()], [Hostile()]) is None
    assert shares_mutable([Hostile()], [Hostile()]) is None


@pytest.mark.parametrize("value", [object(), iter([]), memoryview(b"")])
def test_what_cannot_be_looked_into_is_refused(value):
    with pytest.raises(TypeError, match=f"into a {type(value).__name__}"):
        difference([value], [value])


# -- what two graphs share


def test_nothing_is_shared_with_a_deep_copy():
    world = [Stats(1, ["a"]), {"b": deque([[1], (bytearray(b"a"), {1})])}]
    assert shares_mutable(world, copy.deepcopy(world)) is None


@pytest.mark.parametrize(
    "part",
    [
        [1],
        {},
        set(),
        deque(),
        bytearray(),
        array("i"),
        Stats(),
        Packed(),
        OrderedDict(),
    ],
)
@pytest.mark.parametrize(
    "around",
    [
        lambda part: part,
        lambda part: [part],
        lambda part: (0, (part,)),
        lambda part: {"key": part},
        lambda part: deque([part]),
        lambda part: Stats(tags=part),
        lambda part: Frozen(tags=part),
        lambda part: Point(part, 0),
        lambda part: functools.reduce(lambda inner, _: [inner], range(9), part),
    ],
)
def test_whatever_can_change_is_found_wherever_it_is(around, part):
    assert shares_mutable(around(part), [part])
    assert shares_mutable([part], around(part))
    assert shares_mutable(around(part), around(copy.deepcopy(part))) is None


def test_what_is_shared_is_told_with_both_places():
    tags = ["a"]
    told = shares_mutable({"stats": Stats(tags=tags)}, [0, {"x": tags}])
    assert told == "['stats'].tags and [1]['x'] are one list"


def test_keys_and_members_of_sets_are_looked_into():
    inner = Plain()
    assert shares_mutable({inner: 1}, [inner])
    assert shares_mutable({(1, inner)}, [inner])
    assert shares_mutable(frozenset({inner}), [inner])


@pytest.mark.parametrize(
    "part",
    [1, "a", b"a", (1, 2), frozenset({1}), Mood.CALM, Stats, len, Point(1, 2), None],
)
def test_what_cannot_change_may_be_shared(part):
    assert shares_mutable([part], {"a": part}) is None


def test_saveable_objects_may_be_shared_and_are_not_walked_into():
    hero = Hero()
    hero.friend = [1]
    assert shares_mutable([hero], [hero]) is None
    assert shares_mutable([weakref.ref(hero)], [hero]) is None
    assert shares_mutable([hero.friend], [hero]) is None
    assert shares_mutable([hero.friend], hero) == "[0] and .friend are one list"
