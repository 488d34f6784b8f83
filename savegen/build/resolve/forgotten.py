"""State that nobody remembers: attributes neither saved nor said to be transient."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from savegen.build.model import Field, Forgotten
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

# What these methods assign is there again after a load.
_REBUILDING = ("savegen.on_activate", "savegen.deserializer")


class Forgetting:
    """Finds the attributes of one class, and of its bases, that a load would not bring back."""

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
        # What an engine keeps behind a property is state like any other.
        self._behind = {
            each for base in lineage.mro(name) for each in settings.state(base, saved)
        }
        self._kept = saved | (properties - self._behind)
        self._setters = {field.name for field in fields if field.setter}
        self.handled = saved | properties  # fields, and what a property is in front of
        self.transient = tuple(self._transient_in(name))
        self.rebuilt = self._rebuilt()

    def run(self) -> Iterator[Forgotten]:
        """Yield the attributes, in source order; those of saveable bases are told there."""
        kept = self._kept | self.rebuilt | self._transient()
        seen: set[str] = set()
        for symbol in self._chain:
            if symbol.name != self._name and self._is_saveable(symbol.name):
                continue
            for attribute in self._state(symbol):
                stored = mangled(attribute.name, symbol.declaration.name)
                if stored in kept or attribute.name in kept or stored in seen:
                    continue
                if self._is_transient(symbol, attribute):
                    continue
                seen.add(stored)
                yield Forgotten(
                    attribute.name,
                    symbol.declaration.qualname,
                    attribute.span,
                    symbol.declaration.span,
                    tuple(self._transient_in(symbol.name)),
                    stored in self._behind,
                )

    def idle(self) -> Iterator[str]:
        """Yield what the class calls transient, and no attribute of it is."""
        if any(":" not in base and base != "builtins.object" for base in self._mro):
            return  # what a base from outside does is not known
        for name in self.transient:
            if not any(self._has(symbol, name) for symbol in self._chain):
                yield name

    def is_transient(self, stored: str) -> bool:
        """Return whether an attribute is not saved on purpose, by its mark or by its type."""
        found = [
            (symbol, attribute)
            for symbol in self._chain
            for attribute in symbol.declaration.attributes
            if mangled(attribute.name, symbol.declaration.name) == stored
        ]
        names = {stored} | {attribute.name for _, attribute in found}
        if not names.isdisjoint(self._transient()):
            return True
        return any(self._is_transient(*each) for each in found)

    def reached(
        self,
        methods: Iterable[tuple[ClassSymbol, Method]],
        besides: Iterable[str] = (),
    ) -> Iterator[tuple[ClassSymbol, Method]]:
        """Yield methods and those that they call, except calls of the names in `besides`.

        A method counts in all classes that have one of its name: one may call the next.
        """
        waiting = [*methods]
        seen = set(besides)
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

    def _state(self, symbol: ClassSymbol) -> Iterator[Attribute]:
        """Yield what an object of a class has for itself."""
        style, _ = self._classes.style(symbol)
        for attribute in symbol.declaration.attributes:
            # A value in the class body is a constant of all objects, a type alone is a field.
            declared = attribute.annotation is not None and (
                style or attribute.default is None
            )
            if attribute.method is None and not declared:
                continue
            if not attribute.name.endswith("__"):
                yield attribute

    def _rebuilt(self) -> set[str]:
        """Return what is assigned where a load calls the game, also through other methods."""
        names = {
            method.name
            for methods in self._methods.values()
            for symbol, method in methods
            if self._rebuilds(symbol, method)
        }
        first = [each for name in names for each in self._methods[name]]
        return {name for _, method in self.reached(first) for name in method.assigns}

    def _rebuilds(self, symbol: ClassSymbol, method: Method) -> bool:
        if method.name == "load_data" or method.name in self._setters:
            return True
        words = self._lineage.names_of(symbol, method.decorators)
        return any(word in _REBUILDING for word in words)

    def _is_transient(self, symbol: ClassSymbol, attribute: Attribute) -> bool:
        """Tell whether it is of a kind that is always made anew: a picture, a sound."""
        if attribute.annotation is not None:
            annotation = self._lineage.annotation(symbol, attribute)
            if annotation.class_variable or is_no_field(annotation.type):
                return True
            if any(map(self._settings.is_transient, names_in(annotation.type))):
                return True
        return self._is_made_anew(symbol, attribute.default)

    def _is_made_anew(self, symbol: ClassSymbol, value: Expression | None) -> bool:
        """Tell whether a value comes from something transient, or a display of such."""
        if isinstance(value, Sequence) and value.members:
            return all(self._is_made_anew(symbol, each) for each in value.members)
        if not isinstance(value, Call):
            return False
        if isinstance(value.function, Member):  # `pygame.Surface((8, 8)).convert()`
            return self._is_made_anew(symbol, value.function.owner)
        (made_by,) = self._lineage.names_of(symbol, [value.function])
        return made_by is not None and self._settings.is_transient(made_by)
