"""The digest of a source file's meaning: comments, docstrings and layout do not count.

`ast.dump` gives other texts under other versions of Python. This form is the same under all of
them: it leaves out what is empty, and so what a newer version has added to a node.
"""

from __future__ import annotations

import ast
import hashlib
import warnings
from typing import Any

# Positions are no fields. A context follows from the place of a node, and `kind` is the `u` of
# a string. Type comments are comments.
_UNUSED = {"ctx", "kind", "type_comment", "type_ignores"}


def digest(path: str, data: bytes) -> str:
    """Return the digest of a file: of its syntax tree, or of its lines if it has none."""
    if path.endswith((".py", ".pyw")):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return _hashed(_canonical(ast.parse(data)))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            pass  # the game's Python may be a newer one
    return of_lines(data)


def of_lines(data: bytes) -> str:
    """Return the digest of a file, independent of its line endings."""
    return _hashed(data.replace(b"\r\n", b"\n"))


def _hashed(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def _canonical(tree: ast.AST) -> bytes:
    """Return the canonical text of a syntax tree. It is not recursive, so trees may be deep."""
    names: dict[type[ast.AST], list[str]] = {}  # of fields, the last one first
    text: list[str] = []
    write = text.append
    stack: list[ast.AST | str] = [tree]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            write(item)
        else:
            stack.append(")")
            fields = names.get(type(item))
            if fields is None:
                fields = sorted({*item._fields} - _UNUSED, reverse=True)
                names[type(item)] = fields
            for name in fields:
                value = _value(item, name)
                if not value and not isinstance(value, str):
                    continue
                items = value if isinstance(value, list) else [value]
                stack.append("]")
                stack += reversed([*map(_item, items)])
                stack.append(f" {name}[")
            write(f"({type(item).__name__}")
    return "".join(text).encode()


def _value(node: ast.AST, name: str) -> object:
    """Return the value of a field, without what versions of Python represent differently."""
    value = getattr(node, name, None)
    if isinstance(value, list):
        if isinstance(node, ast.JoinedStr):
            return _joined(value)
        return [each for each in value if not _is_docstring(each)]
    if name == "format_spec" and isinstance(value, ast.JoinedStr):
        return value if value.values else None
    return value


def _is_docstring(statement: object) -> bool:
    """Return whether a statement only states a constant; at any place, it has no effect."""
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _joined(values: list[Any]) -> list[Any]:
    """Return the parts of an f-string with adjacent texts joined, and without empty ones."""
    parts: list[Any] = []
    for value in values:
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            if not value.value:
                continue
            if parts and isinstance(parts[-1], ast.Constant):
                value = ast.Constant(f"{parts.pop().value}{value.value}")
        parts.append(value)
    return parts


def _item(value: object) -> ast.AST | str:
    """Return a node, or the text of a constant or another value."""
    if isinstance(value, ast.Constant):
        value = value.value
    elif isinstance(value, ast.AST):
        return value
    # `repr` refuses very large integers.
    return f" {hex(value) if type(value) is int else ascii(value)}"
