"""Find attributes that are neither saved nor marked as transient."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from savegen.build.model import Field, ForgottenAttribute
from savegen.build.resolve.arguments import names, saveable_arguments
from savegen.build.resolve.classes import ProjectClasses, is_no_field, names_in
from savegen.build.resolve.lineage import Lineage
from savegen.build.resolve.names import ClassSymbol, mangled
from savegen.build.resolve.settings import Settings
from savegen.build.scan.declarations import (
    Attribute,
    Call,
    Expression,
    Member,
    Method,
    Sequence,
)

# A load calls these methods, so what they assign has a value again.
_REBUILDING = ("savegen.on_activate", "savegen.deserializer")


class ForgottenAttributes:
    """Finds the attributes of a class and its bases that a load would not restore."""

    def __init__(
        self,
        name: str,
        lineage: Lineage,
        classes: ProjectClasses,
        settings: Settings,
        fields: Iterable[Field],
        properties: Iterable[str],
    ) -> None:
        self._name = name
        self._lineage = lineage
        self._classes = classes
        self._settings = settings
        self._chain = list(lineage.declarations(name))
        self._methods: dict[str, list[tuple[ClassSymbol, Method]]] = {}
        for symbol in self._chain:
            for method in symbol.declaration.methods:
                self._methods.setdefault(method.name, []).append((symbol, method))
        fields = [*fields]
        properties = {*properties}
        saved = {field.attribute for field in fields}
        # Properties of a library's base class that hold state which is not saved.
        self._library_state = {
            each for base in lineage.mro(name) for each in settings.state(base, saved)
        }
        self._restored = saved | (properties - self._library_state)
        self._setters = {field.name for field in fields if field.setter}
        self.handled = saved | properties
        self.transient = tuple(self._transient_in(name))
        self.rebuilt = self._rebuilt()

    def attributes(self) -> Iterator[ForgottenAttribute]:
        """Yield the forgotten attributes in source order.

        Those of saveable bases are reported for these bases.
        """
        not_forgotten = self._restored | self.rebuilt | self._transient()
        seen: set[str] = set()
        for symbol in self._chain:
            if symbol.name != self._name and self._is_saveable(symbol.name):
                continue
            for attribute in self._object_attributes(symbol):
                stored = mangled(attribute.name, symbol.declaration.name)
                if not not_forgotten.isdisjoint((stored, attribute.name)):
                    continue
                if stored in seen or self._is_transient(symbol, attribute):
                    continue
                seen.add(stored)
                yield ForgottenAttribute(
                    attribute.name,
                    symbol.declaration.qualname,
                    attribute.span,
                    symbol.declaration.span,
                    tuple(self._transient_in(symbol.name)),
                    stored in self._library_state,
                )

    def unused_names(self) -> Iterator[str]:
        """Yield the names in `transient=` that no attribute of the class has."""
        if any(":" not in base and base != "builtins.object" for base in self._mro):
            return  # an unknown base may have these attributes
        for name in self.transient:
            if not any(self._has(symbol, name) for symbol in self._chain):
                yield name

    def is_transient(self, stored: str) -> bool:
        """Return whether an attribute is transient, by its mark or by its type."""
        declared = [
            (symbol, attribute)
            for symbol in self._chain
            for attribute in symbol.declaration.attributes
            if mangled(attribute.name, symbol.declaration.name) == stored
        ]
        names = {stored} | {attribute.name for _, attribute in declared}
        if not names.isdisjoint(self._transient()):
            return True
        return any(self._is_transient(*each) for each in declared)

    def with_calls(
        self,
        methods: Iterable[tuple[ClassSymbol, Method]],
        excluded: Iterable[str] = (),
    ) -> Iterator[tuple[ClassSymbol, Method]]:
        """Yield methods, those that they call, and so on, without the names in `excluded`.

        A call counts as a call of every method of this name, in the class and all its bases.
        """
        waiting = [*methods]
        seen = set(excluded)
        while waiting:
            symbol, method = waiting.pop()
            yield symbol, method
            for name in method.calls:
                if name not in seen:
                    seen.add(name)
                    waiting += self._methods.get(name, ())

    @property
    def _mro(self) -> Iterator[str]:
        generated = self._settings.types_module.rpartition(".")[0]
        for base in self._lineage.mro(self._name):
            if not base.startswith((f"{generated}.", "savegen.", "typing.", "abc.")):
                if not base.endswith("SaveLoad"):
                    yield base

    def _has(self, symbol: ClassSymbol, name: str) -> bool:
        declaration = symbol.declaration
        return any(
            name in (attribute.name, mangled(attribute.name, declaration.name))
            for attribute in declaration.attributes
        ) or name in (declaration.slots or ())

    def _is_saveable(self, name: str) -> bool:
        return self._lineage.decorator(name, "savegen.saveable") is not None

    def _transient_in(self, name: str) -> tuple[str, ...]:
        decorator = self._lineage.decorator(name, "savegen.saveable")
        return names(saveable_arguments(decorator).values.get("transient", ()))

    def _transient(self) -> set[str]:
        return {
            name for symbol in self._chain for name in self._transient_in(symbol.name)
        }

    def _object_attributes(self, symbol: ClassSymbol) -> Iterator[Attribute]:
        """Yield the attributes of a class that belong to each object."""
        style, _ = self._classes.style(symbol)
        for attribute in symbol.declaration.attributes:
            # An ordinary class shares a value in its body; an annotation alone declares a field.
            declared = attribute.annotation is not None and (
                style or attribute.default is None
            )
            if attribute.method is None and not declared:
                continue
            if not attribute.name.endswith("__"):
                yield attribute

    def _rebuilt(self) -> set[str]:
        """Return the attributes that methods called by a load assign, directly or indirectly."""
        names = {
            method.name
            for methods in self._methods.values()
            for symbol, method in methods
            if self._rebuilds(symbol, method)
        }
        first = [each for name in names for each in self._methods[name]]
        return {name for _, method in self.with_calls(first) for name in method.assigns}

    def _rebuilds(self, symbol: ClassSymbol, method: Method) -> bool:
        if method.name == "load_data" or method.name in self._setters:
            return True
        words = self._lineage.full_names(symbol, method.decorators)
        return any(word in _REBUILDING for word in words)

    def _is_transient(self, symbol: ClassSymbol, attribute: Attribute) -> bool:
        """Return whether an attribute has a transient type, such as a picture or a sound."""
        if attribute.annotation is not None:
            annotation = self._lineage.annotation(symbol, attribute)
            if annotation.class_variable or is_no_field(annotation.type):
                return True
            if any(map(self._settings.is_transient, names_in(annotation.type))):
                return True
        return self._is_transient_value(symbol, attribute.default)

    def _is_transient_value(
        self, symbol: ClassSymbol, value: Expression | None
    ) -> bool:
        """Return whether a call creates a transient object, or a display contains only such calls."""
        if isinstance(value, Sequence) and value.members:
            return all(self._is_transient_value(symbol, each) for each in value.members)
        if not isinstance(value, Call):
            return False
        if isinstance(value.function, Member):  # `pygame.Surface((8, 8)).convert()`
            return self._is_transient_value(symbol, value.function.owner)
        (function,) = self._lineage.full_names(symbol, [value.function])
        return function is not None and self._settings.is_transient(function)
