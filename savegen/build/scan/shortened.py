"""Leave out what has no declarations from a long text, because libcst parses slowly."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import accumulate
from typing import Any

from savegen.build.scan.declarations import OVERRIDES
from savegen.build.scan.statements import statements_in

_LONG = 10_000  # characters; libcst takes about a second for 50,000
_LONG_TABLE = 1_000  # bytes, in the body of a class
_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_EMPTY = {ast.Dict: b"{}", ast.List: b"[]", ast.Set: b"{0}", ast.Tuple: b"()"}
# A function without these words defines no class, decorated function or other name of `property`.
_DECLARING = (b"class", b"@", b"property")
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)

_Replaced = Iterator[tuple[int, int, bytes]]  # start and end in bytes, and the new text


def shortened(text: str, tree: ast.Module) -> str:
    """Return a text with the same declarations, which has statements at the same places of `tree`.

    - Outside classes and functions, displays are empty and expressions are `0`.
    - In the body of a class, long tables have one item.
    - Functions without classes or decorators, and methods that `is_bare` describes, are `pass`. In
      the others, so are statements that neither assign attributes nor define such things.
    """
    if len(text) < _LONG:
        return text
    source = _Source(text)
    data, done = source.data, 0
    parts: list[bytes] = []
    for start, end, short in sorted(source.replaced(tree)):
        if end - start > len(short):
            parts += [data[done:start], short]
            done = end
    return b"".join([*parts, data[done:]]).decode("utf-8", "surrogatepass")


def is_bare(node: ast.AST | None) -> bool:
    """Return whether ast alone shows what a method declares.

    It has no decorators, defines nothing, and only changes attributes that exist, as `+=` does.
    """
    if not isinstance(node, _FUNCTIONS) or node.decorator_list:
        return False
    inside = (inner for statement in node.body for inner in _local(statement))
    return node.name not in OVERRIDES and not any(
        _defines(inner)
        or isinstance(inner, (ast.Assign, ast.AnnAssign))
        and attribute_targets(inner)
        for inner in inside
    )


def attribute_targets(statement: ast.AST) -> list[ast.Attribute]:
    """Return the attributes that a statement itself assigns, in their order."""
    targets: list[ast.expr | None] = []
    match statement:
        case ast.Assign(targets=several):
            targets += several
        case ast.AugAssign() | ast.AnnAssign() | ast.For() | ast.AsyncFor():
            targets.append(statement.target)
        case ast.With(items=items) | ast.AsyncWith(items=items):
            targets += (item.optional_vars for item in items)
        case ast.Expr(
            value=ast.Call(
                func=ast.Attribute(attr="__setattr__"),
                args=[ast.Name() as obj, ast.Constant(value=str(name)) as text, _],
            )
        ):  # `object.__setattr__(self, "x", value)` of a frozen class
            attribute = ast.Attribute(obj, name, ast.Store())
            targets.append(ast.copy_location(attribute, text))
    found: list[ast.Attribute] = []
    while targets:
        match targets.pop(0):
            case ast.Attribute() as attribute:
                found.append(attribute)
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                targets[:0] = elements
            case ast.Starred(value=value):
                targets.insert(0, value)
    return found


def _local(statement: ast.AST) -> Iterator[ast.AST]:
    """Yield a statement of a function, and those in its blocks, but not in other functions."""
    waiting = [statement]
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, _FUNCTIONS):
            waiting += statements_in(node)


def _defines(statement: ast.AST) -> bool:
    """Return whether a statement in a function is a class or a decorated function."""
    if isinstance(statement, _FUNCTIONS):
        return bool(statement.decorator_list)
    return isinstance(statement, ast.ClassDef)


def _is_read(statement: ast.AST) -> bool:
    """Return whether libcst must read a statement of a function."""
    return any(_defines(each) or attribute_targets(each) for each in _local(statement))


class _Source:
    """The bytes of a text, at the positions that ast counts."""

    def __init__(self, text: str) -> None:
        self.data = text.encode("utf-8", "surrogatepass")
        self._starts = [0, *accumulate(map(len, _LINE.findall(self.data)))]
        # The statements to read, each with the kind of block around it.
        self._waiting: list[tuple[ast.AST, str]] = []

    def replaced(self, tree: ast.Module) -> _Replaced:
        """Yield what is replaced."""
        read = {
            "module": self._in_module,
            "class": self._in_class,
            "function": self._in_function,
        }
        self._waiting = [(tree, "module")]
        while self._waiting:
            node, kind = self._waiting.pop()
            yield from read[kind](node)

    def _add(self, node: ast.AST, kind: str) -> None:
        self._waiting += ((inner, kind) for inner in statements_in(node))

    def _span(self, first: Any, last: Any = None) -> tuple[int, int]:
        last = last or first
        start = self._starts[first.lineno - 1] + first.col_offset
        return start, self._starts[last.end_lineno - 1] + last.end_col_offset

    def _in_module(self, node: ast.AST) -> _Replaced:
        match node:
            case ast.Expr():
                yield *self._span(node), b"0"
            case ast.Assign(value=value) | ast.AnnAssign(value=ast.expr() as value):
                if short := _EMPTY.get(type(value)):
                    yield *self._span(value), short
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                start, end = self._span(node)
                text = self.data[start:end]
                if node.decorator_list or any(word in text for word in _DECLARING):
                    yield from self._body(node)
                else:
                    yield start, end, b"pass"
            case _:
                self._add(node, "class" if isinstance(node, ast.ClassDef) else "module")

    def _in_class(self, node: ast.AST) -> _Replaced:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                if is_bare(node):
                    yield *self._span(node), b"pass"
                else:
                    yield from self._body(node)
            case ast.Assign(targets=targets, value=value):
                if not any(map(_is_dunder, targets)):
                    yield from self._table(value)
            case ast.AnnAssign(annotation=annotation, value=ast.expr() as value):
                if "ClassVar" in ast.unparse(annotation):
                    yield from self._table(value)
            case _:
                self._add(node, "class")

    def _table(self, value: ast.expr) -> _Replaced:
        """Yield a long table, whose members do not matter: no field can have such a default."""
        match value:
            case ast.Dict(keys=keys) if None not in keys:
                short = b"{0: 0}"
            case ast.List(elts=members) | ast.Set(elts=members):
                # Parts in a list are reported, and resources in it need no mark.
                if any(isinstance(each, (ast.Call, ast.Starred)) for each in members):
                    return
                short = b"[0]" if isinstance(value, ast.List) else b"{0}"
            case _:
                return
        start, end = self._span(value)
        if end - start > _LONG_TABLE:
            yield start, end, short

    def _body(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> _Replaced:
        if any(map(_is_read, node.body)):
            self._add(node, "function")
        else:
            yield *self._span(node.body[0], node.body[-1]), b"pass"

    def _in_function(self, node: ast.AST) -> _Replaced:
        match node:
            case ast.ClassDef():
                self._add(node, "class")
            case ast.FunctionDef(decorator_list=[_, *_]) | ast.AsyncFunctionDef(
                decorator_list=[_, *_]
            ):
                yield *self._span(node.body[0], node.body[-1]), b"pass"
            case ast.AugAssign(value=value) if attribute_targets(node):
                yield *self._span(value), b"0"
            case ast.ExceptHandler() | ast.match_case():
                self._add(node, "function")
            case _ if self._is_elif(node) or _is_read(node):
                self._add(node, "function")
            case _:
                yield *self._span(node), b"pass"

    def _is_elif(self, node: ast.AST) -> bool:
        is_if = isinstance(node, ast.If)
        return is_if and self.data.startswith(b"elif", self._span(node)[0])


def _is_dunder(target: ast.expr) -> bool:
    return isinstance(target, ast.Name) and target.id.startswith("__")
