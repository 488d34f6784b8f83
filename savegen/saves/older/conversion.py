"""Which values of one stored type are values of another, and what becomes of their cells.

One set of rules for both who ask: a load, which converts cells by them, and `savegen breaking`,
which says before the game is released what a load would do. A conversion never guesses: it
exists where every old value is a value of the new type too, or becomes exactly one.

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

from collections.abc import Callable, Container, Iterable, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from savegen.runtime.arrays import covers, dtype_fits, dtype_of, in_full, short
from savegen.runtime.packing import ordered
from savegen.runtime.stored import ATOMS, Field, Stored

Convert = Callable[[Any], Any]
Defaults = Callable[[Stored, Field], "Callable[[], Any] | None"]
"""Returns what makes the cell of a field's default, for a field of a value or a record."""


class Fault(Struct, frozen=True):
    """Why values of the old type are no values of the new one."""

    reason: str
    what: str = "type"  # or "default", "key", "member", "class", "value"
    owner: str = ""  # the full name of the record or enumeration that it is in
    name: str = ""  # of its field or member
    is_met: bool = False  # of some values only, which are refused when they are met


class Conversion(Struct, frozen=True):
    """How cells of one stored type become cells of another.

    >>> from savegen.runtime.stored import parse
    >>> to_float = conversion(parse("list<int>"), parse("tuple<float>"))
    >>> to_float([1, 2])
    [1.0, 2.0]
    >>> print(conversion(parse("str"), parse("int")).fails)
    it was str, it is int
    """

    convert: Convert | None = None  # `None`: cells stay as they are
    loses: tuple[tuple[str, str], ...] = ()  # records and fields that are left out
    faults: tuple[Fault, ...] = ()

    def __call__(self, cell: Any) -> Any:
        return cell if self.convert is None else self.convert(cell)

    @property
    def fails(self) -> str:
        """Why no value can be converted; "" if there is no reason."""
        return next((each.reason for each in self.faults if not each.is_met), "")

    @property
    def refuses(self) -> str:
        """Why some values cannot be converted; "" if all can be."""
        return next((each.reason for each in self.faults if each.is_met), "")


class Unfit(Exception):
    """One cell whose value cannot be converted, although the type can: the message says why.

    If the value `is_kept`, nothing is wrong with it but its type: it becomes a mismatch.
    """

    def __init__(self, reason: str, *, is_kept: bool = False) -> None:
        super().__init__(reason)
        self.is_kept = is_kept


def no_defaults(record: Stored, field: Field) -> None:
    """Know no default of any field."""


def conversion(
    old: Stored,
    new: Stored,
    defaults: Defaults = no_defaults,
    classes: Container[int] | None = None,
) -> Conversion:
    """Return how cells of `old` become cells of `new`.

    `classes` are the numbers of the saveable classes that the game still has; objects of others
    are preserved, so that references to them are no obstacle.
    """
    return _Rules(defaults, classes).of(_Type(old), _Type(new))


# -- what the rules are made of


class _Type(Struct, frozen=True):
    """A stored type; `rec` in it means one of the types around it."""

    stored: Stored
    around: Mapping[str, _Type] = {}

    @property
    def name(self) -> str:
        return self.stored.name

    @property
    def label(self) -> str:
        """The simple name of a class."""
        return self.stored.label.rpartition(".")[2]

    @property
    def parts(self) -> list[_Type]:
        return [self.inner(part) for part in self.stored.parts]

    def inner(self, part: Stored) -> _Type:
        """Return a part of the type."""
        around = self.around
        if self.name in ("value", "record"):
            around = {**around, self.stored.label: self}
        return around[part.label] if part.name == "rec" else _Type(part, around)

    @property
    def closed(self) -> Stored:
        """The stored type with all that its `rec` mean."""

        def closed(stored: Stored, inside: frozenset[str]) -> Stored:
            if stored.name == "rec":
                is_inside = stored.label in inside
                return stored if is_inside else self.around[stored.label].closed
            if stored.name in ("value", "record"):
                inside |= {stored.label}
            return replace(stored, parts=(*(closed(p, inside) for p in stored.parts),))

        return closed(self.stored, frozenset())

    @property
    def members(self) -> list[_Type]:
        """The types that a value may be of, unions within unions resolved."""
        if self.name == "union":
            return [each for part in self.parts for each in part.members]
        if self.name == "optional":
            return [*self.parts[0].members, _NONE]
        return [self]


