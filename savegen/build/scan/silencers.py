"""Find `# savegen: ignore[SG203]` in the comments of a file."""

from __future__ import annotations

import re
import tokenize
from collections.abc import Iterator

from savegen.build.scan.declarations import Silencer
from savegen.build.source import SourceFile
from savegen.findings import Span

IGNORE_COMMENT = re.compile(rb"#[ \t]*savegen:[ \t]*ignore\b")

_SILENCER = re.compile(r"(?<!\S)#[ \t]*savegen:[ \t]*ignore\b(?:\[([^]]*)\])?")
_CODE = re.compile(r"[^\s,]+")


def silencers(file: SourceFile) -> tuple[Silencer, ...]:
    """Return a `Silencer` for each code in the ignore comments of `file`, which must parse."""
    text = file.text
    if "savegen:" not in text:
        return ()
    targets = _target_lines(file.lines)
    return tuple(
        silencer
        for row, column, comment in _comments(file.lines)
        for match in _SILENCER.finditer(comment)
        for silencer in _silencers_in(file.path, row, column, match, targets)
    )


def _comments(lines: list[str]) -> Iterator[tuple[int, int, str]]:
    """Yield the line and the column of every comment, counted from 1, and its text."""
    iterator = (f"{line}\n" for line in lines)
    try:
        for token in tokenize.generate_tokens(lambda: next(iterator, "")):
            if token.type == tokenize.COMMENT:
                yield token.start[0], token.start[1] + 1, token.string
    except (tokenize.TokenError, SyntaxError):
        return  # syntax that is newer than this Python: skip the rest


def _target_lines(lines: list[str]) -> list[int]:
    """Return, for each line, the number of the line to which a comment in it applies.

    This is the line itself or, if it holds only a comment, the first line below that does not.
    """
    targets = list(range(1, len(lines) + 1))
    for index in range(len(lines) - 2, -1, -1):
        if lines[index].lstrip().startswith("#"):
            targets[index] = targets[index + 1]
    return targets


def _silencers_in(
    path: str, row: int, column: int, match: re.Match[str], targets: list[int]
) -> Iterator[Silencer]:
    code_spans = [m.span() for m in _CODE.finditer(match.string, *match.span(1))]
    for start, end in code_spans if match[1] else ():
        span = Span(path, row, column + start, row, column + end)
        yield Silencer(match.string[start:end], span, (row, targets[row - 1]))
    if not code_spans or not match[1]:
        start, end = match.span()
        yield Silencer("", Span(path, row, column + start, row, column + end))
