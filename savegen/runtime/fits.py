"""Finds the cells of a column that do not fit the stored type of their field.

Packing checks most values. This module checks the others: native values, which are packed
unchanged, references, which may point to an object of another class, and cells from a file. The
exact type of a native value counts, because the encoder would silently turn an `IntEnum` into
an int and a `Counter` into a dict.

An int beyond 64 bits and a text with a lone surrogate are not found here; the encoder raises an
error for them.
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
    StoredType,
)

if TYPE_CHECKING:
    from savegen.runtime.entries import ClassEntry

ClassOf = Callable[[Key], "int | None"]
Column = Sequence[Any]


class Rules(Struct, frozen=True):
    """The keys that fit a reference, and the depth to which records may be nested."""

    # Returns the class number of the object with a key; `None` for an unknown key. Without this
    # function, any key fits.
    class_of: ClassOf | None = None
    # Whether key 0, which replaces destroyed objects, fits a reference that is not optional.
    dangling: bool = False
    # Whether `dangling` also applies to members of containers. False if a capture has removed
    # destroyed objects: key 0 is then a `None` of the game.
    dangling_members: bool = True
    depth: int = DEPTH  # how many more records may be nested in one another


ANY_KEY = Rules()


def find_mismatches(
    stored: StoredType, column: Column, rules: Rules = ANY_KEY
) -> list[int]:
    """Return the positions of the cells that do not fit a stored type, in ascending order.

    `UNSET` cells are skipped.

    >>> from savegen.runtime.stored import parse
    >>> find_mismatches(parse("list<float>"), [[0.5], ["a"], [1]])
    [1]
    >>> find_mismatches(parse("optional<ref<7>>"), [12, 0, 13], Rules({12: 7, 13: 8}.get))
    [2]
    """
    places = _check(stored, column, rules)
    return [n for n in places if column[n] is not UNSET] if places else places


def _check(stored: StoredType, column: Column, rules: Rules) -> list[int]:
    """Return the positions of the cells that do not fit; `UNSET` may be among them."""
    types = types_of(stored)
    if types is not None:
        return _of_other_types(types, column)
    return _CHECKS.get(stored.name, _check_like_blank)(stored, column, rules)


Check = Callable[[Column], list[int]]


def _check_remaining(wrong: list[int], column: Column, check: Check) -> list[int]:
    """Check the cells that are not in `wrong`; return their mismatches together with `wrong`."""
    if not wrong:
        return check(column)
    excluded = {*wrong}
    places = [place for place in range(len(column)) if place not in excluded]
    others = check([column[place] for place in places])
    return sorted([*wrong, *(places[place] for place in others)])


def _where_not(fits: Callable[[Any], bool], column: Column) -> list[int]:
    return [place for place, cell in enumerate(column) if not fits(cell)]


# -- checks by type

Types = frozenset[type]
_NONE = type(None)
_ARRAY_TYPES = frozenset([list, tuple])
_INT_TYPE = frozenset([int])
_TEXT_TYPE = frozenset([str])


@lru_cache(4096)
def types_of(stored: StoredType) -> Types | None:
    """Return the allowed types of a cell; `None` if a check of its type is not enough."""
    name = stored.name
    if name == "optional":
        inner = types_of(stored.parts[0])
        return inner and inner | {_NONE}
    if stored.is_native_union:
        return frozenset().union(*(types_of(part) or () for part in stored.parts))
    if name == "class" and 0 in stored.numbers:
        return _INT_TYPE
    blank = BLANKS.get(name, ())
    if name == "any" or type(blank) is tuple:
        return None
    # Type checkers accept an int as a float; it is saved as an int.
    return frozenset([float, int] if name == "float" else [type(blank)])


def _have_types(types: Types, cells: Iterable[Any]) -> bool:
    """Return whether each cell has exactly one of the given types; a subclass does not count."""
    try:
        return types.issuperset(map(type, cells))
    except Exception:  # the metaclass of a type may fail to hash or compare
        return False


_FLAT = ARRAYS | RECORDS | {"fixed"}  # their cells are arrays of all parts


class QuickCheck(NamedTuple):
    """A check of cells, or of their members, by type alone."""

    types: Types
    of_members: bool

    def passes(self, cells: Iterable[Any]) -> bool:
        """Return whether all cells fit; if `False`, they may still fit in a full check.

        >>> from savegen.runtime.stored import parse
        >>> check = quick_check(parse("list<int>"))
        >>> check.passes([[1, 2], []]), check.passes([[1, True]])
        (True, False)
        """
        values = chain.from_iterable(cells) if self.of_members else cells
        return _have_types(self.types, values)


_NEVER_PASSES = QuickCheck(frozenset(), of_members=False)


@lru_cache(4096)
def quick_check(
    stored: StoredType, are_containers_unchecked: bool = False
) -> QuickCheck:
    """Return the quick check for a stored type.

    If no quick check is possible, the returned one passes no cell. If `are_containers_unchecked`,
    members need the full check.
    """
    types = types_of(stored)
    if types is not None:
        return QuickCheck(types, of_members=False)
    types_of_parts = {*map(types_of, stored.parts)}
    types = types_of_parts.pop() if len(types_of_parts) == 1 else None
    is_flat = stored.name in _FLAT and not stored.absent
    if not types or not is_flat or are_containers_unchecked:
        return _NEVER_PASSES
    return QuickCheck(types, of_members=True)


def is_packed_unchecked(stored: StoredType) -> bool:
    """Return whether packing puts values of the game into a cell without a check."""
    return any(part.name in _UNCHECKED for part in stored.walk())


_UNCHECKED = NATIVE | {"literal", "codec", "rec"}


def _of_other_types(types: Types, column: Column) -> list[int]:
    if _have_types(types, column):
        return []
    # `in` would call the `__hash__` of a metaclass of the game.
    good = [*map(id, types)]
    return [n for n, cell in enumerate(column) if id(type(cell)) not in good]


def _check_optional(stored: StoredType, column: Column, rules: Rules) -> list[int]:
    (part,) = stored.parts
    if part.name == "ref":
        return _check_keys(part, column, rules, may_be_zero=True)
    places = [place for place, cell in enumerate(column) if cell is not None]
    if len(places) == len(column):
        return _check(part, column, rules)
    mismatches = _check(part, [column[place] for place in places], rules)
    return [places[n] for n in mismatches]


def _check_distinct(
    fits: Callable[[Any], bool], types: Types, column: Column
) -> list[int]:
    """Check a column with few distinct values, each value once."""

    def check(cells: Column) -> list[int]:
        wrong = {cell for cell in {*cells} if not fits(cell)}
        return [n for n, cell in enumerate(cells) if cell in wrong] if wrong else []

    return _check_remaining(_of_other_types(types, column), column, check)


def _check_enum(stored: StoredType, column: Column, rules: Rules) -> list[int]:
    return _check_distinct(stored.names.__contains__, _TEXT_TYPE, column)


def _check_flag(stored: StoredType, column: Column, rules: Rules) -> list[int]:
    def fits(text: str) -> bool:
        parts = text.split("|")
        return all(part in stored.names or _starts_with_digit(part) for part in parts)

    return _check_distinct(fits, _TEXT_TYPE, column)


def _starts_with_digit(text: str) -> bool:
    return text.lstrip("-")[:1].isdigit()


def _check_literal(stored: StoredType, column: Column, rules: Rules) -> list[int]:
    constants = {(type(value), value) for value in stored.constants}
    wrong = _of_other_types(frozenset(cls for cls, _ in constants), column)
    check = partial(_where_not, lambda cell: (type(cell), cell) in constants)
    return _check_remaining(wrong, column, check)


def _check_class(stored: StoredType, column: Column, rules: Rules) -> list[int]:
    return _check_distinct(stored.numbers.__contains__, _INT_TYPE, column)


# -- references


def _check_ref(stored: StoredType, column: Column, rules: Rules) -> list[int]:
    return _check_keys(stored, column, rules, rules.dangling)


def _check_weak(stored: StoredType, column: Column, rules: Rules) -> list[int]:
    # The key of a dead weak reference is 0.
    return _check_keys(stored.parts[0], column, rules, may_be_zero=True)


def _check_members(part: StoredType, column: Column, rules: Rules) -> list[int]:
    if part.name != "ref":
        return _check(part, column, rules)
    may_be_zero = rules.dangling and rules.dangling_members
    return _check_keys(part, column, rules, may_be_zero)


def _check_keys(
    stored: StoredType, column: Column, rules: Rules, may_be_zero: bool
) -> list[int]:
    def check(keys: Column) -> list[int]:
        wrong = {0} if not may_be_zero and 0 in keys else set()
        if rules.class_of is not None:
            wrong |= _unfit_keys(keys, rules.class_of, frozenset(stored.numbers))
        return [n for n, key in enumerate(keys) if key in wrong] if wrong else []

    return _check_remaining(_of_other_types(_INT_TYPE, column), column, check)


def _unfit_keys(column: Column, class_of: ClassOf, numbers: frozenset[int]) -> set[Key]:
    """Return the keys of objects whose class number is not in `numbers`."""
    keys = {*column}  # unique, and mostly ascending, which speeds up the lookups
    keys.discard(0)
    if 0 in numbers:
        return {key for key in keys if class_of(key) is None}
    if numbers.issuperset(map(class_of, keys)):
        return set()
    return {key for key in keys if class_of(key) not in numbers}


# -- containers


def _check_items(part: StoredType, column: Column, rules: Rules) -> list[int]:
    """Check arrays whose members all have the same stored type."""

    def check(cells: Column) -> list[int]:
        types = types_of(part)
        if types is not None and _have_types(types, chain.from_iterable(cells)):
            return []
        members = [*chain.from_iterable(cells)]
        return _owners(cells, _check_members(part, members, rules))

    return _check_remaining(_of_other_types(_ARRAY_TYPES, column), column, check)


def _owners(column: Column, places: list[int]) -> list[int]:
    """Turn positions in the joined members into positions of their containers."""
    if not places:
        return []
    ends = [*accumulate(map(len, column))]
    return sorted({bisect_right(ends, place) for place in places})


def _check_list(stored: StoredType, column: Column, rules: Rules) -> list[int]:
    return _check_items(stored.parts[0], column, rules)


def _check_parts(column: Column, *checks: Check) -> list[int]:
    """Check arrays of fixed length, with one check for each of their positions.

    Checks of nested records recurse through this function, so it calls few others.
    """
    not_arrays = _of_other_types(_ARRAY_TYPES, column)
    wrong = {
        *_check_remaining(not_arrays, column, partial(_check_lengths, len(checks)))
    }
    places = [n for n in range(len(column)) if n not in wrong] if wrong else None
    arrays = column if places is None else [column[place] for place in places]
    for check, cells in zip(checks, zip(*arrays)):
        mismatches = check(cells)
        wrong.update(mismatches if places is None else [places[n] for n in mismatches])
    return sorted(wrong)


def _check_lengths(length: int, column: Column) -> list[int]:
    if {*map(len, column)} <= {length}:
        return []
    return _where_not(lambda cell: len(cell) == length, column)


def _check_fixed(stored: StoredType, column: Column, rules: Rules) -> list[int]:
    return _check_parts(
        column, *(partial(_check, p, rules=rules) for p in stored.parts)
    )


def _check_like_blank(stored: StoredType, column: Column, rules: Rules) -> list[int]:
    """Check that the parts of each cell have the types of those of the blank cell."""
    types = [frozenset([type(part)]) for part in BLANKS[stored.name]]
    return _check_parts(column, *(partial(_of_other_types, t) for t in types))


def _check_pairs(stored: StoredType, column: Column, rules: Rules) -> list[int]:
    parts = (*stored.parts, StoredType("int"))[:2]  # the counts of a `Counter` are ints
    check_keys, check_values = (
        partial(_check_members, part, rules=rules) for part in parts
    )
    if stored.is_map:
        return _check_map(column, check_keys, check_values)

    def check(cells: Column) -> list[int]:
        pairs = [*chain.from_iterable(cells)]
        return _owners(cells, _check_parts(pairs, check_keys, check_values))

    return _check_remaining(_of_other_types(_ARRAY_TYPES, column), column, check)


def _check_map(column: Column, check_keys: Check, check_values: Check) -> list[int]:
    def check(cells: Column) -> list[int]:
        keys = [*chain.from_iterable(cells)]
        values = [*chain.from_iterable(map(dict.values, cells))]
        return _owners(cells, [*check_keys(keys), *check_values(values)])

    return _check_remaining(_of_other_types(frozenset([dict]), column), column, check)


def _check_deque(stored: StoredType, column: Column, rules: Rules) -> list[int]:
    return _check_parts(
        column, _check_max_lengths, partial(_check_items, stored.parts[0], rules=rules)
    )


def _check_max_lengths(column: Column) -> list[int]:
    wrong = _of_other_types(_INT_TYPE | {_NONE}, column)
    check = partial(_where_not, lambda limit: limit is None or limit >= 0)
    return _check_remaining(wrong, column, check)


# -- values, records and unions


def _check_record(stored: StoredType, column: Column, rules: Rules) -> list[int]:
    if _is_recursive(stored):
        if not (column and rules.depth):
            return [*range(len(column))]
        # A recursive record may be packed as a row.
        column = [astuple(cell) if isinstance(cell, Row) else cell for cell in column]
        rules = replace(rules, depth=rules.depth - 1)
    return _check_parts(
        column, *(_field_check(field, rules) for field in stored.inner_fields)
    )


@lru_cache(4096)
def _is_recursive(stored: StoredType) -> bool:
    return any(part.name == "rec" for part in stored.walk())


def _field_check(field: Field, rules: Rules) -> Check:
    if field.may_be_absent:
        return partial(_check_absent_or_one, field.type, rules=rules)
    return partial(_check, field.type, rules=rules)


def _check_absent_or_one(stored: StoredType, column: Column, rules: Rules) -> list[int]:
    check = partial(_where_not, lambda cell: len(cell) <= 1)
    return _check_remaining(_check_items(stored, column, rules), column, check)


def _check_codec(stored: StoredType, column: Column, rules: Rules) -> list[int]:
    return _check(stored.parts[0], column, rules)


def _check_union(stored: StoredType, column: Column, rules: Rules) -> list[int]:
    numbers = range(len(stored.parts))

    def check_index(column: Column) -> list[int]:
        return _check_distinct(numbers.__contains__, _INT_TYPE, column)

    def check(cells: Column) -> list[int]:
        # Of the parts after the index, only the one that it names is not `None`.
        indices, *columns = zip(*cells) if cells else [()]
        wrong: set[int] = set()
        for number, part, inner in zip(numbers, stored.parts, columns):
            places = [place for place, index in enumerate(indices) if index == number]
            mismatches = _check(part, [inner[place] for place in places], rules)
            wrong.update(places[n] for n in mismatches)
            wrong.update(
                place
                for place, cell in enumerate(inner)
                if cell is not None and indices[place] != number
            )
        return sorted(wrong)

    wrong = _check_parts(column, check_index, *[_accept_all] * len(numbers))
    return _check_remaining(wrong, column, check)


def _accept_all(*_: object) -> list[int]:
    return []


# -- NumPy arrays and scalars


def _check_ndarray(stored: StoredType, column: Column, rules: Rules) -> list[int]:
    size = int(dtype_of(stored.label)[2:] or 0)
    # An array of the declared dtype is stored as its bytes alone.
    others = [
        place
        for place, cell in enumerate(column)
        if type(cell) is not bytes or not size or len(cell) % size
    ]
    mismatches = _check_numpy(stored, [column[place] for place in others], rules)
    return [others[n] for n in mismatches]


def _check_numpy(stored: StoredType, column: Column, rules: Rules) -> list[int]:
    check_shape = partial(_check_items, StoredType("int"), rules=rules)
    check_order = partial(_check_distinct, ("C", "F").__contains__, _TEXT_TYPE)
    of_array = [check_shape, check_order] if stored.name == "ndarray" else []
    check_data = partial(_of_other_types, frozenset([bytes]))
    wrong = _check_parts(column, _accept_all, *of_array, check_data)
    if not stored.label:
        return wrong
    check = partial(_where_not, lambda cell: dtype_fits(stored.label, cell[0]))
    return _check_remaining(wrong, column, check)


_CHECKS: dict[str, Callable[[StoredType, Column, Rules], list[int]]] = {
    "any": _accept_all,
    "optional": _check_optional,
    **dict.fromkeys(ARRAYS, _check_list),
    "fixed": _check_fixed,
    **dict.fromkeys(MAPPINGS, _check_pairs),
    "deque": _check_deque,
    "ref": _check_ref,
    "weak": _check_weak,
    "class": _check_class,
    "enum": _check_enum,
    "flag": _check_flag,
    "literal": _check_literal,
    **dict.fromkeys(RECORDS, _check_record),
    "codec": _check_codec,
    "union": _check_union,
    "ndarray": _check_ndarray,
    "numpy": _check_numpy,
}


# -- the place of a mismatch inside a cell


def check_references(
    component: Any,
    row: Row,
    entry: ClassEntry,
    references: References,
    class_of: ClassOf,
) -> None:
    """Raise `SaveError` if a row refers to an object or class that its field does not allow."""
    rules = Rules(class_of, dangling=True)
    for cell, stored in entry.class_limited.items():
        content = getattr(row, cell, UNSET)
        if not find_mismatches(stored, [content], rules):
            continue
        path, value, inner = innermost(content, stored, rules)
        if type(value) is int:
            finders = {"ref": references.get_component, "class": references.class_at}
            value = finders[inner.name](value) if inner.name in finders else value
        raise unfit(f"`{type(component).__qualname__}.{cell}{path}`", value)


def innermost(
    cell: Any, stored: StoredType, rules: Rules = ANY_KEY, path: str = ""
) -> tuple[str, Any, StoredType]:
    """Return the path, value and stored type of the innermost part that does not fit.

    >>> from savegen.runtime.stored import parse
    >>> innermost([(1, "x"), (2, 3)], parse("list<(int, str)>"))
    ('[1][1]', 3, StoredType('str'))
    """
    if type(cell) is Mismatch:
        return path, cell.value, stored
    for step, part, inner in _steps(stored, cell):
        if holds_mismatch(inner) or find_mismatches(part, [inner], rules):
            return innermost(inner, part, rules, path + step)
    return path, cell, stored


def _steps(stored: StoredType, cell: Any) -> Iterator[tuple[str, StoredType, Any]]:
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
