"""Find the attribute that a line annotates."""

from __future__ import annotations

import ast


def attribute_at(data: bytes, line: int) -> tuple[str, str] | None:
    """Return the qualified name of a class, and its attribute that `line` annotates.

    Return `None` if the line annotates no attribute.

    >>> attribute_at(b"class Hero:\\n    hp: int\\n", 2)
    ('Hero', 'hp')
    """
    return _attribute(ast.parse(data), "", line)


def _attribute(node: ast.AST, qualname: str, line: int) -> tuple[str, str] | None:
    for child in ast.iter_child_nodes(node):
        start, end = getattr(child, "lineno", line), getattr(child, "end_lineno", line)
        if not start <= line <= end:
            continue
        if isinstance(child, ast.ClassDef):
            inner = f"{qualname}.{child.name}" if qualname else child.name
            return _attribute(child, inner, line)
        if isinstance(child, ast.AnnAssign) and qualname:
            target = child.target
            if isinstance(target, ast.Name):
                return qualname, target.id
            if isinstance(target, ast.Attribute):
                return qualname, target.attr
        place = _attribute(child, qualname, line)
        if place is not None:
            return place
    return None
