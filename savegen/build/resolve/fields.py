"""Find the saved fields of a class, its own and those of its bases."""

from __future__ import annotations

import keyword
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

from msgspec.structs import replace

from savegen.build.kinds import CONTAINERS, Kind, walk
from savegen.build.model import Contradiction, Field, MarkFault, annotation_of
from savegen.build.resolve import defaults
from savegen.build.resolve.arguments import LIMITS, names, save_arguments
from savegen.build.resolve.classes import ProjectClasses
from savegen.build.resolve.given_values import GivenValues
from savegen.build.resolve.hierarchy import ClassHierarchy
from savegen.build.resolve.names import ClassSymbol
from savegen.build.resolve.types import Annotation, Bindings, Mark
from savegen.build.scan.declarations import (
    Attribute,
    Call,
    Class,
    CollectionLiteral,
    Constant,
    DictLiteral,
    Name,
    Other,
)
from savegen.findings import Span

_MUTABLE_CALLS = frozenset(
    container.name for container in CONTAINERS.values() if not container.is_fixed
)


class MarkedAttribute(NamedTuple):
    """One marked attribute, and the class that marks it."""

    symbol: ClassSymbol
    attribute: Attribute
    annotation: Annotation
    mark: Mark
    in_property: bool = False  # the mark is on the getter


def marked_attributes(
    hierarchy: ClassHierarchy, symbol: ClassSymbol, bindings: Bindings = {}
) -> Iterator[MarkedAttribute]:
    """Yield the marked attributes of one class in source order, without those of its bases."""
    marked_names: set[str] = set()
    for attribute in _annotated(symbol.declaration):
        if attribute.name in marked_names:
            continue
        annotation = hierarchy.annotation(symbol, attribute, bindings)
        if annotation.mark and not annotation.class_variable:
            marked_names.add(attribute.name)
            yield MarkedAttribute(symbol, attribute, annotation, annotation.mark)
    for method in symbol.declaration.methods:
        if method.returns is None or method.name in marked_names:
            continue
        getter = Attribute(method.name, method.returns, None, method.span, None)
        annotation = hierarchy.annotation(symbol, getter, bindings)
        if annotation.mark:
            yield MarkedAttribute(symbol, getter, annotation, annotation.mark, True)


def _annotated(declaration: Class) -> Iterator[Attribute]:
    """Yield every annotation of an attribute, in the body of a class and in its methods."""
    for attribute in (*declaration.attributes, *declaration.redeclared):
        if attribute.annotation is not None:
            yield attribute


def contradictions(
    hierarchy: ClassHierarchy, symbol: ClassSymbol, classes: ProjectClasses
) -> Iterator[Contradiction]:
    """Yield the annotations of marked fields that allow other values than the mark."""
    marked = {m.attribute.name: m for m in marked_attributes(hierarchy, symbol)}
    for attribute in _annotated(symbol.declaration):
        field = marked.get(attribute.name)
        if field is None or attribute.span == field.attribute.span:
            continue
        annotation = hierarchy.annotation(symbol, attribute)
        if annotation.class_variable:
            continue
        if annotation.mark and attribute.method == field.attribute.method:
            continue  # `duplicate_marks` has it, unless it is in a method
        kind, saved = (
            classes.kind_of(each.type) for each in (annotation, field.annotation)
        )
        if "refused" in (kind.kind, saved.kind) or _is_part_of(kind, saved, hierarchy):
            continue
        yield Contradiction(
            attribute.name,
            attribute.span,
            annotation_of(kind),
            field.attribute.span.line,
            annotation_of(saved),
        )


def _is_part_of(kind: Kind, other: Kind, hierarchy: ClassHierarchy) -> bool:
    """Return whether all values of one kind are values of another one."""
    if kind.kind == "union" or not kind.name:
        return all(_is_part_of(part, other, hierarchy) for part in kind.parts)
    if other.kind == "union" or not other.name:
        return any(_is_part_of(kind, part, hierarchy) for part in other.parts)
    if kind.name == "builtins.int" and other.name == "builtins.float":
        return True
    is_class = ":" in kind.name
    return kind == other or is_class and other.name in hierarchy.mro(kind.name)


