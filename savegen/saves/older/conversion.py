"""The rules by which values of one stored type are converted to another.

Loads convert cells by these rules, and `savegen breaking` reports by the same rules what a load
would do. A conversion never guesses: it exists only where each old value is also a value of the
new type, or corresponds to exactly one.

================================  ===========================================================
bool → int → float → complex      the number; bool and int also → decimal and fraction
T → optional<T>, a union with T   the value; from a union if each of its members fits
list ↔ tuple ↔ deque              the members; a deque loses its `maxlen`
set ↔ frozenset                   the members
dict ↔ defaultdict ↔ OrderedDict  the entries; ↔ Counter if the values are or become ints
(A, B) → (C, D)                   of one length, part by part
value ↔ record                    fields by number; a new one needs a default, a lost one is
                                  preserved with the whole cell
enum, flag, literal               by name and constant; a lost one is refused when met
ref, weak, class                  a class that the new type does not allow is refused when met
bytes ↔ bytearray                 the bytes; a datetime where a date is declared is one
codec                             of the same name, by what it stores
================================  ===========================================================
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from savegen.runtime.arrays import covers, dtype_fits, dtype_of, expand, shorten
from savegen.runtime.checks import ordered
from savegen.runtime.stored import ATOMS, Field, Stored

Convert = Callable[[Any], Any]
Defaults = Callable[[Stored, Field], "Callable[[], Any] | None"]
"""Returns what makes the cell of a field's default, for a field of a value or a record."""


class Fault(Struct, frozen=True):
    """The reason why values of the old type are not values of the new type."""

    reason: str
    what: str = "type"  # or "default", "key", "member", "class", "value"
    owner: str = ""  # the full name of the record or enumeration
    name: str = ""  # the name of its field or member
    is_met: bool = False  # only some values are refused, during a load


class Conversion(Struct, frozen=True):
    """The conversion of cells from one stored type to another.

    >>> from savegen.runtime.stored import parse
    >>> to_float = conversion(parse("list<int>"), parse("tuple<float>"))
    >>> to_float([1, 2])
    [1.0, 2.0]
    >>> print(conversion(parse("str"), parse("int")).fails)
    it was str, it is int
    """

    convert: Convert | None = None  # `None`: cells stay as they are
    loses: tuple[
        tuple[str, str], ...
    ] = ()  # fields that are dropped, with their records
    faults: tuple[Fault, ...] = ()

    def __call__(self, cell: Any) -> Any:
        return cell if self.convert is None else self.convert(cell)

    @property
    def fails(self) -> str:
        """The reason why no value can be converted; "" if some can."""
        return next((each.reason for each in self.faults if not each.is_met), "")

    @property
    def refuses(self) -> str:
        """The reason why some values cannot be converted; "" if all can."""
        return next((each.reason for each in self.faults if each.is_met), "")


class UnconvertibleError(Exception):
    """A cell whose value cannot be converted, although others of its type can.

    If `is_kept`, the value itself is valid and becomes a mismatch.
    """

    def __init__(self, reason: str, *, is_kept: bool = False) -> None:
        super().__init__(reason)
        self.is_kept = is_kept


def no_defaults(record: Stored, field: Field) -> None:
    """Return that no field has a default."""


def conversion(
    old: Stored,
    new: Stored,
    defaults: Defaults = no_defaults,
    classes: Container[int] | None = None,
) -> Conversion:
    """Return the conversion of cells from the type `old` to the type `new`.

    `classes` are the numbers of the saveable classes that the game still has; objects of others
    are preserved, so that references to them are no obstacle.
    """
    return _Rules(defaults, classes).of(old, new)


# -- building blocks of the rules

_SAME = Conversion()
_NONE, _INT = Stored("none"), Stored("int")
_LONGEST = 100  # the most characters of a type in a reason


def _simple(stored: Stored) -> str:
    """Return the name of a class without its module."""
    return stored.label.rpartition(".")[2]


def _changed(old: Stored, new: Stored) -> Conversion:
    """Return the conversion of two unrelated types, which always fails."""
    texts = (str(each) for each in (old, new))
    one, other = (t if len(t) <= _LONGEST else f"{t[:_LONGEST]}…" for t in texts)
    return Conversion(faults=(Fault(f"it was {one}, it is {other}"),))


def _unless(why: Callable[[Any], str], *faults: Fault) -> Conversion:
    """Return a conversion that keeps cells unchanged, or one that fails for the given reasons."""
    if not faults:
        return _SAME

    def convert(cell: Any) -> Any:
        if reason := why(cell):
            raise UnconvertibleError(reason)
        return cell

    return Conversion(convert, faults=faults)


