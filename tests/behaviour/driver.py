"""Runs in the game's own process: takes every class of the bestiary through its round trips.

Prints, as JSON, what went wrong, by case.
"""

from __future__ import annotations

import importlib
import json
import random
import sys
import traceback
from collections.abc import Callable, Iterator
from itertools import islice
from types import ModuleType
from typing import Any

import msgspec
import numpy

from savegen.runtime import References, SaveError, SaveLoadKey, SlotKey
from savegen.runtime.components import CommonFields
from savegen.runtime.generators import is_generator
from savegen.runtime.rows import Rows
from tests.behaviour import bestiary
from tests.behaviour.bestiary import Field
from tests.oracle import changeable, difference, referred, shares_mutable


class World(References):
    """Knows a few objects by their place."""

    def __init__(self, *objects: Any) -> None:
        self.objects = objects
        self._places = {id(each): place for place, each in enumerate(objects)}
        self._generators: dict[int | str, Any] = {}

    def generator(self, seed: int | str) -> Any:
        """Return the generator of a seed, at its start: Python's, or numpy's of that name."""
        if isinstance(seed, int):
            made = self._generators.setdefault(seed, random.Random())
            made.seed(seed)
            return made
        bits = getattr(numpy.random, seed)(7)
        made = self._generators.setdefault(seed, numpy.random.Generator(bits))
        made.bit_generator.state = bits.state
        return made

    def twin(self, generator: Any, world: World) -> Any:
        """Return the generator of the same seed as one of another world."""
        found = (s for s, each in world._generators.items() if each is generator)
        return self.generator(next(found))

    def draw(self) -> None:
        """Let every generator go on."""
        for each in self._generators.values():
            each.random()

    def key_of(self, component: Any, /) -> SaveLoadKey | None:
        if component is None:
            return None
        return SaveLoadKey(SlotKey(self._places[id(component)], 1), 0)

    def get_component(self, key: Any, /) -> Any:
        return None if key is None else self.objects[key.object.index]


class Case:
    """One class of the bestiary."""

    def __init__(
        self, module: ModuleType, name: str, fields: list[Field], constructed: bool
    ) -> None:
        """Of a class that is not `constructed`, attributes are set one by one."""
        self.fields = fields
        self.names = [field.name for field in fields]
        self._module: Any = module
        self.cls: Any = getattr(module, name)
        foe, door = self._module.Foe, self._module.Door
        self.world, self.other = World(foe(), foe(), door()), World(
            foe(), foe(), door()
        )
        self._makers: dict[str, Callable[..., Any]] = {}
        self._constructed = constructed

    @classmethod
    def of(cls, position: str, wrapper: str) -> Case:
        return cls(
            importlib.import_module(f"game.{position}"),
            bestiary.class_name(position, wrapper),
            bestiary.fields_of(position, wrapper),
            position not in ("declared", "defaulted", "slots", "inherited"),
        )

    def evaluate(self, text: str, world: World) -> Any:
        if text not in self._makers:
            names = vars(self._module)
            self._makers[text] = eval(f"lambda foe, door, rng: {text}", names)
        first, second, door = world.objects
        return self._makers[text](
            lambda n: (first, second)[n], lambda: door, world.generator
        )

    def make(self, turn: int, world: World | None = None) -> Any:
        """Return a new object; at each turn with other values."""
        world = world or self.world
        values = {f.name: self.evaluate(f.value(turn), world) for f in self.fields}
        if self._constructed:
            return self.cls(**values)
        made = self.blank()
        for name, value in values.items():
            assign(made, name, value)
        return made

    def blank(self) -> Any:
        return self.cls.__new__(self.cls)

    def resolve(self, reference: Any) -> Any:
        """Return what stands in the other world for an object of this one."""
        if is_generator(reference):
            return self.other.twin(reference, self.world)
        return self.other.get_component(self.world.key_of(reference))

    def name_of(self, reference: Any) -> bytes:
        if isinstance(reference, ModuleType):  # an asset
            return reference.__name__.encode()
        return repr(self.world.key_of(reference)).encode()

    @property
    def rows(self) -> Rows:
        registry: Any = importlib.import_module("game._savegen.registry")
        found: Rows = registry.REGISTRY[self.cls.save_type].rows
        return found


