"""Measure how deeply source text is nested; too much nesting would crash a parser."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

MAX_DEPTH = 200
# Parts of `a.b.…` or of `a and b and …`, which libcst nests; ast keeps `and` and `or` flat.
MAX_CHAIN = 1_000
_BRACKETS = re.compile(r"[()\[\]{}]")
_OPERATORS = re.compile(r"\b(?:and|or)\b")
_DOTTED = re.compile(rf"(?:[\s\\]*+\.[\s\\]*+\w++){{{MAX_CHAIN}}}")


def is_too_deep(text: str) -> bool:
    """Return whether a text that ast rejects is nested too deeply for a parser.

    Do not call it for text that ast accepts: brackets in strings and comments count too.
    """
    return depth(text) > MAX_DEPTH


def is_chained_too_long(text: str, tree: ast.Module | None) -> bool:
    """Return whether a dotted name or an `and`/`or` chain is too long for a parser.

    Without an ast tree, the words `and` and `or` in the text are counted.
    """
    if text.count(".") >= MAX_CHAIN and _DOTTED.search(text):
        return True
    if text.count("and") + text.count("or") < MAX_CHAIN:
        return False
    if len(_OPERATORS.findall(text)) < MAX_CHAIN:
        return False
    return tree is None or any(
        isinstance(node, ast.BoolOp) and len(node.values) > MAX_CHAIN
        for node in ast.walk(tree)
    )


def excess_index(text: str) -> int | None:
    """Return the index of what a parser cannot read: a bracket that is nested too deeply, or
    else a dotted name that is too long. Return `None` if there is neither.
    """
    for index, depth_at_index in _depths(text):
        if depth_at_index > MAX_DEPTH:
            return index
    if text.count(".") >= MAX_CHAIN and (match := _DOTTED.search(text)):
        return match.start()
    return None


def depth(text: str) -> int:
    """Return the largest number of brackets that are open at the same time.

    Brackets in strings and comments count too, so the result may be too high.
    """
    return max((depth_at_index for _, depth_at_index in _depths(text)), default=0)


def _depths(text: str) -> Iterator[tuple[int, int]]:
    """Yield the index of each opening bracket, and the number of open brackets."""
    open_now = 0
    for bracket in _BRACKETS.finditer(text):
        if bracket[0] in "([{":
            open_now += 1
            yield bracket.start(), open_now
        elif open_now:
            open_now -= 1
