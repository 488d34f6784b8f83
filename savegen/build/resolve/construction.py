"""The generated constructors of plain classes: the keyword and the default of each field."""

from __future__ import annotations

from collections.abc import Mapping

from savegen.build.resolve.hierarchy import ClassHierarchy
from savegen.build.resolve.names import ClassSymbol
from savegen.build.scan.declarations import Attribute, Call, Constant, Expression, Name

# The functions that describe a field, with the arguments that give it a default.
_SPECIFIERS: Mapping[str, tuple[str, ...]] = {
    "dataclasses.field": ("default", "default_factory"),
    "msgspec.field": ("default", "default_factory"),
    "attr.ib": ("default", "factory"),
    "attr.attr": ("default", "factory"),
    "attr.attrib": ("default", "factory"),
    "attr.field": ("default", "factory"),
    "attrs.field": ("default", "factory"),
}


def constructor_argument(
    attribute: Attribute, symbol: ClassSymbol, style: str, hierarchy: ClassHierarchy
) -> tuple[str, bool]:
    """Return the constructor's keyword for a field, or "", and whether it has a default."""
    specifier = _specifier(attribute.default, symbol, hierarchy)
    if specifier is None:
        return _keyword(attribute.name, symbol, style), attribute.default is not None
    call, defaults = specifier
    keyword = _text(call.keyword("alias")) or _keyword(attribute.name, symbol, style)
    has_default = (
        any(call.keyword(name) for name in defaults)
        or bool(style == "attrs" and call.arguments)
        or _has_default_method(attribute.name, symbol)
    )
    if call.keyword("init") == Constant("False"):
        return "", True
    return keyword, has_default


def declares_default(
    attribute: Attribute, symbol: ClassSymbol, style: str, hierarchy: ClassHierarchy
) -> bool:
    """Return whether the value in a class body is a default that is the same for all objects.

    `attribute.default` must not be `None`.
    """
    if not style:  # an ordinary class: its objects share the value
        return True
    specifier = _specifier(attribute.default, symbol, hierarchy)
    if specifier is None:
        return not _takes_self(attribute.default)
    call, defaults = specifier
    values = [call.keyword(name) for name in defaults]
    if style == "attrs":
        values += call.arguments[:1]
    return any(value and not _takes_self(value) for value in values)


def factory_of_default(
    default: Expression, symbol: ClassSymbol, hierarchy: ClassHierarchy
) -> Expression | None:
    """Return the factory of `field(default_factory=…)`, or of what attrs has for that."""
    value: Expression | None = default
    if specifier := _specifier(default, symbol, hierarchy):
        call, names = specifier
        for name in names:
            if name.endswith("factory") and (factory := call.keyword(name)):
                return factory
        value = call.keyword("default") or next(iter(call.arguments), None)
    match value:
        case Call(Name(dotted), arguments) if not _takes_self(value):
            if hierarchy.full_name_in(dotted, symbol) in _FACTORIES:
                return next(iter(arguments), None)
    return None


_FACTORIES = ("attr.Factory", "attrs.Factory")


def _takes_self(value: Expression | None) -> bool:
    """Return whether a value is `Factory(…, takes_self=True)`."""
    takes_self = value.keyword("takes_self") if isinstance(value, Call) else None
    return takes_self == Constant("True")


def is_constructible(name: str, hierarchy: ClassHierarchy) -> bool:
    """Return whether the generated constructor of a plain class takes fields only.

    Not so in a class with `__init__`, `__new__` or a required `InitVar`.
    """
    return not any(
        method.name in ("__init__", "__new__")
        for symbol in hierarchy.declarations(name)
        for method in symbol.declaration.methods
    ) and not any(
        attribute.default is None and _is_init_variable(attribute, symbol, hierarchy)
        for symbol in hierarchy.declarations(name)
        for attribute in symbol.declaration.attributes
        if attribute.method is None
    )


def _is_init_variable(
    attribute: Attribute, symbol: ClassSymbol, hierarchy: ClassHierarchy
) -> bool:
    """Return whether an attribute is an `InitVar`, which declares an argument, but no field."""
    if attribute.annotation is None:
        return False
    return hierarchy.annotation(symbol, attribute).type.name == "dataclasses.InitVar"


def _specifier(
    default: Expression | None, symbol: ClassSymbol, hierarchy: ClassHierarchy
) -> tuple[Call, tuple[str, ...]] | None:
    if not isinstance(default, Call) or not isinstance(default.function, Name):
        return None
    name = hierarchy.full_name_in(default.function.dotted, symbol)
    return (default, _SPECIFIERS[name]) if name and name in _SPECIFIERS else None


def _has_default_method(name: str, symbol: ClassSymbol) -> bool:
    """Return whether an attrs class has a method that returns the default: `@hp.default`."""
    mark = Name(f"{name}.default")
    return any(mark in method.decorators for method in symbol.declaration.methods)


def _keyword(name: str, symbol: ClassSymbol, style: str) -> str:
    mangled = symbol.mangled_name(name)
    return mangled.lstrip("_") if style == "attrs" else mangled


def _text(expression: Expression | None) -> str:
    value = expression.value if isinstance(expression, Constant) else None
    return value if isinstance(value, str) else ""
