"""Remove items from a list in the source, such as the bases of a class, and keep the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from typing import NamedTuple

import libcst as cst

from savegen.build.codemod.survey import Survey
from savegen.build.codemod.text import SourceText, Splice


class Item(NamedTuple):
    """The offsets of one item, such as a base or an imported name."""

    start: int
    end: int
    comma: int | None  # offset of the comma after it

    @property
    def stop(self) -> int:
        """The offset after the item and its comma."""
        return self.end if self.comma is None else self.comma + 1


def items_of(
    survey: Survey, nodes: Sequence[cst.Arg] | Sequence[cst.ImportAlias]
) -> list[Item]:
    """Return the offsets of the arguments of a class, or of the names of an import."""
    return [_item(survey, node) for node in nodes]


def _item(survey: Survey, node: cst.Arg | cst.ImportAlias) -> Item:
    comma = survey.start(node.comma) if isinstance(node.comma, cst.Comma) else None
    start, end = survey.offsets(node)
    return Item(start, end if comma is None else min(end, comma), comma)


def cut(
    source: SourceText, items: Sequence[Item], removed: Set[int]
) -> Iterator[Splice]:
    """Yield the changes that remove items and their commas, but keep comments.

    At least one item must stay.
    """
    last = max(index for index in range(len(items)) if index not in removed)
    comma, end = items[last].comma, items[-1].end
    if last < len(items) - 1 and items[-1].comma is None and comma is not None:
        if "#" not in source.text[comma:end]:
            yield Splice(comma, end, "")
            removed = {index for index in removed if index < last}
    done = 0  # two neighbours may both take the space between them
    for index in sorted(removed):
        is_first = {*range(index)} <= removed
        for splice in _removals(source, items[index], is_first):
            yield splice._replace(start=max(done, splice.start))
            done = splice.end


def _removals(source: SourceText, item: Item, is_first: bool) -> Iterator[Splice]:
    """Yield the changes that remove one item and its comma, if it has one."""
    text, (start, end, _), stop = source.text, item, item.stop
    after = source.line(stop)
    blanks = len(after) - len(after.lstrip(" \t"))
    begins_line = source.starts_line(start)
    if "#" in text[end:stop]:  # a comment before the comma
        yield Splice(start, end, "")
        yield Splice(stop - 1, stop, "")
    elif begins_line and not after.strip():
        yield Splice(source.line_start(start), source.line_end(stop), "")
    elif begins_line and item.comma is None:
        yield Splice(source.line_start(start), end, "")
    elif begins_line or is_first:
        yield Splice(start, stop + blanks, "")
    else:
        yield Splice(len(text[:start].rstrip(" \t")), stop, "")
