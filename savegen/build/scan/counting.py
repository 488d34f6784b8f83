"""Find the counters of a module, a class or an object that number the attributes of objects.

A counter is used in one of these ways, which are written as one text each:

- `next ids`: `next(ids)`, or `ids.__next__()`
- `call new_id`: `new_id()`
- `global next_id`: a global name that the function itself increases
- `shared Ids.last`: an attribute of a class or module that the function itself increases
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from savegen.build.scan.facts import dotted
from savegen.build.scan.statements import statements_in

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_NEXT = ".__next__"


def counted_attributes(node: ast.AST | None) -> tuple[tuple[str, str], ...]:
    """Return the attributes that a method sets on its object from counters, each with the use."""
    if not isinstance(node, _Function):
        return ()
    parameters = (*node.args.posonlyargs, *node.args.args)
    own = parameters[0].arg if parameters else ""
    statements = list(_statements(node))
    set_here = [
        (target.attr, value)
        for target, value in _assignments(statements)
        if isinstance(target, ast.Attribute)
        and isinstance(target.value, ast.Name)
        and target.value.id == own
        and not isinstance(value, ast.Constant)
    ]
    if not set_here:
        return ()
    uses = _Uses(statements)
    found = ((name, use) for name, value in set_here for use in uses.inside(value))
    return tuple(dict.fromkeys(found))


def uses_in_result(node: ast.FunctionDef) -> tuple[str, ...]:
    """Return the uses of counters in what a function returns."""
    statements = list(_statements(node))
    returned = [each.value for each in statements if isinstance(each, ast.Return)]
    if not any(returned):
        return ()
    uses = _Uses(statements)
    found = (use for value in returned if value for use in uses.inside(value))
    return tuple(use for use in dict.fromkeys(found) if not use.startswith("call "))


class _Uses:
    """Finds the uses of counters in the expressions of one function."""

    def __init__(self, statements: Sequence[ast.AST]) -> None:
        declared = [each for each in statements if isinstance(each, ast.Global)]
        names = {name for each in declared for name in each.names}
        increased = {*_increased(statements)}
        self._increased = increased & names
        self._shared = {name for name in increased if "." in name}
        self._variables: Mapping[str, list[str]] = {}
        self._variables = {
            target.id: found
            for target, value in _assignments(statements)
            if isinstance(target, ast.Name) and (found := [*self.inside(value)])
        }

    def inside(self, value: ast.expr) -> Iterator[str]:
        for node in ast.walk(value):
            match node:
                case ast.Call(func=ast.Name(id="next"), args=[counter, *_]):
                    if name := dotted(counter):
                        yield f"next {name}"
                case ast.Call(func=function, args=[], keywords=[]):
                    name = dotted(function) or ""
                    if name.endswith(_NEXT):
                        yield f"next {name.removesuffix(_NEXT)}"
                    elif name and not name.rpartition(".")[2][:1].isupper():
                        yield f"call {name}"
                case ast.Name(id=name) if name in self._increased:
                    yield f"global {name}"
                case ast.Attribute() if (name := dotted(node) or "") in self._shared:
                    yield f"shared {name}"
                case ast.Name(id=name) if name in self._variables:
                    yield from self._variables[name]


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    """Yield all statements in a function, without a walk over their expressions."""
    for statement in statements_in(node):
        yield statement
        yield from _statements(statement)


def _assignments(
    statements: Sequence[ast.AST],
) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield the targets of the assignments in a function, each with its value."""
    for statement in statements:
        match statement:
            case ast.Assign(targets=targets, value=value):
                yield from ((target, value) for target in targets)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                yield target, value


def _increased(statements: Sequence[ast.AST]) -> Iterator[str]:
    """Yield the names that a function increases or decreases, also dotted ones."""
    for statement in statements:
        match statement:
            case ast.AugAssign(target=target, op=ast.Add() | ast.Sub()):
                yield dotted(target) or ""
            case ast.Assign(
                targets=[target],
                value=ast.BinOp(left=other, op=ast.Add() | ast.Sub()),
            ) if (name := dotted(target)) and name == dotted(other):
                yield name
