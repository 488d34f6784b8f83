"""The classes, prefabs and records that the source declares, in one form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from savegen.build.lock.file import (
    CLASSES,
    PREFABS,
    LockedClass,
    Category,
    own_name,
    simple,
)
from savegen.build.lock.spelling import Spelling
from savegen.build.model import Field, Model, Prefab, single_part_name
from savegen.findings import Span


class DeclaredField(NamedTuple):
    """A field, a part or a record entry of the source, whether declared or inherited."""

    name: str  # in the lock
    written: str  # in the source
    kind: str
    owner: str  # the first class in the inheritance chain that declares it
    span: Span
    was: tuple[str, ...] = ()
    own: bool = True


class Declared(NamedTuple):
    """A saveable class, a prefab or a record of the source."""

    home: str
    span: Span
    fields: tuple[DeclaredField, ...]
    was: tuple[str, ...] = ()
    bases: tuple[str, ...] = ()  # all base classes in the project, nearest first
    mark: str = ""  # the code for a former name, if not that of the category

    @property
    def simple_name(self) -> str:
        return simple(self.home)

    @property
    def names(self) -> set[str]:
        return {field.name for field in self.fields}


def declared(
    category: Category, model: Model, spelling: Spelling
) -> Iterator[Declared]:
    """Yield the classes, the prefabs or the records of the source."""
    if category is CLASSES:
        for cls in model.classes:
            fields = tuple(_field(each, {}, spelling) for each in cls.fields)
            yield Declared(cls.name, cls.span, fields, cls.former_names, cls.ancestors)
    elif category is PREFABS:
        yield from map(_prefab, model.prefabs)
    else:
        yield from _records(model, spelling)


def with_born_names(
    cls: Declared, model: Model, homes: Mapping[str, LockedClass], spelling: Spelling
) -> Declared:
    """Return a class whose private fields are mangled with the birth names of their owners."""
    saved = model.class_named(cls.home)
    if saved is None or all(each.attribute == each.name for each in saved.fields):
        return cls
    fields = tuple(_field(each, homes, spelling) for each in saved.fields)
    return cls._replace(fields=fields)


def field_name(field: Field, homes: Mapping[str, LockedClass]) -> str:
    """Return the name of a field in the lock: private ones are mangled."""
    if field.attribute == field.name:
        return field.name
    owner = homes.get(field.owner)
    born = own_name(owner.birth) if owner else simple(field.owner)
    return f"_{born.lstrip('_')}{field.name}"


def _field(
    field: Field, homes: Mapping[str, LockedClass], spelling: Spelling
) -> DeclaredField:
    name, kind = field_name(field, homes), spelling.field(field)
    about = field.owner, field.span, field.former_names, field.own
    return DeclaredField(name, field.name, kind, *about)


def _prefab(prefab: Prefab) -> Declared:
    # The only part of a class that is also a prefab has the name of the class.
    was = tuple(map(single_part_name, prefab.former_names)) if prefab.is_class else ()
    parts = tuple(
        DeclaredField(
            part.name,
            part.name,
            simple(part.cls) or "?",
            part.owner,
            part.span,
            (*part.former_names, *was),
            part.own,
        )
        for part in prefab.parts
    )
    mark = "@saveable(prefab=True, was={})" if prefab.is_class else ""
    return Declared(
        prefab.name, prefab.span, parts, prefab.former_names, prefab.ancestors, mark
    )


def _records(model: Model, spelling: Spelling) -> Iterator[Declared]:
    by_name = {each.name: each for m in model.modules.values() for each in m.records}
    for name, record in sorted(by_name.items()):
        marks = record.field_marks or [(Span(""), ())] * len(record.fields)
        entries = tuple(
            DeclaredField(each, each, spelling.entry(kind, required), name, span, was)
            for (each, kind, required), (span, was) in zip(
                record.fields, marks, strict=True
            )
        )
        yield Declared(name, entries[0].span if entries else Span(""), entries)
