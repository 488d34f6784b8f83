"""The schema of the rows of each class, by which rows are written and read."""

from __future__ import annotations

from abc import ABCMeta
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from hashlib import blake2b
from itertools import chain
from operator import attrgetter
from typing import Any, TypeAlias, get_type_hints

import msgspec
from msgspec.structs import astuple

from savegen.runtime.errors import SaveCorruptError, SaveError
from savegen.runtime.generated.registry import ClassEntry, Registry
from savegen.runtime.values.folds import Rules, filler, wrong
from savegen.runtime.values.kinds.kind import wrong_in
from savegen.runtime.values.rows import Row, cells_of
from savegen.runtime.values.saveable import SaveLoadable, class_of
from savegen.runtime.values.stored import NATIVE, StoredType, declared
from savegen.runtime.world.objects import GAME_OBJECT
from savegen.saves.body import SavedField, RawTable, declare_table
from savegen.saves.limits import CODING_ERRORS

_DEEP = frozenset(["any", "rec"])  # types that can be nested to any depth
# Types that generated code checks completely when it packs a row, and msgspec when it decodes one.
_CHECKED = NATIVE | frozenset("optional list tuple fixed dict asset prefab".split())


class Column:
    """One field of a class: its name, its attribute in rows, and its stored type."""

    def __init__(self, place: int, cell: str, field: SavedField, hint: Any) -> None:
        self.place = place  # in a row
        self.cell = cell
        self.number, self.name, _ = field
        self.stored = declared(field.stored)
        self.get = attrgetter(cell)
        self._hint = hint

    def wrong(self, cells: Sequence[Any], rules: Rules) -> list[int]:
        """Return the positions of the cells that do not fit; those that are `UNSET` do."""
        return wrong(self.stored, cells, rules)

    @cached_property
    def needs_check(self) -> bool:
        """Whether a cell that was packed or decoded may still not fit its stored type."""
        return any(part.name not in _CHECKED for part in self.stored.walk())

    @cached_property
    def has_undeclared(self) -> bool:
        """Whether cells contain values whose types no field declares."""
        return "any" in self.stored.names_inside

    @cached_property
    def classes(self) -> frozenset[int] | None:
        """The numbers of the classes of the objects that cells may have the keys of; 0 is `None`.

        `None` if cells are no keys, or keys of any objects.
        """
        stored, numbers = self.stored, {0}
        if stored.name == "optional":
            stored = stored.parts[0]
        else:
            numbers.clear()
        is_limited = stored.name == "ref" and 0 not in stored.numbers
        return frozenset({*stored.numbers} | numbers) if is_limited else None

    @cached_property
    def referred(self) -> frozenset[frozenset[int]]:
        """The numbers of the classes of each reference in the type, unless it is to any object."""
        parts = (part for part in self.stored.walk() if part.name == "ref")
        limited = (part.numbers for part in parts if 0 not in part.numbers)
        return frozenset(map(frozenset, limited))

    @cached_property
    def filler(self) -> Any:
        """The cell that is stored in a row in place of a missing or mismatched value."""
        return filler(self.stored)

    def as_decoded(self, cell: Any) -> Any:
        """Return a cell as a decoder would return it, with tuples in place of lists.

        Raises `SaveCorruptError` for a cell that does not have its type.
        """
        try:
            return msgspec.convert(cell, self._hint)
        except CODING_ERRORS as error:
            raise SaveCorruptError(
                f"a value of {self.name} does not have its type: {error}"
            ) from None


class RowSchema:
    """The schema of the rows of a class, with their decoder."""

    def __init__(self, entry: ClassEntry) -> None:
        self.row: type[Row] = entry.row
        self.number = entry.number
        self.class_name = entry.marked_class().__qualname__
        self.is_abstract = bool(
            getattr(entry.marked_class(), "__abstractmethods__", None)
        )
        self.name = _full_name(entry)
        public = {
            int(number): name
            for name, number in entry.mixin.save_load_field_names.items()
        }
        hints = get_type_hints(self.row)
        cells = zip(cells_of(self.row).items(), entry.fields, strict=True)
        self.columns = [
            Column(place, cell, SavedField(n, public.get(n, cell), stored), hints[cell])
            for place, ((n, cell), (_, stored)) in enumerate(cells)
        ]
        self.by_cell = {column.cell: column for column in self.columns}
        self.by_number = {column.number: column for column in self.columns}
        self.fields = tuple(
            SavedField(column.number, column.name, str(column.stored))
            for column in self.columns
        )
        lengths = [len(each.stored) for each in self.fields]
        self.types_size, self.longest_type = sum(lengths), max(lengths, default=0)
        self.to_check = [column for column in self.columns if column.needs_check]
        # What `all_fit` checks of each column: of all, of those that a decoder or generated code
        # has checked, and of the latter if the keys in them are known to be of the right classes.
        self.checks = [*map(_check_of, self.columns)]
        self.checks_with_classes = [*map(_check_of, self.to_check)]
        self.checks_without_classes = [
            _check_of(column)
            for column in self.to_check
            if 0 not in (column.classes or ())
        ]
        self.undeclared = [column for column in self.columns if column.has_undeclared]
        self.has_keys = bool(entry.class_limited or entry.reference_fields)
        self.description = declare_table(self.number, self.name, self.fields)
        self.is_deep = any(
            not _DEEP.isdisjoint(column.stored.names_inside) for column in self.columns
        )
        row: Any = self.row
        self.decoder = msgspec.msgpack.Decoder(list[row])

    def fits(self, table: RawTable) -> bool:
        """Return whether rows of a saved table can be read without conversion."""
        if table.fields is self.fields:
            return True
        if len(table.fields) != len(self.fields):
            return False
        return all(
            number == own_number and stored == own_stored
            for (number, _, stored), (own_number, _, own_stored) in zip(
                table.fields, self.fields
            )
        )


