"""Find the classes of a file, the offsets of its nodes, and the imports that its names refer to."""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from enum import IntEnum
from itertools import accumulate
from typing import Any, Literal, NamedTuple, TypeAlias

import libcst as cst
from libcst.metadata import ByteSpanPositionProvider, CodeSpan, MetadataWrapper

from savegen.build.codemod.text import SourceText
from savegen.build.scan.expressions import dotted_name
from savegen.build.source import Undecodable

# libcst recurses with several frames per nested node, so that a long `elif` chain or sum
# exceeds Python's default limit.
_RECURSION_LIMIT = 1_000_000


class Execution(IntEnum):
    """Whether a statement is executed when its scope is executed."""

    NEVER = 0  # for example, below `if TYPE_CHECKING:`
    MAYBE = 1
    ALWAYS = 2


# By the value of the condition above the statement, where None is an unknown value.
_EXECUTION = {True: Execution.ALWAYS, None: Execution.MAYBE, False: Execution.NEVER}


class NameScope:
    """The names that a module, function or class binds."""

    def __init__(
        self,
        kind: Literal["module", "function", "class"],
        parent: NameScope | None = None,
        prefix: str = "",
    ) -> None:
        self.kind = kind
        self.parent = parent
        self.prefix = prefix  # of qualified names in this scope
        self.bindings: dict[str, list[NameBinding]] = {}

    def lookup(self, name: str) -> list[NameBinding]:
        """Return the bindings of `name` in the innermost visible scope that binds it."""
        scope: NameScope | None = self
        while scope is not None:
            if name in scope.bindings and (scope is self or scope.kind != "class"):
                return scope.bindings[name]
            scope = scope.parent
        return []


class NameBinding(NamedTuple):
    """One statement that binds a name."""

    scope: NameScope
    start: int
    imported: str | None  # the imported name with its module; None for other statements
    execution: Execution


class ClassStatement(NamedTuple):
    """One class statement and the scope that contains it."""

    node: cst.ClassDef
    qualname: str
    scope: NameScope
    start: int

    def is_after(self, binding: NameBinding) -> bool:
        """Return whether the class statement is executed after `binding`."""
        scope = self.scope
        while scope is not binding.scope and scope.parent is not None:
            if scope.kind == "function":
                return True
            scope = scope.parent
        return binding.start < self.start

    def imported_names(self, dotted: str) -> set[str]:
        """Return the full names that `dotted` may refer to by the imports of the scope."""
        name, dot, rest = dotted.partition(".")
        return {
            binding.imported + dot + rest
            for binding in self.scope.lookup(name)
            if binding.imported is not None and binding.execution
        }


# The statements between two line ends: a line of its own, or the rest of a line such as `if x:`.
StatementLine: TypeAlias = cst.SimpleStatementLine | cst.SimpleStatementSuite


class CannotEdit(ValueError):
    """Raised if a file cannot be edited safely; it is unchanged then."""

    def __init__(self, reason: str, line: int = 1) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line


@contextmanager
def editing() -> Iterator[None]:
    """Raise `CannotEdit` if a file cannot be decoded, parsed or encoded in this context."""
    try:
        yield
    except Undecodable as error:
        raise CannotEdit(error.reason, error.line) from None
    except cst.ParserSyntaxError as error:
        raise CannotEdit("invalid syntax", error.raw_line) from None


class Survey:
    """The syntax tree of a file, its classes, and the offsets of its nodes in the text."""

    def __init__(self, source: SourceText) -> None:
        """Raises `libcst.ParserSyntaxError` or `CannotEdit`."""
        self.source = source
        self.module = cst.parse_module(source.text)
        with _room_to_recurse():
            wrapper = MetadataWrapper(self.module, unsafe_skip_copy=True)
            self._spans = wrapper.resolve(ByteSpanPositionProvider)
            code = self.module.code
            self._bytes = _byte_offsets(code)
            self._text_offsets = _offsets(code, source.text)
            visitor = _Visitor(self)
            self.module_scope = visitor.scope
            self.module.visit(visitor)
        self.classes = visitor.classes
        self.imports = visitor.imports
        self._blocks = visitor.blocks

    def block_of(self, line: StatementLine) -> Sequence[cst.CSTNode]:
        """Return the statements of the block that a line belongs to; only itself after `if x:`."""
        return self._blocks.get(line, [line])

    def words_used(self, without: Collection[cst.CSTNode]) -> set[str]:
        """Return the names and dotted names outside imports, also those in strings.

        Strings in triple quotes are left out, and so are the nodes `without` and those inside them.
        """
        words = _Words(without)
        with _room_to_recurse():
            self.module.visit(words)
        return words.found

    def offsets(self, node: cst.CSTNode) -> tuple[int, int]:
        """Return the offsets of the start and the end of a node."""
        span: CodeSpan = self._spans[node]
        start = self._offset(span.start)
        # Text that libcst drops after the last character does not belong to the node.
        return start, self._offset(span.start + span.length - 1) + 1

    def start(self, node: cst.CSTNode) -> int:
        return self.offsets(node)[0]

    def end(self, node: cst.CSTNode) -> int:
        return self.offsets(node)[1]

    def _offset(self, byte: int) -> int:
        return self._text_offsets[bisect_right(self._bytes, byte) - 1]


