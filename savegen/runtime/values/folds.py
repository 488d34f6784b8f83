"""What is done with the cells of any stored type, by the table of kinds.

A value that no annotation declares is `Typed`: a pair of its stored type and its cell.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from functools import wraps
from itertools import chain, cycle, islice
from typing import Any, NamedTuple, TypeVar, cast

from msgspec import UNSET
from msgspec.structs import replace

from savegen.runtime.errors import (
    SaveCorruptError,
    SaveError,
    describe_error,
)
from savegen.runtime.values.basics.keys import describe_key
from savegen.runtime.values.factories import factory_fault
from savegen.runtime.values.kinds import KINDS
from savegen.runtime.values.kinds import choices, subclasses
from savegen.runtime.values.kinds.choices import ANY as ANY
from savegen.runtime.values.kinds.choices import LIVE_TYPE as LIVE_TYPE
from savegen.runtime.values.kinds.choices import NOT_SET as NOT_SET
from savegen.runtime.values.kinds.choices import TAKES_DEFAULT as TAKES_DEFAULT
from savegen.runtime.values.kinds.choices import unused_libraries as unused_libraries
from savegen.runtime.values.kinds.kind import (
    ANY_KEY as ANY_KEY,
    BY_CLASS,
    REMOVED as REMOVED,
    ClassOf as ClassOf,
    Column,
    Composite,
    DEPTH_IN_MEMORY,
    NameOf,
    Packing,
    QuickCheck as QuickCheck,
    Rules as Rules,
    Typed as Typed,
    depth_fault as depth_fault,
    quick_check as quick_check,
    quick_check_of_cells as quick_check_of_cells,
    wrong_in,
)
from savegen.runtime.values.kinds.named import ANY_OBJECT as ANY_OBJECT
from savegen.runtime.values.libraries.fields import default_of
from savegen.runtime.values.libraries.methods import LABEL
from savegen.runtime.values.rows import Key, Misfit, unfit
from savegen.runtime.values.stored import (
    CONTAINERS,
    GENERATORS,
    RECORDS,
    StoredType,
    has_keys as has_keys,
    has_numbers as has_numbers,
    has_only_keys as has_only_keys,
    shortened,
)
from savegen.runtime.values.values import NO_VALUES as NO_VALUES
from savegen.runtime.values.values import Values

# The errors that Python raises for a cell that is not of its type.
BROKEN = (ValueError, TypeError, LookupError, ArithmeticError, AttributeError)
F = TypeVar("F", bound=Callable[..., Any])


def of_a_save(function: F) -> F:
    """Let a function raise `SaveCorruptError` for a cell that is not of its type."""

    @wraps(function)
    def reading(*args: Any) -> Any:
        try:
            return function(*args)
        except SaveError:
            raise
        except BROKEN as error:
            fault = f"invalid value in save: {describe_error(error)}"
            raise SaveCorruptError(fault) from None

    return cast(F, reading)


# -- checks


def wrong(stored: StoredType, column: Column, rules: Rules = ANY_KEY) -> list[int]:
    """Return the positions of the cells that do not fit a stored type, in ascending order.

    `UNSET` cells are skipped. An int beyond 64 bits and a text with a lone surrogate fit; the
    encoder raises an error for them.

    >>> from savegen.runtime.values.stored import parse
    >>> wrong(parse("list<float>"), [[0.5], ["a"], [1]])
    [1]
    >>> wrong(parse("optional<ref<7>>"), [12, 0, 13], Rules({12: 7, 13: 8}.get))
    [2]
    """
    places = wrong_in(stored, column, rules)
    return [n for n in places if column[n] is not UNSET] if places else places


def fits(stored: StoredType, cell: Any, rules: Rules = ANY_KEY) -> bool:
    """Return whether a cell is one of a stored type."""
    return not wrong(stored, [cell], rules)


def misfit_path(
    stored: StoredType, cell: Any, rules: Rules = ANY_KEY, path: str = ""
) -> tuple[str, Any, StoredType]:
    """Return the path, cell and stored type of the innermost part that does not fit.

    >>> from savegen.runtime.values.stored import parse
    >>> misfit_path(parse("list<(int, str)>"), [(1, "x"), (2, 3)])
    ('[1][1]', 3, StoredType('str'))
    """
    kind = KINDS[stored.name]
    try:
        parts = kind.parts(stored, cell) if kind.has_shape(stored, cell) else []
        steps = [*zip(kind.steps(stored, cell), parts)]
    except (TypeError, ValueError, LookupError):  # the cell itself does not fit
        steps = []
    for step, (part, inner) in steps:
        if wrong_in(part, [inner], rules):
            return misfit_path(part, inner, rules, path + step)
    return path, cell, stored


def check_references(
    component: Any,
    row: Any,
    limited: Mapping[str, StoredType],
    references: Any,
    class_of: ClassOf,
) -> None:
    """Raise `SaveError` if a row refers to an object or class that its field does not allow."""
    rules = Rules(class_of, dangling=True)
    for cell, stored in limited.items():
        content = getattr(row, cell, UNSET)
        if not wrong(stored, [content], rules):
            continue
        path, value, inner = misfit_path(stored, content, rules)
        if type(value) is int:
            finders = {"ref": references.get_component, "class": references._class_at}
            value = finders[inner.name](value) if inner.name in finders else value
        raise unfit(f"`{type(component).__qualname__}.{cell}{path}`", value)


def is_packed_unchecked(stored: StoredType) -> bool:
    """Return whether packing puts values of the game into a cell without a check."""
    return not _UNCHECKED.isdisjoint(stored.names_inside)


_UNCHECKED = frozenset(["rec"])  # which must not be nested too deeply


def lasts_only_in_memory(stored: StoredType, cell: Any, rules: Rules) -> bool:
    """Return whether only a file cannot hold a cell: it has live parts, or is nested too deeply."""
    if _NOT_FOR_FILES.isdisjoint(stored.names_inside):
        return False
    in_memory = replace(rules, depth=DEPTH_IN_MEMORY, in_memory=True)
    try:
        return not wrong(stored, [cell], in_memory)
    except RecursionError:
        return False


_NOT_FOR_FILES = frozenset(["rec", "any"])  # types of cells that a file may not hold


def filler(stored: StoredType) -> Any:
    """Return the cell that stands in for a value that is stored elsewhere.

    >>> from savegen.runtime.values.stored import parse
    >>> filler(parse("(int, optional<date>, list<str>, enum Colour{RED GREEN})"))
    (0, None, [], 'RED')
    """
    try:
        return KINDS[stored.name].filler(stored)
    except RecursionError:
        raise SaveCorruptError(
            f"the stored type {stored} contains itself, so that it has no finite values"
        ) from None


# -- values and cells


def pack(stored: StoredType, value: Any, references: Any) -> Any:
    """Return the cell of a value; raise `Misfit` for a value that is not of this type.

    >>> from savegen.runtime.values.references import NO_REFERENCES
    >>> from savegen.runtime.values.stored import parse
    >>> pack(parse("dict<str, list<int>>"), {"a": [1, "b"]}, NO_REFERENCES)
    Traceback (most recent call last):
        ...
    savegen.runtime.values.rows.Misfit: at `['a'][1]`: it is a str
    """
    return Packing(references, is_declared=True).cell(stored, value)


@of_a_save
def unpack(stored: StoredType, cell: Any, references: Any) -> Any:
    """Return the value of a cell, perhaps from a file.

    Raises `SaveCorruptError` for a cell that is not of this type, and `SaveError` if it names a
    class or an object that the game does not have.
    """
    return KINDS[stored.name].unpack(stored, cell, references)


def typed(value: Any, references: Any, keeps_live: bool = False) -> Typed:
    """Return a value that no annotation declares, with its stored type.

    Raises `Misfit` with the reason if the value, or a part of it, is one that no kind can hold.
    If it `keeps_live`, the smallest such part is of the type `live`, and is the object itself.

    >>> from savegen.runtime.values.references import NO_REFERENCES
    >>> typed({"a": [1, 0.5]}, NO_REFERENCES)
    (StoredType('dict<str, list<float>>'), {'a': [1, 0.5]})
    >>> untyped(typed([1, "a"], NO_REFERENCES), NO_REFERENCES)
    [1, 'a']
    """
    return choices.typed(value, Packing(references, keeps_live))


def kept(value: Any, references: Any) -> tuple[Typed, list[Loss]]:
    """Return a value that no annotation declares, whole, and what a file would lose of it."""
    packing = Packing(references, keeps_live=True)
    typed = choices.typed(value, packing)
    return typed, settled(typed, references)[1] if packing.has_live else []


def untyped(typed: Typed, references: Any) -> Any:
    """Return the value of a pair of a stored type and a cell."""
    return unpack(ANY, typed, references)


class Loss(NamedTuple):
    """A part of a value that a file cannot hold, or holds as a value of another class."""

    path: str  # below the value
    class_name: str  # of the part
    base: type | None  # the class as which it is saved; `None` if it is lost
    fault: str = ""

    @property
    def as_base(self) -> str:
        """The class of the value, and the one as which it is saved: `Poison as Effect`."""
        assert self.base is not None
        return f"{self.class_name} as {self.base.__qualname__}"


IN_FILE = Rules(dangling=True, in_memory=False)
"""What a file can hold, whatever objects it has."""
UNDECLARED_IN_FILE = replace(IN_FILE, is_declared=False)


def settled(
    typed: Typed, references: Any, rules: Rules = UNDECLARED_IN_FILE
) -> tuple[Typed, list[Loss]]:
    """Return a value as a file can hold it, and what became of the parts that it cannot.

    A live part is saved as its nearest known base. If it has none, or if a part is nested too
    deeply or does not fit its type, it is lost alone: `None` where any value may be, left out of
    its container or optional, else the field of its record, or the whole value, takes its default.

    >>> from savegen.runtime.values.references import NO_REFERENCES
    >>> settled(((LIVE_TYPE, print)), NO_REFERENCES)[0]
    (StoredType('default'), None)
    """
    stored, cell = typed
    if not wrong_in(stored, [cell], rules):
        return typed, []
    cut = _Cut(references, rules.depth)
    result = cut.part(stored, cell, "", rules)
    return (TAKES_DEFAULT if result is REMOVED else result), cut.losses


class Mismatch(NamedTuple):
    """The part of a value that does not have its declared type."""

    path: str  # below the value
    declared: StoredType  # of the part
    typed: Typed


def mismatch_in(
    declared: StoredType,
    typed: Typed,
    values: Values,
    class_of: ClassOf = lambda key: None,
) -> Mismatch | None:
    """Return the first part of a value that reports name, for a field of another type, if any.

    A value of a subclass that the build has seen is none; nor is a default. `class_of` returns the
    class numbers of objects that are known.

    >>> from savegen.runtime.values.stored import parse
    >>> field, deck = parse("optional<list<int>>"), parse("subclass Deck<list<int>>")
    >>> mismatch_in(field, (deck, [1]), NO_VALUES)
    >>> mismatch_in(field, (parse("list<(int, str)>"), [(1, "a")]), NO_VALUES)
    Mismatch(path='[0]', declared=StoredType('int'), typed=(StoredType('(int, str)'), (1, 'a')))
    """
    return _Covering(values, class_of).mismatch(declared, *typed)


class _Covering:
    """Finds out whether cells hold what types declare, perhaps of subclasses of their classes."""

    def __init__(self, values: Values, class_of: ClassOf) -> None:
        self._values, self._class_of = values, class_of
        # The class of an object that no annotation declares may not be known: only in a subclass
        # of a container does any object count, since the fields themselves were checked.
        self._any_object = False

    def mismatch(
        self, declared: StoredType, stored: StoredType, cell: Any
    ) -> Mismatch | None:
        whole = Mismatch("", declared, (stored, cell))
        if declared == stored or declared.name == "any" or stored.name == "default":
            return None
        if stored.name == "any":
            return self.mismatch(declared, *cell)
        if stored.name in ("optional", "union"):
            parts = [*parts_in(stored, cell)] or [(choices.NONE_TYPE, None)]
            return next(
                filter(None, (self.mismatch(declared, *p) for p in parts)), None
            )
        if declared.name in ("optional", "union"):
            if stored.name == "none" and declared.name == "optional":
                return None
            # One part for a class: to try its bases too would double at each object of a chain.
            parts_for = self._nearest(declared, stored) or declared.parts
            found = [self.mismatch(part, stored, cell) for part in parts_for]
            if None in found:
                return None
            # One that only a part of it does not fit is the one that is meant.
            return next((each for each in found if each and each.path), whole)
        if stored.name == "live":
            # It comes back itself, and a file reports what it has instead.
            is_base = self._python_class(declared) in type(cell).__mro__
            return None if is_base else whole
        if stored.name in ("factory", "circle"):
            return self.mismatch(declared, stored.parts[0], cell[1])
        if stored.name == "outer":
            return None  # its type is compared where it begins
        if "subclass" in (declared.name, stored.name):
            if declared.name == "subclass":
                if stored.name != "subclass" or not self._derives(stored, declared):
                    return whole
                declared = declared.parts[0]
            was, self._any_object = self._any_object, True
            try:
                inside = self.mismatch(declared, stored.parts[0], cell)
            finally:
                self._any_object = was
            return inside if inside is None or inside.path else whole
        if declared.name == stored.name == "weak":
            declared, stored = declared.parts[0], stored.parts[0]
        if declared.name == stored.name == "ref":
            is_known = self._class_of(cell) in declared.numbers
            return (
                None if self._any_object or 0 in declared.numbers or is_known else whole
            )
        if declared.name == stored.name == "class":
            is_allowed = 0 in declared.numbers or cell in declared.numbers
            return None if is_allowed else whole
        # A float may be stored as an int.
        if {declared.name, stored.name} == {"int", "float"}:
            return None if type(cell) is int else whole
        if declared.name in RECORDS and stored.name in RECORDS:
            return self._in_record(whole)
        is_tuple = {declared.name, stored.name} == {"fixed", "tuple"}
        same = (declared.name, declared.label) == (stored.name, stored.label)
        if not (same or is_tuple):
            return whole
        types = KINDS[declared.name].part_types(declared)
        pairs = parts_in(stored, cell) if types else []
        if declared.name == "fixed" and len(pairs) != len(types):
            return whole
        return self._in_parts(whole, cycle(types), pairs)

    def _in_parts(
        self, whole: Mismatch, types: Iterable[StoredType], pairs: list[Typed]
    ) -> Mismatch | None:
        for place, (declared, part) in enumerate(zip(types, pairs)):
            if found := self.mismatch(declared, *part):
                stored, cell = whole.typed
                steps = KINDS[stored.name].steps(stored, cell)
                step = next(islice(steps, place, None))
                return found._replace(path=step + found.path)
        return None

    def _in_record(self, whole: Mismatch) -> Mismatch | None:
        _, declared, (stored, cell) = whole
        if not self._derives(stored, declared):
            return whole
        entry = self._values.get(stored.label)
        own = entry.type.inner_fields if entry else ()
        types = {field.number: field.type for field in (*own, *declared.inner_fields)}
        if not types.keys() >= {*stored.numbers}:
            return whole
        return self._in_parts(
            whole, (types[n] for n in stored.numbers), parts_in(stored, cell)
        )

    def _derives(self, stored: StoredType, base: StoredType) -> bool:
        """Return whether the class of a type is that of another type, or a subclass of it."""
        if stored.label == base.label:
            return True
        entry, base_entry = self._values.get(stored.label), self._values.get(base.label)
        if entry is None or base_entry is None:
            return False
        # A `TypedDict` has no `issubclass`.
        return base_entry.load() in entry.load().__mro__

    def _nearest(self, declared: StoredType, stored: StoredType) -> list[StoredType]:
        """Return the part of a union that declares the nearest base of a plain class, if any does."""
        if stored.name not in RECORDS:
            return []
        bases = [
            part
            for part in declared.parts
            if part.name in RECORDS and self._derives(stored, part)
        ]
        for part in bases:
            if all(self._derives(part, other) for other in bases):
                return [part]
        return bases

    def _python_class(self, declared: StoredType) -> Any:
        """Return the class of the values of a type; `None` if it has several or is unknown."""
        entry = self._values.get(declared.label)
        return KINDS[declared.name].cls if entry is None else entry.load()


class _Cut:
    """Cuts what a file cannot hold out of a value."""

    def __init__(self, references: Any, depth: int) -> None:
        self._references, self._depth = references, depth
        self.losses: list[Loss] = []

    def part(self, stored: StoredType, cell: Any, path: str, rules: Rules) -> Any:
        """Return a part with its type, as a file can hold it; `REMOVED` if it is lost."""
        if stored.name == "live":
            return self._live(cell, path)
        if stored.name == "outer":
            return self._lost(path, cell[1], "it contains itself")
        if stored.name == "factory":
            fault = f"{factory_fault(cell[0])}; the entries are saved"
            name = type(cell[0]).__qualname__
            self.losses.append(Loss(f"{path}.default_factory", name, None, fault))
        if stored.name in ("factory", "circle"):
            return self.part(stored.parts[0], cell[1], path, rules)
        is_flat = _NOT_FOR_FILES.isdisjoint(stored.names_inside)
        if is_flat and not wrong_in(stored, [cell], rules):
            return stored, cell
        kind, rules_inside = KINDS[stored.name], rules.inside(stored)
        if rules_inside is None:
            return self._lost(
                path, type(cell).__qualname__, depth_fault(stored, self._depth)
            )
        if not (kind.has_shape(stored, cell) and isinstance(kind, Composite)):
            fault = f"its saved form does not match its type `{shortened(stored, 60)}`"
            return self._lost(path, type(cell).__qualname__, fault)
        if stored.name == "any":
            found = self.part(cell[0], cell[1], path, rules_inside)
            return REMOVED if found is REMOVED else (stored, found)
        parts, remaining = kind.parts(stored, cell), list[Any]()
        known = len(self.losses)
        for step, (part, inner) in zip(kind.steps(stored, cell), parts):
            found = self.part(part, inner, path + step, rules_inside)
            if found is REMOVED:
                found = self._in_its_place(stored, part, step)
            if found is REMOVED and stored.name not in _DROPS_REMOVED:
                return REMOVED
            remaining.append(found if found is REMOVED else found[1])
        if len(self.losses) == known:
            return stored, cell
        return stored, kind.rebuilt(stored, cell, remaining)

    def _lost(self, path: str, class_name: str, fault: str) -> Any:
        self.losses.append(Loss(path, class_name, None, fault))
        return REMOVED

    def _live(self, value: Any, path: str) -> Any:
        references, name = self._references, type(value).__qualname__
        try:
            if _is_known(value, references):
                raise Misfit(value)
            base_typed, base = subclasses.as_base(value, Packing(references))
        except SaveError:
            return self._lost(path, name, _fault_of(value, references))
        self.losses.append(Loss(path, name, base))
        return base_typed

    def _in_its_place(self, stored: StoredType, part: StoredType, step: str) -> Any:
        """Return what is in the place of a lost part; `REMOVED` if it is to be left out."""
        if stored.name not in RECORDS:
            is_in_order = part.name == "any" and stored.family in ("sequence", "tuple")
            return (part, (choices.NONE_TYPE, None)) if is_in_order else REMOVED
        entry, name = self._references._values.get(stored.label), step[1:]
        if entry is None:
            return (part, TAKES_DEFAULT) if part.name == "any" else REMOVED
        cls = entry.load()
        default = default_of(cls, name)
        if part.name != "any":
            if default is None:
                return REMOVED
            return part, pack(part, default(cls), self._references)
        if default is not None:
            return part, TAKES_DEFAULT
        types = {field.name: field.type for field in entry.type.inner_fields}
        is_optional = name in types and types[name].name == "optional"
        return (part, (choices.NONE_TYPE, None)) if is_optional else REMOVED


def _is_known(value: Any, references: Any) -> bool:
    """Return whether the class of a value has a kind, so that only its content does not fit."""
    entry = Packing(references).values.of(type(value))
    return entry is not None or id(type(value)) in BY_CLASS


def _fault_of(value: Any, references: Any) -> str:
    """Return the reason why a file cannot hold a value."""
    packing = Packing(references)
    try:
        choices.typed(value, packing)
    except Misfit as misfit:
        return misfit.fault or str(misfit)
    except SaveError as error:
        return str(error)
    entry = packing.values.of(type(value))  # alone, it could be saved
    return depth_fault(entry.type if entry else choices.NONE_TYPE)


# -- text


@of_a_save
def text(stored: StoredType, cell: Any, object_name: NameOf | None = None) -> str:
    """Return a cell as `repr` would show its value.

    `object_name` returns the name of the object with a key, by default such as `object #12`.

    >>> from savegen.runtime.values.stored import parse
    >>> text(parse("(float, path, ref<7>, enum game.Colour{RED})"), (0.5, "a", 12, "RED"))
    "(0.5, PosixPath('a'), <object #12>, Colour.RED)"
    """
    return KINDS[stored.name].text(stored, cell, object_name or describe_key)


# -- parts


def parts_in(stored: StoredType, cell: Any) -> list[Typed]:
    """Return the parts of a cell with their stored types; a mapping alternates keys and values.

    >>> from savegen.runtime.values.stored import parse
    >>> parts_in(parse("dict<str, optional<int>>"), {"a": None})
    [(StoredType('str'), 'a'), (StoredType('optional<int>'), None)]
    """
    return KINDS[stored.name].parts(stored, cell)


def innermost_parts(stored: StoredType, cell: Any) -> Iterator[Typed]:
    """Yield the innermost parts of a cell, with their stored types."""
    if _is_innermost(stored):
        yield stored, cell
        return
    for part, inner in parts_in(stored, cell):
        yield from innermost_parts(part, inner)


def _is_innermost(stored: StoredType) -> bool:
    if stored.name == "any":
        return False
    return not stored.parts or stored.name == "weak" or stored.is_native_union


# -- keys


def keys_of(stored: StoredType, cell: Any) -> Iterator[Key]:
    """Yield the keys in a cell, except 0, in the order in which the cell holds them.

    >>> from savegen.runtime.values.stored import parse
    >>> [*keys_of(parse("dict<str, list<ref<7>>>"), {"a": [1, 0], "b": [2]})]
    [1, 2]
    """
    if stored.name in ("ref", "weak"):
        yield from (cell,) if cell else ()
    elif has_keys(stored):
        for part, inner in parts_in(stored, cell):
            yield from keys_of(part, inner)


def keys_in(stored: StoredType, column: Iterable[Any]) -> set[Key]:
    """Return the keys in a column, except 0; `UNSET` cells are skipped.

    >>> from savegen.runtime.values.stored import parse
    >>> sorted(keys_in(parse("list<ref<1>>"), [[3, 0], UNSET, [-1]]))
    [-1, 3]
    """
    if not has_keys(stored):
        return set()
    inner = stored.parts[0] if stored.parts else stored
    if stored.name == "ref" or (stored.name == "optional" and inner.name == "ref"):
        return {*column} - {0, UNSET}
    cells = (cell for cell in column if cell is not UNSET)
    kind = KINDS[stored.name]
    is_list = kind.is_container and kind.is_flat and inner.name == "ref"
    keys = cells if is_list else (keys_of(stored, cell) for cell in cells)
    return {*chain.from_iterable(keys)} - {0}


def generators_of(stored: StoredType, cell: Any) -> Iterator[int]:
    """Yield the keys of the random generators in a cell."""
    if stored.name in GENERATORS:
        yield cell
    elif has_numbers(stored):
        for part, inner in parts_in(stored, cell):
            yield from generators_of(part, inner)


def methods_in(stored: StoredType, cell: Any) -> Iterator[tuple[Key, str]]:
    """Yield the key of the object and the name of each bound method in a cell."""
    if stored.label == LABEL:
        key, name = cell
        yield key, name
    elif has_keys(stored) and not _is_innermost(stored):
        for part, inner in parts_in(stored, cell):
            yield from methods_in(part, inner)


def renumbered(
    stored: StoredType,
    cell: Any,
    key: Callable[[Key], Any],
    generator: Callable[[int], Any],
) -> Any:
    """Return a cell with other numbers for objects and random generators, for comparisons.

    >>> from savegen.runtime.values.stored import parse
    >>> renumbered(parse("(set<ref<7>>, random)"), ([1, 2], 3), lambda key: -key, str)
    ([-2, -1], '3')
    """
    name = stored.name
    if name in ("ref", "weak"):
        return key(cell) if cell else cell
    if name in GENERATORS:
        return generator(cell)
    if name == "live":
        return type(cell).__qualname__
    is_noted = name in ("factory", "circle")
    if not has_numbers(stored) and not is_noted:
        return cell
    kind = KINDS[name]
    parts = kind.parts(stored, cell)
    changed = [renumbered(*part, key, generator) for part in parts]
    if is_noted:
        return changed[0]
    return kind.rebuilt(stored, cell, changed) if parts else cell


def without(stored: StoredType, cell: Any, destroyed: Container[Key]) -> Any:
    """Return a cell without the keys of destroyed objects.

    Such a key is removed from a container whose members cannot be `None`; elsewhere it
    becomes 0.

    >>> from savegen.runtime.values.stored import parse
    >>> without(parse("list<ref<7>>"), [1, 2], {1}), without(parse("(ref<7>)"), (1,), {1})
    ([2], (0,))
    """
    return without_unfit(stored, cell, lambda key, ref: key not in destroyed)


def without_unfit(
    stored: StoredType,
    cell: Any,
    fits: Callable[[Key, StoredType], bool],
    may_be_removed: bool = False,
) -> Any:
    """Return a cell without the keys that do not fit their reference, like `without`.

    `fits` gets a key and the type of its reference. If the cell itself `may_be_removed`, the
    result may be `REMOVED`.

    >>> from savegen.runtime.values.stored import parse
    >>> fits = lambda key, ref: 7 in ref.numbers
    >>> without_unfit(parse("(list<ref<8>>, ref<7>)"), ([1, 2], 2), fits)
    ([], 2)
    """
    name = stored.name
    if name in ("ref", "weak"):
        ref = stored.parts[0] if name == "weak" else stored
        if not cell or fits(cell, ref):
            return cell
        return REMOVED if may_be_removed and name == "ref" else 0
    if not has_keys(stored):
        return cell
    if name == "any":  # what no annotation declares may be `None`
        inner, inner_cell = cell
        return inner, without_unfit(inner, inner_cell, fits)
    if stored.label == LABEL:
        key = without_unfit(ANY_OBJECT, cell[0], fits, may_be_removed)
        return key if key is REMOVED else type(cell)((key, cell[1]))
    if name == "optional" and stored.parts[0].name == "ref":
        return without_unfit(stored.parts[0], cell, fits)
    part_may_be_removed = name in _DROPS_REMOVED or (name == "union" and may_be_removed)
    kind = KINDS[name]
    parts = [
        without_unfit(part, inner, fits, part_may_be_removed)
        for part, inner in kind.parts(stored, cell)
    ]
    return kind.rebuilt(stored, cell, parts)


# Types whose cells can leave out a part.
_DROPS_REMOVED = CONTAINERS | {"optional"}


# -- the form in a file


def closed(
    stored: StoredType, cell: Any, number_of: Callable[[StoredType], Any]
) -> Any:
    """Return a cell as a file has it: an undeclared value with the number of its type.

    >>> closed(StoredType("any"), (StoredType("int"), 7), lambda stored: 3)
    (3, 7)
    """
    if stored.name == "any":
        inner, inner_cell = cell
        return number_of(inner), closed(inner, inner_cell, number_of)
    if "any" not in stored.names_inside:
        return cell
    kind = KINDS[stored.name]
    parts = [closed(*part, number_of) for part in kind.parts(stored, cell)]
    return kind.rebuilt(stored, cell, parts)


@of_a_save
def opened(stored: StoredType, cell: Any, types: Any) -> Any:
    """Return a cell from a file; `types` has the types of its undeclared values, by number.

    Raises `SaveCorruptError` if the cell is not of its type.

    >>> opened(StoredType("any"), [3, 7], {3: StoredType("int")})
    (StoredType('int'), 7)
    """
    return _opened(stored, cell, types) if "any" in stored.names_inside else cell


def _opened(stored: StoredType, cell: Any, types: Any) -> Any:
    if stored.name == "any":
        number, inner_cell = cell
        if type(number) is int and number < 0:
            raise SaveCorruptError(f"invalid number of a type: {number!r:.40}")
        inner = types[number]
        return inner, _opened(inner, inner_cell, types)
    if "any" not in stored.names_inside:
        return cell
    kind = KINDS[stored.name]
    if not kind.has_shape(stored, cell):
        raise SaveCorruptError(f"a value in the save is no {shortened(stored, 60)}")
    parts = [_opened(*part, types) for part in kind.parts(stored, cell)]
    return kind.rebuilt(stored, cell, parts)