_NONE = _Type(Stored("none"))
_INT = _Type(Stored("int"))
_LONGEST = 100  # characters of a type that a reason shows


def _changed(old: _Type, new: _Type) -> Conversion:
    """Return the conversion of two types that have nothing to do with each other."""
    texts = (str(each.stored) for each in (old, new))
    one, other = (t if len(t) <= _LONGEST else f"{t[:_LONGEST]}…" for t in texts)
    return Conversion(faults=(Fault(f"it was {one}, it is {other}"),))


def _joined(
    parts: Iterable[Conversion], convert: Convert, *, is_other: bool = False
) -> Conversion:
    """Return the conversion of something with parts, whose cell `is_other` in any case."""
    parts = [*parts]
    is_same = not is_other and all(part.convert is None for part in parts)
    return Conversion(
        None if is_same else convert,
        (*dict.fromkeys(each for part in parts for each in part.loses),),
        (*dict.fromkeys(each for part in parts for each in part.faults),),
    )


class _Rules:
    """Finds conversions. A record may be in itself: each pair of types is converted once."""

    def __init__(self, defaults: Defaults, classes: Container[int] | None) -> None:
        self.defaults = defaults
        self.classes = classes
        self._open: dict[tuple[Stored, Stored], list[Conversion]] = {}

    def of(self, old: _Type, new: _Type) -> Conversion:
        """Return how cells of one type become cells of another."""
        if old.stored == new.stored:
            has_rec = any(part.name == "rec" for part in old.stored.walk())
            if not has_rec or old.around == new.around:
                return Conversion()
        is_literal = any(each.name == "literal" for each in new.members)
        if old.name == "literal" and not is_literal:
            return _of_literal(self, old, new)
        if {old.name, new.name} & {"optional", "union"}:
            return _choice(self, old, new)
        return _RULES.get((old.name, new.name), _other)(self, old, new)

    def record(self, old: _Type, new: _Type) -> Conversion:
        pair = (old.stored, new.stored)
        if pair in self._open:
            later = self._open[pair]
            return Conversion(lambda cell: later[0](cell))
        self._open[pair] = later = []
        later.append(_fields(self, old, new))
        return self._open.pop(pair)[0]


_Rule = Callable[[_Rules, _Type, _Type], Conversion]


def _other(rules: _Rules, old: _Type, new: _Type) -> Conversion:
    return _changed(old, new)


# -- numbers, texts and what else has no parts


def _to_float(cell: int) -> float:
    """Return a float, or the int itself if no float is exactly that."""
    made = float(cell)
    return made if int(made) == cell else cell


def _to_complex(cell: float) -> list[float]:
    if type(cell) is int and int(float(cell)) != cell:
        raise Unfit(f"{cell} is not exactly a complex number", is_kept=True)
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


def _scalar(rules: _Rules, old: _Type, new: _Type) -> Conversion:
    return Conversion(_SCALARS[old.name, new.name])


def _enum(rules: _Rules, old: _Type, new: _Type) -> Conversion:
    label = new.stored.label
    lost = {
        name: f"`{new.label}` has no member `{name}` any more"
        for name in old.stored.names
        if name not in new.stored.names
    }

    def convert(cell: str) -> str:
        for part in cell.split("|"):
            if part in lost:
                raise Unfit(lost[part])
        return cell

    faults = [
        Fault(reason, "member", label, name, is_met=True)
        for name, reason in lost.items()
    ]
    return Conversion(convert, faults=(*faults,)) if lost else Conversion()


