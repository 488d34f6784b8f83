"""Index a game's source: its classes, functions and imports, and where attributes are assigned.

Only the standard library's `ast` reads the source here. Nothing is imported or run.
"""

from __future__ import annotations

import ast
import builtins
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple, TypeAlias

from savegen.build.scan.facts import dotted
from savegen.build.scan.names import absolute_module
from savegen.build.source import Project, SourceFile, Undecodable

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef

_BUILTINS = frozenset(dir(builtins))
_MAX_HOPS = 16  # imports followed for one name


class Scope:
    """A module, class or function: the place in which an expression is evaluated."""

    def __init__(
        self,
        module: Module,
        parent: Scope | None = None,
        cls: Class | None = None,
        function: Function | None = None,
    ) -> None:
        self.module = module
        self.parent = parent
        self.cls = cls  # the innermost class
        self.function = function
        self.outer: dict[str, Scope] = {}  # of `global` and `nonlocal` names
        self.values: defaultdict[str, list[Value]] = defaultdict(list)

    @cached_property
    def self_name(self) -> str | None:
        """The first parameter of a method."""
        return None if self._is_classmethod else self._first_parameter

    @cached_property
    def class_name(self) -> str | None:
        """The first parameter of a class method."""
        return self._first_parameter if self._is_classmethod else None

    @property
    def _is_classmethod(self) -> bool:
        return self.function is not None and "classmethod" in decorators(self.function)

    @property
    def _first_parameter(self) -> str | None:
        if self.function is None or self.cls is None or self.parent is None:
            return None
        if self.parent.function is not None or "staticmethod" in decorators(
            self.function
        ):
            return None
        arguments = self.function.args
        names = [*arguments.posonlyargs, *arguments.args]
        return names[0].arg if names else None


class Value(NamedTuple):
    """One assignment to a name or an attribute."""

    scope: Scope
    # "value", "element" (of `for … in value`), "part" (of a tuple), "element part" (of `for a, b
    # in value`), "augmented" or "unknown"
    kind: str
    value: ast.expr | None
    annotation: ast.expr | None
    line: int
    receiver: ast.expr | None = None  # `x` of `x.name = value`
    operator: ast.operator | None = None  # of an augmented assignment
    part: int | None = None  # the index of the element of a tuple that is unpacked


class Update(NamedTuple):
    """A statement that adds to a container: `owner.method(arguments)`."""

    scope: Scope
    owner: ast.expr
    # "append", "add", …; "[]=" for `owner[key] = value`, "[]op=" for `owner[key] += value`,
    # "[]?=" for `owner[key], x = value`, "kept" if another object gets the container,
    # "unknown" if the method in the only argument may be called
    method: str
    arguments: list[ast.expr]
    operator: ast.operator | None = None  # of `owner[key] += value`


class Call(NamedTuple):
    """A call, in the scope that makes it."""

    scope: Scope
    node: ast.Call


@dataclass(eq=False)
class Class:
    """One class statement."""

    module: Module
    qualname: str
    node: ast.ClassDef
    scope: Scope
    methods: dict[str, list[Function]] = field(default_factory=dict)
    annotations: dict[str, ast.AnnAssign] = field(default_factory=dict)
    constants: dict[str, ast.expr] = field(default_factory=dict)
    # What methods assign to attributes whose names they compute
    computed: list[Value] = field(default_factory=list)
    bases: list[Class] = field(default_factory=list)  # of the project
    subclasses: list[Class] = field(default_factory=list)
    foreign_bases: list[str] = field(default_factory=list)  # full names

    @property
    def name(self) -> str:
        return f"{self.module.name}.{self.qualname}"

    @cached_property
    def inside(self) -> Scope:
        """The scope of the statements of the class body."""
        return Scope(self.module, self.scope, self)

    @cached_property
    def ancestors(self) -> tuple[Class, ...]:
        """The class and its bases, in about the order in which Python looks up attributes."""
        return _closure(self, lambda cls: cls.bases)

    @cached_property
    def descendants(self) -> tuple[Class, ...]:
        """The class and all classes derived from it."""
        return _closure(self, lambda cls: cls.subclasses)

    @cached_property
    def family(self) -> frozenset[Class]:
        """The class, its ancestors and its descendants."""
        return frozenset((*self.ancestors, *self.descendants))

    @cached_property
    def family_names(self) -> frozenset[str]:
        return frozenset(cls.name for cls in self.family)

    @cached_property
    def all_foreign_bases(self) -> list[str]:
        return [name for cls in self.ancestors for name in cls.foreign_bases]

    def functions(self, name: str) -> list[Function]:
        """Return the functions of a method or property: its getter, setter and deleter."""
        return next((c.methods[name] for c in self.ancestors if name in c.methods), [])

    def method(self, name: str) -> tuple[Class, Function] | None:
        for cls in self.ancestors:
            if name in cls.methods:
                return cls, cls.methods[name][-1]
        return None


