"""Add imports to a file: extend an existing statement, or insert one after the last import."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple, TypeGuard

import libcst as cst

from savegen.build.codemod.items import cut, items_of
from savegen.build.codemod.survey import CannotEdit, StatementLine, Survey, module_of
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


class UnneededImport(NamedTuple):
    """A statement with names that are no longer needed, and the line that contains it."""

    line: StatementLine
    statement: cst.Import | cst.ImportFrom
    unneeded: set[int]  # positions of the names; empty for `import *`
    moved: Mapping[int, str]  # positions of names that another module has now

    @property
    def removed(self) -> set[int]:
        """The positions of all names that the statement no longer imports."""
        return self.unneeded | self.moved.keys()

    def moved_names(self, survey: Survey) -> Iterator[tuple[str, str]]:
        """Yield the new module of each moved name, and the name as it is written."""
        for position, module in self.moved.items():
            assert not isinstance(self.statement.names, cst.ImportStar)
            start, end, _ = items_of(survey, self.statement.names)[position]
            yield module, survey.source.text[start:end]

    @property
    def is_whole(self) -> bool:
        names = self.statement.names
        return isinstance(names, cst.ImportStar) or len(self.removed) == len(names)


def stale_imports(
    survey: Survey,
    is_old: Callable[[str], bool],
    removed: Collection[cst.CSTNode],
    names: Mapping[str, Collection[str]],
    home_of: Callable[[str], str],
) -> list[UnneededImport]:
    """Return the imports of old names that nothing uses, apart from the `removed` nodes.

    The imports of `names` will bind these names instead. A name that is used counts as moved
    if `home_of` returns the module that has it now. Raises `CannotEdit` if several imports in one
    line are stale.
    """
    old = [
        (line, statement, positions)
        for line, statement in survey.imports
        if (positions := _old_names(statement, is_old)) is not None
    ]
    lines = [line for line, _, _ in old]
    if many := [line for line in lines if lines.count(line) > 1]:
        number = survey.source.line_number(survey.start(many[0].body[0]))
        raise CannotEdit("several imports in this line are out of date", number)
    used = survey.words_used(removed) if old else set()
    used.difference_update(*names.values())
    stale = []
    for line, statement, positions in old:
        unneeded: set[int] = set()
        moved: dict[int, str] = {}  # the new modules of names
        for position in positions:
            is_from = isinstance(statement, cst.ImportFrom)
            home = is_from and home_of(_targets(statement)[position])
            if not _is_needed(survey, statement, position, used, is_old):
                unneeded.add(position)
            elif home and line in survey.module.body:
                moved[position] = home
        if unneeded or moved or not positions:
            stale.append(UnneededImport(line, statement, unneeded, moved))
    return stale


def _old_names(
    statement: cst.Import | cst.ImportFrom, is_old: Callable[[str], bool]
) -> set[int] | None:
    """Return the positions of the old names in an import; `None` if it has none."""
    old = {i for i, target in enumerate(_targets(statement)) if is_old(target)}
    if isinstance(statement.names, cst.ImportStar):
        return set() if old else None
    return old or None


def _targets(statement: cst.Import | cst.ImportFrom) -> list[str]:
    """Return the full names that a statement imports, with `*` for all names of a module."""
    if isinstance(statement, cst.Import):
        return [f"{alias.evaluated_name}.*" for alias in statement.names]
    module = module_of(statement)
    prefix = module if module.endswith(".") else f"{module}."
    if isinstance(statement.names, cst.ImportStar):
        return [f"{prefix}*"]
    return [prefix + alias.evaluated_name for alias in statement.names]


def _is_needed(
    survey: Survey,
    statement: cst.Import | cst.ImportFrom,
    position: int,
    used: Collection[str],
    is_old: Callable[[str], bool],
) -> bool:
    """Return whether the file uses an imported name that no other import binds."""
    assert not isinstance(statement.names, cst.ImportStar)
    alias = statement.names[position]
    name = alias.evaluated_alias or alias.evaluated_name
    first = name.partition(".")[0]
    start = survey.start(statement)
    others = (
        binding.imported
        for binding in survey.module_scope.bindings.get(first, ())
        if binding.start != start and binding.imported is not None
    )
    return name in used or first in used and all(map(is_old, others))


def replace_imports(
    survey: Survey, stale: Sequence[UnneededImport], names: dict[str, list[str]]
) -> Iterator[Splice]:
    """Yield the changes that remove stale imports, and import `names` there.

    Removes from `names` those that it imports; import the rest with `add_imports`.
    """
    whole = {each.line for each in stale if each.is_whole and len(each.line.body) == 1}
    for each in stale:
        statement = each.statement
        if not each.is_whole:
            yield from _without_names(survey, each, names)
        elif each.line not in whole:
            yield _cut_statement(survey, each)
        elif _is_from_import(statement) and each.line in survey.module.body:
            yield _replaced(survey, statement, names)
        else:
            yield _cut_line(survey, each.line, whole)


def _without_names(
    survey: Survey, stale: UnneededImport, names: dict[str, list[str]]
) -> Iterator[Splice]:
    """Yield the changes that remove some names of an import, or put others in their place."""
    statement, source = stale.statement, survey.source
    assert not isinstance(statement.names, cst.ImportStar)
    items = items_of(survey, statement.names)
    new: Sequence[str] = ()
    if isinstance(statement, cst.ImportFrom):
        new = sorted(names.pop(module_of(statement), ()))
    if not new:
        yield from cut(source, items, stale.removed)
        return
    first, *others = sorted(stale.removed)
    yield Splice(items[first].start, items[first].end, ", ".join(new))
    if others:
        yield from cut(source, items, {*others})


def _replaced(
    survey: Survey, statement: cst.ImportFrom, names: dict[str, list[str]]
) -> Splice:
    """Return the change that makes a statement import other names; without any, remove it."""
    module = module_of(statement)
    if module not in names:
        module = _module_to_import(survey, names) or module
    return _rewritten(survey, statement, module, sorted(names.pop(module, ())))


def _cut_line(
    survey: Survey, line: StatementLine, removed: Collection[StatementLine]
) -> Splice:
    """Return the change that removes a line; it becomes `pass` if its block would be empty."""
    source, (start, end) = survey.source, survey.offsets(line.body[0])
    block = survey.block_of(line)
    if block[-1] is line and all(each in removed for each in block):
        return Splice(start, end, "pass")
    return Splice(source.line_start(start), source.line_end(end - 1), "")


def _cut_statement(survey: Survey, stale: UnneededImport) -> Splice:
    """Return the change that removes one of several statements in a line."""
    body = [*stale.line.body]
    index = body.index(stale.statement)
    start, end = survey.offsets(stale.statement)
    if index + 1 < len(body):
        return Splice(start, survey.start(body[index + 1]), "")
    before = survey.source.text[:start].rstrip(" \t;")
    return Splice(len(before), end, "")


def _module_to_import(survey: Survey, names: Mapping[str, Sequence[str]]) -> str | None:
    """Return the first module of `names` that no statement imports from yet."""
    imported = {
        module_of(part)
        for line in survey.module.body
        if isinstance(line, cst.SimpleStatementLine)
        for part in line.body
        if _is_from_import(part)
    }
    return next((module for module in sorted(names) if module not in imported), None)


def _rewritten(
    survey: Survey,
    statement: cst.ImportFrom,
    module: str,
    names: Sequence[str],
) -> Splice:
    """Return the change that makes a statement import `names`; none: remove its line."""
    source, (start, end) = survey.source, survey.offsets(statement)
    if not names:
        first, last = source.line_start(start), source.line_end(end - 1)
        above = source.line_start(max(first - 1, 0))
        is_between = (
            not source.text[above:first].strip() and not source.line(last).strip()
        )
        return Splice(above if is_between else first, last, "")
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
        offset = _offset_after(survey, previous) if previous else _end_of_header(survey)
        yield Splice.insert(
            offset, _type_lines(survey, names, survey.module.default_indent, True)
        )
        return
    statements = {
        module_of(part): part
        for line in block.body
        if isinstance(line, cst.SimpleStatementLine)
        for part in line.body
        if _is_from_import(part)
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
            if _is_from_import(statement) and module_of(statement) == module:
                return statement
    return None


def _is_from_import(statement: cst.BaseSmallStatement) -> TypeGuard[cst.ImportFrom]:
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
        texts = [survey.source.text[slice(*survey.offsets(alias))] for alias in aliases]
        text_by_name = dict(sorted([*zip(present, texts), *zip(names, names)]))
        lines = _over_lines(survey, module_of(statement), [*text_by_name.values()])
        yield Splice(*survey.offsets(statement), lines)
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
    source, (start, end) = survey.source, survey.offsets(statement)
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
    source, (start, end) = survey.source, survey.offsets(last)
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
    offset = _offset_after(survey, previous) if previous else _end_of_header(survey)
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


def _offset_after(survey: Survey, line: cst.SimpleStatementLine) -> int:
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