def _joined(
    parts: Iterable[Conversion], convert: Convert, *, is_other: bool = False
) -> Conversion:
    """Return the conversion of a value with parts; with `is_other`, the cell always changes."""
    parts = [*parts]
    is_same = not is_other and all(part.convert is None for part in parts)
    return Conversion(
        None if is_same else convert,
        (*dict.fromkeys(each for part in parts for each in part.loses),),
        (*dict.fromkeys(each for part in parts for each in part.faults),),
    )


class _Rules:
    """Finds conversions; keeps one per pair of types, since records can contain themselves."""

    def __init__(self, defaults: Defaults, classes: Container[int] | None) -> None:
        self.defaults = defaults
        self.classes = classes
        self._open: dict[tuple[Stored, Stored], list[Conversion]] = {}

    def of(self, old: Stored, new: Stored) -> Conversion:
        """Return the conversion of cells from one type to another."""
        if old == new:
            return _SAME
        if old.name == "literal" and not _has_literal(new):
            return _of_literal(self, old, new)
        if {old.name, new.name} & {"optional", "union"}:
            return _choice(self, old, new)
        rule = _RULES.get((old.name, new.name))
        return rule(self, old, new) if rule else _changed(old, new)

    def record(self, old: Stored, new: Stored) -> Conversion:
        pair = (old, new)
        if pair in self._open:
            later = self._open[pair]
            return Conversion(lambda cell: later[0](cell))
        self._open[pair] = later = []
        later.append(_fields(self, old, new))
        return self._open.pop(pair)[0]


_Rule = Callable[[_Rules, Stored, Stored], Conversion]


# -- types without parts, such as numbers and texts


def _to_float(cell: int) -> float:
    """Return the float that equals an int, or the int if there is none."""
    made = float(cell)
    return made if int(made) == cell else cell


def _to_complex(cell: float) -> list[float]:
    if type(cell) is int and int(float(cell)) != cell:
        raise UnconvertibleError(
            f"{cell} is not exactly a complex number", is_kept=True
        )
    return [float(cell), 0.0]


_SCALARS: dict[tuple[str, str], Convert | None] = {
    ("bool", "int"): int,
    ("bool", "float"): float,
    ("bool", "complex"): _to_complex,
    ("bool", "decimal"): lambda cell: str(int(cell)),
    ("bool", "fraction"): lambda cell: f"{int(cell)}/1",
    ("int", "float"): _to_float,
    ("int", "complex"): _to_complex,
    ("int", "decimal"): str,
    ("int", "fraction"): lambda cell: f"{cell}/1",
    ("float", "complex"): _to_complex,
    ("datetime", "date"): None,
    ("bytes", "bytearray"): None,
    ("bytearray", "bytes"): None,
}


def _scalar(rules: _Rules, old: Stored, new: Stored) -> Conversion:
    return Conversion(_SCALARS[old.name, new.name])


def _enum(rules: _Rules, old: Stored, new: Stored) -> Conversion:
    lost = {
        name: f"`{_simple(new)}` has no member `{name}` any more"
        for name in old.names
        if name not in new.names
    }

    def why(cell: str) -> str:
        return next((lost[part] for part in cell.split("|") if part in lost), "")

    faults = (Fault(lost[n], "member", new.label, n, is_met=True) for n in lost)
    return _unless(why, *faults)


def _literal(rules: _Rules, old: Stored, new: Stored) -> Conversion:
    reason = "{} is not one of its constants any more"
    lost = [name for name in old.names if name not in new.names]
    return _unless(
        lambda cell: reason.format(repr(cell)) if ascii(cell) in lost else "",
        *(Fault(reason.format(name), "value", is_met=True) for name in lost[:1]),
    )


def _array(rules: _Rules, old: Stored, new: Stored) -> Conversion:
    before, after = old.label, new.label
    is_same = old.name == "numpy" or dtype_of(before) == dtype_of(after)
    is_wider = covers(after, before)
    if is_wider and is_same:
        return _SAME
    if not (is_wider or covers(before, after)):
        return _changed(old, new)

    def convert(cell: Any) -> Any:
        full = expand(cell, before)
        if not dtype_fits(after, full[0]):
            raise UnconvertibleError(f"its dtype is {full[0]}, which is not `{after}`")
        return cell if is_same else shorten(full, after)

    reason = f"its dtype may be another than `{after}`"
    faults = () if is_wider else (Fault(reason, "value", is_met=True),)
    return Conversion(convert, faults=faults)


# -- references


def _ref(rules: _Rules, old: Stored, new: Stored) -> Conversion:
    before, after = (
        {*(each.parts[0] if each.name == "weak" else each).numbers}
        for each in (old, new)
    )
    there = rules.classes
    lost = (n for n in before - after if there is None or n <= 0 or n in there)
    if 0 in after or not any(True for _ in lost):
        return _SAME
    reason = "the reference may be of a class that is not allowed any more"
    return Conversion(faults=(Fault(reason, "class", is_met=True),))


