"""How deeply a text is nested: beyond a depth parsers overflow the stack and die."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

MAX_DEPTH = 200
MAX_CHAIN = 1_000  # `a and b and …`, `a.b.…`: ast keeps them flat, libcst nests them
_BRACKETS = re.compile(r"[()\[\]{}]")
_LINKS = re.compile(r"\b(?:and|or)\b")
_DOTTED = re.compile(rf"(?:[\s\\]*+\.[\s\\]*+\w++){{{MAX_CHAIN}}}")


def is_too_deep(text: str) -> bool:
    """Tell whether a text that ast refuses is nested more deeply than any parser should be given.

    What ast accepts is not: it counts brackets too, and tells them from those in strings.
    """
    return depth(text) > MAX_DEPTH


def is_chained_too_long(text: str, tree: ast.Module | None) -> bool:
    """Tell whether a name or a condition is a chain that no parser should be given.

    Without a tree of ast's the words alone decide.
    """
    if text.count(".") >= MAX_CHAIN and _DOTTED.search(text):
        return True
    if len(_LINKS.findall(text)) < MAX_CHAIN:
        return False
    return tree is None or any(
        isinstance(node, ast.BoolOp) and len(node.values) > MAX_CHAIN
        for node in ast.walk(tree)
    )


def place_of(text: str) -> int | None:
    """Return where a text is nested too deeply; `None` if its letters do not show it."""
    for place, depth_there in _depths(text):
        if depth_there > MAX_DEPTH:
            return place
    if text.count(".") >= MAX_CHAIN and (found := _DOTTED.search(text)):
        return found.start()
    return None


def depth(text: str) -> int:
    """Return how many brackets are open at once, at most.

    Strings and comments are not told apart: what they hold can only make us more careful.
    """
    return max((depth_there for _, depth_there in _depths(text)), default=0)


def _depths(text: str) -> Iterator[tuple[int, int]]:
    """Yield the place of each opening bracket, and how many are open there."""
    open_now = 0
    for bracket in _BRACKETS.finditer(text):
        if bracket[0] in "([{":
            open_now += 1
            yield bracket.start(), open_now
        elif open_now:
            open_now -= 1
