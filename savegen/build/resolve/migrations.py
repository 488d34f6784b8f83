"""Find the functions that change older saves: migrations and converters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from savegen.build.model import Converter, MarkFault, Migration, UnimportableFunction
from savegen.build.resolve.hierarchy import ClassHierarchy
from savegen.build.scan.declarations import (
    Call,
    CollectionLiteral,
    Constant,
    Expression,
    Function,
    Module,
    Name,
)
from savegen.findings import Span

Change: TypeAlias = Migration | Converter | UnimportableFunction | MarkFault

_MARKS = {"savegen.migration": "migration", "savegen.converter": "converter"}
_REQUIREMENTS = {
    "migration": "`@migration` takes only `to=` with a whole number above 0, and `handles=` with a list"
    " of names, written as literals",
    "converter": "`@converter` takes a saveable class and a field name, written as a string literal",
}


def changes_in(module: Module, hierarchy: ClassHierarchy) -> Iterator[Change]:
    """Yield the migrations and converters of a module, and the faults in them."""
    yield from _in_classes(module, hierarchy)
    last_of_name = {function.qualname: function for function in module.functions}
    for function in module.functions:
        reason = _why_unimportable(function, last_of_name[function.qualname])
        for decorator, span in zip(function.decorators, function.decorator_spans):
            mark = _MARKS.get(hierarchy.full_name(decorator, module) or "")
            if mark and reason:
                name = function.qualname.rpartition(".")[2]
                yield UnimportableFunction(mark, name, reason, function.span)
            elif mark:
                change = _change(mark, decorator, function, module, hierarchy)
                yield change or MarkFault(span, _REQUIREMENTS[mark])


def _in_classes(
    module: Module, hierarchy: ClassHierarchy
) -> Iterator[UnimportableFunction]:
    for cls in module.classes:
        for method in cls.methods:
            for decorator in method.decorators:
                mark = _MARKS.get(hierarchy.full_name(decorator, module) or "")
                if mark:
                    reason = f"is a method of `{cls.name}`"
                    yield UnimportableFunction(mark, method.name, reason, method.span)


def _why_unimportable(function: Function, last_of_name: Function) -> str:
    if "<locals>" in function.qualname:
        return "is inside a function"
    if function is last_of_name:
        return ""
    return "is replaced by a function of the same name below"


def _change(
    mark: str,
    decorator: Expression,
    function: Function,
    module: Module,
    hierarchy: ClassHierarchy,
) -> Change | None:
    """Return the migration or converter, or a fault; `None` if its decorator is not valid."""
    name, span = f"{module.name}:{function.qualname}", function.span
    call = decorator if isinstance(decorator, Call) else None
    change: Change | None
    if mark == "migration":
        change, argument = _migration(name, call, span), "the save"
    else:
        change = _converter(name, call, span, module, hierarchy)
        argument = "the old value"
    if change is not None and not function.takes_one:
        reason = f"a {mark} must be a plain function with one argument, {argument}"
        return MarkFault(span, reason)
    return change


def _migration(name: str, call: Call | None, span: Span) -> Migration | None:
    if call is None or call.arguments:
        return None
    if not {keyword for keyword, _ in call.keywords} <= {"to", "handles"}:
        return None
    to, listed = call.keyword("to"), call.keyword("handles")
    version = to.value if isinstance(to, Constant) else None
    handles = _texts(listed) if listed is not None else ()
    if handles is not None and type(version) is int and version > 0:
        return Migration(name, version, span, handles)
    return None


def _texts(expression: Expression) -> tuple[str, ...] | None:
    """Return the strings in a list or tuple; `None` for another expression."""
    if not isinstance(expression, CollectionLiteral) or expression.opening == "{":
        return None
    members = expression.members
    texts = [m.value for m in members if isinstance(m, Constant)]
    are_texts = len(texts) == len(members) and {*map(type, texts)} <= {str}
    return (*texts,) if are_texts else None


def _converter(
    name: str, call: Call | None, span: Span, module: Module, hierarchy: ClassHierarchy
) -> Converter | None:
    match call:
        case Call(_, (Name() as name_of_class, Constant() as field), ()):
            cls = hierarchy.full_name(name_of_class, module)
            if cls and ":" in cls and isinstance(field.value, str):
                return Converter(name, cls, field.value, span)
    return None
