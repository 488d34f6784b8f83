"""Index one file: its classes, functions and imports, and what is assigned, changed and called."""

from __future__ import annotations

import ast
from collections import defaultdict

from savegen.build.adopt.definitions import (
    GameCall,
    GameClass,
    GameFunction,
    FunctionNode,
    GameModule,
    GameScope,
    Update,
    GameValue,
    self_class,
    text_of,
)
from savegen.build.scan.facts import dotted
from savegen.build.scan.names import absolute_module

# The methods of containers that add their arguments
_ADDING = frozenset(
    "append appendleft add insert extend extendleft update setdefault subtract".split()
)
# Functions that add their second argument to the container in the first one
_PUSHING = frozenset(
    "heappush heapreplace heappushpop insort insort_left insort_right".split()
)
# The augmented assignments that change a list, set or dict in place, by what they do
_IN_PLACE: dict[type[ast.operator], str] = {
    ast.Add: "extend",
    ast.BitOr: "update",
    ast.BitXor: "update",
}
_GENERATED = ast.Name("<generator>")  # in place of the result of a generator


class Index:
    """The assignments, updates and calls of a program, by the last name in them."""

    def __init__(self) -> None:
        self.assignments: defaultdict[str, list[GameValue]] = defaultdict(list)
        self.updates: list[Update] = []
        self.loaded: set[str] = set()  # names that are used other than to call them
        self.calls: defaultdict[str, list[GameCall]] = defaultdict(list)
        self.functions: defaultdict[str, list[GameFunction]] = defaultdict(list)


class Indexer(ast.NodeVisitor):
    """Fills a module and an index with the classes, functions and assignments of one file."""

    def __init__(self, index: Index, module: GameModule) -> None:
        self._index = index
        self._module = module
        self._scope = module.scope = GameScope(module)
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
        at_top = not isinstance(self._scope, GameFunction)
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
        cls = GameClass(self._module, qualname, node, self._scope)
        if qualname in self._module.classes:
            self._module.repeated.add(qualname)
        self._module.classes[qualname] = cls
        for child in (*node.decorator_list, *node.bases):
            self.visit(child)
        outer = self._scope, self._prefix
        self._scope = GameScope(self._module, self._scope, cls)
        self._prefix = f"{qualname}."
        for statement in node.body:
            self._class_statement(cls, statement)
            self.visit(statement)
        self._scope, self._prefix = outer

    def _class_statement(self, cls: GameClass, node: ast.stmt) -> None:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            cls.annotations[node.target.id] = node
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    cls.constants[target.id] = node.value

    def visit_FunctionDef(self, node: FunctionNode) -> None:
        function = GameFunction(node, self._scope)
        self._index.functions[node.name].append(function)
        if self._scope.parent is None:
            self._module.functions[node.name] = function
        elif not isinstance(self._scope, GameFunction) and self._scope.cls is not None:
            self._scope.cls.methods.setdefault(node.name, []).append(function)
        else:
            self._scope.values[node.name].append(
                GameValue(self._scope, "unknown", None, None, node.lineno)
            )
        for decorator in node.decorator_list:
            self.visit(decorator)
        arguments = node.args
        for default in (*arguments.defaults, *arguments.kw_defaults):
            if default is not None:
                self.visit(default)
        outer = self._scope, self._prefix
        self._scope = function
        self._prefix += f"{node.name}.<locals>."
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
            function = self._scope
            return isinstance(function, GameFunction) and function.has_parameter(
                value.id
            )
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
        self._unknown(node)

    def visit_MatchAs(self, node: ast.MatchAs) -> None:
        self._unknown(node)

    def visit_MatchStar(self, node: ast.MatchStar) -> None:
        self._unknown(node)

    def _unknown(self, node: ast.ExceptHandler | ast.MatchAs | ast.MatchStar) -> None:
        """Note that a statement gives a name a value that is not followed."""
        if node.name:
            value = GameValue(self._scope, "unknown", None, None, node.lineno)
            self._name(node.name, value)
        self.generic_visit(node)

    def visit_Global(self, node: ast.Global) -> None:
        self._scope.outer |= dict.fromkeys(node.names, self._module.scope)

    def visit_Nonlocal(self, node: ast.Nonlocal) -> None:
        outer = self._scope.parent
        for name in node.names:
            while isinstance(outer, GameFunction) and name not in outer.values:
                outer = outer.parent
            if outer is not None:
                self._scope.outer[name] = outer

    def _name(self, name: str, value: GameValue) -> None:
        scope = self._scope.outer.get(name, self._scope)
        scope.values[name].append(value)

    def _bind(
        self,
        target: ast.expr,
        kind: str,
        value: ast.expr | None,
        annotation: ast.expr | None = None,
        operator: ast.operator | None = None,
        item_index: int | None = None,
    ) -> None:
        place = self._scope, kind, value, annotation, target.lineno
        assignment = GameValue(*place, operator=operator, item_index=item_index)
        if isinstance(target, ast.Tuple | ast.List):
            self._unpack(target, kind, value)
        elif isinstance(target, ast.Starred):
            self._bind(target.value, "unknown", None)
        elif isinstance(target, ast.Name):
            self._name(target.id, assignment)
        elif isinstance(target, ast.Attribute):
            owner = self_class(target.value, self._scope)
            made = assignment._replace(receiver=target.value, owner=owner)
            self._index.assignments[target.attr].append(made)
        elif isinstance(target, ast.Subscript):
            if kind == "augmented" and value is not None:
                self._update(target.value, "[]op=", [target.slice, value], operator)
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
        self._index.updates.append(update)

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
                self._bind(element, f"{kind} item", value, item_index=index)
            else:
                self._bind(element, "unknown", None)

    # Results

    def visit_Return(self, node: ast.Return) -> None:
        if isinstance(self._scope, GameFunction):
            self._scope.results.append(node.value)
        self.generic_visit(node)

    def visit_Yield(self, node: ast.Yield | ast.YieldFrom) -> None:
        if isinstance(self._scope, GameFunction):
            self._scope.results.append(_GENERATED)
            self._scope.yields += [node.value] if node.value is not None else []
        self.generic_visit(node)

    visit_YieldFrom = visit_Yield

    # Calls

    def visit_Call(self, node: ast.Call) -> None:
        function = node.func
        if isinstance(function, ast.Attribute):
            self.visit(function.value)
            self._index.calls[function.attr].append(GameCall(self._scope, node))
            if function.attr in _ADDING:
                self._update(function.value, function.attr, node.args)
        elif isinstance(function, ast.Name):
            self._index.calls[function.id].append(GameCall(self._scope, node))
        else:
            self.visit(function)
        name = (dotted(function) or "").rpartition(".")[2]
        if name in _PUSHING and len(node.args) >= 2:
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
            self._index.loaded.add(node.attr)
            if node.attr in _ADDING:  # `add = self.items.append`
                self._update(node.value, "unknown", [ast.Constant(node.attr)])
        self.visit(node.value)

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self._index.loaded.add(node.id)

    def _note_computed_name(self, node: ast.Call) -> None:
        """Note `setattr(self, name, value)` in the class."""
        scope = self._scope
        if (
            scope.cls is None
            or not isinstance(scope, GameFunction)
            or not scope.self_name
        ):
            return
        if dotted(node.func) == "setattr" and len(node.args) == 3:
            owner, name, value = node.args
            if dotted(owner) == scope.self_name and text_of(name) is None:
                assigned = GameValue(scope, "value", value, None, node.lineno)
                scope.cls.computed.append(assigned)
