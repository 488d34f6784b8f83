"""The saved fields of a class: its own and those of its bases."""

from __future__ import annotations

import keyword
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

from msgspec.structs import replace

from savegen.build.kinds import Kind
from savegen.build.model import Field, MarkFault
from savegen.build.resolve import defaults
from savegen.build.resolve.arguments import LIMITS, names, save_arguments
from savegen.build.resolve.classes import ProjectClasses
from savegen.build.resolve.lineage import Lineage
from savegen.build.resolve.names import ClassSymbol, mangled
from savegen.build.resolve.types import Annotation, Bindings, Mark
from savegen.build.scan.declarations import (
    Attribute,
    Call,
    Class,
    Constant,
    Expression,
    Items,
    Name,
    Other,
    Sequence,
)
from savegen.findings import Span

_MUTABLE_CALLS = frozenset(
    "list dict set deque defaultdict OrderedDict Counter bytearray array".split()
)


class MarkedAttribute(NamedTuple):
    """One marked attribute, and the class that marks it."""

    symbol: ClassSymbol
    attribute: Attribute
    annotation: Annotation
    mark: Mark
    in_property: bool = False  # the mark is on the getter


def marked_attributes(
    lineage: Lineage, symbol: ClassSymbol, bindings: Bindings = {}
) -> Iterator[MarkedAttribute]:
    """Yield the marked attributes of one class in source order, without those of its bases."""
    seen: set[str] = set()
    for attribute in symbol.declaration.attributes:
        if attribute.annotation is None or attribute.name in seen:
            continue
        annotation = lineage.annotation(symbol, attribute, bindings)
        if annotation.mark and not annotation.class_variable:
            seen.add(attribute.name)
            yield MarkedAttribute(symbol, attribute, annotation, annotation.mark)
    for method in symbol.declaration.methods:
        if method.returns is None or method.name in seen:
            continue
        getter = Attribute(method.name, method.returns, None, method.span, None)
        annotation = lineage.annotation(symbol, getter, bindings)
        if annotation.mark:
            yield MarkedAttribute(symbol, getter, annotation, annotation.mark, True)


def duplicate_marks(
    lineage: Lineage, symbol: ClassSymbol
) -> Iterator[tuple[str, Span]]:
    """Yield the fields that are marked more than once in the body of a class."""
    by_name: dict[str, list[Attribute]] = {}
    for attribute in symbol.declaration.attributes:
        if attribute.annotation is not None and attribute.method is None:
            by_name.setdefault(attribute.name, []).append(attribute)
    for name, same in by_name.items():
        if len(same) > 1:
            marks = [each for each in same if lineage.annotation(symbol, each).mark]
            yield from ((name, each.span) for each in marks[1:])


def fields_of(
    name: str, lineage: Lineage, classes: ProjectClasses
) -> tuple[list[Field], list[MarkFault]]:
    """Return the fields of a class and the faults in its own marks.

    The fields of the most distant base come first. A field that a subclass marks again keeps
    its position and its first owner.
    """
    fields: dict[str, Field] = {}
    faults: list[MarkFault] = []
    bindings = lineage.bindings(name)
    chain = list(lineage.declarations(name))
    for symbol in reversed(chain):
        for each in marked_attributes(lineage, symbol, bindings.get(symbol.name, {})):
            field, reasons = _field(each, classes)
            if before := fields.get(field.attribute):
                field = _redeclared(field, before)
            if symbol.name == name:
                faults += [MarkFault(field.span, reason) for reason in reasons]
            else:
                field = replace(field, own=False)
            fields[field.attribute] = field
    others = (field for field in fields.values() if not field.has_default)
    for attribute, default in defaults.in_class(others, chain, classes).items():
        field = replace(fields[attribute], has_default=True, default_code=default.code)
        fields[attribute] = field
    return list(fields.values()), faults


def conflicting_fields(
    name: str, lineage: Lineage, classes: ProjectClasses
) -> Iterator[tuple[str, tuple[str, Kind], tuple[str, Kind]]]:
    """Yield the fields that two unrelated bases declare with different kinds.

    Each is a name and two pairs of class and kind. A field that the class itself marks
    again is not in conflict.
    """
    declared: dict[str, tuple[str, Kind]] = {}
    conflicts: dict[str, tuple[str, tuple[str, Kind], tuple[str, Kind]]] = {}
    bindings = lineage.bindings(name)
    chain = list(lineage.declarations(name))
    for symbol in reversed(chain) if len(lineage.bases(name)) > 1 else ():
        for each in marked_attributes(lineage, symbol, bindings.get(symbol.name, {})):
            stored = mangled(each.attribute.name, symbol.declaration.name)
            kind, before = classes.kind_of(each.annotation.type), declared.get(stored)
            declared[stored] = symbol.name, kind
            conflicts.pop(stored, None)
            if before and before[1] != kind:
                if before[0] not in lineage.mro(symbol.name):
                    conflicts[stored] = each.attribute.name, before, declared[stored]
    yield from conflicts.values()


