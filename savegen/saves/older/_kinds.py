"""How cells of each kind are converted: scalars, enumerations, references, containers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from savegen.runtime.arrays import covers, dtype_fits
from savegen.runtime.packing import ordered
from savegen.runtime.stored import ATOMS, Stored
from savegen.saves.older._rules import (
    SAME,
    Conversion,
    Convert,
    Rule,
    Rules,
    Type,
    Unfit,
    changed,
    joined,
)

# -- numbers, texts and what else has no parts


def _to_float(cell: int) -> float:
    """Return a float, or the int itself if no float is exactly that."""
    made = float(cell)
    return made if int(made) == cell else cell


def _to_complex(cell: int) -> list[float]:
    if int(made := float(cell)) != cell:
        raise Unfit(f"{cell} is not exactly a complex number", is_kept=True)
    return [made, 0.0]


_SCALARS: dict[tuple[str, str], Convert | None] = {
    ("bool", "int"): int,
    ("bool", "float"): float,
    ("bool", "complex"): lambda cell: [float(cell), 0.0],
    ("bool", "decimal"): lambda cell: str(int(cell)),
    ("bool", "fraction"): lambda cell: f"{int(cell)}/1",
    ("int", "float"): _to_float,
    ("int", "complex"): _to_complex,
    ("int", "decimal"): str,
    ("int", "fraction"): lambda cell: f"{cell}/1",
    ("float", "complex"): lambda cell: (
        _to_complex(cell) if type(cell) is int else [cell, 0.0]
    ),
    ("datetime", "date"): None,
    ("bytes", "bytearray"): None,
    ("bytearray", "bytes"): None,
}


def _scalar(rules: Rules, old: Type, new: Type) -> Conversion:
    return Conversion(_SCALARS[old.name, new.name])


def _enum(rules: Rules, old: Type, new: Type) -> Conversion:
    label = new.stored.label.rpartition(".")[2]
    known = frozenset(new.stored.names)
    lost = [name for name in old.stored.names if name not in known]
    if not lost:
        return SAME
    reason = f"`{label}` has no member `{lost[0]}` any more"

    def convert(cell: str) -> str:
        for part in cell.split("|"):
            if part in lost:
                raise Unfit(f"`{label}` has no member `{part}` any more")
        return cell

    return Conversion(convert, refuses=reason)


def _literal(rules: Rules, old: Type, new: Type) -> Conversion:
    known = {*new.stored.names}
    lost = [name for name in old.stored.names if name not in known]
    if not lost:
        return SAME

    def convert(cell: Any) -> Any:
        if ascii(cell) not in known:
            raise Unfit(f"{cell!r} is not one of its constants any more")
        return cell

    return Conversion(
        convert, refuses=f"{lost[0]} is not one of its constants any more"
    )


NATIVE_OF: dict[type, Stored] = {
    bool: Stored("bool"),
    int: Stored("int"),
    str: Stored("str"),
    bytes: Stored("bytes"),
    type(None): Stored("none"),
}


def of_literal(rules: Rules, old: Type, new: Type) -> Conversion:
    """Convert constants like values of their own types."""
    found = {
        type(each): rules.of(Type(NATIVE_OF[type(each)]), new)
        for each in old.stored.constants
    }
    return joined([*found.values()], lambda cell: found[type(cell)](cell))


def _array(rules: Rules, old: Type, new: Type) -> Conversion:
    before, after = old.stored.label, new.stored.label
    if covers(after, before):
        return SAME
    if not covers(before, after):
        raise changed(old, new)

    def convert(cell: Any) -> Any:
        if not dtype_fits(after, cell[0]):
            raise Unfit(f"its dtype is {cell[0]}, which is not `{after}`")
        return cell

    return Conversion(convert, refuses=f"its dtype may be another than `{after}`")


# -- references


def _numbered(rules: Rules, old: Type, new: Type) -> Conversion:
    allowed = {*new.stored.numbers}
    if 0 in allowed:
        return SAME
    there = rules.classes
    lost = [
        number
        for number in old.stored.numbers
        if number not in allowed and (there is None or number <= 0 or number in there)
    ]
    what = "reference" if old.name == "ref" else "class"
    refuses = f"the {what} may be of a class that is not allowed any more"
    return Conversion(None, refuses=refuses if lost else "")


def _weak(rules: Rules, old: Type, new: Type) -> Conversion:
    pair = [each.parts[0] if each.name == "weak" else each for each in (old, new)]
    return _numbered(rules, *pair)


# -- containers


def _items(rules: Rules, old: Type, new: Type) -> Conversion:
    item = rules.of(old.parts[0], new.parts[0])
    was_deque, is_deque = old.name == "deque", new.name == "deque"

    def convert(cell: Any) -> Any:
        limit, members = cell if was_deque else (None, cell)
        members = [*map(item, members)]
        return [limit, members] if is_deque else members

    if was_deque != is_deque:
        return Conversion(convert, item.loses, item.refuses)
    return joined([item], convert)


def _sets(rules: Rules, old: Type, new: Type) -> Conversion:
    item = rules.of(old.parts[0], new.parts[0])
    return joined([item], lambda cell: ordered(map(item, cell)))


def _fixed(rules: Rules, old: Type, new: Type) -> Conversion:
    if len(old.parts) != len(new.parts):
        raise changed(old, new)
    parts = [rules.of(*pair) for pair in zip(old.parts, new.parts)]
    return joined(parts, lambda cell: [part(each) for part, each in zip(parts, cell)])


def _dicts(rules: Rules, old: Type, new: Type) -> Conversion:
    key = rules.of(old.parts[0], new.parts[0])
    value = rules.of(*((*each.parts, _INT)[1] for each in (old, new)))
    was_map, is_map = _is_map(old.stored), _is_map(new.stored)

    def convert(cell: Any) -> Any:
        pairs = cell.items() if was_map else cell
        made = [[key(one), value(other)] for one, other in pairs]
        return dict(made) if is_map else made

    if was_map != is_map:
        return Conversion(
            convert, key.loses or value.loses, key.refuses or value.refuses
        )
    return joined([key, value], convert)


_INT = Type(Stored("int"))


def _is_map(stored: Stored) -> bool:
    return stored.name != "OrderedDict" and stored.parts[0].is_scalar


def _codec(rules: Rules, old: Type, new: Type) -> Conversion:
    one, other = (each.stored.label.rpartition(".")[2] for each in (old, new))
    if one != other:
        raise changed(old, new)
    return rules.of(old.parts[0], new.parts[0])


# -- which rule is for which names


def _pairs(*names: str) -> list[tuple[str, str]]:
    return [(old, new) for old in names for new in names]


RULES: dict[tuple[str, str], Rule] = {
    **{(name, name): lambda rules, old, new: SAME for name in ATOMS - {"ndarray"}},
    **dict.fromkeys(_SCALARS, _scalar),
    ("enum", "enum"): _enum,
    ("flag", "flag"): _enum,
    ("literal", "literal"): _literal,
    ("ndarray", "ndarray"): _array,
    ("numpy", "numpy"): _array,
    ("ref", "ref"): _numbered,
    ("class", "class"): _numbered,
    **dict.fromkeys([("ref", "weak"), ("weak", "ref"), ("weak", "weak")], _weak),
    ("fixed", "fixed"): _fixed,
    ("codec", "codec"): _codec,
    **dict.fromkeys(_pairs("list", "tuple", "deque"), _items),
    **dict.fromkeys(_pairs("set", "frozenset"), _sets),
    **dict.fromkeys(_pairs("dict", "defaultdict", "OrderedDict", "Counter"), _dicts),
}
