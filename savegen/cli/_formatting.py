"""Format what commands print: tables, diffs, local times, durations and sizes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from savegen.cli._console import Console

_GAP = "  "


def print_table(
    console: Console, heads: Sequence[str], rows: Sequence[Sequence[str]]
) -> None:
    """Print a table without its empty columns; on a narrow terminal, one value per line."""
    if not rows:
        return
    from savegen.build.render import printable

    rows = [[printable(cell) for cell in row] for row in rows]
    filled = [n for n in range(len(heads)) if any(row[n] for row in rows)]
    heads = [heads[n] for n in filled]
    rows = [[row[n] for n in filled] for row in rows]
    lines = list(_aligned([heads, *rows]))
    if console.is_narrow(max(map(len, lines))):
        _print_as_lists(console, heads, rows)
        return
    console.print(lines[0], "message")
    for line in lines[1:]:
        console.print(line)


def _aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    from savegen.build.render import columns

    widths = [max(map(columns, column)) for column in zip(*rows)]
    numeric = [all(cell.isdecimal() for cell in column[1:]) for column in zip(*rows)]
    for row in rows:
        padded = []
        for cell, width, is_numeric in zip(row, widths, numeric, strict=True):
            padding = " " * (width - columns(cell))
            padded.append(padding + cell if is_numeric else cell + padding)
        yield _GAP.join(padded).rstrip()


def _print_as_lists(
    console: Console, heads: Sequence[str], rows: Sequence[Sequence[str]]
) -> None:
    for row in rows:
        console.print(row[0], "message")
        pairs = [pair for pair in zip(heads[1:], row[1:]) if pair[1]]
        for line in _aligned(pairs) if pairs else ():
            console.print(f"{_GAP}{line}")


def unified_diff(path: str, old: bytes, new: bytes) -> str:
    """Return the unified diff of two contents of a file."""
    import difflib

    before, after = lines_of(old), lines_of(new)
    lines = difflib.unified_diff(before, after, f"a/{path}", f"b/{path}", lineterm="")
    text = "\n".join(line.rstrip("\r\n") for line in lines)
    return text or "only the line endings differ"


def lines_of(data: bytes) -> list[str]:
    return data.decode(errors="backslashreplace").splitlines()


def local_time(text: str) -> str:
    """Return an ISO time as local time: `2026-01-31 19:05`."""
    from datetime import datetime

    try:
        return datetime.fromisoformat(text).astimezone().strftime("%Y-%m-%d %H:%M")
    except (ValueError, OverflowError, OSError):
        return text


def duration(seconds: float) -> str:
    """Return a duration in hours, minutes and seconds.

    >>> duration(3725.0), duration(59.0), duration(1e300)
    ('1 h 02 min', '59 s', 'long')
    """
    if not 0 <= seconds < 1e9:
        return "long"
    minutes, seconds = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours:,} h {minutes:02} min"
    return f"{minutes} min {seconds:02} s" if minutes else f"{seconds} s"


def file_size(count: int) -> str:
    """Return a number of bytes in B, kB or MB.

    >>> file_size(999), file_size(123_456), file_size(7_654_321)
    ('999 B', '123 kB', '7.7 MB')
    """
    if count < 1000:
        return f"{count} B"
    return f"{count / 1e3:.0f} kB" if count < 1e6 else f"{count / 1e6:.1f} MB"
