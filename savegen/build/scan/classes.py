"""Read one class statement: its header, its attributes and its methods."""

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

from savegen.build.scan.counting import counted_attributes
from savegen.build.scan.declarations import (
    BARE_CONSTRUCTION,
    CONSTRUCTORS,
    HASH_METHODS,
    MORE_THAN_ANY_CALL,
    OVERRIDES,
    Attribute,
    Class,
    Expression,
    Function,
    Method,
    TypeParameter,
)
from savegen.build.scan.expressions import read_type, read_value, source_of
from savegen.build.scan.positions import Pair, Positions, body_of, paired, statements_of
from savegen.build.scan.shortened import attribute_targets
from savegen.build.scan.uses import names_used
from savegen.findings import Span

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_STATIC = ("staticmethod", "classmethod")
# Methods that get the class instead of an object, although no decorator shows it.
_IMPLICIT_CLASS_METHODS = ("__new__", "__init_subclass__", "__class_getitem__")


@dataclass
class _Attributes:
    """Collects the attributes of a class, each at its most specific assignment."""

    positions: Positions
    class_level: list[Attribute] = field(default_factory=list)
    in_methods: dict[str, Attribute] = field(default_factory=dict)
    redeclared: list[Attribute] = field(default_factory=list)  # in methods

    def add(
        self,
        name: str,
        pair: Pair,
        annotation: Expression | None,
        value: Expression | None,
        method: str | None,
        is_unconditional: bool = False,
        chain: tuple[str, ...] = (),
    ) -> None:
        """Add an assignment; `chain` are all attributes that it assigns, if they are several."""
        earlier = self.in_methods.get(name)
        if earlier and earlier.method == method:
            earlier = self.in_methods[name] = replace(earlier, assigned_once=False)
        assigned_once = is_unconditional and (
            earlier is None or earlier.method != method
        )
        is_replaced = earlier is None or _is_more_specific(method, annotation, earlier)
        if not is_replaced and annotation is None and method is not None:
            return
        attribute = Attribute(
            name,
            annotation,
            value,
            self.positions.span(pair),
            method,
            assigned_once=assigned_once,
            assigned_always=assigned_once,
            assigned_with=chain,
        )
        if method is None:
            self.class_level.append(attribute)
        elif not is_replaced:
            self.redeclared.append(attribute)
        else:
            if earlier and earlier.annotation is not None:
                self.redeclared.append(earlier)
            self.in_methods[name] = attribute

    def document(self, text: str) -> None:
        """Use a string as the documentation of the attribute above it."""
        self.class_level[-1] = replace(self.class_level[-1], doc=inspect.cleandoc(text))


def _is_more_specific(
    method: str | None, annotation: Expression | None, earlier: Attribute
) -> bool:
    """Return whether an assignment should replace an earlier one of the same attribute.

    Annotated assignments come first, then those in constructors.
    """
    if (annotation is None) != (earlier.annotation is None):
        return annotation is not None
    return method in CONSTRUCTORS and earlier.method not in CONSTRUCTORS


def read_class(
    pair: Pair, qualname: str, positions: Positions, is_conditional: bool
) -> Class:
    """Return the declaration of one class, without the classes inside it."""
    node, ast_node = pair
    assert isinstance(node, cst.ClassDef)
    attributes = _Attributes(positions)
    methods: list[Method] = []
    is_below_attribute = False
    statements = [*_statements(body_of(pair))]
    saves_itself = any(map(_is_override, statements))
    for inner in statements:
        if method := _method_of(inner, positions, attributes):
            is_read = saves_itself or method.name in HASH_METHODS
            uses = names_used(inner[1]) if is_read else None
            methods.append(replace(method, uses=uses))
        elif is_below_attribute and (text := _string_statement(inner)):
            attributes.document(text)
        count = len(attributes.class_level)
        _read_class_level(inner, attributes)
        is_below_attribute = len(attributes.class_level) > count
    slots = next((a for a in attributes.class_level if a.name == "__slots__"), None)
    return Class(
        name=node.name.value,
        qualname=qualname,
        span=positions.name_span(pair, node.name),
        bases=tuple(_base(base.value) for base in node.bases if not base.star),
        keywords=tuple(
            (k.keyword.value, read_value(k.value)) for k in node.keywords if k.keyword
        ),
        decorators=_decorators(node),
        attributes=(*attributes.class_level, *attributes.in_methods.values()),
        methods=tuple(methods),
        slots=_slot_names(node) if slots else None,
        has_slots=slots is not None,
        type_parameters=type_parameters(node),
        docstring=_docstring(ast_node),
        redeclared=tuple(attributes.redeclared),
        is_conditional=is_conditional,
        decorator_spans=_decorator_spans(pair, positions),
    )