def _closure(
    start: Class, following: Callable[[Class], list[Class]]
) -> tuple[Class, ...]:
    reached = [start]
    for cls in reached:
        reached += (other for other in following(cls) if other not in reached)
    return tuple(reached)


@dataclass(eq=False)
class Module:
    """One source file."""

    name: str
    path: str
    tree: ast.Module
    is_package: bool
    imports: dict[str, str] = field(default_factory=dict)  # name → full name
    not_at_runtime: set[str] = field(
        default_factory=set
    )  # names whose import does not run at module level
    stars: list[str] = field(default_factory=list)
    classes: dict[str, Class] = field(default_factory=dict)  # by qualname
    repeated: set[str] = field(default_factory=set)  # qualnames of several classes
    functions: dict[str, Function] = field(
        default_factory=dict
    )  # of the module's top level
    scope: Scope = None  # type: ignore[assignment]  # set by the indexer

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


class Program:
    """All modules of a game, and the assignments, updates and calls in them by name."""

    def __init__(self, files: Iterable[SourceFile]) -> None:
        self.modules: dict[str, Module] = {}
        self.unreadable: dict[str, tuple[int, str]] = {}  # path → line, reason
        self.stores: defaultdict[str, list[Value]] = defaultdict(list)
        self.updates: list[Update] = []
        self.loaded: set[str] = set()  # names that are used other than to call them
        self.calls: defaultdict[str, list[Call]] = defaultdict(list)
        self.scopes: dict[int, Scope] = {}  # by id of the function node
        # likewise
        self.results: defaultdict[int, list[ast.expr | None]] = defaultdict(list)
        self.yields: defaultdict[int, list[ast.expr]] = defaultdict(list)
        for file in files:
            self._read(file)
        for module in self.modules.values():
            _Indexer(self, module).visit_module()
        self.classes = {
            cls.name: cls for m in self.modules.values() for cls in m.classes.values()
        }
        for cls in self.classes.values():
            self._link_bases(cls)

    def _read(self, file: SourceFile) -> None:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", SyntaxWarning)
                tree = ast.parse(file.text)
        except Undecodable as error:
            self.unreadable[file.path] = error.line, error.reason
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            line = getattr(error, "lineno", None) or 1
            reason = getattr(error, "msg", None) or "nested too deeply"
            self.unreadable[file.path] = line, reason
        else:
            self.modules[file.module] = Module(
                file.module, file.path, tree, file.is_package
            )

    def _link_bases(self, cls: Class) -> None:
        for node in cls.node.bases:
            if isinstance(node, ast.Subscript):
                node = node.value
            name = dotted(node)
            full = self.full_name(cls.scope, name) if name else None
            base = self.class_named(full)
            if base is not None and base is not cls:
                cls.bases.append(base)
                base.subclasses.append(cls)
            else:
                cls.foreign_bases.append(full or "?")

    # Names

    def class_named(self, full_name: str | None) -> Class | None:
        return self.classes.get(full_name) if full_name else None

    def full_name(self, scope: Scope, name: str) -> str | None:
        """Return the full name that a dotted name means in a scope; `None` if it is unknown.

        A class or function of the game is named by the module that defines it, whatever
        modules re-export it.
        """
        first, _, rest = name.partition(".")
        start = self._first(scope, first)
        return self.origin(f"{start}.{rest}" if rest else start) if start else None

    def _first(self, scope: Scope, name: str) -> str | None:
        module = scope.module
        cls = scope.cls
        while cls is not None:  # a nested class
            inner = f"{cls.qualname}.{name}"
            if inner in module.classes:
                return f"{module.name}.{inner}"
            outer = cls.qualname.rpartition(".")[0]
            cls = module.classes.get(outer)
        function: Scope | None = scope
        while function is not None and function.function is not None:
            if name in function.values:
                return None
            function = function.parent
        return self._in_module(module, name)

    def _in_module(self, module: Module, name: str) -> str | None:
        found = self._exported(module, name, set())
        return found or (f"builtins.{name}" if name in _BUILTINS else None)

    def _exported(self, module: Module, name: str, visited: set[str]) -> str | None:
        """Return what a name of a module means, also by `from … import *`."""
        if name in module.classes or name in module.functions:
            return f"{module.name}.{name}"
        if name in module.imports:
            return module.imports[name]
        if module.scope is not None and name in module.scope.values:
            return f"{module.name}.{name}"
        visited.add(module.name)
        for star in reversed(module.stars):  # the last one replaces names of the others
            other = self.modules.get(star)
            if other and star not in visited and _is_public(other, name):
                if found := self._exported(other, name, visited):
                    return found
        return None

    def origin(self, full_name: str) -> str:
        """Follow re-exports: `game.Actor` → `game.actors.Actor`."""
        for _ in range(_MAX_HOPS):
            module, rest = self._split(full_name)
            if module is None or not rest:
                return full_name
            first, _, more = rest.partition(".")
            if rest in module.classes or first in module.classes:
                return full_name
            target = self._in_module(module, first)
            if target is None or target.startswith("builtins."):
                return full_name
            following = f"{target}.{more}" if more else target
            if following == full_name:
                return full_name
            full_name = following
        return full_name

    def _split(self, full_name: str) -> tuple[Module | None, str]:
        """Split a full name into the longest known module and the rest."""
        name, rest = full_name, ""
        while name:
            if name in self.modules:
                return self.modules[name], rest
            name, _, last = name.rpartition(".")
            rest = f"{last}.{rest}" if rest else last
        return None, full_name

    def member(self, full_name: str) -> tuple[Module, str] | None:
        """Return the module and the name in it, if a full name names a member of a module."""
        module, rest = self._split(full_name)
        return (module, rest) if module is not None and rest else None

    def function_named(self, full_name: str) -> tuple[Scope, Function] | None:
        place = self.member(full_name)
        if place is None or place[1] not in place[0].functions:
            return None
        function = place[0].functions[place[1]]
        return self.scopes[id(function)], function