def assign(thing: Any, name: str, value: Any) -> None:
    """Set an attribute, whatever the class says to that."""
    if isinstance(thing, msgspec.Struct):
        msgspec.structs.force_setattr(thing, name, value)
    else:
        object.__setattr__(thing, name, value)


def spoil(thing: Any, names: list[str]) -> None:
    """Change whatever can be changed in an object, and at last all its fields."""
    for part in changeable(thing):
        if part is not thing:
            damage(part)
    for name in names:
        assign(thing, name, "spoilt")


def damage(part: Any) -> None:
    if hasattr(part, "clear"):
        part.clear()
    elif hasattr(part, "typecode"):
        del part[:]
    elif hasattr(part, "fill"):  # of numpy, of panda3d
        part.fill(9)
    elif hasattr(part, "update"):  # of pygame
        part.update(*[9] * len(part))
    else:
        for name in ("hp", "it", "items", "tags", "target", "others", "more", "q"):
            if hasattr(part, name):
                assign(part, name, "spoilt")


def expect_none(found: str | None, what: str) -> None:
    if found is not None:
        raise AssertionError(f"{what}: {found}")


def same(reference: Any) -> Any:
    return reference


def fill(functions: Rows, objects: list[Any], rows: list[Any]) -> None:
    """Bring rows into objects: what hashes others last of all."""
    for step in (functions.restore, functions.link, functions.gather):
        if step:
            step(objects, rows)


# -- what is tried with each class


def data_is_independent(case: Case, turn: int) -> None:
    thing = case.make(turn)
    data, again = thing.save_data(case.world), thing.save_data(case.world)
    expect_none(shares_mutable(data, thing), "data shares with the object")
    expect_none(shares_mutable(data, again), "data shares with other data")
    expect_none(difference(data, again), "two times saved")
    numbers = {int(number) for number in case.cls.SaveLoadFields}
    assert {int(n) for n in data} <= numbers | {int(CommonFields.TYPE)}
    expect_none(difference(thing, case.make(turn), same), "saving changed the object")


def data_is_loaded_into_the_same_object(case: Case, turn: int) -> None:
    thing = case.make(turn)
    data, again = thing.save_data(case.world), thing.save_data(case.world)
    spoil(thing, case.names)
    case.world.draw()
    thing.load_data(data, case.world)
    expect_none(difference(thing, case.make(turn), same), "loaded")
    expect_none(shares_mutable(thing, data), "the object shares with data")
    expect_none(difference(data, again), "loading changed the data")


def data_is_loaded_into_a_new_object(case: Case, turn: int) -> None:
    thing, new = case.make(turn), case.blank()
    new.load_data(thing.save_data(case.world), case.world)
    expect_none(difference(new, thing, same), "loaded")
    expect_none(shares_mutable(new, thing), "the new object shares with the old one")


def data_is_loaded_into_another_world(case: Case, turn: int) -> None:
    thing, new = case.make(turn), case.blank()
    new.load_data(thing.save_data(case.world), case.other)
    expect_none(difference(new, case.make(turn, case.other), same), "loaded")


def rows_are_brought_into_another_world(case: Case, turn: int) -> None:
    turns = (turn, turn + 1, turn)
    things = [case.make(at) for at in turns]
    rows = case.rows.capture(things)
    for thing in things:
        expect_none(shares_mutable(rows, thing), "rows share with an object")
        spoil(thing, case.names)
    case.world.draw()
    if case.rows.relink:
        rows = case.rows.relink(rows, case.resolve)
    for new, other, at in zip(restored(case, rows), restored(case, rows), turns):
        expect_none(difference(new, case.make(at, case.other), same), "restored")
        expect_none(shares_mutable(new, rows), "an object shares with the rows")
        expect_none(shares_mutable(new, other), "two restored objects share")


