"""Runs in the game's own process: takes every field of the bestiary through its wire.

Prints, as JSON, what went wrong, by case.
"""

from __future__ import annotations

import importlib
import json
import struct as struct_module
import sys
import traceback
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

from msgspec import json as json_text
from msgspec import msgpack

from savegen.runtime import SaveError, SaveLoadKey
from savegen.runtime.checks import Check, Fault
from savegen.runtime.generators import GeneratorState
from savegen.runtime.saves.wire import (
    Names,
    Things,
    Unfit,
    Wires,
    check_form,
    decoder,
    from_plain,
    relink,
    to_plain,
    used_shapes,
)
from tests.behaviour import bestiary, random_models
from tests.behaviour.driver import Case, World, expect_none, fill, same
from tests.oracle import difference

ASSETS = {"math": importlib.import_module("math"), "struct": struct_module}


class Sides(Names, Things):
    """Names the objects of one world, and finds those of the same numbers in another."""

    def __init__(self, here: World, there: World) -> None:
        self.objects = [*there.objects]
        self._here, self._there = here, there
        self._states: list[GeneratorState] = []

    def refs(self, objects: Any, /) -> list[int | None]:
        places = {id(each): place for place, each in enumerate(self._here.objects)}
        try:
            return [None if each is None else places[id(each)] for each in objects]
        except KeyError:
            raise SaveError("no object") from None

    def asset(self, thing: Any, /) -> Any:
        if isinstance(thing, str):
            return ASSETS[thing]
        assert isinstance(thing, ModuleType)
        return thing.__name__

    def generator(self, state: Any, /) -> Any:
        if isinstance(state, int):
            found = self._states[state]
            twin = self._there.twin(found.generator, self._here)
            return GeneratorState(twin, found.state)
        if state not in self._states:
            self._states.append(state)
        return self._states.index(state)

    def class_of(self, number: int, /) -> type:
        registry: Any = importlib.import_module("game._savegen.registry")
        found: type = registry.REGISTRY[number].load_class()
        return found

    def key(self, key: Any, /) -> Any:
        if isinstance(key, SaveLoadKey):
            return key.object.index
        return self._there.key_of(self._there.objects[key])


class Columns:
    """The fields of some objects of a case, and the wires of their checks."""

    def __init__(self, case: Case, turns: tuple[int, ...]) -> None:
        self.case = case
        self.turns = turns
        self.rows = case.rows.capture([case.make(turn) for turn in turns])
        self.checks = case.rows.checks
        self.wires = Wires(self.checks.values())
        self.sides = Sides(case.world, case.other)

    def __iter__(self) -> Iterator[tuple[str, Check, list[Any]]]:
        for place, (name, check) in enumerate(self.checks.items()):
            yield name, check, self.rows[place :: len(self.checks)]

    def packed(self, name: str, check: Check, values: list[Any]) -> list[Any]:
        """Return wire values as they are after they were in a file."""
        wire = self.wires.of(check)
        try:
            found = wire.pack(values, self.sides)
        except Unfit as unfit:
            raise AssertionError(f"{name}: {unfit}") from None
        form, shapes = self.file_form(check)
        check_form(form, shapes)
        (column,) = decoder([form], shapes)(msgpack.encode([found]))
        assert msgpack.encode(column) == msgpack.encode(found), name
        return column

    def file_form(self, check: Check) -> tuple[Any, Any]:
        """Return the form of a check, and its shapes, as they are after they were in a file."""
        form = self.wires.of(check).form
        shapes = used_shapes([form], self.wires.shapes)
        found: tuple[Any, Any] = msgpack.decode(msgpack.encode([form, shapes]))
        return found[0], {
            name: [(n, f) for n, f in each] for name, each in found[1].items()
        }

    def read(self, check: Check, column: list[Any]) -> list[Any]:
        reader = self.wires.of(check).reader(*self.file_form(check))
        assert not reader.loses
        return reader(column, self.sides)

    def restored(self, columns: dict[str, list[Any]]) -> list[Any]:
        rows = [cell for row in zip(*columns.values()) for cell in row]
        news = [self.case.blank() for _ in self.turns]
        fill(self.case.rows, news, rows)
        return news


# -- what is tried with each class


