"""Write expressions of the source as code for generated modules, and find the names in them."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.build.kinds import as_code
from savegen.build.resolve.hierarchy import ClassHierarchy
from savegen.build.resolve.names import ClassSymbol
from savegen.build.scan.declarations import (
    Call,
    Class,
    CollectionLiteral,
    Constant,
    DictLiteral,
    Expression,
    Lambda,
    Module,
    Name,
    Operation,
)
from savegen.findings import Span

_CLOSING = {"(": ")", "[": "]", "{": "}"}
SELF = "self"
OWN_FACTORY = 'imported("savegen.runtime.values.factories:own_factory")'


def module_scope(module: Module) -> ClassSymbol:
    """Return a symbol in which names mean what they mean outside all classes of a module."""
    return ClassSymbol(module, Class("", "", Span(module.path)))


def names_in(value: Expression) -> Iterator[str]:
    """Yield the dotted names in an expression that `code_of` can write."""
    match value:
        case Name(dotted):
            yield dotted
        case Lambda(inner):
            yield from names_in(inner)
        case CollectionLiteral(members):
            for member in members:
                yield from names_in(member)
        case DictLiteral(pairs):
            for pair in pairs:
                for side in pair:
                    yield from names_in(side)
        case Operation(left, _, right):
            yield from (*names_in(left), *names_in(right))
        case Call(function, arguments, keywords):
            for each in (function, *arguments, *(inner for _, inner in keywords)):
                yield from names_in(each)


def code_of(
    value: Expression,
    symbol: ClassSymbol,
    hierarchy: ClassHierarchy,
    qualname: str = "",
) -> str | None:
    """Return an expression as code for the registry, or `None` if that is not possible.

    The code looks up names when a load needs the default. It has lambdas only with a `qualname`:
    that of a lambda at this place in the source, without `<lambda>`.
    """

    def _code(value: Expression) -> str | None:
        return code_of(value, symbol, hierarchy, qualname)

    match value:
        case Constant(code):
            return None if code == "..." else as_code(value.value)
        case DictLiteral(pairs):
            codes = [[*map(_code, pair)] for pair in pairs]
            if any(None in pair for pair in codes):
                return None
            return f"{{{', '.join(f'{key}: {value}' for key, value in codes)}}}"
        case Operation(left, operator, right):
            sides = [_operand(side, _code(side)) for side in (left, right)]
            return None if None in sides else f"{sides[0]} {operator} {sides[1]}"
        case Name(dotted):
            owner, _, last = dotted.partition(".")
            # The registry passes the class of the object as `cls`.
            return (
                f"cls.{symbol.mangled_name(last)}"
                if owner == SELF
                else hierarchy.code_of(dotted, symbol)
            )
        case CollectionLiteral(members, opening):
            return _display(opening, [*map(_code, members)])
        case Call(Name(dotted), arguments, keywords):
            prefixed = [("", argument) for argument in arguments]
            prefixed += [(f"{name}=", argument) for name, argument in keywords]
            texts = [(prefix, _code(argument)) for prefix, argument in prefixed]
            if any(text is None for _, text in texts):
                return None
            inside = ", ".join(f"{prefix}{text}" for prefix, text in texts)
            return f"{hierarchy.code_of(dotted, symbol)}({inside})"
        case Lambda(body) if qualname:
            place = f"{qualname}<lambda>"
            scope = module_scope(symbol.module)
            made = code_of(body, scope, hierarchy, f"{place}.<locals>.")
            names = as_code(symbol.module.name), as_code(place)
            return made and f"{OWN_FACTORY}({', '.join(names)}, lambda: {made})"
    return None


def _operand(value: Expression, text: str | None) -> str | None:
    is_negative = isinstance(value, Constant) and value.code.startswith("-")
    return (
        f"({text})" if text and (isinstance(value, Operation) or is_negative) else text
    )


def _display(opening: str, members: list[str | None]) -> str | None:
    """Return the code of a list, set or tuple; `None` if a member has no code."""
    if None in members:
        return None
    comma = "," if opening == "(" and len(members) == 1 else ""
    return f"{opening}{', '.join(filter(None, members))}{comma}{_CLOSING[opening]}"
