"""How objects of plain classes are made: what their constructors call each field."""

from __future__ import annotations

from collections.abc import Mapping

from savegen.build.resolve.lineage import Lineage
from savegen.build.resolve.names import ClassSymbol, mangled
from savegen.build.scan.declarations import Attribute, Call, Constant, Expression, Name

# The functions that describe a field, with what says that it has a default.
_SPECIFIERS: Mapping[str, tuple[str, ...]] = {
    "dataclasses.field": ("default", "default_factory"),
    "msgspec.field": ("default", "default_factory"),
    "attr.ib": ("default", "factory"),
    "attr.attr": ("default", "factory"),
    "attr.attrib": ("default", "factory"),
    "attr.field": ("default", "factory"),
    "attrs.field": ("default", "factory"),
}


def constructed(
    attribute: Attribute, symbol: ClassSymbol, style: str, lineage: Lineage
) -> tuple[str, bool]:
    """Return the keyword of a field, "" if there is none, and whether it has a default."""
    specifier = _specifier(attribute.default, symbol, lineage)
    if specifier is None:
        return _keyword(attribute.name, symbol, style), attribute.default is not None
    call, defaults = specifier
    keyword = _text(call.keyword("alias")) or _keyword(attribute.name, symbol, style)
    has_default = (
        any(call.keyword(name) for name in defaults)
        or bool(style == "attrs" and call.arguments)
        or _is_given_later(attribute.name, symbol)
    )
    if call.keyword("init") == Constant("False"):
        return "", True
    return keyword, has_default


def declares_default(
    attribute: Attribute, symbol: ClassSymbol, style: str, lineage: Lineage
) -> bool:
    """Tell whether a class says what a field is if nothing is given, for all objects alike.

    The value of the attribute is known to be there.
    """
    if not style:  # a value of the class; slots would leave no room for it
        return True
    specifier = _specifier(attribute.default, symbol, lineage)
    if specifier is None:
        return not _takes_object(attribute.default)
    call, defaults = specifier
    given = [call.keyword(name) for name in defaults]
    if style == "attrs":
        given += call.arguments[:1]
    return any(value and not _takes_object(value) for value in given)


def _takes_object(value: Expression | None) -> bool:
    """Tell whether a value is `Factory(…, takes_self=True)`."""
    takes_self = value.keyword("takes_self") if isinstance(value, Call) else None
    return takes_self == Constant("True")


def is_constructible(name: str, lineage: Lineage) -> bool:
    """Tell whether a plain class is made of its fields, and of nothing else."""
    return not any(
        method.name in ("__init__", "__new__")
        for symbol in lineage.declarations(name)
        for method in symbol.declaration.methods
    ) and not any(
        attribute.default is None and _is_argument(attribute, symbol, lineage)
        for symbol in lineage.declarations(name)
        for attribute in symbol.declaration.attributes
        if attribute.method is None
    )


def _is_argument(attribute: Attribute, symbol: ClassSymbol, lineage: Lineage) -> bool:
    """Tell whether an attribute is for the constructor alone."""
    if attribute.annotation is None:
        return False
    return lineage.annotation(symbol, attribute).type.name == "dataclasses.InitVar"


def _specifier(
    default: Expression | None, symbol: ClassSymbol, lineage: Lineage
) -> tuple[Call, tuple[str, ...]] | None:
    if not isinstance(default, Call) or not isinstance(default.function, Name):
        return None
    name = lineage.named(default.function.dotted, symbol)
    return (default, _SPECIFIERS[name]) if name and name in _SPECIFIERS else None


def _is_given_later(name: str, symbol: ClassSymbol) -> bool:
    """Tell whether a method gives the default: `@hp.default`."""
    mark = Name(f"{name}.default")
    return any(mark in method.decorators for method in symbol.declaration.methods)


def _keyword(name: str, symbol: ClassSymbol, style: str) -> str:
    stored = mangled(name, symbol.declaration.name)
    return stored.lstrip("_") if style == "attrs" else stored


def _text(expression: Expression | None) -> str:
    value = expression.value if isinstance(expression, Constant) else None
    return value if isinstance(value, str) else ""
