"""Finds the cells of a column that do not fit the stored type of their field.

Packing checks most values. This module checks the others: native values, which are packed
unchanged, references, which may point to an object of another class, and cells from a file. The
exact type of a native value counts, because the encoder would silently turn an `IntEnum` into
an int and a `Counter` into a dict.

An int beyond 64 bits and a text with a lone surrogate are not found here; the encoder raises an
error for them.
"""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import accumulate, chain, count
from typing import Any

from msgspec import UNSET, Struct
from msgspec.structs import replace

from savegen.runtime.values.arrays import dtype_fits, dtype_of
from savegen.runtime.values.cells import (
    fields_in,
    parts_in,
    record_cells,
    types_of_parts,
)
from savegen.runtime.values.references import References
from savegen.runtime.values.mismatches import holds_mismatch
from savegen.runtime.values.rows import Key, Mismatch, Row, unfit
from savegen.runtime.values.stored import (
    ARRAYS,
    ATOMS,
    CONTAINERS,
    DEPTH,
    FORMS,
    MAPPINGS,
    NATIVE,
    RECORDS,
    StoredType,
    cached_in_type,
)

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

    >>> from savegen.runtime.values.stored import parse
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
    if stored.name in _CELL_CHECKS:
        return _where_not(partial(_CELL_CHECKS[stored.name], stored), column)
    return _CHECKS.get(stored.name, _check_parts)(stored, column, rules)


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
_ARRAYS, _DICT = frozenset([list, tuple]), frozenset([dict])
_INT_TYPE = frozenset([int])
_TEXT_TYPE = frozenset([str])


@cached_in_type
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
    blank = FORMS[name].blank
    if name not in ATOMS or name == "any" or type(blank) is tuple:
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


QuickCheck = Callable[[Iterable[Any]], bool]


@cached_in_type
def quick_check(stored: StoredType) -> QuickCheck:
    """Return a function that checks cells, or their members, by type alone.

    It returns whether all cells fit; if `False`, they may still fit in a full check.

    >>> from savegen.runtime.values.stored import parse
    >>> fit = quick_check(parse("list<int>"))
    >>> fit([[1, 2], []]), fit([[1, True]])
    (True, False)
    """
    types = types_of(stored)
    if types is not None:
        return partial(_have_types, types)
    types_of_parts = {*map(types_of, stored.parts)}
    part_types = types_of_parts.pop() if len(types_of_parts) == 1 else None
    if not part_types or stored.name not in _FLAT or stored.absent:
        return _no_quick_check
    members = chain.from_iterable
    return lambda cells: _have_types(part_types, members(cells))


def quick_check_of_cells(stored: StoredType) -> QuickCheck:
    """Return a function like `quick_check`, but with which members need the full check."""
    return _no_quick_check if types_of(stored) is None else quick_check(stored)


def _no_quick_check(cells: Iterable[Any]) -> bool:
    return False


def is_packed_unchecked(stored: StoredType) -> bool:
    """Return whether packing puts values of the game into a cell without a check."""
    return not _UNCHECKED.isdisjoint(stored.names_inside)


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


# -- types with parts


def _check_parts(stored: StoredType, column: Column, rules: Rules) -> list[int]:
    """Check the shape of the cells, and then all their parts of one type together.

    Checks of nested records recurse through this function, so it calls few others.
    """
    if stored.is_recursive:
        if not rules.depth:
            return [*range(len(column))]
        rules = replace(rules, depth=rules.depth - 1)
    wrong = {*_of_another_shape(stored, column)}
    if not wrong and quick_check(stored)(column):
        return []
    places = [n for n in range(len(column)) if n not in wrong] if wrong else None
    cells = column if places is None else [column[place] for place in places]
    for part, inner_cells, owners_of in _columns_of_parts(stored, cells):
        if part.name == "ref" and stored.name in CONTAINERS:
            may_be_zero = rules.dangling and rules.dangling_members
            mismatches = _check_keys(part, inner_cells, rules, may_be_zero)
        else:
            mismatches = _check(part, inner_cells, rules)
        if mismatches:
            owners = owners_of(mismatches)
            wrong.update(owners if places is None else map(places.__getitem__, owners))
    return sorted(wrong)


def _of_another_shape(stored: StoredType, column: Column) -> list[int]:
    """Return the positions of the cells whose parts are not where their type requires them."""
    is_flat = stored.name in _FLAT and not stored.absent
    is_map = stored.name in MAPPINGS and stored.is_map
    has_any_length = is_map or stored.name in ARRAYS
    if (is_flat or is_map) and _have_types(_DICT if is_map else _ARRAYS, column):
        if has_any_length or {*map(len, column)} <= {len(stored.parts)}:
            return []
    return _where_not(partial(_has_shape, stored), column)


def _has_shape(stored: StoredType, cell: Any) -> bool:
    name, count = stored.name, len(stored.parts)
    if name in MAPPINGS and stored.is_map:
        return type(cell) is dict
    if stored.is_recursive:
        cell = record_cells(cell)
    if not _is_array(cell):
        return False
    if name in ("fixed", *RECORDS):
        fields = zip(stored.fields, cell)
        return len(cell) == count and all(
            _is_array(inner) and len(inner) <= 1
            for field, inner in fields
            if field.may_be_absent
        )
    if name in MAPPINGS:
        return all(_is_array(pair) and len(pair) == 2 for pair in cell)
    if name == "deque":
        limit, members = cell if len(cell) == 2 else (-1, ())
        has_limit = limit is None or (type(limit) is int and 0 <= limit <= sys.maxsize)
        return has_limit and _is_array(members)
    if name == "union":
        # Of the parts after the index, only the one that it names is not `None`.
        index, *inner_cells = cell or [-1]
        if type(index) is not int or not 0 <= index < count == len(inner_cells):
            return False
        del inner_cells[index]
        return all(inner is None for inner in inner_cells)
    return True


