"""Put a base first in a class statement, and keep the layout of the other bases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

import libcst as cst

from savegen.build.codemod.items import Item, cut, items_of
from savegen.build.codemod.survey import Survey
from savegen.build.codemod.text import LINE_LENGTH, SourceText, Splice


def put_first(survey: Survey, node: cst.ClassDef, base: str) -> Iterator[Splice]:
    """Yield the changes that insert a new base before all others."""
    if not isinstance(node.lpar, cst.LeftParen):
        yield Splice.insert(survey.end(node.type_parameters or node.name), f"({base})")
        return
    opening = survey.start(node.lpar) + 1
    arguments = _arguments(survey, node)
    if _grows_too_long(survey, node, arguments, base):
        line = survey.source.newline + survey.source.indent(survey.start(node))
        inner = line + survey.module.default_indent
        yield Splice.insert(opening, f"{inner}{base}, ")
        yield Splice.insert(survey.end(node.rpar) - 1, line)  # type: ignore[arg-type]
    elif arguments:
        yield _inserted(survey.source, opening, arguments[0].start, base)
    else:
        yield Splice.insert(opening, base)


def move_first(
    survey: Survey, node: cst.ClassDef, index: int, removed: Set[int] = frozenset()
) -> Iterator[Splice]:
    """Yield the changes that move the base at `index`, which is not 0, before all others.

    The bases at the positions `removed` are removed.
    """
    source, arguments = survey.source, _arguments(survey, node)
    moved = arguments[index]
    opening = survey.start(node.lpar) + 1  # type: ignore[arg-type]
    line = _line_between(source, opening, arguments[0].start)
    if line is not None and not removed and _has_own_line(source, moved):
        yield Splice.insert(line, _line_with_comma(source, moved))
        yield _cut_line(source, moved)
        return
    base = source.text[moved.start : moved.end]
    yield _inserted(source, opening, arguments[0].start, base)
    yield from cut(source, arguments, removed | {index})


def replace_bases(
    survey: Survey, node: cst.ClassDef, old: Set[int], mixin: str
) -> Iterator[Splice]:
    """Yield the changes that put `mixin` first, and remove the bases at the positions `old`."""
    if 0 not in old:
        yield from put_first(survey, node, mixin)
        yield from cut(survey.source, _arguments(survey, node), old)
        return
    value = node.bases[0].value
    name = value.value if isinstance(value, cst.Subscript) else value
    yield Splice(*survey.offsets(name), mixin)
    if others := old - {0}:
        yield from cut(survey.source, _arguments(survey, node), others)


def remove_bases(survey: Survey, node: cst.ClassDef, old: Set[int]) -> Iterator[Splice]:
    """Yield the changes that remove the bases at the positions `old`."""
    arguments = _arguments(survey, node)
    if len(old) < len(arguments):
        yield from cut(survey.source, arguments, old)
        return
    start, end = survey.end(node.type_parameters or node.name), survey.end(node.rpar)  # type: ignore[arg-type]
    if "#" not in survey.source.text[start:end]:
        yield Splice(start, end, "")
        return
    for argument in arguments:  # the comments stay, in empty parentheses
        yield Splice(argument.start, argument.end, "")
        if argument.comma is not None:
            yield Splice(argument.comma, argument.stop, "")


def _arguments(survey: Survey, node: cst.ClassDef) -> list[Item]:
    return items_of(survey, [*node.bases, *node.keywords])


def _grows_too_long(
    survey: Survey, node: cst.ClassDef, arguments: Sequence[Item], base: str
) -> bool:
    """Return whether the new base makes the line so long that black would split it."""
    if not arguments or arguments[-1].comma is not None:
        return False
    source, start = survey.source, survey.start(node)
    line = source.line(source.line_start(start)).rstrip()
    bases = source.text[arguments[0].start : arguments[-1].end]
    inner = source.indent(start) + survey.module.default_indent + f"{base}, {bases}"
    return (
        source.line_number(arguments[-1].end) == source.line_number(start)
        and "#" not in line
        and len(line) <= LINE_LENGTH < len(line) + len(f"{base}, ")
        and len(inner) <= LINE_LENGTH
    )


def _inserted(source: SourceText, opening: int, first: int, base: str) -> Splice:
    line = _line_between(source, opening, first)
    if line is None:
        return Splice.insert(first, f"{base}, ")
    return Splice.insert(line, f"{source.indent(first)}{base},{source.newline}")


def _line_between(source: SourceText, opening: int, first: int) -> int | None:
    """Return the start of the line below `(`; None if the first base is on the same line as `(`.

    A new base is inserted there, above the comments on the first base.
    """
    line = source.line_end(opening)
    return line if line <= first else None


def _has_own_line(source: SourceText, argument: Item) -> bool:
    after = source.line(argument.stop).strip()
    return source.starts_line(argument.start) and (not after or after.startswith("#"))


def _line_with_comma(source: SourceText, argument: Item) -> str:
    start = source.line_start(argument.start)
    line = source.text[start : source.line_end(argument.stop)]
    if argument.comma is not None:
        return line
    return f"{line[: argument.end - start]},{line[argument.end - start :]}"


def _cut_line(source: SourceText, argument: Item) -> Splice:
    start = source.line_start(argument.start)
    return Splice(start, source.line_end(argument.stop), "")