def restored(case: Case, rows: list[Any]) -> list[Any]:
    news = [case.blank() for _ in range(3)]
    fill(case.rows, news, rows)
    return news


def relinking_leaves_the_rows_alone(case: Case, turn: int) -> None:
    if case.rows.relink is None:
        return
    rows, again = (case.rows.capture([case.make(turn)]) for _ in range(2))
    case.rows.relink(rows, case.resolve)
    linked = case.rows.relink(rows, same)
    for name, left, *others in zip(case.names, rows, again, linked, strict=True):
        for other in others:
            assert case.rows.checks[name].same(left, other), name


def rows_tell_what_they_refer_to(case: Case, turn: int) -> None:
    things = [case.make(turn), case.make(turn + 1)]
    rows = case.rows.capture(things)
    found = case.rows.reach(rows) if case.rows.reach else []
    found = [each for each in found if each is not None]
    wanted = {id(each) for thing in things for each in referred(thing)}
    assert {id(each) for each in found} == wanted
    assert case.rows.reach or not wanted


def objects_are_compared_with_rows(case: Case, turn: int) -> None:
    things = [case.make(at) for at in (turn, turn + 1, turn)]
    rows = case.rows.capture(things)
    assert case.rows.compare(things, rows) == []
    again = [case.make(at) for at in (turn, turn + 1, turn)]
    assert case.rows.compare(again, rows) == []
    first, second, _ = things
    width = len(case.fields)
    for field in case.fields:  # of one object: with three it takes five times as long
        name, before = field.name, getattr(second, field.name)
        changed = case.evaluate(field.value(turn), case.world)
        assign(second, name, changed)
        wanted = [0] if difference([before], [changed], same) else []
        assert case.rows.compare([second], rows[width : 2 * width]) == wanted, name
        assign(second, name, before)
    are_different = any(rows_differ(case, rows))
    assert case.rows.compare([second, *things[1:]], rows) == [0] * are_different
    assert case.rows.compare([first, first, first], rows) == [1] * are_different


def rows_differ(case: Case, rows: list[Any]) -> Iterator[bool]:
    width = len(case.fields)
    for name, *pair in zip(case.names, rows[:width], rows[width:]):
        yield not case.rows.checks[name].same(*pair)


def values_are_told_apart(case: Case, turn: int) -> None:
    """Exactly: by `same`, by their bytes, and by the oracle."""
    found: dict[str, list[tuple[Any, Any]]] = {name: [] for name in case.names}
    for at in [*range(8), turn]:
        thing = case.make(at)
        for name, cell in zip(case.names, case.rows.capture([thing]), strict=True):
            found[name].append((getattr(thing, name), cell))
    for name, values in found.items():
        check = case.rows.checks[name]
        written = [check.write(cell, case.name_of) for _, cell in values]
        for place, ((value, cell), text) in enumerate(zip(values, written)):
            for (other, row), other_text in zip(values[: place + 1], written):
                alike = difference([value], [other], same) is None
                assert check.same(cell, row) is alike, (name, value, other)
                assert check.same(row, cell) is alike, (name, other, value)
                assert (text == other_text) is alike, (name, value, other)


def checks_know_what_can_change(case: Case, turn: int) -> None:
    thing = case.make(turn)
    for name, check in case.rows.checks.items():
        value = getattr(thing, name)
        found = {id(each) for each in check.changeable(value)}
        assert found == {id(each) for each in changeable((value,))}, name


def an_absent_number_leaves_its_field_alone(case: Case, turn: int) -> None:
    thing, target = case.make(turn), case.make(turn + 1)
    before = {field.name: getattr(target, field.name) for field in case.fields}
    data = thing.save_data(case.world)
    kept = case.fields[turn % 2 :: 2]
    for field in kept:
        del data[case.cls.save_load_field_names[field.name]]
    target.load_data(data, case.world)
    for field in case.fields:
        if field in kept:
            assert getattr(target, field.name) is before[field.name], field.name
        else:
            found, wanted = getattr(target, field.name), getattr(thing, field.name)
            expect_none(difference([found], [wanted], same), field.name)


