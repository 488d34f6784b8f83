"""Places in a file. libcst gives them too slowly, so ast's tree is walked in step with its."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from typing import Any

import libcst as cst

from savegen.build.source import SourceFile, column_at
from savegen.findings import Span

_NAMED = re.compile(r"(?:async\s+)?(?:class|def)\s+([^\s(:\[\\]+)")
Pair = tuple[cst.CSTNode, ast.AST | None]


class Positions:
    """Spans of the nodes of one file."""

    def __init__(self, file: SourceFile, tree: cst.Module, has_ast: bool) -> None:
        """Without a tree of ast's (it knows less syntax) libcst is asked after all."""
        self._path = file.path
        self._lines = file.lines
        self._of_libcst = {} if has_ast else _by_libcst(tree)

    def span(self, pair: Pair) -> Span:
        """Return the stretch of a node."""
        node, twin = pair
        if twin is None:
            return self._by_libcst(node)
        line, end = getattr(twin, "lineno", 1), getattr(twin, "end_lineno", 1)
        column = self._column(line, getattr(twin, "col_offset", 0))
        end_column = self._column(end, getattr(twin, "end_col_offset", 0))
        return Span(self._path, line, column, end, end_column)

    def text(self, pair: Pair) -> str:
        """Return the lines that a statement stands in; nothing if ast does not know them."""
        twin = pair[1]
        first, last = getattr(twin, "lineno", 0), getattr(twin, "end_lineno", 0)
        return "\n".join(self._lines[first - 1 : last]) if first and last else ""

    def name_span(self, pair: Pair, name: cst.Name) -> Span:
        """Return the stretch of the name in a `class` or `def` statement."""
        _, twin = pair
        if twin is None:
            return self._by_libcst(name)
        start = self.span(pair)
        text = self._lines[start.line - 1][start.column - 1 :]
        found = _NAMED.match(text)
        first, last = found.span(1) if found else (0, len(name.value))
        column, end = start.column + first, start.column + last
        return Span(self._path, start.line, column, start.line, end)

    def _by_libcst(self, node: cst.CSTNode) -> Span:
        found = self._of_libcst.get(node)
        if found is None:
            return Span(self._path)
        start, end = found.start, found.end
        return Span(self._path, start.line, start.column + 1, end.line, end.column + 1)

    def _column(self, line: int, offset: int) -> int:
        """Turn an offset in bytes of UTF-8 into a column."""
        text = self._lines[line - 1] if line <= len(self._lines) else ""
        return column_at(text, offset)


def in_step(
    body: Sequence[cst.CSTNode], twins: Sequence[ast.AST] | None
) -> Iterator[Pair]:
    """Pair the statements of a block with ast's; several in a line are several."""
    flat = list(_flat(body))
    if twins is None or len(flat) != len(twins):
        return ((node, None) for node in flat)
    return zip(flat, twins, strict=True)


def block(node: cst.CSTNode) -> Sequence[cst.CSTNode]:
    """Return the statements of a suite."""
    body = getattr(node, "body", ())
    return getattr(body, "body", body)


def _flat(body: Sequence[cst.CSTNode]) -> Iterator[cst.CSTNode]:
    for node in body:
        if isinstance(node, cst.SimpleStatementLine):
            yield from node.body
        else:
            yield node


def _by_libcst(tree: cst.Module) -> dict[cst.CSTNode, Any]:
    from libcst import metadata  # slow to import, and rarely needed

    wrapper = metadata.MetadataWrapper(tree, unsafe_skip_copy=True)
    return dict(wrapper.resolve(metadata.PositionProvider))
