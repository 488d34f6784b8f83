"""Which cells fit their stored type, checked a column at a time.

A pack expression tests whatever it builds something from, so a cell can only be wrong where a
native value passes through it unchanged, where a reference leads to an object of another
class, or in a row that a file brought. `misfits` finds all three: exactly, by the very type of
each native value, because encoding would turn an `IntEnum` into an int and a `Counter` into a
dict without a word.

Two faults are left to the encoder, which raises for them at no cost: an int beyond 64 bits and
a text with a lone surrogate.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, reduce
from itertools import accumulate, chain
from typing import TYPE_CHECKING, Any

from msgspec import UNSET, Struct
from msgspec.structs import astuple, replace

from savegen.runtime.arrays import dtype_fits
from savegen.runtime.components import References
from savegen.runtime.mismatches import holds_mismatch
from savegen.runtime.rows import Key, Mismatch, Row, unfit
from savegen.runtime.stored import BLANKS, DEPTH, Field, Stored

if TYPE_CHECKING:
    from savegen.runtime.registry import ClassEntry

ClassOf = Callable[[Key], "int | None"]
Column = Sequence[Any]


def misfits(
    stored: Stored,
    column: Column,
    class_of: ClassOf | None = None,
    *,
    dangling: bool = False,
) -> list[int]:
    """Return the places of the cells that do not fit a stored type, in ascending order.

    `class_of` returns the class number of the object that a key names, `None` for an unknown
    key; without it a reference may lead anywhere. With `dangling`, key 0 fits a reference that
    is not optional: it stands where a destroyed object was. `UNSET` cells are passed over.

    >>> from savegen.runtime.stored import parse
    >>> misfits(parse("list<float>"), [[0.5], ["a"], [1]])
    [1]
    >>> misfits(parse("optional<ref<7>>"), [12, 0, 13], {12: 7, 13: 8}.get)
    [2]
    """
    found = check_of(stored)(column, Rules(class_of, dangling))
    return [place for place in found if column[place] is not UNSET] if found else found


class Rules(Struct, frozen=True):
    """What checks are told about references, and how deep records may still be nested."""

    class_of: ClassOf | None = None
    dangling: bool = False
    # Whether `dangling` holds for members of containers, too. What a capture takes has lost
    # such members: key 0 stands there for a `None` that the game has put in.
    dangling_members: bool = True
    depth: int = DEPTH


Check = Callable[[Column, Rules], list[int]]
"""Returns the places in a column that do not fit, in ascending order."""
Around = Mapping[str, list[Check]]
"""The check of each value and record that a type is in, by name, once there is one."""


@lru_cache(4096)
def check_of(stored: Stored) -> Check:
    """Return the check of a stored type."""
    return _check(stored, {})


def _check(stored: Stored, around: Around) -> Check:
    if stored.name in _CHECKS:
        return _CHECKS[stored.name](stored, around)
    return _atom(stored.name)


def _each(stored: Stored, around: Around) -> list[Check]:
    return [_check(part, around) for part in stored.parts]


def _member(part: Stored, around: Around) -> Check:
    """Return the check of the members of a container."""
    is_reference = part.name == "ref"
    return _reference(part, is_member=True) if is_reference else _check(part, around)


def _any(stored: Stored, around: Around) -> Check:
    return lambda column, rules: []


def _both(*checks: Check) -> Check:
    """Return a check that asks each one only about cells that those before it let pass."""
    return reduce(_two, checks)


def _two(first: Check, second: Check) -> Check:
    def check(column: Column, rules: Rules) -> list[int]:
        wrong = first(column, rules)
        if not wrong:
            return second(column, rules)
        known = {*wrong}
        places = [place for place in range(len(column)) if place not in known]
        found = second([column[place] for place in places], rules)
        return sorted([*wrong, *(places[place] for place in found)])

    return check


def _every(fits: Callable[[Any], bool]) -> Check:
    """Return a check that asks about one cell after the other."""

    def check(column: Column, rules: Rules) -> list[int]:
        return [place for place, cell in enumerate(column) if not fits(cell)]

    return check


# -- cells of certain types


class Types:
    """Checks that each cell is of one of some types, and not of a subclass."""

    def __init__(self, *types: type) -> None:
        self.types = frozenset(types)

    def __call__(self, column: Column, rules: Rules) -> list[int]:
        if self.hold(column):
            return []
        # Not `in`: that would ask a metaclass of the game's for a hash.
        good = [*map(id, self.types)]
        return [
            place for place, cell in enumerate(column) if id(type(cell)) not in good
        ]

    def hold(self, cells: Iterable[Any]) -> bool:
        """Return whether all cells fit."""
        try:
            return self.types.issuperset(map(type, cells))
        except Exception:  # a class whose metaclass hashes or compares otherwise
            return False


_NONE = type(None)
_LISTS = Types(list, tuple)


def _atom(name: str) -> Check:
    """Return the check of a type that has no parts."""
    blank = BLANKS[name]
    if type(blank) is tuple:
        return _fixed(*(Types(type(each)) for each in blank))
    # An int is a float to type checkers; it stays an int.
    return Types(float, int) if name == "float" else Types(type(blank))


def _optional(stored: Stored, around: Around) -> Check:
    (part,) = stored.parts
    if part.name == "ref":
        return _reference(part, may_be_none=True)
    inner = _check(part, around)
    if isinstance(inner, Types):
        return Types(_NONE, *inner.types)

    def check(column: Column, rules: Rules) -> list[int]:
        if None not in column:
            return inner(column, rules)
        places = [place for place, cell in enumerate(column) if cell is not None]
        found = inner([column[place] for place in places], rules)
        return [places[place] for place in found]

    return check


def _among(fits: Callable[[Any], bool], *types: type) -> Check:
    """Return a check for cells of some types, of which few differ."""

    def check(column: Column, rules: Rules) -> list[int]:
        wrong = {cell for cell in {*column} if not fits(cell)}
        return [n for n, cell in enumerate(column) if cell in wrong] if wrong else []

    return _both(Types(*types), check)


def _enum(stored: Stored, around: Around) -> Check:
    return _among(frozenset(stored.names).__contains__, str)


def _flag(stored: Stored, around: Around) -> Check:
    names = frozenset(stored.names)

    def fits(text: str) -> bool:
        parts = text.split("|")
        return all(part in names or _is_number(part) for part in parts)

    return _among(fits, str)


def _is_number(text: str) -> bool:
    return text.lstrip("-")[:1].isdigit()


def _literal(stored: Stored, around: Around) -> Check:
    known = frozenset((type(each), each) for each in stored.constants)
    types = Types(*(cls for cls, _ in known))
    return _both(types, _every(lambda cell: (type(cell), cell) in known))


def _class(stored: Stored, around: Around) -> Check:
    numbers = frozenset(stored.numbers)
    return Types(int) if 0 in numbers else _among(numbers.__contains__, int)


# -- references


def _ref(stored: Stored, around: Around) -> Check:
    return _reference(stored)


def _weak(stored: Stored, around: Around) -> Check:
    return _reference(stored.parts[0], may_be_none=True)  # as dead, it is 0


def _reference(
    stored: Stored, *, may_be_none: bool = False, is_member: bool = False
) -> Check:
    numbers = frozenset(stored.numbers)

    def check(column: Column, rules: Rules) -> list[int]:
        may_dangle = rules.dangling_members if is_member else True
        zero_fits = may_be_none or (rules.dangling and may_dangle)
        wrong = {0} if not zero_fits and 0 in column else set()
        if rules.class_of is not None:
            wrong |= _strangers(column, rules.class_of, numbers)
        return [n for n, key in enumerate(column) if key in wrong] if wrong else []

    return _both(Types(int), check)


def _strangers(column: Column, class_of: ClassOf, numbers: frozenset[int]) -> set[Key]:
    """Return the keys of objects that are of no class among `numbers`."""
    if 0 in numbers:
        return {key for key in filter(None, column) if class_of(key) is None}
    if numbers.issuperset(map(class_of, filter(None, column))):
        return set()
    return {key for key in filter(None, column) if class_of(key) not in numbers}


# -- containers


def _items(item: Check) -> Check:
    """Return a check of arrays whose members are alike."""

    def check(column: Column, rules: Rules) -> list[int]:
        if isinstance(item, Types) and item.hold(chain.from_iterable(column)):
            return []
        return _owners(column, item([*chain.from_iterable(column)], rules))

    return _both(_LISTS, check)


def _owners(column: Column, places: list[int]) -> list[int]:
    """Return which containers have the members at some places, all counted in a row."""
    if not places:
        return []
    ends = [*accumulate(map(len, column))]
    return sorted({bisect_right(ends, place) for place in places})


def _fixed(*parts: Check) -> Check:
    """Return a check of arrays with a check for each place."""
    width = len(parts)

    def widths(column: Column, rules: Rules) -> list[int]:
        if {*map(len, column)} <= {width}:
            return []
        return [place for place, cell in enumerate(column) if len(cell) != width]

    def check(column: Column, rules: Rules) -> list[int]:
        wrong: set[int] = set()
        for part, cells in zip(parts, zip(*column)):
            wrong.update(part(cells, rules))
        return sorted(wrong)

    return _both(_LISTS, widths, check)


def _map(key: Check, value: Check) -> Check:
    def check(column: Column, rules: Rules) -> list[int]:
        keys = [*chain.from_iterable(column)]
        values = [*chain.from_iterable(map(dict.values, column))]
        return _owners(column, [*key(keys, rules), *value(values, rules)])

    return _both(Types(dict), check)


def _dict(stored: Stored, around: Around) -> Check:
    key, value = (*stored.parts, _COUNT)[:2]
    checks = _member(key, around), _member(value, around)
    return _map(*checks) if stored.is_map else _items(_fixed(*checks))


_COUNT = Stored("int")  # of a `Counter`


def _deque(stored: Stored, around: Around) -> Check:
    item = _member(stored.parts[0], around)
    limit = _both(Types(int, _NONE), _every(lambda cell: cell is None or cell >= 0))
    return _fixed(limit, _items(item))


# -- values, records and unions


def _record(stored: Stored, around: Around) -> Check:
    later: list[Check] = []
    inside = {**around, stored.label: later}
    check = _fixed(*(_field(field, inside) for field in stored.fields))
    if any(part.name == "rec" for part in stored.walk()):
        check = _of_rows(check)
    later.append(check)
    return check


def _field(field: Field, around: Around) -> Check:
    check = _check(field.type, around)
    if not field.may_be_absent:
        return check
    return _both(_items(check), _every(lambda cell: len(cell) <= 1))


def _of_rows(check: Check) -> Check:
    """Return a check that takes a row, which is how a recursive record is packed, too."""

    def of_rows(column: Column, rules: Rules) -> list[int]:
        plain = [astuple(cell) if isinstance(cell, Row) else cell for cell in column]
        return check(plain, rules)

    return of_rows


def _rec(stored: Stored, around: Around) -> Check:
    later = around[stored.label]

    def check(column: Column, rules: Rules) -> list[int]:
        if not (column and rules.depth):
            return [*range(len(column))]
        return later[0](column, replace(rules, depth=rules.depth - 1))

    return check


def _codec(stored: Stored, around: Around) -> Check:
    return _check(stored.parts[0], around)


def _union(stored: Stored, around: Around) -> Check:
    if stored.is_native_union:
        types = {type(BLANKS[part.name]) for part in stored.parts}
        return Types(*types, *([int] if float in types else []))
    members = _each(stored, around)
    numbers = range(len(members))
    index = _both(Types(int), _every(numbers.__contains__))

    def check(column: Column, rules: Rules) -> list[int]:
        chosen, *columns = zip(*column) if column else [()]
        wrong: set[int] = set()
        for number, member, cells in zip(numbers, members, columns):
            places = [place for place, each in enumerate(chosen) if each == number]
            found = member([cells[place] for place in places], rules)
            wrong.update(places[place] for place in found)
            wrong.update(
                place
                for place, cell in enumerate(cells)
                if cell is not None and chosen[place] != number
            )
        return sorted(wrong)

    return _both(_fixed(index, *([_any(stored, around)] * len(members))), check)


# -- what the library's values are packed to


def _array_of_numbers(stored: Stored, around: Around) -> Check:
    """Check an array or a single number of numpy's: its dtype above all."""
    checks = [_any(stored, around)]
    if stored.name == "ndarray":
        checks += [_items(Types(int)), _among(["C", "F"].__contains__, str)]
    check = _fixed(*checks, Types(bytes))
    if not stored.label:
        return check
    return _both(check, _every(lambda cell: dtype_fits(stored.label, cell[0])))