def duplicate_marks(
    hierarchy: ClassHierarchy, symbol: ClassSymbol
) -> Iterator[tuple[str, Span]]:
    """Yield the second and further marks of one field in the body of a class, with its name."""
    by_name: dict[str, list[Attribute]] = {}
    for attribute in symbol.declaration.attributes:
        if attribute.annotation is not None and attribute.method is None:
            by_name.setdefault(attribute.name, []).append(attribute)
    for name, attributes in by_name.items():
        if len(attributes) > 1:
            marked = [a for a in attributes if hierarchy.annotation(symbol, a).mark]
            yield from ((name, attribute.span) for attribute in marked[1:])


class Fields(NamedTuple):
    """The fields of a class, and what is wrong with their marks."""

    fields: list[Field]
    faults: list[MarkFault]  # in the marks of the class itself
    # The fields that two unrelated bases declare with different kinds, with both bases and kinds.
    conflicts: list[tuple[str, tuple[str, Kind], tuple[str, Kind]]]


def fields_of(name: str, hierarchy: ClassHierarchy, classes: ProjectClasses) -> Fields:
    """Return the fields of a class, its own and inherited ones.

    The fields of the most distant base come first. A field that a subclass marks again keeps
    its position and its first owner, and is not in conflict.
    """
    fields: dict[str, Field] = {}
    faults: list[MarkFault] = []
    declared: dict[str, tuple[str, Kind]] = {}
    conflicts: dict[str, tuple[str, tuple[str, Kind], tuple[str, Kind]]] = {}
    bindings = hierarchy.bindings(name)
    declarations = hierarchy.declarations(name)
    given = GivenValues(declarations, hierarchy)
    for symbol in reversed(declarations):
        types = bindings.get(symbol.name, {})
        for marked in marked_attributes(hierarchy, symbol, types):
            field, reasons = _field(marked, classes, given)
            mangled, first = field.attribute, declared.get(field.attribute)
            declared[mangled] = second = symbol.name, field.kind
            conflicts.pop(mangled, None)
            if first and first[1] != second[1]:
                if first[0] not in hierarchy.mro(symbol.name):
                    conflicts[mangled] = field.name, first, second
            if inherited := fields.get(mangled):
                field = _redeclared(field, inherited)
            if symbol.name == name:
                faults += [MarkFault(field.span, reason) for reason in reasons]
            else:
                field = replace(field, own=False)
            fields[mangled] = field
    for attribute, field in fields.items():
        kind = given.kind(attribute, field.kind)
        lacks_factory = attribute in given.unreadable
        fields[attribute] = replace(field, kind=kind, lacks_factory=lacks_factory)
    without_default = (field for field in fields.values() if not field.has_default)
    in_classes = defaults.in_classes(without_default, declarations, classes)
    for attribute, default in in_classes.items():
        field = replace(fields[attribute], has_default=True, default_code=default.code)
        fields[attribute] = field
    return Fields(list(fields.values()), faults, list(conflicts.values()))


def is_former_name(marked: MarkedAttribute) -> bool:
    """Return whether a mark has only the argument `was`, the former names of a field."""
    call = marked.mark.call
    if call is None or call.arguments or save_arguments(call).faults:
        return False
    return [keyword for keyword, _ in call.keywords] == ["was"]


def field_member(name: str, kind: Kind) -> str:
    """Return the name of a field in the generated enumeration of fields.

    >>> field_member("__secret", Kind("scalar")), field_member("foe", Kind("reference"))
    ('SECRET', 'FOE_REF')
    """
    # In an enumeration, names with underscores at both ends are not members.
    stripped = unicodedata.normalize("NFKC", name).strip("_").upper() or "UNDERSCORE"
    member = stripped if stripped.isidentifier() else f"N{stripped}"
    return f"{member}_REF" if _is_reference(kind) else member


def _is_reference(kind: Kind) -> bool:
    if kind.kind == "union":
        return all(part.name == "None" or _is_reference(part) for part in kind.parts)
    return kind.kind == "reference"


