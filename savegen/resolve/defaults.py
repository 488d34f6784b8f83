"""What a field is where an older save lacks it: as its mark says, its class, or `__init__`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from savegen.kinds import Kind
from savegen.model import Field, spelled
from savegen.resolve.classes import ProjectClasses
from savegen.resolve.construction import declares_default
from savegen.resolve.lineage import Lineage
from savegen.resolve.names import ClassSymbol, mangled
from savegen.scan.declarations import (
    Attribute,
    Call,
    Constant,
    Expression,
    Name,
    Other,
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
            "`default` must be a literal, a constant, an enum member,"
            " or a call with only these as arguments"
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
        elif code := _assigned(attribute, wanted[name], symbol, classes.lineage):
            yield name, Default(code)


def _assigned(
    attribute: Attribute, kind: Kind, symbol: ClassSymbol, lineage: Lineage
) -> str | None:
    """Return what `__init__` always assigns, if it is the same for all objects."""
    value = attribute.default
    if attribute.method != "__init__" or not attribute.once or value is None:
        return None
    if not _is_constant(value, kind, symbol, lineage):
        return None
    return _written(value, symbol, lineage)


def _is_constant(
    value: Expression, kind: Kind, symbol: ClassSymbol, lineage: Lineage
) -> bool:
    match value:
        case Constant(code):
            return code != "..."
        case Other(code):
            return code == "{}"
        case Sequence(members):
            return all(_is_constant(each, kind, symbol, lineage) for each in members)
        case Name(dotted):
            owner, _, _ = dotted.rpartition(".")
            return bool(owner) and lineage.is_enum(lineage.named(owner, symbol) or "")
        case Call(Name(dotted), arguments, keywords):
            named = lineage.named(dotted, symbol)
            if named not in _CONTAINERS and named not in _made_of(kind):
                return False
            given = (*arguments, *(each for _, each in keywords))
            return all(
                _is_constant(each, kind, symbol, lineage) or _is_container(each, named)
                for each in given
            )
    return False


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
        case Other("{}"):
            return "{}"
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


def _display(opening: str, members: list[str | None]) -> str | None:
    if None in members:
        return None
    comma = "," if opening == "(" and len(members) == 1 else ""
    return f"{opening}{', '.join(filter(None, members))}{comma}{_CLOSING[opening]}"
