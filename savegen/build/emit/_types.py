"""Write types as annotations and constants as source code."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from savegen.build.emit._layout import laid_out
from savegen.build.model import ASSET, METHOD, Type
from savegen.build.model import as_code as as_code

_GENERIC = ("array.array", "numpy.typing.NDArray")


def annotation(type: Type) -> str:
    """Return a type as an annotation.

    >>> annotation(Type("builtins.list", (Type("mygame.vec:Vec2"),)))
    'list[Vec2]'
    """
    # A name with "?" is that of a field that its class saves itself.
    if type.name == "typing.Any" or type.name.startswith("?"):
        return "Any"
    arguments = [*map(annotation, type.arguments)]
    if type.name == ASSET:
        return arguments[0]
    if type.name == "typing.Union":
        return " | ".join(arguments)
    name = type.name.rpartition(":")[2]
    if name == type.name and name != "...":
        name = name.rpartition(".")[2]
    if type.name == METHOD and not arguments:
        return f"{name}[..., Any]"
    if type.name in _GENERIC and not arguments:
        return f"{name}[Any]"
    inside = ", ".join([*map(literal, type.literals)] or arguments)
    if type.name == "[]":
        return f"[{inside}]"
    return f"{name}[{inside}]" if inside else name


def literal(code: str) -> str:
    """Return a constant as black spells it, in ASCII.

    >>> literal("'left'"), literal("-1")
    ('"left"', '-1')
    """
    return as_code(ast.literal_eval(code))


def article(name: str) -> str:
    return "an" if name[0] in "AEIOU" else "a"


def tuple_of(texts: Iterable[str]) -> str:
    """Return the source code of a tuple with these items; "" for an empty one.

    >>> tuple_of(["1", "2"]), tuple_of(["1"]), tuple_of([])
    ('(1, 2)', '(1,)', '')
    """
    items = [*texts]
    comma = "," if len(items) == 1 else ""
    return f"({', '.join(items)}{comma})" if items else ""


def listed(items: Sequence[str], indent: int, most: int = 4) -> str:
    """Return items for brackets: in one line if they are few and simple, else on a line each.

    >>> listed(["x", "y"], 0), listed(["x", "f(y)"], 0)
    ('x, y', '\\n    x,\\n    f(y),\\n')
    """
    if len(items) <= most and (len(items) < 2 or "(" not in "".join(items)):
        return ", ".join(items)
    margin = "\n" + " " * indent
    inside = (laid_out(item, indent + 4, ",") for item in items)
    return "".join(f"{margin}    {item}" for item in inside) + margin
