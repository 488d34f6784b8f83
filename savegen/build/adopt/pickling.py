"""Find the attributes that a class leaves out of its pickles, or assigns when it is unpickled."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator

from savegen.build.adopt.definitions import GameClass, FunctionNode
from savegen.build.scan.facts import dotted

_WRITERS = ("__getstate__", "__reduce__", "__reduce_ex__")
METHODS = frozenset({*_WRITERS, "__setstate__"})


def unpickled(cls: GameClass) -> dict[str, str]:
    """Return the attributes whose values do not come from a pickle, and why.

    What a method does only under some condition does not count: it may convert older pickles.
    """
    reasons = {}
    for method in _WRITERS:
        for name in _found(cls, method, _left_out):
            reasons[name] = f"its `{method}` leaves it out"
    for name in _found(cls, "__setstate__", _assigned):
        reasons.setdefault(name, "its `__setstate__` assigns it")
    return reasons


def _found(
    cls: GameClass, method: str, find: Callable[[FunctionNode], Iterable[str]]
) -> set[str]:
    """Return the names that a method gives, if the overrides in subclasses keep that."""
    functions = [
        c.methods[method][-1].node for c in cls.ancestors if method in c.methods
    ]
    names = {name for function in functions for name in find(function)}
    for subclass in cls.descendants[1:]:
        for function in subclass.methods.get(method, ())[-1:]:
            if not _calls_super(function.node):
                names &= {*find(function.node)}
    return names


def _calls_super(function: FunctionNode) -> bool:
    calls = (node for node in ast.walk(function) if isinstance(node, ast.Call))
    return any(dotted(call.func) == "super" for call in calls)


def _left_out(function: FunctionNode) -> Iterator[str]:
    """Yield the attributes that are removed from the state which a method returns."""
    returned = {*_returned(function)}
    for statement, loops in _unconditional(function.body, {}):
        for owner, key in _removals(statement):
            if owner in returned:
                yield from loops.get(dotted(key) or "", _texts([key]))
    for node in ast.walk(function):
        if isinstance(node, ast.DictComp):
            yield from _filtered(node)


def _returned(function: FunctionNode) -> Iterator[str]:
    for node in ast.walk(function):
        if isinstance(node, ast.Return):
            parts = (
                node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
            )
            yield from (part.id for part in parts if isinstance(part, ast.Name))


_Loops = dict[str, list[str]]  # the texts that the variable of a loop has


def _unconditional(
    body: Iterable[ast.stmt], loops: _Loops
) -> Iterator[tuple[ast.stmt, _Loops]]:
    """Yield the statements of a function that are executed each time, with their loops."""
    for statement in body:
        yield statement, loops
        if isinstance(statement, ast.With | ast.Try):
            yield from _unconditional(statement.body, loops)
        elif isinstance(statement, ast.If) and _asks_for_key(statement.test):
            yield from _unconditional(statement.body, loops)
        elif isinstance(statement, ast.For) and isinstance(statement.target, ast.Name):
            inner = {statement.target.id: [*_texts(_elements(statement.iter))]}
            yield from _unconditional(statement.body, loops | inner)


def _asks_for_key(test: ast.expr) -> bool:
    """Return whether a condition is `"name" in state`."""
    return isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.In)


def _removals(statement: ast.stmt) -> Iterator[tuple[str, ast.expr]]:
    """Yield the name of the state and the key of `del state[key]` and `state.pop(key)`.

    `state[key] = None` removes a value, too.
    """
    targets: list[ast.expr] = []
    if isinstance(statement, ast.Delete):
        targets = statement.targets
    elif isinstance(statement, ast.Assign) and _is_none(statement.value):
        targets = statement.targets
    elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        function, arguments = statement.value.func, statement.value.args
        if isinstance(function, ast.Attribute) and function.attr == "pop" and arguments:
            yield dotted(function.value) or "", arguments[0]
    for target in targets:
        if isinstance(target, ast.Subscript):
            yield dotted(target.value) or "", target.slice


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _filtered(node: ast.DictComp) -> Iterator[str]:
    """Yield the names that `{k: v for k, v in self.__dict__.items() if k != "name"}` drops."""
    generator = node.generators[0]
    source = generator.iter.func if isinstance(generator.iter, ast.Call) else None
    if not (dotted(source) or "").endswith(".__dict__.items") and not _is_vars(source):
        return
    if len(generator.ifs) != 1 or len(node.generators) != 1:
        return
    test = generator.ifs[0]
    if isinstance(test, ast.Compare) and dotted(test.left) == dotted(node.key):
        if isinstance(test.ops[0], ast.NotEq | ast.NotIn) and len(test.ops) == 1:
            yield from _texts(_elements(test.comparators[0]))


def _is_vars(source: ast.expr | None) -> bool:
    """Return whether an expression is `vars(self).items`."""
    owner = source.value if isinstance(source, ast.Attribute) else None
    return isinstance(owner, ast.Call) and dotted(owner.func) == "vars"


def _elements(node: ast.expr) -> list[ast.expr]:
    return node.elts if isinstance(node, ast.Tuple | ast.List | ast.Set) else [node]


def _texts(nodes: Iterable[ast.expr]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _assigned(function: FunctionNode) -> Iterator[str]:
    """Yield the attributes that `__setstate__` assigns after it has used the state."""
    own, *others = [argument.arg for argument in function.args.args] or [""]
    local = {*others, *_stored_names(function)}
    uses = [n for n, s in enumerate(function.body) if _names(s) & local]
    for statement in function.body[max(uses, default=-1) + 1 :]:
        for target in _targets(statement):
            if isinstance(target, ast.Attribute) and dotted(target.value) == own:
                yield target.attr


def _targets(statement: ast.stmt) -> list[ast.expr]:
    if isinstance(statement, ast.AnnAssign) and statement.value is not None:
        return [statement.target]
    return statement.targets if isinstance(statement, ast.Assign) else []


def _stored_names(function: FunctionNode) -> Iterator[str]:
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def _names(statement: ast.stmt) -> set[str]:
    return {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}
