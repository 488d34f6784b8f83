"""Checks of whether cells fit their stored type, a column at a time.

A cell can be wrong in three cases: a native value was packed unchanged, a reference points to
an object of another class, or the row was read from a file. All other values are checked when
they are packed. `misfits` finds all three cases. It compares the exact type of each native
value, because the encoder would silently turn an `IntEnum` into an int and a `Counter` into a
dict.

Two errors are left to the encoder, which raises for them anyway: an int beyond 64 bits and a
text with a lone surrogate.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import accumulate, chain, count
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import UNSET, Struct
from msgspec.structs import astuple, replace

from savegen.runtime.arrays import dtype_fits, dtype_of
from savegen.runtime.cells import fields_in, parts_in
from savegen.runtime.components import References
from savegen.runtime.mismatches import holds_mismatch
from savegen.runtime.rows import Key, Mismatch, Row, unfit
from savegen.runtime.stored import (
    ARRAYS,
    BLANKS,
    DEPTH,
    MAPPINGS,
    NATIVE,
    RECORDS,
    Field,
    Stored,
)

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
    """Return the positions of the cells that do not fit a stored type, in ascending order.

    `class_of` returns the class number of the object with a key, `None` for an unknown key;
    without it, any key fits a reference. With `dangling`, key 0 fits a reference that is not
    optional, because it replaces a destroyed object. `UNSET` cells are skipped.

    >>> from savegen.runtime.stored import parse
    >>> misfits(parse("list<float>"), [[0.5], ["a"], [1]])
    [1]
    >>> misfits(parse("optional<ref<7>>"), [12, 0, 13], {12: 7, 13: 8}.get)
    [2]
    """
    return wrong_places(stored, column, Rules(class_of, dangling))


class Rules(Struct, frozen=True):
    """Options of a check: which references fit, and how deep records may be nested."""

    class_of: ClassOf | None = None
    dangling: bool = False
    # Whether `dangling` also applies to members of containers. A capture removes destroyed
    # objects from containers, so key 0 in one is a `None` from the game, which does not fit.
    dangling_members: bool = True
    depth: int = DEPTH  # how many more levels of records are allowed


def wrong_places(stored: Stored, column: Column, rules: Rules) -> list[int]:
    """Return the positions of the cells that do not fit; `UNSET` cells are skipped."""
    found = _wrong(stored, column, rules)
    return [place for place in found if column[place] is not UNSET] if found else found


def _wrong(stored: Stored, column: Column, rules: Rules) -> list[int]:
    """Return the positions of the cells that do not fit, in ascending order."""
    types = types_of(stored)
    if types is not None:
        return _of_other_types(types, column)
    return _CHECKS.get(stored.name, _shape)(stored, column, rules)


Check = Callable[[Column], list[int]]


def _then(wrong: list[int], column: Column, check: Check) -> list[int]:
    """Return the wrong positions, and those that a check finds among the remaining cells."""
    if not wrong:
        return check(column)
    known = {*wrong}
    places = [place for place in range(len(column)) if place not in known]
    found = check([column[place] for place in places])
    return sorted([*wrong, *(places[place] for place in found)])


def _except(fits: Callable[[Any], bool], column: Column) -> list[int]:
    return [place for place, cell in enumerate(column) if not fits(cell)]


# -- checks by type

Types = frozenset[type]
_NONE = type(None)
_ARRAY, _INT, _TEXT = frozenset([list, tuple]), frozenset([int]), frozenset([str])


@lru_cache(4096)
def types_of(stored: Stored) -> Types | None:
    """Return the allowed types of a cell; `None` if a check of its type is not enough."""
    name = stored.name
    if name == "optional":
        inner = types_of(stored.parts[0])
        return inner and inner | {_NONE}
    if stored.is_native_union:
        return frozenset().union(*(types_of(part) or () for part in stored.parts))
    if name == "class" and 0 in stored.numbers:
        return _INT
    blank = BLANKS.get(name, ())
    if name == "any" or type(blank) is tuple:
        return None
    # Type checkers accept an int as a float; it is saved as an int.
    return frozenset([float, int] if name == "float" else [type(blank)])


def hold(types: Types, cells: Iterable[Any]) -> bool:
    """Return whether each cell has exactly one of the given types; a subclass does not count."""
    try:
        return types.issuperset(map(type, cells))
    except Exception:  # the metaclass of a type may fail to hash or compare
        return False


_FLAT = ARRAYS | RECORDS | {"fixed"}


class Glance(NamedTuple):
    """A quick check of cells, or of their members, by type alone."""

    types: Types
    of_members: bool

    def fit(self, cells: Iterable[Any]) -> bool:
        """Return whether all cells fit; if `False`, they may still fit in a full check.

        >>> from savegen.runtime.stored import parse
        >>> glance = glance_at(parse("list<int>"))
        >>> glance.fit([[1, 2], []]), glance.fit([[1, True]])
        (True, False)
        """
        return hold(
            self.types, chain.from_iterable(cells) if self.of_members else cells
        )


@lru_cache(4096)
def glance_at(stored: Stored, may_be_any: bool = False) -> Glance:
    """Return the quick check for a stored type; for many types it accepts no cell.

    With `may_be_any`, the containers may be wrong too, not only their members.
    """
    types = types_of(stored)
    if types is not None:
        return Glance(types, False)
    inner = {*map(types_of, stored.parts)}
    types = inner.pop() if len(inner) == 1 else None
    is_flat = stored.name in _FLAT and not stored.absent
    if not types or not is_flat or may_be_any:
        return Glance(frozenset(), False)  # every cell needs a full check
    return Glance(types, True)


def passes_values(stored: Stored) -> bool:
    """Return whether a cell of a stored type contains values of the game unchanged."""
    return any(part.name in _PASSED for part in stored.walk())


_PASSED = NATIVE | {"literal", "codec", "rec"}


def _of_other_types(types: Types, column: Column) -> list[int]:
    if hold(types, column):
        return []
    # `in` would call the `__hash__` of a metaclass of the game.
    good = [*map(id, types)]
    return [n for n, cell in enumerate(column) if id(type(cell)) not in good]


def _optional(stored: Stored, column: Column, rules: Rules) -> list[int]:
    (part,) = stored.parts
    if part.name == "ref":
        return _reference(part, column, rules, is_zero_right=True)
    places = [place for place, cell in enumerate(column) if cell is not None]
    if len(places) == len(column):
        return _wrong(part, column, rules)
    found = _wrong(part, [column[place] for place in places], rules)
    return [places[place] for place in found]


def _among(fits: Callable[[Any], bool], types: Types, column: Column) -> list[int]:
    """Check a column with few distinct values, each value once."""

    def among(cells: Column) -> list[int]:
        wrong = {cell for cell in {*cells} if not fits(cell)}
        return [n for n, cell in enumerate(cells) if cell in wrong] if wrong else []

    return _then(_of_other_types(types, column), column, among)


def _enum(stored: Stored, column: Column, rules: Rules) -> list[int]:
    return _among(stored.names.__contains__, _TEXT, column)


def _flag(stored: Stored, column: Column, rules: Rules) -> list[int]:
    def fits(text: str) -> bool:
        parts = text.split("|")
        return all(part in stored.names or _is_number(part) for part in parts)

    return _among(fits, _TEXT, column)


def _is_number(text: str) -> bool:
    return text.lstrip("-")[:1].isdigit()


def _literal(stored: Stored, column: Column, rules: Rules) -> list[int]:
    known = {(type(each), each) for each in stored.constants}
    wrong = _of_other_types(frozenset(cls for cls, _ in known), column)
    among = partial(_except, lambda cell: (type(cell), cell) in known)
    return _then(wrong, column, among)


def _class(stored: Stored, column: Column, rules: Rules) -> list[int]:
    return _among(stored.numbers.__contains__, _INT, column)


# -- references


def _ref(stored: Stored, column: Column, rules: Rules) -> list[int]:
    return _reference(stored, column, rules, rules.dangling)


def _weak(stored: Stored, column: Column, rules: Rules) -> list[int]:
    # Key 0 is a dead weak reference.
    return _reference(stored.parts[0], column, rules, True)


def _members(part: Stored, column: Column, rules: Rules) -> list[int]:
    """Check the members of containers."""
    if part.name != "ref":
        return _wrong(part, column, rules)
    may_dangle = rules.dangling and rules.dangling_members
    return _reference(part, column, rules, may_dangle)


def _reference(
    stored: Stored, column: Column, rules: Rules, is_zero_right: bool
) -> list[int]:
    def among(keys: Column) -> list[int]:
        wrong = {0} if not is_zero_right and 0 in keys else set()
        if rules.class_of is not None:
            wrong |= _strangers(keys, rules.class_of, frozenset(stored.numbers))
        return [n for n, key in enumerate(keys) if key in wrong] if wrong else []

    return _then(_of_other_types(_INT, column), column, among)


def _strangers(column: Column, class_of: ClassOf, numbers: frozenset[int]) -> set[Key]:
    """Return the keys of objects whose class number is not in `numbers`."""
    keys = {*column}  # unique, and mostly ascending, which speeds up the lookups
    keys.discard(0)
    if 0 in numbers:
        return {key for key in keys if class_of(key) is None}
    if numbers.issuperset(map(class_of, keys)):
        return set()
    return {key for key in keys if class_of(key) not in numbers}


# -- containers


def _items(part: Stored, column: Column, rules: Rules) -> list[int]:
    """Check arrays whose members all have the same stored type."""

    def among(cells: Column) -> list[int]:
        types = types_of(part)
        if types is not None and hold(types, chain.from_iterable(cells)):
            return []
        return _owners(cells, _members(part, [*chain.from_iterable(cells)], rules))

    return _then(_of_other_types(_ARRAY, column), column, among)


def _owners(column: Column, places: list[int]) -> list[int]:
    """Return the positions of the containers of some members, given by their overall positions."""
    if not places:
        return []
    ends = [*accumulate(map(len, column))]
    return sorted({bisect_right(ends, place) for place in places})


def _list(stored: Stored, column: Column, rules: Rules) -> list[int]:
    return _items(stored.parts[0], column, rules)


def _places(column: Column, *checks: Check) -> list[int]:
    """Check arrays of fixed length, with one check for each position.

    Nested records recurse through this function, so it adds few frames to the stack.
    """
    wrong = {*_then(_of_other_types(_ARRAY, column), column, _of_width(len(checks)))}
    places = [n for n in range(len(column)) if n not in wrong] if wrong else None
    good = column if places is None else [column[place] for place in places]
    for check, cells in zip(checks, zip(*good)):
        found = check(cells)
        wrong.update(found if places is None else [places[n] for n in found])
    return sorted(wrong)


def _of_width(width: int) -> Check:
    def check(cells: Column) -> list[int]:
        if {*map(len, cells)} <= {width}:
            return []
        return _except(lambda cell: len(cell) == width, cells)

    return check


def _fixed(stored: Stored, column: Column, rules: Rules) -> list[int]:
    return _places(column, *(partial(_wrong, p, rules=rules) for p in stored.parts))


def _shape(stored: Stored, column: Column, rules: Rules) -> list[int]:
    """Check that the parts of each cell have the same types as those of the blank cell."""
    types = [frozenset([type(each)]) for each in BLANKS[stored.name]]
    return _places(column, *(partial(_of_other_types, each) for each in types))


def _dict(stored: Stored, column: Column, rules: Rules) -> list[int]:
    parts = (*stored.parts, Stored("int"))[:2]  # the counts of a `Counter` are ints
    key, value = (partial(_members, part, rules=rules) for part in parts)
    if stored.is_map:
        return _map(column, key, value)

    def among(cells: Column) -> list[int]:
        pairs = [*chain.from_iterable(cells)]
        return _owners(cells, _places(pairs, key, value))

    return _then(_of_other_types(_ARRAY, column), column, among)


def _map(column: Column, key: Check, value: Check) -> list[int]:
    def among(cells: Column) -> list[int]:
        keys = [*chain.from_iterable(cells)]
        values = [*chain.from_iterable(map(dict.values, cells))]
        return _owners(cells, [*key(keys), *value(values)])

    return _then(_of_other_types(frozenset([dict]), column), column, among)


def _deque(stored: Stored, column: Column, rules: Rules) -> list[int]:
    return _places(column, _limits, partial(_items, stored.parts[0], rules=rules))


def _limits(column: Column) -> list[int]:
    wrong = _of_other_types(_INT | {_NONE}, column)
    among = partial(_except, lambda limit: limit is None or limit >= 0)
    return _then(wrong, column, among)


# -- values, records and unions


def _record(stored: Stored, column: Column, rules: Rules) -> list[int]:
    if _is_recursive(stored):
        if not (column and rules.depth):
            return [*range(len(column))]
        # A recursive record may be packed as a row.
        column = [astuple(cell) if isinstance(cell, Row) else cell for cell in column]
        rules = replace(rules, depth=rules.depth - 1)
    return _places(column, *(_of_field(field, rules) for field in stored.inner_fields))


@lru_cache(4096)
def _is_recursive(stored: Stored) -> bool:
    return any(part.name == "rec" for part in stored.walk())


def _of_field(field: Field, rules: Rules) -> Check:
    if field.may_be_absent:
        return partial(_absent_or_one, field.type, rules)
    return partial(_wrong, field.type, rules=rules)


def _absent_or_one(stored: Stored, rules: Rules, column: Column) -> list[int]:
    among = partial(_except, lambda cell: len(cell) <= 1)
    return _then(_items(stored, column, rules), column, among)


def _codec(stored: Stored, column: Column, rules: Rules) -> list[int]:
    return _wrong(stored.parts[0], column, rules)


def _union(stored: Stored, column: Column, rules: Rules) -> list[int]:
    numbers = range(len(stored.parts))

    def index(column: Column) -> list[int]:
        return _among(numbers.__contains__, _INT, column)

    def among(cells: Column) -> list[int]:
        chosen, *columns = zip(*cells) if cells else [()]
        wrong: set[int] = set()
        for number, part, inner in zip(numbers, stored.parts, columns):
            places = [place for place, each in enumerate(chosen) if each == number]
            found = _wrong(part, [inner[place] for place in places], rules)
            wrong.update(places[place] for place in found)
            wrong.update(
                place
                for place, cell in enumerate(inner)
                if cell is not None and chosen[place] != number
            )
        return sorted(wrong)

    return _then(_places(column, index, *[_any] * len(numbers)), column, among)


def _any(column: Column, *_: object) -> list[int]:
    return []


# -- NumPy arrays and scalars


def _ndarray(stored: Stored, column: Column, rules: Rules) -> list[int]:
    size = int(dtype_of(stored.label)[2:] or 0)
    others = [
        place
        for place, cell in enumerate(column)
        if type(cell) is not bytes or not size or len(cell) % size
    ]
    found = _of_numpy(stored, [column[place] for place in others], rules)
    return [others[place] for place in found]


def _of_numpy(stored: Stored, column: Column, rules: Rules) -> list[int]:
    sizes = partial(_items, Stored("int"), rules=rules)
    orders = partial(_among, ("C", "F").__contains__, _TEXT)
    inner = [sizes, orders] if stored.name == "ndarray" else []
    data = partial(_of_other_types, frozenset([bytes]))
    wrong = _places(column, _any, *inner, data)
    if not stored.label:
        return wrong
    among = partial(_except, lambda cell: dtype_fits(stored.label, cell[0]))
    return _then(wrong, column, among)


_CHECKS: dict[str, Callable[[Stored, Column, Rules], list[int]]] = {
    "any": lambda stored, column, rules: [],
    "optional": _optional,
    **dict.fromkeys(ARRAYS, _list),
    "fixed": _fixed,
    **dict.fromkeys(MAPPINGS, _dict),
    "deque": _deque,
    "ref": _ref,
    "weak": _weak,
    "class": _class,
    "enum": _enum,
    "flag": _flag,
    "literal": _literal,
    **dict.fromkeys(RECORDS, _record),
    "codec": _codec,
    "union": _union,
    "ndarray": _ndarray,
    "numpy": _of_numpy,
}


# -- descriptions of misfits


def check_references(
    component: Any,
    row: Row,
    entry: ClassEntry,
    references: References,
    class_of: ClassOf,
) -> None:
    """Raise `SaveError` if a row refers to an object or class that its field does not allow."""
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
    """Return the path, value and stored type of the innermost part that does not fit.

    >>> from savegen.runtime.stored import parse
    >>> innermost([(1, "x"), (2, 3)], parse("list<(int, str)>"))
    ('[1][1]', 3, Stored('str'))
    """
    if type(cell) is Mismatch:
        return place, cell.value, stored
    for step, part, inner in _steps(stored, cell):
        if holds_mismatch(inner) or misfits(part, [inner], class_of):
            return innermost(inner, part, class_of, place + step)
    return place, cell, stored


def _steps(stored: Stored, cell: Any) -> Iterator[tuple[str, Stored, Any]]:
    """Yield the path step, stored type and value of each part of a cell."""
    name = stored.name
    if name != "optional" and type(cell) not in (list, tuple, dict):
        return
    try:
        parts = parts_in(stored, cell)
    except (TypeError, ValueError, LookupError):  # the cell itself does not fit
        return
    steps: Iterable[str] = map("[{}]".format, count())
    if name in MAPPINGS:
        keys = (inner for _, inner in parts[::2])
        steps = chain.from_iterable((" (key)", f"[{key!r}]") for key in keys)
    elif name in RECORDS:
        steps = [f".{field.name}" for field, _ in fields_in(stored, cell)]
    elif name in ("optional", "codec", "union"):
        steps = [""]
    yield from ((step, *part) for step, part in zip(steps, parts))
