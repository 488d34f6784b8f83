"""Look at functions and calls: parameters, defaults, arguments, and classes used as values."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from savegen.build.scan.facts import dotted
from savegen.build.adopt.definitions import Call, Class, Function, Scope, decorators
from savegen.build.adopt.program import Program


def parameters(function: Function) -> list[ast.arg]:
    arguments = function.args
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]


def default_of(function: Function, name: str) -> ast.expr | None:
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults: dict[str, ast.expr | None] = {
        argument.arg: default
        for argument, default in zip(reversed(positional), reversed(arguments.defaults))
    }
    defaults |= {a.arg: d for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults)}
    return defaults.get(name)


def passed(call: Call, scope: Scope, name: str) -> ast.expr | None:
    """Return the argument that a call passes for a parameter; `None` if it passes none.

    `scope` is that of the function. A call of a method does not pass the first parameter.
    """
    assert scope.function is not None
    keywords, arguments, declared = (
        call.node.keywords,
        call.node.args,
        scope.function.args,
    )
    for keyword in keywords:
        if keyword.arg == name:
            return keyword.value
    positional = [a.arg for a in (*declared.posonlyargs, *declared.args)]
    if scope.self_name is not None or scope.cls_name is not None:
        del positional[0]
    starred = any(isinstance(argument, ast.Starred) for argument in arguments)
    if starred or any(keyword.arg is None for keyword in keywords):
        return UNCLEAR
    index = positional.index(name) if name in positional else len(arguments)
    return arguments[index] if index < len(arguments) else None


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


def is_enum(cls: Class) -> bool:
    """Return whether a class is an enumeration."""
    names = {name.rpartition(".")[2] for name in cls.all_foreign_bases}
    return bool(names & {"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"})


def is_value_class(cls: Class) -> bool:
    """Return whether objects of a class are saved as values, without a mark."""
    names = {name.rpartition(".")[2] for name in cls.all_foreign_bases}
    return bool(names & {"NamedTuple", "TypedDict"}) or is_enum(cls) or _is_frozen(cls)


def is_protocol(cls: Class) -> bool:
    """Return whether a class only describes others."""
    names = {name.rpartition(".")[2] for name in cls.foreign_bases}
    return "Protocol" in names


def _is_frozen(cls: Class) -> bool:
    for decorator in cls.node.decorator_list:
        if isinstance(decorator, ast.Call):
            for keyword in decorator.keywords:
                if keyword.arg == "frozen" and isinstance(keyword.value, ast.Constant):
                    return bool(keyword.value.value)
    return "frozen" in {name.rpartition(".")[2] for name in decorators(cls.node)}
