"""How cells of optional types and unions are converted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from savegen.runtime.stored import Stored
from savegen.saves.older._kinds import NATIVE_OF, of_literal
from savegen.saves.older._rules import (
    Conversion,
    Convert,
    NoConversion,
    Rules,
    Type,
    changed,
    joined,
)


def is_choice(type: Type) -> bool:
    return type.name in ("optional", "union")


def has_literal(type: Type) -> bool:
    return any(member.name == "literal" for member in members(type))


class _Choice:
    """The types that a value may be of: which one a cell is of, and how a cell says it."""

    def __init__(self, type: Type) -> None:
        self.members = [*members(type)]
        self._type = type

    def which(self, cell: Any) -> tuple[int, Any]:
        """Return the position of a cell's type, and the cell of that type."""
        return _which(self._type, cell)

    def made(self, index: int, cell: Any) -> Any:
        """Return a cell that is of the type at a position."""
        return _made(self._type, index, cell)


def members(type: Type) -> Iterator[Type]:
    if type.name == "union":
        for part in type.parts:
            yield from members(part)
    elif type.name == "optional":
        yield from members(type.parts[0])
        yield _NONE
    else:
        yield type


_NONE = Type(Stored("none"))


def _which(type: Type, cell: Any) -> tuple[int, Any]:
    if type.name == "optional":
        (part,) = type.parts
        is_none = not cell if part.name == "ref" else cell is None
        return (len([*members(part)]), None) if is_none else _which(part, cell)
    if type.name != "union":
        return 0, cell
    parts = type.parts
    if type.stored.is_native_union:
        name = next(n for c, n in _NAMES.items() if c is cell.__class__)
        return next(n for n, part in enumerate(parts) if part.name == name), cell
    index, *cells = cell
    before = sum(len([*members(part)]) for part in parts[:index])
    inner, found = _which(parts[index], cells[index])
    return before + inner, found


_NAMES = {cls: each.name for cls, each in NATIVE_OF.items()} | {float: "float"}


def _made(type: Type, index: int, cell: Any) -> Any:
    if type.name == "optional":
        (part,) = type.parts
        if index == len([*members(part)]):
            return 0 if part.name == "ref" else None
        return _made(part, index, cell)
    if type.name != "union" or type.stored.is_native_union:
        return cell
    cells: list[Any] = [None] * len(type.parts)
    for number, part in enumerate(type.parts):
        count = len([*members(part)])
        if index < count:
            cells[number] = _made(part, index, cell)
            return [number, *cells]
        index -= count
    raise IndexError(index)


def choice(rules: Rules, old: Type, new: Type) -> Conversion:
    """Convert each type that an old value may be of to the first of today's that can be."""
    before, after = _Choice(old), _Choice(new)
    chosen = [_chosen(rules, member, after, (old, new)) for member in before.members]

    def convert(cell: Any) -> Any:
        index, inner = before.which(cell)
        return chosen[index][1](inner)

    found = joined([part for part, _ in chosen], convert)
    if found.convert is None and _writes_alike(old, new):
        return found
    return Conversion(convert, found.loses, found.refuses)


def _chosen(
    rules: Rules, member: Type, after: _Choice, types: tuple[Type, Type]
) -> tuple[Conversion, Convert]:
    """Return how a member becomes the nearest type of today's, and a whole cell of today."""
    if member.name == "literal" and not has_literal(types[1]):
        found = of_literal(rules, member, types[1])
        return found, found
    choices, reason = [], None
    for index, each in enumerate(after.members):
        try:
            part = rules.of(member, each)
        except NoConversion as error:
            reason = reason or error
            continue
        cost = (bool(part.refuses), part.loses, part.convert is not None)
        choices.append((cost, index, part))
    if choices:
        _, index, part = min(choices, key=lambda each: each[:2])
        return part, lambda cell: after.made(index, part(cell))
    if reason is not None and _is_specific(reason):
        raise reason
    raise changed(*types)


def _is_specific(reason: NoConversion) -> bool:
    """Return whether an error says more than which types there are."""
    return str(reason).startswith(("of `", "`"))


def _writes_alike(old: Type, new: Type) -> bool:
    """Return whether the same cell says in both types what it is of."""
    if old.stored == new.stored:
        return True
    if not (_is_bare(old) and _is_bare(new)):
        return False
    can_be_none = _NONE in members(old)
    return not can_be_none or _none_cell(old) == _none_cell(new)


def _is_bare(type: Type) -> bool:
    """Return whether cells are the values themselves, without an index beside them."""
    if type.name == "optional":
        return _is_bare(type.parts[0])
    return type.name != "union" or type.stored.is_native_union


def _none_cell(type: Type) -> Any:
    is_key = type.name == "optional" and type.stored.parts[0].name == "ref"
    return 0 if is_key else None
