"""Leave out what has no declarations from a long text, because libcst parses slowly."""

from __future__ import annotations

import ast
import re
from itertools import accumulate

_LONG = 10_000  # characters; libcst takes about a second for 50,000
_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_DISPLAYS = {ast.Dict: b"{}", ast.List: b"[]", ast.Set: b"{0}", ast.Tuple: b"()"}


def shortened(text: str, tree: ast.Module) -> str:
    """Return a text with the same declarations, which has statements at the same places of `tree`.

    At the top level, displays are empty, expressions are `0`, and functions without decorators or
    classes in them do nothing.
    """
    if len(text) < _LONG:
        return text
    data = text.encode("utf-8", "surrogatepass")
    lines = _LINE.findall(data)
    starts = [0, *accumulate(map(len, lines))]
    parts, done = [], 0
    for first, last, short in _replaced(tree, lines):
        start = starts[first.lineno - 1] + first.col_offset
        end = starts[(last.end_lineno or 1) - 1] + (last.end_col_offset or 0)
        if end - start > len(short):
            parts += [data[done:start], short]
            done = end
    return b"".join([*parts, data[done:]]).decode("utf-8", "surrogatepass")


_Replaced = list[tuple[ast.stmt | ast.expr, ast.stmt | ast.expr, bytes]]


def _replaced(tree: ast.Module, lines: list[bytes]) -> _Replaced:
    """Return what is replaced: its first and its last node, and the new text."""
    found: _Replaced = []
    for node in tree.body:
        match node:
            case ast.Expr():
                found.append((node, node, b"0"))
            case ast.Assign(value=value) | ast.AnnAssign(value=ast.expr() as value):
                if short := _DISPLAYS.get(type(value)):
                    found.append((value, value, short))
            case ast.FunctionDef(body=body) | ast.AsyncFunctionDef(body=body):
                whole = b"".join(lines[node.lineno - 1 : node.end_lineno])
                if not may_declare(whole.decode("utf-8", "surrogatepass")):
                    found.append((body[0], body[-1], b"pass"))
    return found


def may_declare(function: str) -> bool:
    """Return whether a class or a decorated function may be inside a function."""
    return "class" in function or "@" in function
