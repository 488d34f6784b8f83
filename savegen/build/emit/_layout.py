"""Lay out the statements of generated code that are too long for one line, as black does."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

_WIDTH = 88  # characters in a line, the default of black


def fits(line: str) -> bool:
    """Return whether a line is short enough for black to leave it."""
    return len(line) <= _WIDTH


def laid_out(text: str, indent: int, comma: str = "") -> str:
    """Return a statement or an argument; if it is too long, its parts are on lines of their own.

    The first line has no indent. Conditions, brackets and comprehensions have parts. A text
    that has several lines already stays as it is.

    >>> print(laid_out("at=key(x) if isinstance(x, Tree) else misfit(x)", 60, ","))
    at=(
                                                                    key(x)
                                                                    if isinstance(x, Tree)
                                                                    else misfit(x)
                                                                ),
    """
    if indent + len(text) + len(comma) <= _WIDTH or "\n" in text:
        return text + comma
    expression = _expression(text)
    if expression is None:
        return text + comma
    source = text.encode()  # nodes count bytes
    head = source[: expression.col_offset].decode()
    lines = _lines(source, _Part(head, expression, comma), indent)
    return "\n".join(lines).lstrip()


def _expression(text: str) -> ast.expr | None:
    """Return the expression at the end of a statement; None for an entry of a dict."""
    try:
        (statement,) = ast.parse(text).body
    except SyntaxError:
        return None
    match statement:
        case ast.AnnAssign(annotation=annotation, value=None):
            return annotation
        case ast.Assign() | ast.AnnAssign() | ast.Expr() | ast.Return():
            return statement.value
    return None


class _Part(NamedTuple):
    """An expression, with the text before and after it."""

    head: str
    node: ast.expr
    tail: str


def _lines(source: bytes, part: _Part, indent: int) -> Iterator[str]:
    head, node, tail = part
    if isinstance(node, ast.Lambda):
        head += source[node.col_offset : node.body.col_offset].decode()
        node = node.body
    line = f"{head}{_text(source, node)}{tail}"
    opening, parts, closing = _parts(source, node)
    margin = " " * indent
    if not parts or indent + len(line) <= _WIDTH:
        yield margin + line
        return
    if head == "if " and isinstance(node, ast.BoolOp):  # it is in brackets already
        for each in parts:
            yield from _lines(source, each._replace(head=each.head or head), indent)
        return
    yield f"{margin}{head}{opening}"
    inside = " ".join(
        f"{each.head}{_text(source, each.node)}{each.tail}" for each in parts
    )
    if len(parts) > 1 or opening != "(":  # no tuple with one item
        inside = inside.removesuffix(",")
    if indent + 4 + len(inside) <= _WIDTH:
        yield f"{margin}    {inside}"
    else:
        for each in parts:
            yield from _lines(source, each, indent + 4)
    yield f"{margin}{closing}{tail}"


def _parts(source: bytes, node: ast.expr) -> tuple[str, list[_Part], str]:
    """Return the opening bracket of an expression, the parts in it, and the closing bracket."""
    match node:
        case ast.IfExp(test, body, orelse):
            later = [_Part("if ", test, ""), _Part("else ", orelse, "")]
            return "(", [_Part("", body, ""), *later], ")"
        case ast.BoolOp(ast.Or(), [first, *others]):
            later = [_Part("or ", each, "") for each in others]
            return "(", [_Part("", first, ""), *later], ")"
        case ast.Call(function, arguments, keywords):
            named = [_Part(f"{each.arg}=", each.value, ",") for each in keywords]
            return f"{_text(source, function)}(", [*_items(arguments), *named], ")"
        case ast.BinOp(left, ast.BitOr(), right):
            return "(", [_Part("", left, ""), _Part("| ", right, "")], ")"
        case ast.Subscript(generic, ast.Tuple(arguments)):
            return f"{_text(source, generic)}[", _items(arguments), "]"
        case ast.Subscript(generic, argument):
            return f"{_text(source, generic)}[", [_Part("", argument, "")], "]"
        case ast.Tuple(items):
            return "(", _items(items), ")"
        case ast.List(items):
            return "[", _items(items), "]"
        case ast.ListComp(item, [loop]):
            return "[", [_Part("", item, ""), _loop(source, loop)], "]"
        case ast.SetComp(item, [loop]):
            return "{", [_Part("", item, ""), _loop(source, loop)], "}"
        case ast.DictComp(key, item, [loop]):
            head = f"{_text(source, key)}: "
            return "{", [_Part(head, item, ""), _loop(source, loop)], "}"
    return "", [], ""


def _items(nodes: list[ast.expr]) -> list[_Part]:
    return [_Part("", node, ",") for node in nodes]


def _loop(source: bytes, loop: ast.comprehension) -> _Part:
    return _Part(f"for {_text(source, loop.target)} in ", loop.iter, "")


def _text(source: bytes, node: ast.expr) -> str:
    return source[node.col_offset : node.end_col_offset].decode()
