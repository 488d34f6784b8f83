"""Subclasses, counters and values that no kind can hold."""

from __future__ import annotations

import itertools
import pathlib
import random
import uuid
from array import array
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy
import pygame
import pytest

from savegen.runtime.errors import SaveCorruptError, SaveError
from savegen.runtime.values.references import References
from savegen.runtime.values.folds import settled, text, typed, untyped
from savegen.runtime.values.libraries.generators import (
    generator_from,
    set_state,
    state_of,
)
from savegen.runtime.values.rows import Misfit
from savegen.runtime.values.values import ValueEntry, Values

HERE = __name__


class Lies:
    """What a subclass may override; none of it may run."""

    def __init__(self, *arguments: object) -> None:
        raise AssertionError("code of the game ran")

    __iter__ = __len__ = __getitem__ = __setitem__ = __str__ = __repr__ = __init__  # type: ignore[assignment]
    items = keys = values = append = add = update = extend = __init__
    __int__ = __float__ = __bytes__ = isoformat = getstate = tobytes = __init__


BASES: dict[str, tuple[type, Any]] = {
    "list<int>": (list, [1, 2]),
    "tuple<int>": (tuple, (1, 2)),
    "(int, str)": (tuple, (1, "a")),
    "set<int>": (set, {1, 2}),
    "frozenset<int>": (frozenset, frozenset([1])),
    "deque<int>": (deque, deque([1, 2], 5)),
    "dict<str, int>": (dict, {"a": 1}),
    "OrderedDict<str, int>": (OrderedDict, OrderedDict(b=1, a=2)),
    "Counter<str>": (Counter, Counter("aab")),
    "defaultdict<str, list<int>>": (defaultdict, defaultdict(list, a=[1])),
    "int": (int, 2**70),
    "float": (float, -0.0),
    "str": (str, "größe"),
    "bytes": (bytes, b"\0"),
    "bytearray": (bytearray, bytearray(b"ab")),
    "complex": (complex, 1 + 2j),
    "fraction": (Fraction, Fraction(-1, 3)),
    "decimal": (Decimal, Decimal("1.50")),
    "date": (date, date(2024, 2, 29)),
    "datetime": (datetime, datetime(2024, 1, 1, 2, fold=1, tzinfo=timezone.utc)),
    "time": (time, time(1, 2, 3, 4, fold=1)),
    "timedelta": (timedelta, timedelta(-1, 2, 3)),
    "uuid": (uuid.UUID, uuid.UUID(int=7, is_safe=uuid.SafeUUID.safe)),
    "path": (type(pathlib.Path()), pathlib.Path("a/b")),
    "array": (array, array("h", [1, 2])),
    "ndarray": (numpy.ndarray, numpy.arange(6).reshape(2, 3)),
    "codec pygame.math.Vector2<tuple<float>>": (
        pygame.Vector2,
        pygame.Vector2(1.5, -2),
    ),
    "codec pygame.rect.Rect<tuple<int>>": (pygame.Rect, pygame.Rect(1, 2, 3, 4)),
    "codec pygame.rect.FRect<tuple<float>>": (
        pygame.FRect,
        pygame.FRect(1.5, 2, 3, 4),
    ),
    "codec pygame.color.Color<tuple<int>>": (
        pygame.Color,
        pygame.Color(1, 2, 3, 4),
    ),
}


class World(References):
    def __init__(self, values: Values) -> None:
        super().__init__(values)
        self.generators: list[Any] = []

    def _generator_key(self, generator: Any, /) -> int:
        if generator not in self.generators:
            self.generators.append(generator)
        return self.generators.index(generator)

    def _generator(self, key: int, /) -> Any:
        return self.generators[key]


