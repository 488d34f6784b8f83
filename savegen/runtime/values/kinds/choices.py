"""Optional values, unions, and values that contain their own type."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from functools import lru_cache, partial
from itertools import chain
from types import MethodType
from typing import Any, NamedTuple

from savegen.runtime.errors import (
    EXHAUSTED,
    ExhaustedError,
    SaveCorruptError,
    SaveError,
    with_article,
)
from savegen.runtime.values.libraries import arrays, generators, standard_types
from savegen.runtime.values.kinds.kind import (
    BY_CLASS,
    KINDS,
    OF_LIBRARIES,
    REMOVED,
    Column,
    Composite,
    StoredKind,
    NameOf,
    Opaque,
    Owners,
    Packing,
    Rules,
    Typed,
    Types,
    enter,
    is_array,
    library_of,
    types_of,
    where_not,
    wrong_in,
)
from savegen.runtime.values.kinds.named import ANY_OBJECT, wrong_keys
from savegen.runtime.values.libraries.methods import hint, is_method
from savegen.runtime.values.refilling import refilled
from savegen.runtime.values.rows import Misfit
from savegen.runtime.values.stored import (
    RESERVED,
    StoredType,
    cached_in_type,
)

ANY = StoredType("any")
UNSET_TYPE = StoredType("unset")
DEFAULT_TYPE = StoredType("default")
LIVE_TYPE = StoredType("live")
OUTER_TYPE = StoredType("outer")
NONE_TYPE = StoredType("none")
NOT_SET: Typed = (UNSET_TYPE, None)
"""An attribute that is not set."""
TAKES_DEFAULT: Typed = (DEFAULT_TYPE, None)
"""A load takes the default."""
_NONE = frozenset([type(None)])


class Optional(Composite):
    """`None`, or a value of another type."""

    may_be_shared = False

    def filler(self, stored: StoredType) -> Any:
        return 0 if stored.parts[0].name == "ref" else None

    def types_of(self, stored: StoredType) -> Types | None:
        inner = types_of(stored.parts[0])
        return inner and inner | _NONE

    def wrong(self, stored: StoredType, column: Column, rules: Rules) -> list[int]:
        (part,) = stored.parts
        if part.name == "ref":
            return wrong_keys(part, column, rules, may_be_zero=True)
        places = [place for place, cell in enumerate(column) if cell is not None]
        if len(places) == len(column):
            return wrong_in(part, column, rules)
        mismatches = wrong_in(part, [column[place] for place in places], rules)
        return [places[n] for n in mismatches]

    def has_shape(self, stored: StoredType, cell: Any) -> bool:
        return True

    def parts(self, stored: StoredType, cell: Any) -> list[Typed]:
        (part,) = stored.parts
        is_none = cell is None or (part.name == "ref" and not cell)
        return [] if is_none else [(part, cell)]

    def rebuilt(self, stored: StoredType, cell: Any, parts: list[Any]) -> Any:
        if not parts:
            return cell
        return self.filler(stored) if parts[0] is REMOVED else parts[0]

    def pack(self, stored: StoredType, value: Any, packing: Packing) -> Any:
        return (
            self.filler(stored)
            if value is None
            else packing.cell(stored.parts[0], value)
        )

    def unpack(self, stored: StoredType, cell: Any, references: Any) -> Any:
        (part,) = stored.parts
        return None if cell is None else KINDS[part.name].unpack(part, cell, references)

    def of_parts(self, stored: StoredType, cell: Any, values: list[Any]) -> Any:
        return values[0] if values else None

    def text(self, stored: StoredType, cell: Any, name_of: NameOf) -> str:
        (part,) = stored.parts
        return "None" if cell is None else KINDS[part.name].text(part, cell, name_of)


class UnionKind(Composite):
    """One of several types: the index of the member, then a cell for each, of which one is set.

    A native union has the value alone.
    """

    may_be_shared = False

    def filler(self, stored: StoredType) -> Any:
        first, *others = stored.parts
        blank = KINDS[first.name].filler(first)
        return blank if stored.is_native_union else [0, blank, *[None] * len(others)]

    def types_of(self, stored: StoredType) -> Types | None:
        if not stored.is_native_union:
            return None
        return frozenset(chain.from_iterable(types_of(p) or () for p in stored.parts))

    def has_shape(self, stored: StoredType, cell: Any) -> bool:
        if stored.is_native_union:
            return super().has_shape(stored, cell)
        # Of the parts after the index, only the one that it names is not `None`.
        if not is_array(cell) or len(cell) != len(stored.parts) + 1:
            return False
        index, *inner_cells = cell
        if type(index) is not int or not 0 <= index < len(inner_cells):
            return False
        del inner_cells[index]
        return all(inner is None for inner in inner_cells)

    def columns(
        self, stored: StoredType, column: Column
    ) -> Iterator[tuple[StoredType, Column, Owners]]:
        indices, *columns = zip(*column) if column else [()]
        for number, (part, cells) in enumerate(zip(stored.parts, columns)):
            places = [n for n, index in enumerate(indices) if index == number]
            chosen = [cells[place] for place in places]
            yield part, chosen, partial(map, places.__getitem__)

    def parts(self, stored: StoredType, cell: Any) -> list[Typed]:
        if stored.is_native_union:
            return []
        return [(stored.parts[cell[0]], cell[cell[0] + 1])]

    def rebuilt(self, stored: StoredType, cell: Any, parts: list[Any]) -> Any:
        if not parts or parts[0] is REMOVED:
            return parts[0] if parts else cell
        chosen = cell[0] + 1
        return type(cell)(parts[0] if n == chosen else c for n, c in enumerate(cell))

    def pack(self, stored: StoredType, value: Any, packing: Packing) -> Any:
        nearest: Misfit | None = None
        for n, part in enumerate(stored.parts):
            try:
                cell = packing.cell(part, value)
            except Misfit as misfit:
                if misfit.path and (nearest is None or not nearest.path):
                    nearest = misfit
                continue
            if stored.is_native_union:
                return cell
            return (*union_cell(stored, n, cell),)
        raise nearest or Misfit(value)

    def of_parts(self, stored: StoredType, cell: Any, values: list[Any]) -> Any:
        return values[0] if values else cell

    def text(self, stored: StoredType, cell: Any, name_of: NameOf) -> str:
        return "".join(self.texts(stored, cell, name_of)) or repr(cell)


def union_cell(stored: StoredType, index: int, cell: Any) -> list[Any]:
    """Return the cell of a union that is not native, for one of the member at an index."""
    return [index, *(cell if n == index else None for n in range(len(stored.parts)))]


# -- values that contain their own type


class Any_(Composite):
    """Any value: its stored type, and its cell."""

    blank = StoredType("none"), None
    is_mutable = True

    def has_shape(self, stored: StoredType, cell: Any) -> bool:
        return type(cell) is tuple and len(cell) == 2 and type(cell[0]) is StoredType

    def wrong(self, stored: StoredType, column: Column, rules: Rules) -> list[int]:
        wrong = {*where_not(partial(self.has_shape, stored), column)}
        by_type: dict[StoredType, list[int]] = {}
        for n, cell in enumerate(column):
            if n not in wrong:
                by_type.setdefault(cell[0], []).append(n)
        inner = rules.inside(stored)
        assert inner is not None
        for each, places in by_type.items():
            cells = [column[place][1] for place in places]
            wrong.update(map(places.__getitem__, wrong_in(each, cells, inner)))
        return sorted(wrong)

    def parts(self, stored: StoredType, cell: Any) -> list[Typed]:
        return [cell]

    def rebuilt(self, stored: StoredType, cell: Any, parts: list[Any]) -> Any:
        return parts[0] if parts[0] is REMOVED else (cell[0], parts[0])

    def pack(self, stored: StoredType, value: Any, packing: Packing) -> Any:
        if not packing.is_declared:
            return typed(value, packing)
        depth, packing.depth, packing.is_declared = packing.depth, 0, False
        try:
            return typed(value, packing)
        finally:
            packing.depth, packing.is_declared = depth, True

    def unpack(self, stored: StoredType, cell: Any, references: Any) -> Any:
        inner, inner_cell = cell
        inner_cell = _without_unused(inner, inner_cell)
        return KINDS[inner.name].unpack(inner, inner_cell, references)

    def text(self, stored: StoredType, cell: Any, name_of: NameOf) -> str:
        inner, inner_cell = cell
        inner_cell = _without_unused(inner, inner_cell)
        return KINDS[inner.name].text(inner, inner_cell, name_of)


def _without_unused(stored: StoredType, cell: Any) -> Any:
    """Return an undeclared cell with `Opaque` for the values of libraries that are not imported.

    A value that no field declares is no reason to import a library. What a class of the game
    declares is left as it is.
    """
    if stored.names_inside.isdisjoint(OF_LIBRARIES) or stored.family in _DECLARING:
        return cell
    if stored.name in OF_LIBRARIES:
        return Opaque(stored, cell) if library_of(stored, cell) else cell
    kind = KINDS[stored.name]
    parts = [_without_unused(*part) for part in kind.parts(stored, cell)]
    return kind.rebuilt(stored, cell, parts)


def unused_libraries(
    stored: StoredType, cell: Any, is_declared: bool = False
) -> Iterator[str]:
    """Yield the libraries because of which parts of an undeclared value stay as they are."""
    if stored.names_inside.isdisjoint(_MAY_NEED_LIBRARIES):
        return
    if not is_declared and (library := library_of(stored, cell)):
        yield library
    is_declared = stored.family in _DECLARING or (is_declared and stored.name != "any")
    for part in KINDS[stored.name].parts(stored, cell):
        yield from unused_libraries(*part, is_declared)


_DECLARING = ("record", "wrapper")
_MAY_NEED_LIBRARIES = OF_LIBRARIES | {"any"}


class Reserved(StoredKind):
    """An attribute that is not set, or that takes its default."""

    types = _NONE

    def unpack(self, stored: StoredType, cell: Any, references: Any) -> Any:
        raise SaveCorruptError(f"a value in the save is of the type {stored.name!r}")

    def text(self, stored: StoredType, cell: Any, name_of: NameOf) -> str:
        return "<not set>" if stored.name == "unset" else "<default>"


class InMemory(StoredKind):
    """What lasts only in memory."""

    def wrong(self, stored: StoredType, column: Column, rules: Rules) -> list[int]:
        return [] if rules.in_memory else [*range(len(column))]


class Live(InMemory):
    """An object that no kind can hold."""

    def text(self, stored: StoredType, cell: Any, name_of: NameOf) -> str:
        return f"<{type(cell).__qualname__}>"


class Noted(InMemory, Composite):
    """A value with a note."""

    def parts(self, stored: StoredType, cell: Any) -> list[Typed]:
        return [(stored.parts[0], cell[1])]

    def rebuilt(self, stored: StoredType, cell: Any, parts: list[Any]) -> Any:
        return parts[0] if parts[0] is REMOVED else (cell[0], parts[0])

    def text(self, stored: StoredType, cell: Any, name_of: NameOf) -> str:
        return self.texts(stored, cell, name_of)[0]


class _Outer(NamedTuple):
    """Stands for a value around it until that is made."""

    level: int


class Circle(Noted):
    """A value that contains itself: plain objects that refer to each other in a circle.

    The note is the number of values around it; its parts have this number where it itself is.
    """

    def unpack(self, stored: StoredType, cell: Any, references: Any) -> Any:
        (part,), (level, inner) = stored.parts, cell
        made = KINDS[part.name].unpack(part, inner, references)

        def close(value: Any) -> Any:
            return made if type(value) is _Outer and value.level == level else value

        # What hashes objects may be filled later.
        references._when_filled(partial(refilled, made, close))
        return made


class Outer(InMemory):
    """A value that is around this part of it: the number of values around that, and its class."""

    def unpack(self, stored: StoredType, cell: Any, references: Any) -> Any:
        return _Outer(cell[0])

    def text(self, stored: StoredType, cell: Any, name_of: NameOf) -> str:
        return f"<{cell[1]} around it>"


def typed(value: Any, packing: Packing) -> Typed:
    """Return a value with its stored type. Raises `Misfit` if no kind can hold it."""
    try:
        found = typed_whole(value, packing)
        if packing.has_live and packing.contained_itself(value):
            return type_of("circle", found[0]), (packing.level, found[1])
        return found
    except (ExhaustedError, *EXHAUSTED):
        raise
    except SaveError as error:
        if (level := packing.level_of(value)) is not None:
            packing.has_live = True
            return OUTER_TYPE, (level, type(value).__qualname__)
        if packing.keeps_live:
            packing.has_live = True
            return LIVE_TYPE, value
        if isinstance(error, Misfit):
            raise
        raise Misfit(value, str(error)) from None


def typed_whole(value: Any, packing: Packing) -> Typed:
    """Return a value as `typed` does. Only its parts may be live."""
    kind = BY_CLASS.get(id(type(value)))
    return _other(value, packing) if kind is None else kind.typed(value, packing)


_TESTS: tuple[tuple[str, Any], ...] = (
    ("ndarray", arrays.is_array),
    ("numpy", arrays.is_number),
    ("path", standard_types.is_path),
    ("generator", generators.is_generator),
    ("class", lambda value: isinstance(value, type)),
)


def _other(value: Any, packing: Packing) -> Typed:
    """Return a value of the game or of a library with its stored type."""
    entry = packing.values.of(MethodType if is_method(value) else type(value))
    if entry is not None:
        kind: Any = KINDS[entry.type.name]
        result: Typed = kind.of_entry(entry, value, packing)
        return result
    for name, has_type in _TESTS:
        if has_type(value):
            kind = KINDS[name]
            if name == "class":
                return _ANY_CLASS, kind.pack(_ANY_CLASS, value, packing)
            typed_value: Typed = kind.typed(value, packing)
            return typed_value
    for stored in (ANY_OBJECT, _ASSET):
        try:
            cell = KINDS[stored.name].pack(stored, value, packing)
        except Misfit:
            continue
        # A reference to an object that was destroyed is `None` after a load.
        return (stored, cell) if cell else (NONE_TYPE, None)
    raise Misfit(value, reason_of_loss(value))


_ANY_CLASS = StoredType("class", numbers=(0,))
_ASSET = StoredType("asset")


def reason_of_loss(value: Any) -> str:
    """Return the reason why no kind can hold a value."""
    name = with_article(type(value).__qualname__)
    if isinstance(value, Enum):
        return (
            f"{name} cannot be saved, because no saved field is declared with that enum"
        )
    return f"{name} is not a value that can be saved{hint(value)}"


def typed_cell(stored: StoredType, cell: Any) -> Typed:
    """Return a cell as one of the type `any`."""
    return cell if stored.name == "any" else (stored, cell)


@lru_cache(1024)
def type_of(name: str, *parts: StoredType) -> StoredType:
    """Return the type with a name and parts, of a value of this process."""
    return StoredType(name, parts)


_INT, _FLOAT = StoredType("int"), StoredType("float")
_MAX_HEIGHT = 16  # of types that nest in one another, so that a file can name them


@cached_in_type
def _height(stored: StoredType) -> int:
    return 1 + max(map(_height, stored.parts), default=0)


def is_any(stored: StoredType) -> bool:
    """Return whether a type cannot be part of another, so that its value is of the type `any`."""
    if not stored.parts:
        return stored.name in RESERVED
    return stored.name in RESERVED or _height(stored) > _MAX_HEIGHT


def unified(members: list[Typed]) -> tuple[StoredType, list[Any]]:
    """Return one type for some values, and their cells of this type.

    >>> unified([(StoredType("int"), 1), (StoredType("float"), 0.5)])
    (StoredType('float'), [1, 0.5])
    >>> unified([(StoredType("int"), 1), (StoredType("str"), "a")])[0]
    StoredType('any')
    """
    first = members[0][0] if members else ANY
    if all(stored is first for stored, _ in members) and not is_any(first):
        return first, [cell for _, cell in members]
    types = {stored for stored, _ in members}
    if types == {_INT, _FLOAT}:
        types = {_FLOAT}
    may_be_none = len(types) == 2 and NONE_TYPE in types
    if may_be_none:
        types.discard(NONE_TYPE)
    if len(types) == 1:
        (only,) = types
        if not may_be_none and not is_any(only):
            return only, [cell for _, cell in members]
        if may_be_none and not is_any(only) and only.name not in ("optional", "any"):
            none = 0 if only.name == "ref" else None
            cells = [none if cell is None else cell for _, cell in members]
            return type_of("optional", only), cells
    return ANY, [typed_cell(*member) for member in members]


enter(Optional(), "optional")
enter(UnionKind(), "union")
enter(Any_(), "any")
enter(Reserved(), "unset", "default")
enter(Live(), "live")
enter(Circle(), "circle")
enter(Outer(), "outer")
