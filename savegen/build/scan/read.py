"""Parse one source file into its declarations."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterable, Iterator

import libcst as cst

from savegen.build.scan.classes import (
    inner_blocks,
    read_class,
    read_function,
    type_parameters,
)
from savegen.build.scan.counting import uses_in_result
from savegen.build.scan.declarations import (
    Class,
    Expression,
    Function,
    Import,
    Module,
    Name,
    StrayMark,
    TypeParameter,
)
from savegen.build.scan.expressions import dotted_name, read_type, read_value
from savegen.build.scan.faults import EncodingFault, SyntaxFault, TooDeep
from savegen.build.scan.ignore_comments import ignore_comments
from savegen.build.scan.marks import FIELD_MARKS
from savegen.build.scan.names import absolute_module
from savegen.build.scan.nesting import (
    depth,
    excess_index,
    is_chained_too_long,
    is_too_deep,
)
from savegen.build.scan.positions import Pair, Positions, body_of, paired
from savegen.build.scan.shortened import shortened
from savegen.build.scan.stray_marks import stray_marks
from savegen.build.scan.unicode_names import with_normalised_names
from savegen.build.source import SourceFile, Undecodable, lines_of
from savegen.findings import Report, Span


def read(
    file: SourceFile, report: Report, tree: ast.Module | None = None
) -> Module | None:
    """Return the declarations of a file; if it cannot be parsed, report why and return `None`.

    `tree` is the ast tree of the file, if the caller has parsed it already.
    """
    try:
        text = file.text
    except Undecodable as fault:
        report.add(
            EncodingFault(_span_at(file, fault.line, fault.column), fault.reason)
        )
        return None
    try:
        return _Reader(file, *_parse(text, tree)).module()
    except _Unparsable as fault:
        report.add(SyntaxFault(_span_at(file, *fault.position), fault.reason))
    except (RecursionError, MemoryError):
        report.add(TooDeep(_nesting_span(file, text)))
    return None


_MAX_DEPTH_FOR_LIBCST = 8  # brackets; libcst is slow on deeper invalid code
# Expressions that can be a type, or a call that creates one.
_POSSIBLE_TYPES = (
    cst.Name,
    cst.Attribute,
    cst.Subscript,
    cst.BinaryOperation,
    cst.Call,
    cst.SimpleString,
)
# A function that returns a property counts as another name of `property`.
_MAKES_PROPERTY = re.compile(
    r"(?:\breturn|->)\s*property\b|^\s+@property\b", re.MULTILINE
)


# A call of a class whose objects have a function, or a place, that is in none of their parts.
_MAKES_ITS_OWN = re.compile(r"([\w.]+\.)?(defaultdict|count)\(")


def _statements(node: ast.FunctionDef) -> list[ast.stmt]:
    """Return the statements of a function without its docstring."""
    return node.body[1:] if ast.get_docstring(node, clean=False) else node.body


class _Unparsable(Exception):
    """Raised if a text cannot be parsed; `position` is the line and the column."""

    def __init__(self, reason: str, position: tuple[int, int]) -> None:
        super().__init__(reason)
        self.reason = reason
        self.position = position


def _parse(
    text: str, ast_node: ast.Module | None
) -> tuple[cst.Module, ast.Module | None]:
    """Return the trees of libcst and ast; no ast tree if the syntax is newer than this Python."""
    fault = None
    if "\0" in text:
        raise _Unparsable(
            "it contains a null byte; remove it", _end_position(text.partition("\0")[0])
        )
    try:
        with warnings.catch_warnings(action="ignore"):
            ast_node = ast_node or ast.parse(text)
    except (SyntaxError, ValueError) as error:
        fault = error
        if is_too_deep(text):
            raise RecursionError from None
    try:
        if is_chained_too_long(text, ast_node):
            raise RecursionError
        # On nested text with a syntax error, libcst may run almost forever.
        if fault is None:
            if ast_node is not None:
                text = shortened(text, ast_node)
            return with_normalised_names(cst.parse_module(text), text), ast_node
        tree = _parse_newer(text) if depth(text) <= _MAX_DEPTH_FOR_LIBCST else None
        if tree is not None:
            return with_normalised_names(tree, text), None
        reason, position = str(fault), (1, 1)
    except cst.ParserSyntaxError as error:
        position = (error.raw_line, error.raw_column + 1)
        reason = "libcst, the parser that savegen uses, does not support this syntax"
    if isinstance(fault, SyntaxError):
        position = (fault.lineno or 1, fault.offset or 1)
    raise _Unparsable(_reason(fault) if fault else reason, position)


# Syntax that libcst supports, but some Python from 3.11 on does not.
_NEWER_SYNTAX = (
    cst.TypeAlias,
    cst.TypeParameters,
    cst.FormattedString,
    getattr(cst, "TemplatedString", cst.TypeAlias),
)


def _parse_newer(text: str) -> cst.Module | None:
    """Return the libcst tree of text that ast rejects, if it contains newer syntax."""
    try:
        tree = cst.parse_module(text)
    except (cst.ParserSyntaxError, cst.CSTValidationError):
        return None
    waiting: list[cst.CSTNode] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, _NEWER_SYNTAX):
            return tree
        waiting += node.children
    return None


def _end_position(text: str) -> tuple[int, int]:
    lines = lines_of(text)
    return len(lines), len(lines[-1]) + 1


def _reason(fault: Exception) -> str:
    text = fault.msg if isinstance(fault, SyntaxError) else str(fault)
    return text.partition(". Perhaps")[0]


def _span_at(file: SourceFile, line: int, column: int) -> Span:
    return Span(file.path, line, max(column, 1), line, max(column, 1) + 1)


def _nesting_span(file: SourceFile, text: str) -> Span:
    index = excess_index(text)
    if index is None:
        return Span(file.path)
    return _span_at(file, *_end_position(text[:index]))


class _Reader:
    """Collects the declarations of one module."""

    def __init__(
        self, file: SourceFile, tree: cst.Module, ast_node: ast.Module | None
    ) -> None:
        self._file = file
        self._tree = tree
        self._ast_node = ast_node
        self._positions = Positions(file, tree, ast_node is not None)
        self._imports: dict[str, Import] = {}
        self._star_imports: list[str] = []
        self._aliases: dict[str, Expression] = {}
        self._classes: list[Class] = []
        self._functions: list[Function] = []
        self._parameters: dict[str, tuple[TypeParameter, ...]] = {}

    def module(self) -> Module:
        ast_nodes = self._ast_node.body if self._ast_node else None
        self._read_block(paired(self._tree.body, ast_nodes), False)
        return Module(
            self._file.path,
            self._file.module,
            self._file.is_package,
            self._imports,
            tuple(self._star_imports),
            self._aliases,
            tuple(self._classes),
            self._parameters,
            ignore_comments(self._file),
            functions=tuple(self._functions),
            stray_marks=tuple(self._stray_marks()),
            results=dict(self._results()),
            counting=dict(self._counting()),
        )

    def _counting(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield the functions that return what a counter says, with the uses of counters."""
        for node in self._ast_node.body if self._ast_node else ():
            if isinstance(node, ast.FunctionDef) and (uses := uses_in_result(node)):
                yield node.name, uses

    def _results(self) -> Iterator[tuple[str, Expression]]:
        """Yield the functions that only make a `defaultdict` or a counter, with what they return."""
        for node in self._ast_node.body if self._ast_node else ():
            match node:
                case ast.FunctionDef(name, body=[*_, ast.Return(ast.Call() as call)]):
                    source = ast.unparse(call)
                    if _MAKES_ITS_OWN.match(source) and len(_statements(node)) == 1:
                        yield name, read_value(cst.parse_expression(source))

    def _stray_marks(self) -> Iterator[StrayMark]:
        if self._ast_node is not None:
            renamed = [k for k, v in self._imports.items() if v.name in FIELD_MARKS]
            yield from stray_marks(self._ast_node, self._file, renamed)

    def _read_block(self, pairs: Iterable[Pair], is_conditional: bool) -> None:
        for pair in pairs:
            node = pair[0]
            match node:
                case cst.ClassDef():
                    self._read_class(pair, "", is_conditional)
                case cst.FunctionDef():
                    self._add_if_decorated(pair, node.name.value)
                    self._read_function(pair, f"{node.name.value}.<locals>.")
                    if _MAKES_PROPERTY.search(self._positions.text(pair)):
                        self._aliases[node.name.value] = Name("property")
                case cst.Import():
                    self._import(node)
                case cst.ImportFrom():
                    self._import_from(node)
                case cst.Assign() | cst.AnnAssign() | cst.TypeAlias():
                    self._alias(node)
                case cst.If() | cst.Try() | cst.TryStar() | cst.With():
                    self._read_branches(pair)
                case cst.For() | cst.While() | cst.Match():
                    self._read_block(inner_blocks(*pair), True)

    def _read_branches(self, pair: Pair) -> None:
        """Read a compound statement; names bound in its first block take precedence.

        An `except ImportError:` or the `else` of `if TYPE_CHECKING:` can only add names.
        """
        first = list(body_of(pair))
        self._read_block(first, True)
        imports, aliases = dict(self._imports), dict(self._aliases)
        self._read_block(list(inner_blocks(*pair))[len(first) :], True)
        self._imports |= imports
        for name in imports.keys() - aliases.keys():
            self._aliases.pop(name, None)
        self._aliases |= aliases

    def _read_class(self, pair: Pair, prefix: str, is_conditional: bool) -> None:
        node = pair[0]
        assert isinstance(node, cst.ClassDef)
        qualname = prefix + node.name.value
        self._classes.append(
            read_class(pair, qualname, self._positions, is_conditional)
        )
        self._read_class_body(body_of(pair), qualname)

    def _read_class_body(self, pairs: Iterable[Pair], qualname: str) -> None:
        """Read the classes inside a class and inside its methods."""
        for pair in pairs:
            node = pair[0]
            if isinstance(node, cst.ClassDef):
                self._read_class(pair, f"{qualname}.", False)
            elif isinstance(node, cst.FunctionDef):
                self._read_function(pair, f"{qualname}.{node.name.value}.<locals>.")

    def _add_if_decorated(self, pair: Pair, qualname: str) -> None:
        if getattr(pair[0], "decorators", ()):
            function = read_function(pair, qualname, self._positions)
            self._functions.append(function)

    def _read_function(self, pair: Pair, prefix: str) -> None:
        """Read the classes and the decorated functions inside a function."""
        text = self._positions.text(pair)
        if text and "class" not in text and "@" not in text:
            return  # most functions: a walk over their statements would find nothing
        waiting = list(body_of(pair))
        for inner in waiting:
            if isinstance(inner[0], cst.ClassDef):
                self._read_class(inner, prefix, False)
            elif isinstance(inner[0], cst.FunctionDef):
                self._add_if_decorated(inner, prefix + inner[0].name.value)
            elif isinstance(inner[0], (cst.If, cst.For, cst.While, cst.Try, cst.With)):
                waiting += inner_blocks(*inner)

    def _import(self, node: cst.Import) -> None:
        for alias in node.names:
            name = alias.evaluated_name
            first = name.partition(".")[0]
            local = alias.evaluated_alias
            self._imports[local or first] = Import(name if local else first)

    def _import_from(self, node: cst.ImportFrom) -> None:
        name, dots = dotted_name(node.module), len(node.relative)
        file = self._file
        module = absolute_module(file.module, file.is_package, dots, name)
        if module is None:
            return
        if isinstance(node.names, cst.ImportStar):
            self._star_imports.append(module)
            return
        for alias in node.names:
            imported = alias.evaluated_name
            local = alias.evaluated_alias or imported
            self._imports[local] = Import(module, imported)

    def _alias(self, node: cst.Assign | cst.AnnAssign | cst.TypeAlias) -> None:
        if isinstance(node, cst.TypeAlias):
            self._aliases[node.name.value] = read_type(node.value)
            if parameters := type_parameters(node):
                self._parameters[node.name.value] = parameters
            return
        if node.value is None:
            return
        targets = (
            [node.target]
            if isinstance(node, cst.AnnAssign)
            else [target.target for target in node.targets]
        )
        for target in targets:
            if isinstance(target, cst.Name) and isinstance(node.value, _POSSIBLE_TYPES):
                self._aliases[target.value] = read_type(node.value)
