"""Find the types of parameters, from their annotations or from all calls of their functions."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Iterator
from functools import cached_property

from savegen.build.adopt.annotations import Annotations
from savegen.build.adopt.definitions import (
    GameCall,
    GameClass,
    GameFunction,
    GameScope,
    GameValue,
)
from savegen.build.adopt.functions import (
    UNCLEAR,
    argument_for,
    classes_as_values,
)
from savegen.build.adopt.types import COMPUTING, NONE, InferredType, union, without_none
from savegen.build.scan.facts import dotted


class Parameters(Annotations, ABC):
    """The types of parameters; those of expressions and attributes are found by subclasses."""

    @abstractmethod
    def of(self, node: ast.expr | None, scope: GameScope) -> InferredType | None:
        """Return the type of an expression; `None` if it is unknown."""

    @abstractmethod
    def value(self, value: GameValue) -> InferredType | None:
        """Return the type that one assignment gives to its target."""

    @abstractmethod
    def assignments(self, cls: GameClass, name: str) -> list[GameValue]:
        """Return the assignments to attribute `name` of objects of `cls` or related classes."""

    def _parameter_annotation(
        self, name: str, scope: GameScope
    ) -> tuple[ast.expr, GameScope] | None:
        place = scope.binding(name)
        if place is None or name in place.values:
            return None
        for argument in place.parameters:
            if argument.arg == name and argument.annotation is not None:
                return argument.annotation, place
        return None

    def _parameter(self, function: GameFunction, name: str) -> InferredType | None:
        if function.self_name == name and function.cls is not None:
            return InferredType(function.cls.name)
        if function.cls_name == name and function.cls is not None:
            return InferredType("type", (InferredType(function.cls.name),))
        vararg = function.node.args.vararg
        if vararg is not None and vararg.arg == name:
            annotation = self.annotated(vararg.annotation, function)
            return (
                InferredType("tuple", (annotation, InferredType("...")))
                if annotation
                else None
            )
        argument = next((a for a in function.parameters if a.arg == name), None)
        if argument is None:
            return None
        if argument.annotation is not None:
            declared = self.annotated(argument.annotation, function)
            default = function.default_of(name)
            if isinstance(default, ast.Constant) and default.value is None:
                return union([declared, NONE])  # `name: str = None`
            return declared
        return self._argument(function, name)

    def _argument(self, function: GameFunction, name: str) -> InferredType | None:
        """Return the union of the types that all callers pass for a parameter."""
        types: list[InferredType | None] = []
        cls, default = function.cls, function.default_of(name)
        if cls is not None and f"{function.name}.setter" in function.decorators:
            types += map(self.value, self.assignments(cls, function.name))
            return union(types) if types else None
        for call in self._calls_of(function):
            if call is None or (function.self_name and self._is_unbound(call)):
                return None
            argument = argument_for(call.node, function, name)
            if argument is UNCLEAR or (argument is None and default is None):
                return None
            inner = call.scope if argument else function
            types.append(self.of(argument or default, inner))
        return union(types) if types else None

    def _is_unbound(self, call: GameCall) -> bool:
        """Return whether a method is called on its class: `Hero.rename(hero, "Pip")`."""
        owner, _, method = (dotted(call.node.func) or "").rpartition(".")
        full = self._program.full_name(call.scope, owner) if method else None
        return self._program.class_named(full) is not None

    def _calls_of(self, function: GameFunction) -> Iterator[GameCall | None]:
        """Yield all calls of a function; `None` if one may be missed."""
        if function.name == "__init__" and function.cls is not None:
            yield from self._constructions(function.cls)
            return
        is_known = {"staticmethod", "classmethod"}.issuperset(function.decorators)
        if function.name in self._program.loaded or not is_known:
            yield None
        if isinstance(function.parent, GameFunction):
            yield None
        yield from (
            c for c in self._program.calls_of(function) if self._may_run(c, function)
        )

    def _may_run(self, call: GameCall, function: GameFunction) -> bool:
        """Return whether the receiver of a call may be of the class of a method."""
        if not isinstance(call.node.func, ast.Attribute) or function.cls is None:
            return True
        owner = without_none(self.of(call.node.func.value, call.scope))
        if owner is None or owner is COMPUTING:
            return True
        names = {*function.cls.family_names, "type", "|"}
        return owner.name in names or owner.name.startswith("?")

    def _constructions(self, cls: GameClass) -> Iterator[GameCall | None]:
        """Yield all calls that run the `__init__` of a class; `None` if one may be missed."""
        constructor = cls.method("__init__")
        classes = [c for c in cls.descendants if c.method("__init__") is constructor]
        for each in classes:
            for call in self._program.calls[each.node.name]:
                if self._program.named(call.node.func, call.scope) == each.name:
                    yield call
        for call in self._program.calls["__init__"]:
            function = call.node.func
            owner = function.value if isinstance(function, ast.Attribute) else None
            is_super = isinstance(owner, ast.Call) and dotted(owner.func) == "super"
            subclass = call.scope.cls
            if is_super and subclass is not None and subclass not in classes:
                if constructor in [base.method("__init__") for base in subclass.bases]:
                    yield call
            elif not is_super and self._program.named(owner, call.scope) == cls.name:
                yield None
        if any(each.name in self._classes_as_values for each in classes):
            yield None

    @cached_property
    def _classes_as_values(self) -> frozenset[str]:
        """The classes that are used as values, so that other names may call them."""
        return frozenset(classes_as_values(self._program))
