"""Functions that several kinds share."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from savegen.build.kinds._base import Kind
from savegen.build.kinds.scalar import SCALARS

NATIVE = frozenset(
    ["None", *(f"builtins.{name}" for name in "bool int float str bytes".split())]
)
_KINDS_WITH_SCALAR_CELLS = (
    "enum",
    "reference",
    "class_",
    "prefab",
    "asset",
    "generator",
)


def is_native(kind: Kind) -> bool:
    """Return whether the cell of a value is the value itself, so no code packs or unpacks it."""
    if kind.kind == "union":
        parts = [part.name for part in kind.parts]
        return NATIVE.issuperset(parts) and len({*parts}) == len(parts)
    return kind.name in NATIVE or is_plain_literal(kind)


def is_plain_literal(kind: Kind) -> bool:
    """Return whether the kind is a `Literal` whose constants msgspec supports."""
    return kind.name == "Literal" and all(map(_is_plain, kind.values))


def _is_plain(code: str) -> bool:
    value = ast.literal_eval(code)
    if type(value) is int:
        return -(2**63) <= value < 2**63
    # A lone surrogate is no Unicode text.
    is_text = type(value) is str and not any("\ud800" <= c <= "\udfff" for c in value)
    return is_text or value is None


def has_scalar_cells(kind: Kind) -> bool:
    """Return whether every cell is a number, text, bytes or `None`, and can be a key of a dict."""
    if kind.kind == "union":
        inner = without_none(kind)
        return is_native(kind) or (inner is not None and has_scalar_cells(inner))
    if kind.kind == "subclass":
        return has_scalar_cells(kind.parts[0])
    if kind.kind == "scalar":
        return not SCALARS[kind.name].cell.startswith("tuple")
    return kind.kind in _KINDS_WITH_SCALAR_CELLS


def without_none(kind: Kind) -> Kind | None:
    """Return a union without its member `None`, or Python's `None` if it has no such member.

    >>> number = Kind("scalar", "builtins.int")
    >>> without_none(Kind("union", "", (number, Kind("scalar", "None")))) == number
    True
    """
    parts = tuple(part for part in kind.parts if part.name != "None")
    if kind.kind != "union" or len(parts) == len(kind.parts):
        return None
    if len(parts) == 1:
        return parts[0]
    return Kind("union", "", parts, references=kind.references)


def union_of(members: Iterable[Kind]) -> Kind:
    """Return the union of some kinds, in which the members of unions stand themselves.

    >>> number = Kind("scalar", "builtins.int")
    >>> union_of([number, union_of([number])]) == number
    True
    """
    inside = (m.parts if m.kind == "union" else (m,) for m in members)
    parts = tuple(dict.fromkeys(part for each in inside for part in each))
    if len(parts) == 1:
        return parts[0]
    return Kind(
        "union",
        "",
        parts,
        immutable=all(part.immutable for part in parts),
        references=any(part.references for part in parts),
        hashable=all(part.hashable for part in parts),
    )


def dotted_name(name: str) -> str:
    """Return the full name of a class with dots only, as stored types contain it.

    >>> dotted_name("mygame.vec:Vec2")
    'mygame.vec.Vec2'
    """
    return name.replace(":", ".")


def refused(reason: str, text: str, *parts: Kind) -> Kind:
    """Return the kind of a type that cannot be saved. `build/check/types.py` reports it.

    `REFUSED` there has a finding for each `reason`, which contains `text`.
    """
    return Kind("refused", reason, parts, (text,))


def as_code(value: object) -> str:
    """Return a constant as source code in ASCII, with the quotes that black prefers."""
    text = ascii(value)
    if text[-1] != "'":
        return text
    prefix, _, inside = text[:-1].partition("'")
    if '"' in inside:
        # Double quotes are used unless they need more escapes.
        if inside.count('"') > inside.count("\\'"):
            return text
        inside = inside.replace("\\'", "'").replace('"', '\\"')
    return f'{prefix}"{inside}"'
