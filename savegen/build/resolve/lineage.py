"""Where classes come from: their decorators, their bases, the order these are asked in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from savegen.build.resolve.dependencies import Dependencies
from savegen.build.resolve.names import AliasSymbol, ClassSymbol, Names
from savegen.build.resolve.types import Annotation, Bindings, Types, bind
from savegen.build.scan.declarations import (
    Attribute,
    Call,
    Expression,
    Module,
    Name,
    Subscript,
)

_GENERIC = ("typing.Generic", "typing.Protocol")
_FLAGS = frozenset(f"enum.{name}" for name in ("Flag", "IntFlag"))
_ENUMS = _FLAGS | {f"enum.{name}" for name in ("Enum", "IntEnum", "StrEnum")}


class Lineage:
    """Reads decorators and bases of the project's classes by their meaning."""

    def __init__(self, names: Names, types: Types, dependencies: Dependencies) -> None:
        self._names = names
        self._types = types
        self._dependencies = dependencies
        self._mro: dict[str, tuple[tuple[str, ...], frozenset[str]]] = {}

    def class_named(self, name: str) -> ClassSymbol | None:
        return self._names.class_named(name)

    def decorators(
        self, symbol: ClassSymbol
    ) -> Iterator[tuple[Expression, str | None]]:
        """Yield each decorator as it is written, with its full name."""
        decorators = symbol.declaration.decorators
        yield from zip(decorators, self.names_of(symbol, decorators), strict=True)

    def names_of(
        self, symbol: ClassSymbol, decorators: Iterable[Expression]
    ) -> Iterator[str | None]:
        """Yield the full name of each decorator of a class, or of one of its methods."""
        for decorator in decorators:
            yield self._types.name_of(decorator, symbol.module, "")

    def named(self, dotted: str, symbol: ClassSymbol) -> str | None:
        """Return the full name of what a name means inside a class."""
        scope = symbol.declaration.qualname
        return self._types.name_of(Name(dotted), symbol.module, scope)

    def meaning(
        self, expression: Expression, module: Module, scope: str = ""
    ) -> str | None:
        """Return the full name of what an expression names in a module, or in a class there."""
        return self._types.name_of(expression, module, scope)

    def markless_alias(
        self, dotted: str, module: Module, scope: str
    ) -> AliasSymbol | None:
        """Return the alias that a name means, except one that marks the fields it is given to."""
        found = self._names.bind(module, scope, dotted)
        if not isinstance(found, AliasSymbol):
            return None
        is_mark = self._types.read(Name(dotted), module, scope).mark is not None
        return None if is_mark else found

    def reached_as(self, dotted: str, symbol: ClassSymbol) -> str:
        """Return what a name in a class is for code that imports nothing of the game."""
        place = self._names.place_of(dotted, symbol)
        builtin = place.removeprefix("builtins:")
        return builtin if builtin != place else f'imported("{place}")'

    def is_enum(self, name: str) -> bool:
        return ":" in name and not _ENUMS.isdisjoint(self.mro(name))

    def is_flag(self, name: str) -> bool:
        return ":" in name and not _FLAGS.isdisjoint(self.mro(name))

    def decorator(self, name: str, wanted: str) -> Expression | None:
        """Return the decorator of a class that means `wanted`, as it is written."""
        symbol = self._names.class_named(name)
        if symbol is None:
            return None
        return next((d for d, n in self.decorators(symbol) if n == wanted), None)

    def bases(self, name: str) -> tuple[str, ...]:
        """Return the full names of the bases of a class, with `?` in front where it is unknown."""
        symbol = self._names.class_named(name)
        if symbol is None:
            return ()
        return tuple(
            self._types.base_of(base, symbol) for base in symbol.declaration.bases
        )

    def mro(self, name: str) -> tuple[str, ...]:
        """Return a class and its bases, nearest first; what is foreign ends the search."""
        # The class alone is the answer while it is sought: a class may not be its own base.
        return self._dependencies.remember(
            self._mro, name, (name,), lambda: self._linear(name)
        )

    def declarations(self, name: str) -> Iterator[ClassSymbol]:
        """Yield the declarations of a class and of its bases in the project, nearest first."""
        for base in self.mro(name):
            if symbol := self._names.class_named(base):
                yield symbol

    def annotation(
        self, symbol: ClassSymbol, attribute: Attribute, bindings: Bindings = {}
    ) -> Annotation:
        """Read the annotation that an attribute must have."""
        assert attribute.annotation is not None
        home, declaration = symbol
        scope = declaration.qualname
        return self._types.read(attribute.annotation, home, scope, bindings)

    def bindings(self, name: str) -> dict[str, Bindings]:
        """Return, by class, the types that its type variables have in the class `name`."""
        bindings: dict[str, Bindings] = {}
        for symbol in self.declarations(name):
            own = bindings.setdefault(symbol.name, {})
            for base in symbol.declaration.bases:
                if isinstance(base, Subscript):
                    self._bind(base, symbol, own, bindings)
        return bindings

    def _bind(
        self,
        base: Subscript,
        subclass: ClassSymbol,
        own: Bindings,
        bindings: dict[str, Bindings],
    ) -> None:
        """Add the bindings for a base such as `Box[int]`, unless it has some already."""
        symbol = self._names.class_named(self._types.base_of(base, subclass))
        if symbol is None or symbol.name in bindings:
            return
        module, scope = subclass.module, subclass.declaration.qualname
        types = [self._types.read(a, module, scope, own).type for a in base.arguments]
        bindings[symbol.name] = bind(self._parameters(symbol), types)

    def _parameters(self, symbol: ClassSymbol) -> list[str]:
        """Return the full names of the type variables of a class, in their order."""
        declaration = symbol.declaration
        if declaration.type_parameters:
            parameters = declaration.type_parameters
            return [f"{each.stars}{symbol.name}[{each.name}]" for each in parameters]
        bases = [base for base in declaration.bases if isinstance(base, Subscript)]
        generic = [b for b in bases if self._types.base_of(b, symbol) in _GENERIC]
        arguments = (a for base in generic or bases for a in base.arguments)
        names = (n for a in arguments for n in self._types.variables(a, symbol.module))
        return list(dict.fromkeys(names))

    def _linear(self, name: str) -> tuple[str, ...]:
        bases = self.bases(name)
        lines = [list(self.mro(base)) for base in bases] + [list(bases)]
        return (name, *_merge(lines))


def _merge(lines: list[list[str]]) -> list[str]:
    """Merge linearisations as Python does (C3); if they contradict, in the order given."""
    merged: list[str] = []
    while lines := [line for line in lines if line]:
        tails = {name for line in lines for name in line[1:]}
        head = next((line[0] for line in lines if line[0] not in tails), lines[0][0])
        merged.append(head)
        for line in lines:
            if line[0] == head:
                del line[0]
    return merged


def is_member(attribute: Attribute) -> bool:
    """Tell whether an attribute in the body of an enumeration is a member of it."""
    if attribute.method is not None or attribute.default is None:
        return False
    match attribute.default:
        case Call(Name(dotted)) if dotted.rpartition(".")[2] == "nonmember":
            return False
    name = attribute.name
    return not (name.startswith("__") or (name.startswith("_") and name.endswith("_")))
