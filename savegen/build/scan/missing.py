"""Finds the names that a file takes from savegen although savegen does not have them."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeAlias

import msgspec

from savegen.build.scan.exported import EXPORTED, is_there
from savegen.build.scan.marks import PACKAGE
from savegen.build.source import SourceFile, column_at
from savegen.findings import Span


class Missing(msgspec.Struct, frozen=True, array_like=True):
    """A name that a module of savegen lacks, and where the file writes it."""

    package: str
    name: str
    span: Span


_Inner: TypeAlias = Callable[[ast.AST], Iterable[ast.AST]]
_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")
# Code that may try whether a name is there: it need not be there.
_WITH = (ast.With, ast.AsyncWith)
_GUARDS = (ast.Try, ast.TryStar, *_WITH, ast.If, ast.IfExp, ast.BoolOp)
# Functions whose first argument is an object, and the second the name of an attribute.
_BY_NAME = ("hasattr", "getattr", "setattr", "delattr")


def missing_names(tree: ast.Module, file: SourceFile) -> tuple[Missing, ...]:
    """Return the names that a file imports from savegen, or reads from it, in vain."""
    statements = list(_unguarded(tree, _statements_in))
    found = list(_imported_in_vain(statements, file))
    modules = dict(_modules(statements))
    if _may_read_in_vain(file.text, modules):  # else there is no need to see every node
        found += _read_in_vain(tree, _not_shadowed(tree, modules), file)
    expected = _expected(tree, modules) if found else set()
    wrong = (each for each in found if (each.package, each.name) not in expected)
    return tuple(dict.fromkeys(wrong))


def _expected(tree: ast.Module, modules: Mapping[str, str]) -> set[tuple[str, str]]:
    """Return the attributes that the file asks modules of savegen for, or gives them."""
    found: set[tuple[str, str]] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Call(
                func=ast.Name(id=called) | ast.Attribute(attr=called),
                args=[owner, ast.Constant(value=str(name)), *_],
            ) if (
                called in _BY_NAME
            ):
                found.add((_module_of(owner, modules) or "", name))
            case ast.Attribute(owner, name, ast.Store() | ast.Del()):
                found.add((_module_of(owner, modules) or "", name))
    return found


def _unguarded(tree: ast.AST, inner: _Inner) -> Iterator[ast.AST]:
    """Yield nodes except those whose failure the file may expect."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, _GUARDS) or _is_harmless(node):
            waiting += inner(node)
        elif isinstance(node, _WITH):
            waiting += (item.context_expr for item in node.items)


def _statements_in(node: ast.AST) -> list[ast.AST]:
    return [each for block in _BLOCKS for each in getattr(node, block, ())]


def _is_harmless(node: ast.AST) -> bool:
    """Return whether what is inside is run in any case, and its failure not caught."""
    match node:
        case ast.If(test=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name == "TYPE_CHECKING"
        case ast.Try(handlers=handlers):
            return not handlers
    return False


# Imports


def _imported_in_vain(statements: list[ast.AST], file: SourceFile) -> Iterator[Missing]:
    for node in statements:
        if isinstance(node, ast.ImportFrom) and not node.level:
            module = node.module or ""
            if lacking := _broken_path(module):
                yield _in_statement(*lacking, module, node, file)
                continue
            for alias in node.names if _is_ours(module) else ():
                if alias.name != "*" and not is_there(module, alias.name):
                    yield Missing(module, alias.name, _span(alias, alias.name, file))
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if lacking := _broken_path(alias.name):
                    yield _in_statement(*lacking, alias.name, alias, file)


def _is_ours(module: str) -> bool:
    return module == PACKAGE or module.startswith(f"{PACKAGE}.")


def _broken_path(module: str) -> tuple[str, str] | None:
    """Return where the path to a module of savegen ends: the last package, and what it lacks."""
    package, *names = module.split(".")
    for name in names if package == PACKAGE else ():
        if not is_there(package, name):
            return package, name
        package += f".{name}"
    return None


def _in_statement(
    package: str, name: str, module: str, node: ast.stmt | ast.alias, file: SourceFile
) -> Missing:
    """Return a fault in the name of a module, which ast gives no place of its own."""
    line = file.lines[node.lineno - 1]
    start = line.find(module, column_at(line, node.col_offset) - 1)
    column = start + len(package) + 2 if start >= 0 else 1
    end = column + len(name) if start >= 0 else len(line) + 1
    span = Span(file.path, node.lineno, column, node.lineno, end)
    return Missing(package, name, span)


# Attributes


def _modules(statements: list[ast.AST]) -> Iterator[tuple[str, str]]:
    """Yield the names that a file imports modules of savegen by, each with its module."""
    for node in statements:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield from (each for each in _bound(node) if each[1] in EXPORTED)


def _may_read_in_vain(text: str, modules: Mapping[str, str]) -> bool:
    for name, module in modules.items():
        for used in re.finditer(rf"\b{name}((?:\s*\.\s*\w+)+)", text):
            path = ".".join([module, *re.findall(r"\w+", used[1])])
            if _broken_path(path):
                return True
    return False


def _not_shadowed(tree: ast.Module, modules: dict[str, str]) -> dict[str, str]:
    """Return the names that mean the same module wherever the file has them."""
    found = dict(modules)
    for node in ast.walk(tree):
        for name, module in _bound(node):
            if found.get(name, module) != module:
                del found[name]
    return found


def _bound(node: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield what a node gives names to, each with the module that it then means, or ""."""
    match node:
        case ast.Import(names=aliases):
            for alias in aliases:
                first, _, _ = alias.name.partition(".")
                yield alias.asname or first, alias.name if alias.asname else first
        case ast.ImportFrom(names=aliases):
            for alias in aliases:
                path = "" if node.level else f"{node.module}.{alias.name}"
                yield alias.asname or alias.name, path
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.arg(arg=name):
            yield name, ""
        case ast.ClassDef(name=name) | ast.FunctionDef(name=name):
            yield name, ""
        case ast.AsyncFunctionDef(name=name) | ast.ExceptHandler(name=str(name)):
            yield name, ""
        case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            yield name, ""
        case ast.MatchMapping(rest=str(name)):
            yield name, ""


def _read_in_vain(
    tree: ast.Module, modules: Mapping[str, str], file: SourceFile
) -> Iterator[Missing]:
    for node in _unguarded(tree, ast.iter_child_nodes):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            package = _module_of(node.value, modules)
            if package and not is_there(package, node.attr):
                yield Missing(package, node.attr, _last_span(node, file))


def _module_of(node: ast.expr, modules: Mapping[str, str]) -> str | None:
    """Return the module of savegen that an expression stands for."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name) or node.id not in modules:
        return None
    path = ".".join([modules[node.id], *reversed(names)])
    return path if path in EXPORTED else None


# Places


def _span(node: ast.alias, name: str, file: SourceFile) -> Span:
    column = column_at(file.lines[node.lineno - 1], node.col_offset)
    return Span(file.path, node.lineno, column, node.lineno, column + len(name))


def _last_span(node: ast.Attribute, file: SourceFile) -> Span:
    """Return the place of the name behind the last dot."""
    line = node.end_lineno or node.lineno
    end = column_at(file.lines[line - 1], node.end_col_offset or 0)
    return Span(file.path, line, max(end - len(node.attr), 1), line, end)
