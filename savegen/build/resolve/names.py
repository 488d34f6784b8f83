"""Look up names in the source of the project as Python would, through imports and aliases."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from savegen.build.resolve.dependencies import Cache, Dependencies
from savegen.build.scan.declarations import Class, Expression, Method, Module, Name
from savegen.build.scan.marks import CLASSES, MARKS, PACKAGE


@dataclass(eq=False)
class ClassSymbol:
    """A class of the project."""

    module: Module
    declaration: Class
    name: str = field(init=False)  # `module:qualname`

    def __post_init__(self) -> None:
        self.name = f"{self.module.name}:{self.declaration.qualname}"

    def method_named(self, name: str) -> Method | None:
        """Return the last method of this name, which replaces the earlier ones."""
        methods = [m for m in self.declaration.methods if m.name == name]
        return methods[-1] if methods else None

    def mangled_name(self, attribute: str) -> str:
        """Return the name of an attribute in `__dict__`, where private names are mangled."""
        return mangled(attribute, self.declaration.name)


class AliasSymbol(NamedTuple):
    """A module-level name that stands for an expression."""

    module: Module
    name: str
    expression: Expression

    @property
    def full_name(self) -> str:
        return f"{self.module.name}:{self.name}"


class ModuleSymbol(NamedTuple):
    """A module inside or outside the project."""

    name: str


class ForeignSymbol(NamedTuple):
    """A class, function or other object from outside the project, by its dotted name."""

    name: str


Symbol: TypeAlias = ClassSymbol | AliasSymbol | ModuleSymbol | ForeignSymbol

BUILTINS = frozenset(dir(builtins))
UNREAD = "?unread"  # stands for a module of the project that cannot be read


def _builtin(name: str) -> ForeignSymbol | None:
    return ForeignSymbol(f"builtins.{name}") if name in BUILTINS else None


def _is_savegen_name(module: str, name: str) -> bool:
    return module.partition(".")[0] == PACKAGE and name in (*MARKS, *CLASSES)


class NameResolver:
    """Looks up names as Python would, without importing any module."""

    def __init__(
        self, read: Callable[[str], Module | None], dependencies: Dependencies
    ) -> None:
        """`read` returns the declarations of a module, or `None` if it is not in the project."""
        self._read_module = read
        self._dependencies = dependencies
        self._classes: dict[str, tuple[ClassSymbol, ...]] = {}
        self._by_qualname: dict[str, dict[str, ClassSymbol]] = {}
        self._following: set[tuple[str, str]] = set()  # the aliases being followed
        self._symbols: Cache[tuple[str, str], Symbol | None] = {}

    def class_named(self, name: str) -> ClassSymbol | None:
        """Return the project class with the full name `module:qualname`, or `None`."""
        module_name, colon, qualname = name.partition(":")
        module = self.module_named(module_name) if colon else None
        if module is None:
            return None
        return self._classes_of(module).get(qualname)

    def look_up(self, module: Module, scope: str, dotted: str) -> Symbol | None:
        """Return the symbol of a dotted name inside the class `scope` of `module`.

        The name is looked up at module level if `scope` is "".
        """
        first, *attributes = dotted.split(".")
        symbol = (
            self._in_class(module, scope, first)
            or self._in_module(module, first)
            or _builtin(first)
        )
        for name in attributes:
            symbol = self._member(symbol, name)
        return symbol

    def look_up_base(self, declared: ClassSymbol, dotted: str) -> Symbol | None:
        """Return the meaning of a dotted name in the list of bases of a class.

        The class itself does not exist there yet: in `class Orc(Orc):`, the base is the `Orc`
        that the file has imported before.
        """
        module, declaration = declared.module, declared.declaration
        scope, _, _ = declaration.qualname.rpartition(".")
        if scope or dotted.partition(".")[0] != declaration.name:
            return self.look_up(module, scope, dotted)
        first, *attributes = dotted.split(".")
        symbol = self._alias_or_import(module, first) or _builtin(first)
        for name in attributes:
            symbol = self._member(symbol, name)
        return symbol

    def runtime_name(self, dotted: str, symbol: ClassSymbol) -> str:
        """Return the full name `module:name` of what `dotted` means in the body of class `symbol`.

        A name that the module of the class does not import is assumed to be defined there, or
        to be a builtin.
        """
        module, declaration = symbol.module, symbol.declaration
        first = dotted.partition(".")[0]
        own = (a.name for a in declaration.attributes if a.method is None)
        if first in own or self._in_class(module, declaration.qualname, first):
            return f"{symbol.name}.{dotted}"
        return self._runtime_name_in(module, dotted)

    def _runtime_name_in(self, module: Module, dotted: str) -> str:
        first, _, attributes = dotted.partition(".")
        if first in self._classes_of(module) or first in module.aliases:
            return f"{module.name}:{dotted}"
        if first not in module.imports:
            is_builtin = first in BUILTINS and not module.star_imports
            return f"{'builtins' if is_builtin else module.name}:{dotted}"
        source, name = module.imports[first].module, module.imports[first].name
        if name is not None and self.module_named(f"{source}.{name}") is not None:
            source, name = f"{source}.{name}", None
        if name is not None:
            return f"{source}:{name}.{attributes}" if attributes else f"{source}:{name}"
        imported = self.module_named(source)
        if imported and attributes:
            return self._runtime_name_in(imported, attributes)
        return f"{source}:{attributes}"

    def _in_class(self, module: Module, scope: str, name: str) -> Symbol | None:
        if not scope:
            return None
        return self._classes_of(module).get(f"{scope}.{name}")

    def _in_module(self, module: Module, name: str) -> Symbol | None:
        # While a name is being looked up, its symbol is `None`; this ends circular imports.
        key = (module.name, name)
        return self._dependencies.remember(
            self._symbols, key, None, lambda: self._declared_or_imported(module, name)
        )

    def _declared_or_imported(self, module: Module, name: str) -> Symbol | None:
        cls = self._classes_of(module).get(name)
        return cls or self._alias_or_import(module, name)

    def _alias_or_import(self, module: Module, name: str) -> Symbol | None:
        if name in module.aliases:
            return AliasSymbol(module, name, module.aliases[name])
        if name in module.imports:
            imported = module.imports[name]
            return self._imported(imported.module, imported.name)
        for star in reversed(
            module.star_imports
        ):  # a later import replaces an earlier one
            if symbol := self._imported(star, name, is_explicit=False):
                return symbol
        return None

    def _imported(
        self, module_name: str, name: str | None, is_explicit: bool = True
    ) -> Symbol | None:
        if name is None:
            return ModuleSymbol(module_name)
        source = self.module_named(module_name)
        if source is not None and (symbol := self._in_module(source, name)):
            return symbol
        if self.module_named(f"{module_name}.{name}") is not None:
            return ModuleSymbol(f"{module_name}.{name}")
        if source is not None and source.is_unread:
            return ForeignSymbol(f"{UNREAD}.{name}")
        if source is not None or not (
            is_explicit or _is_savegen_name(module_name, name)
        ):
            return None
        return ForeignSymbol(f"{module_name}.{name}")

    def _member(self, symbol: Symbol | None, name: str) -> Symbol | None:
        match symbol:
            case ModuleSymbol(module_name):
                return self._imported(module_name, name)
            case ClassSymbol(module, declaration):
                return self._in_class(module, declaration.qualname, name)
            case ForeignSymbol(dotted):
                return ForeignSymbol(f"{dotted}.{name}")
            case AliasSymbol():
                return self._member(self._follow(symbol), name)
        return None

    def _follow(self, symbol: Symbol | None) -> Symbol | None:
        """Return the symbol that an alias finally stands for; other symbols unchanged.

        Return `None` if the alias is circular, unknown or not a name.
        """
        steps: list[tuple[str, str]] = []
        while isinstance(symbol, AliasSymbol):
            step = (symbol.module.name, symbol.name)
            if step in self._following or not isinstance(symbol.expression, Name):
                symbol = None
                break
            self._following.add(step)
            steps.append(step)
            symbol = self.look_up(symbol.module, "", symbol.expression.dotted)
        self._following.difference_update(steps)
        return symbol

    def module_named(self, name: str) -> Module | None:
        """Return the declarations of a module of the project, or `None`."""
        self._dependencies.add(name)
        return self._read_module(name)

    def classes_in(self, module: Module) -> tuple[ClassSymbol, ...]:
        """Return the classes of a module in source order."""
        if module.name not in self._classes:
            symbols = tuple(ClassSymbol(module, each) for each in module.classes)
            self._classes[module.name] = symbols
        return self._classes[module.name]

    def _classes_of(self, module: Module) -> dict[str, ClassSymbol]:
        classes = self._by_qualname.get(module.name)
        if classes is None:
            # If two classes have the same name, the later one replaces the earlier, as in Python.
            symbols = self.classes_in(module)
            classes = {each.declaration.qualname: each for each in symbols}
            self._by_qualname[module.name] = classes
        return classes


def mangled(name: str, class_name: str) -> str:
    """Return the name under which Python stores an attribute in `__dict__`.

    >>> mangled("__secret", "_Vault"), mangled("name", "Vault")
    ('_Vault__secret', 'name')
    """
    if not name.startswith("__") or name.endswith("__"):
        return name
    stripped = class_name.lstrip("_")
    return f"_{stripped}{name}" if stripped else name
