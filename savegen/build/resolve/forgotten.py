"""Find the attributes of a class that are neither saved nor declared transient."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Set
from functools import cached_property
from itertools import chain

from savegen.build.model import Field, ForgottenAttribute, SharedAttribute
from savegen.build.resolve.arguments import names
from savegen.build.resolve.classes import ProjectClasses, is_no_field, names_in
from savegen.build.resolve.hierarchy import ClassHierarchy
from savegen.build.resolve.names import ClassSymbol
from savegen.build.resolve.presets import preset_name_of
from savegen.build.resolve.settings import Settings
from savegen.build.scan.declarations import (
    Attribute,
    Call,
    CallAttribute,
    CollectionLiteral,
    Constant,
    DictLiteral,
    Expression,
    Method,
    Name,
    Operation,
)

# The marks of methods that a load calls. The attributes that they assign need not be saved.
_REBUILDING = ("savegen.on_activate", "savegen.deserializer")
# The values of class attributes that an object can replace by its own.
_VALUES = (Call, CollectionLiteral, Constant, DictLiteral, Name, Operation)
# Packages in which no function returns a property that holds state of an object.
_WITHOUT_PROPERTIES = sys.stdlib_module_names | {"attr", "attrs", "msgspec", "savegen"}


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
        self.saved = saved = {field.attribute for field in fields}
        # The properties of libraries' base classes that hold unsaved state.
        self._library_state = frozenset().union(
            *(settings.unsaved_state(base, saved) for base in hierarchy.mro(name))
        )
        self._restored = saved | (properties - self._library_state)
        self._setters = {field.name for field in fields if field.setter}
        self.fields_and_properties = saved | properties
        self.transient = tuple(self._declared_transient(name))
        # The classes whose unmarked attributes are all transient.
        self._all_transient = frozenset().union(
            *(hierarchy.mro(s.name) for s in self._declarations if self._is_all(s.name))
        )
        self.rebuilt = self._rebuilt()

    def attributes(self, initialised: Set[str]) -> Iterator[ForgottenAttribute]:
        """Yield the forgotten attributes in source order.

        Those of saveable bases are reported for these bases. A load sets the attributes in
        `initialised` in the objects that it creates.
        """
        reported: set[str] = set()
        initialised = initialised | self._class_values()
        for symbol in self._unreported:
            for attribute in self._instance_attributes(symbol):
                mangled = self._mangled(symbol, attribute)
                if mangled not in reported and self._is_forgotten(symbol, attribute):
                    reported.add(mangled)
                    yield self._finding(symbol, attribute, mangled in initialised)

    def shared(self) -> Iterator[SharedAttribute]:
        """Yield the class attributes that are forgotten if other code assigns them on an object."""
        names = (name.rpartition(":")[2].rpartition(".")[2] for name in self._mro)
        family = frozenset(names)
        own_state = {
            self._mangled(symbol, attribute)
            for symbol in self._declarations
            for attribute in self._instance_attributes(symbol)
        }
        for symbol in self._declarations:
            for attribute in symbol.declaration.attributes:
                mangled = self._mangled(symbol, attribute)
                if mangled in own_state or mangled in self._not_forgotten:
                    continue
                if attribute.method is None and isinstance(attribute.default, _VALUES):
                    is_variable = self._is_class_variable(symbol, attribute)
                    if self._is_forgotten(symbol, attribute, is_variable):
                        yield SharedAttribute(
                            self._finding(symbol, attribute, is_set=True),
                            family,
                            symbol in self._unreported,
                            is_variable,
                            self._called_by_load,
                        )

    @cached_property
    def _unreported(self) -> list[ClassSymbol]:
        """The class and its bases, except saveable bases and their bases."""
        saveable = filter(
            self._hierarchy.is_saveable, self._hierarchy.mro(self._name)[1:]
        )
        reported = {base for name in saveable for base in self._hierarchy.mro(name)}
        return [s for s in self._declarations if s.name not in reported]

    def _class_values(self) -> set[str]:
        """Return the attributes that have a value in the body of a class."""
        return {
            self._mangled(symbol, attribute)
            for symbol in self._declarations
            for attribute in symbol.declaration.attributes
            if attribute.method is None and attribute.default is not None
        }

    def _mangled(self, symbol: ClassSymbol, attribute: Attribute) -> str:
        return self._hierarchy.mangled_name(attribute.name, symbol)

    def _is_forgotten(
        self, symbol: ClassSymbol, attribute: Attribute, is_class_variable: bool = False
    ) -> bool:
        names = self._mangled(symbol, attribute), attribute.name
        if not self._not_forgotten.isdisjoint(names):
            return False
        if is_class_variable:
            return symbol.name not in self._all_transient
        return not self._is_transient(symbol, attribute)

    def _is_class_variable(self, symbol: ClassSymbol, attribute: Attribute) -> bool:
        if attribute.annotation is None:
            return False
        return self._hierarchy.annotation(symbol, attribute).class_variable

    @cached_property
    def _not_forgotten(self) -> set[str]:
        return self._restored | self.rebuilt | self._all_declared_transient

    def _finding(
        self, symbol: ClassSymbol, attribute: Attribute, is_set: bool
    ) -> ForgottenAttribute:
        cls = self._declarations[0].declaration
        declared = symbol.declaration
        return ForgottenAttribute(
            attribute.name,
            cls.qualname,
            attribute.span,
            cls.span,
            "" if declared is cls else declared.qualname,
            self.transient,
            self._mangled(symbol, attribute) in self._library_state,
            is_set,
            self._may_be_property(symbol, attribute.name),
        )

    def _may_be_property(self, symbol: ClassSymbol, name: str) -> bool:
        """Return whether a function of a library makes the value of an attribute in the class.

        It may return a property, which savegen cannot see.
        """
        for attribute in symbol.declaration.attributes:
            made = attribute.method is None and attribute.name == name
            if made and isinstance(attribute.default, Call):
                functions = [attribute.default.function]
                (function,) = self._hierarchy.full_names(symbol, functions)
                if function and ":" not in function and not preset_name_of(function):
                    return function.partition(".")[0] not in _WITHOUT_PROPERTIES
        return False

    def transient_names(self) -> list[str]:
        """Return the attributes that need not be saved, as they are called in `__dict__`.

        They are declared transient, have a transient type, or a method that a load calls assigns
        them. With `transient=True`, "*" stands for all.
        """
        if self._name in self._all_transient:
            return ["*"]
        transient = {*self._all_declared_transient, *self.rebuilt, *self._transient}
        for symbol in self._declarations:
            for attribute in symbol.declaration.attributes:
                if attribute.name in transient:
                    transient.add(symbol.mangled_name(attribute.name))
        return sorted(transient - self.saved)

    def unknown_transient(self) -> Iterator[str]:
        """Yield the names in `transient=` that no attribute of the class has."""
        if any(":" not in base and base != "builtins.object" for base in self._mro):
            return  # an unknown base may have these attributes
        for name in self.transient:
            if not any(self._has_attribute(s, name) for s in self._declarations):
                yield name

    def is_transient(self, mangled: str) -> bool:
        """Return whether an attribute is transient, because of its class or its type."""
        return mangled in self._all_declared_transient or mangled in self._transient

    @cached_property
    def _transient(self) -> frozenset[str]:
        """The unsaved attributes that are transient, as they are called in `__dict__`."""
        unsaved = (
            (symbol, attribute, mangled)
            for symbol in self._declarations
            for attribute in symbol.declaration.attributes
            if (mangled := symbol.mangled_name(attribute.name)) not in self.saved
        )
        return frozenset(
            mangled
            for symbol, attribute, mangled in unsaved
            if not self._all_declared_transient.isdisjoint((mangled, attribute.name))
            or self._is_transient(symbol, attribute)
        )

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
        mangled = map(symbol.mangled_name, declared)
        return name in (*declared, *mangled, *(symbol.declaration.slots or ()))

    def _declared_transient(self, name: str) -> tuple[str, ...]:
        value = self._transient_argument(name)
        return () if value is None or isinstance(value, bool) else names(value)

    def _transient_argument(self, name: str) -> bool | str | tuple[str, ...] | None:
        arguments = self._hierarchy.saveable_arguments(name)
        argument: bool | str | tuple[str, ...] | None
        argument = arguments.values.get("transient")
        return argument

    def _is_all(self, name: str) -> bool:
        """Return whether `transient=True` holds for a class.

        A subclass without a generated base inherits it, unless its own mark has `transient=`.
        """
        argument = self._transient_argument(name)
        if argument is None and (base := self._hierarchy.mixin_base(name)):
            return self._is_all(base)
        return argument is True

    @cached_property
    def _all_declared_transient(self) -> frozenset[str]:
        names = (self._declared_transient(s.name) for s in self._declarations)
        return frozenset().union(*names)

    def _instance_attributes(self, symbol: ClassSymbol) -> Iterator[Attribute]:
        """Yield the instance attributes that a class declares."""
        style, _ = self._classes.style(symbol)
        for attribute in symbol.declaration.attributes:
            # Objects of an ordinary class share a value in the class body.
            declared = attribute.annotation is not None and (
                style or attribute.default is None
            )
            if attribute.method is None and not declared:
                continue
            if attribute.method == "__new__" and self._hierarchy.is_saveable(
                self._name
            ):
                continue  # a load calls it
            if not attribute.name.endswith("__"):
                yield attribute

    def _rebuilt(self) -> set[str]:
        """Return the attributes that methods called by a load assign, directly or indirectly."""
        return {name for m in self._methods_of_load for name in m.assigns}

    @cached_property
    def _called_by_load(self) -> frozenset[str]:
        return frozenset(method.name for method in self._methods_of_load)

    @cached_property
    def _methods_of_load(self) -> list[Method]:
        """The methods that a load calls, directly or indirectly."""
        called = [
            method
            for methods in self._methods.values()
            if any(self._is_called_by_load(*method) for method in methods)
            for method in methods
        ]
        return [method for _, method in self.with_calls(called)]

    def _is_called_by_load(self, symbol: ClassSymbol, method: Method) -> bool:
        return method.name in self._setters or self._is_rebuilding(symbol, method)

    @property
    def has_rebuilding_method(self) -> bool:
        """Whether a load calls a method of the game that can set any attribute."""
        methods = chain.from_iterable(self._methods.values())
        return any(self._is_rebuilding(*method) for method in methods)

    def _is_rebuilding(self, symbol: ClassSymbol, method: Method) -> bool:
        if method.name == "load_data":
            return True
        marks = self._hierarchy.full_names(symbol, method.decorators)
        return any(mark in _REBUILDING for mark in marks)

    def _is_transient(self, symbol: ClassSymbol, attribute: Attribute) -> bool:
        """Return whether an attribute needs no mark.

        Its class declares all attributes transient, it is a class variable or an `InitVar`, or
        its type or value is transient, such as a picture.
        """
        if symbol.name in self._all_transient:
            return True
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
        if isinstance(value, CollectionLiteral) and value.members:
            return all(self._is_transient_value(symbol, m) for m in value.members)
        if not isinstance(value, Call):
            return False
        if isinstance(
            value.function, CallAttribute
        ):  # `pygame.Surface((8, 8)).convert()`
            return self._is_transient_value(symbol, value.function.owner)
        (function,) = self._hierarchy.full_names(symbol, [value.function])
        return function is not None and self._settings.is_transient(function)
