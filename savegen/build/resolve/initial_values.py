"""Attributes that are not saved, in objects that a load makes: their `__init__` does not run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from savegen.build.model import Unset
from savegen.build.resolve import defaults
from savegen.build.resolve.classes import ProjectClasses, is_no_field
from savegen.build.resolve.construction import declares_default
from savegen.build.resolve.forgotten import Forgetting
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

# Methods by which a class can give attributes in a way of its own.
_MAGIC = ("__new__", "__getattr__", "__getattribute__")


class _Place(NamedTuple):
    """Where an attribute gets its value while an object is constructed."""

    symbol: ClassSymbol
    method: Method | None  # `None`: where the body of the class declares it

    @property
    def is_constructor(self) -> bool:
        return self.method is not None and self.method.name in CONSTRUCTORS


class Unsaved:
    """Finds what a load sets as `__init__` sets it, and what it cannot set."""

    def __init__(
        self,
        name: str,
        lineage: Lineage,
        classes: ProjectClasses,
        forgetting: Forgetting,
    ) -> None:
        self._name = name
        self._lineage = lineage
        self._classes = classes
        self._forgetting = forgetting
        self._chain = list(lineage.declarations(name))
        self._places = self._find_places()

    def set(self) -> Iterator[tuple[str, str]]:
        """Yield the attributes that all new objects have alike, each with what makes its value.

        That is "" where the class declares the default, as dataclasses do.
        """
        for stored, places in self._places.items():
            value = self._value(stored, places)
            if value is not None:
                yield stored, value

    def unset(self) -> Iterator[Unset]:
        """Yield the transient attributes that new objects have and loaded ones do not.

        Those of saveable bases are reported there.
        """
        methods = (
            method for each in self._chain for method in each.declaration.methods
        )
        if any(method.name in _MAGIC for method in methods):
            return
        if self._is_abstract(self._name):
            return
        for stored, places in self._places.items():
            symbol = places[0].symbol
            attribute = _attribute(stored, places[0])
            if attribute is None or self._is_reported_in(symbol):
                continue
            if not {stored, attribute.name}.isdisjoint(self._forgetting.rebuilt):
                continue
            if self._value(stored, places) is not None or [*self._in_class(stored)]:
                continue
            if self._forgetting.is_transient(stored):
                owner = symbol.declaration.qualname
                yield Unset(attribute.name, owner, attribute.span)

    def _find_places(self) -> dict[str, list[_Place]]:
        """Return where attributes that are not saved get their values, by stored name.

        Of several constructors, and of several declarations, the nearest counts.
        """
        found: dict[str, list[_Place]] = {}
        for symbol, method in self._constructing():
            place = _Place(symbol, method)
            for name in method.assigns:
                places = found.setdefault(mangled(name, symbol.declaration.name), [])
                if not (place.is_constructor and any(p.is_constructor for p in places)):
                    places.append(place)
        for symbol in self._chain:
            for name in self._declared(symbol):
                stored = mangled(name, symbol.declaration.name)
                found.setdefault(stored, [_Place(symbol, None)])
        for stored in self._forgetting.handled:
            found.pop(stored, None)
        return found

    def _constructing(self) -> Iterator[tuple[ClassSymbol, Method]]:
        """Yield the constructors, as far as each calls the next, and what they call."""
        constructors: list[tuple[ClassSymbol, Method]] = []
        for symbol in self._chain:
            here = [
                m for name in CONSTRUCTORS if (m := defaults.method_named(name, symbol))
            ]
            constructors += [(symbol, method) for method in here]
            if here and all({*CONSTRUCTORS}.isdisjoint(m.calls) for m in here):
                break
        yield from constructors
        for symbol, method in self._forgetting.reached(constructors, CONSTRUCTORS):
            if method.name not in CONSTRUCTORS:
                yield symbol, method

    def _declared(self, symbol: ClassSymbol) -> Iterator[str]:
        """Yield what is set by the constructor that a decorator or a base provides."""
        style, _ = self._classes.style(symbol)
        for attribute in symbol.declaration.attributes if style else ():
            if attribute.method is None and attribute.annotation is not None:
                read = self._lineage.annotation(symbol, attribute)
                if not (read.class_variable or is_no_field(read.type)):
                    yield attribute.name

    def _value(self, stored: str, places: list[_Place]) -> str | None:
        """Return what makes the value of an attribute, if all new objects have it alike."""
        if len(places) > 1 or not all(self._in_class(stored)):
            return None
        symbol, method = places[0]
        attribute = _attribute(stored, places[0])
        if attribute is None or attribute.default is None:
            return None
        if method is not None:
            known = defaults.Known(symbol, self._lineage, method)
            return defaults.assigned(attribute, known)
        style, _ = self._classes.style(symbol)
        is_told = declares_default(attribute, symbol, style, self._lineage)
        return "" if is_told else None

    def _in_class(self, stored: str) -> Iterator[bool]:
        """Yield of each value in a class body under a name whether objects can have another.

        What is no constant can be a descriptor, which decides itself what is set.
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
        """Return whether a class is a base whose own findings are reported with it."""
        if symbol.name == self._name or self._is_abstract(symbol.name):
            return False
        return self._lineage.decorator(symbol.name, "savegen.saveable") is not None

    def _is_abstract(self, name: str) -> bool:
        """Return whether no object of a class can be made."""
        methods: dict[str, bool] = {}
        for symbol in self._lineage.declarations(name):
            for method in symbol.declaration.methods:
                words = self._lineage.names_of(symbol, method.decorators)
                methods.setdefault(method.name, "abc.abstractmethod" in words)
        return any(methods.values())


def _attribute(stored: str, place: _Place) -> Attribute | None:
    """Return an attribute as a place has it."""
    declaration = place.symbol.declaration
    method = place.method.name if place.method else None
    for each in declaration.attributes:
        if each.method == method and mangled(each.name, declaration.name) == stored:
            return each
    return None
