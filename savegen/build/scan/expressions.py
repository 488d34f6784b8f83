"""Convert libcst expressions to the expressions of `declarations`."""

from __future__ import annotations

import ast
import math
import re
import warnings
from collections.abc import Callable
from typing import Any

import libcst as cst

from savegen.build.scan.declarations import (
    Call,
    CallAttribute,
    CollectionLiteral,
    Constant,
    DictLiteral,
    Expression,
    Lambda,
    Name,
    Operation,
    Other,
    Subscript,
    UnionAnnotation,
)
from savegen.build.scan.nesting import is_chained_too_long
from savegen.build.scan.unicode_names import with_normalised_names

_EMPTY = cst.Module([])
_MAX_CHAIN = (
    32  # attributes, calls or operators in one expression; longer ones are not read
)
_CONSTANTS = ("None", "True", "False")


def read_type(node: cst.BaseExpression) -> Expression:
    """Return an annotation as an expression; a string in it is read as code."""
    return _read(node, True)


def read_value(node: cst.BaseExpression) -> Expression:
    """Return an expression that is not an annotation; a string in it stays a string."""
    return _read(node, False)


def source_of(node: cst.CSTNode) -> str:
    return _EMPTY.code_for_node(node)


def dotted_name(node: cst.CSTNode | None) -> str | None:
    """Return a name such as `a.b.c` as text; `None` for any other node."""
    parts: list[str] = []
    while isinstance(node, cst.Attribute):
        parts.append(node.attr.value)
        node = node.value
    if not isinstance(node, cst.Name):
        return None
    return ".".join([node.value, *reversed(parts)])


def _read(node: cst.BaseExpression, is_type: bool) -> Expression:
    reader = _READERS.get(type(node))
    expression = reader(node, is_type) if reader else None
    if expression is not None:
        return expression
    return Other(source_of(node).strip() if is_type else "…")


def _name(node: cst.Name, is_type: bool) -> Expression:
    return Constant(node.value) if node.value in _CONSTANTS else Name(node.value)


def _attribute(node: cst.Attribute, is_type: bool) -> Expression | None:
    if name := dotted_name(node):
        return Name(name)
    if is_type or _chain_length(node) > _MAX_CHAIN:
        return None
    names: list[str] = []
    inner: cst.BaseExpression = node
    while isinstance(inner, cst.Attribute):
        names.append(inner.attr.value)
        inner = inner.value
    owner = _read(inner, False) if isinstance(inner, cst.Call) else None
    return (
        CallAttribute(owner, ".".join(names[::-1])) if isinstance(owner, Call) else None
    )


def _chain_length(node: cst.BaseExpression) -> int:
    """Return the length of a chain of calls and attributes."""
    count = 0
    while isinstance(node, (cst.Attribute, cst.Call)):
        node = node.value if isinstance(node, cst.Attribute) else node.func
        count += 1
    return count


def _subscript(node: cst.Subscript, is_type: bool) -> Expression:
    base = _read(node.value, is_type)
    last = base.dotted.rpartition(".")[2] if isinstance(base, Name) else ""
    arguments = [
        _argument(
            element, is_type and last != "Literal" and not (last == "Annotated" and i)
        )
        for i, element in enumerate(node.slice)
    ]
    return Subscript(base, tuple(arguments))


def _argument(element: cst.SubscriptElement, is_type: bool) -> Expression:
    index = element.slice
    if isinstance(index, cst.Index) and index.star is None:
        return _read(index.value, is_type)
    return Other(source_of(element).strip(" ,"))


def _union(node: cst.BinaryOperation, is_type: bool) -> Expression | None:
    members: list[Expression] = []
    left: cst.BaseExpression = node
    while isinstance(left, cst.BinaryOperation):
        if not isinstance(left.operator, cst.BitOr):
            return None
        members.append(_read(left.right, is_type))
        left = left.left
    members.append(_read(left, is_type))
    return UnionAnnotation(tuple(reversed(members)))


_OPERATORS: dict[type[cst.BaseBinaryOp], str] = {
    cst.Add: "+",
    cst.Subtract: "-",
    cst.Multiply: "*",
    cst.Divide: "/",
    cst.FloorDivide: "//",
    cst.Modulo: "%",
    cst.Power: "**",
    cst.LeftShift: "<<",
    cst.RightShift: ">>",
    cst.BitAnd: "&",
    cst.BitXor: "^",
}


def _operation(node: cst.BinaryOperation, is_type: bool) -> Expression | None:
    if isinstance(node.operator, cst.BitOr):
        return _union(node, is_type)
    operator = _OPERATORS.get(type(node.operator))
    if is_type or operator is None or _operation_count(node) > _MAX_CHAIN:
        return None
    return Operation(_read(node.left, False), operator, _read(node.right, False))


