"""The classes, prefabs and records of the source, in one form that the lock is compared with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from savegen.build.lock.file import (
    CLASSES,
    PREFABS,
    Category,
    LockedClass,
    own_name,
    simple_name,
)
from savegen.build.lock.kind_texts import KindTexts
from savegen.build.model import Field, Model, PrefabClass, single_part_name
from savegen.findings import Span


class DeclaredField(NamedTuple):
    """A field, a part or a record field of the source, whether declared or inherited."""

    name: str  # in the lock
    name_in_source: str
    kind: str
    owner: str  # the most distant base that declares it
    span: Span
    former_names: tuple[str, ...] = ()
    own: bool = True  # declared in its class, so not inherited


class DeclaredClass(NamedTuple):
    """A saveable class, a prefab or a record of the source."""

    location: str
    span: Span
    fields: tuple[DeclaredField, ...]
    former_names: tuple[str, ...] = ()
    bases: tuple[str, ...] = ()  # all base classes in the project, nearest first
    # The mark for a former name, with `{}` for the name; "" for that of the category.
    mark: str = ""

    @property
    def simple_name(self) -> str:
        return simple_name(self.location)

    @property
    def names(self) -> set[str]:
        return {field.name for field in self.fields}


def declared_classes(
    category: Category, model: Model, texts: KindTexts
) -> Iterator[DeclaredClass]:
    """Yield the classes, the prefabs or the records of the source."""
    if category is CLASSES:
        for cls in model.classes:
            fields = tuple(_field(each, {}, texts) for each in cls.fields)
            yield DeclaredClass(
                cls.name, cls.span, fields, cls.former_names, cls.ancestors
            )
    elif category is PREFABS:
        yield from map(_prefab, model.prefabs)
    else:
        yield from _records(model, texts)


def with_birth_names(
    cls: DeclaredClass,
    model: Model,
    owners: Mapping[str, LockedClass],
    texts: KindTexts,
) -> DeclaredClass:
    """Return a class whose private fields are mangled with the birth names of their owners."""
    saved = model.class_named(cls.location)
    if saved is None or all(each.attribute == each.name for each in saved.fields):
        return cls
    fields = tuple(_field(each, owners, texts) for each in saved.fields)
    return cls._replace(fields=fields)


def field_name(field: Field, owners: Mapping[str, LockedClass]) -> str:
    """Return the name of a field in the lock: private ones are mangled."""
    if field.attribute == field.name:
        return field.name
    owner = owners.get(field.owner)
    birth_name = own_name(owner.birth) if owner else simple_name(field.owner)
    return f"_{birth_name.lstrip('_')}{field.name}"


def _field(
    field: Field, owners: Mapping[str, LockedClass], texts: KindTexts
) -> DeclaredField:
    name, kind = field_name(field, owners), texts.field(field)
    declaration = field.owner, field.span, field.former_names, field.own
    return DeclaredField(name, field.name, kind, *declaration)


def _prefab(prefab: PrefabClass) -> DeclaredClass:
    # If a class is also a prefab, its only part has the name of the class.
    part_names = map(single_part_name, prefab.former_names if prefab.is_class else ())
    former_names = tuple(part_names)
    parts = tuple(
        DeclaredField(
            part.name,
            part.name,
            simple_name(part.cls) or "?",
            part.owner,
            part.span,
            (*part.former_names, *former_names),
            part.own,
        )
        for part in prefab.parts
    )
    mark = "@saveable(prefab=True, was={})" if prefab.is_class else ""
    return DeclaredClass(
        prefab.name, prefab.span, parts, prefab.former_names, prefab.ancestors, mark
    )


def _records(model: Model, texts: KindTexts) -> Iterator[DeclaredClass]:
    by_name = {each.name: each for m in model.modules.values() for each in m.records}
    for name, record in sorted(by_name.items()):
        marks = record.field_marks or [(Span(""), ())] * len(record.fields)
        is_subclass = record.style == "subclass"
        entries = tuple(
            DeclaredField(
                key,
                key,
                # The name of the class tells that this is no field.
                texts.of(record.kind) if is_subclass else texts.entry(kind, required),
                name,
                span,
                former,
            )
            for (key, kind, required), (span, former) in zip(
                record.fields, marks, strict=True
            )
        )
        yield DeclaredClass(name, entries[0].span if entries else Span(""), entries)
