"""Find the marks in Python files of the project that are not sources of the game."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

from savegen.build.scan.facts import Binding, dotted, read_facts_and_tree
from savegen.build.scan.faults import UnreadFile
from savegen.build.scan.ignore_comments import ignore_comments
from savegen.build.scan.marks import MARKS, PACKAGE, is_in_savegen
from savegen.build.scan.names import absolute_module
from savegen.build.scan.statements import all_statements
from savegen.build.scan.words import searchable
from savegen.build.source import Project, SourceFile, Undecodable, wide_encoding

# The marks that have an effect without another mark around them.
DECORATORS = ("saveable", "prefab", "converter", "migration")
_DECORATORS_ALONE = re.compile(
    rb"^[ \t]*@[ \t]*(?:\w+[ \t]*\.[ \t]*)*(%b)\b" % "|".join(DECORATORS).encode(),
    re.MULTILINE,
)
_MAX_PARSED = 2**20  # bytes; such a file is data, and takes seconds to parse


class UnreadMark(NamedTuple):
    """The first mark in a file that savegen does not read."""

    line: int
    column: int  # of the name
    mark: str  # as the file writes it, such as `saveable`
    name: str  # of the class or function; "" if the file cannot be parsed


def decorator_names(exports: Collection[str]) -> list[str]:
    """Return the names under which modules of a project offer marks that are decorators.

    `exports` are the names of all marks, as `find_marked` returns them.
    """
    return sorted({*DECORATORS, *exports} - ({*MARKS} - {*DECORATORS}))


def first_mark(
    file: SourceFile, project: Project, names: Collection[str]
) -> UnreadMark | None:
    """Return the first class or function of a file that a mark of savegen decorates.

    `names` are those of `decorator_names`. An ignore comment beside the mark hides it.
    """
    source = searchable(file)
    words = (PACKAGE, *names)
    if b"@" not in source or not any(word.encode() in source for word in words):
        return None
    if wide_encoding(file.data):
        file = SourceFile(file.path, file.module, source)
    if len(source) > _MAX_PARSED:
        return _first_in_lines(source)
    facts, tree = read_facts_and_tree(file)
    if tree is None:
        return _first_in_lines(source)
    decorators = _Decorators(file, facts.bindings, project, names)
    return min(decorators.marks_in(tree), default=None)


class _Decorators:
    """The decorators of a file that are marks."""

    def __init__(
        self,
        file: SourceFile,
        bindings: Collection[Binding],
        project: Project,
        names: Collection[str],
    ) -> None:
        self._file = file
        self._silenced = _silenced_lines(file)
        self._bindings = bindings
        self._project = project
        self._names = names

    def marks_in(self, tree: ast.Module) -> Iterator[UnreadMark]:
        for statement, _, _ in all_statements(tree):
            for decorator in getattr(statement, "decorator_list", ()):
                function = getattr(decorator, "func", decorator)
                path = dotted(function)
                if path and self._is_mark(path) and not self._is_silenced(statement):
                    line, name = getattr(statement, "lineno"), getattr(
                        statement, "name"
                    )
                    column = self._file.lines[line - 1].find(name) + 1
                    yield UnreadMark(line, column, path.rpartition(".")[2], name)

    def _is_silenced(self, statement: ast.AST) -> bool:
        """Return whether an ignore comment is beside a definition or one of its decorators."""
        first, *_ = getattr(statement, "decorator_list")
        lines = range(first.lineno, getattr(statement, "lineno") + 1)
        return not self._silenced.isdisjoint(lines)

    def _is_mark(self, path: str, depth: int = 0) -> bool:
        """Return whether a name in the file, such as `savegen.saveable`, is a mark."""
        first, _, attribute = path.partition(".")
        for binding in self._bindings:
            if binding.name not in (first, "*"):
                continue
            rest = path if binding.name == "*" else attribute
            target = ".".join(filter(None, (binding.path, rest)))
            name = target.rpartition(".")[2]
            if not binding.source:  # `keep = saveable`
                if depth < 5 and target != path and self._is_mark(target, depth + 1):
                    return True
            elif is_in_savegen(binding.source):
                if name in DECORATORS:
                    return True
            elif name in self._names and self._is_ours(binding.source, target):
                return True
        return False

    def _is_ours(self, module: str, path: str) -> bool:
        """Return whether a name comes from a module of the project."""
        if module.startswith("."):
            return True
        full = f"{module}.{path}"
        while full:
            if full in self._project:
                return True
            full = full.rpartition(".")[0]
        return False


def _first_in_lines(source: bytes) -> UnreadMark | None:
    """Return the first mark in a file that cannot be parsed, or only slowly."""
    match = _DECORATORS_ALONE.search(source)
    if match is None or PACKAGE.encode() not in source:
        return None
    line = source.count(b"\n", 0, match.start()) + 1
    return UnreadMark(line, 1, match[1].decode(), "")


def _silenced_lines(file: SourceFile) -> set[int]:
    try:
        comments = ignore_comments(file)
    except Undecodable:
        return set()
    return {n for c in comments if c.code == UnreadFile.code for n in c.lines}


_MAX_FOLLOWED = 100  # modules whose imports are followed


def imported_files(project: Project) -> list[str]:
    """Return the paths of the files below the root that a project's modules import.

    Those that the imported modules import are included, up to a limit.
    """
    waiting = [*project]
    seen = {*waiting}
    while waiting and len(seen) < _MAX_FOLLOWED:
        for name in _imported_by(project.file(waiting.pop())):
            if name not in seen and name in project:
                seen.add(name)
                waiting.append(name)
    return sorted(project.paths[name] for name in seen - {*project})


def _imported_by(file: SourceFile) -> Iterator[str]:
    """Yield the names that may be those of modules which a file imports."""
    for binding in read_facts_and_tree(file)[0].bindings:
        source = binding.source.lstrip(".")
        dots = len(binding.source) - len(source)
        module = absolute_module(file.module, file.is_package, dots, source)
        if binding.source and module is not None:
            yield module
            yield f"{module}.{binding.path}".strip(".")
