"""Finds `# savegen: ignore[SG203]`, in comments only."""

from __future__ import annotations

import re
import tokenize
from collections.abc import Iterator

from savegen.build.scan.declarations import Silencer
from savegen.build.source import SourceFile
from savegen.findings import Span

WORD = re.compile(rb"#[ \t]*savegen:[ \t]*ignore\b")

_SILENCER = re.compile(r"(?<!\S)#[ \t]*savegen:[ \t]*ignore\b(?:\[([^]]*)\])?")
_CODE = re.compile(r"[^\s,]+")


def silencers(file: SourceFile) -> tuple[Silencer, ...]:
    """Return what a file that can be parsed silences, one for each code.

    Only a file that holds the words is looked at again: a string may hold them too.
    """
    text = file.text
    if "savegen:" not in text:
        return ()
    lines = _lines_meant(file.lines)
    return tuple(
        silencer
        for row, column, comment in _comments(file.lines)
        for found in _SILENCER.finditer(comment)
        for silencer in _read(file.path, row, column, found, lines)
    )


def _comments(lines: list[str]) -> Iterator[tuple[int, int, str]]:
    """Yield the line and the column of every comment, counted from 1, and its text."""
    ended = (f"{line}\n" for line in lines)
    try:
        for token in tokenize.generate_tokens(lambda: next(ended, "")):
            if token.type == tokenize.COMMENT:
                yield token.start[0], token.start[1] + 1, token.string
    except (tokenize.TokenError, SyntaxError):
        return  # newer syntax than this interpreter's: what follows is not known


def _lines_meant(lines: list[str]) -> list[int]:
    """Return for each line where what a comment on it is about begins.

    That is the line itself, or below a line of comment alone the first that is none.
    """
    meant = list(range(1, len(lines) + 1))
    for place in range(len(lines) - 2, -1, -1):
        if lines[place].lstrip().startswith("#"):
            meant[place] = meant[place + 1]
    return meant


def _read(
    path: str, row: int, column: int, found: re.Match[str], lines: list[int]
) -> Iterator[Silencer]:
    places = [m.span() for m in _CODE.finditer(found.string, *found.span(1))]
    for start, end in places if found[1] else ():
        span = Span(path, row, column + start, row, column + end)
        yield Silencer(found.string[start:end], span, (row, lines[row - 1]))
    if not places or not found[1]:
        start, end = found.span()
        yield Silencer("", Span(path, row, column + start, row, column + end))
