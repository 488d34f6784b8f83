"""Find the type of an expression from the source alone, or admit that it is unknown.

A wrong mark costs more than a missing one: a type is given only if every assignment that can
reach the value is understood.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from collections import defaultdict
from contextlib import suppress
from functools import cached_property, partial

from savegen.build.adopt.program import (
    Alias,
    Call,
    Class,
    Function,
    Program,
    Scope,
    Update,
    Value,
    decorators,
    dotted,
)
from savegen.build.adopt.types import (
    BOOL,
    BYTES,
    CALLABLE,
    COMPUTING,
    EMPTY,
    FLOAT,
    INT,
    NONE,
    NUMBERS,
    STR,
    Type,
    union,
    without_none,
)

_MAX_DEPTH = 40  # of expressions and definitions followed for one type

# What calls of the standard library and of numpy return
_RETURNS = {
    **dict.fromkeys(("int", "len", "ord", "hash", "id"), INT),
    **dict.fromkeys(("bool", "isinstance", "issubclass", "callable", "any", "all", "hasattr"), BOOL),
    **dict.fromkeys(("str", "repr", "chr", "input", "format", "hex", "bin", "ascii"), STR),
    "float": FLOAT,
    "bytes": BYTES,
    "bytearray": Type("bytearray"),
    "complex": Type("complex"),
    **dict.fromkeys(("time.time", "time.monotonic", "time.perf_counter", "random.random",
                     "random.uniform", "random.gauss", "math.sqrt", "math.sin", "math.cos",
                     "math.atan2", "math.hypot", "math.radians", "math.degrees", "math.tan"), FLOAT),
    **dict.fromkeys(("random.randint", "random.randrange", "random.getrandbits", "math.floor",
                     "math.ceil", "time.time_ns"), INT),
    **dict.fromkeys(("os.path.join", "os.getcwd"), STR),
    **dict.fromkeys(("uuid.uuid1", "uuid.uuid4"), Type("uuid.UUID")),
    **dict.fromkeys(("datetime.datetime.now", "datetime.datetime.utcnow"), Type("datetime.datetime")),
    "datetime.date.today": Type("datetime.date"),
    **dict.fromkeys(
        ("numpy.zeros", "numpy.ones", "numpy.full", "numpy.empty", "numpy.array", "numpy.arange",
         "numpy.asarray", "numpy.linspace", "numpy.zeros_like", "numpy.ones_like", "numpy.full_like",
         "numpy.empty_like", "numpy.eye", "numpy.identity"),
        Type("numpy.ndarray"),
    ),
    "numpy.random.default_rng": Type("numpy.random.Generator"),
    "open": Type("io.IOBase"),
}  # fmt: skip

# Classes outside the game that a call constructs
_CONSTRUCTED = frozenset(
    {
        "random.Random", "random.SystemRandom", "decimal.Decimal", "fractions.Fraction",
        "datetime.datetime", "datetime.date", "datetime.time", "datetime.timedelta", "uuid.UUID",
        "pathlib.Path", "pathlib.PurePath", "pathlib.PurePosixPath",
    }
)  # fmt: skip

_METHOD_RESULTS = {
    "str": {**dict.fromkeys(("upper", "lower", "strip", "lstrip", "rstrip", "replace", "join", "format", "title", "capitalize", "zfill", "ljust", "rjust", "center"), STR),
            **dict.fromkeys(("startswith", "endswith", "isdigit", "isalpha"), BOOL),
            **dict.fromkeys(("count", "find", "index"), INT),
            **dict.fromkeys(("split", "splitlines"), Type("list", (STR,))), "encode": BYTES},
    "random.Random": {"random": FLOAT, "uniform": FLOAT, "gauss": FLOAT, "randint": INT, "randrange": INT, "getrandbits": INT},
}  # fmt: skip

_GENERIC = {
    "typing.List": "list", "typing.Dict": "dict", "typing.Set": "set", "typing.Tuple": "tuple",
    "typing.FrozenSet": "frozenset", "typing.Deque": "collections.deque", "typing.Type": "type",
    "typing.DefaultDict": "collections.defaultdict", "typing.OrderedDict": "collections.OrderedDict",
    "typing.Counter": "collections.Counter", "typing.Text": "str",
}  # fmt: skip

_COLLECTIONS = frozenset(
    {
        "collections.deque",
        "collections.defaultdict",
        "collections.OrderedDict",
        "collections.Counter",
    }
)
_ONE_ELEMENT = frozenset({"list", "set", "frozenset", "collections.deque"})
_MAPPINGS = frozenset({"dict", "collections.defaultdict", "collections.OrderedDict"})
_ITERATED = frozenset(
    {
        "typing.Iterable", "typing.Iterator", "typing.Sequence", "typing.Collection",
        "collections.abc.Iterable", "collections.abc.Iterator", "collections.abc.Sequence",
        "collections.abc.Collection", "collections.abc.Set", "typing.AbstractSet",
        "typing.Generator", "collections.abc.Generator", "typing.MutableSequence",
        "collections.abc.MutableSequence",
    }
)  # fmt: skip
_CALLABLES = frozenset({"typing.Callable", "collections.abc.Callable"})


class Inference:
    """The types of a program's expressions and attributes."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._known: dict[tuple[object, ...], Type | None] = {}  # by kind, id and name
        self._computing: set[tuple[object, ...]] = set()
        self._inner: dict[int, Scope] = {}  # by id of the first generator
        self._passed: defaultdict[str, list[Alias]] | None = None
        self._own: defaultdict[str, defaultdict[str, list[Value]]] | None = None
        self._cycles = (
            0  # results that depended on themselves; these are not remembered
        )
        self._depth = 0

    # Annotations

    def annotated(self, node: ast.expr | None, scope: Scope) -> Type | None:
        """Return the type that an annotation declares; `None` if it is unknown or too general."""
        if node is None:
            return None
        if isinstance(node, ast.Constant):
            return self._annotated_constant(node, scope)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            return union(
                [self.annotated(node.left, scope), self.annotated(node.right, scope)]
            )
        if isinstance(node, ast.Subscript):
            return self._subscripted(node, scope)
        name = dotted(node)
        full = self._program.full_name(scope, name) if name else None
        return self._named(full, scope)

    def _annotated_constant(self, node: ast.Constant, scope: Scope) -> Type | None:
        if node.value is None:
            return NONE
        if isinstance(node.value, str):
            with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
                return self.annotated(ast.parse(node.value, mode="eval").body, scope)
        return None

    def _named(self, full: str | None, scope: Scope) -> Type | None:
        if full is None:
            return None
        if full in _CALLABLES:
            return CALLABLE
        if full in ("typing.Self", "typing_extensions.Self") and scope.cls is not None:
            return Type(scope.cls.name)
        if full in ("typing.Any", "builtins.object") or full in _ITERATED:
            return None
        if self._program.class_named(full) is not None:
            return Type(full)
        if self._program.member(full) is not None:
            return self._alias(full)
        if full.startswith(("typing.", "typing_extensions.")):
            generic = _GENERIC.get(full)
            return Type(generic) if generic == "str" else None
        name = full.removeprefix("builtins.")
        # A bare `list` does not say what it contains.
        return (
            None
            if name in ("list", "dict", "set", "tuple", "frozenset", "type")
            else Type(name)
        )

    def _alias(self, full: str) -> Type | None:
        """Return the type that a module-level name such as `Point = Tuple[int, int]` stands for."""
        place = self._program.member(full)
        assert place is not None
        module, name = place
        values = module.scope.values.get(name, ())
        if len(values) != 1 or values[0].value is None:
            return None
        node = values[0].value
        if isinstance(node, ast.Call):  # `NewType`, `TypeVar`, `namedtuple`
            return self._called_alias(node, module.scope)
        return self._remembered(
            ("alias", full), lambda: self.annotated(node, module.scope), None
        )

    def _called_alias(self, node: ast.Call, scope: Scope) -> Type | None:
        function = self._program.full_name(scope, dotted(node.func) or "?")
        if function == "typing.TypeVar":
            bound = [k.value for k in node.keywords if k.arg == "bound"]
            return self.annotated(bound[0], scope) if bound else None
        if function == "typing.NewType" and len(node.args) == 2:
            return self.annotated(node.args[1], scope)
        return None

    def _subscripted(self, node: ast.Subscript, scope: Scope) -> Type | None:
        name = dotted(node.value)
        full = (self._program.full_name(scope, name) if name else None) or ""
        full = _GENERIC.get(full, full).removeprefix("builtins.")
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if full in _CALLABLES:
            return CALLABLE
        if full in ("typing.Optional", "typing.Union"):
            types = [self.annotated(part, scope) for part in parts]
            return union([*types, NONE] if full == "typing.Optional" else types)
        if full in (
            "typing.Final",
            "typing.Annotated",
            "typing.Required",
            "typing.NotRequired",
        ):
            return self.annotated(parts[0], scope)
        if full in ("typing.Literal", "typing.ClassVar"):
            return None
        if full == "tuple":
            return self._tuple_type(parts, scope)
        if full in _ITERATED or (full.startswith("typing.")):
            return None
        arguments = tuple(self.annotated(part, scope) for part in parts)
        if full.startswith("numpy."):
            return Type("numpy.ndarray") if "array" in full.lower() else Type(full)
        if None in arguments or not full:
            return None
        cls = self._program.class_named(full)
        return Type(full, arguments)  # type: ignore[arg-type]

    def _tuple_type(self, parts: list[ast.expr], scope: Scope) -> Type | None:
        if len(parts) == 1 and isinstance(parts[0], ast.Tuple) and not parts[0].elts:
            return Type("tuple")
        types: list[Type] = []
        for part in parts:
            if isinstance(part, ast.Constant) and part.value is ...:
                types.append(Type("..."))
                continue
            type_ = self.annotated(part, scope)
            if type_ is None:
                return None
            types.append(type_)
        return Type("tuple", tuple(types))

    def iterated(self, node: ast.expr | None, scope: Scope) -> Type | None:
        """Return the element type of an annotation such as `Iterable[Entity]`."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            with suppress(SyntaxError, ValueError):
                return self.iterated(ast.parse(node.value, mode="eval").body, scope)
        if isinstance(node, ast.Subscript):
            name = dotted(node.value)
            full = self._program.full_name(scope, name) if name else None
            if full in _ITERATED:
                first = (
                    node.slice.elts[0]
                    if isinstance(node.slice, ast.Tuple)
                    else node.slice
                )
                return self.annotated(first, scope)
        return element(self.annotated(node, scope))

    # Expressions

    def of(self, node: ast.expr | None, scope: Scope) -> Type | None:
        """Return the type of an expression; `None` if it is unknown."""
        method = _BY_NODE.get(type(node)) if node is not None else None
        if method is None:
            return None
        return self._remembered(
            ("of", id(node)), partial(method, self, node, scope), None
        )

    def _remembered(
        self,
        key: tuple[object, ...],
        compute: Callable[[], Type | None],
        cyclic: Type | None,
    ) -> Type | None:
        """Return `compute()`, remembered unless it depends on itself; `cyclic` inside of itself."""
        if key in self._known:
            return self._known[key]
        if key in self._computing or self._depth >= _MAX_DEPTH:
            self._cycles += 1
            return cyclic if key in self._computing else None
        cycles = self._cycles
        self._computing.add(key)
        self._depth += 1
        try:
            type_ = compute()
        finally:
            self._computing.discard(key)
            self._depth -= 1
        if cycles == self._cycles or not self._computing:
            self._known[key] = type_
        return type_

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
        value = union([self.of(value, scope) for value in node.values])
        return Type("dict", (key, value)) if key and value else None

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
        if owner.name in _MAPPINGS:
            return owner.arguments[1] if len(owner.arguments) == 2 else None
        if owner.name == "tuple" and isinstance(node.slice, ast.Constant):
            return _part(owner, node.slice.value)
        return element(owner)

    # Names and attributes

    def _name(self, node: ast.Name, scope: Scope) -> Type | None:
        inner: Scope | None = scope
        while inner is not None and inner.function is not None:
            if node.id in inner.values or _has_parameter(inner.function, node.id):
                return self._local(node.id, inner)
            inner = inner.parent
        full = self._program.full_name(scope, node.id)
        return self._global(full) if full else None

    def _local(self, name: str, scope: Scope) -> Type | None:
        key = ("local", id(scope), name)
        return self._remembered(key, lambda: self._local_of(name, scope), COMPUTING)

    def _local_of(self, name: str, scope: Scope) -> Type | None:
        types = [self.value(value) for value in scope.values.get(name, ())]
        if scope.function is not None and _has_parameter(scope.function, name):
            types.append(self._parameter(scope, name))
        return union(types)

    def value(self, value: Value) -> Type | None:
        """Return the type that one assignment gives to its target."""
        if value.annotation is not None:
            return self.annotated(value.annotation, value.scope)
        if value.kind == "value":
            return self.of(value.value, value.scope)
        if value.kind == "part":
            return _part(self.of(value.value, value.scope), value.part)
        if value.kind in ("element", "element part"):
            item = self._iterated_value(value.value, value.scope)
            return item if value.kind == "element" else _part(item, value.part)
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
                if owner and owner.name in _MAPPINGS and len(owner.arguments) == 2:
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
            for argument in _parameters(inner.function):
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
        argument = next((a for a in _parameters(function) if a.arg == name), None)
        if argument is None:
            return None
        if argument.annotation is not None:
            declared = self.annotated(argument.annotation, scope)
            default = _default(function, name)
            if isinstance(default, ast.Constant) and default.value is None:
                return union([declared, NONE])  # `name: str = None`
            return declared
        return self._argument(scope, function, name)

    def _argument(self, scope: Scope, function: Function, name: str) -> Type | None:
        """Return the union of the types that all callers pass for a parameter of `__init__`."""
        if function.name != "__init__" or scope.cls is None or scope.parent is None:
            return None
        types: list[Type | None] = []
        default = _default(function, name)
        for call in self._constructions(scope.cls):
            if call is None:
                return None
            passed = _passed(call.node, function, name)
            if passed is _UNCLEAR:
                return None
            types.append(self.of(passed or default, call.scope if passed else scope))
        if not types:
            return None
        return union(types)

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
        return frozenset(_classes_as_values(self._program))

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
        return self._local(name, module.scope)

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
            if name in inner.values or _has_parameter(inner.function, name):
                return True
            inner = inner.parent
        return False

    def _member(self, owner: Type, name: str) -> Type | None:
        cls = self._program.class_named(owner.name)
        if cls is None:
            return None
        method = cls.method(name)
        if method is None:
            return self.attribute(cls, name)
        declaring, function = method
        scope = self._program.scopes[id(function)]
        if {"property", "cached_property", "functools.cached_property"} & set(
            decorators(function)
        ):
            return self._returned(function, scope)
        return CALLABLE

    def _returned(self, function: Function, scope: Scope) -> Type | None:
        if isinstance(function, ast.AsyncFunctionDef):
            return None
        if function.returns is not None:
            return self.annotated(function.returns, scope)
        results = self._program.results.get(id(function))
        if not results or not _ends_with_return(function.body):
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
        if full in _RETURNS:
            return _RETURNS[full]
        if full in _CONSTRUCTED:
            return Type(full)
        if full in ("list", "set", "frozenset", "tuple", "sorted", "collections.deque"):
            return self._converted(full, node, scope)
        if full in ("dict", "collections.OrderedDict"):
            return self._made_dict(full, node, scope)
        if full in ("abs", "round", "min", "max", "sum", "divmod", "pow"):
            return self._reduced(full, node, scope)
        if full == "random.choice" and node.args:
            return self._iterated_value(node.args[0], scope)
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
                if given and given.name in _MAPPINGS
                else None
            )
        if not node.args and all(k.arg for k in node.keywords):
            value = union([self.of(k.value, scope) for k in node.keywords])
            return Type(full, (STR, value)) if value else None
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
            owner: Type | None = None
            for base in scope.cls.bases if scope.cls else ():
                owner = Type(base.name)
        else:
            owner = without_none(self.of(function.value, scope))
        if owner is None or owner.name == "|":
            return None
        if owner.name == "type" and owner.arguments:
            owner = owner.arguments[0]
        if owner.name == "random.Random" and function.attr == "choice" and node.args:
            return self._iterated_value(node.args[0], scope)
        results = _METHOD_RESULTS.get(owner.name, {})
        if function.attr in results:
            return results[function.attr]
        if owner.name in _MAPPINGS and function.attr in ("get", "pop", "setdefault"):
            return self._got(owner, function.attr, node, scope)
        if function.attr == "copy" and owner.name in (*_ONE_ELEMENT, *_MAPPINGS):
            return owner
        if function.attr in ("pop", "popleft") and owner.name in _ONE_ELEMENT:
            return element(owner)
        cls = self._program.class_named(owner.name)
        method = cls.method(function.attr) if cls else None
        if method is None:
            return None
        return self._returned(method[1], self._program.scopes[id(method[1])])

    def _got(
        self, owner: Type, method: str, node: ast.Call, scope: Scope
    ) -> Type | None:
        if len(owner.arguments) != 2:
            return None
        value = owner.arguments[1]
        if len(node.args) > 1:
            return union([value, self.of(node.args[1], scope)])
        return union([value, NONE]) if method == "get" else value

    # Attributes of classes

    def attribute(self, cls: Class, name: str) -> Type | None:
        """Return the type of an attribute of a class's objects; `None` if it is unknown."""
        key = ("attribute", id(cls), name)
        return self._remembered(key, lambda: self._attribute_of(cls, name), COMPUTING)

    def _attribute_of(self, cls: Class, name: str) -> Type | None:
        declared = self.declaration(cls, name)
        if declared is not None:
            return self.annotated(*declared)
        stores = list(self.stores(cls, name))
        sure = [s for s in stores if self.is_sure(s, cls)]
        types = [self.value(store) for store in sure]
        for base in cls.family:
            if name in base.constants:
                types.append(self.of(base.constants[name], base.inside))
        if not types:
            return None
        assigned = union(types)
        if assigned is None:
            return None
        complete = self._filled(cls, name, assigned)
        if complete is None:
            return None
        # An assignment to an object of unknown type must not add a type of its own.
        others = [self.value(store) for store in stores if store not in sure]
        others += [self.value(value) for base in cls.family for value in base.computed]
        return complete if union([complete, *others]) == complete else None

    def declaration(self, cls: Class, name: str) -> tuple[ast.expr, Scope] | None:
        """Return the annotation of an attribute, and the scope in which it is evaluated."""
        for base in cls.ancestors:
            if name in base.annotations:
                return base.annotations[name].annotation, base.inside
        for store in self.stores(cls, name):
            if store.annotation is not None and store.scope.cls in cls.family:
                return store.annotation, store.scope
        return None

    def stores(self, cls: Class, name: str) -> Iterator[Value]:
        """Yield the assignments to an attribute that can change objects of a class."""
        for store in self._program.stores.get(name, ()):
            if store.receiver is None or self._may_be(store.receiver, store.scope, cls):
                yield store

    def own_stores(self, cls: Class) -> dict[str, list[Value]]:
        """Return the assignments to attributes of `self` in a class, and to its known objects."""
        if self._own is None:
            self._own = defaultdict(lambda: defaultdict(list))
            for name, stores in self._program.stores.items():
                for store in stores:
                    owner = self._owner(store)
                    if owner is not None:
                        self._own[owner.name][name].append(store)
        return self._own[cls.name]

    def _owner(self, store: Value) -> Class | None:
        assert store.receiver is not None
        if isinstance(store.receiver, ast.Name):
            owner = self._self_class(store.receiver.id, store.scope)
            if owner is not None:
                return owner
        type_ = without_none(self.of(store.receiver, store.scope))
        return self._program.class_named(type_.name) if type_ is not None else None

    def _self_class(self, name: str, scope: Scope) -> Class | None:
        """Return the class whose `self` a name is; `None` if it is another name."""
        inner: Scope | None = scope
        while inner is not None and inner.function is not None:
            if inner.self_name == name:
                return inner.cls
            inner = inner.parent
        return None

    def class_stores(self, cls: Class, name: str) -> Iterator[Value]:
        """Yield the assignments to an attribute of the class itself: `Enemy.count += 1`."""
        for store in self._program.stores.get(name, ()):
            type_ = self.of(store.receiver, store.scope)
            if type_ is not None and type_.name == "type" and type_.arguments:
                if type_.arguments[0].name in cls.family_names:
                    yield store

    def is_sure(self, store: Value, cls: Class) -> bool:
        """Return whether the receiver of an assignment is known to be of a class."""
        return (
            store.receiver is None or self._is(store.receiver, store.scope, cls) is True
        )

    def _may_be(self, receiver: ast.expr, scope: Scope, cls: Class) -> bool:
        return self._is(receiver, scope, cls) is not False

    def _is(self, receiver: ast.expr, scope: Scope, cls: Class) -> bool | None:
        """Return whether an expression is an object of a class's family; `None` if unknown."""
        if isinstance(receiver, ast.Name):
            owner = self._self_class(receiver.id, scope)
            if owner is not None:
                return owner in cls.family
        type_ = without_none(self.of(receiver, scope))
        if type_ is None or type_ is COMPUTING:
            return None
        for member in type_.members:
            other = self._program.class_named(member.name)
            if member.name in cls.family_names:
                return True
            if member.name.startswith("?"):
                return None
            if other is None and member.name not in _NOT_OBJECTS and "." in member.name:
                if member.name in cls.all_foreign_bases:
                    return None
        return False

    def _filled(self, cls: Class, name: str, assigned: Type) -> Type | None:
        """Complete the element types of a container with what is added to it."""
        if assigned.name not in (*_ONE_ELEMENT, *_MAPPINGS, "|"):
            return assigned
        types: list[Type | None] = [assigned]
        for update in self._updates(cls, name):
            if update is None:
                return None
            types += [self._added(m, update) for m in assigned.members if m != NONE]
        return union(types)

    def _updates(self, cls: Class, name: str) -> Iterator[Update | None]:
        """Yield what is added to a container in an attribute; `None` if something may be missed."""
        for update in self._program.updates.get(name, ()):
            if self._may_be(update.receiver, update.scope, cls):
                yield update
        for alias in self._program.aliases.get(name, ()):
            if self._may_be(alias.receiver, alias.scope, cls):
                yield from alias.scope.updates.get(alias.name, ())
        for call in self._passed_to(name):
            if self._may_be(call.receiver, call.scope, cls):
                yield None

    def _passed_to(self, name: str) -> list[Alias]:
        """Return the uses of an attribute as an argument that the called function may fill."""
        if self._passed is None:
            self._passed = defaultdict(list)
            for calls in self._program.calls.values():
                for scope, node in calls:
                    for argument in [*node.args, *(k.value for k in node.keywords)]:
                        if isinstance(argument, ast.Attribute) and self._fills(
                            scope, node
                        ):
                            alias = Alias(scope, "", argument.value)
                            self._passed[argument.attr].append(alias)
        return self._passed[name]

    def _fills(self, scope: Scope, call: ast.Call) -> bool:
        """Return whether a called function of the game adds to one of its parameters."""
        name = (dotted(call.func) or "").rpartition(".")[2]
        for function in self._functions.get(name, ()):
            inner = self._program.scopes[id(function)]
            if any(argument.arg in inner.updates for argument in _parameters(function)):
                return True
        return False

    @cached_property
    def _functions(self) -> dict[str, list[Function]]:
        functions: defaultdict[str, list[Function]] = defaultdict(list)
        for scope in self._program.scopes.values():
            if scope.function is not None:
                functions[scope.function.name].append(scope.function)
        return functions

    def _added(self, container: Type, update: Update) -> Type | None:
        arguments = update.arguments
        of = partial(self.of, scope=update.scope)
        if update.method in ("append", "appendleft", "add") and len(arguments) == 1:
            return of_elements(container.name, of(arguments[0]))
        if update.method == "insert" and len(arguments) == 2:
            return of_elements(container.name, of(arguments[1]))
        if update.method in ("extend", "extendleft", "update") and len(arguments) == 1:
            if container.name in _MAPPINGS:
                given = of(arguments[0])
                return (
                    Type(container.name, given.arguments)
                    if given and given.name in _MAPPINGS
                    else None
                )
            return of_elements(
                container.name, self._iterated_value(arguments[0], update.scope)
            )
        if update.method in ("[]=", "setdefault") and len(arguments) == 2:
            key, value = of(arguments[0]), of(arguments[1])
            if container.name in _MAPPINGS:
                return Type(container.name, (key, value)) if key and value else None
            return (
                of_elements(container.name, value) if container.name == "list" else None
            )
        return container if update.method == "[]?=" else None