def _byte_offsets(code: str) -> Sequence[int]:
    """Return the offset of each character of `code` in its UTF-8 encoding."""
    if code.isascii():
        return range(len(code))
    return [0, *accumulate(len(character.encode()) for character in code[:-1])]


def _offsets(code: str, text: str) -> Sequence[int]:
    """Return the offset of each character of `code` in `text`.

    They can differ: libcst drops form feeds in indentation, and some white space at the end of
    a file. Raises `CannotEdit` if anything else is missing: the offsets of nodes are unknown then.
    """
    if code == text:
        return range(len(text))
    not_reproduced = CannotEdit("the rewritten file would not keep its layout")
    offsets: list[int] = []
    end = 0  # of the text that has been compared
    for character in code:
        offset = text.find(character, end)
        if offset < 0 or text[end:offset].strip():
            raise not_reproduced
        offsets.append(offset)
        end = offset + 1
    if text[end:].strip():
        raise not_reproduced
    return offsets


@contextmanager
def _room_to_recurse() -> Iterator[None]:
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, _RECURSION_LIMIT))
    try:
        yield
    except (RecursionError, KeyError):
        # libcst turns some RecursionErrors into KeyErrors.
        raise CannotEdit("the file is nested too deeply") from None
    finally:
        sys.setrecursionlimit(limit)


def module_of(node: cst.ImportFrom) -> str:
    """Return the module of a `from … import`, with the dots of a relative import."""
    return "." * len(node.relative) + (dotted_name(node.module) or "")


