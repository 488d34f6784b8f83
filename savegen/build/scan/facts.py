"""Read the facts about a file that decide whether it may use marks, such as its imports."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Collection, Iterable, Iterator

import msgspec
from msgspec.structs import replace

from savegen.build.scan.exported import EXPORTED
from savegen.build.scan.generated import GeneratedImport, generated_imports
from savegen.build.scan.ignore_comments import IGNORE_COMMENT
from savegen.build.scan.marks import FIELD_MARKS, MARKS, PACKAGE, is_in_savegen
from savegen.build.scan.missing import MissingName, missing_names
from savegen.build.scan.statements import all_statements
from savegen.build.scan.words import IMPORTED, searchable
from savegen.build.source import SourceFile, Undecodable


class Binding(msgspec.Struct, frozen=True, array_like=True):
    """A name in a file, bound to the object `path` of the module `source`."""

    name: str  # "*" for all names of `source`
    source: str  # as written, with the dots of a relative import; "" for this file
    path: str = ""  # dotted; "" for the module itself
    top: bool = True  # at module level, so other modules can import it

    @property
    def last(self) -> str:
        return self.path.rpartition(".")[2]

    @property
    def from_savegen(self) -> bool:
        return is_in_savegen(self.source)


class Facts(msgspec.Struct, frozen=True, array_like=True):
    """The facts about a file that decide whether it may use marks.

    `uses` depends on the names that were searched for, `generated` on the output packages, and
    the other fields only on the file.
    """

    bindings: tuple[Binding, ...] = ()
    # It contains a class, a decorated function, or another annotation with a mark.
    markable: bool = False
    broken: bool = False  # `ast` cannot parse it, so the facts were read line by line
    mentions_savegen: bool = False  # it contains the word "savegen"
    # It contains `# savegen: ignore`, perhaps in a string; false if `broken`.
    silences: bool = False
    # Names from other modules that may be marks: "m.keep"; after a star import also "keep".
    uses: tuple[str, ...] = ()
    missing: tuple[MissingName, ...] = ()  # names that savegen does not have
    generated: tuple[GeneratedImport, ...] = ()  # imports of generated modules

    @property
    def surely_marked(self) -> bool:
        """Whether the file counts as marked, independent of other files."""
        if self.broken and self.mentions_savegen:
            return True
        return self.markable and any(
            binding.from_savegen and binding.path in MARKS for binding in self.bindings
        )

    def relevant(self, uses: Iterable[str]) -> set[str]:
        """Return the uses that an imported module or a star import may provide."""
        names = {binding.name for binding in self.bindings}
        if "*" in names:
            return set(uses)
        return {use for use in uses if "." in use and use.partition(".")[0] in names}


def read_facts(file: SourceFile, packages: Collection[str] = ()) -> Facts:
    """Return the facts of a file, such as its imports and module-level aliases.

    `packages` are the output packages, now and in the past.
    """
    return read_facts_and_tree(file, packages)[0]


def read_facts_and_tree(
    file: SourceFile, packages: Collection[str] = ()
) -> tuple[Facts, ast.Module | None]:
    """Return the facts of a file and its syntax tree, or `None` if `ast` cannot parse it."""
    source = searchable(file)
    mentions_savegen = PACKAGE.encode() in source
    silences = mentions_savegen and bool(IGNORE_COMMENT.search(source))
    tree = parse_file(file)
    if tree is None:
        return _facts_in_lines(source, mentions_savegen), None
    bindings: list[Binding] = []
    imports: list[tuple[ast.Import | ast.ImportFrom, bool]] = []
    markable = False
    for statement, top, is_optional in all_statements(tree):
        markable = markable or _is_markable(statement)
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            imports.append((statement, is_optional))
            bindings += _imported(statement, top)
        elif top:
            bindings += _aliases(statement)
    result = Facts(
        tuple(dict.fromkeys(bindings)), markable, False, mentions_savegen, silences
    )
    if mentions_savegen and any(map(_can_be_missing, bindings)):
        result = replace(result, missing=missing_names(tree, file))
    if any(word in source for word in output_words(packages)):
        generated = generated_imports(imports, tree, file, packages)
        result = replace(result, generated=generated)
    return result, tree


def output_words(packages: Iterable[str]) -> set[bytes]:
    """Return the last part of each package name.

    A file that imports from an output package contains at least one of them.
    """
    return {package.rpartition(".")[2].encode() for package in packages}


def _can_be_missing(binding: Binding) -> bool:
    """Return whether a binding may use a name that savegen does not have."""
    if not binding.from_savegen or binding.name == "*":
        return False
    return binding.path not in EXPORTED.get(binding.source, ())


def _is_markable(statement: ast.AST) -> bool:
    match statement:
        case ast.ClassDef():
            return True
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            args = statement.args
            parameters = (*args.posonlyargs, *args.args, *args.kwonlyargs)
            annotations = [each.annotation for each in parameters]
            every = (statement.returns, *annotations)
            return bool(statement.decorator_list) or any(map(_has_mark, every))
        case ast.AnnAssign(annotation=annotation):
            return _has_mark(annotation)
    return False


def _has_mark(annotation: ast.expr | None) -> bool:
    """Return whether an annotation contains a mark of fields, by its usual name."""
    return any(
        getattr(node, "id", None) in FIELD_MARKS
        or getattr(node, "attr", None) in FIELD_MARKS
        for node in (ast.walk(annotation) if annotation else ())
    )


def parse_file(file: SourceFile) -> ast.Module | None:
    """Return the syntax tree of a file, or `None` if `ast` cannot parse it."""
    try:
        return _parse(file.text)
    except Undecodable:
        return None


def _parse(text: str) -> ast.Module | None:
    try:
        with warnings.catch_warnings(action="ignore"):
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


# Statements


def _imported(statement: ast.Import | ast.ImportFrom, top: bool) -> Iterator[Binding]:
    if isinstance(statement, ast.ImportFrom):
        source = "." * statement.level + (statement.module or "")
        for alias in statement.names:
            path = "" if alias.name == "*" else alias.name
            yield Binding(alias.asname or alias.name, source, path, top)
    else:
        for alias in statement.names:
            first = alias.name.partition(".")[0]
            source = alias.name if alias.asname else first
            yield Binding(alias.asname or first, source, "", top)


def _aliases(statement: ast.AST) -> Iterator[Binding]:
    """Yield the names that a statement at module level binds to other names."""
    for target, value in _assignments(statement):
        for path in _named_in(value):
            yield Binding(target, "", path)


def _assignments(statement: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Yield the names that a statement assigns, each with its value."""
    if isinstance(statement, ast.Assign):
        for target in statement.targets:
            yield from _paired(target, statement.value)
    elif isinstance(statement, ast.AnnAssign):
        if statement.value is not None:
            yield from _paired(statement.target, statement.value)
    elif type(statement).__name__ == "TypeAlias":  # Python 3.12
        yield from _paired(getattr(statement, "name"), getattr(statement, "value"))