def _no_function() -> ast.FunctionDef:
    """Return a function without parameters, for comprehensions outside of functions."""
    node = ast.parse("def comprehension(): pass").body[0]
    assert isinstance(node, ast.FunctionDef)
    return node


_NO_FUNCTION = _no_function()
_NOT_OBJECTS = frozenset(
    {"int", "float", "bool", "str", "bytes", "None", "list", "dict", "set", "tuple"}
)

_BY_NODE: dict[type[ast.expr], Callable[..., Type | None]] = {
    ast.Constant: Inference._constant,
    ast.JoinedStr: Inference._string,
    ast.Compare: Inference._compare,
    ast.UnaryOp: Inference._unary,
    ast.BoolOp: Inference._bool_op,
    ast.IfExp: Inference._if_exp,
    ast.BinOp: Inference._binary,
    ast.List: Inference._list,
    ast.Set: Inference._set,
    ast.Dict: Inference._dict,
    ast.Tuple: Inference._tuple,
    ast.Lambda: Inference._lambda,
    ast.ListComp: lambda self, node, scope: self._comprehension("list", node, scope),
    ast.SetComp: lambda self, node, scope: self._comprehension("set", node, scope),
    ast.DictComp: Inference._dict_comprehension,
    ast.Subscript: Inference._subscript,
    ast.Name: Inference._name,
    ast.Attribute: Inference._attribute,
    ast.Call: Inference._call,
    ast.NamedExpr: lambda self, node, scope: self.of(node.value, scope),
}


