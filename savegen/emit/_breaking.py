"""Black's way to break a line that is too long, as far as generated code has need of it.

The order of things and their names follow `black.linegen`, where the reasons are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from savegen.emit._lines import COMMA, DOT, WIDTH, Leaf, Line, copied


class _CannotBreak(Exception):
    """There is no place to break a line at, or it would not help."""


def broken(line: Line, forced: bool = False) -> list[Line]:
    """Return the lines that black makes of one; some may still be too long.

    `forced` tells to keep the brackets that are not there yet.
    """
    if line.fits and not line.explode:
        return [line]
    ways = (_at_delimiters, _at_brackets) if line.inside else (_at_brackets,)
    for way in (_at_parameters,) if line.is_definition else ways:
        try:
            return _tried(line, way, forced)
        except _CannotBreak:
            pass
    return [line]


_Way = Callable[[Line, bool], list[Line]]


def _tried(line: Line, way: _Way, forced: bool) -> list[Line]:
    before = line.text
    outermost = _outermost(line)
    made: list[Line] = []
    for part in way(line, forced):
        if part.text == before:
            raise _CannotBreak
        made += broken(part, forced)
    settled = (
        forced
        or way is not _at_brackets
        or not line.hidden
        or any(leaf.text for leaf in outermost)
        or made[0].fits
    )
    if settled:
        return made
    second = _tried(copied(line), way, True)
    return second if all(part.fits for part in second) else made


def _outermost(line: Line) -> list[Leaf]:
    """Return the hidden brackets that stand inside no others."""
    found: list[Leaf] = []
    depth = 0
    for leaf in line.leaves:
        depth -= bool(leaf.closes)
        if depth == 0 and leaf in line.hidden:
            found.append(leaf)
        depth += bool(leaf.opens)
    return found


# Between members, operands or clauses


def _at_delimiters(line: Line, forced: bool) -> list[Line]:
    last = line.leaves[-1]
    delimiters = line.delimiters()
    priorities = [p for leaf, p in delimiters.items() if leaf is not last]
    highest = max(priorities, default=0)
    if not highest or (highest == DOT and priorities.count(DOT) == 1):
        raise _CannotBreak
    comma = [Leaf(",", after=COMMA)] if highest == COMMA and last.text != "," else []
    parts: list[list[Leaf]] = [[]]
    for leaf in [*line.leaves, *comma]:
        parts[-1].append(leaf)
        if delimiters.get(leaf) == highest:
            parts.append([])
    return [_inner(line.depth, part) for part in parts if part]


def _inner(depth: int, leaves: list[Leaf]) -> Line:
    leaves[0].space = ""
    hidden = [leaf for leaf in leaves if not leaf.text]
    return Line(depth, leaves, inside=True, hidden=hidden)


# The parameters of a function


def _at_parameters(line: Line, forced: bool) -> list[Line]:
    leaves = line.leaves
    start = next(place for place, leaf in enumerate(leaves) if leaf.text == "(")
    ends = (p for p, leaf in enumerate(leaves) if leaf.partner is leaves[start])
    end = next(ends, start + 1)
    if end == start + 1:
        raise _CannotBreak
    body = _inner(line.depth + 1, leaves[start + 1 : end])
    if COMMA not in body.delimiters().values():
        body.leaves.append(Leaf(",", after=COMMA))
    head, tail = leaves[: start + 1], leaves[end:]
    return [Line(line.depth, head), body, Line(line.depth, tail)]


# At a pair of brackets, the last one first


@dataclass
class _Split:
    head: Line
    body: Line
    tail: Line
    opening: Leaf
    closing: Leaf

    @property
    def lines(self) -> list[Line]:
        self.opening.show()
        self.closing.show()
        return [self.head, self.body, self.tail]

    @property
    def is_hidden(self) -> bool:
        return not self.opening.text and not self.closing.text


def _at_brackets(line: Line, forced: bool) -> list[Line]:
    first: list[Line] | None = None
    for omitted in _omissions(line):
        if omitted and _begins_too_late(line, omitted):
            continue
        lines = _split(line, omitted, forced)
        if lines[0].fits:
            return lines
        first = first or lines
    assert first is not None
    return first


def _begins_too_late(line: Line, omitted: set[Leaf]) -> bool:
    closing = next(
        (c for c in reversed(line.leaves) if c.closes and c not in omitted), None
    )
    if closing is None or closing.partner is None or not closing.partner.text:
        return False
    before = line.leaves[: line.leaves.index(closing.partner)]
    return 4 * line.depth + sum(leaf.length for leaf in before) > WIDTH


def _omissions(line: Line) -> Iterator[set[Leaf]]:
    """Yield sets of closing brackets to pass over: their trailers stay glued together."""
    omitted: set[Leaf] = set()
    yield omitted
    length = 4 * line.depth
    opening: Leaf | None = None
    closing: Leaf | None = None
    inner: set[Leaf] = set()
    for place in range(len(line.leaves) - 1, -1, -1):
        leaf = line.leaves[place]
        length += leaf.length
        if length > WIDTH:
            return
        if opening is not None:
            if leaf is opening:
                opening = None
            elif leaf.closes:
                inner.add(leaf)
        elif leaf.closes:
            if line.leaves[place - 1].opens:
                inner.add(leaf)
                continue
            if closing is not None:
                omitted |= {closing, *inner}
                inner.clear()
                yield omitted
            if leaf.text:
                opening, closing = leaf.partner, leaf


def _split(line: Line, omitted: set[Leaf], forced: bool) -> list[Line]:
    return _without_hidden(_last_pair(line, omitted), line, omitted, forced)


def _last_pair(line: Line, omitted: set[Leaf]) -> _Split:
    leaves = line.leaves
    closing, opening = _pair(leaves, omitted)
    start, end = leaves.index(opening), leaves.index(closing)
    body = _inner(line.depth + 1, leaves[start + 1 : end])
    body.explode = opening.display and _has_members(body)
    head, tail = leaves[: start + 1], leaves[end:]
    return _Split(_head(line, head), body, Line(line.depth, tail), opening, closing)


def _pair(leaves: list[Leaf], omitted: set[Leaf]) -> tuple[Leaf, Leaf]:
    """Return the last pair of brackets with something in it."""
    for closing, before in zip(reversed(leaves), [*reversed(leaves[:-1]), None]):
        opening = closing.partner
        if opening is None or closing in omitted or opening is before:
            continue
        if opening in leaves:
            return closing, opening
        break
    raise _CannotBreak


def _head(line: Line, leaves: list[Leaf]) -> Line:
    paired = {leaf.partner for leaf in leaves if leaf.closes}
    hidden = [
        leaf
        for leaf in leaves
        if not leaf.text and (leaf in paired or leaf.partner in leaves)
    ]
    return Line(line.depth, leaves, hidden=hidden)


def _has_members(body: Line) -> bool:
    last = body.leaves[-1]
    priorities = [p for leaf, p in body.delimiters().items() if leaf is not last]
    return max(priorities, default=0) == COMMA


def _without_hidden(
    split: _Split, line: Line, omitted: set[Leaf], forced: bool
) -> list[Line]:
    """Break without the brackets that are not there yet, if that reads as well."""
    if not forced and split.is_hidden and _can_omit(split):
        omitted = {split.closing, *omitted}
        try:
            other = _last_pair(line, omitted)
            if _is_better(other, split):
                return _without_hidden(other, line, omitted, forced)
        except _CannotBreak:
            if len(split.body.leaves) < 2 and not split.body.fits:
                raise
    return split.lines


def _can_omit(split: _Split) -> bool:
    priorities = list(split.body.delimiters().values())
    highest = max(priorities, default=0)
    if not highest:
        return True
    if priorities.count(highest) > 1:
        return False
    if highest == DOT:
        return True
    leaves = split.body.leaves
    if leaves[0].opens and not leaves[1].closes and _fits_behind(split.body):
        return True
    last = leaves[-1]
    opening = last.partner
    if opening is None or (last.closes == "]" and not opening.display):
        return False
    return not leaves[-2].opens and _fits_before(split.body)


def _fits_behind(line: Line) -> bool:
    """Tell whether what follows the first pair of brackets fits, or can be broken itself."""
    rest, length = False, 4 * line.depth
    for leaf in line.leaves:
        rest = rest or leaf.partner is line.leaves[0]
        if rest:
            length += leaf.length
            if length > WIDTH:
                return False
            rest = not leaf.opens
    return True


def _fits_before(line: Line) -> bool:
    """Tell whether what precedes the last pair of brackets fits, or can be broken itself."""
    others, length = False, 4 * line.depth
    for leaf in line.leaves:
        length += leaf.length
        if leaf is line.leaves[-1].partner:
            return others or length <= WIDTH
        others = others or bool(leaf.opens)
    return False


def _is_better(other: _Split, split: _Split) -> bool:
    """Tell whether to break at another pair than the hidden one around a value."""
    head = split.head.leaves
    if len(head) < 2 or head[-2].text != "=":
        return True
    if not any(leaf.opens or leaf.closes for leaf in head[:-1]):
        return True
    if not split.head.fits_in(WIDTH - 1):
        return True
    begun = other.head.leaves
    for leaf in reversed(begun):
        if leaf.text == "=":
            break
        if leaf.closes:
            return True
    return other.head.fits and any(leaf.text == "=" for leaf in begun)
