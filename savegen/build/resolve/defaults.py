"""What a field is where an older save lacks it: as its mark says, its class, or `__init__`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from typing import NamedTuple

from savegen.build.kinds import Kind
from savegen.build.model import Field, spelled
from savegen.build.resolve.classes import ProjectClasses
from savegen.build.resolve.construction import declares_default
from savegen.build.resolve.lineage import Lineage
from savegen.build.resolve.names import ClassSymbol, mangled
from savegen.build.scan.declarations import (
    Attribute,
    Call,
    Constant,
    Expression,
    Items,
    Method,
    Name,
    Operation,
    Sequence,
)

_CLOSING = {"(": ")", "[": "]", "{": "}"}
# What `__init__` may call for a value that is the same each time.
_CONTAINERS = frozenset(
    "builtins.list builtins.dict builtins.set builtins.frozenset builtins.tuple"
    " builtins.bytearray collections.deque collections.Counter collections.OrderedDict"
    " collections.defaultdict".split()
)
_MADE = ("scalar", "record", "value", "foreign")  # kinds whose class makes a value


class Default(NamedTuple):
    """A default as the registry makes it; "" if the class itself tells it."""

    code: str = ""


class Unreadable(NamedTuple):
    """Why a default in a mark cannot be read."""

    reason: str


def in_mark(
    call: Call | None, symbol: ClassSymbol, lineage: Lineage
) -> Default | Unreadable | None:
    """Return what `Save(default=…)` says, or `Save(default_factory=…)`."""
    value = call.keyword("default") if call else None
    factory = call.keyword("default_factory") if call else None
    if value is not None and factory is not None:
        return Unreadable("`Save` takes `default` or `default_factory`, not both")
    if value is not None:
        code = _written(value, symbol, lineage)
        what = (
            "`default` must be a literal, a constant, an enum member, a calculation"
            " of these, or a call with only these as arguments"
        )
        return Unreadable(what) if code is None else Default(code)
    if factory is None:
        return None
    if not isinstance(factory, Name):
        return Unreadable("`default_factory` must be the name of a class or function")
    return Default(f"{lineage.reached_as(factory.dotted, symbol)}()")


def in_class(
    fields: Iterable[Field], chain: list[ClassSymbol], classes: ProjectClasses
) -> dict[str, Default]:
    """Return the defaults of fields that a class declares otherwise, by attribute.

    `chain` is the class with its bases, nearest first: the first that says anything counts.
    """
    wanted = {field.attribute: field.kind for field in fields}
    found: dict[str, Default] = {}
    for symbol in reversed(chain) if wanted else ():
        found.update(_declared(symbol, wanted, classes))
    return found


def _declared(
    symbol: ClassSymbol, wanted: Mapping[str, Kind], classes: ProjectClasses
) -> Iterator[tuple[str, Default]]:
    style, _ = classes.style(symbol)
    for attribute in symbol.declaration.attributes:
        name = mangled(attribute.name, symbol.declaration.name)
        if name not in wanted or attribute.default is None:
            continue
        if attribute.method is None:
            if declares_default(attribute, symbol, style, classes.lineage):
                yield name, Default()
        elif attribute.method == "__init__":
            method = method_named("__init__", symbol)
            known = Known(symbol, classes.lineage, method, _made_of(wanted[name]))
            if code := assigned(attribute, known):
                yield name, Default(code)


def method_named(name: str, symbol: ClassSymbol) -> Method | None:
    """Return the method of a class that counts; a later one replaces an earlier one."""
    found = (each for each in symbol.declaration.methods if each.name == name)
    return next(reversed([*found]), None)


class Known(NamedTuple):
    """What is known where a method assigns an attribute."""

    symbol: ClassSymbol
    lineage: Lineage
    method: Method | None
    made_of: Set[str] = frozenset()  # classes that it may call beside the containers


def assigned(attribute: Attribute, known: Known) -> str | None:
    """Return what a method always assigns, if it is the same for all objects."""
    value = attribute.default
    if not attribute.assigned_once or value is None or not _is_constant(value, known):
        return None
    return _written(value, known.symbol, known.lineage)


def _is_constant(value: Expression, known: Known) -> bool:
    match value:
        case Constant(code):
            return code != "..."
        case Sequence(members):
            return all(_is_constant(each, known) for each in members)
        case Items(pairs):
            return all(_is_constant(each, known) for pair in pairs for each in pair)
        case Operation(left, _, right):
            return _is_constant(left, known) and _is_constant(right, known)
        case Name(dotted):
            return _names_constant(dotted, known)
        case Call(Name(dotted), arguments, keywords):
            named = known.lineage.named(dotted, known.symbol)
            if named not in _CONTAINERS and named not in known.made_of:
                return False
            given = (*arguments, *(each for _, each in keywords))
            return all(
                _is_constant(each, known) or _is_container(each, named)
                for each in given
            )
    return False


def _names_constant(dotted: str, known: Known) -> bool:
    """Return whether a name means a member of an enumeration, or a constant by its case."""
    symbol, lineage = known.symbol, known.lineage
    owner, _, last = dotted.rpartition(".")
    if owner and lineage.is_enum(lineage.named(owner, symbol) or ""):
        return True
    variables = known.method.variables if known.method else None
    first = dotted.partition(".")[0]
    if variables is None or first in variables or not last.isupper():
        return False
    module, declaration = symbol
    if any(a.name == first and a.method is None for a in declaration.attributes):
        return (
            False  # the registry would take it for the value in the body of the class
        )
    classes = (each.qualname for each in module.classes)
    return not owner or first in module.imports or first in classes


def _is_container(value: Expression, called: str | None) -> bool:
    """Tell whether a value is the factory of `defaultdict(list)`."""
    return called == "collections.defaultdict" and isinstance(value, Name)


def _made_of(kind: Kind) -> set[str]:
    """Return the classes, other than saveable ones, of what a field holds."""
    found = {kind.name} if kind.kind in _MADE else set()
    return found.union(*map(_made_of, kind.parts))


def _written(value: Expression, symbol: ClassSymbol, lineage: Lineage) -> str | None:
    """Return an expression as the registry writes it: names are found when it is asked."""
    match value:
        case Constant(code):
            return None if code == "..." else spelled(value.value)
        case Items(pairs):
            both = [[_written(e, symbol, lineage) for e in pair] for pair in pairs]
            if any(None in pair for pair in both):
                return None
            return f"{{{', '.join(f'{key}: {each}' for key, each in both)}}}"
        case Operation(left, operator, right):
            sides = [_side(each, symbol, lineage) for each in (left, right)]
            return None if None in sides else f"{sides[0]} {operator} {sides[1]}"
        case Name(dotted):
            return lineage.reached_as(dotted, symbol)
        case Sequence(members, opening):
            inner = [_written(each, symbol, lineage) for each in members]
            return _display(opening, inner)
        case Call(Name(dotted), arguments, keywords):
            given = [("", each) for each in arguments]
            given += [(f"{name}=", each) for name, each in keywords]
            texts = [(name, _written(each, symbol, lineage)) for name, each in given]
            if any(text is None for _, text in texts):
                return None
            inside = ", ".join(f"{name}{text}" for name, text in texts)
            return f"{lineage.reached_as(dotted, symbol)}({inside})"
    return None


def _side(value: Expression, symbol: ClassSymbol, lineage: Lineage) -> str | None:
    text = _written(value, symbol, lineage)
    return f"({text})" if text and isinstance(value, Operation) else text


def _display(opening: str, members: list[str | None]) -> str | None:
    if None in members:
        return None
    comma = "," if opening == "(" and len(members) == 1 else ""
    return f"{opening}{', '.join(filter(None, members))}{comma}{_CLOSING[opening]}"