def _class(rules: _Rules, old: Stored, new: Stored) -> Conversion:
    allowed = {*new.numbers}
    if 0 in allowed or allowed.issuperset(old.numbers):
        return _SAME
    reason = "the class may be one that is not allowed any more"
    return _unless(
        lambda cell: "" if cell in allowed else reason,
        Fault(reason, "class", is_met=True),
    )


# -- containers


def _items(rules: _Rules, old: Stored, new: Stored) -> Conversion:
    item = rules.of(old.parts[0], new.parts[0])
    was_deque, is_deque = old.name == "deque", new.name == "deque"

    def convert(cell: Any) -> Any:
        limit, members = cell if was_deque else (None, cell)
        members = [*map(item, members)]
        return [limit, members] if is_deque else members

    return _joined([item], convert, is_other=was_deque != is_deque)


def _sets(rules: _Rules, old: Stored, new: Stored) -> Conversion:
    item = rules.of(old.parts[0], new.parts[0])
    return _joined([item], lambda cell: ordered(map(item, cell)))


def _fixed(rules: _Rules, old: Stored, new: Stored) -> Conversion:
    if len(old.parts) != len(new.parts):
        return _changed(old, new)
    parts = [*map(rules.of, old.parts, new.parts)]
    return _joined(parts, lambda cell: [part(each) for part, each in zip(parts, cell)])


def _dicts(rules: _Rules, old: Stored, new: Stored) -> Conversion:
    key, value = map(rules.of, (*old.parts, _INT)[:2], (*new.parts, _INT)[:2])
    was_map, is_map = old.is_map, new.is_map

    def convert(cell: Any) -> Any:
        pairs = cell.items() if was_map else cell
        made = [[key(one), value(other)] for one, other in pairs]
        return dict(made) if is_map else made

    return _joined([key, value], convert, is_other=was_map != is_map)


def _codec(rules: _Rules, old: Stored, new: Stored) -> Conversion:
    if _simple(old) != _simple(new):
        return _changed(old, new)
    return rules.of(old.parts[0], new.parts[0])


# -- values and records, field by field, by number


def _fields(rules: _Rules, old: Stored, new: Stored) -> Conversion:
    before = {field.number: (n, field) for n, field in enumerate(old.inner_fields)}
    after = new.numbers
    if after and before and before.keys().isdisjoint(after):
        return _changed(old, new)
    parts: list[tuple[int, Conversion]] = []  # with the index in the old cell
    for field in new.inner_fields:
        if field.number in before:
            place, was = before[field.number]
            parts.append((place, _kept(rules, new, was, field)))
        else:
            parts.append((0, _default(rules, new, field)))
    found = _joined(
        (part for _, part in parts),
        lambda cell: [part(cell[place] if cell else None) for place, part in parts],
        is_other=old.numbers != after,
    )
    lost = (field for number, (_, field) in before.items() if number not in after)
    loses = *((old.label, field.name) for field in lost), *found.loses
    return replace(found, loses=loses)


def _kept(rules: _Rules, record: Stored, was: Field, field: Field) -> Conversion:
    """Return the conversion of a field that a record already had."""
    found = rules.of(was.type, field.type)
    faults = (*(_located(fault, record, field) for fault in found.faults),)
    if was.may_be_absent and not field.may_be_absent:
        reason = f"`{_simple(record)}` needs a key {field.name!r} now"
        faults = (Fault(reason, "key", record.label, field.name), *faults)
    convert = found.convert
    if field.may_be_absent and not was.may_be_absent:
        convert = lambda cell: [found(cell)]
    elif convert and was.may_be_absent:
        convert = lambda cell: [found(each) for each in cell]
    return Conversion(convert, found.loses, faults)


def _located(fault: Fault, record: Stored, field: Field) -> Fault:
    """Return a fault with the name of its field, unless it already has one."""
    if fault.owner:
        return fault
    reason = f"of `{_simple(record)}.{field.name}` {fault.reason}"
    return replace(fault, reason=reason, owner=record.label, name=field.name)


def _default(rules: _Rules, record: Stored, field: Field) -> Conversion:
    if field.may_be_absent:
        return Conversion(lambda cell: [])
    make = rules.defaults(record, field)
    if make is None:
        reason = f"`{_simple(record)}` has a new field `{field.name}` without a default"
        fault = Fault(reason, "default", record.label, field.name)
        return Conversion(faults=(fault,))
    return Conversion(lambda cell: make())


# -- unions and optional types


def _members(stored: Stored) -> list[Stored]:
    """Return the member types of a union or an optional type; `None` is the last of the latter."""
    if stored.name == "union":
        return [*stored.parts]
    if stored.name == "optional":
        return [*_members(stored.parts[0]), _NONE]
    return [stored]


