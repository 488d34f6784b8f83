"""Find the attributes of objects of plain classes that are no fields, so no save has them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from msgspec.structs import replace

from savegen.build.model import Field, PlainRecord
from savegen.build.resolve.classes import ProjectClasses
from savegen.build.resolve.forgotten import ForgottenAttributes
from savegen.build.resolve.hierarchy import ClassHierarchy
from savegen.build.resolve.inherited import properties_of
from savegen.build.resolve.initial_values import InitialValues
from savegen.build.resolve.settings import Settings
from savegen.build.scan.declarations import AFTER_INIT, HASH_METHODS
from savegen.findings import Span


def with_forgotten(
    record: PlainRecord,
    hierarchy: ClassHierarchy,
    classes: ProjectClasses,
    settings: Settings,
) -> PlainRecord:
    """Return a plain class with its attributes that are no fields, and what is known of them."""
    name = record.name
    # Even a picture is forgotten, since no hook of a plain class can make it again.
    settings = settings._replace(transient=(), presets=())
    properties, _ = properties_of(name, hierarchy, settings)
    forgotten = ForgottenAttributes(
        name, hierarchy, classes, settings, _fields(record, classes), properties
    )
    values = InitialValues(name, hierarchy, classes, forgotten).shared_values()
    is_plain = record.style != "subclass"
    literals = {n: code for n, code in values if is_plain and _is_literal(code)}
    of_hash = _of_hash(name, hierarchy)
    found = forgotten.attributes({*literals})
    # Those of a base that is a plain class are reported for the base.
    plain = {b.rpartition(":")[2] for b in record.bases if classes.plain_class(b)}
    return replace(
        record,
        forgotten=tuple(
            replace(each, plain=record.style)
            for each in found
            if each.owner not in plain and each.attribute not in of_hash
        ),
        unsaved=tuple(
            (mangled, literals.get(mangled, ""))
            for mangled in _assigned(name, hierarchy)
            if mangled not in forgotten.fields_and_properties | of_hash
        ),
    )


def _fields(record: PlainRecord, classes: ProjectClasses) -> Iterator[Field]:
    plain = classes.plain_class(record.name)
    for field in plain.fields if plain else ():
        kind = classes.kind_of(field.type)
        yield Field(field.name, field.name, record.name, field.type, kind, Span(""))


def _assigned(name: str, hierarchy: ClassHierarchy) -> dict[str, None]:
    """Return the attributes that methods of a class assign, as in `__dict__`."""
    return {
        symbol.mangled_name(attribute.name): None
        for symbol in hierarchy.declarations(name)
        for attribute in symbol.declaration.attributes
        if attribute.method is not None
    }


def _of_hash(name: str, hierarchy: ClassHierarchy) -> set[str]:
    """Return the attributes that hold a hash, or what it needs; a load sets them.

    `__hash__` assigns them, or a `__post_init__` that needs no values of `InitVar`s. Private names
    are both as written and as in `__dict__`.
    """
    kept, prepared, used = set[str](), set[str](), set[str]()
    for symbol in hierarchy.declarations(name):
        for method in symbol.declaration.methods:
            names = (method.assigns, method.uses or ())
            assigned, read = ({*n, *map(symbol.mangled_name, n)} for n in names)
            if method.name in HASH_METHODS:
                kept |= assigned
                used |= read
            elif method.name in AFTER_INIT and method.arguments[0] == 1:
                prepared |= assigned
    return kept | (prepared & used)


def _is_literal(code: str) -> bool:
    try:
        ast.literal_eval(code)
    except (ValueError, SyntaxError):
        return False
    return True
