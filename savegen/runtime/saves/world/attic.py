"""What a save had that the game of today does not know: kept, and written into the next save.

In it an object stands for itself, wherever a save has its number: those of the game, and
`Absent` for those of classes that are unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import msgspec

from savegen.runtime.checks import Check
from savegen.runtime.components import SaveLoadable
from savegen.runtime.keys import SlotKey
from savegen.runtime.recorder import Recording
from savegen.runtime.registry import ClassEntry
from savegen.runtime.saves.document import Column, Form
from savegen.runtime.saves.wire.forms import relink

Shapes = dict[str, list[tuple[str, Form]]]


class Absent(SaveLoadable):
    """Stands for an object of a class that the game does not know."""

    __slots__ = ("__weakref__",)


class Lost(msgspec.Struct, eq=False):
    """A field that the class does not have any more: what each object held in it."""

    column: Column
    objects: list[Any]
    values: list[Any]  # as they were saved, with objects for numbers


class Unknown(msgspec.Struct, eq=False):
    """A class that the game does not have any more."""

    number: int
    name: str
    columns: list[Column]
    objects: list[Any]  # `Absent`
    values: list[list[Any]]  # by column


class Dormant(msgspec.Struct, eq=False):
    """Objects of a known class that are part of something unknown, and so not in the world."""

    entry: ClassEntry
    places: list[int]  # where in its table each stands
    objects: list[Any]
    rows: list[list[Any]]  # as in a `Table`, each by itself
    data: list[dict[int, Any]] | None = None
    recordings: list[Recording] | None = None


class Kept(NamedTuple):
    """One value that today's game cannot hold, and what it was given instead."""

    object: Any
    number: int  # of the field
    name: str
    form: Form
    value: Any  # as it was saved, with objects for numbers
    given: Any  # as long as the field holds just that, `value` is saved too
    check: Check | None = None  # of the field, where it has one

    def relinked(self, value: Any, new: Callable[[Any], Any]) -> Kept:
        """Return the same with others in place of objects; `value` has them already."""
        given = self.given
        if self.check is not None:
            given = self.check.relink(given, new)
        elif isinstance(given, (Recording, Was)):
            given = given.relink(new)
        return self._replace(object=new(self.object), value=value, given=given)


class Was(NamedTuple):
    """What the field of an unknown object holds, as it was saved."""

    form: Form
    value: Any
    shapes: Shapes

    def relink(self, new: Callable[[Any], Any]) -> Was:
        return self._replace(value=relink(self.form, self.shapes, [self.value], new)[0])


class Part(NamedTuple):
    """A component, or a child, that a `GameObject` would have if the game knew it."""

    owner: Any
    number: int  # of the field that it stands in
    place: int
    item: Any  # a child, or a component with its number


class Entry(NamedTuple):
    """The record of an object that is not in the world now; its slot waits for it."""

    place: int  # among the records
    object: Any
    key: SlotKey
    prefab: int | None
    placement: str | None
    level: str | None


class Attic(msgspec.Struct, eq=False):
    """All that was kept of one save."""

    shapes: Shapes = {}
    lost: dict[int, list[Lost]] = {}  # by class
    unknown: list[Unknown] = []
    dormant: dict[int, Dormant] = {}  # by class
    kept: list[Kept] = []
    parts: list[Part] = []
    records: list[Entry] = []
    states: dict[str, Any] = {}

    def __bool__(self) -> bool:
        found = (self.lost, self.unknown, self.dormant, self.kept, self.parts)
        return any(found) or bool(self.records or self.states)

    def reach(self) -> list[Any]:
        """Return the objects of the game's that it refers to."""
        found: dict[int, Any] = {}

        def note(thing: Any) -> Any:
            if not isinstance(thing, Absent):
                found[id(thing)] = thing
            return thing

        self._changed(note)
        for sleeping in self.dormant.values():
            for token in map(id, sleeping.objects):
                found.pop(token, None)
        return [*found.values()]

    def relinked(self, stand_ins: Mapping[int, Any]) -> Attic:
        """Return the same with others, by `id`, in place of some objects."""
        return self._changed(lambda thing: stand_ins.get(id(thing), thing))

    def counts(self) -> dict[str, int]:
        """Return how many objects of a class, or values of a field, are kept."""
        found = {each.name: len(each.objects) for each in self.unknown}
        for each in self.dormant.values():
            name = each.entry.name or type(each.objects[0]).__qualname__
            found[name] = found.get(name, 0) + len(each.objects)
        for columns in self.lost.values():
            for lost in columns:
                if lost.objects:
                    name = f"{type(lost.objects[0]).__qualname__}.{lost.column.name}"
                    found[name] = len(lost.objects)
        for kept in self.kept:
            name = f"{type(kept.object).__qualname__}.{kept.name}"
            found[name] = found.get(name, 0) + 1
        return found | {f"state {name!r}": 1 for name in self.states}

    # -- everything with other objects in it

    def _changed(self, new: Any) -> Attic:
        shapes = self.shapes

        def linked(form: Form, values: list[Any]) -> list[Any]:
            return [*relink(form, shapes, values, new)]

        return Attic(
            shapes,
            {number: self._lost(columns, new) for number, columns in self.lost.items()},
            [
                Unknown(
                    each.number,
                    each.name,
                    each.columns,
                    each.objects,
                    [
                        linked(column.form, values)
                        for column, values in zip(each.columns, each.values)
                    ],
                )
                for each in self.unknown
            ],
            {n: _woken(each, new) for n, each in self.dormant.items()},
            [
                each.relinked(linked(each.form, [each.value])[0], new)
                for each in self.kept
            ],
            [
                each._replace(owner=new(each.owner), item=_item(each.item, new))
                for each in self.parts
            ],
            self.records,
            {name: linked("any", [value])[0] for name, value in self.states.items()},
        )

    def _lost(self, columns: list[Lost], new: Any) -> list[Lost]:
        return [
            Lost(
                lost.column,
                [*map(new, lost.objects)],
                [*relink(lost.column.form, self.shapes, lost.values, new)],
            )
            for lost in columns
        ]


EMPTY = Attic()


def attic_of(aside: Any) -> Attic:
    """Return what a world or a snapshot keeps aside; an empty one for nothing."""
    return aside if isinstance(aside, Attic) else EMPTY


def _item(item: Any, new: Any) -> Any:
    return (item[0], new(item[1])) if isinstance(item, tuple) else new(item)


def _woken(dormant: Dormant, new: Any) -> Dormant:
    """Return objects that are not in the world, with others in what they hold."""
    functions, rows = dormant.entry.rows, dormant.rows
    if functions is not None and rows:
        checks = functions.checks.values()
        rows = [
            [check.relink(cell, new) for check, cell in zip(checks, row, strict=True)]
            for row in rows
        ]
    recordings = dormant.recordings and [
        each.relink(new) for each in dormant.recordings
    ]
    return Dormant(
        dormant.entry, dormant.places, dormant.objects, rows, dormant.data, recordings
    )
