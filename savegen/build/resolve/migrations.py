"""Find the functions that change older saves: migrations and converters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from savegen.build.model import Converter, MarkFault, Migration, UnimportableFunction
from savegen.build.resolve.lineage import Lineage
from savegen.build.scan.declarations import (
    Call,
    Constant,
    Expression,
    Function,
    Module,
    Name,
    Sequence,
)
from savegen.findings import Span

Change: TypeAlias = Migration | Converter | UnimportableFunction | MarkFault

# The field of `SavedModule` for each class.
CHANGES: dict[str, type[Change]] = {
    "migrations": Migration,
    "converters": Converter,
    "unimportable": UnimportableFunction,
    "function_faults": MarkFault,
}
_WORDS = {"savegen.migration": "migration", "savegen.converter": "converter"}
_REQUIREMENTS = {
    "migration": "`@migration` takes only `to=` with a whole number above 0, and `handles=` with a list"
    " of names, written as literals",
    "converter": "`@converter` takes a saveable class and a field name, written as a string literal",
}


def changes_in(module: Module, lineage: Lineage) -> Iterator[Change]:
    """Yield the migrations and converters of a module, and the faults in them."""
    yield from _in_classes(module, lineage)
    last_of_name = {function.qualname: function for function in module.functions}
    for function in module.functions:
        for at, decorator in enumerate(function.decorators):
            word = _WORDS.get(lineage.full_name(decorator, module) or "")
            if word and (
                place := _why_unreachable(function, last_of_name[function.qualname])
            ):
                name = function.qualname.rpartition(".")[2]
                yield UnimportableFunction(word, name, place, function.span)
            elif word:
                change = _change(word, decorator, function, module, lineage)
                yield change or MarkFault(
                    function.decorator_spans[at], _REQUIREMENTS[word]
                )


def _in_classes(module: Module, lineage: Lineage) -> Iterator[UnimportableFunction]:
    for cls in module.classes:
        for method in cls.methods:
            for decorator in method.decorators:
                word = _WORDS.get(lineage.full_name(decorator, module) or "")
                if word:
                    place = f"is a method of `{cls.name}`"
                    yield UnimportableFunction(word, method.name, place, method.span)


def _why_unreachable(function: Function, last: Function) -> str:
    if "<locals>" in function.qualname:
        return "is inside a function"
    return (
        "" if function is last else "is replaced by a function of the same name below"
    )


def _change(
    word: str,
    decorator: Expression,
    function: Function,
    module: Module,
    lineage: Lineage,
) -> Change | None:
    """Return the migration or converter, or a fault; `None` if its decorator is not valid."""
    name, span = f"{module.name}:{function.qualname}", function.span
    call = decorator if isinstance(decorator, Call) else None
    change = (
        _migration(name, call, span)
        if word == "migration"
        else _converter(name, call, span, module, lineage)
    )
    if change is not None and not function.takes_one:
        argument = "the save" if word == "migration" else "the old value"
        return MarkFault(
            span, f"a {word} must be a plain function with one argument, {argument}"
        )
    return change


def _migration(name: str, call: Call | None, span: Span) -> Migration | None:
    if call is None or call.arguments:
        return None
    to, listed = call.keyword("to"), call.keyword("handles")
    version = to.value if isinstance(to, Constant) else None
    handles = _texts(listed) if listed is not None else ()
    is_known = {word for word, _ in call.keywords} <= {"to", "handles"}
    if is_known and handles is not None and type(version) is int and version > 0:
        return Migration(name, version, span, handles)
    return None


def _texts(expression: Expression) -> tuple[str, ...] | None:
    """Return the strings in a list or tuple; `None` if the expression is not one of strings."""
    if not isinstance(expression, Sequence) or expression.opening == "{":
        return None
    members = expression.members
    texts = [each.value for each in members if isinstance(each, Constant)]
    are_texts = len(texts) == len(members) and {*map(type, texts)} <= {str}
    return (*texts,) if are_texts else None


def _converter(
    name: str, call: Call | None, span: Span, module: Module, lineage: Lineage
) -> Converter | None:
    match call:
        case Call(_, (Name() as name_of_class, Constant() as field), ()):
            cls = lineage.full_name(name_of_class, module)
            if cls and ":" in cls and isinstance(field.value, str):
                return Converter(name, cls, field.value, span)
    return None
