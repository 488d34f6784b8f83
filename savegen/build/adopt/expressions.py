"""Find the types of expressions."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from functools import partial

from savegen.build.scan.facts import dotted
from savegen.build.adopt.calls import Calls
from savegen.build.adopt.changes import ContainerChange, ContainerChanges
from savegen.build.adopt.definitions import (
    PROPERTIES,
    GameClass,
    GameFunction,
    GameModule,
    GameScope,
    GameValue,
)
from savegen.build.adopt.program import Program
from savegen.build.adopt.library import LIBRARY_ATTRIBUTES
from savegen.build.adopt.functions import is_enum
from savegen.build.adopt.types import (
    BOOL,
    CALLABLE,
    COMPUTING,
    EMPTY,
    FLOAT,
    INT,
    MAPPINGS,
    NONE,
    NUMBERS,
    STR,
    InferredType,
    element,
    of_elements,
    operation,
    table,
    tuple_item,
    union,
    without_none,
)


class Expressions(Calls, ABC):
    """The types of a program's expressions; those of attributes are found by a subclass."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self._changes = ContainerChanges(program)
        # By the id of the first generator of the comprehension
        self._comprehension_scopes: dict[int, GameScope] = {}

    @abstractmethod
    def attribute(self, cls: GameClass, name: str) -> InferredType | None:
        """Return the type of an attribute of a class's objects; `None` if it is unknown."""

    @abstractmethod
    def filled(
        self, assigned: InferredType, changes: Iterable[ContainerChange]
    ) -> InferredType | None:
        """Return the type of a container after some changes; `None` if one is not understood."""

    def of(self, node: ast.expr | None, scope: GameScope) -> InferredType | None:
        """Return the type of an expression; `None` if it is unknown."""
        method = _BY_NODE.get(type(node)) if node is not None else None
        if method is None:
            return None
        return self._remembered(
            ("of", id(node)), partial(method, self, node, scope), None
        )

    def _constant(self, node: ast.Constant, scope: GameScope) -> InferredType | None:
        name = type(node.value).__name__
        return (
            NONE
            if node.value is None
            else None if node.value is ... else InferredType(name)
        )

    def _f_string(self, node: ast.JoinedStr, scope: GameScope) -> InferredType:
        return STR

    def _compare(self, node: ast.Compare, scope: GameScope) -> InferredType | None:
        if isinstance(node.ops[0], ast.Is | ast.IsNot | ast.In | ast.NotIn):
            return BOOL
        sides = [self.of(side, scope) for side in (node.left, *node.comparators)]
        plain = {BOOL, INT, FLOAT, STR, NONE}
        return (
            BOOL
            if all(s is not None and plain.issuperset(s.members) for s in sides)
            else None
        )

    def _unary(self, node: ast.UnaryOp, scope: GameScope) -> InferredType | None:
        if isinstance(node.op, ast.Not):
            return BOOL
        operand = self.of(node.operand, scope)
        return INT if operand == BOOL else operand if operand in NUMBERS else None

    def _bool_op(self, node: ast.BoolOp, scope: GameScope) -> InferredType | None:
        types = [self.of(value, scope) for value in node.values]
        if isinstance(node.op, ast.Or):
            types[:-1] = [without_none(type_) for type_ in types[:-1]]
        return union(types)

    def _if_exp(self, node: ast.IfExp, scope: GameScope) -> InferredType | None:
        return union([self.of(node.body, scope), self.of(node.orelse, scope)])

    def _binary(self, node: ast.BinOp, scope: GameScope) -> InferredType | None:
        left, right = self.of(node.left, scope), self.of(node.right, scope)
        return operation(left, node.op, right)

    def _list(self, node: ast.List, scope: GameScope) -> InferredType | None:
        return self._container("list", node.elts, scope)

    def _set(self, node: ast.Set, scope: GameScope) -> InferredType | None:
        return self._container("set", node.elts, scope)

    def _container(
        self, name: str, elements: list[ast.expr], scope: GameScope
    ) -> InferredType | None:
        types: list[InferredType | None] = []
        for part in elements:
            if isinstance(part, ast.Starred):
                types.append(element(self.of(part.value, scope)))
            else:
                types.append(self.of(part, scope))
        return of_elements(name, union(types) if types else EMPTY)

    def _dict(self, node: ast.Dict, scope: GameScope) -> InferredType | None:
        if None in node.keys:
            return None
        if not node.keys:
            return InferredType("dict", (EMPTY, EMPTY))
        key = union([self.of(key, scope) for key in node.keys])
        values = [self.of(value, scope) for value in node.values]
        constants = [k.value for k in node.keys if isinstance(k, ast.Constant)]
        return table("dict", key, values, constants)

    def _tuple(self, node: ast.Tuple, scope: GameScope) -> InferredType | None:
        types = []
        for part in node.elts:
            type_ = None if isinstance(part, ast.Starred) else self.of(part, scope)
            if type_ is None:
                return None
            types.append(type_)
        return InferredType("tuple", tuple(types))

    def _lambda(self, node: ast.Lambda, scope: GameScope) -> InferredType:
        return CALLABLE

    def _comprehension(
        self,
        name: str,
        node: ast.ListComp | ast.SetComp | ast.GeneratorExp,
        scope: GameScope,
    ) -> InferredType | None:
        return of_elements(
            name, self.of(node.elt, self._inside(node.generators, scope))
        )

    def _dict_comprehension(
        self, node: ast.DictComp, scope: GameScope
    ) -> InferredType | None:
        inner = self._inside(node.generators, scope)
        key, value = self.of(node.key, inner), self.of(node.value, inner)
        return InferredType("dict", (key, value)) if key and value else None

    def _inside(
        self, generators: list[ast.comprehension], scope: GameScope
    ) -> GameScope:
        key = id(generators[0])
        if key in self._comprehension_scopes:
            return self._comprehension_scopes[key]
        inner = self._comprehension_scopes[key] = GameFunction(_NO_FUNCTION, scope)
        for generator in generators:
            targets = [generator.target]
            if isinstance(generator.target, ast.Tuple):
                targets = generator.target.elts
            for index, target in enumerate(targets):
                if isinstance(target, ast.Name):
                    is_unpacked = targets[0] is not generator.target
                    kind = "element item" if is_unpacked else "element"
                    inner.values[target.id].append(
                        GameValue(inner if inner.values else scope, kind, generator.iter, None, 0,
                              item_index=index)
                    )  # fmt: skip
        return inner

    def _subscript(self, node: ast.Subscript, scope: GameScope) -> InferredType | None:
        owner = self.of(node.value, scope)
        if owner is None or isinstance(node.slice, ast.Slice):
            return owner if owner and owner.name in ("list", "str", "bytes") else None
        if owner.name in MAPPINGS:
            return self._at(owner, node.slice)
        if owner.name == "tuple" and isinstance(node.slice, ast.Constant):
            return tuple_item(owner, node.slice.value)
        return self._taken(element(owner))

    # Names and attributes

    def _name(self, node: ast.Name, scope: GameScope) -> InferredType | None:
        if place := scope.binding(node.id):
            return self._local(node.id, place)
        full = self._program.full_name(scope, node.id)
        return self._global(full) if full else None

    def _local(self, name: str, scope: GameScope) -> InferredType | None:
        key = ("local", id(scope), name)
        return self._remembered(key, lambda: self._local_of(name, scope), COMPUTING)

    def _local_of(self, name: str, scope: GameScope) -> InferredType | None:
        assigned = self.assigned(scope.values.get(name, ()), [])
        if isinstance(scope, GameFunction) and scope.has_parameter(name):
            return union([assigned, self._parameter(scope, name)])
        changes = self._changes.of_variables.get((id(scope), name), ())
        return assigned and self.filled(assigned, changes)

    def assigned(
        self, values: Iterable[GameValue], others: Iterable[InferredType | None]
    ) -> InferredType | None:
        """Return the union of the types of assignments; the augmented ones change the others."""
        plain, augmented = [*others], []
        for value in values:
            if value.kind == "augmented" and value.operator is not None:
                augmented.append((value, value.operator))
            else:
                plain.append(self.value(value))
        start = union(plain)
        if start is None or not augmented:
            return start
        types: list[InferredType | None] = [start]
        for value, operator in augmented:
            right = self.of(value.value, value.scope)
            types += [operation(m, operator, right) for m in start.members if m != NONE]
        return union(types)

    def value(self, value: GameValue) -> InferredType | None:
        """Return the type that one assignment gives to its target."""
        if value.annotation is not None:
            return self.annotated(value.annotation, value.scope)
        if value.kind == "value":
            return self.of(value.value, value.scope)
        if value.kind == "value item":
            return tuple_item(self.of(value.value, value.scope), value.item_index)
        if value.kind in ("element", "element item"):
            item = self.element_type(value.value, value.scope)
            part = (
                item if value.kind == "element" else tuple_item(item, value.item_index)
            )
            return self._taken(part)
        if value.kind == "augmented" and value.operator is not None:
            return operation(
                COMPUTING, value.operator, self.of(value.value, value.scope)
            )
        return None

    def element_type(
        self, node: ast.expr | None, scope: GameScope
    ) -> InferredType | None:
        """Return the type of the elements of an expression."""
        if isinstance(node, ast.Call):
            function = dotted(node.func)
            if function == "range":
                return INT
            if function == "enumerate" and node.args:
                item = self.element_type(node.args[0], scope)
                return InferredType("tuple", (INT, item)) if item else None
            if (
                function in ("sorted", "reversed", "list", "set", "tuple", "iter")
                and node.args
            ):
                return self.element_type(node.args[0], scope)
            if isinstance(node.func, ast.Attribute) and node.func.attr in (
                "values",
                "keys",
                "items",
            ):
                owner = self.of(node.func.value, scope)
                if owner and owner.name in MAPPINGS and len(owner.arguments) == 2:
                    key, item = owner.arguments
                    pair = InferredType("tuple", (key, item))
                    return {"keys": key, "values": item, "items": pair}[node.func.attr]
        if isinstance(node, ast.Name):
            annotation = self._parameter_annotation(node.id, scope)
            if annotation is not None:
                return self.iterated(annotation[0], annotation[1])
        return element(self.of(node, scope))

    def _global(self, full: str) -> InferredType | None:
        if self._program.class_named(full) is not None:
            return InferredType("type", (InferredType(full),))
        if self._program.function_named(full) is not None:
            return CALLABLE
        place = self._program.member(full)
        if place is None:
            return None
        module, name = place
        first, _, rest = name.partition(".")
        cls = self._program.class_named(f"{module.name}.{name.rpartition('.')[0]}")
        if cls is not None:  # `Color.RED`
            last = name.rpartition(".")[2]
            return InferredType(cls.name) if is_enum(cls) else self.attribute(cls, last)
        if rest or first not in module.scope.values:
            return None
        if self._is_set_elsewhere(module, name):
            return None
        return self._local(name, module.scope)

    def _is_set_elsewhere(self, module: GameModule, name: str) -> bool:
        """Return whether other modules assign a module's name: `config.level = "boss"`."""
        return any(
            self._program.named(assignment.receiver, assignment.scope) == module.name
            for assignment in self._program.assignments.get(name, ())
        )

    def _attribute(self, node: ast.Attribute, scope: GameScope) -> InferredType | None:
        full = self._global_name(node, scope)
        if full is not None and (known := self._global(full)):
            return known
        owner = without_none(self.of(node.value, scope))
        if owner is None:
            return None
        types = [self._member(member, node.attr) for member in owner.members]
        return union(types)

    def _member(self, owner: InferredType, name: str) -> InferredType | None:
        cls = self._program.class_named(owner.name)
        if cls is None:
            return LIBRARY_ATTRIBUTES.get(owner.name, {}).get(name)
        functions = cls.functions(name)
        if not functions:
            return self.attribute(cls, name)
        kinds = {decorator for f in functions for decorator in f.decorators}
        is_property = kinds & PROPERTIES
        return self._returned_by_all(cls, name) if is_property else CALLABLE


