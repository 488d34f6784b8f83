"""Break long generated statements at a bracket.

The items in it are put on one line if they fit, otherwise on one line each.
No formatter runs unless the project uses black. A line without brackets may stay long.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

WIDTH = 88  # characters in a line, the default of black


def wrap(text: str, indent: int) -> str:
    """Return an indented statement or list item, broken into lines if it is too long.

    >>> print(wrap("data[1] = " + "first_function(second, third, fourth)" + " + x" * 12, 0))
    data[1] = first_function(
        second, third, fourth
    ) + x + x + x + x + x + x + x + x + x + x + x + x
    """
    margin = " " * indent
    split = _split(text) if indent + len(text) > WIDTH else None
    if split is None:
        return margin + text
    if indent + 4 + len(split.inside) <= WIDTH or len(split.lines) == 1:
        lines = [wrap(split.inside, indent + 4)]
    else:
        lines = [wrap(line, indent + 4) for line in split.lines]
    return "\n".join([margin + split.head, *lines, margin + split.tail])


class _Split(NamedTuple):
    """A statement, split at a pair of brackets."""

    head: str  # up to the opening bracket
    inside: str
    lines: list[str]  # the items, or the two halves of a comprehension
    tail: str  # from the closing bracket


_TOKEN = re.compile(
    r""""[^"\\]*(?:\\.[^"\\]*)*"|'[^'\\]*(?:\\.[^'\\]*)*'|[()\[\]{},]|\bfor\b"""
)


def _split(text: str) -> _Split | None:
    """Split a statement at the last outer brackets that are not empty; None without any."""
    depth, clause, marks = 0, 0, list[int]()
    split: _Split | None = None
    for token in _TOKEN.finditer(text):
        position, sign = token.start(), token[0]
        if sign in "([{":
            if depth == 0:
                marks, clause = [position], 0
            depth += 1
        elif sign in ")]}":
            depth -= 1
            if depth == 0 and position > marks[0] + 1:
                split = _split_at(text, [*marks, position], clause)
        elif depth == 1 and sign == "for":
            clause = position
        elif depth == 1 and sign == "," and not clause:
            marks.append(position)
    return split


def _split_at(text: str, marks: list[int], clause: int) -> _Split:
    """Split a statement at brackets.

    `marks` are the positions of the opening bracket, of each comma, and of the closing
    bracket. `clause` is the position of `for` in a comprehension, otherwise 0.
    """
    first, last = marks[0] + 1, marks[-1]
    inside = text[first:last]
    if clause:
        lines = [text[first:clause].strip(), text[clause:last]]
    else:
        items = [text[a + 1 : b].strip() for a, b in zip(marks, marks[1:])]
        lines = [f"{item}," for item in items if item]
        if len(lines) > 1:
            inside = inside.removesuffix(",")
    return _Split(text[:first], inside, lines, text[last:])


def with_comment(text: str, comment: str) -> str:
    """Return a line of code with a comment; without it if that is too long or not ASCII.

    >>> with_comment("    12: body,", "torso")
    '    12: body,  # torso'
    """
    line = f"{text}  # {comment}"
    fits = "\n" not in text and line.isascii() and len(line) <= WIDTH
    return line if fits else text


def display(head: str, indent: int, items: Iterable[str]) -> str:
    """Return a call or dict that begins with `head`, with one item per line."""
    margin, tail = " " * indent, ")" if head[-1] == "(" else "}"
    inside = [wrap(f"{item},", indent + 4) for item in items]
    return "\n".join([margin + head, *inside, margin + tail])


def signature(name: str, indent: int, parameters: list[str], result: str) -> str:
    """Return the `def` line of a function."""
    return wrap(f"def {name}({', '.join(parameters)}) -> {result}:", indent)


def return_any(conditions: list[str], indent: int, bool: str) -> str:
    """Return a `return` statement with all conditions joined by `or`.

    `bool` is the name of `bool` in the module.
    """
    whole = " or ".join(conditions)
    if len(conditions) == 1:  # `!=` may return an object that is not a bool
        return wrap(
            f"return {bool}({whole})" if " != " in whole else f"return {whole}", indent
        )
    if indent + len(f"return {whole}") <= WIDTH:
        return wrap(f"return {whole}", indent)
    margin, (first, *others) = " " * indent, conditions
    lines = [wrap(line, indent + 4) for line in (first, *(f"or {o}" for o in others))]
    return "\n".join([f"{margin}return (", *lines, f"{margin})"])


def imported(text: str, indent: int = 0) -> str:
    """Return a `from … import …` statement, broken into lines if it is too long."""
    if indent + len(text) <= WIDTH:
        return wrap(text, indent)
    head, _, names = text.partition(" import ")
    return wrap(f"{head} import ({names})", indent)
