"""Add marks to classes: the decorator, the annotations and their imports, and nothing else."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import libcst as cst

from savegen.build.codemod.imports import add_imports, add_type_imports
from savegen.build.codemod.survey import (
    CannotEdit,
    ClassStatement,
    Execution,
    Survey,
    editing,
)
from savegen.build.codemod.text import LINE_LENGTH, SourceText, Splice
from savegen.build.codemod.wire import class_named
from savegen.build.scan.expressions import dotted_name


@dataclass(frozen=True)
class Marks:
    """The marks of one class."""

    qualname: str
    decorated: bool = True  # whether `@saveable` is added
    transient: tuple[str, ...] = ()
    # Fields whose class-level annotation becomes `Saved[…]`
    wrapped: tuple[str, ...] = ()
    # Attributes whose annotation in a method becomes a mark
    annotated: tuple[str, ...] = ()
    # The names and annotations of new class-level fields
    declared: tuple[tuple[str, str], ...] = ()
    # Those of attributes that are annotated where a method assigns them; for a property that
    # no method assigns, at the end of `__init__`
    assigned: tuple[tuple[str, str], ...] = ()
    setters: frozenset[str] = frozenset()  # attributes that a load sets as properties
    # The modules and names that the new annotations need
    type_imports: tuple[tuple[str, str], ...] = ()

    @property
    def _annotated(self) -> list[str]:
        """The attributes whose mark is `Annotated[…]`."""
        elsewhere = [*self.wrapped, *(name for name, _ in self.declared)]
        named = [*self.annotated, *(name for name, _ in self.assigned)]
        return [*named, *(name for name in elsewhere if name in self.setters)]

    @property
    def is_annotated(self) -> bool:
        """Whether a mark needs the name `Annotated`."""
        return bool(self._annotated)

    @property
    def names(self) -> set[str]:
        """The names that the marks use, as they are imported from savegen."""
        elsewhere = [*self.wrapped, *(name for name, _ in self.declared)]
        return {
            *(["saveable"] if self.decorated else []),
            *(["Saved"] if not self.setters.issuperset(elsewhere) else []),
            *(["Save"] if self._annotated else []),
        }

    def around(self, name: str, in_class: bool = True) -> tuple[str, str]:
        """Return the text before and after the type in the mark of an attribute.

        >>> Marks("Ball", setters=frozenset(["rect"])).around("rect")
        ('Annotated[', ', Save(setter=True)]')
        """
        if name in self.setters:
            return "Annotated[", ", Save(setter=True)]"
        return ("Saved[", "]") if in_class else ("Annotated[", ", Save()]")


def mark(data: bytes, marks: Sequence[Marks]) -> bytes:
    """Return the file with marks added; all other bytes are kept.

    The types that new annotations need are imported below `if TYPE_CHECKING:`.

    Raises `CannotEdit` if a class or an attribute is not found, or if the file cannot be decoded,
    parsed or encoded.

    >>> hero = Marks("Hero", transient=("image",), declared=(("hp", "int"),))
    >>> print(mark(b"class Hero:\\n    def __init__(self):\\n        self.hp = 5\\n", [hero]).decode())
    from savegen import Saved, saveable
    <BLANKLINE>
    <BLANKLINE>
    @saveable(transient=("image",))
    class Hero:
        hp: Saved[int]
    <BLANKLINE>
        def __init__(self):
            self.hp = 5
    <BLANKLINE>
    """
    with editing():
        type_imports = _type_imports(marks)
        survey = Survey(SourceText(data))
        data = survey.source.spliced(_splices(survey, marks, bool(type_imports)))
        if not type_imports:
            return data
        survey = Survey(SourceText(data))
        first = survey.classes[0].start
        return survey.source.spliced(add_type_imports(survey, type_imports, first))


def _type_imports(marks: Sequence[Marks]) -> dict[str, list[str]]:
    imports: dict[str, list[str]] = {}
    for module, name in sorted({pair for each in marks for pair in each.type_imports}):
        imports.setdefault(module, []).append(name)
    return imports


def _splices(
    survey: Survey, marks: Sequence[Marks], has_type_imports: bool
) -> Iterator[Splice]:
    statements = [class_named(survey, each.qualname) for each in marks]
    needed = {"savegen": set().union(*(each.names for each in marks))}
    if any(each.is_annotated for each in marks):
        needed["typing"] = {"Annotated"}
    if has_type_imports:
        needed.setdefault("typing", set()).add("TYPE_CHECKING")
    missing = {
        module: sorted(_not_imported(survey, module, names))
        for module, names in needed.items()
    }
    # Imports stay above the first class, even if that class is not marked.
    first = survey.classes[0].start
    yield from add_imports(survey, {m: n for m, n in missing.items() if n}, first)
    for statement, each in zip(statements, marks):
        yield from _class(survey, statement, each)


def _not_imported(survey: Survey, module: str, names: set[str]) -> Iterator[str]:
    """Yield the names that the top of the file does not import from `module` yet."""
    scope = survey.module_scope
    for name in names:
        bindings = scope.bindings.get(name, [])
        if any(
            binding.imported == f"{module}.{name}"
            and binding.execution is Execution.ALWAYS
            for binding in bindings
        ):
            continue
        if bindings:
            line = survey.source.line_number(bindings[0].start)
            raise CannotEdit(
                f"the file uses the name `{name}` for something else", line
            )
        yield name


def _class(survey: Survey, statement: ClassStatement, marks: Marks) -> Iterator[Splice]:
    if marks.decorated:
        yield _decorator(survey, statement.node, marks.transient)
    fields = _fields(statement.node)
    for name in marks.wrapped:
        if name not in fields:
            raise CannotEdit(
                f"class `{marks.qualname}` has no annotated field `{name}`"
            )
        yield from _around(
            survey, fields[name].annotation.annotation, *marks.around(name)
        )
    attributes = _attributes(statement.node)
    for name in marks.annotated:
        nodes = [node for node in attributes[name] if isinstance(node, cst.AnnAssign)]
        if not nodes:
            raise CannotEdit(
                f"class `{marks.qualname}` annotates no attribute `{name}`"
            )
        for node in nodes:
            around = marks.around(name, in_class=False)
            yield from _around(survey, node.annotation.annotation, *around)
    declared = [f"{n}: {text.join(marks.around(n))}" for n, text in marks.declared]
    lines = []  # at the end of `__init__`
    for name, annotation in marks.assigned:
        mark = annotation.join(marks.around(name, False))
        assigned = [
            n
            for n in attributes[name]
            if isinstance(n, cst.Assign) and len(n.targets) == 1
        ]
        if assigned:
            end = survey.end(assigned[0].targets[0].target)
            yield Splice.insert(end, f": {mark}")
        elif name not in marks.setters:
            raise CannotEdit(f"class `{marks.qualname}` assigns no attribute `{name}`")
        elif _constructor(statement.node):
            lines.append(f"self.{name}: {mark} = self.{name}")
        else:
            declared.append(f"{name}: {mark}")
    if lines:
        yield _at_end(survey, _constructor(statement.node), lines)
    if declared:
        yield _declarations(survey, statement, declared)


def _constructor(node: cst.ClassDef) -> Sequence[cst.BaseStatement]:
    """Return the statements of `__init__`; none if the class has no method that can take more."""
    for part in node.body.body:
        if isinstance(part, cst.FunctionDef) and part.name.value == "__init__":
            parameters = [*part.params.posonly_params, *part.params.params]
            is_usual = parameters and parameters[0].name.value == "self"
            if is_usual and isinstance(part.body, cst.IndentedBlock):
                return part.body.body
    return ()


def _at_end(
    survey: Survey, block: Sequence[cst.BaseStatement], lines: Sequence[str]
) -> Splice:
    """Return the change that adds lines at the end of an indented block."""
    source = survey.source
    indent = source.indent(survey.start(block[0]))
    offset = source.line_end(survey.end(block[-1]) - 1)
    text = "".join(f"{indent}{line}{source.newline}" for line in lines)
    if not source.text[:offset].endswith(("\n", "\r")):
        text = source.newline + text.removesuffix(source.newline)
    return Splice.insert(offset, text)


def _around(
    survey: Survey, node: cst.CSTNode, before: str, after: str
) -> Iterator[Splice]:
    start, end = survey.offsets(node)
    yield Splice.insert(start, before)
    yield Splice.insert(end, after)


def _decorator(survey: Survey, node: cst.ClassDef, transient: Sequence[str]) -> Splice:
    source = survey.source
    # A decorated class begins at its first decorator.
    first = min(survey.start(part) for part in [node, *node.decorators])
    indent = source.indent(first)
    if indent.strip():
        reason = "the class statement follows a `;`; put it on a line of its own"
        raise CannotEdit(reason, source.line_number(first))
    names = ", ".join(f'"{name}"' for name in transient)
    if len(transient) == 1:
        names += ","
    text = f"@saveable(transient=({names}))" if transient else "@saveable"
    if len(indent + text) > LINE_LENGTH:
        step = survey.module.default_indent
        lines = [f'{indent}{step}{step}"{name}",' for name in transient]
        opening = [f"@saveable(", f"{indent}{step}transient=("]
        text = source.newline.join([*opening, *lines, f"{indent}{step})", f"{indent})"])
    return Splice.insert(first, f"{text}{source.newline}{indent}")


def _fields(node: cst.ClassDef) -> dict[str, cst.AnnAssign]:
    fields = {}
    for line in node.body.body:
        for part in line.body if isinstance(line, cst.SimpleStatementLine) else [line]:
            if isinstance(part, cst.AnnAssign) and isinstance(part.target, cst.Name):
                fields[part.target.value] = part
    return fields


def _attributes(
    node: cst.ClassDef,
) -> defaultdict[str, list[cst.AnnAssign | cst.Assign]]:
    """Return the assignments to attributes of `self` in the methods of a class, by attribute."""
    visitor = _AttributeVisitor(node)
    node.body.visit(visitor)
    return visitor.attributes


class _AttributeVisitor(cst.CSTVisitor):
    def __init__(self, node: cst.ClassDef) -> None:
        super().__init__()
        self.attributes: defaultdict[str, list[cst.AnnAssign | cst.Assign]] = (
            defaultdict(list)
        )
        self._self: list[str | None] = []

    def visit_ClassDef(self, node: cst.ClassDef) -> bool:
        return False

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        if not self._self:
            parameters = [*node.params.posonly_params, *node.params.params]
            self._self.append(parameters[0].name.value if parameters else None)
        else:
            self._self.append(self._self[-1])

    def leave_FunctionDef(self, original_node: cst.FunctionDef) -> None:
        self._self.pop()

    def visit_AnnAssign(self, node: cst.AnnAssign) -> None:
        self._add(node.target, node)

    def visit_Assign(self, node: cst.Assign) -> None:
        for target in node.targets:
            self._add(target.target, node)

    def _add(
        self, target: cst.BaseExpression, node: cst.AnnAssign | cst.Assign
    ) -> None:
        if isinstance(target, cst.Attribute) and self._self:
            if dotted_name(target.value) == self._self[-1]:
                self.attributes[target.attr.value].append(node)


def _declarations(
    survey: Survey, statement: ClassStatement, declared: Sequence[str]
) -> Splice:
    """Return the change that adds class-level fields, below those that the class has."""
    body, source = statement.node.body, survey.source
    if not isinstance(body, cst.IndentedBlock):
        line = source.line_number(statement.start)
        raise CannotEdit("the class is written on one line", line)
    last = _last_of_head(body)
    first = body.body[0]
    first_start = min(
        survey.start(part) for part in [first, *getattr(first, "decorators", ())]
    )
    indent = source.indent(first_start if last is None else survey.start(last))
    if indent.strip():
        raise CannotEdit(
            "the class body begins in the middle of a line",
            source.line_number(first_start),
        )
    newline = source.newline
    lines = "".join(f"{indent}{line}{newline}" for line in declared)
    if last is None:
        offset = _above_comments(survey, first_start)
        return Splice.insert(offset, lines + newline)
    offset = source.line_end(survey.end(last) - 1)
    if not source.text[:offset].endswith(("\n", "\r")) and offset == len(source.text):
        lines = newline + lines.removesuffix(newline)
    is_docstring = isinstance(last.body[0], cst.Expr)
    above = newline if is_docstring else ""
    followed = source.line(offset).strip() and last is not body.body[-1]
    return Splice.insert(offset, above + lines + (newline if followed else ""))


def _last_of_head(body: cst.IndentedBlock) -> cst.SimpleStatementLine | None:
    """Return the last statement of the docstring and the fields that begin a class body."""
    last = None
    for index, line in enumerate(body.body):
        if not isinstance(line, cst.SimpleStatementLine):
            break
        part = line.body[0]
        is_docstring = index == 0 and isinstance(part, cst.Expr)
        if not (is_docstring or isinstance(part, cst.AnnAssign | cst.Assign)):
            break
        last = line
    return last


def _above_comments(survey: Survey, offset: int) -> int:
    """Return the start of the comment lines directly above the statement at `offset`."""
    source = survey.source
    start = source.line_start(offset)
    while start:
        above = source.line_start(start - 1)
        if not source.line(above).lstrip().startswith("#"):
            break
        start = above
    return start