def _no_function() -> ast.FunctionDef:
    """Return a function without parameters, for comprehensions outside of functions."""
    node = ast.parse("def comprehension(): pass").body[0]
    assert isinstance(node, ast.FunctionDef)
    return node


_NO_FUNCTION = _no_function()

_BY_NODE: dict[type[ast.expr], Callable[..., InferredType | None]] = {
    ast.Constant: Expressions._constant,
    ast.JoinedStr: Expressions._f_string,
    ast.Compare: Expressions._compare,
    ast.UnaryOp: Expressions._unary,
    ast.BoolOp: Expressions._bool_op,
    ast.IfExp: Expressions._if_exp,
    ast.BinOp: Expressions._binary,
    ast.List: Expressions._list,
    ast.Set: Expressions._set,
    ast.Dict: Expressions._dict,
    ast.Tuple: Expressions._tuple,
    ast.Lambda: Expressions._lambda,
    ast.ListComp: lambda self, node, scope: self._comprehension("list", node, scope),
    ast.SetComp: lambda self, node, scope: self._comprehension("set", node, scope),
    ast.DictComp: Expressions._dict_comprehension,
    ast.Subscript: Expressions._subscript,
    ast.Name: Expressions._name,
    ast.Attribute: Expressions._attribute,
    ast.Call: Expressions._call,
    ast.NamedExpr: lambda self, node, scope: self.of(node.value, scope),
}
