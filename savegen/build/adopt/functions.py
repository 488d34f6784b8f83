"""Look at functions and calls: parameters, defaults, arguments, and classes used as values."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from savegen.build.scan.facts import dotted
from savegen.build.adopt.definitions import GameClass, GameFunction, decorators
from savegen.build.adopt.program import Program


def argument_for(call: ast.Call, function: GameFunction, name: str) -> ast.expr | None:
    """Return the argument that a call passes for a parameter; `None` if it passes none.

    The result is `UNCLEAR` if a `*` or `**` in the call may pass it. A call of a method does
    not pass the first parameter.
    """
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword.value
    positional = [argument.arg for argument in function.positional]
    if function.self_name or function.cls_name:
        del positional[0]
    starred = any(isinstance(argument, ast.Starred) for argument in call.args)
    if starred or any(keyword.arg is None for keyword in call.keywords):
        return UNCLEAR
    index = positional.index(name) if name in positional else len(call.args)
    return call.args[index] if index < len(call.args) else None


def ends_with_return(body: list[ast.stmt]) -> bool:
    """Return whether a function cannot end without `return` or `raise`."""
    last = body[-1]
    if isinstance(last, ast.If):
        return (
            ends_with_return(last.body)
            and bool(last.orelse)
            and ends_with_return(last.orelse)
        )
    if isinstance(last, ast.With):
        return ends_with_return(last.body)
    return isinstance(last, ast.Return | ast.Raise)


UNCLEAR = ast.Constant("the call hides this argument")


def classes_as_values(program: Program) -> Iterator[str]:
    """Yield the classes that the game uses other than by calling them or in annotations."""
    for module in program.modules.values():
        for node in _uses(module.tree):
            if cls := program.class_named(program.named(node, module.scope)):
                yield cls.name


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


def assigned_keys(program: Program) -> Iterator[object]:
    """Yield the constant keys of mappings and lists that the game assigns somewhere."""
    for module in program.modules.values():
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
                yield from _constants([node.slice])
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                if node.func.attr in ("update", "setdefault"):
                    yield from (keyword.arg for keyword in node.keywords)
                    yield from _constants(node.args)
                    for argument in node.args:
                        if isinstance(argument, ast.Dict):
                            yield from _constants(argument.keys)


def _constants(nodes: Iterable[ast.expr | None]) -> Iterator[object]:
    return (node.value for node in nodes if isinstance(node, ast.Constant))


def is_enum(cls: GameClass) -> bool:
    """Return whether a class is an enumeration."""
    names = {name.rpartition(".")[2] for name in cls.all_foreign_bases}
    return bool(names & {"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"})


def is_value_class(cls: GameClass) -> bool:
    """Return whether objects of a class are saved as values, without a mark."""
    names = {name.rpartition(".")[2] for name in cls.all_foreign_bases}
    return bool(names & {"NamedTuple", "TypedDict"}) or is_enum(cls) or _is_frozen(cls)


def is_protocol(cls: GameClass) -> bool:
    """Return whether a class only describes others."""
    names = {name.rpartition(".")[2] for name in cls.foreign_bases}
    return "Protocol" in names


def _is_frozen(cls: GameClass) -> bool:
    for decorator in cls.node.decorator_list:
        if isinstance(decorator, ast.Call):
            for keyword in decorator.keywords:
                if keyword.arg == "frozen" and isinstance(keyword.value, ast.Constant):
                    return bool(keyword.value.value)
    return "frozen" in {name.rpartition(".")[2] for name in decorators(cls.node)}