def _base(node: cst.BaseExpression) -> Expression:
    # The arguments of `Box["Item"]` are types.
    return read_type(node) if isinstance(node, cst.Subscript) else read_value(node)


def _is_override(pair: Pair) -> bool:
    """Return whether a statement of a class body writes a method that savegen generates."""
    node = pair[0]
    return isinstance(node, cst.FunctionDef) and node.name.value in OVERRIDES


def _decorators(node: cst.ClassDef | cst.FunctionDef) -> tuple[Expression, ...]:
    return tuple(read_value(decorator.decorator) for decorator in node.decorators)


def _decorator_spans(pair: Pair, positions: Positions) -> tuple[Span, ...]:
    node, ast_node = pair
    assert isinstance(node, (cst.ClassDef, cst.FunctionDef))
    expressions = [decorator.decorator for decorator in node.decorators]
    ast_nodes = getattr(ast_node, "decorator_list", None)
    return tuple(map(positions.span, paired(expressions, ast_nodes)))


def _method_of(
    pair: Pair, positions: Positions, attributes: _Attributes
) -> Method | None:
    """Return the method that a statement of a class body is, or `None`."""
    if isinstance(pair[0], cst.FunctionDef):
        return _method(pair, positions, attributes)
    if isinstance(pair[1], _FUNCTIONS):
        return _bare_method(pair[1], positions, attributes)
    return None


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
        _property_annotation(node),
        _setter_parameter(node),
        _local_names(pair[1]) if node.name.value in CONSTRUCTORS else None,
        _arguments(node.params),
        node.asynchronous is not None,
        counted=counted_attributes(pair[1]),
    )


def _bare_method(
    node: ast.FunctionDef | ast.AsyncFunctionDef,
    positions: Positions,
    attributes: _Attributes,
) -> Method:
    """Return a method that `shortened` has left out, because `is_bare` is true for it."""
    assigns: dict[str, None] = {}
    calls: dict[str, None] = {}
    parameters = [*node.args.posonlyargs, *node.args.args]
    if parameters and node.name not in _IMPLICIT_CLASS_METHODS:
        self_name = parameters[0].arg
        for statement in _ast_statements(node):
            for target in attribute_targets(statement):
                if isinstance(target.value, ast.Name) and target.value.id == self_name:
                    pair = (_LEFT_OUT, target)
                    unconditional = statement in node.body
                    attributes.add(
                        target.attr, pair, None, None, node.name, unconditional
                    )
                    assigns[target.attr] = None
        calls = _calls(positions.text((_LEFT_OUT, node)), self_name)
    args = node.args
    fewest = len(parameters) - len(args.defaults)
    if None in args.kw_defaults:
        fewest = MORE_THAN_ANY_CALL
    return Method(
        node.name,
        (),
        positions.name_span((_LEFT_OUT, node), cst.Name(node.name)),
        tuple(assigns),
        tuple(calls),
        variables=_local_names(node) if node.name in CONSTRUCTORS else None,
        arguments=(fewest, MORE_THAN_ANY_CALL if args.vararg else len(parameters)),
        is_async=isinstance(node, ast.AsyncFunctionDef),
    )


_LEFT_OUT = cst.Pass()
_AST_BLOCKS = ("body", "handlers", "cases", "orelse", "finalbody")  # as `inner_blocks`


