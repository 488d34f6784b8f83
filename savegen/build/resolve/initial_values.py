"""Values of attributes that are not saved, in objects that a load creates without `__init__`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from savegen.build.model import UnsetAttribute
from savegen.build.resolve import defaults
from savegen.build.resolve.classes import ProjectClasses, is_no_field
from savegen.build.resolve.construction import declares_default
from savegen.build.resolve.forgotten import ForgottenAttributes
from savegen.build.resolve.lineage import Lineage
from savegen.build.resolve.names import ClassSymbol, mangled
from savegen.build.scan.declarations import (
    CONSTRUCTORS,
    Attribute,
    Constant,
    Items,
    Method,
    Sequence,
)

# Methods with which a class can create attributes in an unknown way.
_ATTRIBUTE_METHODS = ("__new__", "__getattr__", "__getattribute__")


class _Place(NamedTuple):
    """A class, and the method in it that assigns an attribute of a new object."""

    symbol: ClassSymbol
    method: Method | None  # `None`: the class body declares the attribute

    @property
    def is_constructor(self) -> bool:
        return self.method is not None and self.method.name in CONSTRUCTORS


class InitialValues:
    """Finds the initial values that a load can set, and the attributes that it leaves unset."""

    def __init__(
        self,
        name: str,
        lineage: Lineage,
        classes: ProjectClasses,
        forgotten: ForgottenAttributes,
    ) -> None:
        self._name = name
        self._lineage = lineage
        self._classes = classes
        self._forgotten = forgotten
        self._chain = list(lineage.declarations(name))
        self._places = self._find_places()

    def same_for_all(self) -> Iterator[tuple[str, str]]:
        """Yield the attributes with the same initial value in all objects, and its code.

        The code is "" where the class declares the default, as dataclasses do.
        """
        for stored, places in self._places.items():
            value = self._value(stored, places)
            if value is not None:
                yield stored, value

    def missing(self) -> Iterator[UnsetAttribute]:
        """Yield the transient attributes that new objects have and loaded ones do not.

        Those of saveable bases are reported for these bases.
        """
        methods = (
            method for each in self._chain for method in each.declaration.methods
        )
        if any(method.name in _ATTRIBUTE_METHODS for method in methods):
            return
        if self._is_abstract(self._name):
            return
        for stored, places in self._places.items():
            symbol = places[0].symbol
            attribute = _attribute(stored, places[0])
            if attribute is None or self._is_reported_in(symbol):
                continue
            if not {stored, attribute.name}.isdisjoint(self._forgotten.rebuilt):
                continue
            if self._value(stored, places) is not None or [*self._class_values(stored)]:
                continue
            if self._forgotten.is_transient(stored):
                owner = symbol.declaration.qualname
                yield UnsetAttribute(attribute.name, owner, attribute.span)

    def _find_places(self) -> dict[str, list[_Place]]:
        """Return the places that assign each attribute that is not saved, by stored name.

        If several constructors assign an attribute, only that of the most specific class
        counts. The same is true of declarations in class bodies.
        """
        by_name: dict[str, list[_Place]] = {}
        for symbol, method in self._constructing():
            place = _Place(symbol, method)
            for name in method.assigns:
                places = by_name.setdefault(mangled(name, symbol.declaration.name), [])
                if not (place.is_constructor and any(p.is_constructor for p in places)):
                    places.append(place)
        for symbol in self._chain:
            for name in self._declared(symbol):
                stored = mangled(name, symbol.declaration.name)
                by_name.setdefault(stored, [_Place(symbol, None)])
        for stored in self._forgotten.handled:
            by_name.pop(stored, None)
        return by_name

    def _constructing(self) -> Iterator[tuple[ClassSymbol, Method]]:
        """Yield the constructors that run for a new object, and the methods that they call.

        The constructor of a base runs only if that of the subclass calls it.
        """
        constructors: list[tuple[ClassSymbol, Method]] = []
        for symbol in self._chain:
            own = [
                m for name in CONSTRUCTORS if (m := defaults.method_named(name, symbol))
            ]
            constructors += [(symbol, method) for method in own]
            if own and all({*CONSTRUCTORS}.isdisjoint(m.calls) for m in own):
                break
        yield from constructors
        for symbol, method in self._forgotten.with_calls(constructors, CONSTRUCTORS):
            if method.name not in CONSTRUCTORS:
                yield symbol, method

    def _declared(self, symbol: ClassSymbol) -> Iterator[str]:
        """Yield the attributes that the generated constructor of a plain class assigns."""
        style, _ = self._classes.style(symbol)
        for attribute in symbol.declaration.attributes if style else ():
            if attribute.method is None and attribute.annotation is not None:
                read = self._lineage.annotation(symbol, attribute)
                if not (read.class_variable or is_no_field(read.type)):
                    yield attribute.name

    def _value(self, stored: str, places: list[_Place]) -> str | None:
        """Return the code of an attribute's initial value, if it is the same in all objects."""
        if len(places) > 1 or not all(self._class_values(stored)):
            return None
        symbol, method = places[0]
        attribute = _attribute(stored, places[0])
        if attribute is None or attribute.default is None:
            return None
        if method is not None:
            scope = defaults.AssignmentScope(symbol, self._lineage, method)
            return defaults.assigned_value(attribute, scope)
        style, _ = self._classes.style(symbol)
        is_declared = declares_default(attribute, symbol, style, self._lineage)
        return "" if is_declared else None

    def _class_values(self, stored: str) -> Iterator[bool]:
        """Yield, for each value of this name in a class body, whether objects can replace it.

        They can replace constants and defaults. Any other value may be a method or a
        descriptor.
        """
        for symbol in self._chain:
            declaration = symbol.declaration
            if any(method.name == stored for method in declaration.methods):
                yield False
            style, _ = self._classes.style(symbol)
            for each in declaration.attributes:
                if each.method is None and each.default is not None:
                    if mangled(each.name, declaration.name) == stored:
                        constant = isinstance(each.default, (Constant, Sequence, Items))
                        yield bool(style) or constant

    def _is_reported_in(self, symbol: ClassSymbol) -> bool:
        """Return whether a class is a saveable base, which has findings of its own."""
        if symbol.name == self._name or self._is_abstract(symbol.name):
            return False
        return self._lineage.decorator(symbol.name, "savegen.saveable") is not None

    def _is_abstract(self, name: str) -> bool:
        """Return whether a class has abstract methods, so that it has no objects."""
        methods: dict[str, bool] = {}
        for symbol in self._lineage.declarations(name):
            for method in symbol.declaration.methods:
                words = self._lineage.full_names(symbol, method.decorators)
                methods.setdefault(method.name, "abc.abstractmethod" in words)
        return any(methods.values())


def _attribute(stored: str, place: _Place) -> Attribute | None:
    """Return the declaration or assignment of an attribute at a place."""
    declaration = place.symbol.declaration
    method = place.method.name if place.method else None
    for each in declaration.attributes:
        if each.method == method and mangled(each.name, declaration.name) == stored:
            return each
    return None