def _field(
    declared: MarkedAttribute, classes: ProjectClasses, given: GivenValues
) -> tuple[Field, list[str]]:
    """Return the field of a marked attribute, and the reasons why its mark is invalid."""
    attribute, annotation = declared.attribute, declared.annotation
    arguments = save_arguments(declared.mark.call)
    values = arguments.values
    mangled = classes.hierarchy.mangled_name(attribute.name, declared.symbol)
    type = given.type(mangled, annotation.type)
    kind = classes.kind_of(type)
    exposed = values.get("name", _exposed(attribute.name))
    field = Field(
        name=attribute.name,
        attribute=mangled,
        owner=declared.symbol.name,
        type=classes.shared(type),
        kind=kind,
        enum_member=field_member(attribute.name, kind),
        span=attribute.span,
        exposed=exposed if values.get("editor", True) else None,
        override=declared.mark.word == "SaveOverride",
        setter=declared.in_property or values.get("setter", False),
        limits=tuple((n, repr(values[n])) for n in LIMITS if n in values),
        former_names=names(values.get("was", ())),
        mutable_default=_mutable_default(attribute, kind),
        saved_in_method=attribute.method is not None and declared.mark.word == "Saved",
        doc=attribute.doc,
    )
    default = defaults.in_mark(declared.mark.call, declared.symbol, classes.hierarchy)
    return _with_default(field, default), arguments.faults


def _with_default(
    field: Field, default: defaults.Default | defaults.InvalidDefault | None
) -> Field:
    """Return a field with the default from its mark, or with the fault in that default."""
    match default:
        case defaults.Default(code):
            return replace(field, has_default=True, default_code=code)
        case defaults.InvalidDefault(reason):
            return replace(field, default_fault=reason)
    return field


def _exposed(name: str) -> str:
    """Return the name of a field in levels, if its mark does not set another one."""
    public = name.lstrip("_")
    return public if public.isidentifier() and not keyword.iskeyword(public) else name


def _redeclared(field: Field, inherited: Field) -> Field:
    return replace(
        field,
        owner=inherited.owner,
        former_names=field.former_names or inherited.former_names,
        has_default=field.has_default or inherited.has_default,
        default_code=field.default_code or inherited.default_code,
    )


def has_slots(declaration: Class) -> bool:
    """Return whether a class itself has slots, from `__slots__` or from its decorator."""
    if declaration.has_slots:
        return declaration.slots is None or bool(declaration.slots)
    return any(
        isinstance(d, Call) and d.keyword("slots") == Constant("True")
        for d in declaration.decorators
    )


def shared_containers(
    symbol: ClassSymbol, fields: list[Field]
) -> Iterator[tuple[tuple[str, ...], Span]]:
    """Yield the attributes to which one statement assigns the same object, with their place.

    An example is `self.a = self.b = []`; the place is that of the first. At least
    one of the attributes is a saved field.
    """
    changing = {field.attribute for field in fields if _can_change(field)}
    for attribute in symbol.declaration.attributes:
        names = attribute.assigned_with
        if names and names[0] == attribute.name:
            if not changing.isdisjoint(map(symbol.mangled_name, names)):
                yield names, attribute.span


def _can_change(field: Field) -> bool:
    """Return whether a field holds a mutable value, of which a load makes a copy."""
    kinds = walk(field.kind)
    return any(k.kind in ("container", "record") and not k.immutable for k in kinds)


def _mutable_default(attribute: Attribute, kind: Kind) -> str | None:
    """Return short code for a mutable value in a class body, which all objects would share."""
    if attribute.method is not None:
        return None
    record = kind.name.rpartition(":")[2] if kind.kind == "record" else ""
    match attribute.default:
        case CollectionLiteral(_, "["):
            return "[…]"
        case CollectionLiteral(_, "{") | DictLiteral():
            return "{…}"
        case Other(code) if code.startswith(("{", "[")):
            return code[0] + "…" + code[-1]
        case Call(Name(dotted)) if dotted.rpartition(".")[2] in _MUTABLE_CALLS:
            return f"{dotted}()"
        case Call(Name(dotted)) if dotted == record:
            return f"{dotted}(…)"
    return None