def content_of(value: Any, base: type) -> Any:
    """Return what a test compares: the value as one of the base."""
    plain: Any = base
    if base in (dict, OrderedDict, Counter, defaultdict):
        return [*plain.items(value)], getattr(value, "default_factory", None)
    if base is deque:
        return [*deque.__iter__(value)], value.maxlen
    if base in (set, frozenset):
        return sorted(plain.__iter__(value))
    if base in (list, tuple):
        return [*plain.__iter__(value)]
    if base is numpy.ndarray:
        return numpy.ndarray.tolist(value)
    if base.__module__.startswith("pygame"):
        return [plain.__getitem__(value, n) for n in range(plain.__len__(value))]
    if base is array:
        return value.typecode, array.tolist(value)
    if base is uuid.UUID:
        return value.int, value.is_safe
    if base is type(pathlib.Path()):
        return pathlib.PurePath.__str__(value)
    if base in (datetime, time):
        return plain.__reduce_ex__(value, 4)[1]
    return plain.__repr__(value) if base is not str else str.__str__(value)


@pytest.mark.parametrize("stored", BASES)
def test_a_subclass_comes_back_as_its_class_and_none_of_its_code_runs(
    stored: str,
) -> None:
    base, plain = BASES[stored]
    made: Any = type("Mine", (base,), {})
    made.__qualname__, made.__module__ = "Mine", HERE
    entry = ValueEntry(f"{HERE}.Mine", lambda: made, f"subclass {HERE}.Mine<{stored}>")
    world = World(Values([entry]))
    value = _instance(made, plain)
    assert type(value) is made
    for name, each in vars(Lies).items():
        if callable(each) and name not in ("__class__", "__init_subclass__"):
            setattr(made, name, each)
    found = typed(value, world)
    assert found[0] == entry.type
    again = untyped(found, world)
    assert type(again) is made
    assert content_of(again, base) == content_of(value, base)
    assert text(*found).startswith("Mine(")


def _instance(made: Any, plain: Any) -> Any:
    if isinstance(plain, numpy.ndarray):
        return plain.view(made)
    if isinstance(plain, array):
        return made(plain.typecode, plain.tolist())
    if isinstance(plain, deque):
        return made(plain, plain.maxlen)
    if isinstance(plain, defaultdict):
        return made(plain.default_factory, plain)
    if isinstance(plain, (datetime, time, date)):
        return made(*plain.__reduce_ex__(4)[1])
    if isinstance(plain, timedelta):
        return made(plain.days, plain.seconds, plain.microseconds)
    if isinstance(plain, uuid.UUID):
        return made(int=plain.int, is_safe=plain.is_safe)
    if type(plain).__module__.startswith("pygame"):
        return made(*plain)
    return made(plain)


class Deck(list[int]):
    pass


def test_a_subclass_with_other_members_keeps_its_class() -> None:
    entry = ValueEntry(f"{HERE}.Deck", lambda: Deck, f"subclass {HERE}.Deck<list<int>>")
    world = World(Values([entry]))
    found = typed(Deck(["a"]), world)  # type: ignore[list-item]
    assert str(found[0]) == f"subclass {HERE}.Deck<list<str>>"
    assert type(untyped(found, world)) is Deck and untyped(found, world) == ["a"]


# -- subclasses that nobody saw, and what no kind can hold


@dataclass
class Effect:
    power: int = 3
    target: Any = None


@dataclass
class Poison(Effect):
    speed: int = 1


STORED = f"record {HERE}.Effect{{1 power: int, 2 target: any}}"
EFFECTS = World(Values([ValueEntry(f"{HERE}.Effect", lambda: Effect, STORED)]))


def test_an_unknown_subclass_is_itself_in_memory_and_its_base_in_a_file() -> None:
    poison = Poison(5)
    found = typed([poison, 1], EFFECTS, keeps_live=True)
    assert untyped(found, EFFECTS)[0] is poison
    saved, (loss,) = settled(found, EFFECTS)
    assert loss == ("[0]", "Poison", Effect, "")
    assert untyped(saved, EFFECTS) == [Effect(5), 1]
    with pytest.raises(Misfit, match="a Poison is not a value that can be saved"):
        typed([poison], EFFECTS)