_KEY = StoredType("int")
_Check: TypeAlias = tuple[StoredType, frozenset[int] | None, Callable[[Row], Any]]


def _check_of(column: Column) -> _Check:
    return column.stored, column.classes, column.get


def all_fit(
    tables: Sequence[tuple[RowSchema, Sequence[Row]]],
    rules: Rules,
    is_checked: bool = False,
) -> bool:
    """Return whether all cells of some rows fit their types, by a check that may say no.

    It checks the cells of each type together, which is fast for few rows of many classes. With
    `is_checked`, generated code has just packed the rows, or a decoder has read them: either has
    checked native values already. A cell that is `UNSET` does not fit.
    """
    class_of, together = rules.class_of, defaultdict[StoredType, list[Any]](list)
    found: Iterable[tuple[_Check, Sequence[Any]]]
    if not is_checked:  # of all columns, `astuple` is faster
        columns = (zip(schema.checks, zip(*map(astuple, r))) for schema, r in tables)
        found = chain.from_iterable(columns)
    elif class_of is not None:
        found = _some_cells(
            (schema.checks_with_classes, rows) for schema, rows in tables
        )
    else:
        found = _some_cells(
            (schema.checks_without_classes, rows) for schema, rows in tables
        )
    for (stored, classes, _), cells in found:
        if classes is not None and class_of is not None:
            try:
                if not classes.issuperset(map(class_of, cells)):
                    return False
            except TypeError:  # one is no key
                return False
            if is_checked:
                continue
            stored = _KEY
        together[stored] += cells
    return not any(wrong_in(*each, rules) for each in together.items())


def _some_cells(
    tables: Iterable[tuple[list[_Check], Sequence[Row]]],
) -> Iterator[tuple[_Check, Sequence[Any]]]:
    for checks, rows in tables:
        for check in checks:
            yield check, [*map(check[2], rows)]


@lru_cache(64)
def are_referred_as_declared(
    entries: tuple[ClassEntry, ...], registry: Registry
) -> bool:
    """Return whether no object of these classes can be where its class is not declared.

    Generated code asks `isinstance`, so that it also accepts a class that was generated later than
    the field, and those that a metaclass lets in. This may say no where it could say yes.
    """
    declared = {
        numbers
        for entry in entries
        for column in row_schema_of(entry).columns
        for numbers in column.referred
    }
    return not any(_lets_in_others(each, entries, registry) for each in declared)


def _lets_in_others(
    numbers: frozenset[int], entries: Sequence[ClassEntry], registry: Registry
) -> bool:
    """Return whether a field that declares some classes may have objects of another one."""
    others = [each.load_class() for each in entries if each.number not in numbers]
    if not others:
        return False
    inside = [each for each in (GAME_OBJECT, *registry) if each.number in numbers]
    if any(each.of and each not in entries for each in inside):
        return True  # asking for the class would import the library
    classes = [e.load_class() if e.of else class_of(e.mixin) for e in inside]
    loaded = [cls for cls in classes if cls is not None]
    if any(map(_runs_code, loaded)):
        return True
    tops = [cls for cls in loaded if all(issubclass(each, cls) for each in loaded)]
    if tops:
        return any(issubclass(other, tops[0]) for other in others)
    # The field may declare a base of theirs that is not saveable itself.
    bases = {base for cls in loaded for base in cls.__mro__} - {object, SaveLoadable}
    return not all(bases.isdisjoint(other.__mro__) for other in others)


def _runs_code(cls: type) -> bool:
    """Return whether code of the game decides what is an instance of a class."""
    bases = [base for base in cls.__mro__ if base is not object]
    has_hook = any("__subclasshook__" in vars(base) for base in bases)
    return has_hook or (type(cls) is not type and type(cls) is not ABCMeta)


_ROW_SCHEMAS: dict[type[Row], RowSchema] = {}


def row_schema_of(entry: ClassEntry) -> RowSchema:
    """Return the schema of the rows of a class."""
    try:
        return _ROW_SCHEMAS[entry.row]
    except KeyError:
        schema = _ROW_SCHEMAS[entry.row] = RowSchema(entry)
        return schema


def entry_of(number: int, registry: Registry | None) -> ClassEntry | None:
    """Return the entry of a class by its number; `None` if the game cannot have its objects.

    It does not have the class, or the class is abstract today.
    """
    if registry is None:
        return None
    if number == GAME_OBJECT.number:
        return GAME_OBJECT
    try:
        entry = registry[number]
    except SaveError:
        return None
    return None if row_schema_of(entry).is_abstract else entry


def _full_name(entry: ClassEntry) -> str:
    cls: type = entry.marked_class()
    if cls.__module__.startswith("savegen.runtime."):
        return cls.__qualname__
    return f"{cls.__module__}.{cls.__qualname__}"


def fingerprint(registry: Registry) -> str:
    """Return a short text that changes when the saved fields of a game change.

    >>> from savegen.runtime.generated.registry import FORMAT
    >>> len(fingerprint(Registry(FORMAT, ())))
    16
    """
    hashed = blake2b(digest_size=8)
    for entry in sorted(registry, key=lambda entry: entry.save_type):
        hashed.update(row_schema_of(entry).description)
    return hashed.hexdigest()
