"""How deeply a text is nested: beyond a depth parsers overflow the stack and die."""

from __future__ import annotations

import re

MAX_DEPTH = 200
_BRACKETS = re.compile(r"[()\[\]{}]")


def is_too_deep(text: str) -> bool:
    """Tell whether a text is nested more deeply than any parser should be given."""
    brackets = sum(map(text.count, "([{"))
    return brackets > MAX_DEPTH and depth(text) > MAX_DEPTH


def depth(text: str) -> int:
    """Return how many brackets are open at once, at most.

    Strings and comments are not told apart: what they hold can only make us more careful.
    """
    deepest = open_now = 0
    for bracket in _BRACKETS.findall(text):
        if bracket in "([{":
            open_now += 1
            deepest = max(deepest, open_now)
        elif open_now:
            open_now -= 1
    return deepest
