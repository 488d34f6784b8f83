"""Tables with aligned columns; on a narrow terminal, one value per line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from savegen.cli._console import Console

_GAP = "  "


def print_table(
    console: Console, heads: Sequence[str], rows: Sequence[Sequence[str]]
) -> None:
    """Print a table. Cells are not wrapped, and empty columns are left out."""
    if not rows:
        return
    from savegen.build.render import printable

    shown = [[printable(cell) for cell in row] for row in rows]
    kept = [place for place in range(len(heads)) if any(row[place] for row in shown)]
    heads = [heads[place] for place in kept]
    shown = [[row[place] for place in kept] for row in shown]
    lines = list(_aligned([heads, *shown]))
    if console.is_narrow(max(map(len, lines))):
        _print_below(console, heads, shown)
        return
    console.print(lines[0], "message")
    for line in lines[1:]:
        console.print(line)


def _aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    from savegen.build.render import columns

    widths = [max(map(columns, column)) for column in zip(*rows)]
    numbers = [_are_numbers(column[1:]) for column in zip(*rows)]
    for row in rows:
        padded = []
        for cell, width, is_number in zip(row, widths, numbers, strict=True):
            margin = " " * (width - columns(cell))
            padded.append(margin + cell if is_number else cell + margin)
        yield _GAP.join(padded).rstrip()


def _are_numbers(cells: Sequence[str]) -> bool:
    return all(cell.isdecimal() for cell in cells)


def _print_below(
    console: Console, heads: Sequence[str], rows: Sequence[Sequence[str]]
) -> None:
    for row in rows:
        console.print(row[0], "message")
        facts = [pair for pair in zip(heads[1:], row[1:]) if pair[1]]
        for line in _aligned(facts) if facts else ():
            console.print(f"{_GAP}{line}")
