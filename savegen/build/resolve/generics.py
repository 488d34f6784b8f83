"""Type variables: which a class or an alias has, and what they stand for in a subclass."""

from __future__ import annotations

from savegen.build.resolve.names import ClassSymbol, Names
from savegen.build.resolve.types import Bindings, Types, bind
from savegen.build.scan.declarations import Subscript

_DECLARING = ("typing.Generic", "typing.Protocol")


class Generics:
    """Follows type variables from the bases of a class to what its fields are made of."""

    def __init__(self, names: Names, types: Types) -> None:
        self._names = names
        self._types = types

    def bindings(self, line: list[ClassSymbol]) -> dict[str, Bindings]:
        """Return by class what its type variables stand for, in the first class of a line.

        `line` is a class and its bases, nearest first.
        """
        found: dict[str, Bindings] = {}
        for symbol in line:
            here = found.setdefault(symbol.name, {})
            for base in symbol.declaration.bases:
                if isinstance(base, Subscript):
                    self._bind(base, symbol, here, found)
        return found

    def _bind(
        self,
        base: Subscript,
        heir: ClassSymbol,
        here: Bindings,
        found: dict[str, Bindings],
    ) -> None:
        symbol = self._names.class_named(self._types.base_of(base, heir))
        if symbol is None or symbol.name in found:
            return
        types = [
            self._types.read(
                argument, heir.module, heir.declaration.qualname, here
            ).type
            for argument in base.arguments
        ]
        found[symbol.name] = bind(self._parameters(symbol), types)

    def _parameters(self, symbol: ClassSymbol) -> list[str]:
        """Return the full names of the type variables of a class, in their order."""
        declaration = symbol.declaration
        if declaration.type_parameters:
            parameters = declaration.type_parameters
            return [f"{each.stars}{symbol.name}[{each.name}]" for each in parameters]
        bases = [base for base in declaration.bases if isinstance(base, Subscript)]
        declaring = [
            base for base in bases if self._types.base_of(base, symbol) in _DECLARING
        ]
        arguments = (a for base in declaring or bases for a in base.arguments)
        named = (
            name for a in arguments for name in self._types.variables(a, symbol.module)
        )
        return list(dict.fromkeys(named))
