"""Find assignments to attributes of objects outside the methods of these objects."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Set
from typing import NamedTuple, TypeAlias

import msgspec

from savegen.build.scan.facts import parse_file
from savegen.build.scan.names import absolute_module
from savegen.build.scan.statements import attribute_span, statements_in
from savegen.build.scan.words import searchable
from savegen.build.source import SourceFile
from savegen.findings import Span


class Assignment(msgspec.Struct, frozen=True, array_like=True):
    """One assignment to an attribute of an object, such as `self.orc.hp -= 1`."""

    attribute: str
    object: (
        str  # the last name before the attribute, such as `orc`; "" if there is none
    )
    types: tuple[str, ...]  # the names in the type of the object, if the file shows it
    imported: str  # the dotted name under which the object is imported, or ""
    span: Span
    # A function assigns it to a class, which is in `types`: `Orc.made += 1`
    to_class: bool = False
    is_local: bool = False  # the class is not imported
    method: str = ""  # the method that does so


class Assignments(msgspec.Struct, frozen=True, array_like=True):
    """The assignments in one file to attributes with certain names."""

    found: tuple[Assignment, ...] = ()
    # The classes that have such an attribute: attribute, simple name of the class.
    owners: tuple[tuple[str, str], ...] = ()
    # The names in calls of `add_state`, and in the functions of the file that they are given.
    states: tuple[str, ...] = ()


# A word after a dot, or the first word of an indented line, where it may be assigned.
_ADD_STATE = "add_state"
_ASSIGNED = re.compile(
    rb"(?:\.\s*|^[ \t]+)([\w\x80-\xff]+)\s*(?:[-+*/%@&|^:,)\]]|<<|>>|=(?!=)|in\b)",
    re.MULTILINE,
)


def read_assignments(file: SourceFile, names: Set[str]) -> Assignments:
    """Return the assignments in a file to attributes with one of these names.

    The file is parsed only if a search of its bytes finds one of the names.
    """
    text = searchable(file)
    words, has_states = set(_ASSIGNED.findall(text)), _ADD_STATE.encode() in text
    if words.isdisjoint(name.encode() for name in names) and not has_states:
        return Assignments()
    tree = parse_file(file)
    if tree is None:
        return Assignments()
    states = _names_in_states(tree) if has_states else ()
    statements = [*_statements(tree)]
    imports = dict(each for node, _ in statements for each in _imports(node, file))
    found: list[Assignment] = []
    owners: set[tuple[str, str]] = set()
    for statement, scope in statements:
        if isinstance(statement, ast.ClassDef):
            cls = statement.name
            owners |= {(name, cls) for name in _declared(statement) if name in names}
        for target in _assigned_attributes(statement):
            name, obj = target.attr, target.value
            if name not in names:
                continue
            if cls_name := scope.class_of(obj):
                if scope.functions and not _may_load(statement):
                    found.append(_to_class(target, cls_name, scope, imports, file))
            elif scope.cls is not None and scope.is_self(obj):
                owners.add((name, scope.cls.name))
            elif not _is_class(obj):
                types = tuple(scope.types_of(obj))
                source, span = _imported(obj, imports), attribute_span(target, file)
                found.append(Assignment(name, _last(obj), types, source, span))
    return Assignments(tuple(found), tuple(sorted(owners)), states)


def _names_in_states(tree: ast.Module) -> tuple[str, ...]:
    calls = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and _last(node.func) == _ADD_STATE
    ]
    names = {name for call in calls for name in _names(call)}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name in names:
            names.update(_names(node))
    return tuple(sorted(names))


def _names(node: ast.AST) -> Iterator[str]:
    for inner in ast.walk(node):
        match inner:
            case (
                ast.Name(id=name)
                | ast.Attribute(attr=name)
                | ast.Constant(value=str(name))
            ):
                yield name


def _may_load(statement: ast.AST) -> bool:
    """Return whether a statement assigns what a function returns, perhaps a picture."""
    value = getattr(statement, "value", None)
    return isinstance(value, ast.Call) and not _names_class(_last(value))


def _to_class(
    target: ast.Attribute,
    name: str,
    scope: _Scope,
    imports: dict[str, str],
    file: SourceFile,
) -> Assignment:
    """Return the assignment that a function makes to an attribute of a class."""
    named = _imported(target.value, imports) or imports.get(name)
    imported = named or imports.get("*", "")
    is_known = imported and not imported.endswith(".*")
    types = (imported.rpartition(".")[2] if is_known else name,)
    method = scope.functions[0].name if scope.cls is not None else ""
    return Assignment(
        target.attr,
        name,
        types,
        "",
        attribute_span(target, file),
        True,
        not imported,
        method,
    )


def _statements(tree: ast.Module) -> Iterator[tuple[ast.AST, _Scope]]:
    """Yield every statement with the class and the functions around it."""
    waiting: list[tuple[ast.AST, _Scope]] = [(tree, _Scope())]
    while waiting:
        node, scope = waiting.pop()
        yield node, scope
        if isinstance(node, ast.ClassDef):
            scope = _Scope(node)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            scope = _Scope(scope.cls, (*scope.functions, node))
        waiting += [(inner, scope) for inner in statements_in(node)]


def _assigned_attributes(statement: ast.AST) -> Iterator[ast.Attribute]:
    """Yield the attributes that a statement itself assigns."""
    targets: list[ast.expr | None] = []
    match statement:
        case ast.Assign():
            targets += statement.targets
        case ast.AugAssign() | ast.AnnAssign() | ast.For() | ast.AsyncFor():
            targets.append(statement.target)
        case ast.With() | ast.AsyncWith():
            targets += [item.optional_vars for item in statement.items]
    while targets:
        match targets.pop():
            case ast.Attribute() as attribute:
                yield attribute
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                targets += elements
            case ast.Starred(value=value):
                targets.append(value)


def _declared(cls: ast.ClassDef) -> Iterator[str]:
    """Yield the names that the body of a class assigns or annotates."""
    for statement in cls.body:
        match statement:
            case ast.AnnAssign(target=ast.Name(id=name)):
                yield name
            case ast.Assign(targets=targets):
                yield from (t.id for t in targets if isinstance(t, ast.Name))


def _imports(node: ast.AST, file: SourceFile) -> Iterator[tuple[str, str]]:
    """Yield the names that an import statement binds, each with its dotted target."""
    match node:
        case ast.Import(names=names):
            for alias in names:
                first = alias.name.partition(".")[0]
                yield alias.asname or first, alias.name if alias.asname else first
        case ast.ImportFrom(module=source, names=names, level=level):
            module = absolute_module(file.module, file.is_package, level, source)
            for alias in names:
                yield alias.asname or alias.name, f"{module}.{alias.name}"


def _imported(node: ast.expr, imports: dict[str, str]) -> str:
    """Return the dotted name of an imported object, or ""."""
    attributes = ""
    while isinstance(node, ast.Attribute):
        attributes = f".{node.attr}{attributes}"
        node = node.value
    source = imports.get(node.id) if isinstance(node, ast.Name) else None
    return f"{source}{attributes}" if source else ""


def _last(node: ast.expr) -> str:
    """Return the last name in an expression: `orcs` of `self.orcs[0]`; "" if it has none."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case ast.Subscript(value=inner) | ast.Call(func=inner):
            return _last(inner)
    return ""


