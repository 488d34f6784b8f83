"""Render findings as text, with the user's line and carets below the fault, and as JSON."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from savegen.findings import Finding, Severity, Span

_REPEATS = 3  # findings shown of one code, without --all

WIDTH = 120  # columns shown of the user's line

# Characters of the line examined on each side of a span: more than WIDTH, because some
# characters have no width.
_CONTEXT = 2 * WIDTH
_TAB = " " * 4
_STYLES = {
    "info": "1;36",
    "warning": "1;33",
    "error": "1;31",
    "message": "1",
    "frame": "1;34",
    "help": "1;36",
    "added": "32",
    "removed": "31",
}


def render_text(
    findings: Iterable[Finding],
    line_of: Callable[[str, int], str | None],
    colour: bool = False,
    shown: Callable[[str], str] = str,
    everything: bool = True,
) -> str:
    """Return the findings with their source lines, errors last, and a summary; "" without any.

    `line_of(path, line)` returns a line of source code, or None if it does not exist. `shown`
    converts a path to the form to print. Without `everything`, notes are only counted, and
    only the first findings of each code are shown.
    """
    findings = sorted(findings, key=lambda finding: finding.severity)
    if not findings:
        return ""
    painter = partial(paint, colour=colour)
    blocks = [
        (
            painter(item, "frame")
            if isinstance(item, str)
            else "\n".join(_block(item, line_of, painter, shown))
        )
        for item in (findings if everything else _first_of_each_code(findings))
    ]
    notes = sum(not finding.severity for finding in findings)
    hint = "" if everything or not notes else f" (--all shows {_pronoun(notes)})"
    return "\n\n".join([*blocks, summary(findings) + hint])


def _first_of_each_code(findings: list[Finding]) -> Iterator[Finding | str]:
    """Yield the first findings of each code, without notes, and a line that counts the others."""
    totals = Counter(finding.code for finding in findings)
    counts: Counter[str] = Counter()
    for finding in findings:
        code = finding.code
        counts[code] += 1
        if not finding.severity or counts[code] > _REPEATS:
            continue
        yield finding
        hidden = totals[code] - _REPEATS
        if counts[code] == _REPEATS and hidden > 0:
            yield f"… and {hidden:,} more {code}; --all shows {_pronoun(hidden)}"


def _pronoun(count: int) -> str:
    return "it" if count == 1 else "them"


def render_concise(
    findings: Iterable[Finding], shown: Callable[[str], str] = str
) -> str:
    """Return one line per finding: `path:line:column: SG203 message`."""
    return "\n".join(
        f"{printable(shown(f.span.path))}:{f.span.line}:{f.span.column}:"
        f" {f.code} {printable(f.message)}"
        for f in findings
    )


def render_json(findings: Iterable[Finding], shown: Callable[[str], str] = str) -> str:
    """Return the findings as a JSON array, in ASCII."""
    import json

    return json.dumps([_as_data(f, shown) for f in findings], indent=2)


def _as_data(finding: Finding, shown: Callable[[str], str]) -> dict[str, object]:
    span = finding.span
    return {
        "path": shown(span.path),
        "line": span.line,
        "column": span.column,
        "end_line": span.end_line,
        "end_column": span.end_column,
        "code": finding.code,
        "severity": finding.severity.name.lower(),
        "message": finding.message,
        "help": finding.help,
    }


def render_github(
    findings: Iterable[Finding], shown: Callable[[str], str] = str
) -> str:
    """Return one GitHub workflow command per finding; GitHub shows it beside the source line."""
    return "\n".join(_command(finding, shown) for finding in findings)


_COMMANDS = {"info": "notice"}  # other severities have the same name as their command
# Characters that would end a command. `%` is first, because the replacements contain it.
_ESCAPES = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_IN_PROPERTIES = {**_ESCAPES, ":": "%3A", ",": "%2C"}


def _command(finding: Finding, shown: Callable[[str], str]) -> str:
    span, severity = finding.span, finding.severity.name.lower()
    properties = {
        "file": shown(span.path),
        "line": span.line,
        "col": span.column,
        "endLine": span.end_line,
        "endColumn": span.end_column,
        "title": finding.code,
    }
    arguments = ",".join(
        f"{name}={_replaced(str(value), _IN_PROPERTIES)}"
        for name, value in properties.items()
    )
    message = _replaced(finding.message, _ESCAPES)
    return f"::{_COMMANDS.get(severity, severity)} {arguments}::{message}"


def _replaced(text: str, escapes: dict[str, str]) -> str:
    text = "".join(escapes.get(letter, letter) for letter in text)
    return printable(text)


def columns(text: str) -> int:
    """Return the width of a printable text in columns of a terminal.

    >>> columns("orc"), columns("獣人")
    (3, 4)
    """
    return len(text) if text.isascii() else sum(map(_width, text))


def summary(findings: Iterable[Finding]) -> str:
    """Return the number of findings by severity, the worst first: `2 errors, 1 warning`."""
    counts = Counter(finding.severity for finding in findings)
    return ", ".join(
        f"{counts[severity]:,} {label(severity)}{'s' * (counts[severity] > 1)}"
        for severity in sorted(counts, reverse=True)
    )


def label(severity: Severity) -> str:
    """Return the name of a severity for people: "note", "warning" or "error"."""
    name = severity.name.lower()
    return "note" if name == "info" else name


def paint(text: str, style: str, colour: bool = True) -> str:
    """Return a text in the colour of a style, such as `error`, `help` or `added`."""
    return f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if colour and text else text


def printable(text: str, keep: str = "") -> str:
    r"""Return a text with control characters, bidi marks and surrogates escaped, except `keep`.

    >>> print(printable("a hostile \x1b[31m name"))
    a hostile \x1b[31m name
    """
    if text.isprintable():
        return text
    return "".join(letter if letter in keep else _escaped(letter) for letter in text)


def _escaped(letter: str) -> str:
    import unicodedata

    if letter.isprintable() or unicodedata.category(letter) == "Zs":
        return letter
    return letter.encode("unicode_escape").decode("ascii")


# One finding


def _block(
    finding: Finding,
    line_of: Callable[[str, int], str | None],
    painter: Callable[[str, str], str],
    shown: Callable[[str], str],
) -> Iterator[str]:
    span = finding.span
    severity = finding.severity.name.lower()
    margin = " " * len(str(span.line))
    code = f"[{finding.code}]" if finding.code else ""
    message = painter(f": {printable(finding.message)}", "message")
    yield painter(label(finding.severity) + code, severity) + message
    place = f"{printable(shown(span.path))}:{span.line}:{span.column}"
    yield f"{margin}{painter('-->', 'frame')} {place}"
    line = line_of(span.path, span.line)
    if line is not None:
        text, indent, width = _frame(span, line)
        bar = painter("|", "frame")
        yield f"{margin} {bar}"
        yield f"{painter(f'{span.line} |', 'frame')} {text}".rstrip()
        yield f"{margin} {bar} {' ' * indent}{painter('^' * width, severity)}"
        if span.end_line > span.line:
            yield painter("...", "frame")
    if finding.help:
        first, *others = finding.help.splitlines()
        yield f"{margin} {painter('=', 'frame')} {painter('help', 'help')}: {printable(first)}"
        yield from (f"{margin}         {printable(line)}" for line in others)


class _Cell(NamedTuple):
    """The displayed form of one character of the user's line, and its width in columns."""

    text: str
    width: int


def _frame(span: Span, line: str) -> tuple[str, int, int]:
    """Return the part of a line to show, the index of the first caret in it, and their number."""
    line = line.rstrip("\r\n")
    start = min(span.column - 1, len(line))
    end = len(line.rstrip()) if span.end_line > span.line else span.end_column - 1
    end = min(max(end, start), len(line), start + WIDTH)
    first = max(start - _CONTEXT, 0)
    cells = [_cell(letter) for letter in line[first : end + _CONTEXT]]
    columns = list(accumulate((cell.width for cell in cells), initial=0))
    start, end = start - first, end - first
    left, right = _window(columns, start, end)
    before, after = "…" * (first + left > 0), "…" * (first + right < len(line))
    text = "".join(cell.text for cell in cells[left:right])
    indent = columns[start] - columns[left] + len(before)
    width = columns[min(end, right)] - columns[start]
    return before + text + after, indent, max(width, 1)


def _window(columns: list[int], start: int, end: int) -> tuple[int, int]:
    """Return the range of cells to show: all, or as many as fit around the span."""
    if columns[-1] <= WIDTH:
        return 0, len(columns) - 1
    room = WIDTH - 2  # for an ellipsis on each side
    spare = max(room - (columns[end] - columns[start]), 0)
    low = max(min(columns[start] - spare // 2, columns[-1] - room), 0)
    return bisect_left(columns, low), bisect_right(columns, low + room) - 1


def _cell(letter: str) -> _Cell:
    if letter == "\t":
        return _Cell(_TAB, len(_TAB))
    if letter.isascii() and letter.isprintable():
        return _Cell(letter, 1)
    return _Cell(shown := _escaped(letter), _width(shown))


def _width(text: str) -> int:
    """Return the width of a character, or of its escape sequence, in columns."""
    import unicodedata

    if len(text) > 1:
        return len(text)
    if unicodedata.category(text) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(text) in ("W", "F") else 1