def _is_public(module: Module, name: str) -> bool:
    """Return whether `from module import *` imports a name that the module has."""
    public = module.public
    return not name.startswith("_") if public is None else name in public


def decorators(node: Function | ast.ClassDef) -> list[str]:
    """Return the dotted names of the decorators, without their arguments."""
    nodes = [d.func if isinstance(d, ast.Call) else d for d in node.decorator_list]
    return [dotted(decorator) or "?" for decorator in nodes]


def is_saveable(program: Program, cls: Class) -> bool:
    """Return whether a class has the decorator `@saveable`, whatever its local name is."""
    names = (program.full_name(cls.scope, name) for name in decorators(cls.node))
    return any(
        name in ("savegen.saveable", "savegen.runtime.saveable") for name in names
    )


def project_files(project: Project) -> Iterator[SourceFile]:
    """Yield the files of a project, and do not keep their bytes."""
    for module in project:
        yield project.file(module)
        project.forget([module])


# The methods of containers that add their arguments
ADDING = frozenset(
    {
        "append",
        "appendleft",
        "add",
        "insert",
        "extend",
        "extendleft",
        "update",
        "setdefault",
    }
)


# Functions that add their second argument to the container in the first one
PUSHING = frozenset(
    {"heappush", "heapreplace", "heappushpop", "insort", "insort_left", "insort_right"}
)


