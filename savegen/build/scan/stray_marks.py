"""Find annotations with a mark that declare no attribute, such as those of parameters."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from contextlib import suppress
from typing import NamedTuple

from savegen.build.scan.declarations import StrayMark
from savegen.build.scan.facts import dotted
from savegen.build.scan.marks import FIELD_MARKS
from savegen.build.scan.statements import statements_in
from savegen.build.source import SourceFile, column_at
from savegen.findings import Span

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_PROPERTIES = ("property", "setter")  # they declare a field, or repeat its type


class _Stray(NamedTuple):
    annotation: ast.expr
    reason: str
    attribute: str = ""  # of `self`, which may be meant


def stray_marks(
    tree: ast.Module, file: SourceFile, renamed: Collection[str]
) -> Iterator[StrayMark]:
    """Yield the annotations outside class bodies that may contain a mark and declare no attribute.

    `renamed` are the names of marks that the file imports `as` another name.
    """
    names = {*FIELD_MARKS, *renamed}
    for annotation, reason, attribute in _annotations(tree):
        words = tuple(dict.fromkeys(_words(annotation)))
        if any(word.rpartition(".")[2] in names for word in words):
            written = _unquoted(annotation)
            code, type = ast.unparse(written), _type_in(written)
            is_meant = attribute and type
            meant = f"self.{attribute}: Annotated[{type}, Save()]" if is_meant else ""
            span = _span(annotation, file)
            yield StrayMark(words, code, type, reason, meant, span)


def _annotations(tree: ast.Module) -> Iterator[_Stray]:
    """Yield the annotations of parameters, results and variables."""
    # Each with the kind of scope around it: "module", "class", or a function with the name of
    # the object whose attributes it declares.
    waiting: list[tuple[ast.AST, str]] = [(tree, "module")]
    while waiting:
        node, scope = waiting.pop()
        if isinstance(node, ast.AnnAssign) and scope != "class":
            yield from _of_assignment(node, scope)
        elif isinstance(node, ast.ClassDef):
            scope = "class"
        elif isinstance(node, _FUNCTIONS):
            yield from _of_function(node, scope == "class")
            self_name = _self_name(node) if scope == "class" else ""
            scope = f"{self_name}." if self_name else "function"
        waiting += ((inner, scope) for inner in statements_in(node))


def _self_name(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """Return the name by which a method calls its object; "" if it has none."""
    decorators = {dotted(each) for each in node.decorator_list}
    parameters = [*node.args.posonlyargs, *node.args.args]
    if not parameters or not decorators.isdisjoint(("staticmethod", "classmethod")):
        return ""
    return parameters[0].arg


def _of_assignment(node: ast.AnnAssign, scope: str) -> Iterator[_Stray]:
    target = ast.unparse(node.target)
    if isinstance(node.target, ast.Name):
        reason = f"`{target}` is a variable, not an attribute of an object"
        yield _Stray(node.annotation, reason)
    elif dotted(node.target) is None or f"{target.rpartition('.')[0]}." != scope:
        reason = f"only a method of its class declares `{target}`"
        yield _Stray(node.annotation, reason)


def _of_function(
    node: ast.FunctionDef | ast.AsyncFunctionDef, is_method: bool
) -> Iterator[_Stray]:
    decorators = (
        (dotted(each) or "").rpartition(".")[2] for each in node.decorator_list
    )
    if any(name in _PROPERTIES for name in decorators):
        return
    arguments = node.args
    plain = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    for each in (*plain, arguments.vararg, arguments.kwarg):
        if each is not None and each.annotation is not None:
            attribute = each.arg if is_method else ""
            yield _Stray(each.annotation, f"`{each.arg}` is a parameter", attribute)
    # Some other decorator may make a property of it.
    if node.returns is not None and not node.decorator_list:
        yield _Stray(node.returns, f"it is the result of `{node.name}`")


def _words(annotation: ast.expr) -> Iterator[str]:
    """Yield the dotted names in an annotation."""
    for node in ast.walk(_unquoted(annotation)):
        if isinstance(node, (ast.Name, ast.Attribute)) and (word := dotted(node)):
            yield word


def _unquoted(annotation: ast.expr) -> ast.expr:
    """Return an annotation without the quotes around it."""
    match annotation:
        case ast.Constant(value=str(text)):
            with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
                return ast.parse(text.strip(), mode="eval").body
    return annotation


def _type_in(annotation: ast.expr) -> str:
    """Return the type in `Saved[int]` and `Annotated[int, Save()]`, as code."""
    match annotation:
        case ast.Subscript(slice=ast.Tuple(elts=[first, *_])) | ast.Subscript(
            slice=first
        ):
            return ast.unparse(first)
    return ""


def _span(node: ast.expr, file: SourceFile) -> Span:
    start, end = node.lineno, node.end_lineno or node.lineno
    column = column_at(file.lines[start - 1], node.col_offset)
    end_column = column_at(file.lines[end - 1], node.end_col_offset or 0)
    return Span(file.path, start, column, end, end_column)
