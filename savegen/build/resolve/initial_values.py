"""Find the values that unsaved attributes get in objects that a load creates without `__init__`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from savegen.build.model import UnsetAttribute
from savegen.build.resolve import defaults
from savegen.build.resolve.classes import ProjectClasses, is_no_field
from savegen.build.resolve.construction import declares_default
from savegen.build.resolve.forgotten import ForgottenAttributes
from savegen.build.resolve.hierarchy import ClassHierarchy
from savegen.build.resolve.names import ClassSymbol
from savegen.build.scan.declarations import (
    CONSTRUCTORS,
    Attribute,
    CollectionLiteral,
    Constant,
    DictLiteral,
    Method,
)

# A class with one of these methods may have attributes that are never assigned.
_ATTRIBUTE_METHODS = ("__new__", "__getattr__", "__getattribute__")


class _Assignment(NamedTuple):
    """The class and the method that assign an attribute of a new object."""

    symbol: ClassSymbol
    method: Method | None  # `None` if the class body declares the attribute


class InitialValues:
    """Finds the initial values that a load can set, and the attributes that it leaves unset."""

    def __init__(
        self,
        name: str,
        hierarchy: ClassHierarchy,
        classes: ProjectClasses,
        forgotten: ForgottenAttributes,
    ) -> None:
        self._name = name
        self._hierarchy = hierarchy
        self._classes = classes
        self._forgotten = forgotten
        self._declarations = list(hierarchy.declarations(name))
        # All assignments of new objects, and those that decide which value an attribute has.
        self._all_assignments: dict[str, list[_Assignment]] = {}
        self._assignments = self._find_assignments()

    def shared_values(self) -> Iterator[tuple[str, str]]:
        """Yield the attributes with the same initial value in all objects, and its code.

        The code is "" if the class declares the default, as dataclasses do.
        """
        for mangled, assignments in self._assignments.items():
            value = self._value(mangled, assignments)
            if value is not None:
                yield mangled, value

    def unset(self) -> Iterator[UnsetAttribute]:
        """Yield the transient attributes that new objects have and loaded ones do not.

        Those of saveable bases are reported for these bases.
        """
        methods = (m for s in self._declarations for m in s.declaration.methods)
        if any(method.name in _ATTRIBUTE_METHODS for method in methods):
            return
        if self._hierarchy.is_abstract(self._name):
            return
        for mangled, assignments in self._assignments.items():
            symbol = assignments[0].symbol
            attribute = _attribute(mangled, assignments[0])
            if attribute is None or self.is_reported_in(symbol):
                continue
            if self._is_rebuilt(mangled, attribute):
                continue
            if self._value(mangled, assignments) is not None:
                continue
            if any(True for _ in self._class_values(mangled)):
                continue
            if self._forgotten.is_transient(mangled):
                owner = symbol.declaration.qualname
                yield UnsetAttribute(attribute.name, owner, attribute.span)

    def _find_assignments(self) -> dict[str, list[_Assignment]]:
        """Return the assignments of each unsaved attribute, by its name in `__dict__`.

        If several constructors assign an attribute, only that of the most specific class
        counts. The same is true of declarations in class bodies.
        """
        by_name: dict[str, list[_Assignment]] = {}
        for symbol, method in self.methods_of_construction():
            assignment = _Assignment(symbol, method)
            for name in method.assigns:
                mangled = symbol.mangled_name(name)
                self._all_assignments.setdefault(mangled, []).append(assignment)
                earlier = by_name.setdefault(mangled, [])
                if method.name not in CONSTRUCTORS or not any(
                    a.method and a.method.name in CONSTRUCTORS for a in earlier
                ):
                    earlier.append(assignment)
        for symbol in self._declarations:
            for name in self._declared(symbol):
                mangled, assignment = symbol.mangled_name(name), _Assignment(
                    symbol, None
                )
                self._all_assignments.setdefault(mangled, []).append(assignment)
                by_name.setdefault(mangled, [assignment])
        for mangled in self._forgotten.fields_and_properties:
            by_name.pop(mangled, None)
        return by_name

    def methods_of_construction(self) -> Iterator[tuple[ClassSymbol, Method]]:
        """Yield the constructors that run for a new object, and the methods that they call.

        The constructor of a base runs only if that of the subclass calls it.
        """
        constructors: list[tuple[ClassSymbol, Method]] = []
        for symbol in self._declarations:
            named = (symbol.method_named(name) for name in CONSTRUCTORS)
            own = [method for method in named if method]
            constructors += [(symbol, method) for method in own]
            if own and all({*CONSTRUCTORS}.isdisjoint(m.calls) for m in own):
                break
        yield from constructors
        for symbol, method in self._forgotten.with_calls(constructors, CONSTRUCTORS):
            if method.name not in CONSTRUCTORS:
                yield symbol, method

    def _declared(self, symbol: ClassSymbol) -> Iterator[str]:
        """Yield the attributes that are set by the constructor that `@dataclass` or attrs makes."""
        style, _ = self._classes.style(symbol)
        for attribute in symbol.declaration.attributes if style else ():
            if attribute.method is None and attribute.annotation is not None:
                annotation = self._hierarchy.annotation(symbol, attribute)
                if not (annotation.class_variable or is_no_field(annotation.type)):
                    yield attribute.name

    def _value(self, mangled: str, assignments: list[_Assignment]) -> str | None:
        """Return the code of an attribute's initial value; `None` unless all objects share it.

        If a method that a load calls assigns the attribute, it may use the value that the
        attribute has before: the first one that all objects share.
        """
        if not all(self._class_values(mangled)):
            return None
        if len(assignments) == 1:
            value = self._assigned(mangled, assignments[0], defaults.assigned_value)
            if value is not None:
                return value
        for assignment in self._all_assignments[mangled]:
            attribute = _attribute(mangled, assignment)
            if attribute is not None and self._is_rebuilt(mangled, attribute):
                value = self._assigned(mangled, assignment, defaults.first_value)
                if value is not None:
                    return value
        return None

    def _is_rebuilt(self, mangled: str, attribute: Attribute) -> bool:
        """Return whether a method that a load calls assigns an attribute."""
        return not {mangled, attribute.name}.isdisjoint(self._forgotten.rebuilt)

    def _assigned(
        self,
        mangled: str,
        assignment: _Assignment,
        value_of: Callable[[Attribute, defaults.AssignmentScope], str | None],
    ) -> str | None:
        """Return the code of the value that one assignment gives an attribute in all objects."""
        symbol, method = assignment
        attribute = _attribute(mangled, assignment)
        if attribute is None or attribute.default is None:
            return None
        if method is not None:
            scope = defaults.AssignmentScope(symbol, self._hierarchy, method)
            return value_of(attribute, scope)
        style, _ = self._classes.style(symbol)
        is_declared = declares_default(attribute, symbol, style, self._hierarchy)
        return "" if is_declared else None

    def _class_values(self, mangled: str) -> Iterator[bool]:
        """Yield, for each value of this name in a class body, whether objects can replace it.

        They can replace constants and defaults. Another value may be a descriptor, which takes
        precedence.
        """
        for symbol in self._declarations:
            if any(method.name == mangled for method in symbol.declaration.methods):
                yield False
            style, _ = self._classes.style(symbol)
            for attribute in symbol.declaration.attributes:
                if attribute.method is None and attribute.default is not None:
                    if symbol.mangled_name(attribute.name) == mangled:
                        constants = (Constant, CollectionLiteral, DictLiteral)
                        yield bool(style) or isinstance(attribute.default, constants)

    def is_reported_in(self, symbol: ClassSymbol) -> bool:
        """Return whether a class is a saveable base, which has its own findings."""
        if symbol.name == self._name or self._hierarchy.is_abstract(symbol.name):
            return False
        return self._hierarchy.is_saveable(symbol.name)


def _attribute(mangled: str, assignment: _Assignment) -> Attribute | None:
    """Return the declared attribute that an assignment sets, or `None`."""
    symbol = assignment.symbol
    method = assignment.method.name if assignment.method else None
    for attribute in symbol.declaration.attributes:
        if (
            attribute.method == method
            and symbol.mangled_name(attribute.name) == mangled
        ):
            return attribute
    return None