def _literal(rules: _Rules, old: _Type, new: _Type) -> Conversion:
    known = {*new.stored.names}
    lost = [name for name in old.stored.names if name not in known]
    if not lost:
        return Conversion()

    def convert(cell: Any) -> Any:
        if ascii(cell) not in known:
            raise Unfit(f"{cell!r} is not one of its constants any more")
        return cell

    return _refusing(convert, f"{lost[0]} is not one of its constants any more")


def _refusing(convert: Convert | None, reason: str, what: str = "value") -> Conversion:
    return Conversion(convert, faults=(Fault(reason, what, is_met=True),))


_NATIVE = {bool: "bool", int: "int", str: "str", bytes: "bytes", type(None): "none"}
_NAMES = {**_NATIVE, float: "float"}


def _of_literal(rules: _Rules, old: _Type, new: _Type) -> Conversion:
    """Convert constants like values of their own types."""
    types = {*map(type, old.stored.constants)}
    found = {each: rules.of(_Type(Stored(_NATIVE[each])), new) for each in types}
    if any(each.fails for each in found.values()):
        return _changed(old, new)
    return _joined(found.values(), lambda cell: found[type(cell)](cell))


def _array(rules: _Rules, old: _Type, new: _Type) -> Conversion:
    before, after = old.stored.label, new.stored.label
    is_same = old.name == "numpy" or dtype_of(before) == dtype_of(after)
    if covers(after, before) and is_same:
        return Conversion()
    if not (covers(after, before) or covers(before, after)):
        return _changed(old, new)

    def convert(cell: Any) -> Any:
        full = in_full(cell, before)
        if not dtype_fits(after, full[0]):
            raise Unfit(f"its dtype is {full[0]}, which is not `{after}`")
        return cell if is_same else short(full, after)

    if covers(after, before):
        return Conversion(convert)
    return _refusing(convert, f"its dtype may be another than `{after}`")


# -- references


def _ref(rules: _Rules, old: _Type, new: _Type) -> Conversion:
    before, after = (
        each.parts[0].stored if each.name == "weak" else each.stored
        for each in (old, new)
    )
    there = rules.classes
    lost = [
        number
        for number in before.numbers
        if number not in after.numbers
        and (there is None or number <= 0 or number in there)
    ]
    if 0 in after.numbers or not lost:
        return Conversion()
    reason = "the reference may be of a class that is not allowed any more"
    return _refusing(None, reason, "class")


def _class(rules: _Rules, old: _Type, new: _Type) -> Conversion:
    allowed = {*new.stored.numbers}
    if 0 in allowed or allowed.issuperset(old.stored.numbers):
        return Conversion()
    reason = "the class may be one that is not allowed any more"

    def convert(cell: int) -> int:
        if cell not in allowed:
            raise Unfit(reason)
        return cell

    return _refusing(convert, reason, "class")


# -- containers


def _items(rules: _Rules, old: _Type, new: _Type) -> Conversion:
    item = rules.of(old.parts[0], new.parts[0])
    was_deque, is_deque = old.name == "deque", new.name == "deque"

    def convert(cell: Any) -> Any:
        limit, members = cell if was_deque else (None, cell)
        members = [*map(item, members)]
        return [limit, members] if is_deque else members

    return _joined([item], convert, is_other=was_deque != is_deque)


def _sets(rules: _Rules, old: _Type, new: _Type) -> Conversion:
    item = rules.of(old.parts[0], new.parts[0])
    return _joined([item], lambda cell: ordered(map(item, cell)))


def _fixed(rules: _Rules, old: _Type, new: _Type) -> Conversion:
    if len(old.parts) != len(new.parts):
        return _changed(old, new)
    parts = [rules.of(*pair) for pair in zip(old.parts, new.parts)]
    return _joined(parts, lambda cell: [part(each) for part, each in zip(parts, cell)])


