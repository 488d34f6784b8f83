"""Find `# savegen: ignore[SG203]` in the comments of a file."""

from __future__ import annotations

import re
import tokenize
from collections.abc import Iterator

from savegen.build.scan.declarations import IgnoreComment
from savegen.build.source import SourceFile
from savegen.findings import Span

IGNORE_COMMENT = re.compile(rb"#[ \t]*savegen:[ \t]*ignore\b")

_COMMENT = re.compile(r"(?<!\S)#[ \t]*savegen:[ \t]*ignore\b(?:\[([^]]*)\])?")
_CODE = re.compile(r"[^\s,]+")


def ignore_comments(file: SourceFile) -> tuple[IgnoreComment, ...]:
    """Return an `IgnoreComment` for each code in the ignore comments of `file`, which must parse."""
    text = file.text
    if "savegen:" not in text:
        return ()
    targets = _target_lines(file.lines)
    return tuple(
        ignore_comment
        for row, column, comment in _comments(file.lines)
        for match in _COMMENT.finditer(comment)
        for ignore_comment in _comments_in_match(file.path, row, column, match, targets)
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


def _comments_in_match(
    path: str, row: int, column: int, match: re.Match[str], targets: list[int]
) -> Iterator[IgnoreComment]:
    code_spans = [m.span() for m in _CODE.finditer(match.string, *match.span(1))]
    for start, end in code_spans if match[1] else ():
        span = Span(path, row, column + start, row, column + end)
        yield IgnoreComment(match.string[start:end], span, (row, targets[row - 1]))
    if not code_spans or not match[1]:
        start, end = match.span()
        yield IgnoreComment("", Span(path, row, column + start, row, column + end))