def values_come_back_through_bytes(columns: Columns) -> None:
    case = columns.case
    found = {n: columns.read(c, columns.packed(n, c, v)) for n, c, v in columns}
    for new, turn in zip(columns.restored(found), columns.turns):
        expect_none(difference(new, case.make(turn, case.other), same), "loaded")


def values_come_back_through_json(columns: Columns) -> None:
    for name, check, values in columns:
        column = columns.packed(name, check, values)
        form, shapes = columns.file_form(check)
        text = json_text.encode(to_plain(form, shapes, column))
        again = from_plain(form, shapes, json_text.decode(text))
        assert msgpack.encode(again) == msgpack.encode(column), (name, text)
        natural = to_plain(form, shapes, column, natural=True)
        again = from_plain(form, shapes, natural)
        assert msgpack.encode(again) == msgpack.encode(column), (name, natural)


def references_are_found(columns: Columns) -> None:
    for name, check, values in columns:
        column = columns.packed(name, check, values)
        form, shapes = columns.file_form(check)
        numbers: list[int] = []

        def note(number: int) -> str:
            numbers.append(number)
            return f"object {number}"

        opened = relink(form, shapes, column, note)
        wanted = {id(each) for each in check.reach(values) if each is not None}
        objects = columns.case.world.objects
        assert {id(objects[number]) for number in numbers} == wanted, name
        closed = relink(form, shapes, opened, lambda text: int(text.split()[1]))
        assert msgpack.encode(closed) == msgpack.encode(column), name


def equal_values_are_written_alike(columns: Columns) -> None:
    again = Columns(columns.case, columns.turns)
    for (name, check, values), (_, _, others) in zip(columns, again):
        one, other = columns.packed(name, check, values), again.packed(
            name, check, others
        )
        assert msgpack.encode(one) == msgpack.encode(other), name


def wrong_values_are_refused(columns: Columns) -> None:
    case = columns.case
    for (name, check, values), field in zip(columns, case.fields, strict=True):
        for wrong in (*(w for w, _, _ in field.specimen.wrong), "object()"):
            first = wrong if field.wrapper.hashed else field.specimen.values[0]
            try:
                value = case.evaluate(field.around(first, wrong), case.world)
                fault = check.fault(value)
                if fault is None or may_be_in_rows(fault):
                    continue
            except TypeError:  # it cannot stand in a set
                continue
            try:
                columns.wires.of(check).pack([*values, value], columns.sides)
            except (Unfit, SaveError):
                continue
            raise AssertionError(f"{name}: {value!r} was packed")


def may_be_in_rows(fault: Fault) -> bool:
    """Tell whether a row may have it: `None` was destroyed, a weak reference is its object."""
    return fault.found == "a NoneType" or fault.wanted == "weak reference"


TRIALS: tuple[Callable[[Columns], None], ...] = (
    values_come_back_through_bytes,
    values_come_back_through_json,
    references_are_found,
    equal_values_are_written_alike,
)


def failures(case: Case) -> Iterator[str]:
    for turns in [(0, 1, 2, 3), (4, 5, 6, 7), (8,)]:
        for trial in TRIALS:
            try:
                trial(Columns(case, turns))
            except Exception:
                types = "".join(f"{f.name}: {f.type}\n" for f in case.fields)
                yield f"{trial.__name__}\n{types}{traceback.format_exc()}"


def wrong_failures(case: Case) -> Iterator[str]:
    try:
        wrong_values_are_refused(Columns(case, (0,)))
    except Exception:
        yield traceback.format_exc()


def of_bestiary(name: str) -> list[str]:
    case = Case.of(*name.split("/"))
    return [*failures(case), *wrong_failures(case)]


def of_models(seed: int) -> dict[str, list[str]]:
    """Try the random classes of a seed."""
    module = importlib.import_module("game.made")
    return {
        name: [*failures(Case(module, name, fields, position not in _BARE))]
        for name, position, fields, _ in random_models.models(seed)
    }


_BARE = ("declared", "slots")
CASES = [case for case in bestiary.CASES if case.startswith("declared/")]

if __name__ == "__main__":
    if sys.argv[1:2] == ["--seed"]:
        print(json.dumps(of_models(int(sys.argv[2]))))
    else:
        chosen = sys.argv[1:] or CASES
        print(json.dumps({name: of_bestiary(name) for name in chosen}))