def _is_class(node: ast.expr) -> bool:
    """Return whether an expression is probably a class, by its spelling."""
    match node:
        case ast.Call(func=ast.Name(id="type")) | ast.Attribute(attr="__class__"):
            return True
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return _names_class(name) or name == "cls"
    return False


def _names_class(name: str) -> bool:
    public = name.lstrip("_")
    return public[:1].isupper() and not (len(public) > 1 and public.isupper())


_Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
_MAX_STEPS = 3  # from one variable to another


class _Scope(NamedTuple):
    """The class and the functions around an expression."""

    cls: ast.ClassDef | None = None
    functions: tuple[_Function, ...] = ()  # the outermost one first

    def is_self(self, node: ast.expr) -> bool:
        """Return whether an expression is the object, or the class, of the method around it."""
        if self.cls is None or not self.functions or not isinstance(node, ast.Name):
            return False
        method = self.functions[0]
        if any(
            _last(decorator) == "staticmethod" for decorator in method.decorator_list
        ):
            return False
        parameters = (*method.args.posonlyargs, *method.args.args)
        return bool(parameters) and parameters[0].arg == node.id

    def class_of(self, node: ast.expr) -> str:
        """Return the simple name of the class that an expression is; "" if it is not a class."""
        match node:
            case ast.Call(func=ast.Name("type"), args=[value]) | ast.Attribute(
                value=value, attr="__class__"
            ):
                if self.cls is not None and self.is_self(value):
                    return self.cls.name
                return next(iter(self.types_of(value)), "")
            case ast.Name(name) if self.is_self(node) and self.cls is not None:
                is_class_method = any(
                    _last(d) == "classmethod" for d in self.functions[0].decorator_list
                )
                return self.cls.name if is_class_method else ""
            case ast.Name(name) | ast.Attribute(attr=name):
                return name if _names_class(name) else ""
        return ""

    def types_of(self, node: ast.expr, steps: int = _MAX_STEPS) -> list[str]:
        """Return the names in the type of an expression; none if the type is unknown."""
        match node:
            case ast.Name(id=name):
                of_functions = (
                    self._variable(name, function, steps)
                    for function in reversed(self.functions)
                )
                return next(filter(None, of_functions), [])
            case ast.Attribute(value=owner, attr=name) if self.is_self(owner):
                return self._attribute(name, steps)
            case ast.Subscript(value=owner):
                return self.types_of(owner, steps)
            case ast.Call(func=function) if _names_class(_last(function)):
                return [_last(function)]
            case ast.List(elts=[first, *_]) | ast.Tuple(elts=[first, *_]):
                return self.types_of(first, steps)
        return []

    def _variable(self, name: str, function: _Function, steps: int) -> list[str]:
        every = function.args
        for each in (*every.posonlyargs, *every.args, *every.kwonlyargs):
            if each.arg == name and each.annotation is not None:
                return self._named_in(each.annotation)
        is_target = lambda t: isinstance(t, ast.Name) and t.id == name
        return self._assigned(function, is_target, steps)

    def _attribute(self, name: str, steps: int) -> list[str]:
        def is_target(target: ast.expr) -> bool:
            match target:
                case ast.Attribute(value=ast.Name(), attr=attribute):
                    return attribute == name
                case ast.Name(id=variable):
                    return variable == name
            return False

        return self._assigned(self.cls, is_target, steps) if self.cls else []

    def _assigned(
        self, scope: ast.AST, is_target: Callable[[ast.expr], bool], steps: int
    ) -> list[str]:
        """Return the names in the types of what is assigned to the targets.

        Return an empty list if one of these types is unknown.
        """
        values: list[ast.expr] = []
        for node in ast.walk(scope):
            match node:
                case ast.AnnAssign(target=target, annotation=annotation):
                    if is_target(target):
                        return self._named_in(annotation)
                case ast.Assign(targets=targets, value=value):
                    values += [value for target in targets if is_target(target)]
                case ast.For(target=target, iter=value) | ast.comprehension(
                    target=target, iter=value
                ):
                    values += [value] if is_target(target) else []
        known = [v for v in values if getattr(v, "value", ...) is not None]
        types = [self.types_of(value, steps - 1) if steps else [] for value in known]
        return [name for names in types for name in names] if all(types) else []

    def _named_in(self, annotation: ast.expr) -> list[str]:
        """Return the names in an annotation, including those in string annotations."""
        names = re.findall(r"\w+", ast.unparse(annotation))
        return [self.cls.name if n == "Self" and self.cls else n for n in names]
