"""Find the types of what calls return."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from functools import cached_property

from savegen.build.adopt.definitions import (
    GameClass,
    GameFunction,
    GameScope,
)
from savegen.build.adopt.functions import assigned_keys, ends_with_return
from savegen.build.adopt.library import (
    CONSTRUCTED,
    METHOD_RESULTS,
    RETURNS,
    RETURNS_ELEMENT,
)
from savegen.build.adopt.parameters import Parameters
from savegen.build.adopt.types import (
    COMPUTING,
    COUNTER,
    EMPTY,
    FLOAT,
    INT,
    MAPPINGS,
    NONE,
    NUMBERS,
    ONE_PARAMETER,
    STR,
    InferredType,
    element,
    of_elements,
    table,
    union,
    without_none,
)
from savegen.build.scan.facts import dotted

# Decorators that do not change what a function returns
_KNOWN_DECORATORS = frozenset(
    "property cached_property functools.cached_property staticmethod classmethod"
    " abstractmethod abc.abstractmethod override typing.override typing_extensions.override"
    " final typing.final cache functools.cache lru_cache functools.lru_cache".split()
)


def _is_setter(function: GameFunction) -> bool:
    return any(n.endswith((".setter", ".deleter")) for n in function.decorators)


class Calls(Parameters, ABC):
    """The types of what functions, methods and constructors return."""

    @abstractmethod
    def element_type(
        self, node: ast.expr | None, scope: GameScope
    ) -> InferredType | None:
        """Return the type of the elements of an expression."""

    def _call(self, node: ast.Call, scope: GameScope) -> InferredType | None:
        full = self._global_name(node.func, scope)
        if full is not None:
            known = self._result_of_function(
                full.removeprefix("builtins."), node, scope
            )
            if known is not None:
                return known
        if isinstance(node.func, ast.Attribute):
            return self._result_of_method(node.func, node, scope)
        callee = self.of(node.func, scope)
        if callee is not None and callee.name == "type" and callee.arguments:
            return callee.arguments[0]  # `ai_class(self)`
        return None

    def _result_of_function(
        self, full: str, node: ast.Call, scope: GameScope
    ) -> InferredType | None:
        if self._program.class_named(full) is not None:
            return InferredType(full)
        function = self._program.function_named(full)
        if function is not None:
            return self._returned(function)
        if full in RETURNS:
            return RETURNS[full]
        if full in CONSTRUCTED:
            return InferredType(full)
        if full in (*ONE_PARAMETER, "tuple", "sorted"):
            return self._converted(full, node, scope)
        if full == "collections.defaultdict":
            return self._defaultdict_call(full, node, scope)
        if full in MAPPINGS:
            return self._dict_call(full, node, scope)
        if full in ("abs", "round", "min", "max"):
            return self._numeric_builtin(full, node, scope)
        if full in RETURNS_ELEMENT and node.args:
            return self._taken(self.element_type(node.args[0], scope))
        if full in ("copy.copy", "copy.deepcopy") and node.args:
            return self.of(node.args[0], scope)
        if self.is_named_tuple(full):
            return InferredType(full)
        last = full.rpartition(".")[2]
        if "." in full and last[:1].isupper() and self._program.member(full) is None:
            return InferredType(full)  # a class of a library, by its name
        return None

    def _converted(
        self, full: str, node: ast.Call, scope: GameScope
    ) -> InferredType | None:
        name = "list" if full == "sorted" else full
        if not node.args:
            return (
                InferredType("tuple") if name == "tuple" else of_elements(name, EMPTY)
            )
        item = self.element_type(node.args[0], scope)
        if item is None:
            return None
        if name == "tuple":
            return (
                None
                if item == EMPTY
                else InferredType("tuple", (item, InferredType("...")))
            )
        return of_elements(name, item)

    def _dict_call(
        self, full: str, node: ast.Call, scope: GameScope
    ) -> InferredType | None:
        if not node.args and not node.keywords:
            return InferredType(full, (EMPTY, INT if full == COUNTER else EMPTY))
        if len(node.args) == 1 and not node.keywords:
            return self.mapping_of(full, node.args[0], scope)
        if not node.args and all(k.arg for k in node.keywords):
            values = [self.of(k.value, scope) for k in node.keywords]
            return table(full, STR, values, [k.arg for k in node.keywords])
        return None

    def _defaultdict_call(
        self, full: str, node: ast.Call, scope: GameScope
    ) -> InferredType | None:
        if len(node.args) != 1 or node.keywords:
            return None
        (factory,) = node.args
        if isinstance(factory, ast.Lambda):
            value = self.of(factory.body, scope)
        else:
            value = self._call(ast.Call(factory, [], []), scope)
        return InferredType(full, (EMPTY, value)) if value else None

    def mapping_of(
        self, full: str, node: ast.expr, scope: GameScope
    ) -> InferredType | None:
        """Return the type of a mapping with the entries of another, or that counts elements."""
        given = self.of(node, scope)
        if given and given.name in MAPPINGS:
            return InferredType(full, given.arguments)
        item = self.element_type(node, scope) if full == COUNTER else None
        return InferredType(full, (item, INT)) if item else None

    def _numeric_builtin(
        self, full: str, node: ast.Call, scope: GameScope
    ) -> InferredType | None:
        if full == "round":
            is_number = self.of(node.args[0], scope) in NUMBERS if node.args else False
            return INT if is_number and len(node.args) == 1 else None
        if full in ("min", "max") and len(node.args) > 1:
            return union([self.of(argument, scope) for argument in node.args])
        if full in ("min", "max") and node.args:
            default = [k.value for k in node.keywords if k.arg == "default"]
            item = self._taken(self.element_type(node.args[0], scope))
            return union([item, *(self.of(value, scope) for value in default)])
        if full == "abs" and node.args:
            operand = self.of(node.args[0], scope)
            return operand if operand in (INT, FLOAT) else None
        return None

    def _result_of_method(
        self, function: ast.Attribute, node: ast.Call, scope: GameScope
    ) -> InferredType | None:
        if (
            isinstance(function.value, ast.Call)
            and dotted(function.value.func) == "super"
        ):
            return self._result_of_super(function.attr, scope)
        owner = without_none(self.of(function.value, scope))
        if owner is None or owner.name == "|":
            return None
        if owner.name == "type" and owner.arguments:
            owner = owner.arguments[0]
        if owner.name == "random.Random" and function.attr == "choice" and node.args:
            return self._taken(self.element_type(node.args[0], scope))
        results = METHOD_RESULTS.get(owner.name, {})
        if function.attr in results:
            return results[function.attr]
        if owner.name in MAPPINGS and function.attr in ("get", "pop", "setdefault"):
            return self._mapping_access(owner, function.attr, node, scope)
        if function.attr == "copy" and owner.name in (*ONE_PARAMETER, *MAPPINGS):
            return owner
        if function.attr in ("pop", "popleft") and owner.name in ONE_PARAMETER:
            return self._taken(element(owner))
        cls = self._program.class_named(owner.name)
        method = cls.method(function.attr) if cls else None
        if cls is None or method is None:
            return None
        if self._returns_own_class(method):
            return owner
        return self._returned_by_all(cls, function.attr)

    def _result_of_super(self, name: str, scope: GameScope) -> InferredType | None:
        for base in scope.cls.bases if scope.cls else ():
            method = base.method(name)
            if method is not None:
                return self._returned(method)
        return None

    def _returned(self, function: GameFunction) -> InferredType | None:
        is_known = _KNOWN_DECORATORS.issuperset(function.decorators)
        if isinstance(function.node, ast.AsyncFunctionDef) or not is_known:
            return None
        if function.node.returns is not None:
            return self.annotated(function.node.returns, function)
        if not function.results or not ends_with_return(function.node.body):
            return None
        key = ("result", id(function))
        return self._remembered(
            key,
            lambda: union(
                self.of(r, function) if r else NONE for r in function.results
            ),
            COMPUTING,
        )

    def _returned_by_all(self, cls: GameClass, name: str) -> InferredType | None:
        """Return the union of the results of a method and of its overrides in subclasses."""
        overrides = [
            f for subclass in cls.descendants for f in subclass.methods.get(name, ())
        ]
        functions = dict.fromkeys([*cls.functions(name), *overrides])
        # The setter of a property has the name of its getter, and no result.
        getters = [f for f in functions if not _is_setter(f)]
        return union(map(self._returned, getters))

    def _returns_own_class(self, function: GameFunction) -> bool:
        """Return whether a method returns the class that it is called on.

        It is annotated `-> Self`, or `self: T` and `-> T`.
        """
        returned = dotted(function.node.returns)
        if returned is None:
            return False
        full = self._program.full_name(function, returned)
        if full in ("typing.Self", "typing_extensions.Self"):
            return True
        first = [argument.annotation for argument in function.parameters[:1]]
        return [dotted(annotation) for annotation in first] == [returned] and (
            self._program.class_named(full) is None
        )

    def _mapping_access(
        self, owner: InferredType, method: str, node: ast.Call, scope: GameScope
    ) -> InferredType | None:
        if not node.args:
            return None
        value = self._at(owner, node.args[0])
        if len(node.args) > 1:
            return union([value, self.of(node.args[1], scope)])
        return union([value, NONE]) if method == "get" else value

    def _at(self, owner: InferredType, key: ast.expr) -> InferredType | None:
        """Return the type of the value that a mapping has for a key."""
        known = dict(owner.fields)
        if isinstance(key, ast.Constant) and key.value in known:
            if key.value not in self._assigned_keys:
                return known[key.value]
        return self._taken(owner.arguments[1]) if len(owner.arguments) == 2 else None

    @cached_property
    def _assigned_keys(self) -> frozenset[object]:
        return frozenset(assigned_keys(self._program))

    def _taken(self, item: InferredType | None) -> InferredType | None:
        """Return the type of an element that is taken out of a container.

        It is unknown if the elements have several kinds: nothing tells which one it is.
        """
        if item is None:
            return None
        members = (member.name for member in item.members if member != NONE)
        kinds = {"" if self._program.class_named(name) else name for name in members}
        return item if len(kinds) < 2 else None

    def _global_name(self, node: ast.expr, scope: GameScope) -> str | None:
        """Return the full name that an expression means, unless it begins with a local name."""
        first = (dotted(node) or "").partition(".")[0]
        return None if scope.binding(first) else self._program.named(node, scope)
