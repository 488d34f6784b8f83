"""`StoredKind`: all that the run time knows of one kind of stored types, and what its pages share."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, groupby, islice
from typing import Any, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from savegen.runtime.errors import SaveError
from savegen.runtime.values.basics.keys import describe_key
from savegen.runtime.values.libraries.standard_types import names_zone
from savegen.runtime.values.rows import Key, Misfit
from savegen.runtime.values.stored import DEPTH, RECORDS, StoredType, cached_in_type
from savegen.runtime.values.values import Values

Typed: TypeAlias = tuple[StoredType, Any]
"""A value that no annotation declares: its stored type, and its cell."""
ClassOf: TypeAlias = Callable[[Key], "int | None"]
Column: TypeAlias = Sequence[Any]
NameOf: TypeAlias = Callable[[Key], str]
Types: TypeAlias = frozenset[type]
Change: TypeAlias = Callable[[Any], Any]
IsLost: TypeAlias = Callable[[Iterable[Any]], bool]
Owners: TypeAlias = Callable[[list[int]], Iterable[int]]

_MAX_REPEATS = 10_000  # repeated containers within one value
DEPTH_IN_MEMORY = 2 * DEPTH  # of records in a field that contain themselves
REMOVED: Any = object()
"""Stands for a part that its container is to leave out."""


class Rules(Struct, frozen=True):
    """The keys that fit a reference, and the depth to which values may be nested."""

    # Returns the class number of the object with a key; `None` for an unknown key. Without this
    # function, any key fits.
    class_of: ClassOf | None = None
    # Whether key 0, which replaces destroyed objects, fits a reference that is not optional.
    dangling: bool = False
    # Whether `dangling` also applies to members of containers. False if a capture has removed
    # destroyed objects: key 0 is then a `None` of the game.
    dangling_members: bool = True
    depth: int = DEPTH  # how much deeper values may be nested; see `depth_of`
    is_declared: bool = True  # whether a field declares the present values
    in_memory: bool = True  # whether what lasts only in memory fits

    def inside(self, stored: StoredType) -> Rules | None:
        """Return the rules for the parts of a value; `None` if these are nested too deeply."""
        if stored.name == "any":
            return replace(self, dangling=True, is_declared=False)
        if not depth_of(stored, self.is_declared):
            return self
        return replace(self, depth=self.depth - 1) if self.depth > 0 else None


ANY_KEY = Rules()


def depth_of(stored: StoredType, is_declared: bool) -> bool:
    """Return whether the parts of a value count as nested one deeper than itself.

    In what a field declares, only records that contain themselves count: its type limits the depth
    of all others. Where no field declares a value, all of its containers count.
    """
    if is_declared:
        return stored.is_recursive
    return stored.family not in ("", "choice")


def depth_fault(stored: StoredType, depth: int = DEPTH) -> str:
    """Return the reason why a value, or the deepest part of it, is lost."""
    record = next((part for part in stored.walk() if part.is_recursive), stored)
    way_out = f"; mark `{last_part(record.label)}` with `@saveable`"
    return f"it is nested more than {depth} deep" + way_out * (record.name in RECORDS)


class Packing:
    """One value that is being packed: what it refers to, and the containers around it."""

    def __init__(
        self, references: Any, keeps_live: bool = False, is_declared: bool = False
    ) -> None:
        self.references = references
        self.values: Values = references._values
        self.keeps_live = keeps_live
        # Those of the `defaultdict`s in a field, if its type does not tell them: a load gives
        # them back.
        self.factories: Iterable[Any] = ()
        self.has_live = False  # whether a part was packed as itself
        # By `id`: every container that was packed, so that it stays alive.
        self._packed: dict[int, Any] = {}
        # By `id`: the containers around the present part, each with the depth that it adds.
        self._open: dict[int, int] = {}
        # Those whose types are found out while they are packed, and of these the ones that contain
        # themselves.
        self._typed: set[int] = set()
        self._in_themselves: set[int] = set()
        self.is_declared = is_declared  # whether a field declares the present part
        self.depth = self._repeats = 0

    def cell(self, stored: StoredType, value: Any) -> Any:
        """Return the cell of a value, or raise `Misfit`."""
        return KINDS[stored.name].pack(stored, value, self)

    def enter(self, value: Any, stored: StoredType | None = None) -> int:
        """Begin to pack a container; return a number for `leave`.

        `stored` is its type, if one is declared. A snapshot holds declared values twice as deep
        as a file.
        """
        token = id(value)
        if token in self._open:
            raise Misfit(value, "it contains itself")
        added = stored is None or depth_of(stored, self.is_declared)
        if self.depth + added > (DEPTH_IN_MEMORY if self.is_declared else DEPTH):
            entry = self.values.of(type(value))
            raise Misfit(value, depth_fault(entry.type if entry else StoredKind.atom))
        self._repeats += token in self._packed
        if self._repeats > _MAX_REPEATS:
            fault = f"it contains the same containers again more than {_MAX_REPEATS:,} times"
            raise Misfit(value, fault)
        self._packed[token] = value
        self._open[token] = added
        if stored is None:
            self._typed.add(token)
        self.depth += added
        return token

    def leave(self, token: int) -> None:
        self.depth -= self._open.pop(token)
        self._typed.discard(token)

    @property
    def level(self) -> int:
        """How many containers are around the present part."""
        return len(self._open)

    def level_of(self, value: Any) -> int | None:
        """Return the level of a container around the present part; `None` for any other value.

        Such a container is one whose type is found out, not one that a field declares.
        """
        if not (self.keeps_live and id(value) in self._typed):
            return None
        self._in_themselves.add(id(value))
        return [*self._open].index(id(value))

    def contained_itself(self, value: Any) -> bool:
        """Return whether a container, which was left, is a part of itself; forget it."""
        if id(value) not in self._in_themselves:
            return False
        self._in_themselves.discard(id(value))
        return True


class StoredKind:
    """One kind of stored types. This base is that of leaves, whose cells have no parts."""

    name = ""  # the first of the names under which it is entered
    atom = StoredType("none")  # the stored type of this name alone
    blank: Any = None  # a cell that stands for no value
    types: Types | None = (
        None  # of all cells, if the type of a cell is all there is to check
    )
    # The class of all values, if a value of this class is of this kind whatever declares it.
    cls: Any = None
    is_container = False  # whether a cell can leave out a part
    is_flat = False  # whether a cell is an array of the cells of all parts
    # Whether values hold something that is in no attribute: a subclass has it, too.
    has_content = False
    state_kind = ""  # of the states, if these stand once, under a key
    is_factory = False  # whether `cls` can be the factory of a `defaultdict`
    # Whether values can change: then a load gives each object a value of its own.
    is_mutable = False
    # Whether other code may share a value, so that a load must not change it in place.
    may_be_shared = True

    def filler(self, stored: StoredType) -> Any:
        """Return the cell that stands in for a value that is stored elsewhere."""
        return self.blank

    def types_of(self, stored: StoredType) -> Types | None:
        """Return the types of all cells; `None` if they are not all there is to check."""
        return self.types

    def wrong(self, stored: StoredType, column: Column, rules: Rules) -> list[int]:
        """Return the positions of the cells that are none of this type, in ascending order."""
        return where_not(partial(self.has_shape, stored), column)

    def has_shape(self, stored: StoredType, cell: Any) -> bool:
        """Return whether a cell is one of this type, if its parts are of theirs."""
        types = self.types_of(stored)
        return types is None or type(cell) in types

    def part_types(self, stored: StoredType) -> tuple[StoredType, ...]:
        """Return the types of the parts, which repeat if a cell has more parts than these."""
        return stored.inner

    def parts(self, stored: StoredType, cell: Any) -> list[Typed]:
        """Return the parts of a cell, with their types; those of a mapping alternate."""
        return []

    def rebuilt(self, stored: StoredType, cell: Any, parts: list[Any]) -> Any:
        """Return a cell with new parts; one that is `REMOVED` is left out."""
        return cell

    def pack(self, stored: StoredType, value: Any, packing: Packing) -> Any:
        """Return the cell of a value. Raises `Misfit` for a value of another type."""
        raise NotImplementedError

    def typed(self, value: Any, packing: Packing) -> Typed:
        """Return a value of the class `cls` with the narrowest type that holds it."""
        return self.atom, self.pack(self.atom, value, packing)

    def unpack(self, stored: StoredType, cell: Any, references: Any) -> Any:
        """Return the value of a cell."""
        return cell

    def of_parts(self, stored: StoredType, cell: Any, values: list[Any]) -> Any:
        """Return the value of a cell whose parts have these values."""
        raise NotImplementedError

    def text(self, stored: StoredType, cell: Any, name_of: NameOf) -> str:
        """Return a cell as Python would print its value."""
        return repr(cell)

    def steps(self, stored: StoredType, cell: Any) -> Iterable[str]:
        """Return the step to each part, as messages show it."""
        return [""]

    # Of values of `cls`, or of a subclass, none of whose code runs.

    def held(self, value: Any) -> list[Any]:
        """Return what a value holds: members, or keys and values."""
        return []

    def refilled(self, value: Any, change: Change, is_lost: IsLost) -> Any:
        """Return a value with each member changed: the same object, if it can change.

        It finds all members by their present hashes if `is_lost` says that these are others.
        """
        return value

    def content(self, value: Any) -> Any:
        """Return the content of a subclass of `cls`."""
        raise SaveError("a subclass of this type cannot be saved")

    def made(self, cls: Any, content: Any) -> Any:
        """Return an object of a subclass with some content, without running its `__init__`."""
        raise SaveError("a subclass of this type cannot be loaded")


KINDS: dict[str, StoredKind] = {}
"""The table of kinds, by the names of stored types. Each page enters its own."""
BY_CLASS: dict[int, StoredKind] = {}
"""The kinds with a class of their own, by its `id`: a metaclass may redefine the hash."""


def enter(kind: StoredKind, *names: str) -> None:
    """Enter a kind into the table, under the names of its stored types."""
    for name in names:
        KINDS[name] = kind
        if not kind.name:
            kind.name, kind.atom = name, StoredType(name)
    if kind.cls is not None:
        BY_CLASS[id(kind.cls)] = kind


def kind_of(cls: type) -> StoredKind | None:
    """Return the kind of the values of a class, or of the nearest base that has one."""
    for base in cls.__mro__:
        if kind := BY_CLASS.get(id(base)):
            return kind
    return None


class Opaque:
    """Stands for a value that is not made, such as one of a library that the game does not use.

    The next save has the value again.
    """

    __slots__ = ("__weakref__", "typed")

    def __init__(self, stored: StoredType, cell: Any) -> None:
        self.typed: Typed = stored, cell

    def __repr__(self) -> str:
        stored, cell = self.typed
        if stored.name != "ndarray" and library_of(stored, cell):
            return f"<{stored.name} {cell!r}>"
        return KINDS[stored.name].text(stored, cell, describe_key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Opaque) and self.typed == other.typed

    def __hash__(self) -> int:
        return hash(self.typed[0])


class EnteredClass(StoredKind):
    """Lets undeclared values be of a class that stands for values of other types."""

    def __init__(self, cls: type, typed_of: Callable[[Any], Typed]) -> None:
        self.cls, self._typed_of = cls, typed_of

    def typed(self, value: Any, packing: Packing) -> Typed:
        return self._typed_of(value)


enter(EnteredClass(Opaque, lambda opaque: opaque.typed))
OF_LIBRARIES = frozenset(["ndarray", "numpy", "time", "datetime"])


def library_of(stored: StoredType, cell: Any) -> str:
    """Return the library that a value needs and that the game has not imported; else "".

    The answer is for the value itself, without its parts.

    >>> library_of(StoredType("datetime"), "2026-01-31T12:00:00")
    ''
    """
    if stored.name not in OF_LIBRARIES or type(cell) is Opaque:
        return ""
    if stored.name in ("ndarray", "numpy"):
        library = "numpy"
    else:
        library = "zoneinfo" if names_zone(cell) else ""
    return "" if library in sys.modules else library


class Composite(StoredKind):
    """A kind whose cells have parts: they are checked by columns, all of one part together."""

    def unpack(self, stored: StoredType, cell: Any, references: Any) -> Any:
        return self.of_parts(stored, cell, self.values(stored, cell, references))

    def values(self, stored: StoredType, cell: Any, references: Any) -> list[Any]:
        """Return the values of the parts."""
        parts = self.parts(stored, cell)
        return [KINDS[part.name].unpack(part, c, references) for part, c in parts]

    def texts(self, stored: StoredType, cell: Any, name_of: NameOf) -> list[str]:
        """Return the parts as Python would print them."""
        parts = self.parts(stored, cell)
        return [KINDS[part.name].text(part, c, name_of) for part, c in parts]

    def has_shapes(self, stored: StoredType, column: Column) -> bool:
        """Return whether all cells have their shape, by a quick check that may say no."""
        return False

    def columns(
        self, stored: StoredType, column: Column
    ) -> Iterator[tuple[StoredType, Column, Owners]]:
        """Yield each part, its cells, and what finds the owners of cells at some positions."""
        by_type: dict[StoredType, tuple[list[Any], list[int]]] = {}
        for place, cell in enumerate(column):
            for part, inner in self.parts(stored, cell):
                cells, owners = by_type.setdefault(part, ([], []))
                cells.append(inner)
                owners.append(place)
        for part, (cells, owners) in by_type.items():
            yield part, cells, partial(map, owners.__getitem__)

    def wrong(self, stored: StoredType, column: Column, rules: Rules) -> list[int]:
        rules_inside = rules.inside(stored)
        if rules_inside is None:
            return [*range(len(column))]
        wrong: set[int] = set()
        if not self.has_shapes(stored, column):
            wrong = {*where_not(partial(self.has_shape, stored), column)}
        if not wrong and quick_check(stored)(column):
            return []
        places = [n for n in range(len(column)) if n not in wrong] if wrong else None
        cells = column if places is None else [column[place] for place in places]
        is_strict = self.is_container and not rules.dangling_members
        for part, inner_cells, owners_of in self.columns(stored, cells):
            inner_rules = rules_inside
            if is_strict and rules.dangling and part.name == "ref":
                inner_rules = replace(inner_rules, dangling=False)
            if mismatches := wrong_in(part, inner_cells, inner_rules):
                owners = owners_of(mismatches)
                wrong.update(
                    owners if places is None else map(places.__getitem__, owners)
                )
        return sorted(wrong)


# -- checks by column


def wrong_in(stored: StoredType, column: Column, rules: Rules) -> list[int]:
    """Return the positions of the cells that do not fit; `UNSET` may be among them."""
    types = types_of(stored)
    if types is not None:
        return of_other_types(types, column)
    return KINDS[stored.name].wrong(stored, column, rules)


@cached_in_type
def types_of(stored: StoredType) -> Types | None:
    """Return the allowed types of a cell; `None` if a check of its type is not enough."""
    return KINDS[stored.name].types_of(stored)


def have_types(types: Types, cells: Iterable[Any]) -> bool:
    """Return whether each cell has exactly one of the given types; a subclass does not count."""
    remaining = iter(cells)
    try:
        # Most cells of a column have one type, and comparing is faster than hashing.
        for cls, _ in islice(groupby(remaining, type), 2):
            if cls not in types:
                return False
        return types.issuperset(map(type, remaining))
    except Exception:  # the metaclass of a type may fail to hash or compare
        return False


def of_other_types(types: Types, column: Column) -> list[int]:
    if have_types(types, column):
        return []
    # `in` would call the `__hash__` of a metaclass of the game.
    good = [*map(id, types)]
    return [n for n, cell in enumerate(column) if id(type(cell)) not in good]


def where_not(fits: Callable[[Any], bool], column: Column) -> list[int]:
    return [place for place, cell in enumerate(column) if not fits(cell)]


def check_remaining(
    wrong: list[int], column: Column, check: Callable[[Column], list[int]]
) -> list[int]:
    """Check the cells that are not in `wrong`; return their mismatches together with `wrong`."""
    if not wrong:
        return check(column)
    excluded = {*wrong}
    places = [place for place in range(len(column)) if place not in excluded]
    others = check([column[place] for place in places])
    return sorted([*wrong, *(places[place] for place in others)])


def check_distinct(
    fits: Callable[[Any], bool], types: Types, column: Column
) -> list[int]:
    """Check a column with few distinct values, each value once."""

    def check(cells: Column) -> list[int]:
        wrong = {cell for cell in {*cells} if not fits(cell)}
        return [n for n, cell in enumerate(cells) if cell in wrong] if wrong else []

    return check_remaining(of_other_types(types, column), column, check)


QuickCheck: TypeAlias = Callable[[Iterable[Any]], bool]


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
        return partial(have_types, types)
    types_of_parts = {*map(types_of, stored.parts)}
    part_types = types_of_parts.pop() if len(types_of_parts) == 1 else None
    is_flat = KINDS[stored.name].is_flat
    if not (part_types and is_flat) or stored.absent:
        return no_quick_check
    members = chain.from_iterable
    return lambda cells: have_types(part_types, members(cells))


def quick_check_of_cells(stored: StoredType) -> QuickCheck:
    """Return a function like `quick_check`, but with which members need the full check."""
    return no_quick_check if types_of(stored) is None else quick_check(stored)


def no_quick_check(cells: Iterable[Any]) -> bool:
    return False


# -- what several pages need

ARRAY_TYPES: Types = frozenset([list, tuple])


def is_array(cell: Any) -> bool:
    return type(cell) is list or type(cell) is tuple


def last_part(name: str) -> str:
    return name.rpartition(".")[2]


def one_line(text: str) -> str:
    return " ".join(text.split())
