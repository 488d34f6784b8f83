"""Write types as annotations and constants as source code."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from savegen.build.emit._names import Names
from savegen.build.model import ASSET, METHOD, PREFAB_TYPE, SCALARS, Type
from savegen.build.model import as_code as as_code

PACKAGE = "savegen"
_GENERIC = ("array.array", "numpy.typing.NDArray")


def annotation(type: Type, names: Names | None = None) -> str:
    """Return a type as an annotation. With `names`, import the names in it.

    >>> annotation(Type("builtins.list", (Type("mygame.vec:Vec2"),)))
    'list[Vec2]'
    """
    if type.checker_name and names:
        # Only immutable values keep their NewType; a copy of another value does not have it.
        is_new = ":" in type.checker_name and type.name in SCALARS
        return _name(type.checker_name, names) if is_new else names.Any
    # A name with "?" is that of a field that its class saves itself.
    if type.name == "typing.Any" or type.name.startswith("?"):
        return names.Any if names else "Any"
    if type.name == "[]":
        return f"[{', '.join(annotation(part, names) for part in type.arguments)}]"
    if type.name == ASSET:
        return annotation(type.arguments[0], names)
    if type.name == "typing.Union":
        return " | ".join(annotation(part, names) for part in type.arguments)
    name = _name(type.name, names)
    if type.name == METHOD and not type.arguments:
        return f"{name}[..., {names.Any if names else 'Any'}]"
    if type.literals:
        return f"{name}[{', '.join(map(literal, type.literals))}]"
    if type.name in _GENERIC and not type.arguments:
        return f"{name}[{names.Any if names else 'Any'}]"  # `mypy --strict` needs the argument
    if not type.arguments:
        return name
    return f"{name}[{', '.join(annotation(part, names) for part in type.arguments)}]"


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


def _name(name: str, names: Names | None) -> str:
    if name in ("None", "..."):
        return name
    if name == PREFAB_TYPE:
        return names.PrefabType if names else "PrefabType"
    module, colon, qualname = name.partition(":")
    if colon:
        return names.user_type(module, qualname) if names else qualname
    module, _, simple = name.rpartition(".")
    if names is None:
        return simple
    if module == PACKAGE:
        module = f"{PACKAGE}.runtime"
    return names[simple] if module == "builtins" else names.for_checkers(module, simple)
