"""Read the arguments of marks, which must be literals, and describe the invalid ones."""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from msgspec.structs import replace

from savegen.build.scan.declarations import (
    Call,
    CollectionLiteral,
    Constant,
    Expression,
    Name,
    Other,
)
from savegen.findings import similar

_UNREADABLE = object()


class Arguments(NamedTuple):
    """The valid arguments of one mark by name, and a text for each invalid one."""

    values: dict[str, Any]
    faults: list[str]


def _is_identifier(value: Any) -> bool:
    return (
        isinstance(value, str) and value.isidentifier() and not keyword.iskeyword(value)
    )


def _are_dotted_names(value: Any) -> bool:
    texts = value if isinstance(value, tuple) else (value,)
    return all(isinstance(text, str) and _is_dotted(text) for text in texts)


def _is_dotted(text: str) -> bool:
    return all(map(str.isidentifier, text.split(".")))


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_positive(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


# What a valid argument is, and the function that checks it.
_Expected = tuple[str, Callable[[Any], bool]]
_NAMES: _Expected = (
    "a string literal or a tuple of string literals",
    _are_dotted_names,
)
_NUMBER: _Expected = ("a number literal, such as `10` or `0.5`", _is_number)
_NAMES_OR_TRUE: _Expected = (
    "`True`, a string literal or a tuple of string literals",
    lambda value: value is True or value is False or _are_dotted_names(value),
)
_FLAG: _Expected = ("`True` or `False`", _is_flag)
_PATH: _Expected = (
    'a string literal with a part and an attribute, such as `"body.pos"`',
    lambda value: isinstance(value, str) and _is_dotted(value),
)

LIMITS = ("ge", "gt", "le", "lt")
_SAVE: dict[str, _Expected] = {
    "name": ("an identifier, written as a string literal", _is_identifier),
    "editor": _FLAG,
    "setter": _FLAG,
    "was": _NAMES,
    **dict.fromkeys(LIMITS, _NUMBER),
}
_SAVEABLE: dict[str, _Expected] = {
    "of": _NAMES,
    "override": _FLAG,
    "position": _PATH,
    "prefab": _FLAG,
    "rewind": _FLAG,
    "subclasses": _FLAG,
    "transient": _NAMES_OR_TRUE,
    "was": _NAMES,
}
_PREFAB: dict[str, _Expected] = {
    "max_count": ("a whole number above 0, written as a literal", _is_positive),
    "position": _PATH,
    "static": _FLAG,
    "was": _NAMES,
}
DEFAULTS = ("default", "default_factory")


def save_arguments(call: Call | None) -> Arguments:
    """Return the arguments of `Save` or `SaveOverride`, without the default."""
    if call is not None:
        others = ((n, value) for n, value in call.keywords if n not in DEFAULTS)
        call = replace(call, keywords=tuple(others))
    return _read("Save", call, _SAVE, positional=("name",))


def prefab_arguments(decorator: Expression | None) -> Arguments:
    """Return the arguments of `@prefab`."""
    return _read("prefab", decorator, _PREFAB, positional=())


def saveable_arguments(decorator: Expression | None) -> Arguments:
    """Return the arguments of `@saveable`."""
    return _read("saveable", decorator, _SAVEABLE, positional=())


def names(value: str | tuple[str, ...]) -> tuple[str, ...]:
    """Return one name or several as a tuple."""
    return (value,) if isinstance(value, str) else tuple(value)


def _read(
    mark: str,
    call: Expression | None,
    expected: dict[str, _Expected],
    positional: tuple[str, ...],
) -> Arguments:
    arguments = Arguments({}, [])
    if not isinstance(call, Call):
        return arguments
    if Other("*") in call.arguments:
        return Arguments({}, [f"`{mark}` does not accept `*` or `**` arguments"])
    if len(call.arguments) > len(positional):
        allowed = (
            "only one positional argument" if positional else "only keyword arguments"
        )
        arguments.faults.append(f"`{mark}` takes {allowed}")
    accepted = (*expected, *DEFAULTS) if expected is _SAVE else (*expected,)
    for name, expression in _named_arguments(call, positional):
        if name not in expected:
            hint = _hint(name, accepted)
            if not hint and expected is _SAVEABLE and name in _PREFAB:
                hint = "; only `@prefab` has it, on a class with parts"
            arguments.faults.append(f"`{mark}` has no argument `{name}`{hint}")
            continue
        requirement, is_valid = expected[name]
        value = _value(expression)
        if value is _UNREADABLE or not (value is None or is_valid(value)):
            if name == "name":
                arguments.faults.append(_wrong_name(call, value, requirement))
            else:
                arguments.faults.append(f"`{name}` must be {requirement}")
        elif value is not None:
            arguments.values[name] = value
    return arguments


def _wrong_name(call: Call, value: Any, requirement: str) -> str:
    """Return the fault in the name of a field in levels, and what to write if that is clear."""
    mark = call.function.dotted if isinstance(call.function, Name) else "Save"
    instead = {False: "editor=False", True: ""}.get(value) if _is_flag(value) else None
    if isinstance(value, str):
        words = re.sub(r"\W+", "_", value).strip("_")
        instead = f'"{words}"' if _is_identifier(words) else None
    if instead is None:
        return f"the first argument of `{mark}` must be {requirement}"
    return (
        f"the first argument of `{mark}` is a name, not `{value!r}`: write"
        f" `{mark}({instead})`"
    )


def _hint(name: str, accepted: Iterable[str]) -> str:
    """Return advice that names the most similar argument, or ""."""
    close = similar(name, accepted)
    return f"; did you mean `{close}`?" if close else ""


def _named_arguments(
    call: Call, positional: tuple[str, ...]
) -> Iterator[tuple[str, Expression]]:
    yield from zip(positional, call.arguments, strict=False)
    yield from call.keywords


def _value(expression: Expression) -> Any:
    if isinstance(expression, Constant):
        return expression.value
    if isinstance(expression, CollectionLiteral) and expression.opening in "([":
        members = tuple(_value(member) for member in expression.members)
        return _UNREADABLE if _UNREADABLE in members else members
    return _UNREADABLE