def test_what_no_kind_can_hold_is_lost_alone() -> None:
    value = {"a": [print, 1], "b": print, "c": Effect(2, (print,))}
    found = typed(value, EFFECTS, keeps_live=True)
    assert untyped(found, EFFECTS) == value
    saved, losses = settled(found, EFFECTS)
    expected = {"a": [None, 1], "c": Effect(2, (None,))}
    assert untyped(saved, EFFECTS) == expected
    assert [loss.path for loss in losses] == ["['a'][0]", "['b']", "['c'].target[0]"]


def test_a_field_that_cannot_be_held_takes_its_default() -> None:
    found = typed(Effect(print), EFFECTS, keeps_live=True)  # type: ignore[arg-type]
    assert untyped(found, EFFECTS).power is print
    saved, (loss,) = settled(found, EFFECTS)
    assert untyped(saved, EFFECTS) == Effect(3) and loss.path == ".power"


def test_a_defaultdict_with_an_unknown_factory_keeps_its_entries() -> None:
    value = defaultdict(lambda: 10, a=1)
    found = typed(value, EFFECTS, keeps_live=True)
    assert untyped(found, EFFECTS).default_factory is value.default_factory
    saved, (loss,) = settled(found, EFFECTS)
    assert untyped(saved, EFFECTS) == {"a": 1}
    assert loss.path == ".default_factory"
    assert loss.fault.startswith("no save can hold the factory `test_a_defaultdict")


def test_a_list_that_contains_itself_is_lost_with_its_reason() -> None:
    value: list[Any] = [1]
    value.append(value)
    found = typed(value, EFFECTS, keeps_live=True)
    saved, (loss,) = settled(found, EFFECTS)
    assert untyped(saved, EFFECTS) == [1, None]
    assert (loss.path, loss.fault) == ("[1]", "it contains itself")


# -- counters


@pytest.mark.parametrize(
    "numbers",
    [(), (5,), (-3, -2), (2**70, 2**65), (0.5, 0.25), (1, 0.5), (1e300, 2)]
    + [(Fraction(1, 2), Fraction(-1, 3)), (Decimal("1.5"), Decimal("1E+2"))]
    + [(Decimal("-0"),), (float("inf"),)],
)
def test_a_counter_goes_on_where_it_was(numbers: Any) -> None:
    counter = itertools.count(*numbers)
    next(counter)
    again = generator_from(state_of(counter))
    assert [*map(repr, itertools.islice(again, 3))] == [
        *map(repr, itertools.islice(counter, 3))
    ]


class Odd(int):
    def __repr__(self) -> str:
        return "count(1), __import__('os')"


@pytest.mark.parametrize("number", [Odd(2**70), True + 1j])
def test_a_counter_of_other_numbers_cannot_be_saved(number: Any) -> None:
    with pytest.raises(SaveError):
        state_of(itertools.count(number))


@pytest.mark.parametrize(
    "state",
    [["count"], ["count", ["int", "x"], ["int", "1"]], ["count", ["int", 1], 2]]
    + [["count", ["eval", "1"], ["int", "1"]], ["count", ["fraction", "1/0"], []]]
    + [["count", ["int", "9" * 5000], ["int", "1"]]],
)
def test_a_hostile_counter_is_a_typed_error(state: Any) -> None:
    with pytest.raises(SaveCorruptError):
        generator_from(state)


def test_counters_and_generators_are_shared() -> None:
    world = World(Values())
    ids, dice = itertools.count(3), random.Random(1)
    found = typed([ids, (ids, dice)], world)
    again: Iterator[Any] = untyped(found, world)
    first, (second, third) = again
    assert first is second is ids and third is dice
    assert str(found[0]) == "list<any>"
    set_state(ids, state_of(ids))