def _ast_statements(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the statements in the blocks of a node in the order of `_statements`."""
    for block in _AST_BLOCKS:
        for inner in getattr(node, block, ()):
            yield inner
            if not isinstance(inner, _FUNCTIONS):
                yield from _ast_statements(inner)


def read_function(pair: Pair, qualname: str, positions: Positions) -> Function:
    """Return the declaration of a function outside a class, without the classes inside it."""
    node = pair[0]
    assert isinstance(node, cst.FunctionDef)
    return Function(
        qualname,
        _decorators(node),
        positions.name_span(pair, node.name),
        _is_plain_unary(node),
        _decorator_spans(pair, positions),
    )


def _is_plain_unary(node: cst.FunctionDef) -> bool:
    """Return whether a function is not `async` and accepts a single argument."""
    fewest, most = _arguments(node.params)
    return fewest <= 1 <= most and node.asynchronous is None


def _arguments(params: cst.Parameters) -> tuple[int, int]:
    """Return the fewest and the most positional arguments, as in `Method.arguments`."""
    positional = (*params.posonly_params, *params.params)
    fewest = sum(param.default is None for param in positional)
    if any(param.default is None for param in params.kwonly_params):
        fewest = MORE_THAN_ANY_CALL
    is_open = isinstance(params.star_arg, cst.Param)
    return fewest, MORE_THAN_ANY_CALL if is_open else len(positional)


def _local_names(ast_node: ast.AST | None) -> tuple[str, ...] | None:
    """Return the parameters and local variables of a function; `None` without an ast node."""
    if ast_node is None:
        return None
    names = set[str]()
    for inner in ast.walk(ast_node):
        match inner:
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                names.add(name)
            case ast.alias(name=name, asname=other):
                names.add(other or name.partition(".")[0])
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                names.add(name)
    return tuple(sorted(names))


def _property_annotation(node: cst.FunctionDef) -> Expression | None:
    """Return the return annotation of a property, which may contain a mark."""
    if node.returns is None or not any(map(_is_property, node.decorators)):
        return None
    return read_type(node.returns.annotation)


def _setter_parameter(node: cst.FunctionDef) -> str:
    """Return the name of a setter's value parameter; "" for any other method."""
    parameters = (*node.params.posonly_params, *node.params.params)
    if len(parameters) < 2 or not any(map(_is_setter, node.decorators)):
        return ""
    return parameters[1].name.value


def _is_setter(decorator: cst.Decorator) -> bool:
    node = decorator.decorator
    return isinstance(node, cst.Attribute) and node.attr.value == "setter"


def _is_property(decorator: cst.Decorator) -> bool:
    node = decorator.decorator
    return isinstance(node, cst.Name) and node.value == "property"


def type_parameters(
    node: cst.ClassDef | cst.TypeAlias,
) -> tuple[TypeParameter, ...]:
    """Return the type parameters in brackets after the name (Python 3.12 and newer)."""
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


def _string_statement(pair: Pair) -> str | None:
    """Return the text of a statement that is only a string, else `None`."""
    match pair[1]:
        case ast.Expr(ast.Constant(str(text))):
            return text
    return None


def _docstring(ast_node: ast.AST | None) -> str | None:
    return ast.get_docstring(ast_node) if isinstance(ast_node, ast.ClassDef) else None


def _slot_names(node: cst.ClassDef) -> tuple[str, ...] | None:
    for inner, _ in paired(statements_of(node), None):
        target, value = _assigned_name(inner)
        if target == "__slots__" and value is not None:
            return _literal_names(value)
    return None


def _assigned_name(node: cst.CSTNode) -> tuple[str | None, cst.BaseExpression | None]:
    if isinstance(node, cst.AnnAssign) and isinstance(node.target, cst.Name):
        return node.target.value, node.value
    if isinstance(node, cst.Assign) and isinstance(node.targets[0].target, cst.Name):
        return node.targets[0].target.value, node.value
    return None, None


def _literal_names(value: cst.BaseExpression) -> tuple[str, ...] | None:
    try:
        names = ast.literal_eval(source_of(value))
    except (ValueError, SyntaxError):
        return None
    if isinstance(names, str):
        return (names,)
    # Python raises an error for any other type.
    return (
        tuple(map(str, names)) if isinstance(names, (tuple, list, set, dict)) else None
    )


def _statements(pairs: Iterable[Pair]) -> Iterator[Pair]:
    """Yield the statements of a block and of the `if`, `for`, `try` … blocks inside it."""
    for pair in pairs:
        yield pair
        if type(pair[0]) in _BLOCKS:
            yield from _statements(inner_blocks(*pair))


def _unconditional(pairs: Iterable[Pair]) -> Iterator[cst.CSTNode]:
    """Yield the statements of a block that always run, also inside `with`."""
    for pair in pairs:
        yield pair[0]
        if type(pair[0]) is cst.With:
            yield from _unconditional(inner_blocks(*pair))


def inner_blocks(node: cst.CSTNode, ast_node: ast.AST | None) -> Iterator[Pair]:
    """Yield the direct statements of a compound statement, including `else` and `except`."""
    yield from body_of((node, ast_node))
    handlers = getattr(ast_node, "handlers", None)
    for index, handler in enumerate(getattr(node, "handlers", ())):
        yield from inner_blocks(handler, handlers[index] if handlers else None)
    cases = getattr(ast_node, "cases", None)
    for index, case in enumerate(getattr(node, "cases", ())):
        yield from inner_blocks(case, cases[index] if cases else None)
    otherwise = getattr(node, "orelse", None)
    if isinstance(otherwise, cst.If):  # ast stores an `elif` as an `if` in `orelse`
        chained = getattr(ast_node, "orelse", None)
        yield from inner_blocks(otherwise, chained[0] if chained else None)
    elif otherwise is not None:
        yield from paired(statements_of(otherwise), getattr(ast_node, "orelse", None))
    if (last := getattr(node, "finalbody", None)) is not None:
        yield from paired(statements_of(last), getattr(ast_node, "finalbody", None))


_BLOCKS = frozenset(
    [cst.If, cst.For, cst.While, cst.Try, cst.TryStar, cst.With, cst.Match]
)


def _read_class_level(pair: Pair, attributes: _Attributes) -> None:
    node, ast_node = pair
    if isinstance(node, cst.AnnAssign):
        if isinstance(node.target, cst.Name):
            annotation = node.annotation.annotation
            pair = (annotation, getattr(ast_node, "annotation", None))
            value = read_value(node.value) if node.value else None
            attributes.add(node.target.value, pair, read_type(annotation), value, None)
    elif isinstance(node, cst.Assign):
        value = read_value(node.value)
        targets = getattr(ast_node, "targets", None)
        for index, target in enumerate(node.targets):
            if isinstance(target.target, cst.Name):
                pair_of_target = (target.target, targets[index] if targets else None)
                attributes.add(target.target.value, pair_of_target, None, value, None)


def _read_method(
    pair: Pair, attributes: _Attributes
) -> tuple[dict[str, None], dict[str, None]]:
    """Return the attributes that a method assigns, and the methods of its object that it calls."""
    node = pair[0]
    assigns: dict[str, None] = {}
    calls: dict[str, None] = {}
    assert isinstance(node, cst.FunctionDef)
    parameters = (*node.params.posonly_params, *node.params.params)
    self_name, method = _object_name(node, pair[1]), node.name.value
    if not parameters or not self_name:
        return assigns, calls
    body = [*body_of(pair)]
    unconditional = {*_unconditional(body)}
    for inner in _statements(body):
        read = _ASSIGNMENTS.get(type(inner[0]))
        if read is not None:
            is_unconditional = inner[0] in unconditional
            chain = _chain(inner[0], self_name)
            for name, target, annotation, value in read(inner, self_name):
                attributes.add(
                    name, target, annotation, value, method, is_unconditional, chain
                )
                assigns[name] = None
    return assigns, _calls(attributes.positions.text(pair), self_name)


def _calls(text: str, self_name: str) -> dict[str, None]:
    """Return the methods of its object that a method with this text calls."""
    calls = dict.fromkeys(
        name for names in _call_pattern(self_name).findall(text) for name in names
    )
    calls.pop("", None)
    if _BARE_CONSTRUCTION.search(text):
        calls[BARE_CONSTRUCTION] = None
    return calls


_BARE_CONSTRUCTION = re.compile(r"super\(\)\.__init__\(\s*\)")


@cache
def _call_pattern(self_name: str) -> re.Pattern[str]:
    """Return a pattern for `self.draw(…)`, `super().draw(…)` and `Base.draw(self, …)`.

    It also matches in strings and comments, which can only hide a warning.
    """
    word = re.escape(self_name)
    owner = rf"(?:(?<=\b{word}\.)|(?<=super\(\)\.))"
    # The dot comes first, so that `re` can search for it as plain text, which is fast.
    return re.compile(rf"\.(?:{owner}(\w+)\s*\(|(\w+)\(\s*{word}\b)")


def _object_name(node: cst.FunctionDef, ast_node: ast.AST | None) -> str:
    """Return the name of the object in a method: its first parameter, or what `__new__` returns."""
    if node.name.value == "__new__":
        match getattr(ast_node, "body", None):
            case [*_, ast.Return(ast.Name(name))]:
                return name
        return ""
    first = (*node.params.posonly_params, *node.params.params)[:1]
    return "".join(each.name.value for each in first) if _has_self(node) else ""


def _has_self(node: cst.FunctionDef) -> bool:
    if node.name.value in _IMPLICIT_CLASS_METHODS:
        return False
    decorators = (decorator.decorator for decorator in node.decorators)
    names = {node.value for node in decorators if isinstance(node, cst.Name)}
    return names.isdisjoint(_STATIC)


# Of each assigned attribute: its name, its annotation or target, the annotation, and the value.
_Assignments = Iterator[tuple[str, Pair, Expression | None, Expression | None]]


def _attribute_of_self(target: cst.CSTNode, self_name: str) -> str | None:
    if (
        type(target) is cst.Attribute
        and type(target.value) is cst.Name
        and target.value.value == self_name
    ):
        return target.attr.value
    return None


def _annotated_target(pair: Pair, self_name: str) -> _Assignments:
    node: Any = pair[0]
    if name := _attribute_of_self(node.target, self_name):
        annotation = node.annotation.annotation
        value = read_value(node.value) if node.value else None
        position = (annotation, getattr(pair[1], "annotation", None))
        yield name, position, read_type(annotation), value


def _assigned_targets(pair: Pair, self_name: str) -> _Assignments:
    node: Any = pair[0]
    targets = getattr(pair[1], "targets", None)
    for index, target in enumerate(node.targets):
        ast_node = targets[index] if targets else None
        yield from _self_attributes((target.target, ast_node), self_name, node.value)


def _set_attribute(pair: Pair, self_name: str) -> _Assignments:
    """Yield the attribute of `object.__setattr__(self, "x", value)`, as frozen classes write it."""
    call: Any = getattr(pair[0], "value")
    if type(call) is not cst.Call or type(call.func) is not cst.Attribute:
        return
    if call.func.attr.value != "__setattr__" or len(call.args) != 3:
        return
    obj, name, value = (each.value for each in call.args)
    if type(name) is cst.SimpleString and getattr(obj, "value", None) == self_name:
        arguments = getattr(getattr(pair[1], "value", None), "args", None)
        position = (name, arguments[1] if arguments else None)
        yield str(name.evaluated_value), position, None, read_value(value)


def _chain(node: cst.CSTNode, self_name: str) -> tuple[str, ...]:
    """Return the attributes `a` and `b` of `self.a = self.b = value`."""
    if type(node) is not cst.Assign or len(node.targets) == 1:
        return ()
    names = (_attribute_of_self(each.target, self_name) for each in node.targets)
    chain = tuple(name for name in names if name)
    return chain if len(chain) > 1 else ()


def _one_target(pair: Pair, self_name: str) -> _Assignments:
    node: Any = pair[0]
    yield from _self_attributes(
        (node.target, getattr(pair[1], "target", None)), self_name, None
    )


def _with_targets(pair: Pair, self_name: str) -> _Assignments:
    node: Any = pair[0]
    items = getattr(pair[1], "items", None)
    for index, item in enumerate(node.items):
        if item.asname is not None:
            ast_node = items[index].optional_vars if items else None
            yield from _self_attributes((item.asname.name, ast_node), self_name, None)


def _self_attributes(
    pair: Pair, self_name: str, value: cst.BaseExpression | None
) -> _Assignments:
    target, ast_node = pair
    if name := _attribute_of_self(target, self_name):
        yield name, pair, None, read_value(value) if value else None
    elif isinstance(target, (cst.Tuple, cst.List)):
        ast_nodes = getattr(ast_node, "elts", None)
        values = _unpacked_values(target, value)
        for index, element in enumerate(target.elements):
            inner = ast_nodes[index] if ast_nodes else None
            if isinstance(inner, ast.Starred):
                inner = inner.value
            yield from _self_attributes(
                (element.value, inner), self_name, values[index]
            )


def _unpacked_values(
    target: cst.Tuple | cst.List, value: cst.BaseExpression | None
) -> list[cst.BaseExpression | None]:
    """Return the value of each target in `self.x, self.y = 0, 0`; `None` where it is unknown."""
    if isinstance(value, (cst.Tuple, cst.List)):
        elements = (*target.elements, *value.elements)
        is_plain = not any(isinstance(e, cst.StarredElement) for e in elements)
        if is_plain and len(target.elements) == len(value.elements):
            return [element.value for element in value.elements]
    return [None] * len(target.elements)


_ASSIGNMENTS: dict[type[cst.CSTNode], Callable[[Pair, str], _Assignments]] = {
    cst.AnnAssign: _annotated_target,
    cst.Assign: _assigned_targets,
    cst.AugAssign: _one_target,
    cst.For: _one_target,
    cst.With: _with_targets,
    cst.Expr: _set_attribute,
}
