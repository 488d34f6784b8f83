"""Find the attributes of a class that are neither saved nor declared transient."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from savegen.build.model import Field, ForgottenAttribute
from savegen.build.resolve.arguments import names, saveable_arguments
from savegen.build.resolve.classes import ProjectClasses, is_no_field, names_in
from savegen.build.resolve.hierarchy import ClassHierarchy
from savegen.build.resolve.names import ClassSymbol
from savegen.build.resolve.settings import Settings
from savegen.build.scan.declarations import (
    Attribute,
    Call,
    Expression,
    Member,
    Method,
    Sequence,
)

# The marks of methods that a load calls. The attributes that they assign need not be saved.
_REBUILDING = ("savegen.on_activate", "savegen.deserializer")


class ForgottenAttributes:
    """Finds the attributes of a class and its bases that a load would not restore."""

    def __init__(
        self,
        name: str,
        hierarchy: ClassHierarchy,
        classes: ProjectClasses,
        settings: Settings,
        fields: Iterable[Field],
        properties: Iterable[str],
    ) -> None:
        self._name = name
        self._hierarchy = hierarchy
        self._classes = classes
        self._settings = settings
        self._declarations = list(hierarchy.declarations(name))
        self._methods: dict[str, list[tuple[ClassSymbol, Method]]] = {}
        for symbol in self._declarations:
            for method in symbol.declaration.methods:
                self._methods.setdefault(method.name, []).append((symbol, method))
        fields = [*fields]
        properties = {*properties}
        saved = {field.attribute for field in fields}
        # The properties of libraries' base classes that hold unsaved state.
        self._library_state = frozenset().union(
            *(settings.unsaved_state(base, saved) for base in hierarchy.mro(name))
        )
        self._restored = saved | (properties - self._library_state)
        self._setters = {field.name for field in fields if field.setter}
        self.fields_and_properties = saved | properties
        self.transient = tuple(self._declared_transient(name))
        self.rebuilt = self._rebuilt()

    def attributes(self) -> Iterator[ForgottenAttribute]:
        """Yield the forgotten attributes in source order.

        Those of saveable bases are reported for these bases.
        """
        not_forgotten = self._restored | self.rebuilt | self._all_declared_transient()
        reported: set[str] = set()
        for symbol in self._declarations:
            if symbol.name != self._name and self._hierarchy.is_saveable(symbol.name):
                continue
            for attribute in self._object_attributes(symbol):
                stored = self._hierarchy.stored_name(attribute.name, symbol)
                if not not_forgotten.isdisjoint((stored, attribute.name)):
                    continue
                if stored in reported or self._is_transient(symbol, attribute):
                    continue
                reported.add(stored)
                yield ForgottenAttribute(
                    attribute.name,
                    symbol.declaration.qualname,
                    attribute.span,
                    symbol.declaration.span,
                    tuple(self._declared_transient(symbol.name)),
                    stored in self._library_state,
                )

    def unknown_transient(self) -> Iterator[str]:
        """Yield the names in `transient=` that no attribute of the class has."""
        if any(":" not in base and base != "builtins.object" for base in self._mro):
            return  # an unknown base may have these attributes
        for name in self.transient:
            if not any(self._has_attribute(s, name) for s in self._declarations):
                yield name

    def is_transient(self, stored: str) -> bool:
        """Return whether an attribute is transient, because of its class or its type."""
        declared = [
            (symbol, attribute)
            for symbol in self._declarations
            for attribute in symbol.declaration.attributes
            if symbol.stored_name(attribute.name) == stored
        ]
        names = {stored} | {attribute.name for _, attribute in declared}
        if not names.isdisjoint(self._all_declared_transient()):
            return True
        return any(self._is_transient(s, attribute) for s, attribute in declared)

    def with_calls(
        self,
        methods: Iterable[tuple[ClassSymbol, Method]],
        excluded: Iterable[str] = (),
    ) -> Iterator[tuple[ClassSymbol, Method]]:
        """Yield methods, the methods that they call, and so on.

        A call counts as a call of every method of this name, in the class and all its bases.
        Calls of methods in `excluded` do not count.
        """
        waiting = [*methods]
        visited = set(excluded)
        while waiting:
            symbol, method = waiting.pop()
            yield symbol, method
            for name in method.calls:
                if name not in visited:
                    visited.add(name)
                    waiting += self._methods.get(name, ())

    @property
    def _mro(self) -> Iterator[str]:
        """The class and its bases, without those that only the tool or typing needs."""
        generated = self._settings.types_module.rpartition(".")[0]
        for base in self._hierarchy.mro(self._name):
            if not base.startswith((f"{generated}.", "savegen.", "typing.", "abc.")):
                if not base.endswith("SaveLoad"):
                    yield base

    def _has_attribute(self, symbol: ClassSymbol, name: str) -> bool:
        declared = [attribute.name for attribute in symbol.declaration.attributes]
        stored = map(symbol.stored_name, declared)
        return name in (*declared, *stored, *(symbol.declaration.slots or ()))

    def _declared_transient(self, name: str) -> tuple[str, ...]:
        decorator = self._hierarchy.decorator(name, "savegen.saveable")
        return names(saveable_arguments(decorator).values.get("transient", ()))

    def _all_declared_transient(self) -> set[str]:
        names = (self._declared_transient(s.name) for s in self._declarations)
        return set().union(*names)

    def _object_attributes(self, symbol: ClassSymbol) -> Iterator[Attribute]:
        """Yield the attributes of a class that each object has for itself."""
        style, _ = self._classes.style(symbol)
        for attribute in symbol.declaration.attributes:
            # Objects of an ordinary class share a value in the class body.
            declared = attribute.annotation is not None and (
                style or attribute.default is None
            )
            if attribute.method is None and not declared:
                continue
            if not attribute.name.endswith("__"):
                yield attribute

    def _rebuilt(self) -> set[str]:
        """Return the attributes that methods called by a load assign, directly or indirectly."""
        called = [
            method
            for methods in self._methods.values()
            if any(self._is_called_by_load(*method) for method in methods)
            for method in methods
        ]
        return {name for _, m in self.with_calls(called) for name in m.assigns}

    def _is_called_by_load(self, symbol: ClassSymbol, method: Method) -> bool:
        if method.name == "load_data" or method.name in self._setters:
            return True
        marks = self._hierarchy.full_names(symbol, method.decorators)
        return any(mark in _REBUILDING for mark in marks)

    def _is_transient(self, symbol: ClassSymbol, attribute: Attribute) -> bool:
        """Return whether an attribute has a transient type, such as a picture or a sound."""
        if attribute.annotation is not None:
            annotation = self._hierarchy.annotation(symbol, attribute)
            if annotation.class_variable or is_no_field(annotation.type):
                return True
            if any(map(self._settings.is_transient, names_in(annotation.type))):
                return True
        return self._is_transient_value(symbol, attribute.default)

    def _is_transient_value(
        self, symbol: ClassSymbol, value: Expression | None
    ) -> bool:
        """Return whether an expression creates only transient objects, such as sounds."""
        if isinstance(value, Sequence) and value.members:
            return all(self._is_transient_value(symbol, m) for m in value.members)
        if not isinstance(value, Call):
            return False
        if isinstance(value.function, Member):  # `pygame.Surface((8, 8)).convert()`
            return self._is_transient_value(symbol, value.function.owner)
        (function,) = self._hierarchy.full_names(symbol, [value.function])
        return function is not None and self._settings.is_transient(function)
