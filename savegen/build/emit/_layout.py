"""Generated text in lines: what is too long is opened at a bracket, with a member a line.

No formatter runs unless the project uses black. A line without brackets may stay long.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

WIDTH = 88  # of a line, as black has it


def at(text: str, indent: int) -> str:
    """Return a statement, or a member of a display with its comma, indented.

    >>> print(at("data[1] = " + "first_function(second, third, fourth)" + " + x" * 12, 0))
    data[1] = first_function(
        second, third, fourth
    ) + x + x + x + x + x + x + x + x + x + x + x + x
    """
    margin = " " * indent
    opened = _opened(text) if indent + len(text) > WIDTH else None
    if opened is None:
        return margin + text
    if indent + 4 + len(opened.inside) <= WIDTH or len(opened.lines) == 1:
        lines = [at(opened.inside, indent + 4)]
    else:
        lines = [at(line, indent + 4) for line in opened.lines]
    return "\n".join([margin + opened.head, *lines, margin + opened.tail])


class _Opened(NamedTuple):
    head: str  # with the opening bracket
    inside: str
    lines: list[str]  # a member each, or what a comprehension makes and what from
    tail: str  # from the closing bracket on


_TOKEN = re.compile(r""""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[()\[\]{},]|\bfor\b""")


def _opened(text: str) -> _Opened | None:
    """Open the last brackets with something in them; `None` if there are none."""
    depth, clause, marks = 0, 0, list[int]()
    found: _Opened | None = None
    for token in _TOKEN.finditer(text):
        place, sign = token.start(), token[0]
        if sign in "([{":
            if depth == 0:
                marks, clause = [place], 0
            depth += 1
        elif sign in ")]}":
            depth -= 1
            if depth == 0 and place > marks[0] + 1:
                found = _between(text, [*marks, place], clause)
        elif depth == 1 and sign == "for":
            clause = place
        elif depth == 1 and sign == "," and not clause:
            marks.append(place)
    return found


def _between(text: str, marks: list[int], clause: int) -> _Opened:
    """Open brackets; `marks` are where these and the commas are, `clause` is where a `for` is."""
    first, last = marks[0] + 1, marks[-1]
    inside = text[first:last]
    if clause:
        lines = [text[first:clause].strip(), text[clause:last]]
    else:
        members = [text[a + 1 : b].strip() for a, b in zip(marks, marks[1:])]
        lines = [f"{member}," for member in members if member]
        if len(lines) > 1:
            inside = inside.removesuffix(",")
    return _Opened(text[:first], inside, lines, text[last:])


def noted(text: str, note: str) -> str:
    """Return a line with a note behind it, if there is room for that.

    >>> noted("    12: body,", "torso")
    '    12: body,  # torso'
    """
    line = f"{text}  # {note}"
    fits = "\n" not in text and line.isascii() and len(line) <= WIDTH
    return line if fits else text


def display(head: str, indent: int, members: Iterable[str]) -> str:
    """Return a display that `head` begins, a line a member."""
    margin, tail = " " * indent, ")" if head[-1] == "(" else "}"
    inside = [at(f"{member},", indent + 4) for member in members]
    return "\n".join([margin + head, *inside, margin + tail])


def signature(name: str, indent: int, parameters: list[str], result: str) -> str:
    """Return the `def` line of a function."""
    return at(f"def {name}({', '.join(parameters)}) -> {result}:", indent)


def either(conditions: list[str], indent: int, bool: str) -> str:
    """Return `return` of whether one of some conditions is met; `bool` is what bool is called."""
    whole = " or ".join(conditions)
    if len(conditions) == 1:  # `!=` may return anything
        return at(
            f"return {bool}({whole})" if " != " in whole else f"return {whole}", indent
        )
    if indent + len(f"return {whole}") <= WIDTH:
        return at(f"return {whole}", indent)
    margin, (first, *others) = " " * indent, conditions
    lines = [at(line, indent + 4) for line in (first, *(f"or {o}" for o in others))]
    return "\n".join([f"{margin}return (", *lines, f"{margin})"])


def imported(text: str, indent: int = 0) -> str:
    """Return one `from … import …` statement."""
    if indent + len(text) <= WIDTH:
        return at(text, indent)
    head, _, names = text.partition(" import ")
    return at(f"{head} import ({names})", indent)