def _list(stored: Stored, around: Around) -> Check:
    return _items(_member(stored.parts[0], around))


_CHECKS: dict[str, Callable[[Stored, Around], Check]] = {
    "any": _any,
    "optional": _optional,
    **dict.fromkeys(["list", "tuple", "set", "frozenset"], _list),
    "fixed": lambda stored, around: _fixed(*_each(stored, around)),
    **dict.fromkeys(["dict", "defaultdict", "OrderedDict", "Counter"], _dict),
    "deque": _deque,
    "ref": _ref,
    "weak": _weak,
    "class": _class,
    "enum": _enum,
    "flag": _flag,
    "literal": _literal,
    "value": _record,
    "record": _record,
    "rec": _rec,
    "codec": _codec,
    "union": _union,
    "ndarray": _array_of_numbers,
    "numpy": _array_of_numbers,
}


# -- what it is that does not fit


def check_references(
    component: Any,
    row: Row,
    entry: ClassEntry,
    references: References,
    class_of: ClassOf,
) -> None:
    """Raise `SaveError` if a row refers to an object or a class that its field may not hold."""
    for cell, stored in entry.naming.items():
        found = getattr(row, cell, UNSET)
        if not misfits(stored, [found], class_of, dangling=True):
            continue
        place, part, inner = innermost(found, stored, class_of)
        if type(part) is int:
            at = {"ref": references.get_component, "class": references.class_at}
            part = at[inner.name](part) if inner.name in at else part
        raise unfit(f"`{type(component).__qualname__}.{cell}{place}`", part)


