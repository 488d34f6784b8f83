"""Bases from outside the project, and the properties that a class has or inherits."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.build.model import ForeignBase
from savegen.build.resolve.lineage import Lineage
from savegen.build.resolve.settings import Settings
from savegen.build.scan.declarations import Expression, Name

_PROPERTY = Name("property")
# Modules and classes whose classes need no preparation.
_HARMLESS = (
    "abc.",
    "collections.abc.",
    "enum.",
    "msgspec.",
    "savegen.",
    "typing.",
    "?",
)
_WITHOUT_STATE = ("builtins.object", "builtins.type", "threading.local")


def prepared_by(name: str, lineage: Lineage, settings: Settings) -> list[str]:
    """Return the functions and bases that prepare a new object, most distant base first."""
    names: list[str] = []
    for base in reversed(lineage.mro(name)):
        prepare = settings.base(base) if _is_foreign(base, settings) else None
        if prepare:
            names.append(base if prepare is True else prepare)
    return names


def unknown_bases(
    name: str, lineage: Lineage, settings: Settings
) -> Iterator[ForeignBase]:
    """Yield the bases from outside the project that neither presets nor settings describe."""
    for symbol in lineage.declarations(name):
        for base in lineage.bases(symbol.name):
            if _is_foreign(base, settings) and settings.base(base) is None:
                declared = symbol.declaration
                yield ForeignBase(base, declared.qualname, declared.span)


def _is_foreign(base: str, settings: Settings) -> bool:
    if ":" in base or base in _WITHOUT_STATE or base.startswith(_HARMLESS):
        return False
    if base.startswith("builtins.") and base.endswith(("Error", "Exception")):
        return False
    generated = settings.types_module.rpartition(".")[0]
    return not (generated and base.startswith(f"{generated}."))


def properties_of(
    name: str, lineage: Lineage, settings: Settings
) -> tuple[list[str], list[str]]:
    """Return the names of the properties of a class, and of those without a setter.

    A property is left out if a subclass replaces it by a value.
    """
    hidden: set[str] = set()
    properties: dict[str, bool] = {}
    for base in lineage.mro(name):
        for attribute, has_setter in _properties_in(base, lineage, settings).items():
            if attribute not in hidden:
                properties.setdefault(attribute, has_setter)
        hidden |= _assigned_in(base, lineage)
    read_only = (name for name, has_setter in properties.items() if not has_setter)
    return sorted(properties), sorted(read_only)


def property_owner(
    attribute: str, name: str, lineage: Lineage, settings: Settings
) -> str:
    """Return the full name of the class that defines a property: `name` or one of its bases."""
    bases = lineage.mro(name)
    owners = (b for b in bases if attribute in _properties_in(b, lineage, settings))
    return next(owners, name)


def _properties_in(base: str, lineage: Lineage, settings: Settings) -> dict[str, bool]:
    symbol = lineage.class_named(base)
    if symbol is None:
        names, read_only = settings.properties(base)
        return {name: name not in read_only for name in sorted(names)}
    methods = symbol.declaration.methods
    decorators = [d for method in methods for d in method.decorators]
    return {
        method.name: _has_setter(method.name, decorators)
        for method in methods
        if _PROPERTY in method.decorators
    }


def _has_setter(name: str, decorators: list[Expression]) -> bool:
    """Return whether the decorators include `@hp.setter` or, in a subclass, `@Orc.hp.setter`."""
    ending = f".{name}.setter"
    named = (each.dotted for each in decorators if isinstance(each, Name))
    return any(f".{dotted}".endswith(ending) for dotted in named)


def _assigned_in(base: str, lineage: Lineage) -> set[str]:
    symbol = lineage.class_named(base)
    if symbol is None:
        return set()
    attributes = (a for a in symbol.declaration.attributes if a.default is not None)
    return {a.name for a in attributes if a.method is None}
