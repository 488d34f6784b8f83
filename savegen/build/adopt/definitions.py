"""The parts of a program: modules, classes, scopes, and what happens to names and attributes."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple, TypeAlias

from savegen.build.scan.facts import dotted

FunctionNode: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
PROPERTIES = frozenset({"property", "cached_property", "functools.cached_property"})


class GameScope:
    """A module, class or function: the place in which an expression is evaluated."""

    def __init__(
        self,
        module: GameModule,
        parent: GameScope | None = None,
        cls: GameClass | None = None,
    ) -> None:
        self.module = module
        self.parent = parent
        self.cls = cls  # the innermost class
        self.outer: dict[str, GameScope] = {}  # of `global` and `nonlocal` names
        self.values: defaultdict[str, list[GameValue]] = defaultdict(list)

    def binding(self, name: str) -> GameFunction | None:
        """Return the innermost function that binds a name; `None` if the name is not local."""
        inner: GameScope | None = self
        while isinstance(inner, GameFunction):
            if name in inner.values or inner.has_parameter(name):
                return inner
            inner = inner.parent
        return None


class GameFunction(GameScope):
    """A function or method, and the scope of its statements."""

    def __init__(self, node: FunctionNode, outer: GameScope) -> None:
        super().__init__(outer.module, outer, outer.cls)
        self.node = node
        self.name = node.name
        self.results: list[ast.expr | None] = []  # what it returns
        self.yields: list[ast.expr] = []

    @cached_property
    def decorators(self) -> list[str]:
        return decorators(self.node)

    @cached_property
    def positional(self) -> list[ast.arg]:
        """The parameters that a call may pass by their position."""
        return [*self.node.args.posonlyargs, *self.node.args.args]

    @property
    def parameters(self) -> list[ast.arg]:
        """The parameters, without `*args` and `**options`."""
        return [*self.positional, *self.node.args.kwonlyargs]

    def has_parameter(self, name: str) -> bool:
        arguments = self.node.args
        rest = [a for a in (arguments.vararg, arguments.kwarg) if a is not None]
        return any(argument.arg == name for argument in (*self.parameters, *rest))

    def default_of(self, name: str) -> ast.expr | None:
        arguments = self.node.args
        last_first = zip(reversed(self.positional), reversed(arguments.defaults))
        by_keyword = zip(arguments.kwonlyargs, arguments.kw_defaults)
        defaults = {a.arg: default for a, default in (*last_first, *by_keyword)}
        return defaults.get(name)

    @cached_property
    def self_name(self) -> str | None:
        """The first parameter of a method."""
        return None if "classmethod" in self.decorators else self._first_parameter

    @cached_property
    def cls_name(self) -> str | None:
        """The first parameter of a class method."""
        return self._first_parameter if "classmethod" in self.decorators else None

    @property
    def _first_parameter(self) -> str | None:
        is_inner = self.cls is None or isinstance(self.parent, GameFunction)
        if is_inner or "staticmethod" in self.decorators or not self.positional:
            return None
        return self.positional[0].arg


class GameValue(NamedTuple):
    """One assignment to a name or an attribute."""

    scope: GameScope
    # "value", "element" (of `for … in value`), "value item" (of a tuple), "element item" (of `for a, b
    # in value`), "augmented" or "unknown"
    kind: str
    value: ast.expr | None
    annotation: ast.expr | None
    line: int
    receiver: ast.expr | None = None  # `x` of `x.name = value`
    owner: GameClass | None = None  # whose `self` the receiver is
    operator: ast.operator | None = None  # of an augmented assignment
    item_index: int | None = None  # of an item of a tuple that is unpacked


class Update(NamedTuple):
    """A statement that adds to a container: `owner.method(arguments)`."""

    scope: GameScope
    owner: ast.expr
    # "append", "add", …; "[]=" for `owner[key] = value`, "[]op=" for `owner[key] += value`,
    # "[]?=" for `owner[key], x = value`, "kept" if another object gets the container,
    # "unknown" if the method in the only argument may be called
    method: str
    arguments: list[ast.expr]
    operator: ast.operator | None = None  # of `owner[key] += value`


class GameCall(NamedTuple):
    """A call, in the scope that makes it."""

    scope: GameScope
    node: ast.Call


@dataclass(eq=False)
class GameClass:
    """One class statement."""

    module: GameModule
    qualname: str
    node: ast.ClassDef
    scope: GameScope
    methods: dict[str, list[GameFunction]] = field(default_factory=dict)
    annotations: dict[str, ast.AnnAssign] = field(default_factory=dict)
    constants: dict[str, ast.expr] = field(default_factory=dict)
    # What methods assign to attributes whose names they compute
    computed: list[GameValue] = field(default_factory=list)
    bases: list[GameClass] = field(default_factory=list)  # of the project
    subclasses: list[GameClass] = field(default_factory=list)
    foreign_bases: list[str] = field(default_factory=list)  # full names

    @property
    def name(self) -> str:
        return f"{self.module.name}.{self.qualname}"

    @cached_property
    def inside(self) -> GameScope:
        """The scope of the statements of the class body."""
        return GameScope(self.module, self.scope, self)

    @cached_property
    def ancestors(self) -> tuple[GameClass, ...]:
        """The class and its bases, in about the order in which Python looks up attributes."""
        return _closure(self, lambda cls: cls.bases)

    @cached_property
    def descendants(self) -> tuple[GameClass, ...]:
        """The class and all classes derived from it."""
        return _closure(self, lambda cls: cls.subclasses)

    @cached_property
    def family(self) -> frozenset[GameClass]:
        """The class, its ancestors and its descendants."""
        return frozenset((*self.ancestors, *self.descendants))

    @cached_property
    def family_names(self) -> frozenset[str]:
        return frozenset(cls.name for cls in self.family)

    @cached_property
    def all_foreign_bases(self) -> list[str]:
        return [name for cls in self.ancestors for name in cls.foreign_bases]

    def functions(self, name: str) -> list[GameFunction]:
        """Return the functions of a method or property: its getter, setter and deleter."""
        return next((c.methods[name] for c in self.ancestors if name in c.methods), [])

    def method(self, name: str) -> GameFunction | None:
        """Return the function that a call of a method runs."""
        functions = self.functions(name)
        return functions[-1] if functions else None


def _closure(
    start: GameClass, following: Callable[[GameClass], list[GameClass]]
) -> tuple[GameClass, ...]:
    reached = [start]
    for cls in reached:
        reached += (other for other in following(cls) if other not in reached)
    return tuple(reached)


@dataclass(eq=False)
class GameModule:
    """One source file."""

    name: str
    path: str
    tree: ast.Module
    is_package: bool
    imports: dict[str, str] = field(default_factory=dict)  # name → full name
    # Names whose import does not run at module level
    not_at_runtime: set[str] = field(default_factory=set)
    stars: list[str] = field(default_factory=list)
    classes: dict[str, GameClass] = field(default_factory=dict)  # by qualname
    repeated: set[str] = field(default_factory=set)  # qualnames of several classes
    functions: dict[str, GameFunction] = field(default_factory=dict)  # of the top level
    scope: GameScope = None  # type: ignore[assignment]  # set by the indexer

    @cached_property
    def has_lazy_annotations(self) -> bool:
        """Whether annotations are not evaluated: `from __future__ import annotations`."""
        return "annotations" in {
            alias.name
            for node in self.tree.body
            if isinstance(node, ast.ImportFrom) and node.module == "__future__"
            for alias in node.names
        }

    @cached_property
    def public(self) -> frozenset[str] | None:
        """The names in `__all__`; `None` if there is none, or if it is computed."""
        values = [v.value for v in self.scope.values.get("__all__", ())]
        if not all(isinstance(v, ast.List | ast.Tuple) for v in values):
            return None
        texts = [text_of(e) for v in values for e in v.elts]  # type: ignore[union-attr]
        return frozenset(filter(None, texts)) if all(texts) and values else None


def decorators(node: FunctionNode | ast.ClassDef) -> list[str]:
    """Return the dotted names of the decorators, without their arguments."""
    nodes = [d.func if isinstance(d, ast.Call) else d for d in node.decorator_list]
    return [dotted(decorator) or "?" for decorator in nodes]


def self_class(node: ast.expr | None, scope: GameScope) -> GameClass | None:
    """Return the class whose `self` a name is; `None` if it is another expression."""
    inner: GameScope | None = scope
    while isinstance(node, ast.Name) and isinstance(inner, GameFunction):
        if inner.self_name == node.id:
            return inner.cls
        inner = inner.parent
    return None


def are_unrelated(one: GameClass | None, other: GameClass | None) -> bool:
    """Return whether no object can be one of both classes."""
    return one is not None and other is not None and other not in one.family


def text_of(node: ast.expr) -> str | None:
    """Return the value of a text in the source; `None` for any other expression."""
    is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return node.value if is_text else None  # type: ignore[attr-defined]
