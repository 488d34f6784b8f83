"""Walk over the statements of a file, without their expressions."""

from __future__ import annotations

import ast
from collections.abc import Iterator

# The attributes of ast nodes that contain statements.
BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")
_SCOPES = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
_CONDITIONS = (ast.If, ast.Try, ast.TryStar)


def statements_in(node: ast.AST) -> list[ast.AST]:
    """Return the direct statements of a compound statement."""
    return [statement for block in BLOCKS for statement in getattr(node, block, ())]


def all_statements(tree: ast.Module) -> Iterator[tuple[ast.AST, bool, bool]]:
    """Yield every statement, whether it is at module level, and whether it is optional.

    An optional statement may never be executed: an `if` or a `try` is around it.
    """
    waiting: list[tuple[ast.AST, bool, bool]] = [(tree, True, False)]
    while waiting:
        outer, top, is_optional = waiting.pop()
        top = top and not isinstance(outer, _SCOPES)
        is_optional = is_optional or isinstance(outer, _CONDITIONS)
        for statement in statements_in(outer):
            yield statement, top, is_optional
            if hasattr(statement, "body") or hasattr(statement, "cases"):
                waiting.append((statement, top, is_optional))
