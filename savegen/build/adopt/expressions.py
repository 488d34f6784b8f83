"""Find the types of expressions."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, partial

from savegen.build.scan.facts import dotted
from savegen.build.adopt.annotations import Annotations
from savegen.build.adopt.changes import Change, Changes
from savegen.build.adopt.definitions import (
    Call,
    Class,
    Function,
    Module,
    Scope,
    Value,
    decorators,
    has_parameter,
)
from savegen.build.adopt.program import Program
from savegen.build.adopt.library import (
    CONSTRUCTED,
    LIBRARY_ATTRIBUTES,
    METHOD_RESULTS,
    RETURNS,
    TAKING,
)
from savegen.build.adopt.functions import (
    UNCLEAR,
    assigned_keys,
    classes_as_values,
    default_of,
    ends_with_return,
    parameters,
    passed,
    is_enum,
)
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
    ONE_ELEMENT,
    STR,
    Type,
    element,
    of_elements,
    operation,
    table,
    tuple_part,
    union,
    without_none,
)

# Decorators that do not change what a function returns
_KNOWN_DECORATORS = frozenset(
    "property cached_property functools.cached_property staticmethod classmethod"
    " abstractmethod abc.abstractmethod override typing.override typing_extensions.override"
    " final typing.final cache functools.cache lru_cache functools.lru_cache".split()
)


_PROPERTIES = frozenset({"property", "cached_property", "functools.cached_property"})


def _is_setter(function: Function) -> bool:
    return any(n.endswith((".setter", ".deleter")) for n in decorators(function))


class Expressions(Annotations, ABC):
    """The types of a program's expressions; those of attributes are found by a subclass."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self._changes = Changes(program)
        self._inner: dict[int, Scope] = (
            {}
        )  # of comprehensions, by id of the first generator

    @abstractmethod
    def attribute(self, cls: Class, name: str) -> Type | None:
        """Return the type of an attribute of a class's objects; `None` if it is unknown."""

    @abstractmethod
    def stores(self, cls: Class, name: str) -> Iterator[Value]:
        """Yield the assignments to an attribute that can change objects of a class."""

    @abstractmethod
    def filled(self, assigned: Type, changes: Iterable[Change]) -> Type | None:
        """Return the type of a container after some changes; `None` if one is not understood."""

    def of(self, node: ast.expr | None, scope: Scope) -> Type | None:
        """Return the type of an expression; `None` if it is unknown."""
        method = _BY_NODE.get(type(node)) if node is not None else None
        if method is None:
            return None
        return self._remembered(
            ("of", id(node)), partial(method, self, node, scope), None
        )

    def _constant(self, node: ast.Constant, scope: Scope) -> Type | None:
        name = type(node.value).__name__
        return NONE if node.value is None else None if node.value is ... else Type(name)

    def _string(self, node: ast.JoinedStr, scope: Scope) -> Type:
        return STR

    def _compare(self, node: ast.Compare, scope: Scope) -> Type | None:
        if isinstance(node.ops[0], ast.Is | ast.IsNot | ast.In | ast.NotIn):
            return BOOL
        sides = [self.of(side, scope) for side in (node.left, *node.comparators)]
        plain = {BOOL, INT, FLOAT, STR, NONE}
        return (
            BOOL
            if all(s is not None and plain.issuperset(s.members) for s in sides)
            else None
        )

    def _unary(self, node: ast.UnaryOp, scope: Scope) -> Type | None:
        if isinstance(node.op, ast.Not):
            return BOOL
        operand = self.of(node.operand, scope)
        return INT if operand == BOOL else operand if operand in NUMBERS else None

    def _bool_op(self, node: ast.BoolOp, scope: Scope) -> Type | None:
        types = [self.of(value, scope) for value in node.values]
        if isinstance(node.op, ast.Or):
            types[:-1] = [without_none(type_) for type_ in types[:-1]]
        return union(types)

    def _if_exp(self, node: ast.IfExp, scope: Scope) -> Type | None:
        return union([self.of(node.body, scope), self.of(node.orelse, scope)])

    def _binary(self, node: ast.BinOp, scope: Scope) -> Type | None:
        left, right = self.of(node.left, scope), self.of(node.right, scope)
        return operation(left, node.op, right)

    def _list(self, node: ast.List, scope: Scope) -> Type | None:
        return self._container("list", node.elts, scope)

    def _set(self, node: ast.Set, scope: Scope) -> Type | None:
        return self._container("set", node.elts, scope)

    def _container(
        self, name: str, elements: list[ast.expr], scope: Scope
    ) -> Type | None:
        types: list[Type | None] = []
        for part in elements:
            if isinstance(part, ast.Starred):
                types.append(element(self.of(part.value, scope)))
            else:
                types.append(self.of(part, scope))
        return of_elements(name, union(types) if types else EMPTY)

    def _dict(self, node: ast.Dict, scope: Scope) -> Type | None:
        if None in node.keys:
            return None
        if not node.keys:
            return Type("dict", (EMPTY, EMPTY))
        key = union([self.of(key, scope) for key in node.keys])
        values = [self.of(value, scope) for value in node.values]
        constants = [k.value for k in node.keys if isinstance(k, ast.Constant)]
        return table("dict", key, values, constants)

    def _tuple(self, node: ast.Tuple, scope: Scope) -> Type | None:
        types = []
        for part in node.elts:
            type_ = None if isinstance(part, ast.Starred) else self.of(part, scope)
            if type_ is None:
                return None
            types.append(type_)
        return Type("tuple", tuple(types))

    def _lambda(self, node: ast.Lambda, scope: Scope) -> Type:
        return CALLABLE

    def _comprehension(
        self,
        name: str,
        node: ast.ListComp | ast.SetComp | ast.GeneratorExp,
        scope: Scope,
    ) -> Type | None:
        return of_elements(
            name, self.of(node.elt, self._inside(node.generators, scope))
        )

    def _dict_comprehension(self, node: ast.DictComp, scope: Scope) -> Type | None:
        inner = self._inside(node.generators, scope)
        key, value = self.of(node.key, inner), self.of(node.value, inner)
        return Type("dict", (key, value)) if key and value else None

    def _inside(self, generators: list[ast.comprehension], scope: Scope) -> Scope:
        key = id(generators[0])
        if key in self._inner:
            return self._inner[key]
        function = scope.function or _NO_FUNCTION
        inner = self._inner[key] = Scope(scope.module, scope, scope.cls, function)
        for generator in generators:
            targets = [generator.target]
            if isinstance(generator.target, ast.Tuple):
                targets = generator.target.elts
            for index, target in enumerate(targets):
                if isinstance(target, ast.Name):
                    part = targets[0] is not generator.target
                    kind = "element part" if part else "element"
                    inner.values[target.id].append(
                        Value(inner if inner.values else scope, kind, generator.iter, None, 0,
                              part=index)
                    )  # fmt: skip
        return inner

    def _subscript(self, node: ast.Subscript, scope: Scope) -> Type | None:
        owner = self.of(node.value, scope)
        if owner is None or isinstance(node.slice, ast.Slice):
            return owner if owner and owner.name in ("list", "str", "bytes") else None
        if owner.name in MAPPINGS:
            return self._at(owner, node.slice)
        if owner.name == "tuple" and isinstance(node.slice, ast.Constant):
            return tuple_part(owner, node.slice.value)
        return self._taken(element(owner))

    def _at(self, owner: Type, key: ast.expr) -> Type | None:
        """Return the type of the value that a mapping has for a key."""
        known = dict(owner.fields)
        if isinstance(key, ast.Constant) and key.value in known:
            if key.value not in self._assigned_keys:
                return known[key.value]
        return self._taken(owner.arguments[1]) if len(owner.arguments) == 2 else None

    @cached_property
    def _assigned_keys(self) -> frozenset[object]:
        return frozenset(assigned_keys(self._program))

    def _taken(self, item: Type | None) -> Type | None:
        """Return the type of an element that is taken out of a container.

        It is unknown if the elements have several kinds: nothing tells which one it is.
        """
        if item is None:
            return None
        members = [member.name for member in item.members if member != NONE]
        kinds = {
            (
                ""
                if self._program.class_named(name)
                else "float" if name == "int" else name
            )
            for name in members
        }
        return item if len(kinds) < 2 else None

    # Names and attributes

    def _name(self, node: ast.Name, scope: Scope) -> Type | None:
        inner: Scope | None = scope
        while inner is not None and inner.function is not None:
            if node.id in inner.values or has_parameter(inner.function, node.id):
                return self._local(node.id, inner)
            inner = inner.parent
        full = self._program.full_name(scope, node.id)
        return self._global(full) if full else None

    def _local(self, name: str, scope: Scope) -> Type | None:
        key = ("local", id(scope), name)
        return self._remembered(key, lambda: self._local_of(name, scope), COMPUTING)

    def _local_of(self, name: str, scope: Scope) -> Type | None:
        assigned = self.assigned(scope.values.get(name, ()), [])
        if scope.function is not None and has_parameter(scope.function, name):
            return union([assigned, self._parameter(scope, name)])
        changes = self._changes.of_variables.get((id(scope), name), ())
        return assigned and self.filled(assigned, changes)

    def assigned(
        self, values: Iterable[Value], others: Iterable[Type | None]
    ) -> Type | None:
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
        types: list[Type | None] = [start]
        for value, operator in augmented:
            right = self.of(value.value, value.scope)
            types += [operation(m, operator, right) for m in start.members if m != NONE]
        return union(types)

    def value(self, value: Value) -> Type | None:
        """Return the type that one assignment gives to its target."""
        if value.annotation is not None:
            return self.annotated(value.annotation, value.scope)
        if value.kind == "value":
            return self.of(value.value, value.scope)
        if value.kind == "part":
            return tuple_part(self.of(value.value, value.scope), value.part)
        if value.kind in ("element", "element part"):
            item = self._iterated_value(value.value, value.scope)
            part = item if value.kind == "element" else tuple_part(item, value.part)
            return self._taken(part)
        if value.kind == "augmented" and value.operator is not None:
            return operation(
                COMPUTING, value.operator, self.of(value.value, value.scope)
            )
        return None

    def _iterated_value(self, node: ast.expr | None, scope: Scope) -> Type | None:
        """Return the type of the elements of an expression."""
        if isinstance(node, ast.Call):
            function = dotted(node.func)
            if function == "range":
                return INT
            if function == "enumerate" and node.args:
                item = self._iterated_value(node.args[0], scope)
                return Type("tuple", (INT, item)) if item else None
            if (
                function in ("sorted", "reversed", "list", "set", "tuple", "iter")
                and node.args
            ):
                return self._iterated_value(node.args[0], scope)
            if isinstance(node.func, ast.Attribute) and node.func.attr in (
                "values",
                "keys",
                "items",
            ):
                owner = self.of(node.func.value, scope)
                if owner and owner.name in MAPPINGS and len(owner.arguments) == 2:
                    key, item = owner.arguments
                    pair = Type("tuple", (key, item))
                    return {"keys": key, "values": item, "items": pair}[node.func.attr]
        if isinstance(node, ast.Name):
            annotation = self._parameter_annotation(node.id, scope)
            if annotation is not None:
                return self.iterated(annotation[0], annotation[1])
        return element(self.of(node, scope))

    def _parameter_annotation(
        self, name: str, scope: Scope
    ) -> tuple[ast.expr, Scope] | None:
        inner: Scope | None = scope
        while inner is not None and inner.function is not None:
            if name in inner.values:
                return None
            for argument in parameters(inner.function):
                if argument.arg == name and argument.annotation is not None:
                    return argument.annotation, inner
            inner = inner.parent
        return None

    def _parameter(self, scope: Scope, name: str) -> Type | None:
        function = scope.function
        assert function is not None
        if scope.self_name == name and scope.cls is not None:
            return Type(scope.cls.name)
        if scope.class_name == name and scope.cls is not None:
            return Type("type", (Type(scope.cls.name),))
        if function.args.vararg is not None and function.args.vararg.arg == name:
            annotation = self.annotated(function.args.vararg.annotation, scope)
            return Type("tuple", (annotation, Type("..."))) if annotation else None
        argument = next((a for a in parameters(function) if a.arg == name), None)
        if argument is None:
            return None
        if argument.annotation is not None:
            declared = self.annotated(argument.annotation, scope)
            default = default_of(function, name)
            if isinstance(default, ast.Constant) and default.value is None:
                return union([declared, NONE])  # `name: str = None`
            return declared
        return self._argument(scope, function, name)

    def _argument(self, scope: Scope, function: Function, name: str) -> Type | None:
        """Return the union of the types that all callers pass for a parameter."""
        types: list[Type | None] = []
        if scope.cls is not None and f"{function.name}.setter" in decorators(function):
            types += map(self.value, self.stores(scope.cls, function.name))
            return union(types) if types else None
        default = default_of(function, name)
        is_method = scope.self_name is not None or scope.class_name is not None
        for call in self._calls_of(scope, function):
            if call is None or (scope.self_name and self._is_unbound(call)):
                return None
            argument = passed(call.node, function, name, is_method)
            if argument is UNCLEAR or (argument is None and default is None):
                return None
            inner = call.scope if argument else scope
            types.append(self.of(argument or default, inner))
        return union(types) if types else None

    def _is_unbound(self, call: Call) -> bool:
        """Return whether a method is called on its class: `Hero.rename(hero, "Pip")`."""
        owner, _, method = (dotted(call.node.func) or "").rpartition(".")
        full = self._program.full_name(call.scope, owner) if method else None
        return self._program.class_named(full) is not None

    def _calls_of(self, scope: Scope, function: Function) -> Iterator[Call | None]:
        """Yield all calls of a function; `None` if one may be missed."""
        if function.name == "__init__" and scope.cls is not None:
            yield from self._constructions(scope.cls)
            return
        is_known = set(decorators(function)) <= {"staticmethod", "classmethod"}
        if function.name in self._program.loaded or not is_known:
            yield None
        if scope.parent is None or scope.parent.function is not None:
            yield None
        for call in self._program.calls[function.name]:
            if self._may_call(call, scope, function):
                yield call

    def _may_call(self, call: Call, scope: Scope, function: Function) -> bool:
        """Return whether a call of the name of a function may call that function."""
        name = dotted(call.node.func)
        full = self._program.full_name(call.scope, name) if name else None
        if full is not None and self._program.function_named(full) is not None:
            return full == f"{scope.module.name}.{function.name}"
        if not isinstance(call.node.func, ast.Attribute) or scope.cls is None:
            return True
        owner = without_none(self.of(call.node.func.value, call.scope))
        if owner is None or owner is COMPUTING:
            return True
        names = {*scope.cls.family_names, "type", "|"}
        return owner.name in names or owner.name.startswith("?")

    def _constructions(self, cls: Class) -> Iterator[Call | None]:
        """Yield all calls that run the `__init__` of a class; `None` if one may be missed."""
        inheriting = [
            c for c in cls.descendants if c.method("__init__") == cls.method("__init__")
        ]
        for heir in inheriting:
            for call in self._program.calls[heir.node.name]:
                name = dotted(call.node.func)
                if name and self._program.full_name(call.scope, name) == heir.name:
                    yield call
        for call in self._program.calls["__init__"]:
            owner = (
                call.node.func.value
                if isinstance(call.node.func, ast.Attribute)
                else None
            )
            is_super = isinstance(owner, ast.Call) and dotted(owner.func) == "super"
            below = call.scope.cls
            if is_super and below is not None and below not in inheriting:
                if any(
                    base.method("__init__") == cls.method("__init__")
                    for base in below.bases
                ):
                    yield call
            elif not is_super and dotted(owner):
                if self._program.full_name(call.scope, dotted(owner) or "") == cls.name:
                    yield None
        for heir in inheriting:
            if self._is_passed_around(heir):
                yield None

    def _is_passed_around(self, cls: Class) -> bool:
        """Return whether a class is used as a value, so that other names may call it."""
        return cls.name in self._classes_as_values

    @cached_property
    def _classes_as_values(self) -> frozenset[str]:
        return frozenset(classes_as_values(self._program))

    def _global(self, full: str) -> Type | None:
        if self._program.class_named(full) is not None:
            return Type("type", (Type(full),))
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
            return Type(cls.name) if is_enum(cls) else self._class_constant(cls, last)
        if rest or first not in module.scope.values:
            return None
        if self._is_set_elsewhere(module, name):
            return None
        return self._local(name, module.scope)

    def _is_set_elsewhere(self, module: Module, name: str) -> bool:
        """Return whether other modules assign a module's name: `config.level = "boss"`."""
        for store in self._program.stores.get(name, ()):
            owner = dotted(store.receiver)
            if owner and self._program.full_name(store.scope, owner) == module.name:
                return True
        return False

    def _class_constant(self, cls: Class, name: str) -> Type | None:
        return self.attribute(cls, name)

    def _attribute(self, node: ast.Attribute, scope: Scope) -> Type | None:
        name = dotted(node)
        full = self._program.full_name(scope, name) if name else None
        if full is not None and name is not None:
            first = name.partition(".")[0]
            if not self._is_local(first, scope):
                known = self._global(full)
                if known is not None:
                    return known
        owner = without_none(self.of(node.value, scope))
        if owner is None:
            return None
        types = [self._member(member, node.attr) for member in owner.members]
        return union(types)

    def _is_local(self, name: str, scope: Scope) -> bool:
        inner: Scope | None = scope
        while inner is not None and inner.function is not None:
            if name in inner.values or has_parameter(inner.function, name):
                return True
            inner = inner.parent
        return False

    def _member(self, owner: Type, name: str) -> Type | None:
        cls = self._program.class_named(owner.name)
        if cls is None:
            return LIBRARY_ATTRIBUTES.get(owner.name, {}).get(name)
        functions = cls.functions(name)
        if not functions:
            return self.attribute(cls, name)
        kinds = {decorator for f in functions for decorator in decorators(f)}
        is_property = kinds & _PROPERTIES
        return self._returned_by_all(cls, name) if is_property else CALLABLE

    def _returned(self, function: Function, scope: Scope) -> Type | None:
        is_known = _KNOWN_DECORATORS.issuperset(decorators(function))
        if isinstance(function, ast.AsyncFunctionDef) or not is_known:
            return None
        if function.returns is not None:
            return self.annotated(function.returns, scope)
        results = self._program.results.get(id(function))
        if not results or not ends_with_return(function.body):
            return None
        key = ("result", id(function))
        return self._remembered(
            key,
            lambda: union(self.of(r, scope) if r else NONE for r in results),
            COMPUTING,
        )

    # Calls

    def _call(self, node: ast.Call, scope: Scope) -> Type | None:
        name = dotted(node.func)
        full = self._program.full_name(scope, name) if name else None
        if name and self._is_local(name.partition(".")[0], scope):
            full = None
        if full is not None:
            known = self._called(full.removeprefix("builtins."), node, scope)
            if known is not None:
                return known
        if isinstance(node.func, ast.Attribute):
            return self._called_method(node.func, node, scope)
        callee = self.of(node.func, scope)
        if callee is not None and callee.name == "type" and callee.arguments:
            return callee.arguments[0]  # `ai_class(self)`
        return None

    def _called(self, full: str, node: ast.Call, scope: Scope) -> Type | None:
        if self._program.class_named(full) is not None:
            return Type(full)
        function = self._program.function_named(full)
        if function is not None:
            return self._returned(function[1], function[0])
        if full in RETURNS:
            return RETURNS[full]
        if full in CONSTRUCTED:
            return Type(full)
        if full in ("list", "set", "frozenset", "tuple", "sorted", "collections.deque"):
            return self._converted(full, node, scope)
        if full in ("dict", "collections.OrderedDict"):
            return self._made_dict(full, node, scope)
        if full in ("abs", "round", "min", "max", "sum", "divmod", "pow"):
            return self._reduced(full, node, scope)
        if full in TAKING and node.args:
            return self._taken(self._iterated_value(node.args[0], scope))
        if full in ("copy.copy", "copy.deepcopy") and node.args:
            return self.of(node.args[0], scope)
        last = full.rpartition(".")[2]
        if "." in full and last[:1].isupper() and self._program.member(full) is None:
            return Type(full)  # a class of a library, by its name
        return None

    def _converted(self, full: str, node: ast.Call, scope: Scope) -> Type | None:
        name = "list" if full == "sorted" else full
        if not node.args:
            return Type("tuple") if name == "tuple" else of_elements(name, EMPTY)
        item = self._iterated_value(node.args[0], scope)
        if item is None:
            return None
        if name == "tuple":
            return None if item == EMPTY else Type("tuple", (item, Type("...")))
        return of_elements(name, item)

    def _made_dict(self, full: str, node: ast.Call, scope: Scope) -> Type | None:
        if not node.args and not node.keywords:
            return Type(full, (EMPTY, EMPTY))
        if len(node.args) == 1 and not node.keywords:
            given = self.of(node.args[0], scope)
            return (
                Type(full, given.arguments)
                if given and given.name in MAPPINGS
                else None
            )
        if not node.args and all(k.arg for k in node.keywords):
            values = [self.of(k.value, scope) for k in node.keywords]
            return table(full, STR, values, [k.arg for k in node.keywords])
        return None

    def _reduced(self, full: str, node: ast.Call, scope: Scope) -> Type | None:
        if full == "round":
            return (
                INT
                if len(node.args) == 1 and self.of(node.args[0], scope) in NUMBERS
                else None
            )
        if full in ("min", "max") and len(node.args) > 1:
            return union([self.of(argument, scope) for argument in node.args])
        if full in ("min", "max") and node.args:
            default = [k.value for k in node.keywords if k.arg == "default"]
            item = self._taken(self._iterated_value(node.args[0], scope))
            return union([item, *(self.of(value, scope) for value in default)])
        if full == "abs" and node.args:
            operand = self.of(node.args[0], scope)
            return operand if operand in (INT, FLOAT) else None
        return None

    def _called_method(
        self, function: ast.Attribute, node: ast.Call, scope: Scope
    ) -> Type | None:
        if (
            isinstance(function.value, ast.Call)
            and dotted(function.value.func) == "super"
        ):
            return self._called_super(function.attr, scope)
        owner = without_none(self.of(function.value, scope))
        if owner is None or owner.name == "|":
            return None
        if owner.name == "type" and owner.arguments:
            owner = owner.arguments[0]
        if owner.name == "random.Random" and function.attr == "choice" and node.args:
            return self._taken(self._iterated_value(node.args[0], scope))
        results = METHOD_RESULTS.get(owner.name, {})
        if function.attr in results:
            return results[function.attr]
        if owner.name in MAPPINGS and function.attr in ("get", "pop", "setdefault"):
            return self._got(owner, function.attr, node, scope)
        if function.attr == "copy" and owner.name in (*ONE_ELEMENT, *MAPPINGS):
            return owner
        if function.attr in ("pop", "popleft") and owner.name in ONE_ELEMENT:
            return self._taken(element(owner))
        cls = self._program.class_named(owner.name)
        method = cls.method(function.attr) if cls else None
        if cls is None or method is None:
            return None
        if self._returns_own_class(method[1], self._program.scopes[id(method[1])]):
            return owner
        return self._returned_by_all(cls, function.attr)

    def _called_super(self, name: str, scope: Scope) -> Type | None:
        for base in scope.cls.bases if scope.cls else ():
            method = base.method(name)
            if method is not None:
                return self._returned(method[1], self._program.scopes[id(method[1])])
        return None

    def _returned_by_all(self, cls: Class, name: str) -> Type | None:
        """Return the union of the results of a method and of its overrides in subclasses."""
        heirs = [f for heir in cls.descendants for f in heir.methods.get(name, ())]
        functions = dict.fromkeys([*cls.functions(name), *heirs])
        # The setter of a property has the name of its getter, and no result.
        getters = [f for f in functions if not _is_setter(f)]
        return union(self._returned(f, self._program.scopes[id(f)]) for f in getters)

    def _returns_own_class(self, function: Function, scope: Scope) -> bool:
        """Return whether a method returns the class that it is called on.

        It is annotated `-> Self`, or `self: T` and `-> T`.
        """
        returned = dotted(function.returns)
        if returned is None:
            return False
        full = self._program.full_name(scope, returned)
        if full in ("typing.Self", "typing_extensions.Self"):
            return True
        first = [a.annotation for a in parameters(function)[:1]]
        return [dotted(annotation) for annotation in first] == [returned] and (
            self._program.class_named(full) is None
        )

    def _got(
        self, owner: Type, method: str, node: ast.Call, scope: Scope
    ) -> Type | None:
        if not node.args:
            return None
        value = self._at(owner, node.args[0])
        if len(node.args) > 1:
            return union([value, self.of(node.args[1], scope)])
        return union([value, NONE]) if method == "get" else value


def _no_function() -> ast.FunctionDef:
    """Return a function without parameters, for comprehensions outside of functions."""
    node = ast.parse("def comprehension(): pass").body[0]
    assert isinstance(node, ast.FunctionDef)
    return node


_NO_FUNCTION = _no_function()

_BY_NODE: dict[type[ast.expr], Callable[..., Type | None]] = {
    ast.Constant: Expressions._constant,
    ast.JoinedStr: Expressions._string,
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
