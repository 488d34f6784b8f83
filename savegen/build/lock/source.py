"""The classes, prefabs and records that the source declares, in one form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from savegen.build.lock.facts import (
    CLASSES,
    PREFABS,
    LockedClass,
    Sort,
    own_name,
    simple,
)
from savegen.build.lock.spelling import Spelling
from savegen.build.model import Field, Model, Prefab, part_name
from savegen.findings import Span


class DeclaredField(NamedTuple):
    """A field, a part or an entry, its own or inherited."""

    name: str  # in the lock
    written: str  # its name in the source
    kind: str
    owner: str  # the base-most class that declares it
    span: Span
    was: tuple[str, ...] = ()
    own: bool = True


class Declared(NamedTuple):
    """A saveable class, a prefab or a record."""

    home: str
    span: Span
    fields: tuple[DeclaredField, ...]
    was: tuple[str, ...] = ()
    bases: tuple[str, ...] = ()  # every one in the project, nearest first
    mark: str = ""  # what keeps its number when it is renamed, if not that of its sort

    @property
    def simple_name(self) -> str:
        return simple(self.home)

    @property
    def names(self) -> set[str]:
        return {field.name for field in self.fields}


def declared(sort: Sort, model: Model, spelling: Spelling) -> Iterator[Declared]:
    """Yield all classes, all prefabs or all records of the source."""
    if sort is CLASSES:
        for cls in model.classes:
            fields = tuple(_field(each, {}, spelling) for each in cls.fields)
            yield Declared(cls.name, cls.span, fields, cls.was, cls.ancestors)
    elif sort is PREFABS:
        yield from map(_prefab, model.prefabs)
    else:
        yield from _records(model, spelling)


def with_born_names(
    cls: Declared, model: Model, homes: Mapping[str, LockedClass], spelling: Spelling
) -> Declared:
    """Return a class with its private fields mangled with the birth names of their owners."""
    found = model.class_named(cls.home)
    if found is None or all(each.attribute == each.name for each in found.fields):
        return cls
    fields = tuple(_field(each, homes, spelling) for each in found.fields)
    return cls._replace(fields=fields)


def field_name(field: Field, homes: Mapping[str, LockedClass]) -> str:
    """Return the name of a field in the lock."""
    if field.attribute == field.name:
        return field.name
    owner = homes.get(field.owner)
    born = own_name(owner.birth) if owner else simple(field.owner)
    return f"_{born.lstrip('_')}{field.name}"


def _field(
    field: Field, homes: Mapping[str, LockedClass], spelling: Spelling
) -> DeclaredField:
    name, kind = field_name(field, homes), spelling.field(field)
    about = field.owner, field.span, field.was, field.own
    return DeclaredField(name, field.name, kind, *about)


def _prefab(prefab: Prefab) -> Declared:
    # The only part of a class that is a prefab is called like the class.
    was = tuple(map(part_name, prefab.was)) if prefab.is_class else ()
    parts = tuple(
        DeclaredField(
            part.name,
            part.name,
            simple(part.cls) or "?",
            part.owner,
            part.span,
            (*part.was, *was),
            part.own,
        )
        for part in prefab.parts
    )
    mark = "@saveable(prefab=True, was={})" if prefab.is_class else ""
    return Declared(prefab.name, prefab.span, parts, prefab.was, prefab.ancestors, mark)


def _records(model: Model, spelling: Spelling) -> Iterator[Declared]:
    found = {each.name: each for m in model.modules.values() for each in m.records}
    for name, record in sorted(found.items()):
        marks = record.marks or [(Span(""), ())] * len(record.fields)
        entries = tuple(
            DeclaredField(each, each, spelling.entry(kind, required), name, span, was)
            for (each, kind, required), (span, was) in zip(
                record.fields, marks, strict=True
            )
        )
        yield Declared(name, entries[0].span if entries else Span(""), entries)