def _dicts(rules: _Rules, old: _Type, new: _Type) -> Conversion:
    key = rules.of(old.parts[0], new.parts[0])
    value = rules.of(*((*each.parts, _INT)[1] for each in (old, new)))
    was_map, is_map = old.stored.is_map, new.stored.is_map

    def convert(cell: Any) -> Any:
        pairs = cell.items() if was_map else cell
        made = [[key(one), value(other)] for one, other in pairs]
        return dict(made) if is_map else made

    return _joined([key, value], convert, is_other=was_map != is_map)


def _codec(rules: _Rules, old: _Type, new: _Type) -> Conversion:
    if old.label != new.label:
        return _changed(old, new)
    return rules.of(old.parts[0], new.parts[0])


# -- values and records, field by field, by number


def _fields(rules: _Rules, old: _Type, new: _Type) -> Conversion:
    before = {field.number: (n, field) for n, field in enumerate(old.stored.fields)}
    after = new.stored.numbers
    if after and before and before.keys().isdisjoint(after):
        return _changed(old, new)
    parts: list[Conversion] = []
    makers: list[Convert] = []
    for field in new.stored.fields:
        if field.number in before:
            place, was = before[field.number]
            parts.append(_kept(rules, (old, was), (new, field)))
            makers.append(_at(place, parts[-1]))
        else:
            parts.append(_default(rules, new, field))
            makers.append(parts[-1])
    found = _joined(
        parts,
        lambda cell: [make(cell) for make in makers],
        is_other=old.stored.numbers != after,
    )
    lost = (field for number, (_, field) in before.items() if number not in after)
    loses = *((old.stored.label, field.name) for field in lost), *found.loses
    return replace(found, loses=loses)


def _at(place: int, part: Conversion) -> Convert:
    return lambda cell: part(cell[place])


def _kept(
    rules: _Rules, old: tuple[_Type, Field], new: tuple[_Type, Field]
) -> Conversion:
    """Return how a field is converted that a record had before."""
    (record, was), (today, field) = old, new
    found = rules.of(record.inner(was.type), today.inner(field.type))
    faults = (*(_located(fault, today, field) for fault in found.faults),)
    if was.may_be_absent and not field.may_be_absent:
        reason = f"`{today.label}` needs a key {field.name!r} now"
        faults = (Fault(reason, "key", today.stored.label, field.name), *faults)
    convert = found.convert
    if field.may_be_absent and not was.may_be_absent:
        convert = lambda cell: [found(cell)]
    elif convert and was.may_be_absent:
        convert = lambda cell: [found(each) for each in cell]
    return Conversion(convert, found.loses, faults)


def _located(fault: Fault, record: _Type, field: Field) -> Fault:
    """Return a fault with the field that it is in, if it does not say one yet."""
    if fault.owner:
        return fault
    reason = f"of `{record.label}.{field.name}` {fault.reason}"
    return replace(fault, reason=reason, owner=record.stored.label, name=field.name)


def _default(rules: _Rules, record: _Type, field: Field) -> Conversion:
    if field.may_be_absent:
        return Conversion(lambda cell: [])
    whole = field._replace(type=record.inner(field.type).closed)
    make = rules.defaults(record.stored, whole)
    if make is None:
        reason = f"`{record.label}` has a new field `{field.name}` without a default"
        fault = Fault(reason, "default", record.stored.label, field.name)
        return Conversion(faults=(fault,))
    return Conversion(lambda cell: make())


# -- unions and what may be `None`


def _choice(rules: _Rules, old: _Type, new: _Type) -> Conversion:
    """Convert each type that an old value may be of to the first of today's that can be."""
    members = old.members
    if _NONE in members:  # every `None` is that one, even if a literal has one, too
        members = [*map(_without_none, members)]
    chosen = [_chosen(rules, member, old, new) for member in members]

    def convert(cell: Any) -> Any:
        index, inner = _which(old, cell)
        place, part = chosen[index]
        if place is None:
            return part(inner)
        return _made(new, place, part(inner))

    found = _joined(
        [part for _, part in chosen], convert, is_other=not _writes_alike(old, new)
    )
    return found


