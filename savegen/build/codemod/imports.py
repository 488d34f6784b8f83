"""Add imports to a file: extend an existing statement, or insert one after the last import."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import TypeGuard

import libcst as cst

from savegen.build.codemod.survey import Survey, module_of
from savegen.build.scan.expressions import dotted_name
from savegen.build.codemod.text import LINE_LENGTH, Splice

# Statements that end the block of imports at the top. Assignments, calls, `if` and `try` do not.
_ENDS_BLOCK = (cst.ClassDef, cst.FunctionDef, cst.For, cst.While, cst.With, cst.Match)


def add_imports(
    survey: Survey, names: Mapping[str, Sequence[str]], before: int
) -> Iterator[Splice]:
    """Yield the changes that import `names`, by module, above the offset `before`."""
    missing = {}
    for module, imported in sorted(names.items()):
        statement = _existing_import(survey, module, before)
        if statement is None:
            missing[module] = sorted(imported)
        else:
            yield from _merged(survey, statement, sorted(imported))
    if missing:
        yield _inserted(survey, missing, before)


def replace_imports(
    survey: Survey, is_old: Callable[[str], bool], names: dict[str, list[str]]
) -> Iterator[Splice]:
    """Yield the changes that remove the imports of old names, and import `names` there.

    Names that are imported that way, or by a module with other old names, leave `names`.
    """
    for line in survey.module.body:
        if not isinstance(line, cst.SimpleStatementLine) or len(line.body) > 1:
            continue
        statement = line.body[0]
        if not _takes_names(statement):
            continue
        module, kept = module_of(statement), _kept_names(survey, statement, is_old)
        if len(kept) == len(_aliases(statement)):
            continue
        if not kept and module not in names:
            module = _module_to_import(survey, names) or module
        new = sorted({*kept, *names.pop(module, ())})
        yield _rewritten(survey, statement, module, new)


def _kept_names(
    survey: Survey, statement: cst.ImportFrom, is_old: Callable[[str], bool]
) -> list[str]:
    """Return the names that a statement imports, with `as`, without the old ones."""
    module = module_of(statement)
    prefix = module if module.endswith(".") else f"{module}."
    return [
        survey.source.text[slice(*survey.span(alias))].rstrip(", \t\r\n")
        for alias in _aliases(statement)
        if not is_old(prefix + alias.evaluated_name)
    ]


def _module_to_import(survey: Survey, names: Mapping[str, Sequence[str]]) -> str | None:
    """Return the first module of `names` that no statement imports from yet."""
    imported = {
        module_of(part)
        for line in survey.module.body
        if isinstance(line, cst.SimpleStatementLine)
        for part in line.body
        if _takes_names(part)
    }
    return next((module for module in sorted(names) if module not in imported), None)


def _rewritten(
    survey: Survey,
    statement: cst.ImportFrom,
    module: str,
    names: Sequence[str],
) -> Splice:
    """Return the change that makes a statement import `names`; none: remove its line."""
    source, (start, end) = survey.source, survey.span(statement)
    if not names:
        return Splice(source.line_start(start), source.line_end(end - 1), "")
    is_split = "\n" in source.text[start:end] or "\r" in source.text[start:end]
    text = (_over_lines if is_split else _import_text)(survey, module, names)
    return Splice(start, end, text)


def add_type_imports(
    survey: Survey, names: Mapping[str, Sequence[str]], before: int
) -> Iterator[Splice]:
    """Yield the changes that import `names` for annotations only, below `if TYPE_CHECKING:`."""
    block = _type_block(survey, before)
    if block is None:
        last_import, preamble = _leading_block(survey, before)
        previous = last_import or preamble
        offset = _line_after(survey, previous) if previous else _end_of_header(survey)
        yield Splice.insert(
            offset, _type_lines(survey, names, survey.module.default_indent, True)
        )
        return
    statements = {
        module_of(part): part
        for line in block.body
        if isinstance(line, cst.SimpleStatementLine)
        for part in line.body
        if _takes_names(part)
    }
    missing = {}
    for module, imported in sorted(names.items()):
        if module in statements:
            yield from _merged(survey, statements[module], sorted(imported))
        else:
            missing[module] = sorted(imported)
    if missing:
        last_line = block.body[-1]
        offset = survey.source.line_end(survey.end(last_line) - 1)
        indent = survey.source.indent(survey.start(last_line))
        yield Splice.insert(offset, _type_lines(survey, missing, indent, False))


def _type_block(survey: Survey, before: int) -> cst.IndentedBlock | None:
    for statement in survey.module.body:
        if isinstance(statement, cst.If) and survey.end(statement) <= before:
            test = dotted_name(statement.test) or ""
            is_types = test.rpartition(".")[2] == "TYPE_CHECKING"
            if is_types and isinstance(statement.body, cst.IndentedBlock):
                return statement.body
    return None


def _type_lines(
    survey: Survey, names: Mapping[str, Sequence[str]], indent: str, is_new: bool
) -> str:
    newline = survey.source.newline
    opening = [newline, f"if TYPE_CHECKING:{newline}"] if is_new else []
    lines = [
        f"{indent}from {module} import {', '.join(sorted(imported))}{newline}"
        for module, imported in sorted(names.items())
    ]
    return "".join([*opening, *lines])


def _existing_import(survey: Survey, module: str, before: int) -> cst.ImportFrom | None:
    for line in survey.module.body:
        if not isinstance(line, cst.SimpleStatementLine) or survey.end(line) > before:
            continue
        for statement in line.body:
            if _takes_names(statement) and module_of(statement) == module:
                return statement
    return None


def _takes_names(statement: cst.BaseSmallStatement) -> TypeGuard[cst.ImportFrom]:
    if not isinstance(statement, cst.ImportFrom):
        return False
    return not isinstance(statement.names, cst.ImportStar)


# Extending a statement


def _merged(
    survey: Survey, statement: cst.ImportFrom, names: Sequence[str]
) -> Iterator[Splice]:
    aliases = _aliases(statement)
    present = [alias.evaluated_name for alias in aliases]
    if _grows_too_long(survey, statement, names):
        texts = [survey.source.text[slice(*survey.span(alias))] for alias in aliases]
        text_by_name = dict(sorted([*zip(present, texts), *zip(names, names)]))
        lines = _over_lines(survey, module_of(statement), [*text_by_name.values()])
        yield Splice(*survey.span(statement), lines)
        return

    def successor_index(name: str) -> int:
        return next(
            (i for i, other in enumerate(present) if other > name), len(present)
        )

    for index, group in groupby(names, key=successor_index):
        if index < len(aliases):
            yield _inserted_before(survey, statement, aliases[index], [*group])
        else:
            yield from _appended(survey, statement, aliases[-1], [*group])


def _aliases(statement: cst.ImportFrom) -> Sequence[cst.ImportAlias]:
    assert not isinstance(statement.names, cst.ImportStar)
    return statement.names


def _grows_too_long(
    survey: Survey, statement: cst.ImportFrom, names: Sequence[str]
) -> bool:
    """Return whether the new names make the line so long that black would split it.

    False if the statement is in parentheses, shares its line, or was too long before.
    """
    source, (start, end) = survey.source, survey.span(statement)
    line = source.text[source.line_start(start) : source.line_end(end)].rstrip()
    is_plain_line = line == source.text[start:end] and statement.lpar is None
    added = sum(len(name) + len(", ") for name in names)
    return is_plain_line and len(line) <= LINE_LENGTH < len(line) + added


def _inserted_before(
    survey: Survey,
    statement: cst.ImportFrom,
    following: cst.ImportAlias,
    names: Sequence[str],
) -> Splice:
    source, start = survey.source, survey.start(following)
    if statement.lpar and source.starts_line(start):
        lines = [f"{source.indent(start)}{name},{source.newline}" for name in names]
        return Splice.insert(source.line_start(start), "".join(lines))
    return Splice.insert(start, "".join(f"{name}, " for name in names))


def _appended(
    survey: Survey,
    statement: cst.ImportFrom,
    last: cst.ImportAlias,
    names: Sequence[str],
) -> Iterator[Splice]:
    source, (start, end) = survey.source, survey.span(last)
    comma = last.comma if isinstance(last.comma, cst.Comma) else None
    stop = survey.end(comma) if comma else end
    closing = survey.end(statement.rpar) - 1 if statement.rpar else end
    if source.starts_line(start) and source.line_end(stop) <= closing:
        if not comma:
            yield Splice.insert(end, ",")
        lines = [f"{source.indent(start)}{name},{source.newline}" for name in names]
        yield Splice.insert(source.line_end(stop), "".join(lines))
    elif comma:
        yield Splice.insert(stop, "".join(f" {name}," for name in names))
    else:
        yield Splice.insert(end, "".join(f", {name}" for name in names))


# Inserting a statement


def _inserted(
    survey: Survey, names: Mapping[str, Sequence[str]], before: int
) -> Splice:
    newline = survey.source.newline
    lines = [_import_text(survey, *item) + newline for item in names.items()]
    last_import, preamble = _leading_block(survey, before)
    previous = last_import or preamble
    offset = _line_after(survey, previous) if previous else _end_of_header(survey)
    gap_above = offset and not (last_import and _same_section(last_import, [*names]))
    present, required = _blank_lines_below(survey, offset)
    # Existing blank lines below an import are kept.
    missing = 0 if last_import and present else max(0, required - present)
    above = newline if gap_above else ""
    return Splice.insert(offset, above + "".join(lines) + newline * missing)


def _import_text(survey: Survey, module: str, names: Sequence[str]) -> str:
    statement = f"from {module} import {', '.join(names)}"
    if len(statement) <= LINE_LENGTH:
        return statement
    return _over_lines(survey, module, names)


def _over_lines(survey: Survey, module: str, names: Sequence[str]) -> str:
    newline = survey.source.newline
    lines = [f"{survey.module.default_indent}{name}," for name in names]
    return newline.join([f"from {module} import (", *lines, ")"])


def _leading_block(
    survey: Survey, before: int
) -> tuple[cst.SimpleStatementLine | None, cst.SimpleStatementLine | None]:
    """Return the last import at the top of the file, and the last statement of the preamble.

    The preamble consists of the docstring and the `from __future__` imports.
    """
    last_import = preamble = None
    for index, statement in enumerate(survey.module.body):
        if isinstance(statement, _ENDS_BLOCK) or survey.end(statement) > before:
            break
        if not isinstance(statement, cst.SimpleStatementLine):
            continue
        if any(_is_import(part) for part in statement.body):
            last_import = statement
        elif _is_future(statement.body[0]) or index == 0 and _is_docstring(statement):
            preamble = statement
    return last_import, preamble


def _is_import(statement: cst.BaseSmallStatement) -> bool:
    kinds = (cst.Import, cst.ImportFrom)
    return isinstance(statement, kinds) and not _is_future(statement)


def _is_future(statement: cst.BaseSmallStatement) -> bool:
    return (
        isinstance(statement, cst.ImportFrom) and module_of(statement) == "__future__"
    )


def _is_docstring(line: cst.SimpleStatementLine) -> bool:
    first = line.body[0]
    strings = (cst.SimpleString, cst.ConcatenatedString)
    return isinstance(first, cst.Expr) and isinstance(first.value, strings)


def _same_section(line: cst.SimpleStatementLine, modules: Sequence[str]) -> bool:
    """Return whether isort would put imports of `modules` below `line` without a blank line."""
    packages = {module.partition(".")[0] for module in modules}
    for statement in line.body:
        if isinstance(statement, cst.ImportFrom):
            return module_of(statement).partition(".")[0] in {"", *packages}
        if isinstance(statement, cst.Import):
            name = statement.names[0].evaluated_name
            return name.partition(".")[0] in packages
    return False


def _line_after(survey: Survey, line: cst.SimpleStatementLine) -> int:
    return survey.end(line.trailing_whitespace)


def _end_of_header(survey: Survey) -> int:
    """Return the end of the comment at the top of the file, such as a licence; 0 without one."""
    source, offset = survey.source, 0
    while not source.line(offset).strip():
        offset = source.line_end(offset)
    if not source.line(offset).lstrip().startswith("#"):
        return 0
    while source.line(offset).lstrip().startswith("#"):
        offset = source.line_end(offset)
    return offset


def _blank_lines_below(survey: Survey, offset: int) -> tuple[int, int]:
    """Return the number of blank lines below `offset`, and the number that black requires."""
    source, count = survey.source, 0
    while not source.line(offset).strip():
        count, offset = count + 1, source.line_end(offset)
    following = next(s for s in survey.module.body if survey.end(s) > offset)
    return count, 2 if isinstance(following, cst.ClassDef | cst.FunctionDef) else 1
