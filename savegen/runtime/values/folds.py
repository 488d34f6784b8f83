"""What is done with the cells of any stored type, by the table of kinds.

A value that no annotation declares is `Typed`: a pair of its stored type and its cell.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from itertools import chain, cycle
from typing import Any, NamedTuple

from msgspec import UNSET
from msgspec.structs import replace

from savegen.runtime.errors import (
    EXHAUSTED,
    ExhaustedError,
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
    DEPTH_IN_MEMORY,
    NameOf,
    Packing,
    QuickCheck as QuickCheck,
    Rules as Rules,
    Typed as Typed,
    last_part,
    quick_check as quick_check,
    quick_check_of_cells as quick_check_of_cells,
    wrong_in,
)
from savegen.runtime.values.kinds.named import ANY_OBJECT as ANY_OBJECT
from savegen.runtime.values.libraries.fields import default_of
from savegen.runtime.values.libraries.methods import LABEL
from savegen.runtime.values.rows import Key, Misfit, unfit
from savegen.runtime.values.stored import (
    ARRAYS,
    CONTAINERS,
    DEPTH,
    GENERATORS,
    MAPPINGS,
    NATIVE,
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


def is_deep(stored: StoredType, cell: Any, rules: Rules) -> bool:
    """Return whether a cell fits in memory, where plain objects may be nested twice as deep."""
    try:
        return "rec" in stored.names_inside and not wrong(
            stored, [cell], replace(rules, depth=DEPTH_IN_MEMORY)
        )
    except RecursionError:
        return False


def without_deep(stored: StoredType, cell: Any, references: Any, depth: int) -> Any:
    """Return a cell with plain objects nested at most `depth` deep; `REMOVED` if none remains.

    A deeper object is `None` where its type allows it, or left out of its container, or the field
    around it takes its default.
    """
    if "rec" not in stored.names_inside:
        return cell
    if stored.name in RECORDS:
        if not depth:
            return REMOVED
        depth -= 1
    kind = KINDS[stored.name]
    remaining = []
    for step, (part, inner) in zip(kind.steps(stored, cell), kind.parts(stored, cell)):
        found = without_deep(part, inner, references, depth)
        if found is REMOVED and stored.name in RECORDS:
            found = _default_cell(stored.label, step[1:], part, references)
        if found is REMOVED and stored.name not in _DROPS_REMOVED:
            return REMOVED
        remaining.append(found)
    return kind.rebuilt(stored, cell, remaining)


def _default_cell(label: str, name: str, stored: StoredType, references: Any) -> Any:
    """Return the default of a field of a plain class as a cell; `REMOVED` if it has none."""
    cls = references._values[label].load()
    default = default_of(cls, name)
    return REMOVED if default is None else pack(stored, default(cls), references)


def depth_fault(stored: StoredType, depth: int = DEPTH) -> str:
    """Return the reason why the deepest objects in a field are lost."""
    names = (last_part(part.label) for part in stored.walk() if part.is_recursive)
    name = next(names)
    return f"it is nested more than {depth} deep; mark `{name}` with `@saveable`"


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


def unpack(stored: StoredType, cell: Any, references: Any) -> Any:
    """Return the value of a cell, perhaps from a file.

    Raises `SaveCorruptError` for a cell that is not of this type, and `SaveError` if it names a
    class or an object that the game does not have.
    """
    try:
        return KINDS[stored.name].unpack(stored, cell, references)
    except SaveError:
        raise
    except BROKEN as error:
        raise SaveCorruptError(
            f"invalid value in save: {describe_error(error)}"
        ) from None


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
    value: Any
    base: type | None  # the class as which it is saved; `None` if it is lost
    fault: str = ""

    @property
    def as_base(self) -> str:
        """The class of the value, and the one as which it is saved: `Poison as Effect`."""
        assert self.base is not None
        return f"{type(self.value).__qualname__} as {self.base.__qualname__}"


def settled(typed: Typed, references: Any) -> tuple[Typed, list[Loss]]:
    """Return a value without live parts, for a file, and what became of these.

    A live part is saved as its nearest known base. If it has none, it is lost alone: `None` where
    its type allows it, left out of a set or a dict, else the field of its record, or the whole
    value, takes its default.

    >>> from savegen.runtime.values.references import NO_REFERENCES
    >>> settled(((LIVE_TYPE, print)), NO_REFERENCES)[0]
    (StoredType('default'), None)
    """
    losses: list[Loss] = []
    if typed[0].names_inside.isdisjoint(_HOLD_LIVE):
        return typed, losses
    result = _settled(typed[0], typed[1], "", references, losses)
    return (TAKES_DEFAULT if result is REMOVED else result), losses


_HOLD_LIVE = ("any", "live", "factory")


def is_mismatch(declared: StoredType, typed: Typed, values: Values) -> bool:
    """Return whether a value is reported in a field of another type.

    A value of a subclass is none; nor is a default.

    >>> from savegen.runtime.values.stored import parse
    >>> field, deck = parse("optional<list<int>>"), parse("subclass Deck<list<int>>")
    >>> is_mismatch(field, (deck, [1]), NO_VALUES)
    False
    >>> is_mismatch(field, (parse("list<str>"), ["a"]), NO_VALUES)
    True
    """
    return not _covers(declared, *typed, values)


def _covers(
    declared: StoredType,
    stored: StoredType,
    cell: Any,
    values: Values,
    any_object: bool = False,
) -> bool:
    """Return whether a cell holds what a type declares, perhaps of subclasses of its classes.

    The class of an object that no annotation declares is not known here: only in a subclass of a
    container does any object count, since the fields themselves were checked.
    """
    if declared == stored or declared.name == "any" or stored.name == "default":
        return True
    if stored.name == "any":
        inner, value = cell
        return _covers(declared, inner, value, values, any_object)
    if stored.name in ("optional", "union"):
        parts = [*parts_in(stored, cell)] or [(choices.NONE_TYPE, None)]
        return all(_covers(declared, *part, values, any_object) for part in parts)
    if declared.name in ("optional", "union"):
        if stored.name == "none" and declared.name == "optional":
            return True
        # One part for a class: to try its bases too would double at each object of a chain.
        types = _nearest(declared, stored, values) or declared.parts
        return any(_covers(part, stored, cell, values, any_object) for part in types)
    if (
        stored.name == "live"
    ):  # it comes back itself, and a file reports what it has instead
        return _class_of(declared, values) in type(cell).__mro__
    if stored.name == "factory":
        return _covers(declared, stored.parts[0], cell[1], values, any_object)
    if "subclass" in (declared.name, stored.name):
        if declared.name == "subclass":
            if stored.name != "subclass" or not _derives(stored, declared, values):
                return False
            declared = declared.parts[0]
        (content,) = stored.parts
        return _covers(declared, content, cell, values, any_object=True)
    if declared.name == stored.name == "weak":
        declared, stored = declared.parts[0], stored.parts[0]
    if declared.name == stored.name == "ref":
        return any_object or 0 in declared.numbers
    if declared.name == stored.name == "class":
        return 0 in declared.numbers or cell in declared.numbers
    if declared.name == "float" and stored.name == "int":
        return True
    if declared.name in RECORDS and stored.name in RECORDS:
        return _covers_record(declared, stored, cell, values)
    if (declared.name, declared.label) != (stored.name, stored.label):
        return False
    types = declared.parts
    if declared.name == "Counter":
        types = (*types, StoredType("int"))
    pairs = parts_in(stored, cell) if types else []
    if declared.name == "fixed" and len(pairs) != len(types):
        return False
    return all(
        _covers(t, *part, values, any_object) for t, part in zip(cycle(types), pairs)
    )


def _covers_record(
    declared: StoredType, stored: StoredType, cell: Any, values: Values
) -> bool:
    if not _derives(stored, declared, values):
        return False
    entry = values.get(stored.label)
    own = entry.type.inner_fields if entry else ()
    types = {field.number: field.type for field in (*own, *declared.inner_fields)}
    return all(
        number in types and _covers(types[number], *part, values)
        for number, part in zip(stored.numbers, parts_in(stored, cell))
    )


def _nearest(
    declared: StoredType, stored: StoredType, values: Values
) -> list[StoredType]:
    """Return the part of a union that declares the nearest base of a plain class, if any does."""
    if stored.name not in RECORDS:
        return []
    bases = [
        part
        for part in declared.parts
        if part.name in RECORDS and _derives(stored, part, values)
    ]
    for part in bases:
        if all(_derives(part, other, values) for other in bases):
            return [part]
    return bases


def _class_of(declared: StoredType, values: Values) -> Any:
    """Return the class of the values of a type; `None` if they have several, or none is known."""
    entry = values.get(declared.label)
    return KINDS[declared.name].cls if entry is None else entry.load()


def _derives(stored: StoredType, base: StoredType, values: Values) -> bool:
    """Return whether the class of a type is that of another type, or a subclass of it."""
    if stored.label == base.label:
        return True
    entry, base_entry = values.get(stored.label), values.get(base.label)
    if entry is None or base_entry is None:
        return False
    return (
        base_entry.load() in entry.load().__mro__
    )  # a `TypedDict` has no `issubclass`


def _settled(
    stored: StoredType, cell: Any, path: str, references: Any, losses: list[Loss]
) -> Any:
    """Return a `Typed` without live parts; `REMOVED` if it is lost."""
    if stored.name == "live":
        try:
            if _is_known(cell, references):
                raise Misfit(cell)
            base_typed, base = subclasses.as_base(cell, Packing(references))
        except SaveError:
            losses.append(Loss(path, cell, None, _fault_of(cell, references)))
            return REMOVED
        losses.append(Loss(path, cell, base))
        return base_typed
    if stored.name == "factory":
        fault = f"{factory_fault(cell[0])}; the entries are saved"
        losses.append(Loss(f"{path}.default_factory", cell[0], None, fault))
        return _settled(stored.parts[0], cell[1], path, references, losses)
    if stored.names_inside.isdisjoint(_HOLD_LIVE):
        return stored, cell
    kind = KINDS[stored.name]
    if stored.name == "any":
        found = _settled(cell[0], cell[1], path, references, losses)
        return REMOVED if found is REMOVED else (stored, found)
    drops = stored.name in _DROPS_LOST
    names = stored.name in ("value", "record")
    parts = []
    for step, (part, inner) in zip(kind.steps(stored, cell), kind.parts(stored, cell)):
        found = _settled(part, inner, path + step, references, losses)
        if found is REMOVED and not drops:
            if names and part.name == "any":
                default = _default_of_lost(stored.label, step[1:], references)
                if default is REMOVED:
                    return REMOVED
                found = part, default
            elif part.name == "any":
                found = part, (choices.NONE_TYPE, None)
            else:
                return REMOVED
        parts.append(REMOVED if found is REMOVED else found[1])
    return stored, kind.rebuilt(stored, cell, parts)


def _default_of_lost(label: str, name: str, references: Any) -> Any:
    """Return what a lost field of a plain class is after a load; `REMOVED` if it has no default."""
    entry = references._values.get(label)
    if entry is None or default_of(entry.load(), name) is not None:
        return TAKES_DEFAULT
    types = {field.name: field.type for field in entry.type.inner_fields}
    is_optional = name in types and types[name].name == "optional"
    return (choices.NONE_TYPE, None) if is_optional else REMOVED


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
    return packing.too_deep(value).fault  # alone, it could be saved


_DROPS_LOST = MAPPINGS | {"set", "frozenset", "optional"}

# -- text


def text(stored: StoredType, cell: Any, object_name: NameOf | None = None) -> str:
    """Return a cell as `repr` would show its value.

    `object_name` returns the name of the object with a key, by default such as `object #12`.

    >>> from savegen.runtime.values.stored import parse
    >>> text(parse("(float, decimal, ref<7>, enum game.Colour{RED})"), (0.5, "1.50", 12, "RED"))
    "(0.5, Decimal('1.50'), <object #12>, Colour.RED)"
    """
    try:
        return KINDS[stored.name].text(stored, cell, object_name or describe_key)
    except SaveError:
        raise
    except BROKEN as error:
        raise SaveCorruptError(
            f"invalid value in save: {describe_error(error)}"
        ) from None


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
    is_list = stored.name in ARRAYS and inner.name == "ref"
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
    if not has_numbers(stored) and name != "factory":
        return cell
    kind = KINDS[name]
    parts = kind.parts(stored, cell)
    changed = [renumbered(*part, key, generator) for part in parts]
    if name == "factory":
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


def opened(stored: StoredType, cell: Any, types: Any) -> Any:
    """Return a cell from a file; `types` has the types of its undeclared values, by number.

    Raises `SaveCorruptError` if the cell is not of its type.

    >>> opened(StoredType("any"), [3, 7], {3: StoredType("int")})
    (StoredType('int'), 7)
    """
    if "any" not in stored.names_inside:
        return cell
    try:
        return _opened(stored, cell, types)
    except SaveError:
        raise
    except BROKEN as error:
        raise SaveCorruptError(
            f"invalid value in save: {describe_error(error)}"
        ) from None


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
