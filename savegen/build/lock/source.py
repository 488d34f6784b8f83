"""What the source declares, in one form for classes, prefabs and records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from savegen.build.lock.facts import LockedClass, own_name
from savegen.build.lock.spelling import Spelling
from savegen.build.model import Field, Model, Part, Prefab, part_name
from savegen.findings import Span


class Slot(NamedTuple):
    """A field, a part or an entry, its own or inherited."""

    name: str  # in the lock
    shown: str  # as the source writes it
    kind: str
    owner: str  # the base-most class that declares it
    span: Span
    was: tuple[str, ...] = ()
    own: bool = True


class Thing(NamedTuple):
    """A saveable class, a prefab or a record."""

    home: str
    span: Span
    slots: tuple[Slot, ...]
    was: tuple[str, ...] = ()
    line: tuple[str, ...] = ()  # every base in the project, nearest first
    mark: str = ""  # what keeps its number when it is renamed, if not that of its sort

    @property
    def simple_name(self) -> str:
        return simple(self.home)

    @property
    def names(self) -> set[str]:
        return {slot[0] for slot in self.slots}


def simple(home: str) -> str:
    """Return the last name of a home.

    >>> simple("game.foes:Camp.Orc")
    'Orc'
    """
    return home.rpartition(":")[2].rpartition(".")[2]


def dotted(home: str) -> str:
    return home.replace(":", ".")


def saved_classes(model: Model, spelling: Spelling) -> Iterator[Thing]:
    for cls in model.classes:
        slots = tuple(_field(each, {}, spelling) for each in cls.fields)
        yield Thing(cls.name, cls.span, slots, cls.was, cls.ancestors)


def with_born_names(
    things: Iterable[Thing],
    model: Model,
    homes: Mapping[str, LockedClass],
    spelling: Spelling,
) -> Iterator[Thing]:
    """Yield classes whose private fields are mangled with the birth names of their owners."""
    private = {
        cls.name
        for cls in model.classes
        if any(f.attribute != f.name for f in cls.fields)
    }
    for thing in things:
        cls = model.class_named(thing.home) if thing.home in private else None
        if cls:
            slots = tuple(_field(each, homes, spelling) for each in cls.fields)
            thing = thing._replace(slots=slots)
        yield thing


def field_name(field: Field, homes: Mapping[str, LockedClass]) -> str:
    """Return what the lock calls a field."""
    if field.attribute == field.name:
        return field.name
    owner = homes.get(field.owner)
    born = own_name(owner.birth) if owner else simple(field.owner)
    return f"_{born.lstrip('_')}{field.name}"


def _field(field: Field, homes: Mapping[str, LockedClass], spelling: Spelling) -> Slot:
    return Slot(
        field_name(field, homes),
        field.name,
        spelling.field(field),
        field.owner,
        field.span,
        field.was,
        field.own,
    )


def prefabs(model: Model) -> Iterator[Thing]:
    for prefab in model.prefabs:
        slots = tuple(_part(part, prefab) for part in prefab.parts)
        mark = "@saveable(prefab=True, was={})" if prefab.is_class else ""
        yield Thing(prefab.name, prefab.span, slots, prefab.was, prefab.ancestors, mark)


def _part(part: Part, prefab: Prefab) -> Slot:
    kind = simple(part.cls) or "?"
    was = part.was
    if prefab.is_class:  # its only part is called like the class
        was = (*was, *map(part_name, prefab.was))
    return Slot(part.name, part.name, kind, part.owner, part.span, was, part.own)


def records(model: Model, spelling: Spelling) -> Iterator[Thing]:
    found = {each.name: each for m in model.modules.values() for each in m.records}
    for name in sorted(found):
        record = found[name]
        marks = record.marks or [(Span(""), ())] * len(record.fields)
        slots = tuple(
            Slot(entry, entry, spelling.entry(kind, required), name, span, was)
            for (entry, kind, required), (span, was) in zip(
                record.fields, marks, strict=True
            )
        )
        yield Thing(name, slots[0].span if slots else Span(""), slots)