def of_elements(name: str, item: Type | None) -> Type | None:
    """Return the type of a container; a mapping's keys or a tuple's items are not one type."""
    if item is None or name not in _ONE_ELEMENT:
        return None
    return Type(name, (item,))


def element(type_: Type | None) -> Type | None:
    """Return the type of the elements of a container; `None` if it is unknown."""
    if type_ is None:
        return None
    if type_ is COMPUTING:
        return COMPUTING
    if type_.name == "str":
        return STR
    if type_.name in (*_ONE_ELEMENT, *_MAPPINGS) and type_.arguments:
        return type_.arguments[0]
    if type_.name == "tuple" and type_.arguments:
        return union(a for a in type_.arguments if a.name != "...")
    return None


def _part(type_: Type | None, index: object) -> Type | None:
    if type_ is None or type_.name != "tuple" or not isinstance(index, int):
        return None
    arguments = type_.arguments
    if len(arguments) == 2 and arguments[1].name == "...":
        return arguments[0]
    return arguments[index] if -len(arguments) <= index < len(arguments) else None


def operation(
    left: Type | None, operator: ast.operator, right: Type | None
) -> Type | None:
    """Return the type of `left operator right`; `None` if it is unknown."""
    if left is None or right is None:
        return None
    if left is COMPUTING:
        left = right if right.name != "?computing" else left
    if right is COMPUTING:
        right = left
    if left is COMPUTING:
        return COMPUTING
    if left in NUMBERS and right in NUMBERS:
        if isinstance(operator, ast.Div) or FLOAT in (left, right):
            return FLOAT
        if isinstance(operator, ast.Pow):
            return None
        both = left == right == BOOL and isinstance(
            operator, ast.BitAnd | ast.BitOr | ast.BitXor
        )
        return BOOL if both else INT
    if left == STR and isinstance(operator, ast.Mod):
        return STR
    if isinstance(operator, ast.Mult) and INT in (left, right):
        other = right if left == INT else left
        return other if other.name in ("str", "list", "bytes") else None
    if isinstance(operator, ast.Add) and left.name == right.name:
        return union([left, right]) if left.name in ("str", "list", "bytes") else None
    if left == right and left.name in ("set", "frozenset"):
        return left
    arrays = [side for side in (left, right) if side.name == "numpy.ndarray"]
    if arrays:
        return (
            arrays[0]
            if left in (*NUMBERS, *arrays) and right in (*NUMBERS, *arrays)
            else None
        )
    return None


