"""Find the counters on classes and modules that number saved fields, but are in no save."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from savegen.build.model import Field, UnsavedCounter
from savegen.build.resolve.code import module_scope
from savegen.build.resolve.construction import factory_of_default
from savegen.build.resolve.hierarchy import ClassHierarchy
from savegen.build.resolve.names import ClassSymbol
from savegen.build.scan.declarations import (
    Call,
    CallAttribute,
    Expression,
    Lambda,
    Name,
)

_OWN = ("self", "cls")
_NEXT = ".__next__"


def unsaved_counters(
    symbol: ClassSymbol, hierarchy: ClassHierarchy, fields: Iterable[Field]
) -> Iterator[UnsavedCounter]:
    """Yield the counters from which a class, or a base that is not saveable, sets its fields."""
    saved = {field.attribute: field for field in fields}
    finder = _Finder(symbol, hierarchy)
    for each in hierarchy.declarations(symbol.name):
        if each is not symbol and hierarchy.is_saveable(each.name):
            break
        for name, use in _uses(each, hierarchy):
            field = saved.get(each.mangled_name(name))
            counter = finder.counter(use, each) if field else None
            if field and counter:
                owner, _, last = counter.rpartition(".")
                cls, span = symbol.declaration.qualname, field.span
                yield UnsavedCounter(
                    field.name, cls, owner, last, span, symbol.declaration.span
                )


def _uses(symbol: ClassSymbol, hierarchy: ClassHierarchy) -> Iterator[tuple[str, str]]:
    """Yield the attributes that a class sets from counters, each with the use of the counter."""
    for method in symbol.declaration.methods:
        yield from method.counted
    for attribute in symbol.declaration.attributes:
        if attribute.method is None and attribute.default is not None:
            factory = factory_of_default(attribute.default, symbol, hierarchy)
            if use := _use_as_factory(factory):
                yield attribute.name, use


def _use_as_factory(factory: Expression | None) -> str:
    """Return the use of a counter in the factory of a dataclass field; "" if there is none."""
    match factory:
        case Lambda(Call(Name("next"), (Name(counter), *_))):
            return f"next {counter}"
        case Lambda(Call(Name(function), (), ())):
            return f"call {function}"
        case CallAttribute(Call(), "__next__"):
            return "next"  # a counter without a name
        case Name(name) if name.endswith(_NEXT):
            return f"next {name.removesuffix(_NEXT)}"
        case Name(name):
            return f"call {name}"
    return ""


class _Finder:
    """Finds the counters that one class uses."""

    def __init__(self, symbol: ClassSymbol, hierarchy: ClassHierarchy) -> None:
        self._declarations = [*hierarchy.declarations(symbol.name)]
        self._hierarchy = hierarchy

    def counter(self, use: str, scope: ClassSymbol) -> str | None:
        """Return the full name of a counter outside objects; `None` if it is something else."""
        way, _, name = use.partition(" ")
        first, _, rest = name.partition(".")
        if way == "global":
            return f"{scope.module.name}.{name}"
        if way == "next" and not name:
            return f"{scope.declaration.qualname}.__init__"
        if way == "next" and first in _OWN:
            return self._of_class(self._declarations, rest)
        full_name = self._hierarchy.runtime_name(name, module_scope(scope.module))
        module_name, _, qualname = full_name.partition(":")
        module = self._hierarchy.module_named(module_name)
        if module is None:
            return None
        owner, _, attribute = qualname.rpartition(".")
        if way == "shared":
            return self._of_owner(module_name, owner, attribute)
        if way == "call":
            uses = module.counting.get(qualname, ())
            inside = module_scope(module)
            return next(filter(None, (self.counter(u, inside) for u in uses)), None)
        if isinstance(module.aliases.get(qualname), Call):
            return f"{module_name}.{qualname}"
        classes = self._hierarchy.declarations(f"{module_name}:{owner}")
        return self._of_class(classes, attribute) if owner else None

    def _of_owner(self, module: str, owner: str, attribute: str) -> str | None:
        """Return the full name of a counter that is an attribute of a class, or of a module.

        The attributes of `self`, of an argument or of another object are none. A counter of a
        saveable class is reported for that class.
        """
        cls = f"{module}:{owner}"
        is_class = bool(self._hierarchy.declarations(cls))
        if (owner and not is_class) or self._hierarchy.is_saveable(cls):
            return None
        return f"{owner or module}.{attribute}"

    def _of_class(self, classes: Iterable[ClassSymbol], name: str) -> str | None:
        """Return the full name of a counter in the body of a class, which no object replaces."""
        found = None
        for symbol in classes:
            for attribute in symbol.declaration.attributes:
                if attribute.name == name:
                    if attribute.method is not None:
                        return None
                    if isinstance(attribute.default, Call) and found is None:
                        found = f"{symbol.declaration.qualname}.{name}"
        return found