def _operation_count(node: cst.BaseExpression) -> int:
    """Return the length of a chain of binary operations."""
    count = 0
    while isinstance(node, cst.BinaryOperation):
        node, count = node.left, count + 1
    return count


def _dict(node: cst.Dict, is_type: bool) -> Expression | None:
    elements = [e for e in node.elements if isinstance(e, cst.DictElement)]
    if is_type or len(elements) < len(node.elements):
        return Other("{…}")
    return DictLiteral(
        tuple((_read(e.key, False), _read(e.value, False)) for e in elements)
    )


def _call(node: cst.Call, is_type: bool) -> Expression:
    plain = [a.value for a in node.args if a.keyword is None and not a.star]
    named = [(a.keyword.value, a.value) for a in node.args if a.keyword is not None]
    starred = [Other("*") for a in node.args if a.star]
    # In `TypeVar("T", bound="Item")` every string except the first is a type.
    return Call(
        _read(node.func, False),
        (*(_read(value, is_type and i > 0) for i, value in enumerate(plain)), *starred),
        tuple((name, _read(value, is_type)) for name, value in named),
    )


def _lambda(node: cst.Lambda, is_type: bool) -> Expression | None:
    return None if node.params.children else Lambda(_read(node.body, False))


def _sequence_reader(opening: str) -> Callable[[Any, bool], Expression | None]:
    def read(node: cst.Tuple | cst.List | cst.Set, is_type: bool) -> Expression | None:
        if any(isinstance(e, cst.StarredElement) for e in node.elements):
            return Other(opening)
        members = tuple(_read(e.value, is_type) for e in node.elements)
        return CollectionLiteral(members, opening)

    return read


# Strings without escapes, which need no slow evaluation by libcst.
_PLAIN_STRING = re.compile(r"""(["'])([^"'\\\n]*)\1""")


def _string(
    node: cst.SimpleString | cst.ConcatenatedString, is_type: bool
) -> Expression | None:
    try:
        plain = _PLAIN_STRING.fullmatch(getattr(node, "value", ""))
        value = plain[2] if plain else node.evaluated_value
    except (ValueError, SyntaxError):
        return None
    if value is None:  # it contains an f-string
        return None
    if not is_type or not isinstance(value, str):
        return Constant(repr(value))
    if not _is_expression(value.strip()):
        return Other(repr(value))
    try:
        return read_type(
            with_normalised_names(cst.parse_expression(value.strip()), value)
        )
    except (cst.ParserSyntaxError, RecursionError, UnicodeError):
        return Other(repr(value))


def _is_expression(text: str) -> bool:
    """Return whether a text is a valid expression; libcst may crash or hang on invalid text."""
    try:
        with warnings.catch_warnings(action="ignore"):
            ast.parse(text, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return not is_chained_too_long(text, None)


def _number(
    node: cst.Integer | cst.Float | cst.Imaginary, is_type: bool
) -> Expression | None:
    # Python reads `1e999` as infinity, which has no literal.
    if isinstance(node, cst.Float) and math.isinf(float(node.value)):
        return None
    return Constant(node.value)


def _signed(node: cst.UnaryOperation, is_type: bool) -> Expression | None:
    if isinstance(node.operator, (cst.Minus, cst.Plus)) and isinstance(
        node.expression, (cst.Integer, cst.Float, cst.Imaginary)
    ):
        if _number(node.expression, is_type) is None:
            return None
        return Constant(repr(ast.literal_eval(source_of(node).strip(" ()"))))
    if isinstance(node.operator, cst.Minus) and not is_type:
        return Operation(Constant("-1"), "*", _read(node.expression, False))
    return None


_READERS: dict[type[cst.BaseExpression], Callable[[Any, bool], Expression | None]] = {
    cst.Name: _name,
    cst.Attribute: _attribute,
    cst.Subscript: _subscript,
    cst.BinaryOperation: _operation,
    cst.Call: _call,
    cst.Lambda: _lambda,
    cst.Tuple: _sequence_reader("("),
    cst.List: _sequence_reader("["),
    cst.Set: _sequence_reader("{"),
    cst.SimpleString: _string,
    cst.ConcatenatedString: _string,
    cst.Integer: _number,
    cst.Float: _number,
    cst.Imaginary: _number,
    cst.UnaryOperation: _signed,
    cst.Ellipsis: lambda node, is_type: Constant("..."),
    cst.Dict: _dict,
    # Only shown in findings about mutable defaults, so the members do not matter.
    cst.DictComp: lambda node, is_type: Other("{…}"),
    cst.SetComp: lambda node, is_type: Other("{…}"),
    cst.ListComp: lambda node, is_type: Other("[…]"),
}