def _paired(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(target, ast.Name):
        yield target.id, value
    elif isinstance(target, ast.Subscript):  # from `type A[T] = …`, read line by line
        yield from _paired(target.value, value)
    elif isinstance(target, (ast.Tuple, ast.List)):
        if isinstance(value, (ast.Tuple, ast.List)):
            for inner, part in zip(target.elts, value.elts):
                yield from _paired(inner, part)


def _named_in(value: ast.expr) -> Iterator[str]:
    """Yield the dotted names in the value of an alias, such as `Saved` in `Saved[int]`."""
    waiting = [value]
    while waiting:
        match waiting.pop():
            case ast.Name(id=name):
                yield name
            case ast.Attribute() as attribute:
                if path := dotted(attribute):
                    yield path
            case ast.Subscript(value=base, slice=ast.Tuple(elts=arguments)):
                waiting += [base, *arguments]
            case ast.Subscript(value=base, slice=argument):
                waiting += [base, argument]
            case ast.Call(func=function):
                waiting.append(function)
            case ast.BinOp(left=left, right=right):
                waiting += [left, right]


def dotted(node: ast.expr | None) -> str | None:
    """Return a name such as `a.b.c` as text; `None` for any other expression."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    return ".".join([node.id, *reversed(names)])


# Files that `ast` cannot parse

_LINES = (
    re.compile(rb"((?:\bfrom\b[\w\x80-\xff.\s\\]{1,300}?)?\b" + IMPORTED + rb"\)?)"),
    re.compile(
        rb"""^ (?: type [ \t]+ )?
        ( [A-Za-z_\x80-\xff] [\w\x80-\xff]*
          (?: \[ [^]\n]* \] )?     # type parameters
          (?: [ \t]* : [^=\n]* )?   # an annotation
          [ \t]* = [^=\n] [^\n]*
        )""",
        re.MULTILINE | re.VERBOSE,
    ),
)


def _facts_in_lines(source: bytes, mentions_savegen: bool) -> Facts:
    """Return the facts that can be read line by line from a file with unsupported syntax."""
    bindings: list[Binding] = []
    lines = re.sub(rb"\r\n?", b"\n", source)
    for pattern in _LINES:
        for match in pattern.finditer(lines):
            tree = _parse(match[1].decode("utf-8", "replace"))
            for statement in tree.body if tree else ():
                if isinstance(statement, (ast.Import, ast.ImportFrom)):
                    bindings += _imported(statement, top=True)
                else:
                    bindings += _aliases(statement)
    markable = re.search(rb"\bclass\b|^[ \t]*@", source, re.MULTILINE) is not None
    return Facts(
        tuple(dict.fromkeys(bindings)),
        markable,
        broken=True,
        mentions_savegen=mentions_savegen,
    )