def innermost(
    cell: Any, stored: Stored, class_of: ClassOf | None = None, place: str = ""
) -> tuple[str, Any, Stored]:
    """Return the innermost part of a cell that does not fit: its place, value and stored type.

    >>> from savegen.runtime.stored import parse
    >>> innermost([(1, "x"), (2, 3)], parse("list<(int, str)>"))
    ('[1][1]', 3, Stored('str'))
    """
    if type(cell) is Mismatch:
        return place, cell.value, stored
    for step, part, inner in parts_of(cell, stored):
        if holds_mismatch(inner) or misfits(part, [inner], class_of):
            return innermost(inner, part, class_of, place + step)
    return place, cell, stored


def parts_of(cell: Any, stored: Stored) -> Iterator[tuple[str, Stored, Any]]:
    """Yield what is inside a cell: its step, stored type and value."""
    name, parts = stored.name, stored.parts
    if name == "optional" and cell is not None:
        yield "", parts[0], cell
    elif name in ("dict", "defaultdict", "OrderedDict"):
        for key, value in cell.items() if isinstance(cell, dict) else cell:
            yield " (key)", parts[0], key
            yield f"[{key!r}]", parts[1], value
    elif type(cell) not in (list, tuple):
        return
    elif name in ("list", "tuple", "set", "frozenset"):
        yield from _members(parts * len(cell), cell)
    elif name == "deque":
        yield from _members(parts * len(cell[1]), cell[1])
    elif name == "fixed":
        yield from _members(parts, cell)
    elif name in ("value", "record"):
        for field, member in zip(stored.fields, cell):
            if not field.may_be_absent:
                yield f".{field.name}", field.type, member
            elif member:
                yield f".{field.name}", field.type, member[0]


def _members(
    parts: Iterable[Stored], members: Iterable[Any]
) -> Iterator[tuple[str, Stored, Any]]:
    for place, (part, member) in enumerate(zip(parts, members)):
        yield f"[{place}]", part, member
