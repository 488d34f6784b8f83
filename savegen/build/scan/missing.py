"""Find the names that a file imports or reads from savegen although they do not exist."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeAlias

import msgspec

from savegen.build.scan.exported import EXPORTED, may_have_name
from savegen.build.scan.marks import PACKAGE, is_in_savegen
from savegen.build.scan.statements import alias_span, attribute_span, statements_in
from savegen.build.source import SourceFile, column_at
from savegen.findings import Span


class MissingName(msgspec.Struct, frozen=True, array_like=True):
    """A name that a package of savegen does not have, and the place where it is used."""

    package: str
    name: str
    span: Span


_Children: TypeAlias = Callable[[ast.AST], Iterable[ast.AST]]
# Statements and expressions that may test whether a name exists.
_WITH = (ast.With, ast.AsyncWith)
_GUARDS = (ast.Try, ast.TryStar, *_WITH, ast.If, ast.IfExp, ast.BoolOp)
# Functions whose first argument is an object, and the second the name of an attribute.
_BY_NAME = ("hasattr", "getattr", "setattr", "delattr")


def missing_names(tree: ast.Module, file: SourceFile) -> tuple[MissingName, ...]:
    """Return the names that a file imports or reads from savegen although they do not exist."""
    statements = list(_unguarded(tree, statements_in))
    missing = list(_missing_imports(statements, file))
    modules = dict(_modules(statements))
    # Avoid the slow walk over all nodes if the text shows that nothing is missing.
    if _may_lack_attributes(file.text, modules):
        missing += _missing_attributes(tree, _not_shadowed(tree, modules), file)
    expected = _expected_names(tree, modules) if missing else set()
    unexpected = (m for m in missing if (m.package, m.name) not in expected)
    return tuple(dict.fromkeys(unexpected))


def _expected_names(
    tree: ast.Module, modules: Mapping[str, str]
) -> set[tuple[str, str]]:
    """Return the attributes of savegen that the file tests for, assigns or deletes."""
    names: set[tuple[str, str]] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Call(
                func=ast.Name(id=called) | ast.Attribute(attr=called),
                args=[owner, ast.Constant(value=str(name)), *_],
            ) if (
                called in _BY_NAME
            ):
                names.add((_module_of(owner, modules) or "", name))
            case ast.Attribute(owner, name, ast.Store() | ast.Del()):
                names.add((_module_of(owner, modules) or "", name))
    return names


def _unguarded(tree: ast.AST, children_of: _Children) -> Iterator[ast.AST]:
    """Yield the nodes that are not inside a `try`, `if` or similar guard."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, _GUARDS) or _is_harmless(node):
            waiting += children_of(node)
        elif isinstance(node, _WITH):
            waiting += (item.context_expr for item in node.items)


def _is_harmless(node: ast.AST) -> bool:
    """Return whether a node is `if TYPE_CHECKING:` or a `try` that catches nothing."""
    match node:
        case ast.If(test=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name == "TYPE_CHECKING"
        case ast.Try(handlers=handlers):
            return not handlers
    return False


# Imports


def _missing_imports(
    statements: list[ast.AST], file: SourceFile
) -> Iterator[MissingName]:
    for node in statements:
        if isinstance(node, ast.ImportFrom) and not node.level:
            module = node.module or ""
            if broken := _broken_path(module):
                yield _missing_module(*broken, module, node, file)
                continue
            for alias in node.names if is_in_savegen(module) else ():
                if alias.name != "*" and not may_have_name(module, alias.name):
                    yield MissingName(module, alias.name, alias_span(alias, file))
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if broken := _broken_path(alias.name):
                    yield _missing_module(*broken, alias.name, alias, file)


def _broken_path(module: str) -> tuple[str, str] | None:
    """Return the last existing package of a dotted path, and the name that it lacks."""
    package, *names = module.split(".")
    for name in names if package == PACKAGE else ():
        if not may_have_name(package, name):
            return package, name
        package += f".{name}"
    return None


def _missing_module(
    package: str, name: str, module: str, node: ast.stmt | ast.alias, file: SourceFile
) -> MissingName:
    """Return a missing part of a dotted module name, after searching the line for it."""
    line = file.lines[node.lineno - 1]
    start = line.find(module, column_at(line, node.col_offset) - 1)
    column = start + len(package) + 2 if start >= 0 else 1
    end = column + len(name) if start >= 0 else len(line) + 1
    span = Span(file.path, node.lineno, column, node.lineno, end)
    return MissingName(package, name, span)


# Attributes


def _modules(statements: list[ast.AST]) -> Iterator[tuple[str, str]]:
    """Yield each local name of an imported package of savegen, with the package."""
    for node in statements:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield from (pair for pair in _bindings(node) if pair[1] in EXPORTED)


def _may_lack_attributes(text: str, modules: Mapping[str, str]) -> bool:
    for name, module in modules.items():
        for used in re.finditer(rf"\b{name}((?:\s*\.\s*\w+)+)", text):
            path = ".".join([module, *re.findall(r"\w+", used[1])])
            if _broken_path(path):
                return True
    return False


def _not_shadowed(tree: ast.Module, modules: dict[str, str]) -> dict[str, str]:
    """Return the names that the file does not bind to anything else."""
    unshadowed = dict(modules)
    for node in ast.walk(tree):
        for name, module in _bindings(node):
            if unshadowed.get(name, module) != module:
                del unshadowed[name]
    return unshadowed


def _bindings(node: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield each name that a node binds, with the module that it refers to, or ""."""
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


def _missing_attributes(
    tree: ast.Module, modules: Mapping[str, str], file: SourceFile
) -> Iterator[MissingName]:
    for node in _unguarded(tree, ast.iter_child_nodes):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            package = _module_of(node.value, modules)
            if package and not may_have_name(package, node.attr):
                yield MissingName(package, node.attr, attribute_span(node, file))


def _module_of(node: ast.expr, modules: Mapping[str, str]) -> str | None:
    """Return the package of savegen that an expression refers to, else `None`."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name) or node.id not in modules:
        return None
    path = ".".join([modules[node.id], *reversed(names)])
    return path if path in EXPORTED else None
