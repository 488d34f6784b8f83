"""Find the values that a load gives to fields that an older save does not contain.

They come from the mark of the field, the class body, or `__init__`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import NamedTuple

from savegen.build.kinds import CONTAINERS, Kind
from savegen.build.model import Field
from savegen.build.resolve.classes import ProjectClasses
from savegen.build.resolve.code import SELF, code_of, names_in
from savegen.build.resolve.construction import declares_default
from savegen.build.resolve.hierarchy import ClassHierarchy
from savegen.build.resolve.names import ClassSymbol
from savegen.build.scan.declarations import (
    Attribute,
    Call,
    CollectionLiteral,
    Constant,
    DictLiteral,
    Expression,
    Lambda,
    Method,
    Name,
    Operation,
)

# Classes that a default may call: equal arguments make equal containers.
_CONTAINERS = CONTAINERS.keys() - {"array.array"}
# Constants of the standard library that are not in capitals.
_CONSTANTS = frozenset(f"math.{name}" for name in "e inf nan pi tau".split())
# Kinds whose values are made by a call of their class.
_CONSTRUCTED = ("scalar", "record", "value", "foreign", "group")


class Default(NamedTuple):
    """The code of a default in the registry; "" if it is read from the class at run time."""

    code: str = ""


class InvalidDefault(NamedTuple):
    """The reason why a default in a mark cannot be used."""

    reason: str


def in_mark(
    call: Call | None, symbol: ClassSymbol, hierarchy: ClassHierarchy
) -> Default | InvalidDefault | None:
    """Return the default in `Save(default=…)` or `Save(default_factory=…)`."""
    value = call.keyword("default") if call else None
    factory = call.keyword("default_factory") if call else None
    if value is not None and factory is not None:
        return InvalidDefault("`Save` takes `default` or `default_factory`, not both")
    if value is not None:
        code = code_of(value, symbol, hierarchy)
        reason = (
            "`default` must be a literal, a constant, an enum member, a calculation"
            " of these, or a call with only these as arguments"
        )
        return InvalidDefault(reason) if code is None else Default(code)
    if factory is None:
        return None
    if not isinstance(factory, Name):
        return InvalidDefault(
            "`default_factory` must be the name of a class or function"
        )
    return Default(f"{hierarchy.code_of(factory.dotted, symbol)}()")


def in_classes(
    fields: Iterable[Field], mro: Sequence[ClassSymbol], classes: ProjectClasses
) -> dict[str, Default]:
    """Return the defaults of fields in class bodies and `__init__` methods, by attribute.

    `mro` is the class with its bases, in method resolution order. The first class that has
    a default for a field decides.
    """
    kinds = {field.attribute: field.kind for field in fields}
    defaults: dict[str, Default] = {}
    for symbol in reversed(mro) if kinds else ():
        defaults.update(_in_class(symbol, kinds, classes))
    return defaults


def _in_class(
    symbol: ClassSymbol, kinds: Mapping[str, Kind], classes: ProjectClasses
) -> Iterator[tuple[str, Default]]:
    style, _ = classes.style(symbol)
    for attribute in symbol.declaration.attributes:
        name = classes.hierarchy.mangled_name(attribute.name, symbol)
        if name not in kinds or attribute.default is None:
            continue
        if attribute.method is None:
            if declares_default(attribute, symbol, style, classes.hierarchy):
                yield name, Default()
        elif attribute.method == "__init__":
            method = symbol.method_named("__init__")
            scope = AssignmentScope(
                symbol, classes.hierarchy, method, _classes_in(kinds[name])
            )
            if code := assigned_value(attribute, scope):
                yield name, Default(code)


class AssignmentScope(NamedTuple):
    """The class and method in which an attribute is assigned."""

    symbol: ClassSymbol
    hierarchy: ClassHierarchy
    method: Method | None
    # Classes that a constant expression may call, besides `_CONTAINERS`.
    callable_classes: Set[str] = frozenset()


def assigned_value(attribute: Attribute, scope: AssignmentScope) -> str | None:
    """Return the code of the value that a method assigns, if it is the same for all objects."""
    return _constant_code(attribute, scope) if attribute.assigned_once else None


def first_value(attribute: Attribute, scope: AssignmentScope) -> str | None:
    """Return the code of the value that a method assigns first, if all objects get it first."""
    return _constant_code(attribute, scope) if attribute.assigned_always else None


def _constant_code(attribute: Attribute, scope: AssignmentScope) -> str | None:
    value = attribute.default
    if value is None or not _is_constant(value, scope):
        return None
    declaration, method = scope.symbol.declaration, scope.method
    qualname = f"{declaration.qualname}.{f'{method.name}.<locals>.' if method else ''}"
    return code_of(value, scope.symbol, scope.hierarchy, qualname)


def _is_constant(value: Expression, scope: AssignmentScope) -> bool:
    match value:
        case Constant(code):
            return code != "..."
        case CollectionLiteral(members):
            return all(_is_constant(member, scope) for member in members)
        case DictLiteral(pairs):
            return all(_is_constant(side, scope) for pair in pairs for side in pair)
        case Operation(left, _, right):
            return _is_constant(left, scope) and _is_constant(right, scope)
        case Name(dotted):
            return _is_constant_name(dotted, scope)
        case Call(Name(dotted), arguments, keywords):
            called = scope.hierarchy.full_name_in(dotted, scope.symbol)
            if called not in _CONTAINERS and called not in scope.callable_classes:
                return False
            takes_factory = called == "collections.defaultdict"
            return all(
                _is_constant(argument, scope)
                or (takes_factory and _is_factory(argument, scope))
                for argument in (*arguments, *(argument for _, argument in keywords))
            )
    return False


def _is_factory(value: Expression, scope: AssignmentScope) -> bool:
    """Return whether an argument is the name of a factory, or a lambda without local variables."""
    if not isinstance(value, Lambda):
        return isinstance(value, Name)
    variables = scope.method.variables if scope.method else ()
    names = {name.partition(".")[0] for name in names_in(value)}
    return variables is not None and names.isdisjoint((*variables, SELF))


def _is_constant_name(dotted: str, scope: AssignmentScope) -> bool:
    """Return whether a name means an enumeration member or a constant.

    A constant is in capital letters, and is a global name of the module or of an import.
    """
    symbol, hierarchy = scope.symbol, scope.hierarchy
    owner, _, last = dotted.rpartition(".")
    if owner and hierarchy.is_enum(hierarchy.full_name_in(owner, symbol) or ""):
        return True
    if hierarchy.full_name_in(dotted, symbol) in _CONSTANTS:
        return True
    variables = scope.method.variables if scope.method else None
    first = dotted.partition(".")[0]
    if owner == SELF and SELF in (variables or ()):
        return last.isupper() and _is_in_class_body(last, symbol, hierarchy)
    if variables is None or first in variables or not last.isupper():
        return False
    module, declaration = symbol.module, symbol.declaration
    if any(a.name == first and a.method is None for a in declaration.attributes):
        # The registry would read the attribute of the class instead of the global name.
        return False
    classes = (c.qualname for c in module.classes)
    return not owner or first in module.imports or first in classes


def _is_in_class_body(
    name: str, symbol: ClassSymbol, hierarchy: ClassHierarchy
) -> bool:
    """Return whether only the bodies of a class and its bases assign an attribute."""
    attributes = [
        attribute
        for each in hierarchy.declarations(symbol.name)
        for attribute in each.declaration.attributes
        if attribute.name == name
    ]
    is_assigned = any(each.default is not None for each in attributes)
    return is_assigned and all(each.method is None for each in attributes)


def _classes_in(kind: Kind) -> set[str]:
    """Return the classes of the values in a field, without saveable classes."""
    names = {kind.name} if kind.kind in _CONSTRUCTED else set()
    return names.union(*map(_classes_in, kind.parts))