def former_names(
    name: str, lineage: Lineage
) -> dict[str, tuple[Span, tuple[str, ...]]]:
    """Return the span and the former names of each field of a plain class."""
    by_field: dict[str, tuple[Span, tuple[str, ...]]] = {}
    for symbol in reversed(list(lineage.declarations(name))):
        for attribute in symbol.declaration.attributes:
            if attribute.annotation is not None and attribute.method is None:
                mark = lineage.annotation(symbol, attribute).mark
                was = save_arguments(mark.call).values.get("was", ()) if mark else ()
                stored = mangled(attribute.name, symbol.declaration.name)
                by_field[stored] = attribute.span, names(was)
    return by_field


def is_former_name(field: MarkedAttribute) -> bool:
    """Return whether a mark has no other argument than `was`, the former names of a field."""
    call = field.mark.call
    if call is None or call.arguments or save_arguments(call).faults:
        return False
    return [word for word, _ in call.keywords] == ["was"]


def field_member(name: str, kind: Kind) -> str:
    """Return the name of a field in the generated field enumeration.

    >>> field_member("__secret", Kind("scalar")), field_member("foe", Kind("reference"))
    ('SECRET', 'FOE_REF')
    """
    # Enumerations give names with underscores at both ends a special meaning.
    stripped = unicodedata.normalize("NFKC", name).strip("_").upper() or "UNDERSCORE"
    member = stripped if stripped.isidentifier() else f"N{stripped}"
    return f"{member}_REF" if _is_reference(kind) else member


def _is_reference(kind: Kind) -> bool:
    if kind.kind == "union":
        return all(part.name == "None" or _is_reference(part) for part in kind.parts)
    return kind.kind == "reference"


def _field(
    declared: MarkedAttribute, classes: ProjectClasses
) -> tuple[Field, list[str]]:
    attribute, annotation = declared.attribute, declared.annotation
    arguments = save_arguments(declared.mark.call)
    values = arguments.values
    kind = classes.kind_of(annotation.type)
    exposed = values.get("name", _exposed(attribute.name))
    field = Field(
        name=attribute.name,
        attribute=mangled(attribute.name, declared.symbol.declaration.name),
        owner=declared.symbol.name,
        type=classes.shared(annotation.type),
        kind=kind,
        enum_member=field_member(attribute.name, kind),
        span=attribute.span,
        exposed=exposed if values.get("editor", True) else None,
        override=declared.mark.word == "SaveOverride",
        setter=declared.in_property or values.get("setter", False),
        in_property=declared.in_property,
        limits=tuple((n, repr(values[n])) for n in LIMITS if n in values),
        former_names=names(values.get("was", ())),
        mutable_default=_mutable_default(attribute, kind),
        saved_in_method=attribute.method is not None and declared.mark.word == "Saved",
        doc=attribute.doc,
    )
    default = defaults.in_mark(declared.mark.call, declared.symbol, classes.lineage)
    return _with_default(field, default), arguments.faults


def _with_default(
    field: Field, default: defaults.Default | defaults.Unreadable | None
) -> Field:
    """Return a field with the default from its mark, or with the fault in it."""
    match default:
        case defaults.Default(code):
            return replace(field, has_default=True, default_code=code)
        case defaults.Unreadable(reason):
            return replace(field, default_fault=reason)
    return field


def _exposed(name: str) -> str:
    """Return the name for level authors of a field whose mark sets none."""
    public = name.lstrip("_")
    return public if public.isidentifier() and not keyword.iskeyword(public) else name


def _redeclared(field: Field, before: Field) -> Field:
    return replace(
        field,
        owner=before.owner,
        former_names=field.former_names or before.former_names,
        in_property=field.in_property or before.in_property,
        has_default=field.has_default or before.has_default,
        default_code=field.default_code or before.default_code,
    )


def has_slots(declaration: Class) -> bool:
    """Return whether a class itself has slots, from `__slots__` or from its decorator."""
    if declaration.has_slots:
        return declaration.slots is None or bool(declaration.slots)
    return any(
        isinstance(d, Call) and d.keyword("slots") == Constant("True")
        for d in declaration.decorators
    )


def _mutable_default(attribute: Attribute, kind: Kind) -> str | None:
    """Return short code for a mutable value in a class body, which all objects would share."""
    if attribute.method is not None:
        return None
    record = kind.name.rpartition(":")[2] if kind.kind == "record" else ""
    return _mutable(attribute.default, record)


def _mutable(value: Expression | None, record: str) -> str | None:
    match value:
        case Sequence(_, "["):
            return "[…]"
        case Sequence(_, "{") | Items():
            return "{…}"
        case Other(code) if code.startswith(("{", "[")):
            return code[0] + "…" + code[-1]
        case Call(Name(dotted)) if dotted.rpartition(".")[2] in _MUTABLE_CALLS:
            return f"{dotted}()"
        case Call(Name(dotted)) if dotted == record:
            return f"{dotted}(…)"
    return None
