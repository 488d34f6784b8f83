"""Put a base first in a class statement, and keep the layout of the other bases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import libcst as cst

from savegen.build.codemod.survey import Survey
from savegen.build.codemod.text import LINE_LENGTH, SourceText, Splice


class _Argument(NamedTuple):
    """The offsets of one base or keyword of a class statement."""

    start: int
    end: int
    comma: int | None  # offset of the comma after it

    @property
    def stop(self) -> int:
        """The offset after the argument and its comma."""
        return self.end if self.comma is None else self.comma + 1


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


def move_first(survey: Survey, node: cst.ClassDef, index: int) -> Iterator[Splice]:
    """Yield the changes that move the base at `index`, which is not 0, before all others."""
    source, arguments = survey.source, _arguments(survey, node)
    moved = arguments[index]
    opening = survey.start(node.lpar) + 1  # type: ignore[arg-type]
    line = _line_between(source, opening, arguments[0].start)
    if line is not None and _has_own_line(source, moved):
        yield Splice.insert(line, _line_with_comma(source, moved))
        yield _cut_line(source, moved)
        return
    base = source.text[moved.start : moved.end]
    yield _inserted(source, opening, arguments[0].start, base)
    yield from _cut(source, arguments, index)


def replace_base(
    survey: Survey, node: cst.ClassDef, old: int, index: int | None, mixin: str
) -> Iterator[Splice]:
    """Yield the changes that put `mixin` first, and remove the base at the position `old`.

    `index` is the position of the mixin, if it is a base already.
    """
    arguments = _arguments(survey, node)
    if old == 0 and index is None:
        value = node.bases[0].value
        name = value.value if isinstance(value, cst.Subscript) else value
        yield Splice(*survey.span(name), mixin)
        return
    if index is None:
        yield from put_first(survey, node, mixin)
    if old == 0:
        yield Splice(arguments[0].start, arguments[1].start, "")
    else:
        yield from _cut(survey.source, arguments, old)


def _arguments(survey: Survey, node: cst.ClassDef) -> list[_Argument]:
    return [_argument(survey, argument) for argument in [*node.bases, *node.keywords]]


def _argument(survey: Survey, node: cst.Arg) -> _Argument:
    comma = survey.start(node.comma) if isinstance(node.comma, cst.Comma) else None
    return _Argument(*survey.span(node), comma)


def _grows_too_long(
    survey: Survey, node: cst.ClassDef, arguments: Sequence[_Argument], base: str
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


def _has_own_line(source: SourceText, argument: _Argument) -> bool:
    after = source.line(argument.stop).strip()
    return source.starts_line(argument.start) and (not after or after.startswith("#"))


def _line_with_comma(source: SourceText, argument: _Argument) -> str:
    start = source.line_start(argument.start)
    line = source.text[start : source.line_end(argument.stop)]
    if argument.comma is not None:
        return line
    return f"{line[: argument.end - start]},{line[argument.end - start :]}"


def _cut_line(source: SourceText, argument: _Argument) -> Splice:
    start = source.line_start(argument.start)
    return Splice(start, source.line_end(argument.stop), "")


def _cut(
    source: SourceText, arguments: Sequence[_Argument], index: int
) -> Iterator[Splice]:
    """Yield the changes that remove an argument and its comma, but keep comments."""
    text, argument = source.text, arguments[index]
    start, end, stop = argument.start, argument.end, argument.stop
    previous_comma = arguments[index - 1].comma
    assert previous_comma is not None
    after = source.line(stop)
    if "#" in text[end:stop]:  # a comment before the comma
        yield Splice(start, end, "")
        yield Splice(stop - 1, stop, "")
    elif source.starts_line(start) and not after.strip():
        yield _cut_line(source, argument)
    elif argument.comma is None:
        has_comment = "#" in text[previous_comma:start]
        yield Splice(
            source.line_start(start) if has_comment else previous_comma, end, ""
        )
    elif source.starts_line(start):
        blanks = len(after) - len(after.lstrip(" \t"))
        yield Splice(start, stop + blanks, "")
    else:
        yield Splice(len(text[:start].rstrip(" \t")), stop, "")
