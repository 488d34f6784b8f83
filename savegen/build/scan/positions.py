"""Spans of libcst nodes, taken from the matching ast nodes because libcst computes them slowly."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from typing import Any

import libcst as cst

from savegen.build.source import SourceFile, column_at
from savegen.findings import Span

_STATEMENT = re.compile(r"(?:async\s+)?(?:class|def)\s+([^\s(:\[\\]+)")
Pair = tuple[cst.CSTNode, ast.AST | None]  # the same node in both trees


class Positions:
    """Finds the spans of the nodes of one file."""

    def __init__(self, file: SourceFile, tree: cst.Module, has_ast: bool) -> None:
        """Without `has_ast`, take the positions from libcst, because ast rejected the file."""
        self._path = file.path
        self._lines = file.lines
        self._libcst_positions = {} if has_ast else _positions(tree)

    def span(self, pair: Pair) -> Span:
        node, ast_node = pair
        if ast_node is None:
            return self._by_libcst(node)
        line, end = getattr(ast_node, "lineno", 1), getattr(ast_node, "end_lineno", 1)
        column = self._column(line, getattr(ast_node, "col_offset", 0))
        end_column = self._column(end, getattr(ast_node, "end_col_offset", 0))
        return Span(self._path, line, column, end, end_column)

    def text(self, pair: Pair) -> str:
        """Return the source lines of a statement; "" without an ast node."""
        ast_node = pair[1]
        first, last = getattr(ast_node, "lineno", 0), getattr(ast_node, "end_lineno", 0)
        return "\n".join(self._lines[first - 1 : last]) if first and last else ""

    def name_span(self, pair: Pair, name: cst.Name) -> Span:
        """Return the span of the name in a `class` or `def` statement."""
        _, ast_node = pair
        if ast_node is None:
            return self._by_libcst(name)
        start = self.span(pair)
        text = self._lines[start.line - 1][start.column - 1 :]
        match = _STATEMENT.match(text)
        first, last = match.span(1) if match else (0, len(name.value))
        column, end = start.column + first, start.column + last
        return Span(self._path, start.line, column, start.line, end)

    def _by_libcst(self, node: cst.CSTNode) -> Span:
        position = self._libcst_positions.get(node)
        if position is None:
            return Span(self._path)
        start, end = position.start, position.end
        return Span(self._path, start.line, start.column + 1, end.line, end.column + 1)

    def _column(self, line: int, offset: int) -> int:
        """Return the column for an offset in UTF-8 bytes."""
        text = self._lines[line - 1] if line <= len(self._lines) else ""
        return column_at(text, offset)


def paired(
    body: Sequence[cst.CSTNode], ast_nodes: Sequence[ast.AST] | None
) -> Iterator[Pair]:
    """Return the statements of a block, each with its ast node, or `None` if it is unknown."""
    flat = list(_flat(body))
    if ast_nodes is None or len(flat) != len(ast_nodes):
        return ((node, None) for node in flat)
    return zip(flat, ast_nodes, strict=True)


def body_of(pair: Pair) -> Iterator[Pair]:
    """Return the statements in the body of a node, each with its ast node or `None`."""
    return paired(statements_of(pair[0]), getattr(pair[1], "body", None))


def statements_of(node: cst.CSTNode) -> Sequence[cst.CSTNode]:
    """Return the libcst statements in the body of a node."""
    body = getattr(node, "body", ())
    return getattr(body, "body", body)


def _flat(body: Sequence[cst.CSTNode]) -> Iterator[cst.CSTNode]:
    for node in body:
        if isinstance(node, cst.SimpleStatementLine):
            yield from node.body
        else:
            yield node


def _positions(tree: cst.Module) -> dict[cst.CSTNode, Any]:
    from libcst import metadata  # slow to import, and rarely needed

    wrapper = metadata.MetadataWrapper(tree, unsafe_skip_copy=True)
    return dict(wrapper.resolve(metadata.PositionProvider))