class _Visitor(cst.CSTVisitor):
    """Collects the classes and bindings of all scopes."""

    def __init__(self, survey: Survey) -> None:
        super().__init__()
        self._survey = survey
        self.scope = NameScope("module")
        self._executions = [Execution.ALWAYS]  # of the enclosing blocks
        self.classes: list[ClassStatement] = []
        self.imports: list[tuple[StatementLine, cst.Import | cst.ImportFrom]] = []
        self.blocks: dict[cst.CSTNode, Sequence[cst.CSTNode]] = {}

    def visit_Module(self, node: cst.Module) -> None:
        # The module is the last member, so that its last line can be removed without a `pass`.
        self.blocks |= dict.fromkeys(node.body, [*node.body, node])

    def visit_IndentedBlock(self, node: cst.IndentedBlock) -> None:
        self.blocks |= dict.fromkeys(node.body, node.body)

    def _visit_line(self, node: StatementLine) -> None:
        for part in node.body:
            if isinstance(part, cst.Import | cst.ImportFrom):
                self.imports.append((node, part))

    def visit_SimpleStatementLine(self, node: cst.SimpleStatementLine) -> None:
        self._visit_line(node)

    def visit_SimpleStatementSuite(self, node: cst.SimpleStatementSuite) -> None:
        self._visit_line(node)

    def _bind(self, name: str, node: cst.CSTNode, imported: str | None = None) -> None:
        start = self._survey.start(node)
        binding = NameBinding(self.scope, start, imported, self._executions[-1])
        self.scope.bindings.setdefault(name, []).append(binding)

    def _bind_target(self, target: cst.CSTNode | None) -> None:
        if isinstance(target, cst.Name):
            self._bind(target.value, target)
        elif isinstance(target, cst.Tuple | cst.List):
            for element in target.elements:
                self._bind_target(element.value)

    # Scopes

    def visit_ClassDef(self, node: cst.ClassDef) -> None:
        self._bind(node.name.value, node)
        qualname = self.scope.prefix + node.name.value
        start = self._survey.start(node)
        self.classes.append(ClassStatement(node, qualname, self.scope, start))
        self.scope = NameScope("class", self.scope, f"{qualname}.")

    def leave_ClassDef(self, original_node: cst.ClassDef) -> None:
        self._leave_scope()

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        self._bind(node.name.value, node)
        prefix = f"{self.scope.prefix}{node.name.value}.<locals>."
        self.scope = NameScope("function", self.scope, prefix)

    def leave_FunctionDef(self, original_node: cst.FunctionDef) -> None:
        self._leave_scope()

    def _leave_scope(self) -> None:
        assert self.scope.parent is not None
        self.scope = self.scope.parent

    def visit_Lambda(self, node: cst.Lambda) -> bool:
        return False

    # Conditions

    def visit_If(self, node: cst.If) -> bool:
        truth = self._truth(node.test)
        node.test.visit(self)
        self._visit_if(truth, node.body)
        self._visit_if(None if truth is None else not truth, node.orelse)
        return False

    def _visit_if(self, truth: bool | None, node: cst.CSTNode | None) -> None:
        if node is not None:
            self._enter(_EXECUTION[truth])
            node.visit(self)
            self._executions.pop()

    def _truth(self, test: cst.BaseExpression) -> bool | None:
        """Return the value of a condition, or None if it is not a constant."""
        if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
            truth = self._truth(test.expression)
            return None if truth is None else not truth
        if isinstance(test, cst.BooleanOperation):
            sides = {self._truth(test.left), self._truth(test.right)}
            deciding = isinstance(test.operator, cst.Or)
            if deciding in sides:
                return deciding
            return None if None in sides else not deciding
        if isinstance(test, cst.Integer):
            return bool(test.evaluated_value)
        name = dotted_name(test) or ""
        if name in ("True", "False"):
            return name == "True"
        return False if self._is_type_checking(name) else None

    def _is_type_checking(self, name: str) -> bool:
        first, dot, rest = name.partition(".")
        imported = [binding.imported or "" for binding in self.scope.lookup(first)]
        spellings = [name, *(full + dot + rest for full in imported)]
        return any(s.rpartition(".")[2] == "TYPE_CHECKING" for s in spellings)

    def _enter(self, execution: Execution) -> None:
        self._executions.append(min(execution, self._executions[-1]))

    def _enter_maybe(self, node: cst.CSTNode) -> None:
        self._enter(Execution.MAYBE)

    def _leave_maybe(self, original_node: cst.CSTNode) -> None:
        self._executions.pop()

    visit_Try = visit_TryStar = visit_While = visit_With = visit_Match = _enter_maybe
    leave_Try = leave_TryStar = leave_While = leave_With = leave_Match = _leave_maybe
    leave_For = _leave_maybe

    # Names

    def visit_Import(self, node: cst.Import) -> bool:
        for alias in node.names:
            name = alias.evaluated_name
            first = name.partition(".")[0]
            local = alias.evaluated_alias
            self._bind(local or first, node, name if local else first)
        return False

    def visit_ImportFrom(self, node: cst.ImportFrom) -> bool:
        module = module_of(node)
        if isinstance(node.names, cst.ImportStar):
            self._bind("*", node, module)
            return False
        for alias in node.names:
            name = alias.evaluated_name
            dot = "" if module.endswith(".") else "."
            self._bind(alias.evaluated_alias or name, node, f"{module}{dot}{name}")
        return False

    def visit_For(self, node: cst.For) -> None:
        self._enter_maybe(node)
        self._bind_target(node.target)

    def _visit_assignment(self, node: Any) -> None:
        self._bind_target(node.target)

    def _visit_named(self, node: Any) -> None:
        self._bind_target(node.name)

    visit_AssignTarget = visit_AnnAssign = visit_NamedExpr = _visit_assignment
    visit_AsName = visit_MatchAs = visit_MatchStar = _visit_named
    visit_Param = visit_TypeAlias = _visit_named

    def visit_MatchMapping(self, node: cst.MatchMapping) -> None:
        self._bind_target(node.rest)


class _Words(cst.CSTVisitor):
    """Collects the names that a file uses, outside imports."""

    def __init__(self, without: Collection[cst.CSTNode]) -> None:
        super().__init__()
        self._without = without
        self.found: set[str] = set()

    def on_visit(self, node: cst.CSTNode) -> bool:
        if isinstance(node, cst.Import | cst.ImportFrom) or node in self._without:
            return False
        if isinstance(node, cst.Name | cst.Attribute):
            self.found.add(dotted_name(node) or "")
        elif isinstance(node, cst.SimpleString) and len(node.quote) == 1:
            self.found.update(re.findall(r"[\w.]+", node.raw_value))
        return True