def _is_array(cell: Any) -> bool:
    return type(cell) is list or type(cell) is tuple


def _columns_of_parts(
    stored: StoredType, column: Column
) -> Iterator[tuple[StoredType, Column, Callable[[list[int]], Iterable[int]]]]:
    """Yield each part of a type, its cells, and a function for the owners of these cells.

    The function turns positions of parts into positions of the cells that contain them.
    """
    name, types = stored.name, types_of_parts(stored)
    if name in ("fixed", *RECORDS) and not stored.absent:
        rows = map(record_cells, column) if stored.is_recursive else column
        for part, cells in zip(types, zip(*rows)):
            yield part, cells, iter
    elif name == "union":
        indices, *columns = zip(*column) if column else [()]
        for number, (part, cells) in enumerate(zip(types, columns)):
            places = [n for n, index in enumerate(indices) if index == number]
            chosen = [cells[place] for place in places]
            yield part, chosen, partial(map, places.__getitem__)
    elif name in ARRAYS or name == "deque" or (name in MAPPINGS and stored.is_map):
        if name == "deque":
            column = [members for _, members in column]
        owners_of = partial(_owners, column)
        yield types[0], [*chain.from_iterable(column)], owners_of
        if name in MAPPINGS:
            values = [*chain.from_iterable(map(dict.values, column))]
            yield types[1], values, owners_of
    else:
        by_type: dict[StoredType, tuple[list[Any], list[int]]] = {}
        for place, cell in enumerate(column):
            for part, inner in parts_in(stored, cell):
                cells_and_owners = by_type.setdefault(part, ([], []))
                cells_and_owners[0].append(inner)
                cells_and_owners[1].append(place)
        for part, (inner_cells, owners) in by_type.items():
            yield part, inner_cells, partial(map, owners.__getitem__)


def _owners(column: Column, places: list[int]) -> Iterable[int]:
    """Return the positions of the arrays or maps that contain the members at `places`."""
    ends = [*accumulate(map(len, column))]
    return (bisect_right(ends, place) for place in places)


# -- types whose cells are checked one by one


def _fits_like_blank(stored: StoredType, cell: Any) -> bool:
    """Return whether the parts of a cell have the types of those of the blank cell."""
    blank = FORMS[stored.name].blank
    if not _is_array(cell) or len(cell) != len(blank):
        return False
    return all(type(part) is type(other) for part, other in zip(cell, blank))


def _fits_numpy(stored: StoredType, cell: Any) -> bool:
    if type(cell) is bytes:  # an array of the declared dtype, without its shape
        size = int(dtype_of(stored.label)[2:] or 0) if stored.name == "ndarray" else 0
        return size > 0 and len(cell) % size == 0
    if not _is_array(cell) or len(cell) != len(FORMS[stored.name].blank):
        return False
    dtype, *shape_and_order, data = cell
    if stored.name == "ndarray":
        shape, order = shape_and_order
        is_shape = _is_array(shape) and _have_types(_INT_TYPE, shape)
        if not is_shape or type(order) is not str or order not in ("C", "F"):
            return False
    return type(data) is bytes and (not stored.label or dtype_fits(stored.label, dtype))


_CHECKS: dict[str, Callable[[StoredType, Column, Rules], list[int]]] = {
    "any": lambda stored, column, rules: [],
    "optional": _check_optional,
    "codec": lambda stored, column, rules: _check(stored.parts[0], column, rules),
    "ref": lambda stored, column, rules: _check_keys(
        stored, column, rules, rules.dangling
    ),
    # The key of a dead weak reference is 0.
    "weak": lambda stored, column, rules: _check_keys(
        stored.parts[0], column, rules, may_be_zero=True
    ),
    "class": _check_class,
    "enum": _check_enum,
    "flag": _check_flag,
    "literal": _check_literal,
}
_CELL_CHECKS: dict[str, Callable[[StoredType, Any], bool]] = {
    **dict.fromkeys(["complex", "timedelta", "array"], _fits_like_blank),
    **dict.fromkeys(["ndarray", "numpy"], _fits_numpy),
}


# -- the place of a mismatch inside a cell


def check_references(
    component: Any,
    row: Row,
    limited: Mapping[str, StoredType],
    references: References,
    class_of: ClassOf,
) -> None:
    """Raise `SaveError` if a row refers to an object or class that its field does not allow.

    `limited` contains the stored types that restrict classes, by cell.
    """
    rules = Rules(class_of, dangling=True)
    for cell, stored in limited.items():
        content = getattr(row, cell, UNSET)
        if not find_mismatches(stored, [content], rules):
            continue
        path, value, inner = innermost(content, stored, rules)
        if type(value) is int:
            finders = {"ref": references.get_component, "class": references._class_at}
            value = finders[inner.name](value) if inner.name in finders else value
        raise unfit(f"`{type(component).__qualname__}.{cell}{path}`", value)


def innermost(
    cell: Any, stored: StoredType, rules: Rules = ANY_KEY, path: str = ""
) -> tuple[str, Any, StoredType]:
    """Return the path, value and stored type of the innermost part that does not fit.

    >>> from savegen.runtime.values.stored import parse
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
