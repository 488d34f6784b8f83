"""The bases of a class from outside the project, and its own and inherited properties."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.build.model import ForeignBase
from savegen.build.resolve.hierarchy import ClassHierarchy
from savegen.build.resolve.names import ClassSymbol
from savegen.build.resolve.settings import Settings
from savegen.build.scan.declarations import Call, Expression, Name

_PROPERTY = Name("property")
# Beginnings of the names of bases that a load need not initialise; `?` is an unknown base.
_NEED_NOTHING = (
    "abc.",
    "collections.abc.",
    "enum.",
    "msgspec.",
    "savegen.",
    "typing.",
    "?",
)
_WITHOUT_STATE = ("builtins.object", "builtins.type", "threading.local")


def prepared_by(name: str, hierarchy: ClassHierarchy, settings: Settings) -> list[str]:
    """Return the functions and bases that initialise a new object, most distant base first."""
    names: list[str] = []
    for base in reversed(hierarchy.mro(name)):
        if is_foreign(base, settings):
            if initialisation := settings.initialisation_of(base):
                names.append(base if initialisation is True else initialisation)
    return names


def unknown_bases(
    name: str, hierarchy: ClassHierarchy, settings: Settings
) -> Iterator[ForeignBase]:
    """Yield the bases from outside the project that neither presets nor settings describe."""
    for symbol in hierarchy.declarations(name):
        if hierarchy.stands_for(symbol.name):
            continue  # its objects are made without `__init__`, unless the settings say otherwise
        for base in hierarchy.bases(symbol.name):
            if is_foreign(base, settings) and settings.initialisation_of(base) is None:
                declared = symbol.declaration
                meant = _module_meant(base, symbol, hierarchy)
                yield ForeignBase(base, declared.qualname, declared.span, meant)


def _module_meant(base: str, importer: ClassSymbol, hierarchy: ClassHierarchy) -> str:
    """Return the module of the project that a wrong import path of a base means, or "".

    It has too many or too few packages, because an `__init__.py` is missing or superfluous.
    """
    module, _, cls = base.rpartition(".")
    parts, packages = module.split("."), importer.module.name.split(".")[:-1]
    names = [".".join(parts[i:]) for i in range(1, len(parts))]
    names += [".".join((*packages[: i + 1], module)) for i in range(len(packages))]
    path = module.replace(".", "/")
    for name in names:
        found = hierarchy.class_named(f"{name}:{cls}")
        stem = (
            found.module.path.removesuffix(".py").removesuffix("/__init__")
            if found
            else ""
        )
        if f"/{stem}".endswith(f"/{path}"):
            return name
    return ""


def is_foreign(base: str, settings: Settings) -> bool:
    """Return whether a base from outside the project may have state to initialise."""
    if ":" in base or base in _WITHOUT_STATE or base.startswith(_NEED_NOTHING):
        return False
    if base.startswith("builtins.") and base.endswith(("Error", "Exception")):
        return False
    generated = settings.types_module.rpartition(".")[0]
    return not (generated and base.startswith(f"{generated}."))


def properties_of(
    name: str, hierarchy: ClassHierarchy, settings: Settings
) -> tuple[list[str], list[str]]:
    """Return the names of the properties of a class, and of those without a setter.

    Properties that a subclass replaces by a value are left out.
    """
    replaced: set[str] = set()
    properties: dict[str, bool] = {}  # whether they have a setter
    for base in hierarchy.mro(name):
        for attribute, has_setter in _properties_in(base, hierarchy, settings).items():
            if attribute not in replaced:
                properties.setdefault(attribute, has_setter)
        replaced |= _assigned_in(base, hierarchy)
    read_only = (name for name, has_setter in properties.items() if not has_setter)
    return sorted(properties), sorted(read_only)


def property_owner(
    attribute: str, name: str, hierarchy: ClassHierarchy, settings: Settings
) -> str:
    """Return the full name of the class that defines a property: `name` or one of its bases."""
    bases = hierarchy.mro(name)
    owners = (b for b in bases if attribute in _properties_in(b, hierarchy, settings))
    return next(owners, name)


def _properties_in(
    base: str, hierarchy: ClassHierarchy, settings: Settings
) -> dict[str, bool]:
    symbol = hierarchy.class_named(base)
    if symbol is None:
        names, read_only = settings.properties(base)
        return {name: name not in read_only for name in sorted(names)}
    methods = symbol.declaration.methods
    decorators = [d for method in methods for d in method.decorators]
    properties = {
        method.name: _has_setter(method.name, decorators)
        for method in methods
        if _PROPERTY in method.decorators
    }
    return dict.fromkeys(_descriptors(symbol, hierarchy), True) | properties


def _descriptors(symbol: ClassSymbol, hierarchy: ClassHierarchy) -> Iterator[str]:
    """Yield the attributes whose value in the class body gets what is assigned to an object."""
    for attribute in symbol.declaration.attributes:
        if attribute.method is None and isinstance(attribute.default, Call):
            function = attribute.default.function
            name = hierarchy.full_name(function, symbol.module) or ""
            declared = hierarchy.declarations(name)
            methods = (
                method.name for s in declared for method in s.declaration.methods
            )
            if name == "builtins.property" or "__set__" in methods:
                yield attribute.name


def _has_setter(name: str, decorators: list[Expression]) -> bool:
    """Return whether the decorators include `@hp.setter` or, in a subclass, `@Orc.hp.setter`."""
    ending = f".{name}.setter"
    return any(
        isinstance(decorator, Name) and f".{decorator.dotted}".endswith(ending)
        for decorator in decorators
    )


def _assigned_in(base: str, hierarchy: ClassHierarchy) -> set[str]:
    """Return the names of the attributes to which a class body assigns a value."""
    symbol = hierarchy.class_named(base)
    if symbol is None:
        return set()
    attributes = (a for a in symbol.declaration.attributes if a.default is not None)
    return {a.name for a in attributes if a.method is None}
