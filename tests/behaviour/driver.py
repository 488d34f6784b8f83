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
from typing import Any, get_type_hints

import msgspec
import numpy

from savegen.runtime import UNSET, References, SaveError
from savegen.runtime.values.folds import closed, fits, opened
from savegen.runtime.generated.field_by_field import pack_fields_of
from savegen.runtime.values.checks import differ
from savegen.runtime.values.stored import StoredType, parse
from tests.behaviour import bestiary
from tests.behaviour.bestiary import Field
from tests.oracle import changeable, difference, shares_mutable


class World(References):
    """Knows a few objects by their place."""

    def __init__(self, *objects: Any) -> None:
        self.objects = objects
        self._keys = {id(each): key for key, each in enumerate(objects, 1)}
        self._generators: dict[int | str, Any] = {}
        self._later: list[Any] = []

    def random(self, seed: int | str) -> Any:
        """Return the generator of a seed, at its start: Python's, or numpy's of that name."""
        if isinstance(seed, int):
            made = self._generators.setdefault(seed, random.Random())
            made.seed(seed)
            return made
        bits = getattr(numpy.random, seed)(7)
        made = self._generators.setdefault(seed, numpy.random.Generator(bits))
        made.bit_generator.state = bits.state
        return made

    def key_of(self, component: Any, /) -> int:
        return 0 if component is None else self._keys[id(component)]

    def get_component(self, key: int, /) -> Any:
        return None if key == 0 else self.objects[key - 1]

    def id_of(self, asset: Any, /) -> str:
        if not isinstance(asset, ModuleType):
            raise SaveError("it is no asset")
        return asset.__name__

    def asset(self, id: str, /) -> Any:
        return sys.modules[id]

    def _generator_key(self, generator: Any, /) -> int:
        seeds = [repr(seed) for seed, g in self._generators.items() if g is generator]
        return int.from_bytes(seeds[0].encode())

    def _generator(self, key: int, /) -> Any:
        return self.random(eval(key.to_bytes((key.bit_length() + 7) // 8).decode()))

    def _class_at(self, number: int, /) -> Any:
        return registry()[number].load_class()

    def _when_filled(self, step: Any, /) -> None:
        self._later.append(step)

    def finish(self) -> None:
        """Fill what hashes objects."""
        for step in self._later:
            step()
        self._later = []


def registry() -> Any:
    module: Any = importlib.import_module("game._savegen.registry")
    return module.REGISTRY


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
        registry()  # it names the methods that are saved
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
            lambda n: (first, second)[n], lambda: door, world.random
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

    def save(self, thing: Any) -> Any:
        return thing.save_data(self.world)

    def load(self, thing: Any, data: Any, world: World | None = None) -> Any:
        """Load data into an object of a world, and return the object."""
        world = world or self.world
        thing.load_data(data, world)
        world.finish()
        return thing

    @property
    def entry(self) -> Any:
        return registry()[self.cls.save_type]


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


def cells(data: Any) -> dict[str, Any]:
    return {name: getattr(data, name) for name in data.__struct_fields__}


def same(reference: Any) -> Any:
    return reference


# -- what is tried with each class


def data_is_independent(case: Case, turn: int) -> None:
    thing = case.make(turn)
    data, again = cells(case.save(thing)), cells(case.save(thing))
    expect_none(shares_mutable(data, thing), "the data shares with the object")
    expect_none(shares_mutable(data, again), "the data shares with other data")
    for name, cell in data.items():
        assert not differ(cell, again[name]), name
    assert type(case.save(thing)) is case.entry.row
    expect_none(difference(thing, case.make(turn), same), "saving changed the object")


def data_is_loaded_into_the_same_object(case: Case, turn: int) -> None:
    thing = case.make(turn)
    data, again = case.save(thing), case.save(thing)
    spoil(thing, case.names)
    case.load(thing, data)
    expect_none(difference(thing, case.make(turn), same), "loaded")
    expect_none(shares_mutable(thing, cells(data)), "the object shares with the data")
    assert not differ(data, again), "loading changed the data"


def data_is_loaded_into_a_new_object(case: Case, turn: int) -> None:
    thing = case.make(turn)
    new = case.load(case.blank(), case.save(thing))
    expect_none(difference(new, thing, same), "loaded")
    expect_none(shares_mutable(new, thing), "the new object shares with the old one")


def data_is_loaded_into_another_world(case: Case, turn: int) -> None:
    new = case.load(case.blank(), case.save(case.make(turn)), case.other)
    expect_none(difference(new, case.make(turn, case.other), same), "loaded")


def cells_are_of_their_types(case: Case, turn: int) -> None:
    """What fits the stored type of its field is exactly the same after it was encoded."""
    thing = case.make(turn)
    data, row = case.save(thing), case.entry.row
    hints = get_type_hints(row)
    fitting = set()
    for cell, (attribute, stored) in zip(row.__struct_fields__, case.entry.fields):
        value, types = getattr(data, cell), list[StoredType]()

        def number_of(each: StoredType) -> int:
            types.append(each)
            return len(types) - 1

        assert fits(parse(stored), value), (attribute, value)
        try:
            encoded = msgspec.msgpack.encode(closed(parse(stored), value, number_of))
        except (OverflowError, UnicodeEncodeError):
            continue
        found = msgspec.msgpack.decode(encoded, type=hints[cell])
        found = opened(parse(stored), found, types)
        assert not differ(value, found), (attribute, value, found)
        fitting.add(cell)
        setattr(data, cell, found)
    for cell in row.__struct_fields__:
        if cell not in fitting:
            setattr(data, cell, UNSET)
    new = case.load(case.blank(), data)
    for cell, (attribute, _) in zip(row.__struct_fields__, case.entry.fields):
        if cell in fitting:
            pair = [getattr(new, attribute)], [getattr(thing, attribute)]
            expect_none(difference(*pair, same), attribute)


def whole_rows_are_decoded(case: Case, turn: int) -> None:
    data = case.save(case.make(turn))
    try:
        encoded = msgspec.msgpack.encode(data)
        found: Any = msgspec.msgpack.decode(encoded, type=case.entry.row)
    except (OverflowError, UnicodeEncodeError, msgspec.ValidationError):
        return  # a value that does not fit: the test above knows
    assert type(found) is type(data)


def the_table_packs_the_same_cells(case: Case, turn: int) -> None:
    thing = case.make(turn)
    data = case.save(thing)
    case.world._values = registry().values
    row, misfits, _ = pack_fields_of(thing, case.entry, case.world)
    assert not misfits
    for cell, stored in case.entry.stored_by_cell.items():
        if "path" in stored.names_inside:
            continue  # the fast path leaves out the usual flavour
        found = getattr(row, cell), getattr(data, cell)
        assert not differ(*found), (cell, *found)


def objects_are_compared_with_rows(case: Case, turn: int) -> None:
    things = [case.make(at) for at in (turn, turn + 1, turn)]
    rows = [case.save(thing) for thing in things]
    differing = case.entry.differing
    assert differing(things, rows, case.world) == []
    first, second, _ = things
    for field in case.fields:
        before = getattr(second, field.name)
        changed = case.evaluate(field.value(turn), case.world)
        assign(second, field.name, changed)
        if difference([before], [changed], same):
            assert differing([second], [rows[1]], case.world) == [0], field.name
        assign(second, field.name, before)
    assert differing([second], [rows[1]], case.world) == []
    encoded = [case.load(case.blank(), row) for row in rows]
    assert differing(encoded, rows, case.world) == []


def unset_cells_leave_their_fields_alone(case: Case, turn: int) -> None:
    thing, target = case.make(turn), case.make(turn + 1)
    before = {field.name: getattr(target, field.name) for field in case.fields}
    data = case.save(thing)
    kept = case.fields[turn % 2 :: 2]
    for field in kept:
        data[case.cls.save_load_field_names[field.name]] = UNSET
        assert case.cls.save_load_field_names[field.name] not in data
    case.load(target, data)
    for field in case.fields:
        if field in kept:
            assert getattr(target, field.name) is before[field.name], field.name
        else:
            found, wanted = getattr(target, field.name), getattr(thing, field.name)
            expect_none(difference([found], [wanted], same), field.name)


def a_wrong_value_does_not_fit(case: Case, turn: int) -> None:
    thing = case.make(turn)
    for field in case.fields:
        good = getattr(thing, field.name)
        for wrong in [*(wrong for wrong, *_ in field.specimen.wrong), "object()"]:
            # In a set, what is equal to `wrong` would come before it.
            first = wrong if field.wrapper.hashed else field.specimen.values[0]
            try:
                value = case.evaluate(field.around(first, wrong), case.world)
            except TypeError:  # it cannot stand in a set
                continue
            assign(thing, field.name, value)
            assert misfit(case, thing, field), (field.name, value)
        assign(thing, field.name, good)


def misfit(case: Case, thing: Any, field: Field) -> bool:
    """Return whether somebody notices that the value of a field does not fit."""
    try:
        case.save(thing)
    except Exception as error:
        if not isinstance(error, SaveError):  # these references know no other error
            return True
        assert f"`{case.cls.__qualname__}.{field.name}" in str(error), error
        return True
    return False


# With how many rounds of values where fields are declared. After eight each value has had its
# turn.
TRIALS: dict[Callable[[Case, int], None], int] = {
    data_is_independent: 2,
    data_is_loaded_into_the_same_object: 2,
    data_is_loaded_into_a_new_object: 8,
    data_is_loaded_into_another_world: 3,
    cells_are_of_their_types: 8,
    whole_rows_are_decoded: 8,
    the_table_packs_the_same_cells: 8,
    objects_are_compared_with_rows: 3,
    unset_cells_leave_their_fields_alone: 2,
    a_wrong_value_does_not_fit: 1,
}

# Elsewhere it is two rounds at most.
ELSEWHERE: dict[Callable[[Case, int], None], int] = {
    cells_are_of_their_types: 1,
    whole_rows_are_decoded: 1,
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
