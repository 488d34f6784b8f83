"""One class statement: its header, its attributes, its methods."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import libcst as cst
from msgspec.structs import replace

from savegen.build.scan.declarations import (
    CONSTRUCTORS,
    Attribute,
    Class,
    Expression,
    Function,
    Method,
    TypeParameter,
)
from savegen.build.scan.expressions import read_type, read_value
from savegen.build.scan.positions import Pair, Positions, block, in_step
from savegen.findings import Span

_STATIC = ("staticmethod", "classmethod")
# Methods of the class itself, though nothing decorates them.
_OF_CLASS = ("__new__", "__init_subclass__", "__class_getitem__")


@dataclass
class _Attributes:
    """The attributes of a class: the first place of each, or the first with a type."""

    positions: Positions
    level: list[Attribute] = field(default_factory=list)
    found: dict[str, Attribute] = field(default_factory=dict)  # in methods

    def add(
        self,
        name: str,
        pair: Pair,
        annotation: Expression | None,
        value: Expression | None,
        method: str | None,
        sure: bool = False,
    ) -> None:
        before = self.found.get(name)
        if before and before.method == method:
            before = self.found[name] = replace(before, once=False)
        if before and not _is_better(method, annotation, before):
            return
        span = self.positions.span(pair)
        once = sure and (before is None or before.method != method)
        attribute = Attribute(name, annotation, value, span, method, once=once)
        if method is None:
            self.level.append(attribute)
        else:
            self.found[name] = attribute

    def describe(self, text: str) -> None:
        """Take a string for the description of the attribute above it."""
        self.level[-1] = replace(self.level[-1], doc=inspect.cleandoc(text))


def _is_better(
    method: str | None, annotation: Expression | None, before: Attribute
) -> bool:
    """Return whether a place says more of an attribute than the one that was found before."""
    if (annotation is None) != (before.annotation is None):
        return annotation is not None
    return method in CONSTRUCTORS and before.method not in CONSTRUCTORS


def read_class(
    pair: Pair, qualname: str, positions: Positions, conditional: bool
) -> Class:
    """Read one class; the classes inside it are left to the caller."""
    node, twin = pair
    assert isinstance(node, cst.ClassDef)
    attributes = _Attributes(positions)
    methods: list[Method] = []
    is_below = False  # an attribute
    for inner in _statements(in_step(block(node), getattr(twin, "body", None))):
        if isinstance(inner[0], cst.FunctionDef):
            methods.append(_method(inner, positions, attributes))
        elif is_below and (text := _string(inner)):
            attributes.describe(text)
        known = len(attributes.level)
        _read_level(inner, attributes)
        is_below = len(attributes.level) > known
    slots = next((a for a in attributes.level if a.name == "__slots__"), None)
    return Class(
        name=node.name.value,
        qualname=qualname,
        span=positions.name_span(pair, node.name),
        bases=tuple(read_value(base.value) for base in node.bases if not base.star),
        keywords=tuple(
            (k.keyword.value, read_value(k.value)) for k in node.keywords if k.keyword
        ),
        decorators=_decorators(node),
        attributes=(*attributes.level, *attributes.found.values()),
        methods=tuple(methods),
        slots=_slots(node) if slots else None,
        has_slots=slots is not None,
        type_parameters=type_parameters(node),
        docstring=_docstring(twin),
        conditional=conditional,
        decorator_spans=_decorator_spans(pair, positions),
    )


def _decorators(node: cst.ClassDef | cst.FunctionDef) -> tuple[Expression, ...]:
    return tuple(read_value(decorator.decorator) for decorator in node.decorators)


def _decorator_spans(pair: Pair, positions: Positions) -> tuple[Span, ...]:
    node, twin = pair
    assert isinstance(node, (cst.ClassDef, cst.FunctionDef))
    written = [each.decorator for each in node.decorators]
    twins = getattr(twin, "decorator_list", None)
    return tuple(map(positions.span, in_step(written, twins)))


def _method(pair: Pair, positions: Positions, attributes: _Attributes) -> Method:
    node = pair[0]
    assert isinstance(node, cst.FunctionDef)
    assigns, calls = _read_method(pair, attributes)
    return Method(
        node.name.value,
        _decorators(node),
        positions.name_span(pair, node.name),
        tuple(assigns),
        tuple(calls),
        _returned(node),
        _set_by(node),
        _variables(pair[1]) if node.name.value in CONSTRUCTORS else None,
    )


def read_function(pair: Pair, qualname: str, positions: Positions) -> Function:
    """Read one function that is no method; what is inside it is left to the caller."""
    node = pair[0]
    assert isinstance(node, cst.FunctionDef)
    return Function(
        qualname,
        _decorators(node),
        positions.name_span(pair, node.name),
        _takes_one(node),
        _decorator_spans(pair, positions),
    )


def _takes_one(node: cst.FunctionDef) -> bool:
    """Tell whether a function can be called with one value, and answers at once."""
    plain = (*node.params.posonly_params, *node.params.params)
    needed = [each for each in plain if each.default is None]
    named = [each for each in node.params.kwonly_params if each.default is None]
    takes_any = bool(plain) or isinstance(node.params.star_arg, cst.Param)
    return takes_any and len(needed) < 2 and not named and node.asynchronous is None


def _variables(twin: ast.AST | None) -> tuple[str, ...] | None:
    """Return the parameters and variables of a function, if ast has read it."""
    if twin is None:
        return None
    found = set[str]()
    for inner in ast.walk(twin):
        match inner:
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                found.add(name)
            case ast.alias(name=name, asname=other):
                found.add(other or name.partition(".")[0])
    return tuple(sorted(found))


def _returned(node: cst.FunctionDef) -> Expression | None:
    """Return the annotation of what a property returns: it may mark it."""
    if node.returns is None or not any(map(_is_property, node.decorators)):
        return None
    return read_type(node.returns.annotation)


def _set_by(node: cst.FunctionDef) -> str:
    """Return what a setter calls the value; nothing of any other method."""
    parameters = (*node.params.posonly_params, *node.params.params)
    if len(parameters) < 2 or not any(map(_is_setter, node.decorators)):
        return ""
    return parameters[1].name.value


def _is_setter(decorator: cst.Decorator) -> bool:
    named = decorator.decorator
    return isinstance(named, cst.Attribute) and named.attr.value == "setter"


def _is_property(decorator: cst.Decorator) -> bool:
    named = decorator.decorator
    return isinstance(named, cst.Name) and named.value == "property"


def type_parameters(
    node: cst.ClassDef | cst.TypeAlias,
) -> tuple[TypeParameter, ...]:
    """Read what stands in brackets behind the name, since Python 3.12."""
    parameters = node.type_parameters.params if node.type_parameters else ()
    return tuple(map(_type_parameter, parameters))


_STARS = {cst.TypeVarTuple: "*", cst.ParamSpec: "**"}


def _type_parameter(node: cst.TypeParam) -> TypeParameter:
    parameter = node.param
    bound = getattr(parameter, "bound", None)
    return TypeParameter(
        parameter.name.value,
        read_type(bound) if bound else None,
        read_type(node.default) if node.default else None,
        _STARS.get(type(parameter), ""),
    )


def _string(pair: Pair) -> str | None:
    """Return the text of a statement that is nothing else."""
    match pair[1]:
        case ast.Expr(ast.Constant(str(text))):
            return text
    return None


def _docstring(twin: ast.AST | None) -> str | None:
    return ast.get_docstring(twin) if isinstance(twin, ast.ClassDef) else None


def _slots(node: cst.ClassDef) -> tuple[str, ...] | None:
    for inner, _ in in_step(block(node), None):
        target, value = _assigned(inner)
        if target == "__slots__" and value is not None:
            return _literal_names(value)
    return None


def _assigned(node: cst.CSTNode) -> tuple[str | None, cst.BaseExpression | None]:
    if isinstance(node, cst.AnnAssign) and isinstance(node.target, cst.Name):
        return node.target.value, node.value
    if isinstance(node, cst.Assign) and isinstance(node.targets[0].target, cst.Name):
        return node.targets[0].target.value, node.value
    return None, None


def _literal_names(value: cst.BaseExpression) -> tuple[str, ...] | None:
    from savegen.build.scan.expressions import source_of

    try:
        names = ast.literal_eval(source_of(value))
    except (ValueError, SyntaxError):
        return None
    if isinstance(names, str):
        return (names,)
    # Whatever else it is, Python has an opinion of its own.
    return (
        tuple(map(str, names)) if isinstance(names, (tuple, list, set, dict)) else None
    )


def _statements(pairs: Iterable[Pair]) -> Iterator[Pair]:
    """Yield the statements of a block and of the blocks below its `if`, `for`, `try`, …."""
    for pair in pairs:
        node, twin = pair
        yield pair
        if type(node) in _BLOCKS:
            yield from _statements(inner_blocks(node, twin))


def inner_blocks(node: cst.CSTNode, twin: ast.AST | None) -> Iterator[Pair]:
    """Yield the statements right below a compound statement, `else` and `except` included."""
    yield from in_step(block(node), getattr(twin, "body", None))
    handlers = getattr(twin, "handlers", None)
    for place, handler in enumerate(getattr(node, "handlers", ())):
        yield from inner_blocks(handler, handlers[place] if handlers else None)
    cases = getattr(twin, "cases", None)
    for place, case in enumerate(getattr(node, "cases", ())):
        yield from inner_blocks(case, cases[place] if cases else None)
    otherwise = getattr(node, "orelse", None)
    if isinstance(otherwise, cst.If):  # ast has an `elif` in its list, as an `if`
        chained = getattr(twin, "orelse", None)
        yield from inner_blocks(otherwise, chained[0] if chained else None)
    elif otherwise is not None:
        yield from in_step(block(otherwise), getattr(twin, "orelse", None))
    if (last := getattr(node, "finalbody", None)) is not None:
        yield from in_step(block(last), getattr(twin, "finalbody", None))


_BLOCKS = frozenset(
    [cst.If, cst.For, cst.While, cst.Try, cst.TryStar, cst.With, cst.Match]
)


def _read_level(pair: Pair, attributes: _Attributes) -> None:
    node, twin = pair
    if isinstance(node, cst.AnnAssign):
        if isinstance(node.target, cst.Name):
            place = (node.annotation.annotation, getattr(twin, "annotation", None))
            annotation = read_type(node.annotation.annotation)
            value = read_value(node.value) if node.value else None
            attributes.add(node.target.value, place, annotation, value, None)
    elif isinstance(node, cst.Assign):
        value = read_value(node.value)
        targets = getattr(twin, "targets", None)
        for index, target in enumerate(node.targets):
            if isinstance(target.target, cst.Name):
                there = (target.target, targets[index] if targets else None)
                attributes.add(target.target.value, there, None, value, None)


def _read_method(
    pair: Pair, attributes: _Attributes
) -> tuple[dict[str, None], dict[str, None]]:
    """Read what a method assigns; return the attributes, and the methods that it calls."""
    node, twin = pair
    assigns: dict[str, None] = {}
    calls: dict[str, None] = {}
    assert isinstance(node, cst.FunctionDef)
    parameters = (*node.params.posonly_params, *node.params.params)
    if not parameters or not _has_self(node):
        return assigns, calls
    me, method = parameters[0].name.value, node.name.value
    body = [*in_step(block(node), getattr(twin, "body", None))]
    sure = {statement for statement, _ in body}
    for inner in _statements(body):
        read = _ASSIGNMENTS.get(type(inner[0]))
        if read is not None:
            for name, place, annotation, value in read(inner, me):
                attributes.add(name, place, annotation, value, method, inner[0] in sure)
                assigns[name] = None
    text = attributes.positions.text(pair)
    calls = dict.fromkeys(
        name for found in _calls_of(me).findall(text) for name in found
    )
    calls.pop("", None)
    return assigns, calls


@cache
def _calls_of(me: str) -> re.Pattern[str]:
    """Return what finds `self.draw(…)`, `super().draw(…)` and `Base.draw(self, …)`.

    It also finds them where they are not code: that costs a warning about something forgotten.
    """
    word = re.escape(me)
    return re.compile(rf"(?:\b{word}|super\(\))\.(\w+)\s*\(|\.(\w+)\(\s*{word}\b")


def _has_self(node: cst.FunctionDef) -> bool:
    decorators = (each.decorator for each in node.decorators)
    named = (each.value for each in decorators if isinstance(each, cst.Name))
    return node.name.value not in _OF_CLASS and not any(n in _STATIC for n in named)


_Found = Iterator[tuple[str, Pair, Expression | None, Expression | None]]


def _own_name(target: cst.CSTNode, me: str) -> str | None:
    if (
        type(target) is cst.Attribute
        and type(target.value) is cst.Name
        and target.value.value == me
    ):
        return target.attr.value
    return None


def _annotated(pair: Pair, me: str) -> _Found:
    node: Any = pair[0]
    if name := _own_name(node.target, me):
        place = (node.annotation.annotation, getattr(pair[1], "annotation", None))
        value = read_value(node.value) if node.value else None
        yield name, place, read_type(node.annotation.annotation), value


def _plain(pair: Pair, me: str) -> _Found:
    node: Any = pair[0]
    targets = getattr(pair[1], "targets", None)
    for place, target in enumerate(node.targets):
        twin = targets[place] if targets else None
        yield from _targets((target.target, twin), me, node.value)


def _one_target(pair: Pair, me: str) -> _Found:
    node: Any = pair[0]
    yield from _targets((node.target, getattr(pair[1], "target", None)), me, None)


def _with(pair: Pair, me: str) -> _Found:
    node: Any = pair[0]
    items = getattr(pair[1], "items", None)
    for place, item in enumerate(node.items):
        if item.asname is not None:
            twin = items[place].optional_vars if items else None
            yield from _targets((item.asname.name, twin), me, None)


def _targets(pair: Pair, me: str, value: cst.BaseExpression | None) -> _Found:
    target, twin = pair
    if name := _own_name(target, me):
        yield name, pair, None, read_value(value) if value else None
    elif isinstance(target, (cst.Tuple, cst.List)):
        twins = getattr(twin, "elts", None)
        values = _values(target, value)
        for place, element in enumerate(target.elements):
            inner = twins[place] if twins else None
            if isinstance(inner, ast.Starred):
                inner = inner.value
            yield from _targets((element.value, inner), me, values[place])


def _values(
    target: cst.Tuple | cst.List, value: cst.BaseExpression | None
) -> list[cst.BaseExpression | None]:
    """Return what each name of `self.x, self.y = 0, 0` is given, if that is written."""
    if isinstance(value, (cst.Tuple, cst.List)):
        elements = (*target.elements, *value.elements)
        is_plain = not any(isinstance(each, cst.StarredElement) for each in elements)
        if is_plain and len(target.elements) == len(value.elements):
            return [each.value for each in value.elements]
    return [None] * len(target.elements)


_ASSIGNMENTS: dict[type[cst.CSTNode], Callable[[Pair, str], _Found]] = {
    cst.AnnAssign: _annotated,
    cst.Assign: _plain,
    cst.AugAssign: _one_target,
    cst.For: _one_target,
    cst.With: _with,
}