def _ends_with_return(body: list[ast.stmt]) -> bool:
    """Return whether a function cannot end without `return` or `raise`."""
    last = body[-1]
    if isinstance(last, ast.If):
        return (
            _ends_with_return(last.body)
            and bool(last.orelse)
            and _ends_with_return(last.orelse)
        )
    if isinstance(last, ast.With):
        return _ends_with_return(last.body)
    return isinstance(last, ast.Return | ast.Raise)


def _parameters(function: Function) -> list[ast.arg]:
    arguments = function.args
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]


def _has_parameter(function: Function, name: str) -> bool:
    rest = [a for a in (function.args.vararg, function.args.kwarg) if a is not None]
    return any(argument.arg == name for argument in (*_parameters(function), *rest))


def _default(function: Function, name: str) -> ast.expr | None:
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults: dict[str, ast.expr | None] = {
        argument.arg: default
        for argument, default in zip(reversed(positional), reversed(arguments.defaults))
    }
    defaults |= {a.arg: d for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults)}
    return defaults.get(name)


_UNCLEAR = ast.Constant("the call hides this argument")


def _passed(call: ast.Call, function: Function, name: str) -> ast.expr | None:
    """Return the argument that a call passes for a parameter; `None` if it passes none."""
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword.value
    positional = [a.arg for a in (*function.args.posonlyargs, *function.args.args)][1:]
    starred = any(isinstance(argument, ast.Starred) for argument in call.args)
    if starred or any(keyword.arg is None for keyword in call.keywords):
        return _UNCLEAR
    index = positional.index(name) if name in positional else len(call.args)
    return call.args[index] if index < len(call.args) else None