def _opened(stored: Stored, cell: Any) -> tuple[int, Any]:
    """Return the index of the member type of a cell, and the cell of that member."""
    if stored.name == "optional":
        (part,) = stored.parts
        is_none = not cell if part.name == "ref" else cell is None
        return (len(_members(part)), None) if is_none else _opened(part, cell)
    if stored.name != "union":
        return 0, cell
    if not stored.is_native_union:
        return cell[0], cell[cell[0] + 1]
    names = [part.name for part in stored.parts]
    name = _NATIVE.get(cell.__class__, "float")
    return names.index(name if name in names else "float"), cell


def _closed(stored: Stored, place: int, cell: Any) -> Any:
    """Return the cell of a union type for a cell of one of its members."""
    if stored.name == "optional":
        (part,) = stored.parts
        if place < len(_members(part)):
            return _closed(part, place, cell)
        return 0 if part.name == "ref" else None
    if _is_bare(stored):
        return cell
    return [place, *(cell if n == place else None for n in range(len(stored.parts)))]


def _is_bare(stored: Stored) -> bool:
    """Return whether the cells of a union are plain values, without an index of the member."""
    if stored.name == "optional":
        return _is_bare(stored.parts[0])
    return stored.name != "union" or stored.is_native_union


def _is_alike(old: Stored, new: Stored) -> bool:
    """Return whether a cell identifies its member in the same way in both types."""
    if not (_is_bare(old) and _is_bare(new)):
        return False
    zeros = {
        each.name == "optional" and each.parts[0].name == "ref" for each in (old, new)
    }
    return _NONE not in _members(old) or len(zeros) == 1


def _choice(rules: _Rules, old: Stored, new: Stored) -> Conversion:
    """Convert each old member type to the first new member type that it can be converted to."""
    members = _members(old)
    if (
        _NONE in members
    ):  # `None` belongs to this member, even if a literal contains it, too
        members = [*map(_without_none, members)]
    chosen = [_chosen(rules, member, old, new) for member in members]

    def convert(cell: Any) -> Any:
        index, inner = _opened(old, cell)
        place, part = chosen[index]
        return part(inner) if place is None else _closed(new, place, part(inner))

    parts = (part for _, part in chosen)
    return _joined(parts, convert, is_other=not _is_alike(old, new))


def _without_none(stored: Stored) -> Stored:
    if stored.name != "literal":
        return stored
    return replace(stored, names=(*(n for n in stored.names if n != "None"),))


def _chosen(
    rules: _Rules, member: Stored, old: Stored, new: Stored
) -> tuple[int | None, Conversion]:
    """Return the index of the best new member type, and the conversion to it.

    The index is `None` if the conversion returns a complete cell of the new type.
    """
    if member.name == "literal" and not _has_literal(new):
        return None, _of_literal(rules, member, new)
    choices = [rules.of(member, each) for each in _members(new)]
    costs = [
        (bool(part.fails), bool(part.refuses), bool(part.loses), bool(part.convert))
        for part in choices
    ]
    place = costs.index(min(costs))
    if not choices[place].fails:
        return place, choices[place]
    inside = (part for part in choices if any(each.owner for each in part.faults))
    return None, next(inside, _changed(old, new))


def _has_literal(stored: Stored) -> bool:
    return any(each.name == "literal" for each in _members(stored))


_NATIVE = {bool: "bool", int: "int", str: "str", bytes: "bytes", type(None): "none"}


def _of_literal(rules: _Rules, old: Stored, new: Stored) -> Conversion:
    """Convert constants like values of their own types."""
    names = dict.fromkeys(_NATIVE[type(each)] for each in old.constants)
    types = (*map(Stored, names),)
    found = rules.of(Stored("union", types) if len(types) > 1 else types[0], new)
    return _changed(old, new) if found.fails else found


# -- the rule of each type name


def _pairs(*names: str) -> list[tuple[str, str]]:
    return [(old, new) for old in names for new in names]


_RULES: dict[tuple[str, str], _Rule] = {
    **{(n, n): lambda rules, old, new: _SAME for n in ATOMS - {"ndarray"}},
    **dict.fromkeys(_SCALARS, _scalar),
    **dict.fromkeys([("enum", "enum"), ("flag", "flag")], _enum),
    ("literal", "literal"): _literal,
    **dict.fromkeys([("ndarray", "ndarray"), ("numpy", "numpy")], _array),
    ("class", "class"): _class,
    **dict.fromkeys(_pairs("ref", "weak"), _ref),
    ("fixed", "fixed"): _fixed,
    ("codec", "codec"): _codec,
    **dict.fromkeys(_pairs("list", "tuple", "deque"), _items),
    **dict.fromkeys(_pairs("set", "frozenset"), _sets),
    **dict.fromkeys(_pairs("dict", "defaultdict", "OrderedDict", "Counter"), _dicts),
    **dict.fromkeys(_pairs("value", "record"), _Rules.record),
}
