"""Find what classes give to fields whose types do not tell all: the factories of `defaultdict`s,
and iterators that count.

The value may stand in `__init__`, in the body of the class, or in a function that only makes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from msgspec.structs import replace

from savegen.build.kinds import Kind, Type, natural_factory
from savegen.build.resolve.code import code_of, module_scope, names_in
from savegen.build.resolve.construction import factory_of_default
from savegen.build.resolve.hierarchy import ClassHierarchy
from savegen.build.resolve.names import ClassSymbol
from savegen.build.scan.declarations import (
    Call,
    Constant,
    Expression,
    Lambda,
    Name,
    Other,
)

COUNT = "itertools.count"
_DEFAULTDICT = "collections.defaultdict"
_ITERATORS = frozenset(
    f"{module}.{name}"
    for module in ("collections.abc", "typing")
    for name in ("Iterator", "Iterable")
)


class _Place(NamedTuple):
    """Where an expression stands."""

    symbol: ClassSymbol  # the class in whose module its names are looked up
    qualname: str  # of a lambda there, without `<lambda>`
    variables: frozenset[str]  # local names, which generated code does not have

    def in_lambda(self) -> _Place:
        qualname = f"{self.qualname}<lambda>.<locals>."
        return self._replace(symbol=module_scope(self.symbol.module), qualname=qualname)


class GivenValues:
    """Finds the values that a class gives to its attributes."""

    def __init__(
        self, declarations: Iterable[ClassSymbol], hierarchy: ClassHierarchy
    ) -> None:
        """`declarations` are the class with its bases, in method resolution order."""
        self._declarations = [*declarations]
        self._hierarchy = hierarchy
        # The attributes with a factory that generated code cannot make.
        self.unreadable: set[str] = set()

    def type(self, attribute: str, type: Type) -> Type:
        """Return the type of an attribute, with `itertools.count` for an iterator that is one."""
        if type.name in ("typing.Union", "typing.Optional"):
            members = (self.type(attribute, each) for each in type.arguments)
            return replace(type, arguments=(*members,))
        if type.name not in _ITERATORS:
            return type
        calls = [*self._calls(attribute)]
        counts = calls and all(self._name(c, place) == COUNT for _, c, place in calls)
        return Type(COUNT) if counts else type

    def kind(self, attribute: str, kind: Kind) -> Kind:
        """Return the kind of an attribute, with the factories of the `defaultdict`s in it."""
        if not _has_factory(kind):
            return kind
        for symbol, call, place in self._calls(attribute):
            title = f"{symbol.declaration.qualname}.{attribute}"
            made = self._with_factory(kind, call, place, title)
            if made is None:
                self.unreadable.add(attribute)
            return made or kind
        return kind

    def _calls(self, attribute: str) -> Iterator[tuple[ClassSymbol, Call, _Place]]:
        """Yield the calls that make the value of an attribute in the nearest class that has some.

        Yield nothing if one of the values is something else than such a call.
        """
        for symbol in self._declarations:
            values = [*_values(symbol, attribute)]
            if not values:
                continue
            made = [self._made(*value) for value in values]
            calls = [each for each in made if each is not None]
            yield from ((symbol, *c) for c in calls if len(calls) == len(made))
            return

    def _made(self, value: Expression, place: _Place) -> tuple[Call, _Place] | None:
        """Return the call that makes a value, perhaps in a function; `None` for another value."""
        symbol = place.symbol
        if factory := factory_of_default(value, symbol, self._hierarchy):
            return self._result(factory, place)
        if not isinstance(value, Call) or not isinstance(value.function, Name):
            return None
        return self._of_function(value.function, place) or (value, place)

    def _result(self, factory: Expression, place: _Place) -> tuple[Call, _Place] | None:
        """Return the call that makes what a factory returns."""
        if isinstance(factory, Lambda):
            return self._made(factory.body, place.in_lambda())
        if isinstance(factory, Name):
            return self._of_function(factory, place) or (Call(factory), place)
        if (
            isinstance(factory, Call) and factory.arguments
        ):  # `partial(defaultdict, int)`
            function, *arguments = factory.arguments
            if self._name(factory, place) == "functools.partial":
                return Call(function, (*arguments,), factory.keywords), place
        return None

    def _of_function(self, name: Name, place: _Place) -> tuple[Call, _Place] | None:
        """Return what a function of the project makes, if it does nothing else."""
        full_name = self._hierarchy.runtime_name(name.dotted, place.symbol)
        module_name, _, function = full_name.partition(":")
        module = self._hierarchy.module_named(module_name)
        result = module.results.get(function) if module else None
        if module is None or not isinstance(result, Call):
            return None
        place = _Place(module_scope(module), f"{function}.<locals>.", frozenset())
        return result, place

    def _name(self, call: Call, place: _Place) -> str | None:
        if not isinstance(call.function, Name):
            return None
        return self._hierarchy.full_name_in(call.function.dotted, place.symbol)

    def _with_factory(
        self, kind: Kind, call: Call, place: _Place, title: str
    ) -> Kind | None:
        """Return a kind with the factory of the `defaultdict` that a call makes.

        Return `None` if generated code could not make the factory.
        """
        if kind.kind == "union":
            parts = [
                self._with_factory(part, call, place, title) for part in kind.parts
            ]
            known = tuple(part for part in parts if part is not None)
            return replace(kind, parts=known) if len(known) == len(parts) else None
        if kind.name != "defaultdict" or self._name(call, place) != _DEFAULTDICT:
            return kind
        factory = call.arguments[0] if call.arguments else Constant("None")
        inner = self._result(factory, place)
        if inner and kind.parts[1].name == "defaultdict":
            value = self._with_factory(kind.parts[1], *inner, f"{title}.value")
            if value is None:
                return None
            kind = replace(kind, parts=(kind.parts[0], value))
        natural = natural_factory(kind)
        if isinstance(factory, Name) and self._is_name_of(factory, natural, place):
            return kind
        code = self._code(factory, place)
        if code == "None" and not natural:
            return kind
        return replace(kind, values=(code, title)) if code is not None else None

    def _is_name_of(self, name: Name, full_name: str, place: _Place) -> bool:
        return self._hierarchy.full_name_in(name.dotted, place.symbol) == full_name

    def _code(self, factory: Expression, place: _Place) -> str | None:
        """Return the code of a factory; `None` if generated code could not make the same one."""
        match factory:
            case Constant("None"):
                return "None"
            case Lambda() | Name():
                pass
            case Call() if self._name(factory, place) == "functools.partial":
                pass
            case (
                _
            ):  # such as `itertools.count().__next__`, which has a state of its own
                return None
        local = {*place.variables, "self", "cls"}
        if any(name.partition(".")[0] in local for name in names_in(factory)):
            return None
        return code_of(factory, place.symbol, self._hierarchy, place.qualname)


def _values(symbol: ClassSymbol, attribute: str) -> Iterator[tuple[Expression, _Place]]:
    """Yield the values that a class gives to an attribute: in its constructor, else in its body."""
    declaration = symbol.declaration
    own = [
        each
        for each in declaration.attributes
        if symbol.mangled_name(each.name) == attribute and each.default is not None
    ]
    in_methods = [each for each in own if each.method is not None]
    for each in in_methods or own:
        if each.method is not None and not each.assigned_once:
            yield Other("…"), _Place(symbol, "", frozenset())
            continue
        qualname, variables = f"{declaration.qualname}.", frozenset[str]()
        if each.method is not None:
            qualname = f"{qualname}{each.method}.<locals>."
            method = symbol.method_named(each.method)
            variables = frozenset(method.variables or () if method else ())
        assert each.default is not None
        # In a method, names do not mean what the body of the class defines.
        scope = module_scope(symbol.module) if each.method is not None else symbol
        yield each.default, _Place(scope, qualname, variables)


def _has_factory(kind: Kind) -> bool:
    return kind.name == "defaultdict" or (
        kind.kind == "union" and any(map(_has_factory, kind.parts))
    )