def _without_none(type: _Type) -> _Type:
    if type.name != "literal":
        return type
    names = (*(name for name in type.stored.names if name != "None"),)
    return replace(type, stored=replace(type.stored, names=names))


def _chosen(
    rules: _Rules, member: _Type, old: _Type, new: _Type
) -> tuple[int | None, Conversion]:
    """Return the place of the nearest type of today's, and how a value becomes one of it.

    There is no place if the conversion makes a whole cell of today.
    """
    if member.name == "literal":
        if not any(each.name == "literal" for each in new.members):
            return None, _of_literal(rules, member, new)
    choices = [rules.of(member, each) for each in new.members]
    costs = [
        (bool(part.fails), bool(part.refuses), bool(part.loses), bool(part.convert))
        for part in choices
    ]
    place = costs.index(min(costs))
    if not choices[place].fails:
        return place, choices[place]
    inside = (part for part in choices if any(each.owner for each in part.faults))
    return None, next(inside, _changed(old, new))


def _which(type: _Type, cell: Any) -> tuple[int, Any]:
    """Return the position of the member that a cell is of, and the cell of that member."""
    if type.name == "optional":
        (part,) = type.parts
        is_none = not cell if part.name == "ref" else cell is None
        return (len(part.members), None) if is_none else _which(part, cell)
    if type.name != "union":
        return 0, cell
    parts = type.parts
    if type.stored.is_native_union:
        names = [part.name for part in parts]
        name = _NAMES[cell.__class__]
        return names.index(name if name in names else "float"), cell
    index, *cells = cell
    inner, found = _which(parts[index], cells[index])
    return sum(len(part.members) for part in parts[:index]) + inner, found


def _made(type: _Type, index: int, cell: Any) -> Any:
    """Return a cell that is of the member at a position."""
    if type.name == "optional":
        (part,) = type.parts
        if index == len(part.members):
            return 0 if part.name == "ref" else None
        return _made(part, index, cell)
    if type.name != "union" or type.stored.is_native_union:
        return cell
    cells: list[Any] = [None] * len(type.parts)
    for number, part in enumerate(type.parts):
        count = len(part.members)
        if index < count:
            cells[number] = _made(part, index, cell)
            return [number, *cells]
        index -= count
    raise IndexError(index)


def _writes_alike(old: _Type, new: _Type) -> bool:
    """Return whether the same cell says in both types what it is of."""
    if old.stored == new.stored:
        return True
    if not (_is_bare(old) and _is_bare(new)):
        return False
    is_zero = {
        each.name == "optional" and each.parts[0].name == "ref" for each in (old, new)
    }
    return _NONE not in old.members or len(is_zero) == 1


def _is_bare(type: _Type) -> bool:
    """Return whether cells are the values themselves, without an index beside them."""
    if type.name == "optional":
        return _is_bare(type.parts[0])
    return type.name != "union" or type.stored.is_native_union


# -- which rule is for which names


def _pairs(*names: str) -> list[tuple[str, str]]:
    return [(old, new) for old in names for new in names]


_RULES: dict[tuple[str, str], _Rule] = {
    **{(n, n): lambda rules, old, new: Conversion() for n in ATOMS - {"ndarray"}},
    **dict.fromkeys(_SCALARS, _scalar),
    ("enum", "enum"): _enum,
    ("flag", "flag"): _enum,
    ("literal", "literal"): _literal,
    ("ndarray", "ndarray"): _array,
    ("numpy", "numpy"): _array,
    ("class", "class"): _class,
    **dict.fromkeys(_pairs("ref", "weak"), _ref),
    ("fixed", "fixed"): _fixed,
    ("codec", "codec"): _codec,
    **dict.fromkeys(_pairs("list", "tuple", "deque"), _items),
    **dict.fromkeys(_pairs("set", "frozenset"), _sets),
    **dict.fromkeys(_pairs("dict", "defaultdict", "OrderedDict", "Counter"), _dicts),
    **dict.fromkeys(_pairs("value", "record"), _Rules.record),
}