def an_absent_attribute_stays_absent(case: Case, turn: int) -> None:
    thing, new = case.blank(), case.blank()
    for field in case.fields[turn % 3 :: 3]:
        assign(thing, field.name, case.evaluate(field.value(turn), case.world))
    defaults = [f.name for f in case.fields if hasattr(case.blank(), f.name)]
    data = thing.save_data(case.world)
    new.load_data(data, case.world)
    for name in defaults:  # what the class has is saved with each object
        assign(thing, name, getattr(thing, name))
    expect_none(difference(new, thing, same), "loaded")


def a_wrong_value_is_told_with_its_place(case: Case, turn: int) -> None:
    thing = case.make(turn)
    for field in case.fields:
        good = getattr(thing, field.name)
        for wrong, place, found in (
            *field.specimen.wrong,
            ("object()", "", "an object"),
        ):
            # In a set, what is equal to `wrong` would come before it.
            first = wrong if field.wrapper.hashed else field.specimen.values[0]
            try:
                value = case.evaluate(field.around(first, wrong), case.world)
            except TypeError:  # it cannot stand in a set
                continue
            assign(thing, field.name, value)
            expect_refusal(case, field, thing, place, found)
        assign(thing, field.name, good)


def expect_refusal(
    case: Case, field: Field, thing: Any, place: str, found: str
) -> None:
    name = f"{case.cls.__qualname__}.{field.name}{field.wrapper.place}"
    if field.wrapper is bestiary.WRAPPERS["as_key"]:
        start, end = f"`{name} ", f"{place}` holds {found}, not "
    else:
        start, end = f"`{name}", f"`{name}{place}` holds {found}, not "
    try:
        thing.save_data(case.world)
    except SaveError as error:
        told = str(error)
        assert told.startswith(start) and end in told, told
    else:
        raise AssertionError(f"{end}…: it was saved")


# With how many rounds of values where fields are declared. After eight each value has had its
# turn.
TRIALS: dict[Callable[[Case, int], None], int] = {
    data_is_independent: 2,
    data_is_loaded_into_the_same_object: 2,
    data_is_loaded_into_a_new_object: 8,
    data_is_loaded_into_another_world: 3,
    rows_are_brought_into_another_world: 3,
    relinking_leaves_the_rows_alone: 3,
    rows_tell_what_they_refer_to: 8,
    objects_are_compared_with_rows: 3,
    values_are_told_apart: 1,
    checks_know_what_can_change: 8,
    an_absent_number_leaves_its_field_alone: 2,
    an_absent_attribute_stays_absent: 3,
    a_wrong_value_is_told_with_its_place: 1,
}

# Elsewhere it is two rounds at most: one of what takes the values of two by itself, none of
# checks, which are the same wherever a field is declared.
ELSEWHERE: dict[Callable[[Case, int], None], int] = {
    values_are_told_apart: 0,
    checks_know_what_can_change: 0,
    rows_are_brought_into_another_world: 1,
    objects_are_compared_with_rows: 1,
}


def failures(name: str) -> Iterator[str]:
    position, wrapper = name.split("/")
    case = Case.of(position, wrapper)
    for trial, turns in TRIALS.items():
        try:
            most = 8 if position == "declared" else ELSEWHERE.get(trial, 2)
            for turn in range(min(turns, most)):
                trial(case, turn)
        except Exception:
            yield f"{trial.__name__}\n{traceback.format_exc()}"


if __name__ == "__main__":
    is_short = sys.argv[1:2] == ["--one-failure"]
    chosen = sys.argv[1 + is_short :] or bestiary.CASES
    most = 1 if is_short else None
    print(json.dumps({name: [*islice(failures(name), most)] for name in chosen}))
