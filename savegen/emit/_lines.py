"""One statement as black sees it: leaves, the brackets that pair them, places to break at."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, field, replace

WIDTH = 88

# Where a line is broken, the highest first. Black has more; generated code does not use them.
COMPREHENSION, COMMA, TERNARY, LOGIC, COMPARISON = 20, 18, 16, 14, 10
UNION, PLUS, TIMES, DOT = 9, 5, 4, 1
_WORDS = {"and": LOGIC, "or": LOGIC, "is": COMPARISON, "if": TERNARY, "else": TERNARY}
_WORDS["=="] = COMPARISON
_OPERATORS = {"+": PLUS, "-": PLUS, **dict.fromkeys(["*", "/", "//", "%"], TIMES)}
_KEYWORDS = frozenset(["return", "in", "is", "not", "for", "elif", *_WORDS])
_TOKEN = re.compile(
    r"""(\ *)(\w*"(?:[^"\\]|\\.)*" | \w*'(?:[^'\\]|\\.)*' | \.\.\. | \d[\w.]* | \w+
    | -> | // | [*+|=]= | .)""",
    re.VERBOSE,
)


@dataclass(eq=False, slots=True)
class Leaf:
    """One token, or a bracket that black would add if it broke the line there."""

    text: str  # empty for a bracket that is not there yet
    space: str = ""
    opens: str = ""  # the bracket that it is, also if it is not there yet
    closes: str = ""
    partner: Leaf | None = None  # of a closing bracket: the opening one
    display: bool = False  # it opens no call and no subscript
    before: int = 0  # how readily a line is broken in front of it
    after: int = 0

    @property
    def length(self) -> int:
        return len(self.space) + len(self.text)

    def show(self) -> None:
        """Make a bracket that is not there yet a real one."""
        self.text = self.text or self.opens or self.closes


@dataclass(eq=False, slots=True)
class Line:
    """Leaves that stand on one line, until it is broken."""

    depth: int
    leaves: list[Leaf]
    inside: bool = False  # inside brackets that an earlier line opened
    explode: bool = False  # members of a display: each on a line of its own
    hidden: list[Leaf] = field(default_factory=list)  # brackets not there yet

    @property
    def text(self) -> str:
        first, *rest = self.leaves
        following = "".join(leaf.space + leaf.text for leaf in rest)
        return "    " * self.depth + first.text + following

    @property
    def fits(self) -> bool:
        return self.fits_in(WIDTH)

    def fits_in(self, width: int) -> bool:
        return width_of(self.text) <= width

    @property
    def is_definition(self) -> bool:
        return self.leaves[0].text == "def"

    def delimiters(self) -> dict[Leaf, int]:
        """Return the leaves behind which the line can be broken, outside its brackets."""
        found: dict[Leaf, int] = {}
        depth, previous = 0, None
        for leaf in self.leaves:
            if leaf.closes and depth == 0:
                continue
            depth -= bool(leaf.closes)
            if depth == 0:
                if leaf.before and previous is not None:
                    found[previous] = leaf.before
                elif leaf.after:
                    found[leaf] = leaf.after
            depth += bool(leaf.opens)
            previous = leaf
        return found


def copied(line: Line) -> Line:
    """Return a line of other leaves: what happens to these does not change the first."""
    leaves = {leaf: copy(leaf) for leaf in line.leaves}
    for leaf in leaves.values():
        leaf.partner = leaves.get(leaf.partner) if leaf.partner else None
    return replace(
        line,
        leaves=list(leaves.values()),
        hidden=[leaves[leaf] for leaf in line.hidden],
    )


def width_of(text: str) -> int:
    """Return the columns of a text, as black counts them."""
    if text.isascii():
        return len(text)
    return sum(map(_columns, unicodedata.normalize("NFC", text)))


def _columns(letter: str) -> int:
    if unicodedata.category(letter) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1


