"""What a class has from outside the project: bases, and their properties."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.build.model import UnknownBase
from savegen.build.resolve.lineage import Lineage
from savegen.build.resolve.settings import Settings
from savegen.build.scan.declarations import Expression, Name

_PROPERTY = Name("property")
# Bases without state of their own, and those whose state is all in fields.
_HARMLESS = (
    "abc.",
    "collections.abc.",
    "enum.",
    "msgspec.",
    "savegen.",
    "typing.",
    "?",
)
_EMPTY = ("builtins.object", "builtins.type", "threading.local")


def prepared_by(name: str, lineage: Lineage, settings: Settings) -> list[str]:
    """Return what prepares a new object of a class, the base-most first."""
    found: list[str] = []
    for base in reversed(_foreign(name, lineage, settings)):
        how = settings.base(base)
        if how is True:
            found.append(base)
        elif how:
            found.append(how)
    return found


def unknown_bases(
    name: str, lineage: Lineage, settings: Settings
) -> Iterator[UnknownBase]:
    """Yield the bases from outside that nobody has said how to prepare."""
    for symbol in lineage.declarations(name):
        for base in lineage.bases(symbol.name):
            if _is_foreign(base, settings) and settings.base(base) is None:
                declared = symbol.declaration
                yield UnknownBase(base, declared.qualname, declared.span)


def _foreign(name: str, lineage: Lineage, settings: Settings) -> list[str]:
    return [base for base in lineage.mro(name) if _is_foreign(base, settings)]


def _is_foreign(base: str, settings: Settings) -> bool:
    if ":" in base or base in _EMPTY or base.startswith(_HARMLESS):
        return False
    if base.startswith("builtins.") and base.endswith(("Error", "Exception")):
        return False
    generated = settings.types_module.rpartition(".")[0]
    return not (generated and base.startswith(f"{generated}."))


def properties_of(
    name: str, lineage: Lineage, settings: Settings
) -> tuple[list[str], list[str]]:
    """Return the names that stand for a property, and those of them without a setter.

    A name is none if something nearer has given it a value.
    """
    hidden: set[str] = set()
    found: dict[str, bool] = {}
    for base in lineage.mro(name):
        for attribute, has_setter in _properties_in(base, lineage, settings).items():
            if attribute not in hidden:
                found.setdefault(attribute, has_setter)
        hidden |= _valued(base, lineage)
    return sorted(found), sorted(n for n, has_setter in found.items() if not has_setter)


def property_owner(
    attribute: str, name: str, lineage: Lineage, settings: Settings
) -> str:
    """Return the full name of the class that has a property: `name` or a base of it."""
    bases = lineage.mro(name)
    owners = (b for b in bases if attribute in _properties_in(b, lineage, settings))
    return next(owners, name)


def _properties_in(base: str, lineage: Lineage, settings: Settings) -> dict[str, bool]:
    symbol = lineage.class_named(base)
    if symbol is None:
        known, read_only = settings.properties(base)
        return {name: name not in read_only for name in sorted(known)}
    methods = symbol.declaration.methods
    decorators = [d for method in methods for d in method.decorators]
    return {
        method.name: _has_setter(method.name, decorators)
        for method in methods
        if _PROPERTY in method.decorators
    }


def _has_setter(name: str, decorators: list[Expression]) -> bool:
    """Tell whether `@hp.setter` is there, or in a subclass `@Orc.hp.setter`."""
    ending = f".{name}.setter"
    named = (each.dotted for each in decorators if isinstance(each, Name))
    return any(f".{dotted}".endswith(ending) for dotted in named)


def _valued(base: str, lineage: Lineage) -> set[str]:
    symbol = lineage.class_named(base)
    if symbol is None:
        return set()
    attributes = (a for a in symbol.declaration.attributes if a.default is not None)
    return {a.name for a in attributes if a.method is None}
