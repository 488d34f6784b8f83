"""Walk over the statements of an ast tree, and find the places of the names in it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from savegen.build.source import SourceFile, column_at
from savegen.findings import Span

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


def alias_span(alias: ast.alias, file: SourceFile) -> Span:
    """Return the span of an imported name, without `as …`."""
    column = column_at(file.lines[alias.lineno - 1], alias.col_offset)
    end = column + len(alias.name)
    return Span(file.path, alias.lineno, column, alias.lineno, end)


def attribute_span(node: ast.Attribute, file: SourceFile) -> Span:
    """Return the span of the name after the last dot."""
    line = node.end_lineno or node.lineno
    end = column_at(file.lines[line - 1], node.end_col_offset or 0)
    return Span(file.path, line, max(end - len(node.attr), 1), line, end)