def line_of(indent: int, text: str) -> Line:
    """Read a statement, or one member of a display: that one ends with a comma."""
    member = text.endswith(",")
    leaves = [Leaf(token, space) for space, token in _TOKEN.findall(text)]
    _pair(leaves)
    _prioritise(leaves)
    leaves = list(_with_hidden(leaves, member))
    hidden = [leaf for leaf in leaves if not leaf.text]
    return Line(indent // 4, leaves, inside=member, hidden=hidden)


def _pair(leaves: list[Leaf]) -> None:
    open_ones: list[Leaf] = []
    previous = ""
    for leaf in leaves:
        if leaf.text in ("(", "[", "{"):
            leaf.opens = leaf.text
            leaf.display = not _is_operand(previous)
            open_ones.append(leaf)
        elif leaf.text in (")", "]", "}"):
            leaf.closes = leaf.text
            leaf.partner = open_ones.pop()
        previous = leaf.text


def _is_operand(text: str) -> bool:
    if text in _KEYWORDS:
        return False
    return text[-1:].isalnum() or text[-1:] in ("_", ")", "]", "}", '"', "'")


def _prioritise(leaves: list[Leaf]) -> None:
    in_targets = False  # between `for` and `in`: commas there are no places to break at
    for previous, leaf in zip([None, *leaves], leaves):
        text = leaf.text
        if text == "for" and previous is not None:
            leaf.before, in_targets = COMPREHENSION, True
        elif text == "in":
            leaf.before, in_targets = (0 if in_targets else COMPARISON), False
        elif text == "," and not in_targets:
            leaf.after = COMMA
        elif text == "|":
            leaf.before = UNION
        elif text in _OPERATORS and previous is not None and _is_operand(previous.text):
            leaf.before = _OPERATORS[text]
        elif text == "." and previous is not None and previous.closes:
            leaf.before = DOT
        else:
            leaf.before = _WORDS.get(text, 0)


def _with_hidden(leaves: list[Leaf], member: bool) -> Iterator[Leaf]:
    """Put brackets that are not there yet around values, annotations and conditions."""
    spans = list(_conditions(leaves))
    if not member:
        spans += _values(leaves)
    starts: dict[int, list[Leaf]] = {}
    ends: dict[int, list[Leaf]] = {}
    # A pair around the same leaves as another one would be one too many.
    for start, end in sorted(set(spans), key=lambda span: (span[0], -span[1])):
        opening = Leaf("", leaves[start].space, opens="(", display=True)
        leaves[start].space = ""
        starts.setdefault(start, []).append(opening)
        ends.setdefault(end, []).insert(0, Leaf("", closes=")", partner=opening))
    for place, leaf in enumerate(leaves):
        yield from starts.get(place, ())
        yield leaf
        yield from ends.get(place + 1, ())


_ENDS = frozenset([",", ":", "=", "+=", "for", "return"])
_Spans = Iterator[tuple[int, int]]  # the first leaf, and the one behind the last


def _conditions(leaves: list[Leaf]) -> _Spans:
    """Yield each `x if y else z` that has no brackets of its own."""
    for place, leaf in enumerate(leaves):
        if leaf.text == "if" and place > 0:
            start, end = _edge(leaves, place, -1), _edge(leaves, place, 1)
            is_whole = leaves[start].text == "(" and end < len(leaves)
            if not is_whole or leaves[end].partner is not leaves[start]:
                yield start + 1, end


def _edge(leaves: list[Leaf], place: int, step: int) -> int:
    """Return where the expression around an `if` ends, to the left or to the right."""
    ends = _ENDS if step > 0 else _ENDS | {"else"}
    depth = 0
    while 0 <= place < len(leaves):
        leaf = leaves[place]
        inwards, outwards = (
            (leaf.closes, leaf.opens) if step < 0 else (leaf.opens, leaf.closes)
        )
        if depth == 0 and (outwards or leaf.text in ends):
            break
        depth += bool(inwards) - bool(outwards)
        place += step
    return place


def _values(leaves: list[Leaf]) -> _Spans:
    """Yield what stands behind `=`, `:`, `return`, `if`, `for` and `in` of a statement."""
    end = len(leaves)
    keyword = leaves[0].text
    if keyword == "return":
        yield from _optional(leaves, 1, end)
    elif keyword in ("if", "elif"):
        yield from _optional(leaves, 1, end - 1)
    elif keyword == "for":
        middle = next(p for p, leaf in enumerate(leaves) if leaf.text == "in")
        yield 1, middle
        yield from _optional(leaves, middle + 1, end - 1)
    elif keyword not in ("def", "class"):
        marks = [p for p in _top(leaves) if leaves[p].text in ("=", "+=", ":")]
        for mark, following in zip(marks, [*marks[1:], end]):
            yield from _optional(leaves, mark + 1, following)


def _optional(leaves: list[Leaf], start: int, end: int) -> _Spans:
    first, last = leaves[start], leaves[end - 1]
    is_tuple = first.text == "(" and last.partner is first
    if start < end and not is_tuple:
        yield start, end


def _top(leaves: list[Leaf]) -> Iterator[int]:
    """Yield the places outside all brackets."""
    depth = 0
    for place, leaf in enumerate(leaves):
        depth += bool(leaf.opens) - bool(leaf.closes)
        if depth == 0 and not leaf.closes:
            yield place