def _classes_as_values(program: Program) -> Iterator[str]:
    """Yield the classes that the game uses other than by calling them or in annotations."""
    for module in program.modules.values():
        parents = _uses(module.tree)
        for node in parents:
            name = dotted(node)
            if name is None:
                continue
            full = program.full_name(module.scope, name)
            if full is not None and full in program.classes:
                yield full


def _uses(tree: ast.AST) -> list[ast.expr]:
    """Return the names and attributes that are passed, stored or returned as values."""
    uses: list[ast.expr] = []
    for node in ast.walk(tree):
        values: Iterable[ast.expr | None] = ()
        if isinstance(node, ast.Call):
            function = dotted(node.func)
            if function in ("isinstance", "issubclass", "super", "cast", "typing.cast"):
                continue
            values = [*node.args, *(keyword.value for keyword in node.keywords)]
        elif isinstance(node, ast.Assign | ast.AnnAssign | ast.Return):
            values = [node.value]
        elif isinstance(node, ast.List | ast.Tuple | ast.Set):
            values = node.elts
        elif isinstance(node, ast.Dict):
            values = [*node.keys, *node.values]
        elif isinstance(node, ast.IfExp):
            values = [node.body, node.orelse]
        elif isinstance(node, ast.For):
            values = [node.iter]
        uses += [v for v in values if isinstance(v, ast.Name | ast.Attribute)]
    return uses


def is_enum(cls: Class) -> bool:
    """Return whether a class is an enumeration."""
    names = {name.rpartition(".")[2] for name in cls.all_foreign_bases}
    return bool(names & {"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"})