def self_class(node: ast.expr | None, scope: Scope) -> Class | None:
    """Return the class whose `self` a name is; `None` if it is another expression."""
    inner: Scope | None = scope
    while isinstance(node, ast.Name) and inner and inner.function is not None:
        if inner.self_name == node.id:
            return inner.cls
        inner = inner.parent
    return None


def has_parameter(function: Function, name: str) -> bool:
    arguments = function.args
    rest = [a for a in (arguments.vararg, arguments.kwarg) if a is not None]
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return any(argument.arg == name for argument in (*named, *rest))


def text_of(node: ast.expr) -> str | None:
    """Return the value of a text in the source; `None` for any other expression."""
    is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return node.value if is_text else None  # type: ignore[attr-defined]


# The augmented assignments that change a list, set or dict in place, by what they do
_IN_PLACE: dict[type[ast.operator], str] = {
    ast.Add: "extend",
    ast.BitOr: "update",
    ast.BitXor: "update",
}
_GENERATED = ast.Name("<generator>")  # in place of the result of a generator


class _Indexer(ast.NodeVisitor):
    """Fills a module and the program with the classes, functions and assignments of one file."""

    def __init__(self, program: Program, module: Module) -> None:
        self._program = program
        self._module = module
        self._scope = module.scope = Scope(module)
        self._prefix = ""
        self._types_only = False

    def visit_module(self) -> None:
        for node in self._module.tree.body:
            self.visit(node)

    # Imports

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            first = alias.name.partition(".")[0]
            self._import(alias.asname or first, alias.name if alias.asname else first)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        module = self._module
        source = absolute_module(
            module.name, module.is_package, node.level, node.module
        )
        if source is None:
            return
        for alias in node.names:
            if alias.name == "*":
                module.stars.append(source)
                if self._types_only:
                    module.not_at_runtime.add("*")
            else:
                self._import(alias.asname or alias.name, f"{source}.{alias.name}")

    def _import(self, name: str, target: str) -> None:
        if name not in self._module.imports or not self._types_only:
            self._module.imports[name] = target
        at_top = self._scope.function is None
        if self._types_only or not at_top:
            self._module.not_at_runtime.add(name)
        else:
            self._module.not_at_runtime.discard(name)

    def visit_If(self, node: ast.If) -> None:
        test = (dotted(node.test) or "").rpartition(".")[2]
        outer, self._types_only = self._types_only, test == "TYPE_CHECKING"
        for child in node.body:
            self.visit(child)
        self._types_only = outer
        self.visit(node.test)
        for child in node.orelse:
            self.visit(child)

    # Scopes

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        qualname = self._prefix + node.name
        cls = Class(self._module, qualname, node, self._scope)
        if qualname in self._module.classes:
            self._module.repeated.add(qualname)
        self._module.classes[qualname] = cls
        for child in (*node.decorator_list, *node.bases):
            self.visit(child)
        outer = self._scope, self._prefix
        self._scope = Scope(self._module, self._scope, cls, None)
        self._prefix = f"{qualname}."
        for statement in node.body:
            self._class_statement(cls, statement)
            self.visit(statement)
        self._scope, self._prefix = outer

    def _class_statement(self, cls: Class, node: ast.stmt) -> None:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            cls.annotations[node.target.id] = node
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    cls.constants[target.id] = node.value
        elif isinstance(node, Function):
            cls.methods.setdefault(node.name, []).append(node)

    def visit_FunctionDef(self, node: Function) -> None:
        if self._scope.parent is None:
            self._module.functions[node.name] = node
        elif self._scope.function is not None:
            self._scope.values[node.name].append(
                Value(self._scope, "unknown", None, None, node.lineno)
            )
        for decorator in node.decorator_list:
            self.visit(decorator)
        arguments = node.args
        for default in (*arguments.defaults, *arguments.kw_defaults):
            if default is not None:
                self.visit(default)
        outer = self._scope, self._prefix
        self._scope = Scope(self._module, self._scope, self._scope.cls, node)
        self._prefix += f"{node.name}.<locals>."
        self._program.scopes[id(node)] = self._scope
        for statement in node.body:
            self.visit(statement)
        self._scope, self._prefix = outer

    visit_AsyncFunctionDef = visit_FunctionDef

    # Assignments

    def visit_Assign(self, node: ast.Assign) -> None:
        for target in node.targets:
            self._bind(target, "value", node.value)
            if self._is_shared(target, node.value):
                self._update(node.value, "kept", [])
        self.generic_visit(node)

    def _is_shared(self, target: ast.expr, value: ast.expr) -> bool:
        """Return whether an assignment gives an object what another object may have, too."""
        if isinstance(value, ast.Name) and not isinstance(target, ast.Name):
            function = self._scope.function
            return function is not None and has_parameter(function, value.id)
        if isinstance(target, ast.Attribute) and isinstance(value, ast.Attribute):
            return dotted(target.value) != dotted(value.value)
        return False

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self._bind(node.target, "value", node.value, node.annotation)
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self._bind(node.target, "augmented", node.value, operator=node.op)
        if type(node.op) in _IN_PLACE and not isinstance(node.target, ast.Subscript):
            self._update(node.target, _IN_PLACE[type(node.op)], [node.value])
        self.generic_visit(node)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self._bind(node.target, "value", node.value)
        self.generic_visit(node)

    def visit_For(self, node: ast.For | ast.AsyncFor) -> None:
        self._bind(node.target, "element", node.iter)
        self.generic_visit(node)

    visit_AsyncFor = visit_For

    def visit_With(self, node: ast.With | ast.AsyncWith) -> None:
        for item in node.items:
            if item.optional_vars is not None:
                self._bind(item.optional_vars, "unknown", item.context_expr)
        self.generic_visit(node)

    visit_AsyncWith = visit_With

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.name:
            self._name(
                node.name, Value(self._scope, "unknown", None, None, node.lineno)
            )
        self.generic_visit(node)

    def visit_MatchAs(self, node: ast.MatchAs) -> None:
        if node.name:
            self._name(
                node.name, Value(self._scope, "unknown", None, None, node.lineno)
            )
        self.generic_visit(node)

    def visit_MatchStar(self, node: ast.MatchStar) -> None:
        if node.name:
            self._name(
                node.name, Value(self._scope, "unknown", None, None, node.lineno)
            )

    def visit_Global(self, node: ast.Global) -> None:
        self._scope.outer |= dict.fromkeys(node.names, self._module.scope)

    def visit_Nonlocal(self, node: ast.Nonlocal) -> None:
        outer = self._scope.parent
        for name in node.names:
            while outer is not None and outer.function is not None:
                if name in outer.values:
                    break
                outer = outer.parent
            if outer is not None:
                self._scope.outer[name] = outer

    def _name(self, name: str, value: Value) -> None:
        scope = self._scope.outer.get(name, self._scope)
        scope.values[name].append(value)

    def _bind(
        self,
        target: ast.expr,
        kind: str,
        value: ast.expr | None,
        annotation: ast.expr | None = None,
        operator: ast.operator | None = None,
        part: int | None = None,
    ) -> None:
        if isinstance(target, ast.Tuple | ast.List):
            self._unpack(target, kind, value)
        elif isinstance(target, ast.Starred):
            self._bind(target.value, "unknown", None)
        elif isinstance(target, ast.Name):
            self._name(
                target.id,
                Value(
                    self._scope,
                    kind,
                    value,
                    annotation,
                    target.lineno,
                    None,
                    operator,
                    part,
                ),
            )
        elif isinstance(target, ast.Attribute):
            self._program.stores[target.attr].append(
                Value(
                    self._scope,
                    kind,
                    value,
                    annotation,
                    target.lineno,
                    target.value,
                    operator,
                    part,
                )
            )
        elif isinstance(target, ast.Subscript):
            if kind == "augmented" and value is not None:
                self._update(target.value, "[]op=", [value], operator)
            elif kind != "value" or value is None:
                self._update(target.value, "[]?=", [])
            elif isinstance(target.slice, ast.Slice):
                self._update(target.value, "extend", [value])
            else:
                self._update(target.value, "[]=", [target.slice, value])

    def _update(
        self,
        owner: ast.expr,
        method: str,
        arguments: list[ast.expr],
        operator: ast.operator | None = None,
    ) -> None:
        update = Update(self._scope, owner, method, arguments, operator)
        self._program.updates.append(update)

    def _unpack(
        self, target: ast.Tuple | ast.List, kind: str, value: ast.expr | None
    ) -> None:
        same = (
            kind == "value"
            and isinstance(value, ast.Tuple | ast.List)
            and len(value.elts) == len(target.elts)
            and not any(isinstance(e, ast.Starred) for e in (*value.elts, *target.elts))
        )
        for index, element in enumerate(target.elts):
            if same:
                self._bind(element, "value", value.elts[index])  # type: ignore[union-attr]
            elif kind in ("value", "element") and not isinstance(
                element, ast.Tuple | ast.List
            ):
                part = "part" if kind == "value" else "element part"
                self._bind(element, part, value, part=index)
            else:
                self._bind(element, "unknown", None)

    # Results

    def visit_Return(self, node: ast.Return) -> None:
        self._program.results[id(self._scope.function)].append(node.value)
        self.generic_visit(node)

    def visit_Yield(self, node: ast.Yield | ast.YieldFrom) -> None:
        self._program.results[id(self._scope.function)].append(_GENERATED)
        if node.value is not None:
            self._program.yields[id(self._scope.function)].append(node.value)
        self.generic_visit(node)

    visit_YieldFrom = visit_Yield

    # Calls

    def visit_Call(self, node: ast.Call) -> None:
        function = node.func
        if isinstance(function, ast.Attribute):
            self.visit(function.value)
            self._program.calls[function.attr].append(Call(self._scope, node))
            if function.attr in ADDING:
                self._update(function.value, function.attr, node.args)
        elif isinstance(function, ast.Name):
            self._program.calls[function.id].append(Call(self._scope, node))
        else:
            self.visit(function)
        name = (dotted(function) or "").rpartition(".")[2]
        if name in PUSHING and len(node.args) >= 2:
            self._update(node.args[0], "append", [node.args[1]])
        self._note_computed_name(node)
        if (
            name == "setattr"
            and len(node.args) == 3
            and (text := text_of(node.args[1]))
        ):
            target = ast.copy_location(ast.Attribute(node.args[0], text), node)
            self._bind(target, "value", node.args[2])
        for argument in [*node.args, *node.keywords]:
            self.visit(argument)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if isinstance(node.ctx, ast.Load):
            self._program.loaded.add(node.attr)
            if node.attr in ADDING:  # `add = self.items.append`
                self._update(node.value, "unknown", [ast.Constant(node.attr)])
        self.visit(node.value)

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self._program.loaded.add(node.id)

    def _note_computed_name(self, node: ast.Call) -> None:
        """Note `setattr(self, name, value)` in the class."""
        if self._scope.cls is None or self._scope.self_name is None:
            return
        if dotted(node.func) == "setattr" and len(node.args) == 3:
            owner, name, value = node.args
            if dotted(owner) == self._scope.self_name and text_of(name) is None:
                assigned = Value(self._scope, "value", value, None, node.lineno)
                self._scope.cls.computed.append(assigned)
